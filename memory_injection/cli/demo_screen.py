"""How the demo looks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from ..report import InjectionReport
from .explain import headline

if TYPE_CHECKING:
    from .demo import Call, Prefix

__all__ = ["Screen"]

_COLOURS = {"you": "bold cyan", "model": "bold green", "tool": "yellow", "memory": "magenta"}
_BAR = 24
_LEGEND = """\
memory       injected: a new block; replayed: the earlier block, unchanged
entries      memories in the new block, and tokens: what it costs
prefix kept  how much of the request before this one starts with, byte for byte:
             what a provider's prompt cache can use again
took         time that memory added to the call"""


class Screen:
    """Prints the demo as it goes; prints nothing when *quiet*."""

    def __init__(self, *, quiet: bool) -> None:
        self._console = Console(quiet=quiet, highlight=False)

    def open(self, remembered: int) -> None:
        """Say what is about to be seen."""
        lines = Text("The real openai client, wrapped, against a server on this machine.\n")
        lines.append("Its scripted model knows only what stands in the request.\n")
        if remembered:
            lines.append(f"{remembered} memories of an earlier run are there.", "bold")
        else:
            lines.append("Nothing is remembered yet.", "bold")
        self._console.print(Panel(lines, title="memory-injection demo", border_style="blue"))

    def conversation(self, title: str) -> None:
        """Open a conversation."""
        self._console.print()
        self._console.print(Rule(title, align="left", style="blue"))

    def says(self, who: str, text: str) -> None:
        """Show what the user said or a tool gave back."""
        self._line(who, Text(text))

    def call(self, call: Call, started: datetime) -> None:
        """Show one model call: memory, prefix, reply."""
        self._line("memory", Group(*_memory(call, started)))
        self._line("prefix", _prefix(call.prefix))
        reply = call.reply or ", ".join(f"calls {name}()" for name in call.tools)
        self._line("model", Text(reply))

    def saved(self, facts: Sequence[str]) -> None:
        """Show what the program wrote down."""
        who = Text("by the demo's script, with memory.add; no model extracted them", "dim")
        self._line("saved", Group(*(Text(fact) for fact in facts), who))

    def close(self, path: Path, calls: Sequence[Call], remembered: int) -> None:
        """Sum up."""
        table = Table(title="All model calls", title_justify="left", box=None, pad_edge=False)
        for name in ("call", "chat", "memory", "entries", "tokens", "prefix kept", "took"):
            right = name not in ("chat", "memory")
            table.add_column(name, justify="right" if right else "left", header_style="bold")
        for call in calls:
            table.add_row(*_row(call))
        self._console.print()
        self._console.print(table)
        self._console.print(Text(_LEGEND, "dim"))
        self._console.print()
        self._console.print(_comparison(calls))
        again = "It remembered" if remembered else "Run it again: it will remember"
        self._console.print(
            Text(f"{again}; --fresh starts over. The memory is in\n{path.absolute()}", "bold"),
            soft_wrap=True,
        )

    def _line(self, label: str, content: RenderableType) -> None:
        grid = Table.grid(padding=(0, 1))
        grid.add_column(width=7, justify="right")
        grid.add_column()
        grid.add_row(Text(label, style=_COLOURS.get(label, "dim")), content)
        self._console.print(grid)


def _memory(call: Call, started: datetime) -> Iterator[Text]:
    report, block = call.result.report, call.result.block
    if report.status == "injected" and block is not None:
        yield Text(f"injected {len(report.entries)} in {report.tokens} tokens, ", "magenta").append(
            f"found in {report.stores[0].seconds * 1000:.1f} ms for", "dim"
        )
        yield Text(f"“{report.query}”", "dim")
        for entry, line in zip(block.entries, report.entries, strict=False):
            earlier = entry.created_at is not None and entry.created_at < started
            since = "an earlier run" if earlier else "this run"
            yield Text(f"  {entry.content}")
            yield Text(f"    score {line.score or 0:.2f}, from {since}", "dim")
    elif report.status == "replayed":
        blocks = "1 block" if report.replayed_blocks == 1 else f"{report.replayed_blocks} blocks"
        why = "the same turn goes on" if report.reason == "trigger" else "nothing new found"
        yield Text(f"{why}: {blocks} of before, byte for byte", "magenta")
    elif report.reason == "nothing_found":
        yield Text("nothing to add yet: the request is exactly yours", "magenta")
    else:
        yield Text(f"{headline(report)}; the request is exactly yours", "magenta")


def _prefix(prefix: Prefix | None) -> Text:
    if prefix is None:
        return Text("the first request of this conversation", "dim")
    filled = round(_BAR * prefix.kept / max(prefix.of, 1))
    return Text.assemble(
        ("━" * filled, "green"),
        ("━" * (_BAR - filled), "red"),
        f" {prefix.percent:.0f} % of the previous request kept",
        f"\n{prefix.kept} of {prefix.of} bytes",
    )


def _comparison(calls: Sequence[Call]) -> Text:
    ours, rival = (
        sum(prefix.kept for prefix in prefixes if prefix) * 100
        / max(sum(prefix.of for prefix in prefixes if prefix), 1)
        for prefixes in ([c.prefix for c in calls], [c.in_system for c in calls])
    )  # fmt: skip
    return Text.assemble(
        "Of each previous request the next one kept ",
        (f"{ours:.0f} %", "bold green"),
        ".\nWith the memory in the system prompt, which then changes with every\n"
        "question, it would have been ",
        (f"{rival:.0f} %", "bold red"),
        ".",
    )


def _outcome(report: InjectionReport) -> str:
    if report.status != "skipped" or report.reason is None:
        return report.status
    return report.reason.replace("_", " ")


def _row(call: Call) -> tuple[str, ...]:
    report = call.result.report
    kept = "-" if call.prefix is None else f"{call.prefix.percent:.1f} %"
    added = f"{report.seconds * 1000:.1f} ms"
    return (
        str(call.number), call.conversation, _outcome(report), str(len(report.entries)),
        str(report.tokens), kept, added,
    )  # fmt: skip
