"""Writing, reading, replacing and deleting entries."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from memory_injection import stores
from memory_injection.entries import read_time
from memory_injection.errors import ConfigurationError, InputError, StoreClosedError, StoreError
from memory_injection.records import MemoryEntry, Scope
from memory_injection.stores import InMemoryStore, SQLiteStore

ADA, BOB = Scope(user="ada"), Scope(user="bob")
NOW = datetime(2024, 3, 10, 12, tzinfo=timezone.utc)


class Clock:
    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now


@pytest.fixture
def store() -> Iterator[InMemoryStore]:
    with InMemoryStore(clock=Clock()) as made:
        yield made  # type: ignore[misc]


def texts(entries: list[MemoryEntry]) -> list[str]:
    return [entry.content for entry in entries]


# Writing


def test_what_is_written_comes_back_whole(store: InMemoryStore) -> None:
    """Content, id, metadata, times and scope are kept."""
    ident = store.add("I like tea", {"mood": "calm", "n": [1, 2]}, scope=ADA)
    entry = store.get(ident, scope=ADA)
    assert entry is not None
    assert entry.content == "I like tea"
    assert entry.metadata == {"mood": "calm", "n": [1, 2]}
    assert entry.scope == ADA
    assert entry.store_name == "memory"
    assert entry.created_at == entry.updated_at == NOW + timedelta(seconds=1)
    assert entry.score is None


def test_writing_the_same_twice_writes_it_once(store: InMemoryStore) -> None:
    """The id comes from scope, content, metadata and time."""
    first = store.add("I like tea", scope=ADA)
    assert store.add("I like tea", scope=ADA) == first
    assert store.add("I like tea", scope=BOB) != first
    assert store.add("I like tea", {"day": 2}, scope=ADA) != first
    assert store.add("I like tea", scope=ADA, created_at="2024-01-01") != first
    assert store.count(scope=ADA) == 3


def test_an_id_is_written_anew(store: InMemoryStore) -> None:
    """The same id replaces: old words find nothing, new ones do, the first time is kept."""
    store.add("I like tea", scope=ADA, id="drink")
    created = store.list(scope=ADA)[0].created_at
    assert store.add("I like coffee", scope=ADA, id="drink") == "drink"
    entry = store.get("drink", scope=ADA)
    assert entry is not None
    assert (entry.content, entry.created_at) == ("I like coffee", created)
    assert entry.updated_at is not None
    assert entry.updated_at > NOW + timedelta(seconds=1)
    assert store.search("tea", {"scope": ADA}) == []
    assert texts(store.search("coffee", {"scope": ADA})) == ["I like coffee"]
    assert store.count(scope=ADA) == 1


def test_the_same_id_of_two_owners_is_two_entries(store: InMemoryStore) -> None:
    """Ids are the owner's; the most specific one is read first."""
    store.add("shared", id="x")
    store.add("Ada's", id="x", scope=ADA)
    assert store.get("x", scope=ADA).content == "Ada's"  # type: ignore[union-attr]
    assert store.get("x", scope=BOB).content == "shared"  # type: ignore[union-attr]
    assert store.get("y") is None


@pytest.mark.parametrize(
    ("metadata", "moment"),
    [
        ({"created_at": "2023-05-08T10:00:00+02:00"}, datetime(2023, 5, 8, 8, tzinfo=timezone.utc)),
        ({"date": "1:56 pm on 8 May, 2023"}, datetime(2023, 5, 8, tzinfo=timezone.utc)),
        ({"timestamp": 0}, datetime(1970, 1, 1, tzinfo=timezone.utc)),
        ({"date": "some day"}, NOW + timedelta(seconds=1)),
        ({"date": ["2023"]}, NOW + timedelta(seconds=1)),
    ],
)
def test_the_time_is_read_from_metadata(
    store: InMemoryStore, metadata: dict[str, Any], moment: datetime
) -> None:
    """When it was said, where the metadata tell; else now."""
    ident = store.add("I like tea", metadata)
    assert store.get(ident).created_at == moment  # type: ignore[union-attr]


def test_many_are_written_at_once(store: InMemoryStore) -> None:
    """Texts, mappings and entries; their own scope wins over the call's."""
    store.add("old", id="a", scope=ADA)
    ids = store.add_many(
        [
            "a text",
            {"content": "a mapping", "id": "a", "metadata": {"k": 1}},
            MemoryEntry("an entry", id="b", scope=BOB, created_at=NOW, updated_at=NOW),
            {"content": "for Bob", "scope": {"user": "bob"}},
            {"content": "again", "id": "b", "scope": BOB},
        ],
        scope=ADA,
    )
    assert ids[1:3] == ["a", "b"]
    assert texts(store.list(scope=ADA)) == ["a mapping", "a text"]
    assert sorted(texts(store.list(scope=BOB))) == ["again", "for Bob"]
    assert store.add_many([]) == []


def test_more_than_a_batch_is_written(store: InMemoryStore) -> None:
    """Batches inside one write keep ids and order."""
    ids = store.add_many(f"note {number}" for number in range(1_001))
    assert len(set(ids)) == store.count() == 1_001
    assert texts(store.list(limit=1)) == ["note 1000"]


def test_an_id_that_comes_back_in_a_later_batch_is_replaced(store: InMemoryStore) -> None:
    """Of equal ids the last counts, in a memory that was empty and in one that was not."""
    for round_ in range(2):
        items = [{"id": f"n{number}", "content": f"note {number}"} for number in range(900)]
        last = {"id": "n0", "content": f"the piano was tuned {round_}"}
        store.add_many([*items, last], scope=ADA)
        assert store.count(scope=ADA) == 900
        found = store.search("piano tuned", {"scope": ADA})
        assert texts(found) == [f"the piano was tuned {round_}"]


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        ({"content": ""}, "content"),
        ({"content": " \n"}, "content"),
        ({"content": None}, "content"),
        ({"content": "x", "metadata": [1]}, "metadata"),
        ({"content": "x", "metadata": {(1, 2): 3}}, "JSON"),
        ({"content": "x", "id": ""}, "id"),
        ({"content": "x", "id": 5}, "id"),
        ({"content": "x", "created_at": "soon"}, "created_at"),
        ({"content": "x", "scope": 5}, "scope"),
        ({"content": "x", "scope": {"user": ""}}, "scope"),
    ],
)
def test_a_wrong_entry_is_refused_in_one_line(
    store: InMemoryStore, arguments: dict[str, Any], part: str
) -> None:
    """The line names the value and the rule; nothing is written."""
    with pytest.raises((InputError, ConfigurationError), match=part) as caught:
        store.add(**arguments)
    assert "\n" not in str(caught.value)
    assert store.count() == 0


def test_one_wrong_item_refuses_them_all(store: InMemoryStore) -> None:
    """``add_many`` writes everything or nothing."""
    circle: dict[str, Any] = {}
    circle["me"] = circle
    for wrong in (5, {"content": ""}, {"content": "x", "metadata": circle}, {"text": "x" * 99}):
        with pytest.raises(InputError):
            store.add_many(["fine", wrong])
    assert store.count() == 0


# Messages


def test_messages_become_turns(store: InMemoryStore) -> None:
    """User and assistant texts, in order, with speaker and session; the rest is left out."""
    ids = store.add_messages(
        [
            {"role": "system", "content": "be kind"},
            {"role": "user", "content": "Which instrument did she choose?", "id": "m1"},
            {"role": "assistant", "content": None, "tool_calls": [{}]},
            {"role": "tool", "content": "cello"},
            SimpleNamespace(role="assistant", content=[{"type": "text", "text": "The cello"}, "!"]),
            {"role": "user", "content": [{"type": "image_url"}]},
            {"role": "user", "name": "Ann", "content": "Thanks"},
        ],
        {"session": "s1"},
        scope=ADA,
    )
    assert ids[0] == "m1"
    found = store.list(scope=ADA)
    assert texts(found) == ["Thanks", "The cello\n!", "Which instrument did she choose?"]
    assert [e.metadata["speaker"] for e in found if e.metadata] == ["Ann", "assistant", "user"]
    assert {e.metadata["session"] for e in found if e.metadata} == {"s1"}
    assert "The cello\n!" in texts(store.search("instrument", {"scope": ADA}))


def test_messages_delivered_twice_are_written_once(store: InMemoryStore) -> None:
    """At-least-once delivery with ids leaves one of each."""
    said = [
        {"role": "user", "content": "yes", "id": "1"},
        {"role": "user", "content": "yes", "id": "2"},
    ]
    store.add_messages(said, {"scope": ADA})
    store.add_messages(said, {"scope": ADA})
    assert store.count(scope=ADA) == 2


# Reading


def test_the_list_runs_backwards_in_pages(store: InMemoryStore) -> None:
    """Last written first, ``limit`` at a time."""
    store.add_many([f"note {n}" for n in range(5)], scope=ADA)
    assert texts(store.list(scope=ADA, limit=2)) == ["note 4", "note 3"]
    assert texts(store.list(scope=ADA, limit=2, offset=4)) == ["note 0"]
    assert store.list(scope=BOB) == []
    for wrong in (-1, 1.5, True):
        with pytest.raises(InputError, match="whole number"):
            store.list(limit=wrong)  # type: ignore[arg-type]


def test_pinned_entries_are_told_apart(store: InMemoryStore) -> None:
    """Only ``"pinned": True`` pins; oldest first; the limit holds."""
    store.add("one", {"pinned": True})
    store.add("no", {"pinned": "yes"})
    store.add("two", {"pinned": True}, scope=ADA)
    assert texts(store.pinned()) == ["one"]
    assert texts(store.pinned({"scope": ADA})) == ["one", "two"]
    assert texts(store.pinned({"scope": ADA, "max_search_results": 1})) == ["one"]


@pytest.mark.parametrize("wrong", ["5", 2.5, True])
def test_a_wrong_limit_is_named(store: InMemoryStore, wrong: Any) -> None:
    """``max_search_results`` is a whole number."""
    with pytest.raises(InputError, match="max_search_results"):
        store.search("x", {"max_search_results": wrong})


def test_a_store_has_a_limit_of_its_own() -> None:
    """``max_search_results`` at construction is what a search without a limit returns at most."""
    with InMemoryStore(max_search_results=2) as store:
        store.add_many([f"zebra {n}" for n in range(5)])
        assert len(store.search("zebra")) == 2
        assert len(store.search("zebra", {"max_search_results": 10**9})) == 5


# Deleting


def test_forgetting_deletes_one(store: InMemoryStore) -> None:
    """The entry is gone from every way of reading; a second time there is nothing."""
    ident = store.add("zebra", scope=ADA)
    store.add("zebra too", scope=ADA)
    store.search("zebra", {"scope": ADA})
    assert store.forget(ident, scope=ADA)
    assert not store.forget(ident, scope=ADA)
    assert texts(store.search("zebra", {"scope": ADA})) == ["zebra too"]
    assert store.get(ident, scope=ADA) is None
    assert store.count(scope=ADA) == 1


def test_nobody_forgets_what_is_anothers(store: InMemoryStore) -> None:
    """Another user's id is not found; the own entry goes before a shared one of that id."""
    ident = store.add("zebra", scope=ADA)
    assert not store.forget(ident, scope=BOB)
    store.add("shared", id="x")
    store.add("Ada's", id="x", scope=ADA)
    assert store.forget("x", scope=ADA)
    assert store.get("x", scope=ADA).content == "shared"  # type: ignore[union-attr]


def test_erasing_takes_everything_of_an_owner(store: InMemoryStore) -> None:
    """All sessions of the user go; other users and shared entries stay."""
    store.add("one", scope=ADA)
    store.add(
        "two", {"speaker": "Ada Lovelace", "session": "s"}, scope=Scope(user="ada", session="s")
    )
    store.add("three", scope=Scope(user="ada", agent="cook"))
    store.add("four", scope=BOB)
    store.add("five")
    assert store.erase(ADA) == 3
    assert store.erase(ADA) == 0
    assert store.count(scope=Scope(user="ada", session="s")) == 1
    assert texts(store.list(scope=BOB)) == ["five", "four"]
    with pytest.raises(InputError, match="at least one id"):
        store.erase(Scope())


def test_nothing_erased_is_left_in_the_file(tmp_path: Path) -> None:
    """Text, words, names and ids are gone from every byte of the file and its log."""
    path = tmp_path / "m.db"
    with SQLiteStore(path) as store:
        store.add_many([f"kept note {n}" for n in range(50)], scope=BOB)
        for number in range(50):
            store.add(
                f"Xylophone secret {number}",
                {"speaker": "Quetzal", "session": "Yggdrasil"},
                scope=Scope(user="zarathustra"),
            )
        assert b"ylophone" in b"".join(p.read_bytes() for p in tmp_path.iterdir())
        assert store.erase(Scope(user="zarathustra")) == 50
        left = b"".join(file.read_bytes() for file in tmp_path.iterdir()).lower()
        for word in (b"xylophon", b"quetzal", b"yggdrasil", b"zarathustra"):
            assert word not in left
        assert store.count(scope=BOB) == 50


# Construction and end


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        ({"path": ""}, "path"),
        ({"path": 5}, "path"),
        ({"path": "a\x00b"}, "NUL"),
        ({"path": "m.db", "name": " "}, "name"),
        ({"path": "m.db", "name": None}, "name"),
        ({"path": "m.db", "max_search_results": 0}, "max_search_results"),
        ({"path": "m.db", "max_search_results": "5"}, "max_search_results"),
        ({"path": "m.db", "busy_timeout": -1}, "busy_timeout"),
        ({"path": "m.db", "busy_timeout": "5"}, "busy_timeout"),
        ({"path": "m.db", "language": "English"}, "language"),
        ({"path": "m.db", "language": "en us"}, "language"),
        ({"path": "m.db", "language": 5}, "language"),
    ],
)
def test_a_wrong_store_is_refused_at_construction(arguments: dict[str, Any], part: str) -> None:
    """One line names the value and the rule; no file is made."""
    with pytest.raises(ConfigurationError, match=part):
        SQLiteStore(**arguments)


def test_attributes_are_what_the_manager_looks_for() -> None:
    """Name, description, timeout and extraction are kept as given."""
    store = InMemoryStore("notes", description="d", timeout=1.5, extraction=True)
    assert (store.name, store.description, store.timeout) == ("notes", "d", 1.5)
    assert store.extraction is True
    assert store.writable
    assert store.path == ":memory:"
    assert not hasattr(InMemoryStore(), "timeout")
    store.close()


def test_a_closed_store_says_so(store: InMemoryStore) -> None:
    """Every method raises ``StoreClosedError`` after ``close``, which may be repeated."""
    store.add("zebra")
    store.close()
    store.close()
    for use in (
        lambda: store.search("zebra"),
        lambda: store.search(None),  # type: ignore[arg-type]
        lambda: store.add("x"),
        lambda: store.list(),
        lambda: store.forget("x"),
        lambda: store.initialize(),
    ):
        with pytest.raises(StoreClosedError, match=r"close\(\)"):
            use()


def test_a_read_only_memory_refuses_writes(tmp_path: Path) -> None:
    """``writable=False`` reads what is there and refuses to write."""
    path = tmp_path / "m.db"
    with SQLiteStore(path) as store:
        store.add("zebra")
    with SQLiteStore(path, writable=False) as store:
        assert texts(store.search("zebra")) == ["zebra"]
        with pytest.raises(StoreError, match="read-only"):
            store.add("lion")
        with pytest.raises(StoreError, match="read-only"):
            store.forget("x")
    with InMemoryStore(writable=False) as memory, pytest.raises(StoreError, match="read-only"):
        memory.add("lion")


def test_the_front_of_the_room_is_lazy() -> None:
    """Stores are found by name; a wrong name is an AttributeError."""
    assert "SQLiteStore" in dir(stores)
    assert stores.InMemoryStore is InMemoryStore
    with pytest.raises(AttributeError, match="NoSuchStore"):
        stores.NoSuchStore  # noqa: B018


def test_an_erased_owners_number_is_never_used_again(store: InMemoryStore) -> None:
    """Nothing kept under one owner's number can come to be another's."""
    store.add("zebra", {"session": "s"}, scope=ADA)
    with store._database.read() as session:
        before = session.conn.execute("SELECT max(id) FROM memory_scopes").fetchone()[0]
    store.erase(ADA)
    store.add("lion", {"session": "s"}, scope=BOB)
    with store._database.read() as session:
        assert session.conn.execute("SELECT max(id) FROM memory_scopes").fetchone()[0] > before
        assert session.conn.execute("SELECT max(id) FROM memory_threads").fetchone()[0] == 2


EDGES = [
    datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=14))),
    datetime(9999, 12, 31, 23, 59, tzinfo=timezone(timedelta(hours=-14))),
]


@pytest.mark.parametrize("moment", EDGES, ids=["first", "last"])
def test_a_time_that_has_no_utc_is_none(moment: datetime) -> None:
    """Written, it would make every search fail that meets it: refused, and not read from data."""
    with InMemoryStore() as store:
        for given in (moment, moment.isoformat()):
            with pytest.raises(InputError, match="created_at"):
                store.add("tea", created_at=given)
        for utc in (datetime.min, datetime.max):
            store.add(f"tea {utc}", created_at=utc.replace(tzinfo=timezone.utc))
        store.add("tea with a date", {"date": moment.isoformat(), "created_at": moment})
        assert len(store.search("tea")) == len(store.list()) == 3
        assert read_time(moment) is None


def test_the_order_of_metadata_makes_no_other_entry(store: InMemoryStore) -> None:
    """Mappings are equal in any order, nested ones too; keys of several kinds are kept as given."""
    first = store.add("tea", {"a": 1, "b": {"x": 1, "y": 2}})
    assert store.add("tea", {"b": {"y": 2, "x": 1}, "a": 1}) == first
    assert store.add("tea", {"a": 1, "b": {"x": 1, "y": 3}}) != first
    mixed: dict[Any, Any] = {1: "one", "a": 2}
    assert store.add("tea", mixed) == store.add("tea", mixed)
    assert store.count() == 3
