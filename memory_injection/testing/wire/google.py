"""Gemini: ``generateContent`` and ``streamGenerateContent``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from .reply import Reply, WireFormat, event

__all__ = ["GENERATE_CONTENT"]


def _chunk(parts: list[dict[str, Any]], number: int, finish: str | None) -> dict[str, Any]:
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": parts}, "index": 0}
    if finish:
        candidate["finishReason"] = finish
    return {
        "candidates": [candidate],
        "modelVersion": "model",
        "responseId": f"resp-{number}",
        "usageMetadata": {"promptTokenCount": 1, "totalTokenCount": 1},
    }


def _calls(reply: Reply, number: int) -> list[dict[str, Any]]:
    return [
        {"functionCall": {"id": ident, "name": name, "args": args}}
        for ident, name, args in reply.calls(number)
    ]


def _whole(reply: Reply, _: Mapping[str, Any], number: int) -> dict[str, Any]:
    text = [{"text": reply.text}] if reply.text else []
    return _chunk(text + _calls(reply, number), number, "STOP")


def _stream(reply: Reply, _: Mapping[str, Any], number: int) -> Iterator[bytes]:
    for word in reply.words():
        yield event(_chunk([{"text": word}], number, None))
    yield event(_chunk(_calls(reply, number) or [{"text": ""}], number, "STOP"))


def _error(reply: Reply) -> dict[str, Any]:
    status = {400: "INVALID_ARGUMENT", 429: "RESOURCE_EXHAUSTED"}.get(reply.status, "INTERNAL")
    return {"error": {"code": reply.status, "message": reply.text, "status": status}}


def _asked(path: str, _: Mapping[str, Any]) -> bool:
    return ":streamGenerateContent" in path


GENERATE_CONTENT = WireFormat(
    re.compile(r":(stream)?[gG]enerateContent$"), _asked, _whole, _stream, _error
)
