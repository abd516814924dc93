"""Ollama: ``/api/chat``, streamed as one JSON object a line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from .reply import Reply, WireFormat

__all__ = ["CHAT"]


def _chunk(body: Mapping[str, Any], message: dict[str, Any], done: bool) -> dict[str, Any]:
    chunk = {
        "model": body.get("model", "model"),
        "created_at": "2024-01-01T00:00:00Z",
        "message": {"role": "assistant", **message},
        "done": done,
    }
    return {**chunk, "done_reason": "stop", "eval_count": 1} if done else chunk


def _calls(reply: Reply, number: int) -> dict[str, Any]:
    calls = [
        {"function": {"name": name, "arguments": args}} for _, name, args in reply.calls(number)
    ]
    return {"tool_calls": calls} if calls else {}


def _whole(reply: Reply, body: Mapping[str, Any], number: int) -> dict[str, Any]:
    return _chunk(body, {"content": reply.text, **_calls(reply, number)}, done=True)


def _stream(reply: Reply, body: Mapping[str, Any], number: int) -> Iterator[bytes]:
    for word in reply.words():
        yield _line(_chunk(body, {"content": word}, done=False))
    if reply.tool_calls:
        yield _line(_chunk(body, {"content": "", **_calls(reply, number)}, done=False))
    yield _line(_chunk(body, {"content": ""}, done=True))


def _line(chunk: dict[str, Any]) -> bytes:
    return json.dumps(chunk).encode() + b"\n"


def _error(reply: Reply) -> dict[str, Any]:
    return {"error": reply.text}


def _asked(_: str, body: Mapping[str, Any]) -> bool:
    # Ollama streams unless told not to.
    return body.get("stream", True) is True


CHAT = WireFormat(
    re.compile(r"/api/chat$"), _asked, _whole, _stream, _error, "application/x-ndjson"
)
