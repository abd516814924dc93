"""A run's figures: under their JSON keys for a program, as table rows for a person."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .metrics import METRICS, figures, intervals
from .plotting import by_budget
from .running import Run, summary

__all__ = ["COLUMNS", "report", "rows"]

COLUMNS = ("n", *METRICS, "p50_ms", "p95_ms")


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
        spans = [f"{ci[name][0]:.3f}-{ci[name][1]:.3f}" if name in ci else "" for name in COLUMNS]
        table.append(["  95 % interval", *spans])
    if len(found["by_kind"]) > 1:
        table += [[f"  {kind}", *_cells(each)] for kind, each in found["by_kind"].items()]
    if found["apart"]:
        table += [[f"apart: {kind}", *_cells(each)] for kind, each in found["apart"].items()]
        table.append(["everything", *_cells(found["everything"])])
    return table


def _cells(figures_: Mapping[str, Any]) -> list[str]:
    return [_cell(name, figures_[name]) for name in COLUMNS]


def _cell(name: str, value: float) -> str:
    if name == "n":
        return str(int(value))
    return f"{value:.1f}" if name.endswith("_ms") else f"{value:.3f}"
