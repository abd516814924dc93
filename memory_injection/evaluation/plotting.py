"""Recall against token budget, as bars in the terminal or as a PNG or SVG file."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..errors import InputError, MissingDependencyError
from .metrics import Outcome
from .running import BUDGETS

__all__ = ["BUDGETS", "bars", "by_budget", "check_place", "draw"]

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


def check_place(path: Path) -> None:
    """See that a plot can be written to *path*, before the work that it shows is done.

    Raises:
        InputError: a suffix other than .png or .svg, no such folder, or a folder itself.
        MissingDependencyError: matplotlib is not installed.
    """
    if path.suffix.lower() not in {".png", ".svg"}:
        raise InputError(f"{path}: a plot is written as .png or .svg")
    if not path.parent.is_dir():
        raise InputError(f"{path}: no folder {str(path.parent)!r} to write a plot to")
    if path.is_dir():
        raise InputError(f"{path}: a folder, not a file to write a plot to")
    _figure()


def draw(found: Mapping[int, float], path: Path, title: str) -> None:
    """Write the curve to *path*, whose suffix says the format.

    Raises:
        InputError: as :func:`check_place`, or the place cannot be written.
        MissingDependencyError: matplotlib is not installed.
    """
    check_place(path)
    figure = _figure()(figsize=(6, 4), layout="constrained")
    axes = figure.subplots()
    axes.plot(list(found), list(found.values()), marker="o")
    axes.set(xlabel="token budget", ylabel="recall", title=title, ylim=(0, 1))
    axes.grid(alpha=0.3)
    try:
        figure.savefig(path)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from None


def _figure() -> Any:
    try:
        return importlib.import_module("matplotlib.figure").Figure
    except ImportError:
        raise MissingDependencyError("matplotlib", "plot", "a plot as a file") from None
