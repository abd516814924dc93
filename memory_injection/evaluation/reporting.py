"""A run's figures: under their JSON keys for a program, as table rows for a person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .metrics import Outcome, block_figures, figures, interval, intervals
from .plotting import by_budget
from .running import Run, summary

__all__ = ["columns", "left_out", "notes", "report", "rows"]

_COLUMNS = ("n", "R@1", "R@5", "R@10", "R@20")
_BLOCK = "block"


def report(run: Run) -> dict[str, Any]:
    """Return the figures of *run*.

    The keys ``n``, ``R@1`` ... ``p95_ms`` are the headline's, and so is ``block`` where blocks were
    asked for; further keys hold its intervals, every kind of question, everything together, recall
    by token budget, and the fill.
    """
    headline = run.headline()
    kinds = run.by_kind()
    apart = {kind: o for kind, o in kinds.items() if not o[0].headline}
    return {
        **_figures(headline),
        "ci95": intervals(headline) | _block_interval(headline),
        "by_kind": {kind: _figures(o) for kind, o in kinds.items() if kind not in apart},
        "apart": {kind: _figures(o) for kind, o in apart.items()},
        "everything": _figures(run.outcomes),
        "recall_by_token_budget": {str(b): r for b, r in by_budget(headline).items()},
        "memory": summary(run),
    }


def _figures(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    block = block_figures(outcomes)
    return {**figures(outcomes), _BLOCK: block} if block else {**figures(outcomes)}


def _block_interval(outcomes: Sequence[Outcome]) -> dict[str, tuple[float, float]]:
    values = [outcome.recall_in_block() for outcome in outcomes if outcome.block is not None]
    return {_BLOCK: interval(values)} if values else {}


def columns(found: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what the table shows; the rest stands below it, so that 80 columns suffice."""
    return (*_COLUMNS, _BLOCK) if _BLOCK in found else (*_COLUMNS, "any@5")


def rows(found: Mapping[str, Any]) -> list[list[str]]:
    """Return the table's rows: headline, its interval, kinds, kinds kept apart."""
    table = [["all", *_cells(found)]]
    ci: Mapping[str, Any] = found.get("ci95", {})
    if ci:
        halves = {name: (high - low) / 2 for name, (low, high) in ci.items()}
        spans = [f"±{halves[name]:.3f}" if name in halves else "" for name in columns(found)]
        table.append(["  95 % interval", *spans])
    if len(found["by_kind"]) > 1:
        table += [[f"  {kind}", *_cells(each)] for kind, each in found["by_kind"].items()]
    if found["apart"]:
        table += [[f"apart: {kind}", *_cells(each)] for kind, each in found["apart"].items()]
        table.append(["everything", *_cells(found["everything"])])
    return table


def notes(found: Mapping[str, Any]) -> str:
    """Return what stands below the table: blocks, nDCG, latency, and what was remembered."""
    memory = found["memory"]
    lines = [
        f"any@5 {found['any@5']:.3f}, nDCG@10 {found['nDCG@10']:.3f}; "
        f"a search takes {found['p50_ms']:.1f} ms (p50), {found['p95_ms']:.1f} ms (p95)",
        f"{memory['entries']} entries remembered at {memory['entries_per_second']:.0f}/s"
        f"{left_out(memory)}",
    ]
    if block := found.get(_BLOCK):
        lines.insert(
            0,
            f"block: what a model gets of the evidence, in {block['entries']:.1f} entries and "
            f"{block['tokens']:.0f} tokens; {block['empty']:.1%} are empty",
        )
    return "\n".join(lines)


def left_out(memory: Mapping[str, Any]) -> str:
    """Return how many blank ones were left out, as the end of a sentence; "" for none."""
    return f"; {memory['blank']} left out, having no text" if memory["blank"] else ""


def _cells(found: Mapping[str, Any]) -> list[str]:
    block = found.get(_BLOCK)
    last = block["recall"] if block else found["any@5"]
    return [str(int(found["n"])), *(f"{found[n]:.3f}" for n in _COLUMNS[1:]), f"{last:.3f}"]
