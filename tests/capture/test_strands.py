"""Stores, triggers and extractors written for Strands Agents plug in unmodified."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest

from memory_injection import MemoryManager, Scope

from .fakes import assistant, user

types = pytest.importorskip("strands.memory.types")
extraction = pytest.importorskip("strands.memory.extraction.types")
triggers = pytest.importorskip("strands.memory.extraction.triggers")


class Backend(types.MemoryStore):
    """A store as the Strands documentation has it: async, no scopes, its own context type."""

    name = "backend"
    description = None
    max_search_results = None
    writable = True

    def __init__(self, config: Any) -> None:
        self.extraction = config
        self.got: list[Any] = []

    async def search(self, query: str, options: Any = None) -> list[Any]:
        return []

    async def add_messages(self, messages: Any, context: Any = None) -> None:
        assert len(context.sequence_numbers) == len(messages)
        for message in messages:
            self.got.append(
                (message["role"], "".join(b.get("text", "") for b in message["content"]))
            )


class Facts(types.MemoryStore):
    """A store with add() alone."""

    name = "facts"
    description = None
    max_search_results = None
    writable = True

    def __init__(self, config: Any) -> None:
        self.extraction = config
        self.got: list[Any] = []

    async def search(self, query: str, options: Any = None) -> list[Any]:
        return [types.MemoryEntry(content, metadata=meta) for content, meta in self.got]

    async def add(self, content: str, metadata: Any = None) -> None:
        self.got.append((content, metadata))


class Upper:
    """An extractor as Strands wants it: ``extract(messages, context)``."""

    async def extract(self, messages: Any, context: Any = None) -> list[Any]:
        return [
            extraction.ExtractionResult(block["text"].upper(), {"kind": "fact"})
            for message in messages
            for block in message["content"]
        ]


def talk(memory: MemoryManager, turns: int, scope: Scope | None = None) -> None:
    said: list[Any] = []
    for at in range(turns):
        said.append(user(f"turn {at}"))
        memory.capture_turn(messages=list(said), reply=f"answer {at}", scope=scope)
        said.append(assistant(f"answer {at}"))


def test_raw_messages_arrive_in_their_shape() -> None:
    """add_messages gets content blocks and a context with sequence numbers."""
    backend = Backend({"trigger": triggers.InvocationTrigger()})
    with MemoryManager([backend]) as memory:
        talk(memory, 2)
    assert backend.got == [
        ("user", "turn 0"),
        ("assistant", "answer 0"),
        ("user", "turn 1"),
        ("assistant", "answer 1"),
    ]


def test_their_interval_trigger_counts_turns() -> None:
    """IntervalTrigger(2) hands over after the second turn, without a flush."""
    backend = Backend({"trigger": [triggers.IntervalTrigger(2)]})
    memory = MemoryManager([backend])
    talk(memory, 3)
    until = time.monotonic() + 20
    while len(backend.got) < 4:
        assert time.monotonic() < until
        threading.Event().wait(0.01)
    assert len(backend.got) == 4
    memory.close()
    assert len(backend.got) == 6


def test_their_extractor_and_filter_work() -> None:
    """An extractor object and a MemoryMessageFilter serve a store with add() alone."""
    config = {"extractor": Upper(), "filter": extraction.MemoryMessageFilter(exclude=["toolUse"])}
    facts = Facts(config)
    with MemoryManager([facts]) as memory:
        talk(memory, 1)
    assert [content for content, _ in facts.got] == ["TURN 0", "ANSWER 0"]
    assert facts.got[0][1]["kind"] == "fact"


def test_what_a_store_without_scopes_keeps_stays_with_its_user() -> None:
    """The owner goes into the metadata, and the manager never shows it to another user."""
    facts = Facts({"extractor": Upper()})
    with MemoryManager([facts], injection={"min_relevance": None}) as memory:
        talk(memory, 1, Scope(user="anna"))
        assert memory.flush(20)
        ask = [user("What was turn 0 about?")]
        assert memory.inject(ask, scope=Scope(user="anna")).block is not None
        assert memory.inject(ask, scope=Scope(user="ben")).block is None


def test_their_own_test_store_learns() -> None:
    """The SDK's own store, switched to extraction, is written to through its own add()."""
    vended = pytest.importorskip("strands.vended_memory_stores.test_memory_store")
    store = vended.TestMemoryStore(name="t", persist=False, extraction={"extractor": Upper()})
    with MemoryManager([store], injection={"min_relevance": None}) as memory:
        talk(memory, 1)
        assert memory.flush(20)
        found = memory.search("turn")
    assert "TURN 0" in [entry.content for entry in found]
