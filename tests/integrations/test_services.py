"""What every store over a memory service does, with a service that is a list."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from memory_injection import ConfigurationError, MemoryEntry, MemoryManager, Scope, StoreError
from memory_injection.entries import read_entry
from memory_injection.integrations.services import ServiceStore, called, scope_of_ids
from memory_injection.records import UNREADABLE
from memory_injection.testing.stores import StoreConformance

ADA, BEN = Scope(user="ada"), Scope(user="ben")


class Shelf(ServiceStore):
    """A service in a list, sync or async, that finds by shared words and knows no scopes."""

    def __init__(self, is_async: bool = False, fails: Exception | None = None) -> None:
        super().__init__("shelf", is_async=is_async)
        self.rows: list[MemoryEntry] = []
        self.asked: list[int] = []
        self._is_async, self._fails = is_async, fails

    def _find(self, query: str, limit: int, scope: Scope) -> Any:
        self.asked.append(limit)
        words = set(query.lower().strip("?").split())
        scored = [(len(words & set(row.content.lower().split())), row) for row in self.rows]
        found = [row for score, row in sorted(scored, key=lambda pair: -pair[0]) if score]
        return self._given(lambda: found)

    def _write(self, content: str, metadata: Mapping[str, Any], scope: Scope) -> Any:
        def put() -> str:
            self.rows.append(MemoryEntry(content, metadata=dict(metadata), scope=scope))
            return str(len(self.rows))

        return self._given(put)

    def _given(self, work: Callable[[], Any]) -> Any:
        return self._later(work) if self._is_async else self._now(work)

    def _now(self, work: Callable[[], Any]) -> Any:
        if self._fails is not None:
            raise self._fails
        return work()

    async def _later(self, work: Callable[[], Any]) -> Any:
        await asyncio.sleep(0)
        return self._now(work)


class TestShelf(StoreConformance):
    """A sync client."""

    @pytest.fixture
    def make_store(self) -> Callable[[], Any]:
        return Shelf


class TestAsyncShelf(StoreConformance):
    """An async client."""

    @pytest.fixture
    def make_store(self) -> Callable[[], Any]:
        return lambda: Shelf(is_async=True)


async def settled(value: Any) -> Any:
    return await value if inspect.isawaitable(value) else value


@pytest.mark.parametrize("is_async", [False, True])
async def test_what_a_client_raises_is_a_store_error(is_async: bool) -> None:
    """The error names the store, the operation and the cause, and carries the cause."""
    cause = ConnectionError("no route")
    shelf = Shelf(is_async, fails=cause)
    for work in (lambda: shelf.search("x"), lambda: shelf.add("x")):
        with pytest.raises(StoreError, match="failed: ConnectionError: no route") as caught:
            await settled(work())
        assert caught.value.store == "shelf"
        assert caught.value.__cause__ is cause


@pytest.mark.parametrize("is_async", [False, True])
async def test_the_manager_fails_open_on_it(is_async: bool) -> None:
    """The call goes out as it came, and the report says which store failed."""
    ask = [{"role": "user", "content": "Where is the key?"}]
    async with MemoryManager([Shelf(is_async, fails=TimeoutError("slow"))]) as memory:
        result = await memory.ainject(ask)
    assert result.messages == ask
    assert [(r.name, r.status) for r in result.report.stores] == [("shelf", "error")]


def test_methods_are_coroutine_functions_where_the_client_is_async() -> None:
    """The manager tells by this where to run them; their parameters stay visible."""
    for is_async in (False, True):
        shelf = Shelf(is_async)
        assert inspect.iscoroutinefunction(shelf.search) is is_async
        assert inspect.iscoroutinefunction(shelf.add) is is_async
        assert "scope" in inspect.signature(shelf.add).parameters


def test_more_is_asked_for_where_the_scope_may_hide_some() -> None:
    """With a scope, four times the limit; without, the limit itself."""
    shelf = Shelf()
    shelf.search("key", {"max_search_results": 3, "scope": ADA})
    shelf.search("key", {"max_search_results": 3})
    assert shelf.asked == [12, 3]


@pytest.mark.parametrize("ident", ["  ", "\ud800"])
def test_an_owner_that_can_be_nobody_is_not_everybody(ident: str) -> None:
    """One row of a service with such an id stays out, and the others come."""
    assert scope_of_ids({"user_id": ident}) is UNREADABLE
    entry = read_entry({"content": "tea", "user_id": ident})
    assert entry is not None
    assert entry.scope is UNREADABLE
    assert scope_of_ids({"user_id": "ada"}) == ADA
    assert scope_of_ids({"user_id": None}) is None


def test_a_blank_query_is_not_sent() -> None:
    """Services refuse it; nothing is found."""
    shelf = Shelf(fails=ValueError("blank"))
    assert shelf.search(" \n") == []


def test_a_blank_name_is_refused() -> None:
    """A store is named when it is made."""

    class Nameless(Shelf):
        def __init__(self) -> None:
            ServiceStore.__init__(self, " ", is_async=False)

    with pytest.raises(ConfigurationError, match="name"):
        Nameless()


def test_a_client_without_the_method_is_refused() -> None:
    """The error names the method that is missing."""
    with pytest.raises(ConfigurationError, match=r"no graph\.search_edges\(\)"):
        called(object(), "graph", "search_edges")
