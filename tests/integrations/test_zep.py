"""Zep's own clients against a local stand-in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from memory_injection import ConfigurationError, MemoryManager, Scope, StoreError
from memory_injection.integrations.zep import ZepStore
from memory_injection.testing.services import FakeZep

zep = pytest.importorskip("zep_cloud")
httpx = pytest.importorskip("httpx")

ADA, BEN = Scope(user="uuid-ada"), Scope(user="uuid-ben")
OLD, YOUNG = "2020-01-01T00:00:00Z", "2999-01-01T00:00:00Z"


@pytest.fixture
def service() -> Iterator[FakeZep]:
    with FakeZep() as made:
        yield made


@pytest.fixture
def client(service: FakeZep) -> Iterator[Any]:
    with httpx.Client() as http:
        yield zep.Zep(api_key="any", base_url=service.url, httpx_client=http, max_retries=0)


def test_each_user_has_a_graph(service: FakeZep, client: Any) -> None:
    """Facts are written to and read from the user's own graph; nobody has none."""
    store = ZepStore(client)
    ident = store.add("The zebra is out", {"mood": "good", "odd": object()}, scope=ADA)
    (found,) = store.search("zebra", {"scope": ADA})
    assert (found.content, found.id, found.score) == ("The zebra is out", ident, 1.0)
    assert service.requests[0][2]["metadata"] == {"mood": "good"}
    assert store.search("zebra", {"scope": BEN}) == []
    assert store.search("zebra") == []
    with pytest.raises(StoreError, match="no graph"):
        store.add("zebra")


def test_nothing_is_written_where_too_many_would_read_it(client: Any) -> None:
    """A fact loses its owner: no session's goes into a user's graph."""
    with pytest.raises(StoreError, match="beyond one session"):
        ZepStore(client).add("zebra", scope=Scope(user="uuid-ada", session="s1"))
    with pytest.raises(StoreError, match="beyond one user"):
        ZepStore(client, graph="shared").add("zebra", scope=ADA)


def test_a_shared_graph_is_read_by_everybody(client: Any) -> None:
    """A fixed graph serves every scope, and what is written for nobody."""
    store = ZepStore(client, graph="shared")
    store.add("The zebra is out")
    assert [entry.content for entry in store.search("zebra", {"scope": BEN})] == [
        "The zebra is out"
    ]


def test_a_function_can_name_the_graph(service: FakeZep, client: Any) -> None:
    """Then any scope may be written for."""
    store = ZepStore(client, graph=lambda scope: "-".join(scope.ids().values()) or None)
    store.add("zebra", scope=Scope(user="ada", session="s1"))
    assert list(service.edges) == ["ada-s1"]


def test_outdated_facts_are_left_out(service: FakeZep, client: Any) -> None:
    """What stopped being true, or was superseded, is not recalled; what will stop is."""
    fact = {"fact": "The zebra is out"}
    service.edges["g"] = [
        {**fact, "uuid": "1", "invalid_at": OLD},
        {**fact, "uuid": "2", "expired_at": OLD},
        {**fact, "uuid": "3", "valid_at": OLD, "invalid_at": YOUNG, "relevance": 0.4, "name": "IS"},
    ]
    (found,) = ZepStore(client, graph="g").search("zebra")
    assert (found.id, found.score, found.metadata) == ("3", 0.4, {"name": "IS"})
    assert found.created_at is not None
    assert found.created_at.year == 2020


def test_the_best_page_alone_is_fetched(service: FakeZep, client: Any) -> None:
    """The limit is the page's size; the reranker is passed on."""
    ZepStore(client, graph="g", reranker="cross_encoder").search("zebra", {"max_search_results": 3})
    ((_, path, body),) = service.requests
    assert path.endswith("page_size=3")
    assert body["reranker"] == "cross_encoder"


async def test_the_async_client_gives_the_same(service: FakeZep, client: Any) -> None:
    """Search and add through ``AsyncZep``, inside a manager."""
    ask = [{"role": "user", "content": "Where is the zebra?"}]
    async with httpx.AsyncClient() as http:
        other = zep.AsyncZep(api_key="any", base_url=service.url, httpx_client=http)
        async with MemoryManager([ZepStore(other)]) as memory:
            await memory.aadd("The zebra is out", scope=ADA)
            result = await memory.ainject(ask, scope=ADA)
    with MemoryManager([ZepStore(client)]) as memory:
        assert memory.inject(ask, scope=ADA).messages == result.messages != ask


def test_a_service_that_is_down_is_a_store_error(service: FakeZep, client: Any) -> None:
    """What the client raises is the cause."""
    service.down = True
    with pytest.raises(StoreError, match="search failed"):
        ZepStore(client, graph="g").search("zebra")


def test_another_client_is_refused() -> None:
    """The error names what a client of version 4 has."""
    with pytest.raises(ConfigurationError, match="search_edges"):
        ZepStore(object())
