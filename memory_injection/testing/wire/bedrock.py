"""Bedrock Converse, streamed as AWS event-stream frames."""

from __future__ import annotations

import json
import re
import struct
import zlib
from collections.abc import Iterator, Mapping
from typing import Any

from .reply import Reply, WireFormat, halves

__all__ = ["CONVERSE"]


def _blocks(reply: Reply, number: int) -> list[dict[str, Any]]:
    text: list[dict[str, Any]] = [{"text": reply.text}] if reply.text else []
    return text + [
        {"toolUse": {"toolUseId": ident, "name": name, "input": args}}
        for ident, name, args in reply.calls(number)
    ]


def _stop(reply: Reply) -> str:
    return "tool_use" if reply.tool_calls else "end_turn"


def _whole(reply: Reply, _: Mapping[str, Any], number: int) -> dict[str, Any]:
    return {
        "output": {"message": {"role": "assistant", "content": _blocks(reply, number)}},
        "stopReason": _stop(reply),
        "usage": {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2},
        "metrics": {"latencyMs": 1},
    }


def _events(reply: Reply, number: int) -> Iterator[tuple[str, dict[str, Any]]]:
    yield "messageStart", {"role": "assistant"}
    for place, block in enumerate(_blocks(reply, number)):
        where = {"contentBlockIndex": place}
        if tool := block.get("toolUse"):
            start = {"toolUseId": tool["toolUseId"], "name": tool["name"]}
            yield "contentBlockStart", {**where, "start": {"toolUse": start}}
            for piece in halves(json.dumps(tool["input"])):
                yield "contentBlockDelta", {**where, "delta": {"toolUse": {"input": piece}}}
        else:
            for word in reply.words():
                yield "contentBlockDelta", {**where, "delta": {"text": word}}
        yield "contentBlockStop", where
    yield "messageStop", {"stopReason": _stop(reply)}


def _stream(reply: Reply, _: Mapping[str, Any], number: int) -> Iterator[bytes]:
    for name, data in _events(reply, number):
        yield _frame(name, data)


def _frame(name: str, data: dict[str, Any]) -> bytes:
    """Encode one event (the ``application/vnd.amazon.eventstream`` format)."""
    headers = b"".join(
        _header(key, value)
        for key, value in (
            (":event-type", name),
            (":content-type", "application/json"),
            (":message-type", "event"),
        )
    )
    payload = json.dumps(data).encode()
    prelude = struct.pack("!II", 16 + len(headers) + len(payload), len(headers))
    frame = prelude + struct.pack("!I", zlib.crc32(prelude)) + headers + payload
    return frame + struct.pack("!I", zlib.crc32(frame))


def _header(key: str, value: str) -> bytes:
    string = 7
    return b"%c%s%c%s%s" % (
        len(key), key.encode(), string, struct.pack("!H", len(value)), value.encode()
    )  # fmt: skip


def _error(reply: Reply) -> dict[str, Any]:
    kinds = {400: "ValidationException", 429: "ThrottlingException"}
    return {
        "message": reply.text,
        "__type": kinds.get(reply.status, "InternalServerException"),
    }


def _asked(path: str, _: Mapping[str, Any]) -> bool:
    return path.split("?")[0].endswith("/converse-stream")


CONVERSE = WireFormat(
    re.compile(r"/model/.+/converse(-stream)?$"),
    _asked,
    _whole,
    _stream,
    _error,
    "application/vnd.amazon.eventstream",
)
