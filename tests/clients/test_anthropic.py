from __future__ import annotations

import gc
import inspect
import threading
from collections.abc import Callable
from typing import Any

import pytest

from memory_injection.clients import wrap
from memory_injection.records import Scope
from memory_injection.testing.server import RecordingServer, Reply

from .scenes import CALL, cancelled_and_closed, captured, seen

anthropic = pytest.importorskip("anthropic")

ASK: dict[str, Any] = {
    "model": "m",
    "max_tokens": 64,
    "messages": [{"role": "user", "content": "Where do I live?"}],
}


def create(client: Any) -> Any:
    return seen(client.messages.create(**ASK))


def beta_create(client: Any) -> Any:
    return seen(client.beta.messages.create(**ASK))


def stream(client: Any) -> Any:
    reply = client.messages.create(**ASK, stream=True)
    with reply as events:
        return type(reply), [seen(event) for event in events], reply.response.is_closed


def stream_helper(client: Any) -> Any:
    with client.messages.stream(**ASK) as events:
        listed = [seen(event) for event in events]
        return type(events), listed, seen(events.get_final_message())


def text_stream(client: Any) -> Any:
    with client.messages.stream(**ASK) as events:
        return list(events.text_stream)


def raw(client: Any) -> Any:
    reply = client.messages.with_raw_response.create(**ASK)
    return type(reply), reply.status_code, seen(reply.parse())


def raw_stream(client: Any) -> Any:
    reply = client.messages.with_raw_response.create(**ASK, stream=True)
    events = reply.parse()
    return type(reply), type(events), [seen(event) for event in events]


def streaming_response(client: Any) -> Any:
    with client.messages.with_streaming_response.create(**ASK) as reply:
        return type(reply), list(reply.iter_lines()), reply.is_closed


def with_options(client: Any) -> Any:
    return create(client.with_options(timeout=3).copy(max_retries=0))


SCENES = [
    create, beta_create, stream, stream_helper, text_stream, raw, raw_stream, streaming_response,
    with_options,
]  # fmt: skip


async def acreate(client: Any) -> Any:
    return seen(await client.messages.create(**ASK))


async def astream(client: Any) -> Any:
    reply = await client.messages.create(**ASK, stream=True)
    async with reply as events:
        return type(reply), [seen(event) async for event in events], reply.response.is_closed


async def astream_helper(client: Any) -> Any:
    async with client.messages.stream(**ASK) as events:
        listed = [seen(event) async for event in events]
        return type(events), listed, seen(await events.get_final_message())


async def araw(client: Any) -> Any:
    reply = await client.messages.with_raw_response.create(**ASK)
    parsed = reply.parse()
    if inspect.isawaitable(parsed):  # since 1.0
        parsed = await parsed
    return type(reply), reply.status_code, seen(parsed)


async def astreaming_response(client: Any) -> Any:
    async with client.messages.with_streaming_response.create(**ASK) as reply:
        return type(reply), [line async for line in reply.iter_lines()], reply.is_closed


async def awith_options(client: Any) -> Any:
    return await acreate(client.with_options(timeout=3).copy(max_retries=0))


ASYNC_SCENES = [acreate, astream, astream_helper, araw, astreaming_response, awith_options]


def client_of(server: RecordingServer, kind: Any = anthropic.Anthropic, **options: Any) -> Any:
    # Reading the certificates for TLS takes longer than all the rest of a test.
    http = (
        anthropic.DefaultHttpxClient
        if kind is anthropic.Anthropic
        else anthropic.DefaultAsyncHttpxClient
    )
    return kind(
        base_url=server.url, api_key="k", max_retries=0, http_client=http(verify=False), **options
    )


def memory_is_in(body: Any) -> bool:
    return body["messages"][-1]["content"].count("<memory>None</memory>") == 1


@pytest.mark.parametrize("captures", [False, True])
@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.__name__)
def test_the_caller_sees_what_the_bare_client_gives(
    scene: Callable[[Any], Any], captures: bool, serve: Any, fake_memory: Any
) -> None:
    """Types, events and values are the bare client's; the request alone carries memory."""
    plain, remembered = serve([CALL]), serve([CALL])
    with client_of(plain) as bare, client_of(remembered) as other:
        expected = scene(bare)
        assert scene(wrap(other, fake_memory(captures=captures))) == expected
    assert [memory_is_in(body) for body in remembered.bodies] == [True]
    assert not memory_is_in(plain.bodies[0])


@pytest.mark.parametrize("captures", [False, True])
@pytest.mark.parametrize("scene", ASYNC_SCENES, ids=lambda scene: scene.__name__)
async def test_the_async_caller_sees_what_the_bare_client_gives(
    scene: Callable[[Any], Any], captures: bool, serve: Any, fake_memory: Any
) -> None:
    """The same for the async client."""
    plain, remembered = serve([CALL]), serve([CALL])
    async with (
        client_of(plain, anthropic.AsyncAnthropic) as bare,
        client_of(remembered, anthropic.AsyncAnthropic) as other,
    ):
        expected = await scene(bare)
        assert await scene(wrap(other, fake_memory(captures=captures))) == expected
    assert [memory_is_in(body) for body in remembered.bodies] == [True]


@pytest.mark.parametrize("scene", [create, stream, raw], ids=lambda scene: scene.__name__)
def test_the_providers_error_is_the_callers(
    scene: Callable[[Any], Any], serve: Any, fake_memory: Any
) -> None:
    """What the SDK raises comes through, type and text."""
    memory = fake_memory(captures=True)
    with client_of(serve([Reply("slow down", status=429)])) as bare:
        with pytest.raises(anthropic.RateLimitError) as expected:
            scene(bare)
        with pytest.raises(anthropic.RateLimitError) as caught:
            scene(wrap(bare, memory))
    assert str(caught.value) == str(expected.value)
    assert memory.turns == []


def test_counting_tokens_is_left_alone(serve: Any, fake_memory: Any) -> None:
    """``count_tokens`` counts what the caller wrote."""
    server = serve(["ok"])
    memory = fake_memory()
    with client_of(server) as bare:
        wrap(bare, memory).messages.count_tokens(model="m", messages=ASK["messages"])
    assert memory.seen == []
    assert server.bodies[0]["messages"] == ASK["messages"]


@pytest.mark.skipif(not hasattr(anthropic, "Middleware"), reason="this SDK has no middleware")
def test_the_callers_middleware_still_runs_once(serve: Any, fake_memory: Any) -> None:
    """A client's own middleware sees the request with memory in it, through the wrapped client."""

    class Watcher(anthropic.Middleware):  # type: ignore[misc,name-defined]
        def __init__(self) -> None:
            self.bodies: list[Any] = []

        def handle(self, request: Any, call_next: Any) -> Any:
            self.bodies.append(request.json)
            return call_next(request)

    server, watcher = serve(["ok"]), Watcher()
    with client_of(server, middleware=[watcher]) as bare:
        wrapped = wrap(bare, fake_memory())
        assert type(wrapped) is type(bare)
        create(wrapped)
        create(wrapped.with_options(timeout=2))
    assert [memory_is_in(body) for body in watcher.bodies] == [True, True]
    assert len(server.requests) == 2


MESSAGE = captured("toolu_call_1_0")


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.__name__)
def test_a_turn_is_captured_once(scene: Callable[[Any], Any], serve: Any, fake_memory: Any) -> None:
    """Capture gets the caller's own body, free of blocks, and one plain assistant message."""
    memory = fake_memory(captures=True)
    with client_of(serve([CALL])) as bare:
        scene(wrap(bare, memory, scope={"user": "u"}))
    (turn,) = memory.turns
    assert turn["reply"] == MESSAGE
    assert turn["request_body"]["messages"] == ASK["messages"]
    assert (turn["api"], turn["base_scope"]) == ("anthropic.messages", Scope(user="u"))


@pytest.mark.parametrize("scene", ASYNC_SCENES, ids=lambda scene: scene.__name__)
async def test_an_async_turn_is_captured_once(
    scene: Callable[[Any], Any], serve: Any, fake_memory: Any
) -> None:
    """The same for the async client."""
    memory = fake_memory(captures=True)
    async with client_of(serve([CALL]), anthropic.AsyncAnthropic) as bare:
        await scene(wrap(bare, memory))
    assert [turn["reply"] for turn in memory.turns] == [MESSAGE]


@pytest.mark.parametrize("leave", ["close", "drop"])
def test_an_abandoned_stream_is_captured_as_far_as_it_came(
    leave: str, serve: Any, fake_memory: Any
) -> None:
    """Closing or dropping a stream hands over what had arrived, and frees as much."""
    memory = fake_memory(captures=True)
    closed = []
    with client_of(serve(["one two three"])) as bare:
        for client in (bare, wrap(bare, memory)):
            reply = client.messages.create(**ASK, stream=True)
            response = reply.response
            for _ in range(4):
                next(reply)
            if leave == "close":
                reply.close()
            del reply
            closed.append(response.is_closed)
            gc.collect()
            response.close()
    assert closed[0] == closed[1]
    assert [turn["reply"]["content"] for turn in memory.turns] == ["one two"]


def opened(client: Any) -> Any:
    return client.messages.create(**ASK, stream=True)


@pytest.mark.parametrize("captures", [False, True])
async def test_cancelling_a_stream_cancels_it(captures: bool, serve: Any, fake_memory: Any) -> None:
    """A task cancelled while it waits for the next event ends as cancelled, like the bare one."""
    memory = fake_memory(captures=captures)
    server = serve([Reply("one two", gate=threading.Event())])
    async with client_of(server, anthropic.AsyncAnthropic) as bare:
        expected = await cancelled_and_closed(lambda: opened(bare))
        assert await cancelled_and_closed(lambda: opened(wrap(bare, memory))) is expected
