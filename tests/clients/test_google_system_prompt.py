"""``placement="system"`` through google-genai's own arguments: the prompt lies in ``config``."""

from __future__ import annotations

import json

import pytest

from memory_injection import MemoryManager, wrap
from memory_injection.testing import FakeStore
from memory_injection.testing.server import RecordingServer

genai = pytest.importorskip("google.genai")
types = pytest.importorskip("google.genai.types")


@pytest.mark.parametrize(
    ("config", "before"),
    [
        (None, ""),
        ({"system_instruction": "be brief"}, "be brief\n\n"),
        ({"systemInstruction": "be brief"}, "be brief\n\n"),
        (types.GenerateContentConfig(system_instruction="be brief"), "be brief\n\n"),
        (types.GenerateContentConfig(temperature=0.5), ""),
    ],
)
def test_the_system_prompt_carries_memory(config, before):
    """Whatever form the caller's configuration has; it is not changed."""
    store = FakeStore(["The cat is called Pamuk."], name="notes")
    with (
        MemoryManager([store], injection={"placement": "system"}) as memory,
        RecordingServer(["Pamuk"]) as server,
    ):
        options = types.HttpOptions(base_url=server.url)
        client = wrap(genai.Client(api_key="k", http_options=options), memory)
        asked = {"model": "g", "contents": "What is the cat called?"}
        client.models.generate_content(**asked, **({} if config is None else {"config": config}))
        body = server.requests[0].body
    sent = json.loads(body) if isinstance(body, bytes) else body
    (part,) = sent["systemInstruction"]["parts"]
    assert part["text"].startswith(f"{before}<memory>\n<entry")
    assert [p["text"] for p in sent["contents"][0]["parts"]] == ["What is the cat called?"]
