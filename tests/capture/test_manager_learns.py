"""The manager learns: capture, context and the provider hooks, with injection on."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from memory_injection import ConfigurationError, InputError, MemoryEntry, MemoryManager, Scope

from .fakes import ANNA, Log, Notes, assistant, copy_all, quick, user

WORDS = re.compile(r"\w+")


class Shelf(Notes):
    """A store that finds by shared words and keeps scopes apart."""

    def search(self, query: str, options: Any = None) -> list[MemoryEntry]:
        options = options or {}
        reader = options.get("scope") or Scope()
        asked = set(WORDS.findall(query.lower()))
        scored = []
        for text, _, owner in reversed(self.added):
            shared = len(asked & set(WORDS.findall(text.lower())))
            if shared and reader.sees(owner or Scope()):
                scored.append((shared, text, owner))
        scored.sort(key=lambda one: -one[0])
        most = options.get("max_search_results", 5)
        return [MemoryEntry(text, score=float(n), scope=owner) for n, text, owner in scored[:most]]


def quarter(text: str) -> int:
    """Count a token for every four characters, whatever vocabulary is installed."""
    return len(text) // 4 + 1


@pytest.mark.parametrize("keeps", ["result.messages", "a clean history"])
@pytest.mark.parametrize("custom", [False, True])
def test_two_hundred_turns_feed_nothing_back(keeps: str, custom: bool) -> None:
    """With an extractor that copies everything, each fact is stored once and no block ever is."""

    def plain_list(context: Any) -> str:
        return "Known:\n" + "\n".join(f"* {entry.content}" for entry in context.entries)

    injection = {"min_relevance": None, "format": plain_list if custom else None}
    shelf = Shelf()
    # A counter of the test's own: without the vocabulary, bytes would fill the budgets sooner.
    with MemoryManager([shelf], injection=injection, counter=quarter) as memory:
        talk: list[Any] = []
        injected = 0
        for at in range(200):
            talk.append(user(f"Fact number {at}: my item{at} is in drawer {at % 7}."))
            result = memory.inject(talk, scope=ANNA)
            injected += result.block is not None
            last = result.messages[-1]["content"]
            # A model that repeats all it was told is the worst case for feedback.
            reply = assistant(f"I see. {last}" if at % 10 == 0 else f"Noted {at}.")
            body = {"messages": result.messages if at % 2 else talk}
            memory.capture_turn(body, {"choices": [{"message": reply}]}, scope=ANNA)
            talk = [*(result.messages if keeps == "result.messages" else talk), reply]
            if at % 10 == 0:  # learning goes on in the background, at its own pace
                assert memory.flush(30)
        assert memory.flush(30)
    assert injected > 100
    facts = [text for text in shelf.texts if text.startswith("Fact number")]
    assert facts == [f"Fact number {at}: my item{at} is in drawer {at % 7}." for at in range(200)]
    assert len(shelf.texts) == 400
    stored = "\n".join(shelf.texts)
    assert "<memory>" not in stored
    assert "Known:" not in stored
    assert "\n* " not in stored


def test_a_quoted_block_of_somebody_else_stays() -> None:
    """A user who pastes a memory block that is not ours keeps every word."""
    quoted = 'Look: <memory>\n<entry source="other">a</entry>\n</memory> and <memory> alone'
    shelf = Shelf()
    with MemoryManager([shelf], injection={"min_relevance": None}) as memory:
        memory.add("Look at the other list", scope=ANNA)
        result = memory.inject([user(quoted)], scope=ANNA)
        assert result.block is not None
        memory.capture_turn({"messages": result.messages}, "ok", scope=ANNA)
        assert memory.flush(20)
    assert shelf.texts[1:] == [quoted, "ok"]


def test_memories_are_found_in_the_next_session() -> None:
    """What one session said is injected in the next, and never for another user."""
    shelf = Shelf()
    with MemoryManager([shelf], injection={"min_relevance": None}) as memory:
        with memory.scope(user="anna", session="monday"):
            memory.capture_turn(messages=[user("My cat is called Miso")], reply="Cute.")
        assert memory.flush(20)
        ask = [user("What is my cat called?")]
        found = memory.inject(ask, scope=Scope(user="anna", session="tuesday"))
        assert found.block is not None
        assert found.block.entries[0].content == "My cat is called Miso"
        assert memory.inject(ask, scope=Scope(user="ben")).block is None


async def test_the_manager_is_a_provider() -> None:
    """observe, flush and get_context make the manager an AgentMemoryProvider, sync and async."""
    shelf = Shelf()
    injection = {"min_relevance": None}
    async with MemoryManager([shelf], injection=injection, counter=quarter) as memory:
        memory.observe("user", "I am allergic to peanuts", scope=ANNA)
        memory.observe("assistant", "I will keep that in mind.", scope=ANNA)
        assert memory.flush(20)
        await memory.aobserve("user", "I am allergic to dust", scope=ANNA)
        await memory.aobserve("assistant", "Noted.", scope=ANNA)
        assert await memory.aflush(20)
        found = memory.get_context("allergic to what?", token_budget=300, scope=ANNA)
        again = await memory.aget_context("allergic to what?", token_budget=300, scope=ANNA)
        assert found is not None
        assert found == again
        assert found.context_text.startswith("<memory>\n")
        assert found.tokens <= 300
        assert "peanuts" in found.context_text
        small = memory.get_context("allergic to what?", token_budget=30, scope=ANNA)
        assert small is None or small.tokens <= 30
        assert memory.get_context("allergic to what?") is None


@pytest.mark.parametrize(("text", "budget"), [(None, None), ("x", 0), ("x", True), ("x", 1.5)])
def test_wrong_questions_are_refused(text: Any, budget: Any) -> None:
    """A text or budget that means nothing is said in one line."""
    with MemoryManager([Shelf()]) as memory, pytest.raises(InputError, match="must be"):
        memory.get_context(text, budget)


def test_trouble_with_capture_shows_in_the_report() -> None:
    """A store that cannot keep up is named in every injection report, without memory text."""

    class Down(Log):
        def add_messages(self, messages: Any, context: Any = None) -> None:
            raise ConnectionError("down")

    down = Down(quick(open_after=1))
    memory = MemoryManager([Shelf(), down])
    memory.capture_turn(messages=[user("my PIN is 4711")], reply="ok", scope=ANNA)
    assert not memory.flush(0.2)
    report = memory.inject([user("hello there")], scope=ANNA).report
    assert report.warnings == ("capture: store 'log' is open, 1 turns wait, 0 dropped",)
    assert "4711" not in json.dumps(report.to_dict())
    assert memory.capture_status().stores[1].last_error == "ConnectionError: down"
    memory.close(timeout=0.1)


def test_a_clean_capture_leaves_no_trace_in_the_report() -> None:
    """Nothing is warned of while all goes well."""
    with MemoryManager([Shelf()]) as memory:
        memory.capture_turn(messages=[user("hello")], reply="ok")
        assert memory.flush(20)
        assert memory.inject([user("hello there")]).report.warnings == ()


def test_erasing_a_user_takes_what_waits_with_it() -> None:
    """What an erased user said and is not stored yet is never stored."""

    class Erasable(Shelf):
        def erase(self, scope: Scope) -> int:
            before = len(self.added)
            self.added = [row for row in self.added if (row[2] or Scope()).user != scope.user]
            return before - len(self.added)

    shelf = Erasable(quick(triggers=5, extractor=copy_all))
    with MemoryManager([shelf]) as memory:
        for name in ("anna", "ben"):
            scope = Scope(user=name, session="s")
            memory.capture_turn(messages=[user(f"I am {name}")], reply="hi", scope=scope)
        memory.observe("user", "half a turn", scope=Scope(user="anna"))
        memory.erase(Scope(user="anna"))
        assert memory.flush(20)
    assert shelf.texts == ["I am ben", "hi"]


def test_an_extractor_of_the_manager_serves_stores_without_one() -> None:
    """extraction=True and only add() is enough when the manager has an extractor."""
    shelf = Shelf(True)
    with MemoryManager([shelf], extractor=copy_all) as memory:
        memory.capture_turn(messages=[user("hello")], reply="ok")
    assert shelf.texts == ["hello", "ok"]
    with pytest.raises(ConfigurationError, match="neither an extractor nor add_messages"):
        MemoryManager([Shelf(True)])


def test_a_store_is_initialised_before_its_first_write() -> None:
    """A store with initialize() that nobody searched yet is made ready by capture."""
    steps = []

    class Lazy(Log):
        async def initialize(self) -> None:
            steps.append("ready")

        def add_messages(self, messages: Any, context: Any = None) -> None:
            steps.append("written")

    with MemoryManager([Lazy()]) as memory:
        memory.capture_turn(messages=[user("hello")], reply="ok")
    assert steps == ["ready", "written"]


def test_a_model_call_of_an_extractor_carries_no_memory() -> None:
    """An extractor whose client is wrapped gets no block in its prompt."""
    seen = []

    def extract(messages: Any) -> list[str]:
        seen.append(memory.inject([user("Which facts are in: I like tea")]).report)
        return copy_all(messages)

    shelf = Shelf(quick(extractor=extract))
    memory = MemoryManager([shelf], injection={"min_relevance": None})
    memory.add("tea facts")
    memory.capture_turn(messages=[user("I like tea")], reply="ok")
    memory.close()
    assert [(report.status, report.reason) for report in seen] == [("skipped", "disabled")]
