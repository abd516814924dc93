from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from memory_injection.clients import wrap
from memory_injection.records import Scope
from memory_injection.testing.server import RecordingServer, Reply

from .scenes import CALL, captured

ollama = pytest.importorskip("ollama")

ASK = [{"role": "user", "content": "Where do I live?"}]
MESSAGE = captured(None)


def sync(server: RecordingServer) -> Any:
    return ollama.Client(host=server.url)


def asynchronous(server: RecordingServer) -> Any:
    return ollama.AsyncClient(host=server.url)


@contextlib.contextmanager
def closing(client: Any) -> Iterator[Any]:
    """Close the client's connections: early versions have no ``close`` of their own."""
    try:
        yield client
    finally:
        client._client.close()


@contextlib.asynccontextmanager
async def aclosing(client: Any) -> AsyncIterator[Any]:
    try:
        yield client
    finally:
        await client._client.aclose()


def chat(client: Any) -> Any:
    with closing(client):
        return client.chat(model="m", messages=ASK)


def positional(client: Any) -> Any:
    with closing(client):
        return client.chat("m", [ollama.Message(role="user", content="Where do I live?")])


def stream(client: Any) -> Any:
    with closing(client):
        reply = client.chat("m", ASK, stream=True)
        return type(reply), list(reply)


async def achat(client: Any) -> Any:
    async with aclosing(client):
        return await client.chat(model="m", messages=ASK)


async def astream(client: Any) -> Any:
    async with aclosing(client):
        reply = await client.chat("m", ASK, stream=True)
        return type(reply), [chunk async for chunk in reply]


SCENES = [(sync, chat), (sync, stream), (asynchronous, achat), (asynchronous, astream)]


@pytest.mark.parametrize("captures", [False, True])
@pytest.mark.parametrize(("make", "scene"), SCENES)
async def test_the_caller_sees_what_the_bare_client_gives(
    make: Any, scene: Any, captures: bool, compare: Any, fake_memory: Any
) -> None:
    """Values, chunks and kinds of iterator are the bare client's; the turn is captured once."""
    memory = fake_memory(captures=captures)
    plain, remembered = await compare(make, scene, [CALL], memory)
    assert plain.bodies[0]["messages"] == ASK
    assert [b["messages"][0]["content"] for b in remembered.bodies] == [
        "Where do I live?\n\n<memory>u</memory>"
    ]
    assert [turn["reply"] for turn in memory.turns] == [MESSAGE] * captures
    assert all(turn["request_body"]["messages"] == ASK for turn in memory.turns)


@pytest.mark.parametrize(("make", "scene"), SCENES)
async def test_the_providers_error_is_the_callers(
    make: Any, scene: Any, compare: Any, fake_memory: Any
) -> None:
    """What the SDK raises comes through, type and text; nothing is captured."""
    memory = fake_memory(captures=True)
    await compare(make, scene, [Reply("no such model", status=404)], memory)
    assert memory.turns == []


async def test_a_wrong_call_is_the_sdks_to_refuse(compare: Any, fake_memory: Any) -> None:
    """Too many positional arguments, or one given twice: the SDK's own TypeError."""
    memory = fake_memory()
    for wrong in (
        lambda client: client.chat("m", ASK, None),
        lambda client: client.chat("m", model="n"),
    ):
        await compare(sync, wrong, ["ok"], memory)
    assert memory.seen == []


def test_wrapping_twice_injects_once(serve: Any, fake_memory: Any) -> None:
    """A second wrap replaces the first; the original and its type stay."""
    server = serve(["ok"])
    first, second = fake_memory(), fake_memory()
    with closing(sync(server)) as bare:
        wrapped = wrap(wrap(bare, first), second, scope={"user": "b"})
        assert type(wrapped) is type(bare)
        wrapped.chat("m", ASK)
        bare.chat("m", ASK)
    assert [body["messages"][0]["content"][16:] for body in server.bodies] == [
        "\n\n<memory>b</memory>",
        "",
    ]
    assert (first.seen, second.seen) == ([], [("ollama", Scope(user="b"))])


def test_an_abandoned_stream_is_captured_as_far_as_it_came(serve: Any, fake_memory: Any) -> None:
    """Closing the generator hands over what had arrived."""
    memory = fake_memory(captures=True)
    with closing(sync(serve(["one two three"]))) as bare:
        reply = wrap(bare, memory).chat("m", ASK, stream=True)
        next(reply)
        next(reply)
        reply.close()
    assert [turn["reply"]["content"] for turn in memory.turns] == ["one two"]
