"""LangGraph stores as one of ours: a small store of its shape, and real ones if installed."""

from __future__ import annotations

import asyncio
from datetime import datetime, timezone
from types import SimpleNamespace
from typing import Any

import pytest

from memory_injection import (
    ConfigurationError,
    InputError,
    MemoryManager,
    Scope,
    StoreError,
    StoreErrors,
)
from memory_injection.integrations.langgraph import LangGraphStore

ADA, DENIZ = Scope(user="ada"), Scope(user="deniz")
WHEN = datetime(2030, 1, 2, tzinfo=timezone.utc)


class Shelf:
    """What a ``BaseStore`` does: items below a prefix, in no order of relevance."""

    def __init__(self, index: Any = None) -> None:
        self.items: list[Any] = []
        self.searches: list[dict[str, Any]] = []
        if index is not None:
            self.index_config = index

    def put(self, namespace: tuple[str, ...], key: str, value: dict[str, Any]) -> None:
        assert all("." not in label and label for label in namespace)
        times = {"created_at": WHEN, "updated_at": WHEN}
        self.items.append(SimpleNamespace(namespace=namespace, key=key, value=value, **times))

    def search(self, namespace_prefix: tuple[str, ...], /, **asked: Any) -> list[Any]:
        self.searches.append(asked)
        size = len(namespace_prefix)
        found = [item for item in self.items if item.namespace[:size] == namespace_prefix]
        return found[asked.get("offset", 0) :][: asked["limit"]]

    def delete(self, namespace: tuple[str, ...], key: str) -> None:
        self.items = [i for i in self.items if (i.namespace, i.key) != (namespace, key)]


class AsyncShelf(Shelf):
    """A store that has only its async half."""

    def put(self, *_: Any) -> None:
        raise NotImplementedError

    def search(self, *_: Any, **__: Any) -> list[Any]:
        raise NotImplementedError

    async def adelete(self, *given: Any) -> None:
        await asyncio.sleep(0)
        Shelf.delete(self, *given)

    async def aput(self, namespace: tuple[str, ...], key: str, value: dict[str, Any]) -> None:
        await asyncio.sleep(0)
        Shelf.put(self, namespace, key, value)

    async def asearch(self, namespace_prefix: tuple[str, ...], /, **asked: Any) -> list[Any]:
        await asyncio.sleep(0)
        return Shelf.search(self, namespace_prefix, **asked)


def holding(*texts: str, user: str = "ada", **options: Any) -> LangGraphStore:
    shelf = Shelf()
    for at, text in enumerate(texts):
        shelf.put(("memories", user), f"k{at}", {"text": text})
    return LangGraphStore(shelf, **options)


def found(store: LangGraphStore, query: str, scope: Scope = ADA, **options: Any) -> list[str]:
    entries = store.search(query, {"scope": scope, **options})  # type: ignore[typeddict-item]
    return [entry.content for entry in entries]


def test_items_of_a_store_without_an_index_are_ranked_by_words() -> None:
    """Otherwise each question would get the oldest items, whatever it asks."""
    filler = [f"Ada read book number {number}." for number in range(30)]
    store = holding(*filler, "Ada's umbrella is red.", "Ada lives in Bergen.")
    assert found(store, "Where is my umbrella?", max_search_results=3) == ["Ada's umbrella is red."]
    assert found(store, "quantum chromodynamics") == []
    (entry,) = store.search("umbrella", {"scope": ADA})
    assert (entry.id, entry.created_at, entry.scope) == ("k30", WHEN, ADA)
    assert 0 < entry.score <= 1


def test_a_store_with_an_index_is_asked_and_its_order_kept() -> None:
    """The query and the limit go to the store; its scores come back."""
    shelf = Shelf(index={"dims": 2, "fields": ["text"]})
    for at, text in enumerate(["one", "two"]):
        shelf.put(("memories", "ada"), f"k{at}", {"text": text})
        shelf.items[-1].score = 0.5 - at / 10
    store = LangGraphStore(shelf)
    entries = store.search("two", {"scope": ADA, "max_search_results": 7})
    assert [(entry.content, entry.score) for entry in entries] == [("one", 0.5), ("two", 0.4)]
    assert shelf.searches == [{"query": "two", "limit": 7}]


def test_users_are_kept_apart_by_namespace() -> None:
    """Another user, and somebody without a name, find nothing; the manager agrees."""
    with MemoryManager([holding("Ada's umbrella is red.")]) as memory:
        assert [e.content for e in memory.search("umbrella", scope=ADA)]
        assert memory.search("umbrella", scope=DENIZ) == []
        assert memory.search("umbrella") == []


def test_namespaces_below_are_not_read() -> None:
    """LangGraph searches by prefix: what stands below may be somebody else's."""
    store = holding("Ada's umbrella is red.", namespace=["memories"])
    assert found(store, "umbrella", Scope()) == []
    assert found(holding("Ada's umbrella is red."), "umbrella") == ["Ada's umbrella is red."]


@pytest.mark.parametrize(("one", "other"), [("a.b", "a%2Eb"), ("50%", "50%25"), ("{user}", "user")])
def test_ids_with_dots_stay_apart(one: str, other: str) -> None:
    """LangGraph allows no dots in labels; no two ids end up in one namespace."""
    store = LangGraphStore(Shelf())
    store.add("The umbrella is red.", scope=Scope(user=one))
    assert found(store, "umbrella", Scope(user=one)) == ["The umbrella is red."]
    assert found(store, "umbrella", Scope(user=other)) == []


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"content": "red"}, "red"),
        ({"data": "red", "kind": "x"}, "red"),
        ({"kind": "Memory", "content": {"content": "red"}}, "red"),
        ({"colour": "red"}, '{"colour": "red"}'),
    ],
)
def test_the_text_of_a_value_is_found(value: dict[str, Any], text: str) -> None:
    """Under the usual keys, nested as LangMem does, else the whole value."""
    shelf = Shelf()
    shelf.put(("memories", "ada"), "k", value)
    assert found(LangGraphStore(shelf), "red") == [text]


def test_a_named_field_is_the_only_one_read_and_written() -> None:
    """Items without it are no memories."""
    shelf = Shelf()
    store = LangGraphStore(shelf, field="note")
    store.add("The umbrella is red.", {"kind": "thing"}, scope=ADA)
    shelf.put(("memories", "ada"), "other", {"content": "Another umbrella."})
    assert shelf.items[0].value == {"kind": "thing", "note": "The umbrella is red."}
    assert found(store, "umbrella") == ["The umbrella is red."]


def test_what_is_added_goes_where_the_index_looks() -> None:
    """A store that embeds one field gets the text in that field."""
    shelf = Shelf(index={"dims": 2, "fields": ["memory"]})
    key = LangGraphStore(shelf).add("The umbrella is red.", scope=ADA)
    assert (shelf.items[0].key, shelf.items[0].value) == (key, {"memory": "The umbrella is red."})


def test_adding_for_nobody_where_a_user_is_needed_is_refused() -> None:
    """By the store and through the manager; nothing is written."""
    shelf = Shelf()
    with pytest.raises(InputError, match="needs a scope with user"):
        LangGraphStore(shelf).add("The umbrella is red.")
    with MemoryManager([LangGraphStore(shelf)]) as memory, pytest.raises(StoreErrors):
        memory.add("The umbrella is red.")
    assert shelf.items == []


def test_a_store_with_only_its_async_half_is_awaited() -> None:
    """Sync and async callers of the manager get the same."""
    shelf = AsyncShelf()
    with MemoryManager([LangGraphStore(shelf)]) as memory:
        memory.add("Ada's umbrella is red.", scope=ADA)
        found = memory.search("umbrella", scope=ADA)
        assert [entry.content for entry in found] == ["Ada's umbrella is red."]
        assert asyncio.run(memory.asearch("umbrella", scope=ADA)) == found


@pytest.mark.parametrize("kind", [Shelf, AsyncShelf])
def test_a_user_is_erased_and_nobody_else(kind: type[Shelf]) -> None:
    """However many items there are; what stands below the namespace is not ours to delete."""
    shelf = kind()
    for user, count in (("ada", 700), ("deniz", 3)):
        for number in range(count):
            Shelf.put(shelf, ("memories", user), f"k{number}", {"text": f"{number} of {user}"})
    Shelf.put(shelf, ("memories", "ada", "files"), "k", {"text": "a file"})
    with MemoryManager([LangGraphStore(shelf)]) as memory:
        assert memory.erase(ADA) == {"langgraph": 700}
        assert memory.erase(Scope(user="deniz", session="s1")) == {"langgraph": 0}
    assert {item.namespace for item in shelf.items} == {
        ("memories", "deniz"),
        ("memories", "ada", "files"),
    }


@pytest.mark.parametrize("fault", ["delete", "offset"])
def test_an_erasure_that_gets_nowhere_ends_and_says_so(
    fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A deletion without effect, or a search that turns no pages, must not be repeated for ever."""
    shelf = Shelf()
    for number in range(600):
        namespace = ("memories", "ada") if fault == "delete" else ("memories", "ada", "files")
        shelf.put(namespace, f"k{number}", {"text": "x"})
    search = shelf.search
    if fault == "delete":
        monkeypatch.setattr(shelf, "delete", lambda namespace, key: None)
    else:
        monkeypatch.setattr(shelf, "search", lambda prefix, **asked: search(prefix, limit=500))
    with pytest.raises(StoreError, match="erase again to finish"):
        LangGraphStore(shelf).erase(ADA)


def test_erasing_where_the_namespace_needs_more_is_refused() -> None:
    """Better an error than a user who believes to be forgotten."""
    store = LangGraphStore(Shelf(), namespace=["{agent}", "{user}"])
    with pytest.raises(StoreError, match="a scope with agent"):
        store.erase(ADA)


@pytest.mark.parametrize(
    ("namespace", "message"),
    [
        ([], "at least one label"),
        (["a.b"], "without dots"),
        (["memories", " "], "without dots"),
        (["{team}"], "unknown id 'team'"),
        (["{}"], "unknown id ''"),
        ([3], "must be a text"),
    ],
)
def test_a_namespace_that_cannot_be_is_refused(namespace: Any, message: str) -> None:
    """At construction, by name."""
    with pytest.raises(ConfigurationError, match=message):
        LangGraphStore(Shelf(), namespace=namespace)
    with pytest.raises(ConfigurationError, match="BaseStore"):
        LangGraphStore(object())


def test_langgraphs_own_store_with_an_index() -> None:
    """Items come in the order of their vectors, with scores."""
    memory_store = pytest.importorskip("langgraph.store.memory")

    def embed(texts: list[str]) -> list[list[float]]:
        return [[text.count("a") + 0.1, text.count("o") + 0.1] for text in texts]

    theirs = memory_store.InMemoryStore(index={"dims": 2, "embed": embed, "fields": ["text"]})
    store = LangGraphStore(theirs, namespace=["notes", "{user}"])
    for text in ("aaaa", "oooo", "aoao"):
        store.add(text, scope=Scope(user="ada@example.com"))
    entries = store.search("a", {"scope": Scope(user="ada@example.com"), "max_search_results": 2})
    assert [entry.content for entry in entries] == ["aaaa", "aoao"]
    assert entries[0].score > entries[1].score


def test_langgraphs_own_store_in_an_event_loop() -> None:
    """An ``AsyncBatchedBaseStore`` belongs to its loop and is asked from our threads."""
    base = pytest.importorskip("langgraph.store.base.batch")
    memory_store = pytest.importorskip("langgraph.store.memory")

    class Batched(base.AsyncBatchedBaseStore):  # type: ignore[misc,name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.held = memory_store.InMemoryStore()

        def batch(self, ops: Any) -> Any:
            return self.held.batch(ops)

        async def abatch(self, ops: Any) -> Any:
            return await self.held.abatch(ops)

    async def use() -> list[str]:
        async with MemoryManager([LangGraphStore(Batched())]) as memory:
            await memory.aadd("Ada's umbrella is red.", scope=ADA)
            return [e.content for e in await memory.asearch("umbrella", scope=ADA)]

    assert asyncio.run(use()) == ["Ada's umbrella is red."]
