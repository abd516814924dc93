"""Recall against token budget, as bars in the terminal or as a PNG or SVG file."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from ..errors import InputError, MissingDependencyError
from .metrics import Outcome
from .running import BUDGETS

__all__ = ["BUDGETS", "bars", "by_budget", "draw", "format_of"]

_WIDTH = 40
_EIGHTHS = " ▏▎▍▌▋▊▉"


def by_budget(outcomes: Sequence[Outcome]) -> dict[int, float]:
    """Return mean recall when entries are packed in order into each budget of tokens."""
    count = len(outcomes)
    return {
        budget: round(sum(outcome.recall_within(budget) for outcome in outcomes) / count, 4)
        if count
        else 0.0
        for budget in BUDGETS
    }


def bars(found: Mapping[int, float]) -> str:
    """Return one bar per budget, full width for a recall of 1."""
    lines = []
    for budget, recall in found.items():
        eighths = round(recall * _WIDTH * 8)
        bar = "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()
        lines.append(f"{budget:>6} tokens  {bar:<{_WIDTH}}  {recall:.3f}")
    return "\n".join(lines)


def format_of(path: Path) -> str:
    """Return the format of a plot at *path*, before the work that it shows is done.

    Raises:
        InputError: a suffix other than .png or .svg.
        MissingDependencyError: matplotlib is not installed.
    """
    suffix = path.suffix.lower()
    if suffix not in {".png", ".svg"}:
        raise InputError(f"{path}: a plot is written as .png or .svg")
    _figure()
    return suffix[1:]


def draw(found: Mapping[int, float], target: IO[bytes], kind: str, title: str) -> None:
    """Write the curve to *target* in the format that :func:`format_of` gives.

    Raises:
        MissingDependencyError: matplotlib is not installed.
    """
    figure = _figure()(figsize=(6, 4), layout="constrained")
    axes = figure.subplots()
    axes.plot(list(found), list(found.values()), marker="o")
    axes.set(xlabel="token budget", ylabel="recall", title=title, ylim=(0, 1))
    axes.grid(alpha=0.3)
    figure.savefig(target, format=kind)


def _figure() -> Any:
    try:
        return importlib.import_module("matplotlib.figure").Figure
    except ImportError:
        raise MissingDependencyError("matplotlib", "plot", "a plot as a file") from None
