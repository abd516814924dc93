"""The Ollama chat shape."""

import json
from typing import Any

import pytest

from memory_injection.dialects import detect, detect_body
from memory_injection.dialects.ollama_chat import OllamaChat

BLOCK = '<memory>\n<entry source="notes">The cat is called Pamuk.</entry>\n</memory>'
CALLED = {
    "role": "assistant",
    "content": "",
    "tool_calls": [{"function": {"name": "find", "arguments": {"status": "open"}}}],
}
ANSWER = {"role": "tool", "tool_name": "find", "content": "ok"}

dialect = OllamaChat()


def test_images_stand_beside_the_text_and_are_an_ask():
    """They are carried through, and count in the reading."""
    seen = {"role": "user", "content": "Who?", "images": ["iVBORw0="]}
    appended = dialect.append(seen, BLOCK)
    assert appended == {**seen, "content": f"Who?\n\n{BLOCK}"}
    assert appended["images"] is seen["images"]
    assert dialect.read(seen).rest != dialect.read({**seen, "images": ["AAAA"]}).rest
    raw = {**seen, "images": [b"\x89PNG\r"]}
    assert dialect.read(raw) == dialect.read({**seen, "images": ["iVBORw0="]})


def test_arguments_and_names_of_calls_are_read():
    """Every name in them counts."""
    other = json.loads(json.dumps(CALLED).replace("open", "closed"))
    assert dialect.read(CALLED) != dialect.read(other)
    assert dialect.read(ANSWER) != dialect.read({**ANSWER, "tool_name": "seek"})
    assert not dialect.read(ANSWER).writable


@pytest.mark.parametrize(
    "message",
    [
        CALLED,
        ANSWER,
        {"role": "tool", "content": "x"},
        {"role": "user", "content": "x", "images": ["AAAA"]},
    ],
)
def test_what_only_it_writes_is_recognised(message: dict[str, Any]):
    """Arguments as an object, the tool's name, images beside the text."""
    assert detect([{"role": "user", "content": "x"}, message]).name == "ollama"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "message",
    [
        {"role": "user", "content": [{"type": "text", "text": "x"}]},
        {"role": "developer", "content": "x"},
        {"role": "tool", "tool_call_id": "c1", "content": "x"},
        {"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": "{}"}}]},
        {"role": "assistant", "content": "", "tool_plan": "x"},
        {"role": "user"},
    ],
)
def test_what_other_shapes_write_rules_it_out(message: dict[str, Any]):
    """Parts, ids of calls, arguments as a text."""
    assert dialect.detect([ANSWER, message]) == 0


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ({"model": "gemma3:1b"}, "ollama"),
        ({"model": "m", "keep_alive": "5m"}, "ollama"),
        ({"model": "m", "options": {"num_ctx": 4096}}, "ollama"),
        ({"model": "ft:gpt-4o-mini:acme::1"}, "openai.chat"),
        ({"model": "meta/llama:free"}, "openai.chat"),
    ],
)
def test_a_plain_conversation_is_told_by_the_body(body: dict[str, Any], name: str):
    """Options of its own, or a model with a tag."""
    found = detect_body({**body, "messages": [{"role": "user", "content": "Hi"}]})
    assert found is not None
    assert found.name == name


def test_messages_of_the_sdk_work_like_their_json():
    """As ``response.message`` is sent back, and images as the SDK holds them."""
    ollama = pytest.importorskip("ollama")
    reply = ollama.Message(**CALLED)
    asked = ollama.Message(role="user", content="Who?", images=[ollama.Image(value=b"\x89PNG\r")])
    for message in (reply, asked):
        reloaded = json.loads(message.model_dump_json(exclude_none=True))
        assert dialect.read(message) == dialect.read(reloaded)
    assert dialect.read(reply) == dialect.read(CALLED)
    appended = dialect.append(asked, BLOCK)
    assert (type(appended), asked.content) == (type(asked), "Who?")
    assert dialect.remove(appended, [BLOCK]) == asked
    assert detect([asked]).name == "ollama"  # type: ignore[union-attr]
