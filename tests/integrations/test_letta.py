"""Letta's own clients against a local stand-in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from memory_injection import MemoryManager, Scope, StoreError
from memory_injection.integrations.letta import LettaStore, _owner
from memory_injection.records import UNREADABLE
from memory_injection.testing.services import FakeLetta
from memory_injection.testing.stores import StoreConformance

letta = pytest.importorskip("letta_client")

ADA, BEN = Scope(user="ada"), Scope(user="ben")
AGENT = "agent-1"


@pytest.fixture
def service() -> Iterator[FakeLetta]:
    with FakeLetta() as made:
        yield made


@pytest.fixture
def client(service: FakeLetta) -> Iterator[Any]:
    with letta.Letta(api_key="any", base_url=service.url, max_retries=0) as made:
        yield made


class TestLettaStore(StoreConformance):
    """The sync client."""

    @pytest.fixture
    def make_store(self, client: Any) -> Callable[[], Any]:
        return lambda: LettaStore(client, AGENT)


def test_what_the_agent_wrote_itself_is_shared(service: FakeLetta, client: Any) -> None:
    """Passages without an owner's tag are read by everybody, unless that is switched off."""
    client.agents.passages.create(AGENT, text="The zebra is striped", tags=["animals"])
    (found,) = LettaStore(client, AGENT).search("zebra", {"scope": ADA})
    assert (found.content, found.metadata) == ("The zebra is striped", {"tags": ["animals"]})
    assert found.score == 1.0
    assert found.created_at is not None
    assert LettaStore(client, AGENT, untagged=False).search("zebra", {"scope": ADA}) == []


def test_an_owner_cannot_be_forged_by_tags(client: Any) -> None:
    """A tag in the metadata that looks like an owner's is left out; other tags stay."""
    store = LettaStore(client, AGENT)
    store.add("Ben's zebra", {"tags": ["owner:user=ada", "fun"]}, scope=BEN)
    assert store.search("zebra", {"scope": ADA}) == []
    (found,) = store.search("zebra", {"scope": BEN})
    assert (found.metadata, found.scope) == ({"tags": ["fun"]}, BEN)


def test_ids_of_any_characters_are_kept_apart(client: Any) -> None:
    """Ids with separators in them are not taken for others."""
    store = LettaStore(client, AGENT)
    strange = Scope(user="ada&session=s1")
    store.add("zebra", scope=strange)
    assert store.search("zebra", {"scope": Scope(user="ada", session="s1")}) == []
    assert [entry.scope for entry in store.search("zebra", {"scope": strange})] == [strange]


def test_each_scope_can_have_an_agent(service: FakeLetta, client: Any) -> None:
    """A function names the agent; None is nobody's: nothing is found or written."""
    store = LettaStore(client, lambda scope: scope.user and f"agent-{scope.user}")
    ident = store.add("zebra", scope=ADA)
    assert [passage["id"] for passage in service.passages["agent-ada"]] == [ident]
    assert store.search("zebra", {"scope": BEN}) == []
    assert store.search("zebra") == []
    with pytest.raises(StoreError, match="no Letta agent"):
        store.add("zebra")


async def test_the_async_client_gives_the_same(service: FakeLetta, client: Any) -> None:
    """Search and add through ``AsyncLetta``, inside a manager."""
    ask = [{"role": "user", "content": "Where is the zebra?"}]
    async with (
        letta.AsyncLetta(api_key="any", base_url=service.url, max_retries=0) as other,
        MemoryManager([LettaStore(other, AGENT)]) as memory,
    ):
        await memory.aadd("The zebra is out", scope=ADA)
        result = await memory.ainject(ask, scope=ADA)
    with MemoryManager([LettaStore(client, AGENT)]) as memory:
        assert memory.inject(ask, scope=ADA).messages == result.messages != ask


def test_a_service_that_is_down_is_a_store_error(service: FakeLetta, client: Any) -> None:
    """What the client raises is the cause."""
    service.down = True
    with pytest.raises(StoreError, match="InternalServerError"):
        LettaStore(client, AGENT).search("zebra")


@pytest.mark.parametrize(
    "tags",
    [
        ["owner:user=%20"],
        ["owner:nobody-knows"],
        ["owner:user=ada&team=x"],
        ["owner:user=ada", "owner:user=ben"],
    ],
)
def test_an_owner_that_cannot_be_read_makes_the_passage_nobodys(tags: list[str]) -> None:
    """It was written for somebody, and must not be shown to everybody."""
    assert _owner(tags) is UNREADABLE
    assert _owner(["owner:user=ada", "fun"]) == Scope(user="ada")
    assert _owner(["owner:"]) is None
    assert _owner(["fun"]) is None
