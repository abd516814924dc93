"""LiteLLM with our callback, against the bare module on the same local server."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from typing import Any

import pytest

from memory_injection import ConfigurationError, Scope
from memory_injection.integrations.litellm import MemoryLogger
from memory_injection.testing.server import RecordingServer

from .diary import ASK, Diary, block, manager

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
litellm = pytest.importorskip("litellm")

pytestmark = [
    pytest.mark.filterwarnings("ignore"),  # LiteLLM's own, in many places
    pytest.mark.asyncio(loop_scope="module"),  # its worker lives on the loop of the first call
]

MESSAGES = [{"role": "user", "content": ASK}]


@pytest.fixture
def server() -> Iterator[RecordingServer]:
    with RecordingServer(["Take it."]) as made:
        yield made
    litellm.callbacks = []


async def call(server: RecordingServer, **options: Any) -> Any:
    where = {"api_base": f"{server.url}/v1", "api_key": "any", "max_retries": 0}
    return await litellm.acompletion(model="openai/m", messages=MESSAGES, **where, **options)


async def told(diary: Diary, memory: Any) -> list[tuple[str, str]]:
    """Wait for LiteLLM's own task to report the reply."""
    for _ in range(500):
        await memory.aflush(20)
        if len(diary.told) >= 2:
            break
        await asyncio.sleep(0.01)
    return diary.told


async def test_async_calls_carry_memory(server: RecordingServer) -> None:
    """The request has the block, the caller's messages do not."""
    async with manager(Diary()) as memory:
        litellm.callbacks = [MemoryLogger(memory, scope={"user": "deniz"})]
        reply = await call(server)
    assert reply.choices[0].message.content == "Take it."
    assert server.bodies[0]["messages"][0]["content"] == f"{ASK}\n\n{block('deniz')}"
    assert MESSAGES == [{"role": "user", "content": ASK}]


async def test_what_surrounds_the_block_is_the_bare_modules(server: RecordingServer) -> None:
    """Nothing but the block is added to the request."""
    await call(server, temperature=0.5)
    async with manager(Diary()) as memory:
        litellm.callbacks = [MemoryLogger(memory, scope={"user": "deniz"})]
        await call(server, temperature=0.5)
    bare, remembered = server.bodies
    remembered["messages"][0]["content"] = ASK
    assert remembered == bare


async def test_the_calls_own_arguments_say_whose(server: RecordingServer) -> None:
    """A scope function reads the keyword arguments; ``memory.scope`` is laid over it."""
    diary = Diary()
    async with manager(diary) as memory:
        scope = MemoryLogger(memory, scope=lambda given: {"user": given["metadata"]["whose"]})
        litellm.callbacks = [scope]
        await call(server, metadata={"whose": "ada"})
        with memory.scope(session="s1"):
            await call(server, metadata={"whose": "ada"})
    assert diary.asked == [Scope(user="ada"), Scope(user="ada", session="s1")]


@pytest.mark.parametrize("trouble", ["store", "scope"])
async def test_trouble_in_memory_leaves_the_call_alone(
    server: RecordingServer, trouble: str
) -> None:
    """A store or a scope function that raises: the request is the bare module's."""
    await call(server)
    async with manager(Diary(fails=trouble == "store")) as memory:
        scope = (lambda given: {"user": given["nobody said"]}) if trouble == "scope" else None
        litellm.callbacks = [MemoryLogger(memory, scope=scope)]
        await call(server)
    assert server.bodies[0] == server.bodies[1]


async def test_a_router_and_responses_carry_memory_too(server: RecordingServer) -> None:
    """A ``Router``'s deployments and ``aresponses`` go through the same hook."""
    where = {"model": "openai/m", "api_base": f"{server.url}/v1", "api_key": "any"}
    async with manager(Diary()) as memory:
        litellm.callbacks = [MemoryLogger(memory, scope={"user": "deniz"})]
        router = litellm.Router(model_list=[{"model_name": "any", "litellm_params": where}])
        await router.acompletion(model="any", messages=MESSAGES)
        await litellm.aresponses(input=ASK, **where)
    assert [block("deniz") in str(request.raw.decode().encode().decode("unicode_escape"))
            for request in server.requests] == [True, True]  # fmt: skip


@pytest.mark.parametrize("stream", [False, True])
async def test_a_turn_is_learned_once(server: RecordingServer, stream: bool) -> None:
    """The ask, free of the block, and the answer, for the scope of the call."""
    diary = Diary()
    async with manager(diary) as memory:
        litellm.callbacks = [MemoryLogger(memory, scope={"user": "deniz"})]
        reply = await call(server, stream=stream)
        if stream:
            async for _ in reply:
                pass
        assert await told(diary, memory) == [("user", ASK), ("assistant", "Take it.")]


async def test_other_calls_are_left_alone() -> None:
    """Embeddings and images have no conversation."""
    async with manager(Diary()) as memory:
        logger = MemoryLogger(memory)
        assert await logger.async_pre_call_deployment_hook({"input": ["x"]}, "aembedding") is None


def test_the_logger_needs_a_manager() -> None:
    """Anything else is refused at construction."""
    with pytest.raises(ConfigurationError, match="MemoryManager"):
        MemoryLogger(Diary())
