"""Google ADK apps with our plugin, against the bare app on the same local server."""

from __future__ import annotations

from typing import Any

import pytest

from memory_injection import ConfigurationError, Scope
from memory_injection.integrations.google_adk import MemoryPlugin
from memory_injection.testing.server import RecordingServer

from .diary import ASK, REPLIES, Diary, block, manager

pytest.importorskip("google.adk")

pytestmark = pytest.mark.filterwarnings("ignore")  # ADK's own, in many places


def weather(city: str) -> str:
    """Say what the weather will be."""
    return f"rain in {city}"


def app(client: Any, plugins: list[Any]) -> Any:
    from google.adk.agents import LlmAgent
    from google.adk.apps import App
    from google.adk.models import Gemini

    model = Gemini(model="gemini-2.5-flash", client=client)
    return App(
        name="memory",
        root_agent=LlmAgent(name="helper", model=model, tools=[weather]),
        plugins=plugins,
    )


async def run(*plugins: Any, streaming: bool = False) -> list[Any]:
    """Have one turn as the user ``deniz``; return each request's contents."""
    from google.adk.agents.run_config import RunConfig, StreamingMode
    from google.adk.runners import InMemoryRunner
    from google.genai import Client, types

    mode = StreamingMode.SSE if streaming else StreamingMode.NONE
    with RecordingServer(REPLIES) as server:
        client = Client(api_key="any", http_options=types.HttpOptions(base_url=server.url))
        async with client.aio, InMemoryRunner(app=app(client, list(plugins))) as runner:
            session = await runner.session_service.create_session(
                app_name="memory", user_id="deniz", session_id="s1"
            )
            async for _ in runner.run_async(
                user_id="deniz",
                session_id=session.id,
                new_message=types.UserContent(ASK),
                run_config=RunConfig(streaming_mode=mode),
            ):
                pass
        return [body["contents"] for body in server.bodies]


def texts(requests: list[Any]) -> list[str]:
    return [request[0]["parts"][-1]["text"] for request in requests]


async def test_both_calls_of_a_turn_carry_the_same_block() -> None:
    """The block stands in the user's content; the scope is the run's user and session."""
    diary = Diary()
    async with manager(diary) as memory:
        requests = await run(MemoryPlugin(memory))
    assert texts(requests) == [block("deniz")] * 2
    assert diary.asked == [Scope(user="deniz", session="s1")]


async def test_what_surrounds_the_block_is_the_bare_apps() -> None:
    """Without the block, the requests are those of an app without memory."""
    async with manager(Diary()) as memory:
        requests = await run(MemoryPlugin(memory))
    for request in requests:
        del request[0]["parts"][-1]
    assert requests == await run()


@pytest.mark.parametrize("trouble", ["store", "scope"])
async def test_trouble_in_memory_leaves_the_call_alone(trouble: str) -> None:
    """A store or a scope function that raises: the requests are the bare app's."""

    def scope(context: Any) -> Any:
        return {"user": context.state["nobody said"]}

    async with manager(Diary(fails=trouble == "store")) as memory:
        plugin = MemoryPlugin(memory, scope=scope if trouble == "scope" else None)
        assert await run(plugin) == await run()


async def test_the_scope_can_be_set_otherwise() -> None:
    """A scope of the plugin's replaces the run's; ``memory.scope`` is laid over both."""
    async with manager(Diary()) as memory:
        requests = await run(MemoryPlugin(memory, scope=lambda context: {"user": "ada"}))
        assert texts(requests) == [block("ada")] * 2
        with memory.scope(user="ben"):
            assert texts(await run(MemoryPlugin(memory))) == [block("ben")] * 2


@pytest.mark.parametrize("streaming", [False, True])
async def test_a_turn_is_learned_once(streaming: bool) -> None:
    """Both model calls are one turn: the ask, free of the block, and the final answer."""
    diary = Diary()
    async with manager(diary) as memory:
        await run(MemoryPlugin(memory), streaming=streaming)
        assert await memory.aflush(20)
    assert diary.told == [("user", ASK), ("assistant", "Take it.")]


def test_the_plugin_needs_a_manager() -> None:
    """Anything else is refused at construction."""
    with pytest.raises(ConfigurationError, match="MemoryManager"):
        MemoryPlugin(Diary())
