"""Cohere: the v2 chat."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from .reply import Reply, WireFormat, asked, event, halves

__all__ = ["CHAT"]


def _calls(reply: Reply, number: int) -> list[dict[str, Any]]:
    return [
        {"id": ident, "type": "function", "function": {"name": name, "arguments": json.dumps(args)}}
        for ident, name, args in reply.calls(number)
    ]


def _whole(reply: Reply, _: Mapping[str, Any], number: int) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant"}
    if reply.text:
        message["content"] = [{"type": "text", "text": reply.text}]
    if reply.tool_calls:
        message["tool_calls"] = _calls(reply, number)
    return {"id": f"chat-{number}", "finish_reason": _finish(reply), "message": message}


def _finish(reply: Reply) -> str:
    return "TOOL_CALL" if reply.tool_calls else "COMPLETE"


def _events(reply: Reply, number: int) -> Iterator[dict[str, Any]]:
    yield {
        "type": "message-start",
        "id": f"chat-{number}",
        "delta": {"message": {"role": "assistant"}},
    }
    if reply.text:
        yield _content("content-start", {"type": "text", "text": ""})
        for word in reply.words():
            yield _content("content-delta", {"text": word})
        yield {"type": "content-end", "index": 0}
    for place, call in enumerate(_calls(reply, number)):
        first, second = halves(call["function"]["arguments"])
        begun = {**call, "function": {**call["function"], "arguments": first}}
        yield _tool("tool-call-start", place, begun)
        yield _tool("tool-call-delta", place, {"function": {"arguments": second}})
        yield {"type": "tool-call-end", "index": place}
    yield {"type": "message-end", "delta": {"finish_reason": _finish(reply)}}


def _content(kind: str, content: dict[str, Any]) -> dict[str, Any]:
    return {"type": kind, "index": 0, "delta": {"message": {"content": content}}}


def _tool(kind: str, place: int, call: dict[str, Any]) -> dict[str, Any]:
    return {"type": kind, "index": place, "delta": {"message": {"tool_calls": call}}}


def _stream(reply: Reply, _: Mapping[str, Any], number: int) -> Iterator[bytes]:
    for data in _events(reply, number):
        yield event(data, data["type"])


def _error(reply: Reply) -> dict[str, Any]:
    return {"message": reply.text}


CHAT = WireFormat(re.compile(r"/v2/chat$"), asked, _whole, _stream, _error)
