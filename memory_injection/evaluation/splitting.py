"""The same set in one store and dealt over three: what does merging lose?

Whole sessions are dealt in turn, so that each store holds a third of every memory. One of the
three gives its scores on another scale; further runs make one slow, failing or silent for ever.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..config import InjectionConfig
from ..manager import MemoryManager
from ..records import SearchOptions
from .datasets import Corpus, Item, Question
from .metrics import Outcome, figures
from .running import Progress, ask, chosen, fill, measure, scope_of, summary

__all__ = ["NAMES", "Failing", "Hanging", "Rescaled", "Slow", "deal", "split_runs"]

NAMES = ("first", "second", "third")
_HANGING_QUESTIONS = 12  # each waits for the deadline until the circuit opens
_SLOW = 0.05  # seconds
_DEADLINE = 0.5  # seconds of the run with a hanging store


class _Wrapped:
    """A store that behaves like *inner* but for one thing."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner
        self.name: str = inner.name
        self.writable = False
        self.score_scale: str | None = getattr(inner, "score_scale", None)

    def search(self, query: str, options: SearchOptions | None = None) -> Sequence[Any]:
        """Return what the inner store finds."""
        found: Sequence[Any] = self.inner.search(query, options)
        return found


class Rescaled(_Wrapped):
    """Scores on a scale nobody knows: 100 times the square root, plus 500."""

    def __init__(self, inner: Any) -> None:
        super().__init__(inner)
        self.score_scale = None

    def search(self, query: str, options: SearchOptions | None = None) -> Sequence[Any]:
        """Return the inner store's entries with other scores, in the same order."""
        return [
            replace(entry, score=500.0 + 100.0 * math.sqrt(max(entry.score or 0.0, 0.0)))
            for entry in super().search(query, options)
        ]


class Slow(_Wrapped):
    """Answers after a while."""

    def search(self, query: str, options: SearchOptions | None = None) -> Sequence[Any]:
        """Wait, then search."""
        time.sleep(_SLOW)
        return super().search(query, options)


class Failing(_Wrapped):
    """Raises at every search."""

    def search(self, query: str, options: SearchOptions | None = None) -> Sequence[Any]:
        """Fail."""
        raise RuntimeError("this store fails on purpose")


class Hanging(_Wrapped):
    """Never answers until it is let go."""

    def __init__(self, inner: Any) -> None:
        super().__init__(inner)
        self.let_go = threading.Event()

    def search(self, query: str, options: SearchOptions | None = None) -> Sequence[Any]:
        """Wait for ever."""
        self.let_go.wait()
        return []


def deal(items: Sequence[Item]) -> list[list[Item]]:
    """Deal whole sessions (single items where there are none) over three hands."""
    keys = [item.metadata.get("session", item.id) for item in items]
    order = {key: number for number, key in enumerate(dict.fromkeys(keys))}
    hands: list[list[Item]] = [[] for _ in NAMES]
    for key, item in zip(keys, items, strict=True):
        hands[order[key] % len(hands)].append(item)
    return hands


def split_runs(
    corpora: Sequence[Corpus],
    make: Callable[[str], Any],
    *,
    limit: int | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Measure one store, then three with every trouble; return the figures by JSON key.

    Args:
        corpora: the set.
        make: makes an empty store of the given name.
        limit: most questions, of those in the main figure.
        progress: told how far the work is.
    """
    with _manager([make("one")]) as manager:
        one = measure(corpora, manager, limit=limit, blocks=False, progress=progress)
    stores = [make(name) for name in NAMES]
    for corpus in corpora:
        for store, hand in zip(stores, deal(corpus.items), strict=True):
            fill(store, hand, scope_of(corpus))
    first, second, third = stores
    odd = Rescaled(third)
    asked = _headline(corpora, limit)
    few = _headline(corpora, min(_HANGING_QUESTIONS, limit or _HANGING_QUESTIONS))
    try:
        runs = {
            "one_store": one.headline(),
            "three_stores": _asked(asked, [first, second, odd], progress),
            "one_slow": _asked(asked, [first, Slow(second), odd], progress),
            "one_failing": _asked(asked, [first, Failing(second), odd], progress),
            "two_alone": _asked(asked, [first, odd], progress),
            "one_hanging": _hang(few, [first, odd], second),
            "two_alone_same_few": _asked(few, [first, odd], progress),
        }
    finally:
        for store in stores:
            store.close()
    return _report(runs) | {"memory": summary(one)}


def _headline(corpora: Sequence[Corpus], limit: int | None) -> list[tuple[Corpus, Question]]:
    return [each for each in chosen(corpora, limit) if each[1].headline]


def _report(runs: Mapping[str, list[Outcome]]) -> dict[str, Any]:
    by_run = {name: figures(outcomes) for name, outcomes in runs.items()}
    slowest = max((outcome.seconds for outcome in runs["one_hanging"]), default=0.0)
    reached = {name: each["R@10"] for name, each in by_run.items()}
    return {
        **by_run["three_stores"],
        "R@10_lost": round(reached["one_store"] - reached["three_stores"], 4),
        "runs": by_run,
        "failing_harms_others": reached["one_failing"] < reached["two_alone"],
        "hanging_harms_others": reached["one_hanging"] < reached["two_alone_same_few"],
        "deadline_ms": _DEADLINE * 1000,
        "hanging_slowest_ms": round(slowest * 1000, 1),
    }


def _manager(stores: list[Any], timeout: float = 10.0) -> MemoryManager:
    return MemoryManager(stores=stores, injection=InjectionConfig(timeout=timeout))


def _asked(
    questions: Sequence[tuple[Corpus, Question]], stores: list[Any], progress: Progress | None
) -> list[Outcome]:
    manager = _manager(stores)
    outcomes: list[Outcome] = []
    for number, (corpus, question) in enumerate(questions, 1):
        outcomes.append(ask(manager, question, scope_of(corpus)))
        if progress is not None:
            progress(f"asking {len(stores)} stores", number, len(questions))
    return outcomes


def _hang(
    questions: Sequence[tuple[Corpus, Question]], healthy: list[Any], inner: Any
) -> list[Outcome]:
    hanging = Hanging(inner)
    manager = _manager([*healthy, hanging], _DEADLINE)
    try:
        return [ask(manager, question, scope_of(corpus)) for corpus, question in questions]
    finally:
        hanging.let_go.set()
