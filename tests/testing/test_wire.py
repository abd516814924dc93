from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_injection.testing.wire import Reply, ToolCall, format_for

CHAT = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}
PATHS = [
    "/v1/chat/completions",
    "/openai/deployments/m/chat/completions?api-version=1",
    "/v1/responses",
    "/v1/messages?beta=true",
    "/v1beta/models/m:generateContent",
    "/v1beta/models/m:streamGenerateContent?alt=sse",
    "/model/m/converse",
    "/model/m/converse-stream",
    "/api/chat",
    "/v2/chat",
]
CALL = Reply("Let me see.", tool_calls=(ToolCall("look", {"city": "İzmir"}),))


def named(found: Any, name: str) -> list[Any]:
    """Return every value called *name*, at any depth, in order."""
    if isinstance(found, dict):
        own = [value for key, value in found.items() if key == name]
        return own + [v for value in found.values() for v in named(value, name)]
    return [v for value in found for v in named(value, name)] if isinstance(found, list) else []


def payloads(raw: bytes) -> list[Any]:
    """Return the JSON objects in a stream, whatever frames them."""
    decoder, found, at = json.JSONDecoder(), [], 0
    text = raw.decode("utf-8", "replace")
    while (at := text.find("{", at)) >= 0:
        try:
            value, at = decoder.raw_decode(text, at)
        except ValueError:
            at += 1
        else:
            found.append(value)
    return found


@pytest.mark.parametrize("path", PATHS)
def test_a_whole_reply_holds_text_and_call(path: str) -> None:
    """Text, tool name and arguments are all in the JSON body, under the request's number."""
    shape = format_for(path)
    assert shape is not None
    body = json.dumps(shape.whole(CALL, CHAT, 7), ensure_ascii=False)
    assert "Let me see." in body
    assert '"look"' in body
    assert "İzmir" in body or "\\\\u0130zmir" in body
    assert "7" in body or "api/chat" in path or "model/" in path


@pytest.mark.parametrize("path", PATHS)
def test_two_runs_give_the_same_bytes(path: str) -> None:
    """Ids and times come from the request's number alone."""
    shape = format_for(path)
    assert shape is not None
    assert list(shape.stream(CALL, CHAT, 3)) == list(shape.stream(CALL, CHAT, 3))
    assert shape.whole(CALL, CHAT, 3) == shape.whole(CALL, CHAT, 3)


@pytest.mark.parametrize("path", PATHS)
@given(text=st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=40))
def test_streamed_words_join_to_the_text(path: str, text: str) -> None:
    """Whatever the text, its pieces are in the stream in order and none is empty."""
    shape = format_for(path)
    assert shape is not None
    words = Reply(text).words()
    assert "".join(words) == text
    assert all(words)
    raw = b"".join(shape.stream(Reply(text), CHAT, 1))
    told = "".join(
        str(value)
        for payload in payloads(raw)
        if not re.search(r"\.(done|completed|created)$", str(payload.get("type", "")))
        for name in ("content", "text", "delta")
        for value in named(payload, name)
        if isinstance(value, str)
    )
    assert text in told


@pytest.mark.parametrize("path", PATHS)
def test_an_error_says_what_is_wrong(path: str) -> None:
    """A refusal carries its text in the provider's own shape."""
    shape = format_for(path)
    assert shape is not None
    assert "slow down" in json.dumps(shape.error(Reply("slow down", status=429)))


@pytest.mark.parametrize(
    ("path", "body", "streamed"),
    [
        ("/v1/chat/completions", {"stream": True}, True),
        ("/v1/chat/completions", {}, False),
        ("/v1/messages/count_tokens", {"stream": True}, False),
        ("/api/chat", {}, True),
        ("/api/chat", {"stream": False}, False),
        ("/model/m/converse", {}, False),
        ("/model/m/converse-stream", {}, True),
        ("/v1beta/models/m:streamGenerateContent?alt=sse", {}, True),
        ("/v1beta/models/m:generateContent", {}, False),
    ],
)
def test_streams_are_told_by_path_or_body(path: str, body: Any, streamed: bool) -> None:
    """Each API has its own way of asking for a stream."""
    shape = format_for(path)
    assert shape is not None
    assert shape.streams(path, body) is streamed
