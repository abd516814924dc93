"""Write the reference pages from the code: ``python docs/reference/generate.py``."""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import click
from pydantic import BaseModel

from memory_injection import errors, report
from memory_injection.capture import CaptureStatus, ExtractionConfig, StoreCaptureStatus
from memory_injection.cli.commands import PROGRAM, app
from memory_injection.config import InjectionConfig
from memory_injection.tools import AddTool, SearchTool

HERE = Path(__file__).parent
NOTE = "<!-- Written by docs/reference/generate.py; change the code, then run that. -->\n"


def commands(
    command: click.Command, name: str, parent: click.Context | None = None
) -> Iterator[tuple[str, str]]:
    """Yield (command path, its ``--help``) for *command* and everything below it."""
    settings = {"terminal_width": 88, **command.context_settings}
    context = click.Context(command, info_name=name, parent=parent, **settings)
    yield context.command_path, command.get_help(context)
    if isinstance(command, click.Group):
        for word in command.list_commands(context):
            below = command.get_command(context, word)
            if below is not None and not below.hidden:
                yield from commands(below, word, context)


def cli() -> str:
    """Return the command line's page."""
    parts = [NOTE, "# Command line\n"]
    for path, text in commands(app, PROGRAM):
        lines = "\n".join(line.rstrip() for line in text.splitlines())
        parts.append(f"{'##' if path == PROGRAM else '###'} {path}\n\n```text\n{lines}\n```\n")
    parts.append(
        "## Exit codes\n\n"
        "| Code | Meaning |\n| --- | --- |\n"
        "| 0 | done |\n"
        "| 1 | it could not be done; one line on stderr says why (none when whoever read the "
        "output went away) |\n"
        "| 2 | wrong usage or input; the line names the value and the rule |\n"
        "| 130 | interrupted (Ctrl-C) |\n\n"
        "`MEMORY_INJECTION_DEBUG=1` shows the traceback of an error.\n"
    )
    return "\n".join(parts)


def _attributes(model: type) -> dict[str, str]:
    """Read the ``Attributes:`` sections of a class and its bases (Google style)."""
    found: dict[str, str] = {}
    for base in reversed(model.__mro__):
        section = inspect.cleandoc(base.__doc__ or "").partition("Attributes:\n")[2]
        for entry in re.split(r"\n(?=    \w)", "\n" + section):
            name, _, text = entry.strip().partition(":")
            found[name] = " ".join(text.split())
    return found


def _cell(text: str) -> str:
    return re.sub(r"``([^`]+)``", r"`\1`", text).replace("|", "\\|")


def _fields(model: type) -> Iterator[tuple[str, str]]:
    """Yield (field, its default as code) of a pydantic model or a dataclass."""
    if issubclass(model, BaseModel):
        for name, field in model.model_fields.items():
            yield name, "required" if field.is_required() else f"`{field.default!r}`"
        return
    for one in dataclasses.fields(model):
        if one.default is not dataclasses.MISSING:
            yield one.name, f"`{one.default!r}`"
        elif one.default_factory is not dataclasses.MISSING:
            yield one.name, f"`{one.default_factory()!r}`"
        else:
            yield one.name, "required"


def _table(model: type) -> str:
    described = _attributes(model)
    rows = (
        f"| `{n}` | {default} | {_cell(described.get(n, ''))} |" for n, default in _fields(model)
    )
    return "\n".join(["| Field | Default | Meaning |", "| --- | --- | --- |", *rows, ""])


def configuration() -> str:
    """Return the page of ``InjectionConfig``."""
    return f"{NOTE}\n# Configuration: `InjectionConfig`\n\n{_table(InjectionConfig)}"


def report_page() -> str:
    """Return the page of the report's records."""
    parts = [f"{NOTE}\n# The report\n"]
    for model in (
        report.InjectionReport, report.StoreReport, report.EntryReport, report.DroppedEntry,
    ):  # fmt: skip
        text = (inspect.getdoc(model) or "").partition("Attributes:\n")[0].strip()
        text = re.sub(r"``([^`]+)``", r"`\1`", text)
        parts.append(f"## {model.__name__}\n\n{text}\n\n{_table(model)}")
    return "\n".join(parts)


def errors_page() -> str:
    """Return the page of the error tree."""
    tree = (errors.__doc__ or "").partition("::\n\n")[2].partition("\n\n")[0]
    parts = [f"{NOTE}\n# Errors\n", f"```text\n{inspect.cleandoc(tree)}\n```\n"]
    for name in errors.__all__:
        text = (inspect.getdoc(getattr(errors, name)) or "").partition("\n\nAttributes:")[0]
        text = re.sub(r":class:`(\w+)`", r"`\1`", text).replace("``", "`")
        parts.append(f"## {name}\n\n{text}\n")
    return "\n".join(parts)


def capture_page() -> str:
    """Return the page of capture's and the tools' settings and status."""
    parts = [f"{NOTE}\n# Capture and tools\n"]
    for model in (ExtractionConfig, SearchTool, AddTool, StoreCaptureStatus, CaptureStatus):
        text = (inspect.getdoc(model) or "").partition("Attributes:\n")[0].strip()
        text = re.sub(r"``([^`]+)``", r"`\1`", text)
        parts.append(f"## {model.__name__}\n\n{text}\n\n{_table(model)}")
    return "\n".join(parts)


PAGES: dict[str, Callable[[], str]] = {
    "cli": cli,
    "configuration": configuration,
    "report": report_page,
    "errors": errors_page,
    "capture": capture_page,
}


if __name__ == "__main__":
    for page, write in PAGES.items():
        (HERE / f"{page}.md").write_text(write(), encoding="utf-8")
