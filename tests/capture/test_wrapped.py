"""Capture through wrapped clients: the real openai client against a local server."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from memory_injection import MemoryManager, Scope, wrap
from memory_injection.stores.provider import ProviderStore
from memory_injection.testing.server import RecordingServer, Reply, ToolCall
from memory_injection.tools import Tool, Toolset, arun_tool_loop, run_tool_loop

from .fakes import Log, user

openai = pytest.importorskip("openai")

LOOP = [
    Reply(tool_calls=[ToolCall("locate", {"parcel": 1}, "c1")]),
    Reply(tool_calls=[ToolCall("locate", {"parcel": 2}, "c2")]),
    Reply("Both are in Oslo."),
]
SCHEMA = {"type": "object", "properties": {"parcel": {"type": "integer"}}, "required": ["parcel"]}
TOOLS = Toolset([Tool("locate", "Finds a parcel.", SCHEMA, lambda parcel: "in Oslo")])


@pytest.fixture
def serve() -> Iterator[Any]:
    servers: list[RecordingServer] = []

    def start(replies: Any) -> RecordingServer:
        servers.append(RecordingServer(replies))
        return servers[-1]

    yield start
    for server in servers:
        server.close()


class Provider:
    """Both hooks of an agent framework, counted."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.told: list[tuple[str, str]] = []

    def get_context(self, text: str) -> dict[str, str]:
        self.asked.append(text)
        return {"context_text": "Parcels 1 and 2 belong to Anna."}

    def observe(self, role: str, text: str) -> None:
        self.told.append((role, text))


class AsyncProvider(Provider):
    """The same, async."""

    async def get_context(self, text: str) -> dict[str, str]:  # type: ignore[override]
        return super().get_context(text)

    async def observe(self, role: str, text: str) -> None:  # type: ignore[override]
        super().observe(role, text)


@pytest.mark.parametrize("kind", [Provider, AsyncProvider])
@pytest.mark.parametrize("is_async", [False, True])
async def test_a_provider_is_asked_once_and_told_twice(
    serve: Any, kind: type[Provider], is_async: bool
) -> None:
    """A three-call tool loop: one get_context, one block in all calls, two observations."""
    server, provider = serve(LOOP), kind()
    memory = MemoryManager([ProviderStore(provider)])
    ask = [user("Where are my parcels?")]
    if is_async:
        async with openai.AsyncOpenAI(base_url=f"{server.url}/v1", api_key="k") as bare:
            create = wrap(bare, memory).chat.completions.create
            done = await arun_tool_loop(create, ask, TOOLS, model="m")
        assert await memory.aflush(20)
    else:
        with openai.OpenAI(base_url=f"{server.url}/v1", api_key="k") as bare:
            create = wrap(bare, memory).chat.completions.create
            done = run_tool_loop(create, ask, TOOLS, model="m")
        assert memory.flush(20)
    memory.close()
    assert done.reply.choices[0].message.content == "Both are in Oslo."
    assert (done.rounds, done.finished) == (3, True)
    assert provider.asked == ["Where are my parcels?"]
    assert provider.told == [
        ("user", "Where are my parcels?"),
        ("assistant", "Both are in Oslo."),
    ]
    firsts = [body["messages"][0]["content"] for body in server.bodies]
    assert len(set(firsts)) == 1
    assert "Parcels 1 and 2 belong to Anna." in firsts[0]


class ReadOnly:
    """A provider with the reading hook alone; it answers a bare string."""

    def get_context(self, text: str, token_budget: int = 0) -> str:
        return "Anna lives in Oslo."


class WriteOnly:
    """A provider with the writing hook alone."""

    def __init__(self) -> None:
        self.told: list[tuple[str, str]] = []

    def observe(self, role: str, text: str) -> None:
        self.told.append((role, text))


class Raising:
    """Both hooks raise."""

    def get_context(self, text: str) -> None:
        raise RuntimeError("recall")

    def observe(self, role: str, text: str) -> None:
        raise RuntimeError("observe")


class Rubbish:
    """The hooks answer what nobody asked for."""

    def get_context(self, text: str) -> Any:
        return {"context_text": 7}

    def observe(self, role: str, text: str) -> Any:
        return object()


class Hanging:
    """Both hooks hang until the test is over."""

    def __init__(self) -> None:
        self.over = threading.Event()

    def get_context(self, text: str) -> None:
        self.over.wait(20)

    async def observe(self, role: str, text: str) -> None:
        await asyncio.get_running_loop().run_in_executor(None, self.over.wait, 20)


@pytest.mark.parametrize("kind", [ReadOnly, WriteOnly, Raising, Rubbish, Hanging])
def test_no_provider_touches_the_reply(serve: Any, kind: type[Any]) -> None:
    """One hook, raising hooks, rubbish, hanging hooks: the reply is what the model said."""
    server, provider = serve(["Hello Anna."]), kind()
    memory = MemoryManager([ProviderStore(provider)], injection={"timeout": 0.2})
    began = time.monotonic()
    with openai.OpenAI(base_url=f"{server.url}/v1", api_key="k") as bare:
        client = wrap(bare, memory)
        reply = client.chat.completions.create(model="m", messages=[user("Where do I live?")])
    assert reply.choices[0].message.content == "Hello Anna."
    assert time.monotonic() - began < 3
    getattr(provider, "over", threading.Event()).set()
    memory.close(timeout=2)
    if kind is ReadOnly:
        assert "Anna lives in Oslo." in server.bodies[0]["messages"][0]["content"]
    else:
        assert server.bodies[0]["messages"] == [user("Where do I live?")]
    if kind is WriteOnly:
        assert provider.told == [("user", "Where do I live?"), ("assistant", "Hello Anna.")]


def test_a_stream_is_captured_when_it_ends(serve: Any) -> None:
    """A streamed answer is stored whole; the stream the caller sees is untouched."""
    server, log = serve([Reply("One two three.")]), Log()
    memory = MemoryManager([log])
    with openai.OpenAI(base_url=f"{server.url}/v1", api_key="k") as bare:
        client = wrap(bare, memory, scope=Scope(user="anna"))
        with client.chat.completions.create(
            model="m", messages=[user("Count")], stream=True
        ) as stream:
            pieces = [chunk.choices[0].delta.content or "" for chunk in stream if chunk.choices]
    memory.close(20)
    assert "".join(pieces) == "One two three."
    assert log.said == [("user", "Count"), ("assistant", "One two three.")]
    assert log.batches[0][1].scope == Scope(user="anna")


async def test_an_abandoned_stream_is_captured_as_far_as_it_came(serve: Any) -> None:
    """Who stops reading half-way has the user's words and the piece received stored."""
    server, log = serve([Reply("One two three four five six.")]), Log()
    memory = MemoryManager([log])
    async with openai.AsyncOpenAI(base_url=f"{server.url}/v1", api_key="k") as bare:
        client = wrap(bare, memory)
        stream = await client.chat.completions.create(
            model="m", messages=[user("Count")], stream=True
        )
        said = ""
        async for chunk in stream:
            said += (chunk.choices[0].delta.content or "") if chunk.choices else ""
            if said:
                break
        await stream.close()
    assert await memory.aflush(20)
    await memory.aclose()
    assert log.said[0] == ("user", "Count")
    assert log.said[1][1].startswith(said.strip())


def test_a_failed_call_is_not_a_turn(serve: Any) -> None:
    """When the provider answers an error, the retry that works is stored, once."""
    server, log = serve([Reply(status=400), Reply("Now it works.")]), Log()
    memory = MemoryManager([log])
    with openai.OpenAI(base_url=f"{server.url}/v1", api_key="k", max_retries=0) as bare:
        client = wrap(bare, memory)
        with pytest.raises(openai.BadRequestError):
            client.chat.completions.create(model="m", messages=[user("Hi")])
        client.chat.completions.create(model="m", messages=[user("Hi")])
    memory.close(20)
    assert log.said == [("user", "Hi"), ("assistant", "Now it works.")]


def test_scope_around_a_call_is_the_scope_of_its_memories(serve: Any) -> None:
    """With memory.scope(...) decides whose memories a wrapped call writes."""
    server, log = serve(["ok"]), Log()
    memory = MemoryManager([log])
    with openai.OpenAI(base_url=f"{server.url}/v1", api_key="k") as bare:
        client = wrap(bare, memory, scope=Scope(user="anna", agent="a"))
        with memory.scope(user="ben", session="s9"):
            client.chat.completions.create(model="m", messages=[user("I am Ben")])
    memory.close(20)
    context = log.batches[0][1]
    assert (context.scope, context.session) == (Scope(user="ben"), "s9")
