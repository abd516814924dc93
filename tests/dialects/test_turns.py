"""Memory through whole conversations, model call by model call, in every dialect."""

import itertools
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory_injection.dialects import dialect_named
from memory_injection.manager import MemoryManager

Shape = Any  # how one dialect writes a conversation: see conftest.py
Message = Any

lawful = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


class News:
    """A store that always has something, and never the same twice."""

    name = "news"

    def __init__(self) -> None:
        self.numbers = itertools.count(1)

    def search(self, query: str, options: Any = None) -> list[str]:
        return [f"Item {next(self.numbers)} is new."]


def manager(trigger: str = "userTurn") -> MemoryManager:
    # Time enough on a busy machine: these laws are not about the deadline.
    injection = {"trigger": trigger, "min_relevance": None, "follow_up": "off", "timeout": 20}
    return MemoryManager([News()], injection=injection, counter=lambda text: len(text) // 4 + 1)


def model_calls(name: str, messages: list[Message]) -> Iterator[int]:
    """Yield how many messages are there at each call of the model: what comes next is its own."""
    roles = [dialect_named(name).read(message).role for message in messages]
    for length in range(1, len(messages) + 1):
        follows = roles[length] if length < len(roles) else "assistant"
        if roles[length - 1] != "assistant" and follows == "assistant":
            yield length


def wire(shape: Shape, messages: list[Message]) -> list[str]:
    return [json.dumps(shape.as_json(message)) for message in messages]


@pytest.mark.parametrize("trigger", ["userTurn", "everyTurn"])
@lawful
@given(data=st.data())
def test_each_request_begins_with_the_one_before(shape: Shape, data: st.DataObject, trigger: str):
    """The caller keeps a clean history; earlier blocks stand where they stood, byte for byte."""
    history = data.draw(shape.conversations())
    before = wire(shape, history)
    sent: list[str] = []
    with manager(trigger) as memory:
        for length in model_calls(shape.name, history):
            result = memory.inject(history[:length], api=shape.name)
            assert result.report.status != "failed", result.report.error
            now = wire(shape, result.messages)
            # The latest step may add a block to a message that was sent before it without one.
            kept = len(sent) if trigger == "userTurn" or shape.merges else 0
            assert now[:kept] == sent[:kept]
            sent = now
    assert wire(shape, history) == before


@pytest.mark.parametrize("trigger", ["userTurn", "everyTurn"])
@lawful
@given(data=st.data())
def test_keeping_the_result_sends_the_same(shape: Shape, data: st.DataObject, trigger: str):
    """Two ways of use, same bytes: a clean history, or the messages that came back."""
    history = data.draw(shape.conversations())
    kept: list[Message] = []
    with manager(trigger) as clean, manager(trigger) as keeping:
        for length in model_calls(shape.name, history):
            one = clean.inject(history[:length], api=shape.name)
            kept = [*kept, *history[len(kept) : length]]
            two = keeping.inject(kept, api=shape.name)
            kept = two.messages
            assert wire(shape, two.messages) == wire(shape, one.messages)
            assert two.report.status == one.report.status


@pytest.mark.parametrize("trigger", ["userTurn", "everyTurn"])
@lawful
@given(data=st.data())
def test_a_second_injection_changes_nothing(shape: Shape, data: st.DataObject, trigger: str):
    """At any call of the conversation."""
    history = data.draw(shape.conversations())
    with manager(trigger) as memory:
        for length in model_calls(shape.name, history):
            once = memory.inject(history[:length], api=shape.name)
            twice = memory.inject(once.messages, api=shape.name)
            assert wire(shape, twice.messages) == wire(shape, once.messages)


@pytest.mark.parametrize("trigger", ["userTurn", "everyTurn"])
@lawful
@given(data=st.data())
def test_no_call_is_parted_from_its_result(shape: Shape, data: st.DataObject, trigger: str):
    """Whatever is written while tools run."""
    history = data.draw(shape.conversations())
    with manager(trigger) as memory:
        for length in model_calls(shape.name, history):
            result = memory.inject(history[:length], api=shape.name)
            waiting: set[str] = set()
            for kind, id in shape.traffic(result.messages):
                if kind == "call":
                    waiting.add(id)
                elif kind == "result":
                    waiting.remove(id)
                else:
                    assert not waiting
            assert not waiting


def test_a_tool_round_is_no_new_turn(shape: Shape):
    """The ask is searched once; its block is there at every call until the next ask."""
    words = "What does the cat eat today?"
    ask = shape.ask(words if shape.takes_strings else [shape.text(words)])
    loop = [ask, *shape.calls(["c1"]), *shape.results(["c1"])]
    with manager() as memory:
        first = memory.inject(loop[:1], api=shape.name)
        second = memory.inject(loop, api=shape.name)
        again = memory.inject([*first.messages, *loop[1:]], api=shape.name)
    assert first.report.status == "injected"
    assert second.report.status == again.report.status == "replayed"
    assert second.messages[0] == again.messages[0] == first.messages[0]
    assert second.messages[1:] == loop[1:]


def test_reasoning_may_be_dropped_from_a_history():
    """Items that say nothing do not make it another conversation."""
    thought = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"}
    say = ["What does the cat eat today?", "Fish.", "And the dog, what does it eat?", "Meat."]
    roles = itertools.cycle(["user", "assistant"])
    ask, answer, more, another = ({"role": next(roles), "content": words} for words in say)
    last = {"role": "user", "content": "Who feeds them both in the evening?"}
    with manager() as memory:
        memory.inject([ask], api="openai.responses")
        second = memory.inject([ask, thought, answer, more], api="openai.responses")
        third = memory.inject([ask, answer, more, another, last], api="openai.responses")
    assert third.report.replayed_blocks == 2
    assert third.messages[2] == second.messages[3] != more


@pytest.mark.parametrize(
    ("first", "second", "status"),
    [
        ({"previous_response_id": "resp_1"}, {"previous_response_id": "resp_2"}, "injected"),
        ({"previous_response_id": "resp_1"}, {"previous_response_id": "resp_1"}, "replayed"),
        ({"previous_response_id": "resp_1"}, {}, "injected"),
        ({"conversation": "conv_1"}, {"conversation": "conv_1"}, "injected"),
        ({"conversation": {"id": "conv_1"}}, {"conversation": {"id": "conv_1"}}, "injected"),
        ({}, {}, "replayed"),
    ],
)
def test_equal_words_later_on_are_another_turn(
    first: dict[str, Any], second: dict[str, Any], status: str
):
    """Where the provider keeps the history, only the id tells one "tell me more" from another."""
    words = {"model": "m", "input": "Tell me more about the cat, please."}
    with manager() as memory:
        assert memory.inject_request({**words, **first}).report.status == "injected"
        result = memory.inject_request({**words, **second})
        assert result.report.status == status
        again = memory.inject_request(result.request or {})
    assert again.request == result.request


def test_bare_parts_are_one_ask_without_naming_the_dialect():
    """The picture after the question does not hide it."""
    image = {"inlineData": {"mimeType": "image/png", "data": "iVBORw0="}}
    with manager() as memory:
        result = memory.inject(["What does the cat eat today?", image])
    assert (result.report.status, result.report.dialect) == ("injected", "gemini")
    assert result.messages[:2] == ["What does the cat eat today?", image]
    assert "Item 1 is new." in result.messages[2]["text"]
