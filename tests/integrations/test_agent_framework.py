"""Agents of Microsoft Agent Framework with memory, against the bare agent on the same server."""

from __future__ import annotations

from typing import Any

import pytest

from memory_injection import ConfigurationError, Scope
from memory_injection.dialects.agent_framework import AgentFramework
from memory_injection.integrations.agent_framework import (
    MemoryContextProvider,
    MemoryMiddleware,
)
from memory_injection.testing.server import RecordingServer

from .diary import ASK, REPLIES, Diary, block, manager

framework = pytest.importorskip("agent_framework")

pytestmark = pytest.mark.filterwarnings("ignore")  # the framework's own

BOTH_WAYS = [
    lambda memory, **given: {"context_providers": [MemoryContextProvider(memory, **given)]},
    lambda memory, **given: {"middleware": [MemoryMiddleware(memory, **given)]},
]


def weather(city: str) -> str:
    """Say what the weather will be."""
    return f"rain in {city}"


async def run(stream: bool = False, **options: Any) -> list[Any]:
    """Have one turn; return each request's messages."""
    pytest.importorskip("agent_framework_openai")
    from agent_framework.openai import OpenAIChatCompletionClient
    from openai import AsyncOpenAI

    with RecordingServer(REPLIES) as server:
        async with AsyncOpenAI(base_url=f"{server.url}/v1", api_key="any") as openai:
            client = OpenAIChatCompletionClient(model="gpt-4o", async_client=openai)
            agent = framework.Agent(client=client, tools=[weather], **options)
            session = agent.create_session(session_id="s1")
            if stream:
                async for _ in agent.run(ASK, session=session, stream=True):
                    pass
            else:
                await agent.run(ASK, session=session)
        return [body["messages"] for body in server.bodies]


def asks(requests: list[Any]) -> list[str]:
    return [request[0]["content"] for request in requests]


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("options", BOTH_WAYS)
async def test_both_calls_of_a_turn_carry_the_same_block(options: Any, stream: bool) -> None:
    """As a provider and as middleware, the block is in the user's message, before and after."""
    diary = Diary()
    async with manager(diary) as memory:
        requests = await run(stream, **options(memory, scope={"user": "deniz"}))
    assert asks(requests) == [f"{ASK}\n\n{block('deniz')}"] * 2
    assert diary.asked == [Scope(user="deniz")]


@pytest.mark.parametrize("options", BOTH_WAYS)
async def test_what_surrounds_the_block_is_the_bare_agents(options: Any) -> None:
    """Without the block, the requests are those of an agent without memory."""
    async with manager(Diary()) as memory:
        requests = await run(**options(memory, scope={"user": "deniz"}))
    for request in requests:
        request[0]["content"] = request[0]["content"].replace(f"\n\n{block('deniz')}", "")
    assert requests == await run()


@pytest.mark.parametrize("trouble", ["store", "scope"])
@pytest.mark.parametrize("options", BOTH_WAYS)
async def test_trouble_in_memory_leaves_the_call_alone(options: Any, trouble: str) -> None:
    """A store or a scope function that raises: the requests are the bare agent's."""

    def scope(context: Any) -> Any:
        return {"user": context.session.state["nobody said"]}

    async with manager(Diary(fails=trouble == "store")) as memory:
        given = {"scope": scope} if trouble == "scope" else {}
        assert await run(**options(memory, **given)) == await run()


@pytest.mark.parametrize("options", BOTH_WAYS)
async def test_the_session_can_say_whose_memory(options: Any) -> None:
    """A scope function sees the session; ``memory.scope`` is laid over it."""
    diary = Diary()
    async with manager(diary) as memory:

        def scope(context: Any) -> Scope:
            return Scope(user="ada", session=context.session.session_id)

        await run(**options(memory, scope=scope))
        with memory.scope(agent="helper"):
            await run(**options(memory, scope=scope))
    assert diary.asked == [
        Scope(user="ada", session="s1"),
        Scope(user="ada", session="s1", agent="helper"),
    ]


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("options", BOTH_WAYS)
async def test_a_turn_is_learned_once(options: Any, stream: bool) -> None:
    """Both model calls are one turn: the ask, free of the block, and the final answer."""
    diary = Diary()
    async with manager(diary) as memory:
        await run(stream, **options(memory, scope={"user": "deniz"}))
        assert await memory.aflush(20)
    assert diary.told == [("user", ASK), ("assistant", "Take it.")]


def test_a_block_after_media_is_a_content_of_its_own() -> None:
    """A message that ends in an image gets one more text content; the message is not changed."""
    image = framework.Content.from_uri("https://example.com/a.png", media_type="image/png")
    message = framework.Message("user", ["look", image])
    dialect = AgentFramework()
    longer = dialect.append(message, "a block")
    assert [content.type for content in longer.contents] == ["text", "uri", "text"]
    assert longer.text.endswith("a block")
    assert len(message.contents) == 2
    assert dialect.read(dialect.remove(longer, ["a block"])) == dialect.read(message)


def test_objects_and_their_dicts_read_the_same() -> None:
    """A call, its result and an image mean the same in a ``Message`` and in its ``to_dict``."""
    make = framework.Content
    messages = [
        framework.Message(
            "user", ["look", make.from_uri("https://a.b/c.png", media_type="image/png")]
        ),
        framework.Message("assistant", [make.from_function_call("c1", "look", arguments="{}")]),
        framework.Message("tool", [make.from_function_result("c1", result="a cat")]),
        AgentFramework().system("Be brief."),
    ]
    dialect = AgentFramework()
    dicts = [message.to_dict() for message in messages]
    assert [dialect.read(one) for one in dicts] == [dialect.read(one) for one in messages]
    assert dialect.detect(messages) == dialect.detect(dicts) > 0.9


@pytest.mark.parametrize("kind", [MemoryContextProvider, MemoryMiddleware])
def test_a_manager_is_needed(kind: Any) -> None:
    """Anything else is refused at construction."""
    with pytest.raises(ConfigurationError, match="MemoryManager"):
        kind(Diary())
