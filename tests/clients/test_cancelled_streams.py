from __future__ import annotations

import os
import threading
from collections.abc import AsyncIterator
from typing import Any

import pytest

from memory_injection.clients import wrap
from memory_injection.testing.server import RecordingServer, Reply

from .scenes import cancelled

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
# The SDKs' own, on import and when a connection is dropped.
pytestmark = pytest.mark.filterwarnings("ignore")

ASK = [{"role": "user", "content": "Where do I live?"}]


class Ollama:
    package = "ollama"

    def make(self, sdk: Any, server: RecordingServer) -> Any:
        return sdk.AsyncClient(host=server.url)

    async def stream(self, client: Any) -> AsyncIterator[Any]:
        return await client.chat("m", ASK, stream=True)  # type: ignore[no-any-return]

    def text(self, event: Any) -> str:
        return str(event.message.content)


class Cohere:
    package = "cohere"

    def make(self, sdk: Any, server: RecordingServer) -> Any:
        return sdk.AsyncClientV2(api_key="k", base_url=server.url)

    async def stream(self, client: Any) -> AsyncIterator[Any]:
        return client.chat_stream(model="m", messages=ASK)  # type: ignore[no-any-return]

    def text(self, event: Any) -> str:
        return ""


class Google:
    package = "google.genai"

    def make(self, sdk: Any, server: RecordingServer) -> Any:
        return sdk.Client(api_key="k", http_options={"base_url": server.url})

    async def stream(self, client: Any) -> AsyncIterator[Any]:
        models = client.aio.models
        contents = ASK[0]["content"]
        return await models.generate_content_stream(model="m", contents=contents)  # type: ignore[no-any-return]

    def text(self, event: Any) -> str:
        return str(event.text)


class LiteLLM:
    package = "litellm"

    def make(self, sdk: Any, server: RecordingServer) -> Any:
        self.where = {"model": "openai/m", "api_base": f"{server.url}/v1", "api_key": "k"}
        return sdk

    async def stream(self, client: Any) -> AsyncIterator[Any]:
        return await client.acompletion(messages=ASK, stream=True, **self.where)  # type: ignore[no-any-return]

    def text(self, event: Any) -> str:
        return event.choices[0].delta.content or ""


@pytest.mark.parametrize("captures", [False, True])
@pytest.mark.parametrize("case", [Ollama(), Cohere(), Google(), LiteLLM()], ids=lambda c: c.package)
async def test_cancelling_a_stream_cancels_it(
    case: Any, captures: bool, serve: Any, fake_memory: Any
) -> None:
    """The task ends as cancelled, having read what the bare client's caller had read."""
    sdk = pytest.importorskip(case.package)
    memory = fake_memory(captures=captures)
    server = serve([Reply("one two", gate=threading.Event())])
    bare = case.make(sdk, server)
    _, expected = await cancelled(lambda: case.stream(bare), case.text)
    wrapped = wrap(case.make(sdk, server), memory)
    _, got = await cancelled(lambda: case.stream(wrapped), case.text)
    assert got == expected
    assert ["<memory>" in str(body) for body in server.bodies] == [False, True]
    assert all(turn["reply"]["content"] == "one" for turn in memory.turns)
