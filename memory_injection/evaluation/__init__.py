"""Measuring recall on public data sets: data, metrics, runs, plots; the work behind ``eval``.

- ``datasets``: LoCoMo, BEAM and SQuAD-shaped files as corpora (entries, questions, gold)
- ``metrics``: recall, nDCG, bootstrap intervals, latency
- ``running``: fill a store, ask every question, score the answers
- ``silence``: does the score tell whether anything is worth showing?
- ``splitting``: the same set in three stores, one slow, one failing, one on another scale
- ``plotting``: recall against token budget, in the terminal or as PNG/SVG

No data set is part of the package: every loader reads a path that the user gives.
"""

from __future__ import annotations

from .datasets import Corpus, Question, load_beam, load_locomo, load_squad
from .metrics import Outcome, figures
from .running import Run, measure

__all__ = [
    "Corpus",
    "Outcome",
    "Question",
    "Run",
    "figures",
    "load_beam",
    "load_locomo",
    "load_squad",
    "measure",
]
