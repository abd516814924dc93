"""Every built-in lexical store passes the public conformance suite; so do sync and async fakes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memory_injection.records import MemoryEntry, Scope
from memory_injection.stores import InMemoryStore, SQLiteStore
from memory_injection.testing.stores import StoreConformance


class TestSQLiteStore(StoreConformance):
    """The file."""

    @pytest.fixture
    def make_store(self, tmp_path: Path) -> Callable[[], Any]:
        return lambda: SQLiteStore(tmp_path / "memory.db")


class TestInMemoryStore(StoreConformance):
    """The private database."""

    @pytest.fixture
    def make_store(self) -> Callable[[], Any]:
        return InMemoryStore


class AsyncStore:
    """The in-memory store behind async methods, as a remote one would be."""

    def __init__(self) -> None:
        self.name = "remote"
        self.writable = True
        self._inner = InMemoryStore()

    async def search(self, query: str, options: Any = None) -> list[MemoryEntry]:
        return self._inner.search(query, options)

    async def add(self, content: str, metadata: Any = None, *, scope: Scope | None = None) -> str:
        return self._inner.add(content, metadata, scope=scope)

    async def close(self) -> None:
        self._inner.close()


class TestAsyncStore(StoreConformance):
    """Async methods are tested by the same cases."""

    @pytest.fixture
    def make_store(self) -> Callable[[], Any]:
        return AsyncStore


class Shelf:
    """The least there is: a name and a search, filled elsewhere, no scopes."""

    name = "shelf"

    def search(self, query: str, options: Any = None) -> list[str]:
        return ["The spare key hangs behind the blue clock"]


class TestLeastStore(StoreConformance):
    """A store of two members conforms."""

    keeps_scopes = False
    writes = False

    @pytest.fixture
    def make_store(self) -> Callable[[], Any]:
        return Shelf


class TestForgetful:
    """A subclass that forgets ``make_store`` is told so."""

    make_store = StoreConformance.make_store

    @pytest.mark.xfail(raises=NotImplementedError, strict=True)
    def test_it_is_told(self, make_store: Any) -> None:
        """The error names the fixture."""
