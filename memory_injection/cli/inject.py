"""``inject``: a request body in, the same body with memory out."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click

from ..config import InjectionConfig
from ..errors import InputError
from ..manager import MemoryManager
from ..report import InjectionReport
from .explain import explain
from .options import Target, store_options
from .output import dump, emit, say

__all__ = ["inject"]


@click.command(
    short_help="Write memory into a request body.",
    epilog="""\b
Examples:
  memory-injection inject body.json --user u1 --explain
  cat body.json | memory-injection inject --user u1 --set max_entries=3 > body.new.json
""",
)
@click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True), default="-")
@click.option(
    "--api", metavar="NAME", help="The body's shape, e.g. openai.chat  [default: detect]."
)
@click.option("--model", metavar="NAME", help="Count tokens for this model  [default: the body's].")
@click.option(
    "--set", "settings", multiple=True, metavar="FIELD=VALUE",
    help="A field of InjectionConfig, e.g. token_budget=500; may be repeated.",
)  # fmt: skip
@click.option("--explain", "show", is_flag=True, help="Show the report on stderr as tables.")
@click.option("--json", "as_json", is_flag=True, help="Print {request, report} instead.")
@store_options
def inject(
    file: str, api: str | None, model: str | None, settings: tuple[str, ...],
    show: bool, as_json: bool, target: Target,
) -> None:  # fmt: skip
    """Write memory into a request body (JSON from FILE or stdin) and print the new body."""
    config = InjectionConfig(**dict(map(_setting, settings)))
    body = _body_of(file)
    with target.open() as store, MemoryManager(stores=[store], injection=config) as memory:
        result = memory.inject_request(body, api=api, model=model, scope=target.scope)
    request = body if result.request is None else result.request
    written = {"request": request, "report": result.report.to_dict()} if as_json else request
    emit(dump(written) + "\n")
    if show:
        explain(result.report, result.block)
    elif not as_json and (why := _trouble(result.report)):
        say(f"the body went through without memory: {why}")


def _body_of(file: str) -> dict[str, Any]:
    if file == "-":
        return read_body(sys.stdin.buffer.read(), "<stdin>")
    return read_body(Path(file).read_bytes(), file)


def _trouble(report: InjectionReport) -> str | None:
    """Return why the body could not be used, where it is not just that nothing fits."""
    if report.status == "failed":
        return f"{report.stage}: {report.error}"
    if report.reason == "unknown_shape":
        return f"{report.detail or 'no dialect knows its shape'}; --api names one"
    return "it has no user message" if report.reason == "no_user_message" else None


def _setting(word: str) -> tuple[str, Any]:
    name, equals, value = word.partition("=")
    if not equals or not name:
        raise click.BadParameter(f"{word!r} must be FIELD=VALUE", param_hint="--set")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def read_body(raw: bytes, name: str) -> dict[str, Any]:
    """Read a request body.

    Args:
        raw: JSON text in UTF-8.
        name: where it came from, for the error.

    Raises:
        InputError: not UTF-8, not JSON (line and column are named), nested past what Python's
            parser takes, or not an object.
    """
    try:
        body = json.loads(raw.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise InputError(f"{name}: not UTF-8 at byte {error.start}") from None
    except json.JSONDecodeError as error:
        where = f"line {error.lineno} column {error.colno}"
        raise InputError(f"{name}: not JSON at {where}: {error.msg}") from None
    except RecursionError:
        raise InputError(f"{name}: nested too deeply to be read") from None
    if not isinstance(body, dict):
        raise InputError(f"{name}: the body must be a JSON object, not {type(body).__name__}")
    return body
