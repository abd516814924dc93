"""Pydantic AI agents with our capability, against the bare agent with the same scripted model."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from memory_injection import ConfigurationError
from memory_injection.integrations.pydantic_ai import MemoryCapability
from memory_injection.testing import assert_prefix_stable

from .diary import ASK, Diary, block, manager

pytest.importorskip("pydantic_ai.capabilities")

from pydantic_ai import Agent
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ModelMessagesTypeAdapter, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import DeltaToolCall, FunctionModel


class Script:
    """Calls the tool, then answers; keeps what it was sent."""

    def __init__(self) -> None:
        self.sent: list[Any] = []
        self.model = FunctionModel(self.reply, stream_function=self.stream)

    def _asks(self, messages: list[Any]) -> bool:
        stored = ModelMessagesTypeAdapter.dump_python(messages, mode="json")
        self.sent.append([_said(message) for message in stored])
        return messages[-1].parts[-1].part_kind == "user-prompt"

    def reply(self, messages: list[Any], info: Any) -> ModelResponse:
        if self._asks(messages):
            return ModelResponse(parts=[ToolCallPart("weather", {"city": "Bergen"}, "c1")])
        return ModelResponse(parts=[TextPart("Take it.")])

    async def stream(self, messages: list[Any], info: Any) -> AsyncIterator[Any]:
        if self._asks(messages):
            yield {0: DeltaToolCall("weather", '{"city": "Bergen"}', tool_call_id="c1")}
        else:
            yield "Take "
            yield "it."


def _said(message: Any) -> Any:
    """Return the parts without times and ids, which differ from run to run."""
    keys = ("part_kind", "content", "tool_name")
    return [{key: part.get(key) for key in keys} for part in message["parts"]]


def weather(city: str) -> str:
    """Say what the weather will be."""
    return f"rain in {city}"


async def _streamed(agent: Any, ask: str, options: Any) -> list[Any]:
    async with agent.run_stream(ask, **options) as result:
        await result.get_output()
        return list(result.all_messages())


def async_run(agent: Any, ask: str, **options: Any) -> list[Any]:
    return list(asyncio.run(agent.run(ask, **options)).all_messages())


def streamed_run(agent: Any, ask: str, **options: Any) -> list[Any]:
    return asyncio.run(_streamed(agent, ask, options))


each = pytest.mark.parametrize("run", [async_run, streamed_run])
Run = Callable[..., list[Any]]


def sent_by(run: Run, *capabilities: Any, **options: Any) -> tuple[list[Any], list[Any]]:
    """Run one turn with a tool; return what the model was sent, and the history."""
    script = Script()
    agent = Agent(script.model, tools=[weather], capabilities=capabilities, deps_type=dict)
    history = run(agent, ASK, **options)
    return script.sent, history


def asks(sent: list[Any]) -> list[str]:
    return [request[0][-1]["content"] for request in sent]


@each
def test_both_requests_of_a_turn_carry_the_same_block(run: Run) -> None:
    """Before and after the tool; the history holds none; recall happens once."""
    diary = Diary()
    with manager(diary) as memory:
        sent, history = sent_by(run, MemoryCapability(memory, scope={"user": "deniz"}))
    assert asks(sent) == [f"{ASK}\n\n{block('deniz')}"] * 2
    assert "<memory>" not in str(history)
    assert len(diary.asked) == 1


@each
@pytest.mark.parametrize("trouble", ["store", "scope"])
def test_trouble_in_memory_leaves_the_request_alone(run: Run, trouble: str) -> None:
    """A store or a scope function that raises: the requests are the bare agent's."""
    scope = (lambda context: context.nothing) if trouble == "scope" else {"user": "deniz"}
    with manager(Diary(fails=trouble == "store")) as memory:
        sent, _ = sent_by(run, MemoryCapability(memory, scope=scope))
    assert sent == sent_by(run)[0]


@each
def test_a_run_tells_whose_memory(run: Run) -> None:
    """A scope function reads the run's deps; ``memory.scope`` around the run wins."""
    with manager(Diary()) as memory:
        capability = MemoryCapability(memory, scope=lambda context: context.deps)
        sent, _ = sent_by(run, capability, deps={"user": "ada"})
        assert block("ada") in asks(sent)[0]
        with memory.scope(user="deniz"):
            sent, _ = sent_by(run, capability, deps={"user": "ada"})
        assert block("deniz") in asks(sent)[1]


@each
def test_a_turn_is_learned_once(run: Run) -> None:
    """Both requests are one turn: the ask, free of the block, and the final answer."""
    diary = Diary()
    with manager(diary) as memory:
        sent_by(run, MemoryCapability(memory, scope={"user": "deniz"}))
        assert memory.flush(20)
    assert diary.told == [("user", ASK), ("assistant", "Take it.")]


def test_a_stored_conversation_keeps_its_prefix() -> None:
    """The history goes to disk as JSON and comes back; the block stands where it stood."""
    script = Script()
    with manager(Diary()) as memory:
        capability = MemoryCapability(memory, scope={"user": "deniz"})
        agent = Agent(script.model, tools=[weather], capabilities=[capability])
        history = async_run(agent, ASK)
        stored = ModelMessagesTypeAdapter.dump_json(history)
        async_run(agent, "And now?", message_history=ModelMessagesTypeAdapter.validate_json(stored))
    assert len(script.sent) == 4
    assert_prefix_stable(script.sent)


def test_it_is_a_capability_of_pydantic_ais() -> None:
    """An object of both classes; anything but a manager is refused."""
    with manager(Diary()) as memory:
        assert isinstance(MemoryCapability(memory), AbstractCapability)
    with pytest.raises(ConfigurationError, match="MemoryManager"):
        MemoryCapability(Diary())
