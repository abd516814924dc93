"""OpenAI Agents runs with our input filter, against bare runs on the same local server."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from memory_injection import ConfigurationError
from memory_injection.integrations.openai_agents import MemoryHooks, MemoryInputFilter
from memory_injection.testing.server import RecordingServer

from .diary import ASK, REPLIES, Diary, block, manager

pytest.importorskip("agents.lifecycle")

import agents
import openai


@pytest.fixture
def server() -> Iterator[RecordingServer]:
    agents.set_tracing_disabled(True)
    with RecordingServer(REPLIES) as made:
        yield made


@agents.function_tool
def weather(city: str) -> str:
    """Say what the weather will be."""
    return f"rain in {city}"


MODELS = {"responses": agents.OpenAIResponsesModel, "chat": agents.OpenAIChatCompletionsModel}


async def _run(
    server: RecordingServer, filter: Any, api: str, streams: bool, options: dict[str, Any]
) -> Any:
    config = agents.RunConfig(call_model_input_filter=filter)
    async with openai.AsyncOpenAI(base_url=f"{server.url}/v1", api_key="any") as client:
        agent = agents.Agent(name="a", model=MODELS[api]("gpt-4o", client), tools=[weather])
        if not streams:
            return await agents.Runner.run(agent, ASK, run_config=config, **options)
        done = agents.Runner.run_streamed(agent, ASK, run_config=config, **options)
        async for _ in done.stream_events():
            pass
        return done


def run(
    server: RecordingServer,
    filter: Any = None,
    *,
    api: str = "responses",
    streams: bool = False,
    **options: Any,
) -> tuple[list[Any], Any]:
    """Run one turn with a tool; return the conversation of each request, and the run."""
    done = asyncio.run(_run(server, filter, api, streams, options))
    field = "input" if api == "responses" else "messages"
    return [body[field] for body in server.bodies], done


@pytest.mark.parametrize("api", MODELS)
@pytest.mark.parametrize("streams", [False, True])
def test_both_calls_of_a_turn_carry_the_same_block(
    server: RecordingServer, api: str, streams: bool
) -> None:
    """Before and after the tool, over both APIs; the run's own items hold none."""
    diary = Diary()
    with manager(diary) as memory:
        filter = MemoryInputFilter(memory, scope={"user": "deniz"})
        sent, done = run(server, filter, api=api, streams=streams)
    assert [request[0]["content"] for request in sent] == [f"{ASK}\n\n{block('deniz')}"] * 2
    assert "<memory>" not in str(done.to_input_list())
    assert len(diary.asked) == 1


@pytest.mark.parametrize("trouble", ["store", "scope"])
def test_trouble_in_memory_leaves_the_call_alone(server: RecordingServer, trouble: str) -> None:
    """A store or a scope function that raises: the requests are the bare run's."""
    scope = (lambda data: data.nothing) if trouble == "scope" else {"user": "deniz"}
    with manager(Diary(fails=trouble == "store")) as memory:
        sent, _ = run(server, MemoryInputFilter(memory, scope=scope))
    with RecordingServer(REPLIES) as other:
        assert sent == run(other)[0]


def test_a_run_tells_whose_memory(server: RecordingServer) -> None:
    """A scope function reads the run's context."""
    with manager(Diary()) as memory:
        filter = MemoryInputFilter(memory, scope=lambda data: data.context)
        sent, _ = run(server, filter, context={"user": "ada"})
    assert block("ada") in sent[0][0]["content"]


def test_the_scope_around_a_run_is_laid_over_the_filters(server: RecordingServer) -> None:
    """``memory.scope`` reaches the model call through the SDK's own tasks."""
    with manager(Diary()) as memory, memory.scope(user="ada"):
        sent, _ = run(server, MemoryInputFilter(memory, scope={"user": "deniz"}))
    assert block("ada") in sent[1][0]["content"]


@pytest.mark.parametrize("streams", [False, True])
def test_a_turn_is_learned_once(server: RecordingServer, streams: bool) -> None:
    """Both model calls are one turn: the ask, free of the block, and the final answer."""
    diary = Diary()
    with manager(diary) as memory:
        filter = MemoryInputFilter(memory, scope={"user": "deniz"})
        run(server, filter, hooks=MemoryHooks(memory, scope={"user": "deniz"}), streams=streams)
        assert memory.flush(20)
    assert diary.told == [("user", ASK), ("assistant", "Take it.")]


def test_hooks_are_the_sdks_and_both_need_a_manager() -> None:
    """Anything but a manager is refused at construction."""
    with manager(Diary()) as memory:
        assert isinstance(MemoryHooks(memory), agents.lifecycle.RunHooksBase)
    for kind in (MemoryInputFilter, MemoryHooks):
        with pytest.raises(ConfigurationError, match="MemoryManager"):
            kind(Diary())
