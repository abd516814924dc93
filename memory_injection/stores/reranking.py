"""Asking a reranker: for more entries than are wanted, within a deadline, and checked."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections import Counter
from collections.abc import Generator, Sequence
from typing import Any

from ..arguments import checked_count, checked_seconds
from ..embedders.callables import is_async
from ..errors import ConfigurationError
from ..protocols import Reranker
from ..records import MemoryEntry, SearchResult
from .failures import message_of
from .workers import FutureTimeout, Workers

__all__ = ["Reranking"]

_DEPTH = 20  # entries that a reranker is shown, unless it says how many it reads


class Reranking:
    """Lets *reranker*, if there is one, order what a search found.

    Args:
        reranker: takes question and entries; ``most``, if it has that, is how many it is shown.
        timeout: seconds from the start of a search within which it must answer; None waits.

    Raises:
        ConfigurationError: *reranker* cannot be called, its ``most`` is no whole number from 1, or
            *timeout* is no number above 0.
    """

    def __init__(self, reranker: Reranker | None, timeout: float | None) -> None:
        if reranker is not None and not callable(reranker):
            raise ConfigurationError(f"reranker must be callable, not {reranker!r}")
        self._reranker = reranker
        most = getattr(reranker, "most", None)
        self._most = None if most is None else checked_count("a reranker's most", most)
        self._timeout = None if timeout is None else checked_seconds("rerank_timeout", timeout)
        self._workers = Workers()
        self.is_async = is_async(reranker)

    def depth(self, limit: int) -> int:
        """Return how many entries to find for it where *limit* are wanted."""
        if self._reranker is None:
            return limit
        return max(limit, self._most or _DEPTH)

    def warm_up(self) -> None:
        """Start loading the model on a worker, if it is one that loads; trouble shows later."""
        load = getattr(self._reranker, "load", None)
        if callable(load):
            self._workers.submit(load)

    def ordered(
        self, query: str, found: SearchResult, limit: int, begun: float
    ) -> Generator[Any, Any, SearchResult]:
        """Return the best *limit* of *found*; trouble changes nothing but ``problem``.

        What the reranker is not shown keeps its place behind the rest.

        Args:
            query: the question.
            found: what the store found, best first.
            limit: most entries to return.
            begun: ``time.monotonic()`` at the start of the search.
        """
        if self._reranker is None or not found:
            return SearchResult(found[:limit], problem=found.problem)
        left = None if self._timeout is None else max(begun + self._timeout - time.monotonic(), 0.0)
        problem = found.problem
        entries: Sequence[MemoryEntry] = found
        shown = found[: self._most]
        try:
            answer = yield self._ask(query, list(shown), left)
            entries = [*_checked(answer, shown), *found[len(shown) :]]
        except (FutureTimeout, asyncio.TimeoutError):
            problem = _joined(problem, f"the reranker did not answer within {self._timeout:g} s")
        except Exception as error:
            said = f"{type(error).__name__}: {message_of(error)}"
            problem = _joined(problem, f"the reranker failed: {said}")
        return SearchResult(entries[:limit], problem=problem)

    def _ask(self, query: str, found: list[MemoryEntry], left: float | None) -> Any:
        assert self._reranker is not None
        reranker = self._reranker
        if self.is_async or left is None:
            answer: Any = reranker(query, found)
        else:
            answer = self._workers.within(left, lambda: reranker(query, found))
        if inspect.isawaitable(answer):
            self.is_async = True
            return asyncio.wait_for(answer, left)
        return answer


def _checked(answer: Any, shown: Sequence[MemoryEntry]) -> list[MemoryEntry]:
    """Return the reranker's *answer*: some of what it was *shown*, each once, scores as it likes.

    Raises:
        TypeError: it is not a list of entries.
        ValueError: one of them it was not shown, or it has one twice.
    """
    entries = None if isinstance(answer, str) else list(answer)
    if entries is None or not all(isinstance(entry, MemoryEntry) for entry in entries):
        raise TypeError("it must return the entries it was given, in its order")
    left = Counter(_what(entry) for entry in shown)
    left.subtract(Counter(_what(entry) for entry in entries))
    if any(count < 0 for count in left.values()):
        raise ValueError("it returned an entry that it was not given, or one of them twice")
    return entries


def _what(entry: MemoryEntry) -> tuple[object, ...]:
    return entry.id, entry.content, entry.scope


def _joined(first: str | None, second: str) -> str:
    return second if first is None else f"{first}; {second}"
