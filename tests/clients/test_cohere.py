from __future__ import annotations

from typing import Any

import pytest

from memory_injection.clients import wrap
from memory_injection.testing.server import RecordingServer, Reply

from .scenes import CALL, captured

cohere = pytest.importorskip("cohere")

ASK = [{"role": "user", "content": "Where do I live?"}]
MESSAGE = captured()
ONCE = {"request_options": {"max_retries": 0}}


def sync(server: RecordingServer) -> Any:
    return cohere.ClientV2(api_key="k", base_url=server.url)


def asynchronous(server: RecordingServer) -> Any:
    return cohere.AsyncClientV2(api_key="k", base_url=server.url)


def version_one(server: RecordingServer) -> Any:
    return cohere.Client(api_key="k", base_url=server.url)


def chat(client: Any) -> Any:
    with client:
        return client.chat(model="m", messages=ASK, **ONCE)


def inner_chat(client: Any) -> Any:
    with client:
        return client.v2.chat(model="m", messages=ASK, **ONCE)


def stream(client: Any) -> Any:
    with client:
        reply = client.chat_stream(model="m", messages=ASK, **ONCE)
        return type(reply), list(reply)


def raw(client: Any) -> Any:
    with client:
        reply = client.with_raw_response.chat(model="m", messages=ASK, **ONCE)
        return type(reply), reply.status_code, reply.data


def raw_stream(client: Any) -> Any:
    asked = client.with_raw_response.chat_stream(model="m", messages=ASK, **ONCE)
    with client, asked as reply:
        return type(reply), type(reply.data), list(reply.data)


def wrong(client: Any) -> Any:
    with client:
        return client.chat(model="m", messages=ASK, stream=True)


async def achat(client: Any) -> Any:
    async with client:
        return await client.chat(model="m", messages=ASK, **ONCE)


async def astream(client: Any) -> Any:
    async with client:
        reply = client.chat_stream(model="m", messages=ASK, **ONCE)
        return type(reply), [event async for event in reply]


async def araw_stream(client: Any) -> Any:
    asked = client.with_raw_response.chat_stream(model="m", messages=ASK, **ONCE)
    async with client, asked as reply:
        return type(reply), type(reply.data), [event async for event in reply.data]


SCENES = [
    (sync, chat), (sync, stream), (sync, raw), (sync, raw_stream), (version_one, inner_chat),
    (asynchronous, achat), (asynchronous, astream), (asynchronous, araw_stream),
]  # fmt: skip


@pytest.mark.parametrize("captures", [False, True])
@pytest.mark.parametrize(("make", "scene"), SCENES)
async def test_the_caller_sees_what_the_bare_client_gives(
    make: Any, scene: Any, captures: bool, compare: Any, fake_memory: Any
) -> None:
    """Values, events and kinds of iterator are the bare client's; the turn is captured once."""
    memory = fake_memory(captures=captures)
    plain, remembered = await compare(make, scene, [CALL], memory)
    assert plain.bodies[0]["messages"] == ASK
    assert [b["messages"][0]["content"] for b in remembered.bodies] == [
        "Where do I live?\n\n<memory>u</memory>"
    ]
    assert [turn["reply"] for turn in memory.turns] == [MESSAGE] * captures


@pytest.mark.parametrize(("make", "scene"), SCENES)
async def test_the_providers_error_is_the_callers(
    make: Any, scene: Any, compare: Any, fake_memory: Any
) -> None:
    """What the SDK raises comes through, type and text; nothing is captured."""
    memory = fake_memory(captures=True)
    await compare(make, scene, [Reply("wrong model", status=400)], memory)
    assert memory.turns == []


async def test_the_sdks_own_checks_still_run(compare: Any, fake_memory: Any) -> None:
    """``chat(stream=True)`` is refused by the SDK, wrapped or not."""
    _, remembered = await compare(sync, wrong, ["ok"], fake_memory())
    assert remembered.requests == []


@pytest.mark.parametrize("make", [sync, version_one])
def test_wrapping_twice_injects_once(make: Any, serve: Any, fake_memory: Any) -> None:
    """A second wrap replaces the first; the original and its type stay."""
    server = serve(["ok"])
    first, second = fake_memory(), fake_memory()
    bare = make(server)
    wrapped = wrap(wrap(bare, first), second)
    assert type(wrapped) is type(bare)
    wrapped.v2.chat(model="m", messages=ASK) if make is version_one else wrapped.chat(
        model="m", messages=ASK
    )
    (inner_chat if make is version_one else chat)(bare)
    assert [body["messages"][0]["content"].count("<memory>") for body in server.bodies] == [1, 0]
    assert (len(first.seen), len(second.seen)) == (0, 1)
