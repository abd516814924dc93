"""A run's figures: under their JSON keys for a program, as table rows for a person."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .metrics import figures, intervals
from .plotting import by_budget
from .running import Run, summary

__all__ = ["COLUMNS", "notes", "report", "rows"]

COLUMNS = ("n", "R@1", "R@5", "R@10", "R@20", "any@5")
"""What the table shows; nDCG and latency stand below it, so that 80 columns suffice."""


def report(run: Run) -> dict[str, Any]:
    """Return the figures of *run*.

    The keys ``n``, ``R@1`` ... ``p95_ms`` are the headline's; further keys hold its intervals,
    every kind of question, everything together, recall by token budget, and the fill.
    """
    headline = run.headline()
    kinds = run.by_kind()
    apart = {kind: o for kind, o in kinds.items() if not o[0].headline}
    return {
        **figures(headline),
        "ci95": intervals(headline),
        "by_kind": {kind: figures(o) for kind, o in kinds.items() if kind not in apart},
        "apart": {kind: figures(o) for kind, o in apart.items()},
        "everything": figures(run.outcomes),
        "recall_by_token_budget": {str(b): r for b, r in by_budget(headline).items()},
        "memory": summary(run),
    }


def rows(found: Mapping[str, Any]) -> list[list[str]]:
    """Return the table's rows: headline, its interval, kinds, kinds kept apart."""
    table = [["all", *_cells(found)]]
    ci: Mapping[str, Any] = found.get("ci95", {})
    if ci:
        halves = {name: (high - low) / 2 for name, (low, high) in ci.items()}
        spans = [f"±{halves[name]:.3f}" if name in halves else "" for name in COLUMNS]
        table.append(["  95 % interval", *spans])
    if len(found["by_kind"]) > 1:
        table += [[f"  {kind}", *_cells(each)] for kind, each in found["by_kind"].items()]
    if found["apart"]:
        table += [[f"apart: {kind}", *_cells(each)] for kind, each in found["apart"].items()]
        table.append(["everything", *_cells(found["everything"])])
    return table


def notes(found: Mapping[str, Any]) -> str:
    """Return what stands below the table: nDCG, latency, and how fast entries were remembered."""
    memory = found["memory"]
    return (
        f"nDCG@10 {found['nDCG@10']:.3f}; a search takes {found['p50_ms']:.1f} ms (p50), "
        f"{found['p95_ms']:.1f} ms (p95)\n{memory['entries']} entries remembered at "
        f"{memory['entries_per_second']:.0f}/s"
    )


def _cells(found: Mapping[str, Any]) -> list[str]:
    return [str(int(found["n"])), *(f"{found[name]:.3f}" for name in COLUMNS[1:])]
