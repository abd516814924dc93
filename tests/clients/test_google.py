from __future__ import annotations

import gc
from typing import Any

import pytest

from memory_injection.clients import wrap
from memory_injection.testing.server import RecordingServer, Reply

from .scenes import CALL, captured
from .scenes import seen as seen_all

genai = pytest.importorskip("google.genai")

# The SDK subclasses aiohttp's session.
pytestmark = pytest.mark.filterwarnings("ignore:Inheritance class:DeprecationWarning")

ASK = [{"role": "user", "parts": [{"text": "Where do I live?"}]}]
MESSAGE = captured()


def make(server: RecordingServer) -> Any:
    return genai.Client(api_key="k", http_options={"base_url": server.url})


def seen(reply: Any) -> Any:
    return seen_all(reply, {"sdk_http_response"})


def generate(client: Any) -> Any:
    with client:
        return seen(client.models.generate_content(model="m", contents=ASK))


def stream(client: Any) -> Any:
    with client:
        reply = client.models.generate_content_stream(model="m", contents=ASK)
        return type(reply), [seen(chunk) for chunk in reply]


def one_content(client: Any) -> Any:
    content = genai.types.Content(role="user", parts=[{"text": "Where do I live?"}])
    with client:
        return seen(client.models.generate_content(model="m", contents=content))


def chat(client: Any) -> Any:
    with client:
        session = client.chats.create(model="m")
        reply = session.send_message("Where do I live?")
        return seen(reply), session.get_history()


async def agenerate(client: Any) -> Any:
    async with client.aio as aio:
        return seen(await aio.models.generate_content(model="m", contents=ASK))


async def astream(client: Any) -> Any:
    async with client.aio as aio:
        reply = await aio.models.generate_content_stream(model="m", contents=ASK)
        return type(reply), [seen(chunk) async for chunk in reply]


def look(city: str) -> str:
    """Look a city up."""
    return f"{city} is in Türkiye"


def automatic_tools(client: Any) -> Any:
    with client:
        reply = client.models.generate_content(
            model="m", contents="Where do I live?", config={"tools": [look]}
        )
        return seen(reply), reply.automatic_function_calling_history


SCENES = [generate, stream, one_content, chat, agenerate, astream]


@pytest.mark.parametrize("captures", [False, True])
@pytest.mark.parametrize("scene", SCENES)
async def test_the_caller_sees_what_the_bare_client_gives(
    scene: Any, captures: bool, compare: Any, fake_memory: Any
) -> None:
    """Replies, chunks, kinds of iterator and histories are the bare client's."""
    memory = fake_memory(captures=captures)
    plain, remembered = await compare(make, scene, [CALL], memory)
    assert len(plain.bodies) == len(remembered.bodies) == 1
    assert "<memory>" not in str(plain.bodies[0])
    assert remembered.bodies[0]["contents"][-1]["parts"] == [
        {"text": "Where do I live?"},
        {"text": "<memory>u</memory>"},
    ]
    assert [turn["reply"] for turn in memory.turns] == [MESSAGE] * captures


@pytest.mark.parametrize("scene", SCENES)
async def test_the_providers_error_is_the_callers(
    scene: Any, compare: Any, fake_memory: Any
) -> None:
    """What the SDK raises comes through, type and text; nothing is captured."""
    memory = fake_memory(captures=True)
    await compare(make, scene, [Reply("wrong model", status=400)], memory)
    assert memory.turns == []


async def test_automatic_function_calling_keeps_its_history_clean(
    compare: Any, fake_memory: Any
) -> None:
    """Each call of the SDK's own tool loop carries memory; the history it returns does not."""
    memory = fake_memory(captures=True)
    _, remembered = await compare(make, automatic_tools, [CALL, "In Türkiye."], memory)
    assert ["<memory>" in str(body["contents"]) for body in remembered.bodies] == [True, True]
    assert [turn["reply"]["content"] for turn in memory.turns] == ["Let me see.", "In Türkiye."]


def test_a_dropped_client_does_not_close_its_other_half(serve: Any, fake_memory: Any) -> None:
    """The SDK closes a client that is garbage; neither half may close the other's connections."""
    server = serve(["ok"])
    wrapped = wrap(make(server), fake_memory())
    gc.collect()
    wrapped.models.generate_content(model="m", contents=ASK)
    bare = make(server)
    wrap(bare, fake_memory()).models.generate_content(model="m", contents=ASK)
    gc.collect()
    generate(bare)
    assert len(server.requests) == 3
    wrapped.close()


def test_wrapping_twice_injects_once(serve: Any, fake_memory: Any) -> None:
    """A second wrap replaces the first; the original stays as it was."""
    server = serve(["ok"])
    first, second = fake_memory(), fake_memory()
    bare = make(server)
    wrapped = wrap(wrap(bare, first), second)
    assert isinstance(wrapped, type(bare))
    wrapped.models.generate_content(model="m", contents=ASK)
    generate(bare)
    assert [str(body["contents"]).count("<memory>") for body in server.bodies] == [1, 0]
    assert (len(first.seen), len(second.seen)) == (0, 1)
