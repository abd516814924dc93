"""Anthropic Messages."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from .reply import Reply, WireFormat, asked, event, halves

__all__ = ["COUNT_TOKENS", "MESSAGES"]


def _blocks(reply: Reply, number: int) -> list[dict[str, Any]]:
    text = [{"type": "text", "text": reply.text, "citations": None}] if reply.text else []
    return text + [
        {"type": "tool_use", "id": f"toolu_{ident}", "name": name, "input": args}
        for ident, name, args in reply.calls(number)
    ]


def _message(reply: Reply, body: Mapping[str, Any], number: int) -> dict[str, Any]:
    return {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model", "model"),
        "content": _blocks(reply, number),
        "stop_reason": "tool_use" if reply.tool_calls else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": len(reply.words())},
    }


def _events(reply: Reply, body: Mapping[str, Any], number: int) -> Iterator[dict[str, Any]]:
    message = _message(reply, body, number)
    begun = {**message, "content": [], "stop_reason": None}
    yield {"type": "message_start", "message": begun}
    for place, block in enumerate(message["content"]):
        empty: dict[str, Any] = {"text": ""} if block["type"] == "text" else {"input": {}}
        yield {
            "type": "content_block_start",
            "index": place,
            "content_block": {**block, **empty},
        }
        for delta in _deltas(reply, block):
            yield {"type": "content_block_delta", "index": place, "delta": delta}
        yield {"type": "content_block_stop", "index": place}
    yield {
        "type": "message_delta",
        "delta": {"stop_reason": message["stop_reason"], "stop_sequence": None},
        "usage": {"output_tokens": message["usage"]["output_tokens"]},
    }
    yield {"type": "message_stop"}


def _deltas(reply: Reply, block: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    if block["type"] == "text":
        for word in reply.words():
            yield {"type": "text_delta", "text": word}
    else:
        for piece in halves(json.dumps(block["input"])):
            yield {"type": "input_json_delta", "partial_json": piece}


def _stream(reply: Reply, body: Mapping[str, Any], number: int) -> Iterator[bytes]:
    for data in _events(reply, body, number):
        yield event(data, data["type"])


def _error(reply: Reply) -> dict[str, Any]:
    kinds = {400: "invalid_request_error", 429: "rate_limit_error", 529: "overloaded_error"}
    kind = kinds.get(reply.status, "api_error")
    return {"type": "error", "error": {"type": kind, "message": reply.text}}


def _count(_: Reply, body: Mapping[str, Any], __: int) -> dict[str, Any]:
    return {"input_tokens": len(json.dumps(body))}


MESSAGES = WireFormat(re.compile(r"/v1/messages$"), asked, _message, _stream, _error)
COUNT_TOKENS = WireFormat(
    re.compile(r"/v1/messages/count_tokens$"), lambda *_: False, _count, _stream, _error
)
