"""The provider as a store of a manager: one user's files reach that user's requests."""

from __future__ import annotations

import asyncio
import queue
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memory_injection import MemoryManager, Scope, wrap
from memory_injection.files import FileMemoryProvider, Turn, create_memory_provider
from memory_injection.testing.server import RecordingServer

Put = Callable[..., Path]


def ask(text: str) -> list[dict[str, Any]]:
    return [{"role": "user", "content": text}]


@pytest.fixture(params=["sync", "async"])
def injected(request: pytest.FixtureRequest) -> Callable[..., str]:
    """Inject either way; returns the text of the user message."""

    def run(memory: MemoryManager, text: str, scope: Scope | None = None) -> str:
        if request.param == "sync":
            result = memory.inject(ask(text), scope=scope)
        else:
            result = asyncio.run(memory.ainject(ask(text), scope=scope))
        return str(result.messages[-1]["content"])

    return run


def test_files_are_injected_and_edits_show_in_the_next_turn(
    provider: FileMemoryProvider, put: Put, injected: Callable[..., str]
) -> None:
    """With the title, under the store's name; what a person changes counts at once."""
    put("records/door.md", "---\ntitle: Door code\n---\n\nIt is 4711.\n")
    with MemoryManager(stores=[provider]) as memory:
        text = injected(memory, "What is the door code?")
        assert text == (
            "What is the door code?\n\n"
            '<memory>\n<entry source="files">Door code\nIt is 4711.</entry>\n</memory>'
        )
        put("records/door.md", "---\ntitle: Door code\n---\n\nIt is 1234 now.\n")
        assert "1234 now" in injected(memory, "Tell me the door code.")


def test_a_users_file_reaches_nobody_else(
    provider: FileMemoryProvider, injected: Callable[..., str]
) -> None:
    """Written through the manager for one user, it is in that user's requests only."""
    with MemoryManager(stores=[provider]) as memory:
        memory.add("The locker is number 12.", scope=Scope(user="u1"))
        assert "number 12" in injected(memory, "Which locker?", Scope(user="u1", session="s9"))
        for other in (None, Scope(user="u2")):
            assert injected(memory, "Which locker?", other) == "Which locker?"
        assert memory.search("locker", scope=Scope(user="u2")) == []


def test_a_broken_root_fails_open(
    provider: FileMemoryProvider, put: Put, injected: Callable[..., str]
) -> None:
    """The request goes out as it was; the report names the store."""
    put("records/a.md", "zebra")
    with MemoryManager(stores=[provider]) as memory:
        provider.close()
        assert injected(memory, "Where is the zebra?") == "Where is the zebra?"
        report = memory.inject(ask("Where is the zebra?")).report
        assert (report.status, report.stores[0].status) == ("failed", "error")


def test_turns_through_the_manager_are_learned_once_and_blocks_never(
    provide: Callable[..., FileMemoryProvider],
) -> None:
    """An extractor that copies all it sees: only what was said is in the files, each thing once."""
    provider = provide(remember={"extract_turn": lambda turn: turn.input})
    scope = Scope(user="u1", session="s1")
    said = [f"Fact {n}: the zebra likes colour number {n}." for n in range(12)]
    messages: list[dict[str, Any]] = []
    with MemoryManager(stores=[provider]) as memory:
        for text in said:
            messages.append({"role": "user", "content": text})
            result = memory.inject(messages, scope=scope)
            messages = result.messages
            memory.capture_turn({"messages": messages}, reply="Noted.", scope=scope)
            messages = [*messages, {"role": "assistant", "content": "Noted."}]
            assert memory.flush()
        assert "<memory>" in str(messages[-2]["content"])
        found = memory.search("zebra", max_search_results=100, scope=scope)
    assert sorted(e.content for e in found) == sorted(said)
    assert {(e.metadata or {})["source"] for e in found} == {"turn_end"}
    assert {e.scope for e in found} == {Scope(user="u1")}


def test_a_turn_whose_extractor_failed_is_handed_over_again(
    provide: Callable[..., FileMemoryProvider],
) -> None:
    """At least once: after a flush it is stored, and stored once."""
    attempts: list[str] = []

    def extract(turn: Turn) -> list[str]:
        attempts.append(turn.input)
        if len(attempts) == 1:
            raise ConnectionError("the model is away")
        return [turn.input, "and more"]

    provider = provide(remember={"extract_turn": extract})
    with MemoryManager(stores=[provider]) as memory:
        memory.capture_turn({"messages": ask("The zebra.")}, reply="Yes.", scope=Scope(user="u1"))
        assert memory.flush()
    with create_memory_provider(provider.root) as again:
        assert sorted(e.content for e in again.list(scope={"user": "u1"})) == [
            "The zebra.",
            "and more",
        ]
    assert attempts == ["The zebra."] * 2


def test_a_wrapped_client_takes_the_provider_as_it_is(
    provide: Callable[..., FileMemoryProvider],
) -> None:
    """Entries come one by one under their source; the finished turn reaches the extractor."""
    openai = pytest.importorskip("openai")
    heard: queue.Queue[Turn] = queue.Queue()
    provider = provide(remember={"extract_turn": lambda turn: heard.put(turn)})
    provider.add("The zebra is <striped>.", {"title": "Zoo"})
    with RecordingServer(["Noted."]) as server:
        bare = openai.OpenAI(base_url=f"{server.url}/v1", api_key="none-needed")
        client = wrap(bare, provider, scope=Scope(user="u1"))
        client.chat.completions.create(model="gpt-4o", messages=ask("What of the zebra?"))
        turn = heard.get(timeout=10)
        bare.close()
        assert (turn.input, turn.output) == ("What of the zebra?", "Noted.")
        assert turn.scope == Scope(user="u1")
        assert server.bodies[0]["messages"][-1]["content"] == (
            "What of the zebra?\n\n<memory>\n"
            '<entry source="files">Zoo\nThe zebra is &lt;striped&gt;.</entry>\n</memory>'
        )


def test_without_an_extractor_the_manager_captures_nothing(
    provider: FileMemoryProvider,
) -> None:
    """The provider says that it does not want turns."""
    with MemoryManager(stores=[provider]) as memory:
        memory.capture_turn({"messages": ask("Remember the zebra.")}, reply="Yes.", scope=Scope())
        assert memory.flush()
    assert not provider.root.exists()


def test_erasing_through_the_manager_empties_the_users_files(provider: FileMemoryProvider) -> None:
    """One call for every store and for what was shown."""
    with MemoryManager(stores=[provider]) as memory:
        memory.add("zebra", scope=Scope(user="u1"))
        memory.add("zebra", scope=Scope(user="u2"))
        assert memory.erase(Scope(user="u1")) == {"files": 1}
        assert len(memory.search("zebra", scope=Scope(user="u2"))) == 1
