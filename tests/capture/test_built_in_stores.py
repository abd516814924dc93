"""The built-in stores learn: raw turns or extracted facts, each once, over restarts too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memory_injection import MemoryManager, Scope
from memory_injection.stores import InMemoryStore, SQLiteStore

from .fakes import ANNA, assistant, copy_all, quick, user


@pytest.fixture(params=["memory", "file"])
def store_with(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    """Return a function that opens the store anew: the file is the same one each time."""

    def opened(extraction: Any) -> Any:
        if request.param == "memory":
            return InMemoryStore("notes", extraction=extraction)
        return SQLiteStore(tmp_path / "notes.db", "notes", extraction=extraction)

    return opened


def rows(store: Any, scope: Scope) -> list[tuple[str, Any, Any]]:
    """Return what a user finds: text, speaker and session."""
    found = store.search("Oslo", {"scope": scope, "max_search_results": 50})
    return sorted((e.content, (e.metadata or {}).get("speaker"),
                   (e.metadata or {}).get("session")) for e in found)  # fmt: skip


def test_raw_turns_become_entries_of_the_user(store_with: Any) -> None:
    """extraction=True is enough: both sides of each turn, with speaker and session."""
    store = store_with(True)
    with MemoryManager([store]) as memory:
        memory.capture_turn(messages=[user("I live in Oslo")], reply="Oslo is nice.", scope=ANNA)
        assert memory.flush(10)
        assert rows(store, Scope(user="anna", agent="helper")) == [
            ("I live in Oslo", "user", "s1"),
            ("Oslo is nice.", "assistant", "s1"),
        ]
        assert rows(store, Scope(user="ben", agent="helper")) == []


def test_a_turn_captured_again_after_a_restart_is_one_entry(tmp_path: Path) -> None:
    """Two processes that capture the same turn leave one entry per message."""
    for _ in range(2):
        store = SQLiteStore(tmp_path / "notes.db", "notes", extraction=True)
        with MemoryManager([store]) as memory:
            memory.capture_turn(messages=[user("I live in Oslo")], reply="Oslo!", scope=ANNA)
            assert memory.flush(10)
            found = rows(store, Scope(user="anna", agent="helper"))
    assert [text for text, _, _ in found] == ["I live in Oslo", "Oslo!"]


def test_forty_turns_with_injection_on_grow_by_what_was_said(store_with: Any) -> None:
    """With a copying extractor and real recall, no block is stored and no fact twice."""
    store = store_with(quick(extractor=copy_all))
    with MemoryManager([store]) as memory:
        talk: list[Any] = []
        injected = 0
        said = []
        for at in range(40):
            text = f"Fact {at}: the red box {at} stands in Oslo, street {at * 7}."
            talk.append(user(text))
            said.append(text)
            result = memory.inject(talk, scope=ANNA)
            injected += result.block is not None
            reply = assistant(f"Noted {at}: {result.messages[-1]['content']}")
            memory.capture_turn({"messages": result.messages}, reply, scope=ANNA)
            said.append(f"Noted {at}: {text}")
            talk = [*result.messages, reply]
            if at % 10 == 9:  # on a busy machine all forty could be over before one is stored
                assert memory.flush(30)
        found = store.search("Oslo box", {"scope": ANNA, "max_search_results": 500})
    assert injected > 5
    assert sorted(entry.content for entry in found) == sorted(said)
