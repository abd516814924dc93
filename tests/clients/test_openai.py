from __future__ import annotations

import asyncio
import copy
import gc
import pickle
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from pydantic import BaseModel

from memory_injection.clients import wrap
from memory_injection.records import Scope
from memory_injection.testing.server import RecordingServer, Reply, ToolCall

from .scenes import cancelled_and_closed, seen

openai = pytest.importorskip("openai")

ASK = [{"role": "user", "content": "Where do I live?"}]
CALL = Reply(tool_calls=(ToolCall("look", {"city": "İzmir"}),))
TOOL = {"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}


class Answer(BaseModel):
    city: str


def create(client: Any) -> Any:
    return seen(client.chat.completions.create(model="m", messages=ASK))


def chat_of(client: Any) -> Any:
    """Return the completions with all the helpers: they stood under ``beta`` at first."""
    chat = client.chat.completions
    return chat if hasattr(chat, "parse") else client.beta.chat.completions


def parse(client: Any) -> Any:
    reply = chat_of(client).parse(model="m", messages=ASK, response_format=Answer)
    return seen(reply), reply.choices[0].message.parsed


def beta_parse(client: Any) -> Any:
    return seen(client.beta.chat.completions.parse(model="m", messages=ASK, response_format=Answer))


def stream(client: Any) -> Any:
    reply = client.chat.completions.create(model="m", messages=ASK, stream=True)
    with reply as events:
        return type(reply), [seen(event) for event in events], reply.response.is_closed


def stream_helper(client: Any) -> Any:
    with chat_of(client).stream(model="m", messages=ASK, tools=[TOOL]) as events:
        listed = [(type(event), event.type) for event in events]
        return type(events), listed, seen(events.get_final_completion())


def raw(client: Any) -> Any:
    reply = client.chat.completions.with_raw_response.create(model="m", messages=ASK)
    return type(reply), reply.status_code, reply.headers["content-type"], seen(reply.parse())


def raw_stream(client: Any) -> Any:
    reply = client.chat.completions.with_raw_response.create(model="m", messages=ASK, stream=True)
    events = reply.parse()
    return type(reply), type(events), [seen(event) for event in events]


def streaming_response(client: Any) -> Any:
    asked = client.chat.completions.with_streaming_response.create(model="m", messages=ASK)
    with asked as reply:
        return type(reply), list(reply.iter_lines()), reply.is_closed


def streaming_parse(client: Any) -> Any:
    asked = client.chat.completions.with_streaming_response.create(model="m", messages=ASK)
    with asked as reply:
        return seen(reply.parse())


def with_options(client: Any) -> Any:
    return create(client.with_options(timeout=3).copy(max_retries=0))


def responses_create(client: Any) -> Any:
    return seen(client.responses.create(model="m", input="Where do I live?"))


def responses_parse(client: Any) -> Any:
    reply = client.responses.parse(model="m", input=ASK, text_format=Answer)
    return type(reply), reply.output_parsed


def responses_stream(client: Any) -> Any:
    with client.responses.create(model="m", input=ASK, stream=True) as events:
        return type(events), [seen(event) for event in events]


def responses_helper(client: Any) -> Any:
    with client.responses.stream(model="m", input=ASK) as events:
        return type(events), [seen(event) for event in events], seen(events.get_final_response())


def responses_raw(client: Any) -> Any:
    return seen(client.responses.with_raw_response.create(model="m", input=ASK).parse())


SCENES = [
    create, parse, beta_parse, stream, stream_helper, raw, raw_stream, streaming_response,
    streaming_parse, with_options, responses_create, responses_parse, responses_stream,
    responses_helper, responses_raw,
]  # fmt: skip


async def acreate(client: Any) -> Any:
    return seen(await client.chat.completions.create(model="m", messages=ASK))


async def aparse(client: Any) -> Any:
    asked = chat_of(client).parse(model="m", messages=ASK, response_format=Answer)
    return seen(await asked)


async def astream(client: Any) -> Any:
    reply = await client.chat.completions.create(model="m", messages=ASK, stream=True)
    async with reply as events:
        return type(reply), [seen(event) async for event in events], reply.response.is_closed


async def astream_helper(client: Any) -> Any:
    async with chat_of(client).stream(model="m", messages=ASK) as events:
        listed = [(type(event), event.type) async for event in events]
        return type(events), listed, seen(await events.get_final_completion())


async def araw(client: Any) -> Any:
    reply = await client.chat.completions.with_raw_response.create(model="m", messages=ASK)
    return type(reply), reply.status_code, seen(reply.parse())


async def astreaming_response(client: Any) -> Any:
    asked = client.chat.completions.with_streaming_response.create(model="m", messages=ASK)
    async with asked as reply:
        return type(reply), [line async for line in reply.iter_lines()], reply.is_closed


async def awith_options(client: Any) -> Any:
    return await acreate(client.with_options(timeout=3).copy(max_retries=0))


async def aresponses_create(client: Any) -> Any:
    return seen(await client.responses.create(model="m", input=ASK))


async def aresponses_stream(client: Any) -> Any:
    async with client.responses.stream(model="m", input=ASK) as events:
        return type(events), [seen(event) async for event in events]


ASYNC_SCENES = [
    acreate, aparse, astream, astream_helper, araw, astreaming_response, awith_options,
    aresponses_create, aresponses_stream,
]  # fmt: skip


def client_of(server: RecordingServer, kind: Any = openai.OpenAI, **options: Any) -> Any:
    # Reading the certificates for TLS takes longer than all the rest of a test.
    http = openai.DefaultHttpxClient if kind is openai.OpenAI else openai.DefaultAsyncHttpxClient
    return kind(
        base_url=f"{server.url}/v1",
        api_key="k",
        max_retries=0,
        http_client=http(verify=False),
        **options,
    )


def memory_is_in(body: Any, user: str = "None") -> bool:
    said = body.get("messages") or body["input"]
    return (said if isinstance(said, str) else said[-1]["content"]).count(
        f"<memory>{user}</memory>"
    ) == 1


@pytest.mark.parametrize("captures", [False, True])
@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.__name__)
def test_the_caller_sees_what_the_bare_client_gives(
    scene: Callable[[Any], Any], captures: bool, serve: Any, fake_memory: Any
) -> None:
    """Types, events and values are the bare client's; the request alone carries memory."""
    script = ['{"city": "İzmir"}']
    plain, remembered = serve(script), serve(script)
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
    script = ['{"city": "İzmir"}']
    plain, remembered = serve(script), serve(script)
    async with (
        client_of(plain, openai.AsyncOpenAI) as bare,
        client_of(remembered, openai.AsyncOpenAI) as other,
    ):
        expected = await scene(bare)
        assert await scene(wrap(other, fake_memory(captures=captures))) == expected
    assert [memory_is_in(body) for body in remembered.bodies] == [True]


@pytest.mark.parametrize("scene", [create, stream, raw, parse], ids=lambda scene: scene.__name__)
def test_the_providers_error_is_the_callers(
    scene: Callable[[Any], Any], serve: Any, fake_memory: Any
) -> None:
    """What the SDK raises comes through, type and text."""
    server = serve([Reply("slow down", status=429)])
    memory = fake_memory(captures=True)
    with client_of(server) as bare:
        with pytest.raises(openai.RateLimitError) as expected:
            scene(bare)
        with pytest.raises(openai.RateLimitError) as caught:
            scene(wrap(bare, memory))
    assert str(caught.value) == str(expected.value)
    assert memory.turns == []


def test_a_retry_sends_the_same_bytes(serve: Any, fake_memory: Any) -> None:
    """Memory is looked up once a call, outside the SDK's retries."""
    server = serve([Reply("again", status=500), "fine"])
    memory = fake_memory()
    with client_of(server).with_options(max_retries=1) as bare:
        create(wrap(bare, memory))
    assert len(memory.seen) == 1
    assert server.requests[0].raw == server.requests[1].raw


def test_a_broken_memory_leaves_the_request_as_it_was(serve: Any, fake_memory: Any) -> None:
    """An error in memory is not the caller's: the bytes are the bare client's."""
    server = serve(["ok"])
    with client_of(server) as bare:
        create(bare)
        create(wrap(bare, fake_memory(fails=True)))
    assert server.requests[0].raw == server.requests[1].raw


def test_the_wrapped_client_is_of_the_same_type_and_the_original_is_untouched(
    serve: Any, fake_memory: Any
) -> None:
    """The wrapper is a copy; calls on the original carry nothing."""
    server = serve(["ok"])
    with client_of(server) as bare:
        before = dict(vars(bare))
        bare.chat.completions  # noqa: B018 - a resource made before wrapping is bound to the bare
        wrapped = wrap(bare, fake_memory())
        assert type(wrapped) is type(bare)
        assert {name: vars(bare)[name] for name in before} == before
        create(wrapped)
        create(bare)
    assert [memory_is_in(body) for body in server.bodies] == [True, False]


def test_wrapping_twice_injects_once_for_the_later_memory(serve: Any, fake_memory: Any) -> None:
    """A second wrap replaces memory and scope; the first wrapped client keeps its own."""
    server = serve(["ok"])
    first, second = fake_memory(), fake_memory()
    with client_of(server) as bare:
        once = wrap(bare, first, scope={"user": "a"})
        twice = wrap(once, second, scope=Scope(user="b"))
        create(twice.with_options(timeout=2))
        create(once)
    assert [memory_is_in(body, user) for body, user in zip(server.bodies, "ba", strict=True)] == [
        True,
        True,
    ]
    assert (len(first.seen), len(second.seen)) == (1, 1)


def test_extra_body_is_where_the_messages_are(serve: Any, fake_memory: Any) -> None:
    """Messages that a caller puts over the arguments with extra_body are the ones remembered."""
    server = serve(["ok"])
    other = [{"role": "user", "content": "Instead"}]
    with client_of(server) as bare:
        wrap(bare, fake_memory()).chat.completions.create(
            model="m", messages=ASK, extra_body={"messages": other, "top_k": 3}
        )
    assert server.bodies[0]["messages"][0]["content"] == "Instead\n\n<memory>None</memory>"
    assert server.bodies[0]["top_k"] == 3


@pytest.mark.parametrize("fails", [False, True])
def test_messages_from_a_generator_are_sent(fails: bool, serve: Any, fake_memory: Any) -> None:
    """An iterator is read once and sent whole, also when memory fails."""
    server = serve(["ok"])
    with client_of(server) as bare:
        wrapped = wrap(bare, fake_memory(fails=fails))
        wrapped.post(
            "/chat/completions", cast_to=object, body={"model": "m", "messages": iter(ASK)}
        )
    assert memory_is_in(server.bodies[0]) is not fails
    assert server.bodies[0]["messages"][0]["content"].startswith("Where do I live?")


def test_other_paths_are_left_alone(serve: Any, fake_memory: Any) -> None:
    """Embeddings, files and token counts are none of memory's business."""
    server = serve([{"object": "response.input_tokens", "input_tokens": 3}])
    memory = fake_memory()
    with client_of(server) as bare:
        wrapped = wrap(bare, memory)
        wrapped.models.list()
        with pytest.raises(openai.NotFoundError):
            wrapped.embeddings.create(model="m", input="x")
    assert memory.seen == []


def test_azure_and_subclasses_keep_what_is_theirs(serve: Any, fake_memory: Any) -> None:
    """Azure's paths and a subclass's own attributes survive."""

    class Tenant(openai.AzureOpenAI):  # type: ignore[misc]
        def __init__(self, tenant: str, **options: Any) -> None:
            self.tenant = tenant
            super().__init__(**options)

    server = serve(["ok"])
    client = Tenant(
        "t", azure_endpoint=server.url, api_key="k", api_version="2024-06-01", max_retries=0
    )
    with client:
        wrapped = wrap(client, fake_memory())
        assert wrapped.tenant == "t"
        create(wrapped)
    assert server.requests[0].path.startswith("/openai/deployments/m/chat/completions?api-version")
    assert memory_is_in(server.bodies[0])


def test_copies_remember_and_pickling_is_refused(serve: Any, fake_memory: Any) -> None:
    """A shallow copy carries memory; what cannot be copied says so in one line."""
    server = serve(["ok"])
    with client_of(server) as bare:
        wrapped = wrap(bare, fake_memory())
        create(copy.copy(wrapped))
        for refused in (pickle.dumps, copy.deepcopy):
            with pytest.raises(TypeError, match="wrapped with memory cannot be pickled"):
                refused(wrapped)
    assert [memory_is_in(body) for body in server.bodies] == [True]


# --- what capture is handed ---------------------------------------------------------------

SPOKEN = {"role": "assistant", "content": "In İzmir."}
ASKED = {
    "role": "assistant",
    "content": "",
    "tool_calls": [
        {
            "id": "call_1_0",
            "type": "function",
            "function": {"name": "look", "arguments": '{"city": "\\u0130zmir"}'},
        }
    ],
}


@pytest.mark.parametrize(("reply", "message"), [("In İzmir.", SPOKEN), (CALL, ASKED)])
@pytest.mark.parametrize(
    "scene",
    [create, stream, stream_helper, raw, raw_stream, streaming_response, responses_create,
     responses_stream, responses_helper, responses_raw],
    ids=lambda scene: scene.__name__,
)  # fmt: skip
def test_a_turn_is_captured_once(
    scene: Callable[[Any], Any], reply: Any, message: Any, serve: Any, fake_memory: Any
) -> None:
    """Capture gets the caller's own body, free of blocks, and one plain assistant message."""
    memory = fake_memory(captures=True)
    with client_of(serve([reply])) as bare:
        scene(wrap(bare, memory, scope={"user": "u"}))
    gc.collect()
    (turn,) = memory.turns
    assert turn["reply"] == message
    assert "<memory>" not in str(turn["request_body"])
    assert turn["api"] == memory.seen[0][0]
    assert turn["base_scope"] == Scope(user="u")


@pytest.mark.parametrize("scene", ASYNC_SCENES, ids=lambda scene: scene.__name__)
async def test_an_async_turn_is_captured_once(
    scene: Callable[[Any], Any], serve: Any, fake_memory: Any
) -> None:
    """The same for the async client."""
    memory = fake_memory(captures=True)
    async with client_of(serve(['{"city": "x"}']), openai.AsyncOpenAI) as bare:
        await scene(wrap(bare, memory))
    assert [turn["reply"]["content"] for turn in memory.turns] == ['{"city": "x"}']


@pytest.mark.parametrize("leave", ["close", "drop", "break"])
def test_an_abandoned_stream_is_captured_as_far_as_it_came(
    leave: str, serve: Any, fake_memory: Any
) -> None:
    """Closing, dropping or leaving a stream hands over what had arrived, and frees as much."""
    memory = fake_memory(captures=True)
    closed = []
    with client_of(serve(["one two three"])) as bare:
        for client in (bare, wrap(bare, memory)):
            reply = client.chat.completions.create(model="m", messages=ASK, stream=True)
            response = reply.response
            next(reply)
            next(reply)
            if leave == "close":
                reply.close()
            elif leave == "break":
                with reply:
                    next(reply)
            del reply
            gc.collect()  # the SDK's stream refers to itself
            closed.append(response.is_closed)
            response.close()
    assert closed[0] == closed[1]
    expected = "one two" if leave == "break" else "one"
    assert [turn["reply"]["content"] for turn in memory.turns] == [expected]


def test_a_broken_stream_raises_what_the_bare_client_raises(serve: Any, fake_memory: Any) -> None:
    """A connection that breaks in the middle: same exception, and the turn so far."""
    memory = fake_memory(captures=True)
    errors, texts = [], []
    with client_of(serve([Reply("one two three", break_after=3)])) as bare:
        for client in (bare, wrap(bare, memory)):
            got: list[str] = []
            try:
                for event in client.chat.completions.create(model="m", messages=ASK, stream=True):
                    got.append(event.choices[0].delta.content)  # noqa: PERF401 - it breaks off
            except Exception as error:
                errors.append((type(error), str(error)))
            texts.append(got)
    assert len(errors) == 2
    assert errors[0] == errors[1]
    assert texts[0] == texts[1] == ["", "one", " two"]
    assert [turn["reply"]["content"] for turn in memory.turns] == ["one two"]


def opened(client: Any) -> Any:
    return client.chat.completions.create(model="m", messages=ASK, stream=True)


@pytest.mark.parametrize("captures", [False, True])
async def test_cancelling_a_stream_cancels_it(captures: bool, serve: Any, fake_memory: Any) -> None:
    """A task cancelled while it waits for the next event ends as cancelled, like the bare one."""
    memory = fake_memory(captures=captures)
    server = serve([Reply("one two", gate=threading.Event())])
    async with client_of(server, openai.AsyncOpenAI) as bare:
        expected = await cancelled_and_closed(lambda: opened(bare))
        assert await cancelled_and_closed(lambda: opened(wrap(bare, memory))) is expected
    assert memory.turns == []  # nothing but an empty first delta had come


async def test_a_cancelled_call_is_cancelled(serve: Any, fake_memory: Any) -> None:
    """Cancelling before the reply is the caller's own cancellation and passes through."""
    server = serve([Reply("late", delay=threading.Event())])
    memory = fake_memory(captures=True)
    async with client_of(server, openai.AsyncOpenAI) as bare:
        task = asyncio.create_task(acreate(wrap(bare, memory)))
        await asyncio.to_thread(server.wait_for, 1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert memory.turns == []


def test_threads_do_not_mix_scopes(serve: Any, fake_memory: Any) -> None:
    """One client wrapped for many users at once: each request carries its own user alone."""
    server = serve(["ok"])
    with client_of(server) as bare, ThreadPoolExecutor(8) as pool:

        def ask(user: str) -> None:
            wrapped = wrap(bare, fake_memory(), scope={"user": user})
            wrapped.chat.completions.create(model="m", messages=[{"role": "user", "content": user}])

        list(pool.map(ask, (f"u{number}" for number in range(40))))
    for body in server.bodies:
        user = body["messages"][0]["content"].split("\n")[0]
        assert body["messages"][0]["content"] == f"{user}\n\n<memory>{user}</memory>"
