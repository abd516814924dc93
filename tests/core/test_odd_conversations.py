"""Conversations that are not what they seem: holes, look-alikes, images that are none."""

from __future__ import annotations

import contextvars
import json

import pytest

from memory_injection import MemoryManager, Scope
from memory_injection.scoping import Scoped
from memory_injection.testing import FakeStore

HELLO = {"role": "user", "content": "hello my friend, what is new today?"}
REPLY = {"role": "assistant", "content": "not much"}
ASK = {"role": "user", "content": "what is the cat called?"}


def replayed(messages):
    return ["<memory>" in str(message["content"]) for message in messages]


@pytest.mark.parametrize("content", [None, 3, {"type": "text", "text": "hi"}])
def test_an_ask_that_cannot_hold_a_block_keeps_the_others(content):
    """Nothing is written there, now or at a later replay, and earlier blocks stay."""
    found = ["one"]
    store = FakeStore(lambda query, options: list(found))
    injection = {"query": lambda context: "whatever was said"}
    with MemoryManager([store], injection=injection) as memory:
        memory.inject([HELLO])
        found[:] = ["two"]
        odd = [HELLO, REPLY, {"role": "user", "content": content}]
        result = memory.inject(odd, api="openai.chat")
        later = memory.inject([*odd, REPLY, ASK], api="openai.chat")
    assert (result.report.status, result.report.reason) == ("replayed", "no_user_message")
    assert result.messages[1:] == odd[1:]
    assert replayed(result.messages) == [True, False, False]
    assert replayed(later.messages) == [True, False, False, False, True]


def test_another_conversation_with_the_same_beginning_does_not_lend_its_dialect():
    """What is detected depends on the messages alone."""
    call = {"type": "tool_use", "id": "1", "name": "look", "input": {}}
    done = {"type": "tool_result", "tool_use_id": "1", "content": "42"}
    anthropic = [
        HELLO, {"role": "assistant", "content": [call]}, {"role": "user", "content": [done]}
    ]  # fmt: skip
    with MemoryManager([FakeStore(["a fact"])]) as memory:
        assert memory.inject(anthropic).report.dialect == "anthropic.messages"
        assert memory.inject([HELLO, REPLY, ASK]).report.dialect == "openai.chat"
        assert memory.inject([*anthropic, REPLY, ASK]).report.dialect == "anthropic.messages"


def test_a_long_text_without_spaces_is_no_image():
    """Japanese has none: 3,900 of its characters are no image at a flat price."""
    said = [{"role": "user", "content": "猫について教えてください。" * 300}]
    injection = {"context_window": 4000}
    store = FakeStore(["a fact " * 50])
    with MemoryManager([store], injection=injection, counter=len) as memory:
        assert memory.inject(said).report.reason == "budget"


class Broken:
    def __getattr__(self, name):
        raise RuntimeError("cannot be read")


def test_a_generator_in_a_body_is_not_lost_when_reading_fails():
    """What can be read once only goes out from the list it was read into."""
    said = [HELLO, Broken()]
    with MemoryManager([FakeStore(["a fact"])]) as memory:
        body = {"model": "gpt-4o", "messages": iter(said)}
        result = memory.inject_request(body, api="openai.chat")
    assert result.report.status == "failed"
    assert result.messages == said
    assert list(result.request["messages"]) == said


def test_an_sdk_object_that_stands_alone_is_not_taken_apart():
    """Pydantic models are iterable, over their fields."""
    from pydantic import BaseModel

    class Content(BaseModel):
        role: str = "user"
        parts: list[dict] = [{"text": "what is the cat called?"}]

    alone = Content()
    with MemoryManager([FakeStore(["a fact"])]) as memory:
        assert memory.inject(alone).messages is alone


def test_a_counter_that_fails_near_the_window_costs_no_earlier_block():
    """What is carried is weighed before anything is searched; bytes are counted then."""
    hello = {"role": "user", "content": "merhaba dostum, bugün ne var ne yok?"}
    counting = [len]

    def count(text):
        return counting[0](text)

    def fail(text):
        raise RuntimeError("no vocabulary")

    injection = {"context_window": 170}
    with MemoryManager([FakeStore(["a fact"])], injection=injection, counter=count) as memory:
        memory.inject([hello])
        counting[0] = fail
        result = memory.inject([hello, REPLY, ASK])
    assert result.report.status == "replayed"
    assert result.report.warnings
    assert replayed(result.messages) == [True, False, False]


def test_a_report_of_half_a_character_can_be_written_down():
    """A lone surrogate in the ask is escaped in the report's JSON."""
    with MemoryManager([FakeStore(["a fact"])]) as memory:
        report = memory.inject([{"role": "user", "content": "çay \ud83d or coffee?"}]).report
    line = report.to_json()
    assert line.encode("utf-8")
    assert "çay" in line
    assert json.loads(line)["query"] == report.query


def test_a_scope_ends_with_its_manager():
    """A context that outlived one manager holds nothing for the next at the same address."""
    gone = Scoped()
    with gone.scope(user="ada"):
        left = contextvars.copy_context()
    address = id(gone)
    del gone
    kept = []
    while id(kept[-1] if kept else None) != address:
        kept.append(Scoped())
        if len(kept) > 10_000:
            pytest.skip("the address is not used again")
    assert left.run(kept[-1].current_scope) == Scope()


class Frozen:
    """A message that cannot be changed, as frozen attrs classes are."""

    def __init__(self, role, content):
        vars(self).update(role=role, content=content)

    def __setattr__(self, name, value):
        raise AttributeError("frozen")


class Sealed(Frozen):
    """One that cannot be copied either."""

    def __copy__(self):
        raise TypeError("one of a kind")


def test_a_frozen_message_object_carries_a_block():
    """A changed copy goes out; the caller's object stays as it was."""
    ask = Frozen("user", "what is the cat called?")
    with MemoryManager([FakeStore(["a fact"])]) as memory:
        result = memory.inject([ask])
    assert result.report.status == "injected"
    assert type(result.messages[0]) is Frozen
    assert result.messages[0].content == f"{ask.content}\n\n{result.block.text}"
    assert ask.content == "what is the cat called?"


def test_a_message_that_cannot_be_written_into_costs_the_others_nothing():
    """Neither now, when its block is new, nor later, when it would be written again."""
    found = ["one"]
    sealed = Sealed("user", "what is on the picture?")
    with MemoryManager([FakeStore(lambda query, options: list(found))]) as memory:
        memory.inject([HELLO])
        found[:] = ["two"]
        now = memory.inject([HELLO, REPLY, sealed])
        found[:] = ["three"]
        later = memory.inject([HELLO, REPLY, sealed, REPLY, ASK])
    assert (now.report.status, now.report.stage) == ("failed", "write")
    assert "one" in now.messages[0]["content"]
    assert now.messages[2] is sealed
    assert later.report.status == "injected"
    assert later.report.warnings
    assert "one" in later.messages[0]["content"]
    assert later.messages[2] is sealed
    assert "three" in later.messages[4]["content"]


@pytest.mark.parametrize("api", ["gemini", None])
@pytest.mark.parametrize("alone", [True, False])
def test_a_bare_part_is_an_ask_whoever_says_the_dialect(api, alone):
    """google-genai takes parts where contents stand; one part is a message like any other."""
    part = {"text": "what is the cat called?"}
    answer = {"role": "model", "parts": [{"text": "not much"}]}
    contents = [part] if alone else [{"text": "what is new?"}, answer, part]
    with MemoryManager([FakeStore(["Pamuk"])]) as memory:
        result = memory.inject(contents, api=api)
        again = memory.inject(result.messages, api=api)
    assert result.report.status == "injected"
    assert result.messages == [*contents, {"text": result.block.text}]
    assert again.messages == result.messages
