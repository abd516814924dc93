"""``doctor``: what is installed, which tokenizer counts, which store answers."""

from __future__ import annotations

import importlib.metadata
import platform
import re
import sqlite3
import sys
from contextlib import closing
from typing import Any

import click

from .._version import __version__
from ..counters import counter_for
from ..errors import MemoryInjectionError
from .options import Target, json_option, store_options
from .output import emit_json, show_table

__all__ = ["doctor", "examine"]

_MODELS = ("gpt-4o", "gpt-4", "claude-sonnet-4-5", "gemini-2.5-pro")
_VOCABULARY_WAIT = 10.0  # seconds; a cold disk reads one in a few
_NOT_FOR_USERS = {"all", "test", "dev"}


@click.command(
    short_help="Say what is installed and what works.",
    epilog="""\b
Examples:
  memory-injection doctor
  memory-injection doctor --store memory.db --json
""",
)
@click.option("--model", "models", multiple=True, metavar="NAME",
              help="Also say how this model's tokens are counted; may be repeated.")  # fmt: skip
@json_option
@store_options
def doctor(models: tuple[str, ...], as_json: bool, target: Target) -> None:
    """Say what is installed, how tokens are counted, and whether the store answers.

    The exit code is 1 when the store is there and does not answer.
    """
    found = examine(target, models)
    if as_json:
        emit_json(found)
    else:
        _show(found)
    if found["store"]["status"] == "error":
        raise click.exceptions.Exit(1)


def examine(target: Target, models: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return everything ``doctor`` tells, as JSON-serialisable values."""
    return {
        "version": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "sqlite": _sqlite(),
        "tokenizers": {
            model: counter_for(model, wait=_VOCABULARY_WAIT).name for model in (*_MODELS, *models)
        },
        "extras": _extras(),
        "store": _store(target),
    }


def _sqlite() -> dict[str, Any]:
    with closing(sqlite3.connect(":memory:")) as database:
        try:
            source: str | None = database.execute("SELECT fts5_source_id()").fetchone()[0]
        except sqlite3.Error:
            source = None
    return {"version": sqlite3.sqlite_version, "fts5": source}


def _extras() -> dict[str, dict[str, str | None]]:
    """Return extra -> package -> installed version or None, as the distribution declares them."""
    try:
        requirements = importlib.metadata.requires("memory-injection") or []
    except importlib.metadata.PackageNotFoundError:
        return {}
    extras: dict[str, dict[str, str | None]] = {}
    for requirement in requirements:
        found = re.match(r"([\w.-]+).*extra == [\"']([\w-]+)[\"']", requirement)
        if found and found.group(2) not in _NOT_FOR_USERS:
            extras.setdefault(found.group(2), {})[found.group(1)] = _version(found.group(1))
    return extras


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _store(target: Target) -> dict[str, Any]:
    found: dict[str, Any] = {"path": str(target.path.absolute()), "scope": target.scope.ids()}
    if not target.path.exists():
        return {**found, "status": "none", "detail": "no file yet"}
    try:
        with target.open() as store:
            store.search("anything", {"scope": target.scope, "max_search_results": 1})
            count = store.count(scope=target.scope)
    except (MemoryInjectionError, sqlite3.Error, OSError) as error:
        return {**found, "status": "error", "detail": str(error)}
    return {**found, "status": "ok", "detail": f"{count} entries visible", "entries": count}


def _show(found: dict[str, Any]) -> None:
    sqlite, store = found["sqlite"], found["store"]
    fts5 = f"FTS5 {sqlite['fts5'][:19]}" if sqlite["fts5"] else "FTS5 is missing: no SQLiteStore"
    rows = [
        ("memory-injection", found["version"]),
        ("Python", f"{found['python']} ({sys.executable})"),
        ("platform", found["platform"]),
        ("SQLite", f"{sqlite['version']}, {fts5}"),
        ("store", f"{store['path']}: {store['status']}, {store['detail']}"),
    ]
    rows += [(f"tokens of {model}", name) for model, name in found["tokenizers"].items()]
    show_table(["what", "found"], rows)
    extras = [
        (extra, f"{package} {version}" if version else f"{package} is not installed")
        for extra, packages in found["extras"].items()
        for package, version in packages.items()
    ]  # fmt: skip
    if extras:
        show_table(["extra", "package"], extras)
    # Below the table, where a line to be copied is not broken over two.
    for extra, packages in found["extras"].items():
        if not all(packages.values()):
            click.echo(f"pip install 'memory-injection[{extra}]'")
