from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from memory_injection import MemoryEntry, MemoryManager, wrap
from memory_injection.testing.server import RecordingServer

pytestmark = pytest.mark.filterwarnings("ignore:Inheritance class:DeprecationWarning")

ASK = [{"role": "user", "content": "Which locker is mine?"}]
PARTS = [{"role": "user", "parts": [{"text": "Which locker is mine?"}]}]


class Lockers:
    """One note per user, found whatever is asked."""

    name = "lockers"

    def search(self, query: str, options: Any = None) -> list[MemoryEntry]:
        user = options["scope"].user
        return [MemoryEntry(f"locker-of-{user}", id=user)]


def openai(server: RecordingServer, asynchronous: bool = False) -> Any:
    sdk = pytest.importorskip("openai")
    kind = sdk.AsyncOpenAI if asynchronous else sdk.OpenAI
    return kind(base_url=f"{server.url}/v1", api_key="k", max_retries=0)


def anthropic(server: RecordingServer, asynchronous: bool = False) -> Any:
    sdk = pytest.importorskip("anthropic")
    kind = sdk.AsyncAnthropic if asynchronous else sdk.Anthropic
    return kind(base_url=server.url, api_key="k", max_retries=0)


def google(server: RecordingServer, asynchronous: bool = False) -> Any:
    sdk = pytest.importorskip("google.genai")
    return sdk.Client(api_key="k", http_options={"base_url": server.url})


def cohere(server: RecordingServer, asynchronous: bool = False) -> Any:
    sdk = pytest.importorskip("cohere")
    kind = sdk.AsyncClientV2 if asynchronous else sdk.ClientV2
    return kind(api_key="k", base_url=server.url)


def ollama(server: RecordingServer, asynchronous: bool = False) -> Any:
    sdk = pytest.importorskip("ollama")
    return sdk.AsyncClient(host=server.url)


CLAUDE = {"model": "m", "max_tokens": 9, "messages": ASK}
CHAT = {"model": "m", "messages": ASK}
GEMINI = {"model": "m", "contents": PARTS}

# Each call returns something that the SDK has not sent yet.
CONTEXTS: dict[str, tuple[Any, Callable[[Any], Any]]] = {
    "chat-stream": (openai, lambda c: c.chat.completions.stream(**CHAT)),
    "chat-streaming-response": (
        openai, lambda c: c.chat.completions.with_streaming_response.create(**CHAT)),
    "client-streaming-response": (
        openai, lambda c: c.with_streaming_response.chat.completions.create(**CHAT)),
    "with-options": (openai, lambda c: c.with_options(timeout=5).chat.completions.stream(**CHAT)),
    "responses-stream": (openai, lambda c: c.responses.stream(model="m", input=ASK)),
    "responses-streaming-response": (
        openai, lambda c: c.responses.with_streaming_response.create(model="m", input=ASK)),
    "beta-stream": (openai, lambda c: c.beta.chat.completions.stream(**CHAT)),
    "claude-stream": (anthropic, lambda c: c.messages.stream(**CLAUDE)),
    "claude-streaming-response": (
        anthropic, lambda c: c.messages.with_streaming_response.create(**CLAUDE)),
    "claude-beta-stream": (anthropic, lambda c: c.beta.messages.stream(**CLAUDE)),
    "cohere-raw-stream": (cohere, lambda c: c.with_raw_response.chat_stream(**CHAT)),
}  # fmt: skip
GENERATORS: dict[str, tuple[Any, Callable[[Any], Any]]] = {
    "gemini-stream": (google, lambda c: c.models.generate_content_stream(**GEMINI)),
    "gemini-chat-stream": (
        google, lambda c: c.chats.create(model="m").send_message_stream("Which locker?")),
    "cohere-stream": (cohere, lambda c: c.chat_stream(**CHAT)),
}  # fmt: skip
COROUTINES: dict[str, tuple[Any, Callable[[Any], Any]]] = {
    "chat": (openai, lambda c: c.chat.completions.create(**CHAT)),
    "raw": (openai, lambda c: c.chat.completions.with_raw_response.create(**CHAT)),
    "responses": (openai, lambda c: c.responses.create(model="m", input=ASK)),
    "claude": (anthropic, lambda c: c.messages.create(**CLAUDE)),
    "gemini": (google, lambda c: c.aio.models.generate_content(**GEMINI)),
    "gemini-chat": (
        google, lambda c: c.aio.chats.create(model="m").send_message("Which locker?")),
    "cohere": (cohere, lambda c: c.chat(**CHAT)),
    "ollama": (ollama, lambda c: c.chat(**CHAT)),
}  # fmt: skip


@asynccontextmanager
async def opened(client: Any) -> AsyncIterator[Any]:
    """Close *client* at the end, however its SDK says that."""
    if hasattr(client, "aio"):
        async with client.aio:
            yield client
    elif hasattr(client, "__aenter__"):
        async with client:
            yield client
    else:
        yield client
        await client._client.aclose()


def lockers(server: RecordingServer) -> list[str]:
    """Return whose locker each request speaks of."""
    sent = [json.dumps(body) for body in server.bodies]
    return [user for body in sent for user in ("u1", "u2", "u3") if f"locker-of-{user}" in body]


@pytest.mark.parametrize("case", CONTEXTS)
def test_a_context_manager_is_of_the_scope_it_was_made_in(serve: Any, case: str) -> None:
    """What is sent on ``with`` is for whoever was current when the call was made."""
    make, call = CONTEXTS[case]
    server = serve(["ok"])
    with MemoryManager([Lockers()]) as memory, make(server) as bare:
        client = wrap(bare, memory, scope={"user": "u1"})
        with memory.scope(user="u2"):
            later = call(client)
        with memory.scope(user="u3"), later:
            pass
        with call(client):
            pass
    assert lockers(server) == ["u2", "u1"]


@pytest.mark.parametrize(
    "case", [name for name, (make, _) in CONTEXTS.items() if make is not cohere]
)
async def test_an_async_context_manager_is_of_the_scope_it_was_made_in(
    serve: Any, case: str
) -> None:
    """The async clients' helpers do the same."""
    make, call = CONTEXTS[case]
    server = serve(["ok"])
    with MemoryManager([Lockers()]) as memory:
        async with opened(make(server, asynchronous=True)) as bare:
            client = wrap(bare, memory, scope={"user": "u1"})
            with memory.scope(user="u2"):
                later = call(client)
            with memory.scope(user="u3"):
                async with later:
                    pass
            async with call(client):
                pass
    assert lockers(server) == ["u2", "u1"]


@pytest.mark.parametrize("case", GENERATORS)
def test_a_generator_is_of_the_scope_it_was_made_in(serve: Any, case: str) -> None:
    """What is sent at the first item is for whoever was current when the call was made."""
    make, call = GENERATORS[case]
    server = serve(["ok"])
    with MemoryManager([Lockers()]) as memory, make(server) as bare:
        client = wrap(bare, memory, scope={"user": "u1"})
        with memory.scope(user="u2"):
            later = call(client)
        with memory.scope(user="u3"):
            list(later)
        list(call(client))
    assert lockers(server) == ["u2", "u1"]


@pytest.mark.parametrize("case", COROUTINES)
async def test_a_coroutine_is_of_the_scope_it_was_made_in(serve: Any, case: str) -> None:
    """Coroutines collected under several scopes and awaited later stay with their own."""
    make, call = COROUTINES[case]
    server = serve(["ok"])
    with MemoryManager([Lockers()]) as memory:
        async with opened(make(server, asynchronous=True)) as bare:
            client = wrap(bare, memory, scope={"user": "u1"})
            with memory.scope(user="u2"):
                second = call(client)
            with memory.scope(user="u3"):
                await second
            await call(client)
    assert lockers(server) == ["u2", "u1"]


async def test_a_gemini_stream_is_of_the_scope_it_was_asked_in(serve: Any) -> None:
    """The async stream's coroutine, and the generator it gives, may each run later."""
    server = serve(["ok"])
    with MemoryManager([Lockers()]) as memory:
        async with opened(google(server)) as bare:
            client = wrap(bare, memory, scope={"user": "u1"})
            with memory.scope(user="u2"):
                later = client.aio.models.generate_content_stream(**GEMINI)
            with memory.scope(user="u3"):
                assert [chunk.text async for chunk in await later]
    assert lockers(server) == ["u2"]


def test_a_reply_is_captured_for_the_scope_of_the_call(serve: Any, fake_memory: Any) -> None:
    """A stream that is read under another scope is learned from for its own."""
    server = serve(["Noted."])
    with MemoryManager([Lockers()]) as memory, openai(server) as bare:
        seen = []

        class Watch:
            captures = True

            def __getattr__(self, name: str) -> Any:
                return getattr(memory, name)

            def capture_turn(self, **_: Any) -> None:
                seen.append(memory.current_scope().user)

        client = wrap(bare, Watch(), scope={"user": "u1"})
        with memory.scope(user="u2"):
            later = client.chat.completions.stream(**CHAT)
        with memory.scope(user="u3"), later as events:
            events.until_done()
    assert seen == ["u2"]


def test_a_resource_passes_for_the_sdks_own(serve: Any, fake_memory: Any) -> None:
    """``isinstance``, names and signatures are the SDK's; what a caller sets on it is used."""
    with openai(serve(["ok"])) as bare:
        client = wrap(bare, fake_memory())
        assert isinstance(client.chat.completions, type(bare.chat.completions))
        assert set(dir(bare.chat)) <= set(dir(client.chat))
        assert client.chat.completions is client.chat.completions
        assert not hasattr(client.chat, "no_such_thing")
        client.chat.completions.create = lambda **_: "traced"
        assert client.chat.completions.create() == "traced"


UNKNOWN = [
    ("messages", "just a text"),
    ("messages", None),
    ("messages", {"role": "user", "content": "one message alone"}),
    ("messages", ["a", "b"]),
    ("messages", []),
    ("messages", [{"role": "user"}, 7]),
]


@pytest.mark.parametrize(("field", "value"), UNKNOWN)
def test_what_memory_does_not_understand_goes_out_as_it_came(
    serve: Any, field: str, value: Any
) -> None:
    """The wrapped client sends the same bytes as the bare one."""
    server = serve(["ok"])
    with MemoryManager([Lockers()]) as memory, openai(server) as bare:
        for client in (bare, wrap(bare, memory, scope={"user": "u1"})):
            client.chat.completions.create(model="m", **{field: value})
    first, second = server.requests
    assert first.raw == second.raw
