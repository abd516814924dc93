"""Stores for tests: they answer what they are told to, and remember what they were asked."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..records import MemoryEntry, Scope, SearchOptions

__all__ = ["AsyncFakeStore", "FakeStore"]

Answer = Sequence[Any] | Callable[[str, SearchOptions], Any]


class FakeStore:
    """A sync store with a scripted answer.

    Args:
        answer: the entries of every search, or a callable over query and options that returns
            (or raises) what the store should.
        name: the store's name.
        writable: whether ``add`` may be called.

    Attributes:
        queries: every query asked, in order.
        options: the options that came with each.
        added: ``(content, metadata, scope)`` of every write.
        closed: whether ``close`` was called.
    """

    def __init__(self, answer: Answer = (), *, name: str = "fake", writable: bool = False) -> None:
        self.name = name
        self.writable = writable
        self.queries: list[str] = []
        self.options: list[SearchOptions] = []
        self.added: list[tuple[str, Mapping[str, Any] | None, Scope | None]] = []
        self.closed = False
        self._answer = answer
        self._lock = threading.Lock()

    def search(self, query: str, options: SearchOptions | None = None) -> Any:
        """Return the scripted answer."""
        with self._lock:
            self.queries.append(query)
            self.options.append(options or {})
        return self._answer(query, options or {}) if callable(self._answer) else list(self._answer)

    def add(
        self, content: str, metadata: Mapping[str, Any] | None = None, *, scope: Scope | None = None
    ) -> str:
        """Note the write and return its number."""
        with self._lock:
            self.added.append((content, metadata, scope))
            return str(len(self.added))

    def close(self) -> None:
        """Note that the store was closed."""
        self.closed = True


class AsyncFakeStore(FakeStore):
    """The same store with async methods; a scripted callable may be async."""

    async def search(self, query: str, options: SearchOptions | None = None) -> Any:
        """Return the scripted answer."""
        found = super().search(query, options)
        return await found if hasattr(found, "__await__") else found

    async def add(  # type: ignore[override]
        self, content: str, metadata: Mapping[str, Any] | None = None, *, scope: Scope | None = None
    ) -> str:
        """Note the write and return its number."""
        return super().add(content, metadata, scope=scope)

    async def close(self) -> None:  # type: ignore[override]
        """Note that the store was closed."""
        super().close()


def entries(*texts: str, **fields: Any) -> list[MemoryEntry]:
    """Return one entry per text, all with the same further *fields*."""
    return [MemoryEntry(text, **fields) for text in texts]
