"""Recall, nDCG and latency, with bootstrap intervals over questions.

Recall at k is the share of a question's gold entries among the first k, averaged over questions;
``any@5`` is the share of questions with at least one gold entry among the first five; nDCG has
binary gains (Järvelin & Kekäläinen 2002). Intervals are 95 %, from 1,000 resamplings of the
questions with a fixed seed, so that the same run prints the same figures.

What a model receives is less than what a search finds: a few entries above the floor, within the
budget. The figures of the ``block`` measure that.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

__all__ = [
    "CUTS", "METRICS", "Outcome", "block_figures", "figures", "interval", "intervals", "percentile",
]  # fmt: skip

CUTS = (1, 5, 10, 20)
_RESAMPLES = 1000
_SEED = 20240229


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one question got.

    Attributes:
        gold: ids that answer it.
        found: ids returned, best first, at most twenty.
        seconds: wall time of the search.
        kind: the question's category.
        headline: counted in the main figure.
        top_score: score of the first entry; None without one.
        packed: id and size in tokens of each entry that could be packed into a block, best first;
            reaches further down than ``found``.
        block: ids of the entries in the block that is written for this question; None if no block
            was asked for.
        block_tokens: size of that block, tags included; 0 without one.
    """

    gold: frozenset[str]
    found: tuple[str, ...]
    seconds: float
    kind: str = ""
    headline: bool = True
    top_score: float | None = None
    packed: tuple[tuple[str, int], ...] = ()
    block: tuple[str, ...] | None = None
    block_tokens: int = 0

    def recall(self, k: int) -> float:
        """Return the share of the gold entries among the first *k*."""
        return len(self.gold.intersection(self.found[:k])) / len(self.gold)

    def recall_in_block(self) -> float:
        """Return the share of the gold entries that the block shows."""
        return len(self.gold.intersection(self.block or ())) / len(self.gold)

    def recall_within(self, budget: int) -> float:
        """Return the share of the gold entries that fit *budget* tokens, packed in order."""
        left, shown = budget, set()
        for ident, size in self.packed:
            if size <= left:
                left -= size
                shown.add(ident)
        return len(self.gold & shown) / len(self.gold)

    def ndcg(self, k: int) -> float:
        """Return nDCG at *k* with binary gains."""
        gain = sum(
            1.0 / math.log2(rank + 2)
            for rank, ident in enumerate(self.found[:k])
            if ident in self.gold
        )
        best = sum(1.0 / math.log2(rank + 2) for rank in range(min(k, len(self.gold))))
        return gain / best


METRICS: dict[str, Callable[[Outcome], float]] = {
    **{f"R@{k}": (lambda outcome, k=k: outcome.recall(k)) for k in CUTS},  # type: ignore[misc]
    "any@5": lambda outcome: float(outcome.recall(5) > 0),
    "nDCG@10": lambda outcome: outcome.ndcg(10),
}


def figures(outcomes: Sequence[Outcome]) -> dict[str, float]:
    """Return ``n``, every metric's mean (four digits), and ``p50_ms`` and ``p95_ms``."""
    count = len(outcomes)
    found: dict[str, float] = {"n": count}
    for name, metric in METRICS.items():
        total = sum(metric(outcome) for outcome in outcomes)
        found[name] = round(total / count, 4) if count else 0.0
    times = [outcome.seconds * 1000 for outcome in outcomes]
    found["p50_ms"] = round(percentile(times, 50), 3)
    found["p95_ms"] = round(percentile(times, 95), 3)
    return found


def block_figures(outcomes: Sequence[Outcome]) -> dict[str, float]:
    """Return what the blocks written for the questions hold, averaged over all of *outcomes*.

    Keys: ``recall`` (share of the gold entries), ``empty`` (share of questions that get no block),
    ``entries`` and ``tokens`` (0 where there is no block). Without blocks: nothing.
    """
    measured = [outcome for outcome in outcomes if outcome.block is not None]
    if not measured:
        return {}
    count = len(measured)
    return {
        "recall": round(sum(outcome.recall_in_block() for outcome in measured) / count, 4),
        "empty": round(sum(not outcome.block for outcome in measured) / count, 4),
        "entries": round(sum(len(outcome.block or ()) for outcome in measured) / count, 2),
        "tokens": round(sum(outcome.block_tokens for outcome in measured) / count, 1),
    }


def intervals(outcomes: Sequence[Outcome]) -> dict[str, tuple[float, float]]:
    """Return the 95 % interval of every metric."""
    return {
        name: interval([metric(outcome) for outcome in outcomes])
        for name, metric in METRICS.items()
    }


def interval(values: Sequence[float]) -> tuple[float, float]:
    """Return the 95 % bootstrap interval of the mean of *values* (0, 0 for none)."""
    if not values:
        return (0.0, 0.0)
    draw = random.Random(_SEED).choices
    count = len(values)
    means = sorted(sum(draw(values, k=count)) / count for _ in range(_RESAMPLES))
    return (round(means[int(0.025 * _RESAMPLES)], 4), round(means[int(0.975 * _RESAMPLES) - 1], 4))


def percentile(values: Sequence[float], share: float) -> float:
    """Return the *share* percentile (0..100) by nearest rank; 0 for no values."""
    if not values:
        return 0.0
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share / 100 * len(ordered)) - 1)]
