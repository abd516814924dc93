"""Write the reference pages from the code: ``python docs/reference/generate.py``."""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import click
from pydantic import BaseModel

from memory_injection import (
    FormatContext,
    InjectionContext,
    InMemoryLedger,
    MemoryEntry,
    MemoryManager,
    QueryContext,
    Scope,
    SearchOptions,
    SearchResult,
    SQLiteLedger,
    counters,
    embedders,
    errors,
    report,
    telemetry,
    windows,
)
from memory_injection.capture import CaptureStatus, ExtractionConfig, StoreCaptureStatus
from memory_injection.cli.commands import PROGRAM, app
from memory_injection.config import InjectionConfig
from memory_injection.stores import InMemoryStore, SQLiteStore
from memory_injection.tools import AddTool, SearchTool

HERE = Path(__file__).parent
RECORDS_EXAMPLES = HERE / "records-examples.txt"
EMBEDDERS_EXAMPLE = HERE / "embedders-example.txt"
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


def _plain(text: str) -> str:
    """Return a docstring's text as Markdown."""
    return re.sub(r":\w+:`~?([\w.]+)`", r"`\1`", text).replace("``", "`")


def _section(doc: str, title: str) -> dict[str, str]:
    """Read one section of a docstring (Google style): each name's text."""
    after = doc.partition(f"{title}:\n")[2]
    section = re.split(r"\n\S", after)[0]
    found: dict[str, str] = {}
    for entry in re.split(r"\n(?=    \S)", "\n" + section):
        name, _, text = entry.strip().partition(":")
        if name:
            found[name] = " ".join(text.split())
    return found


def _signature(name: str, method: Any) -> str:
    """Return a call's signature without ``self`` and without the modules of its types."""
    text = re.sub(r"""(: |-> )(['"])(.*?)\2""", r"\1\3", str(inspect.signature(method)))
    text = re.sub(r"\(self(, )?(/, )?", "(", text)
    text = re.sub(r"\b(?:[a-z_]+\.)+(?=[A-Z])", "", text)
    return f"{'async ' if inspect.iscoroutinefunction(method) else ''}{name}{text}"


def _described(doc: str) -> str:
    """Return a docstring as Markdown: its sentences, then a list for each section."""
    head = re.split(r"\n(?:Args|Raises|Attributes|Returns|Yields):\n", "\n" + doc)[0].strip()
    parts = [_plain(head)]
    for title in ("Args", "Raises"):
        listed = [f"- `{n}`: {_plain(text)}" for n, text in _section(doc, title).items()]
        if listed:
            parts.append("\n".join([f"{title}:\n", *listed]))
    return "\n\n".join(parts)


def _class(kind: type) -> str:
    """Describe a class: how it is made, and its public methods in their own order."""
    made = inspect.getdoc(kind.__init__) or ""
    parts = [f"## {kind.__name__}", f"```text\n{_signature(kind.__name__, kind.__init__)}\n```"]
    parts += [_described(inspect.getdoc(kind) or "")]
    if _section(made, "Args"):
        parts.append(_described(made))
    for name, method in inspect.getmembers(kind, inspect.isfunction):
        doc = inspect.getdoc(method)
        if not name.startswith("_") and doc:
            parts.append(f"### {kind.__name__}.{name}")
            parts.append(f"```text\n{_signature(name, method)}\n```")
            parts.append(_described(doc))
    return "\n\n".join(parts) + "\n"


def manager_page() -> str:
    """Return the page of ``MemoryManager``."""
    return f"{NOTE}\n# The manager\n\n{_class(MemoryManager)}"


def stores_page() -> str:
    """Return the page of the built-in stores."""
    from memory_injection.stores import VectorStore  # only this page needs numpy

    kinds = (SQLiteStore, InMemoryStore, VectorStore)
    return "\n".join([f"{NOTE}\n# Stores\n", *map(_class, kinds)])


def embedders_page() -> str:
    """Return the page of what makes vectors and of what reorders."""
    functions = [
        f"## {one.__name__}\n\n```text\n{_signature(one.__name__, one)}\n```\n\n"
        f"{_described(inspect.getdoc(one) or '')}\n"
        for one in (embedders.load_embedder, embedders.find_model)
    ]
    kinds = (
        embedders.CallableEmbedder,
        embedders.SentenceTransformersEmbedder,
        embedders.LightEmbedder,
        embedders.OpenAIEmbedder,
        embedders.CrossEncoderReranker,
    )
    head = (
        "What `VectorStore(embedder=..., reranker=...)` takes, from `memory_injection.embedders`;"
        " how it is used: [recall by meaning](../explanation/semantic-recall.md).\n"
    )
    example = EMBEDDERS_EXAMPLE.read_text(encoding="utf-8")
    parts = [f"{NOTE}\n# Embedders\n", head, example, *functions, *map(_class, kinds)]
    return "\n".join(parts)


def _record(model: type) -> str:
    return f"## {model.__name__}\n\n{_described(inspect.getdoc(model) or '')}\n\n{_table(model)}"


def _typed(model: Any) -> str:
    """Describe a TypedDict."""
    described = _section(inspect.getdoc(model) or "", "Keys")
    rows = (
        f"| `{name}` | `{_type_name(kind)}` | {_cell(described.get(name, ''))} |"
        for name, kind in model.__annotations__.items()
    )
    text = (inspect.getdoc(model) or "").partition("Keys:\n")[0].strip()
    table = "\n".join(["| Key | Type | Meaning |", "| --- | --- | --- |", *rows, ""])
    return f"## {model.__name__}\n\n{_plain(text)}\n\n{table}"


def _said(model: type) -> str:
    """Describe a class that is neither a record nor a mapping."""
    described = _section(inspect.getdoc(model) or "", "Attributes")
    rows = [f"| `{name}` | {_cell(text)} |" for name, text in described.items()]
    text = (inspect.getdoc(model) or "").partition("Attributes:\n")[0].strip()
    table = "\n".join(["| Attribute | Meaning |", "| --- | --- |", *rows, ""])
    return f"## {model.__name__}\n\n{_plain(text)}\n\n{table}"


def _type_name(kind: Any) -> str:
    return str(getattr(kind, "__forward_arg__", kind)).replace("|", "\\|")


def records_page() -> str:
    """Return the page of the values that stores and callbacks take and give."""
    models = (MemoryEntry, Scope, QueryContext, FormatContext, InjectionContext)
    parts = [f"{NOTE}\n# Entries, scopes and what callbacks are given\n"]
    parts += [_record(model) for model in models]
    parts += [
        _typed(SearchOptions),
        _said(SearchResult),
        RECORDS_EXAMPLES.read_text(encoding="utf-8").strip(),
    ]
    return "\n".join(parts) + "\n"


def _attributes(model: type) -> dict[str, str]:
    """Read the ``Attributes:`` sections of a class and its bases (Google style)."""
    found: dict[str, str] = {}
    for base in reversed(model.__mro__):
        section = inspect.cleandoc(base.__doc__ or "").partition("Attributes:\n")[2]
        section = re.split(r"\n\S", section)[0]
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


def ledgers_page() -> str:
    """Return the page of the ledgers."""
    head = """
# Ledgers

Where a manager remembers which block stands in which message
([what that is for](../explanation/ledger.md)). A manager has an `InMemoryLedger` of its own unless
it is given one:

```python
from memory_injection import MemoryManager, SQLiteLedger
from memory_injection.stores import SQLiteStore

ledger = SQLiteLedger("memory.db", max_age=24 * 3600)
memory = MemoryManager(stores=[SQLiteStore("memory.db")], ledger=ledger)
memory.close()
ledger.close()
```

Give several processes that serve the same conversations one `SQLiteLedger` file; it may be the
file of a `SQLiteStore`. A ledger that is given may serve several managers (those of different names
never meet) and is left open by `memory.close()`. `memory.erase(scope)` erases the records of that
scope, too. A class of your own with the methods of `memory_injection.Ledger` serves as well.
"""
    return "\n".join([NOTE + head, _class(SQLiteLedger), _class(InMemoryLedger)])


def _rows(head: tuple[str, ...], rows: Iterable[tuple[Any, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines) + "\n"


def telemetry_page() -> str:
    """Return the page of log lines, spans and counters."""
    event, said = telemetry.EVENT
    names = {**telemetry.ATTRIBUTES, **telemetry.CONTENT}
    told = [
        (f"`memory.{name}`", f"{text}{' (`log_content=True` only)' * (name in telemetry.CONTENT)}")
        for name, text in names.items()
    ]
    counted = [
        (f"`{name}`", unit or "1", meaning, ", ".join(f"`{a}`" for a in attributes))
        for name, (unit, meaning, attributes) in telemetry.COUNTERS.items()
    ]
    parts = [
        f"{NOTE}\n# Telemetry\n",
        "Names, counts and lengths; never memory text, unless the manager is made with "
        "`log_content=True`.\n\nEvery injection is one line of the logger `memory_injection`: at "
        "`WARNING` if it failed or something was survived, else at `DEBUG`. The same values are in "
        "the record's attribute `memory`, a dict.\n\nWith an OpenTelemetry SDK installed and set "
        "up (the extra `otel` brings it), each injection also has a span and is counted. Without "
        "one, no span is made.\n",
        f"## Span `{telemetry.SPAN}`\n",
        _rows(("Attribute", "Meaning"), told),
        f"One event `{event}` for each store asked, with "
        f"{', '.join(f'`{event}.{name}`' for name in said)} as in the report.\n",
        "## Counters\n",
        _rows(("Name", "Unit", "Meaning", "Attributes"), counted),
    ]
    return "\n".join(parts)


def windows_page() -> str:
    """Return the page of known windows and of how tokens are counted."""
    factors = [(f"names with `{family}`", f"x {factor:g}") for family, factor in counters.FACTORS]
    parts = [
        f"{NOTE}\n# Token counters and context windows\n",
        "## How tokens are counted\n",
        "By tiktoken's encoding of the model asked for, where tiktoken knows the model; for no "
        f"model, with `{counters.DEFAULT_ENCODING}`. For a tokenizer that is not public, with "
        f"`{counters.DEFAULT_ENCODING}` times a factor, never more than the text's UTF-8 bytes:\n",
        _rows(("Model", "Factor"), [*factors, ("any other", f"x {counters.UNKNOWN_FACTOR:g}")]),
        "A vocabulary is read from this machine alone, never from the network (the extra `offline` "
        "brings it). Without it UTF-8 bytes are counted: never too few, and said once in the log. "
        "The report names the `counter` used.\n\n"
        "`MemoryManager(counter=...)` counts for every model instead: an object with "
        "`count(text)` and a `name`, or a callable from text to a whole number.\n",
        "Blocks that were written for another model are weighed anew.\n",
        "## Known windows\n",
        _plain((windows.__doc__ or "").strip()) + "\n",
        "Near the window a new block gets only what the request leaves, less `reserve`; earlier "
        "blocks go, oldest first. `InjectionConfig(context_window=...)` comes before the table.\n",
        _rows(
            ("Name begins with", "Tokens"),
            [(f"`{start}`", f"{tokens:,}") for start, tokens in windows.WINDOWS],
        ),
    ]
    return "\n".join(parts)


PAGES: dict[str, Callable[[], str]] = {
    "cli": cli,
    "configuration": configuration,
    "report": report_page,
    "errors": errors_page,
    "capture": capture_page,
    "manager": manager_page,
    "stores": stores_page,
    "ledgers": ledgers_page,
    "telemetry": telemetry_page,
    "windows": windows_page,
    "embedders": embedders_page,
    "records": records_page,
}


if __name__ == "__main__":
    for page, write in PAGES.items():
        (HERE / f"{page}.md").write_text(write(), encoding="utf-8")
