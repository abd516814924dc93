"""OpenAI: Chat Completions and Responses."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from .reply import CREATED, Reply, WireFormat, asked, event, halves

__all__ = ["CHAT", "RESPONSES"]


def _chat_head(body: Mapping[str, Any], number: int, kind: str) -> dict[str, Any]:
    return {
        "id": f"chatcmpl-{number}",
        "object": kind,
        "created": CREATED + number,
        "model": body.get("model", "model"),
    }


def _chat_whole(reply: Reply, body: Mapping[str, Any], number: int) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": reply.text or None}
    calls = [
        {"id": ident, "type": "function", "function": {"name": name, "arguments": json.dumps(args)}}
        for ident, name, args in reply.calls(number)
    ]
    if calls:
        message["tool_calls"] = calls
    finish = "tool_calls" if calls else "stop"
    words = len(reply.words())
    return {
        **_chat_head(body, number, "chat.completion"),
        "choices": [{"index": 0, "message": message, "finish_reason": finish, "logprobs": None}],
        "usage": {"prompt_tokens": 1, "completion_tokens": words, "total_tokens": 1 + words},
    }


def _chat_deltas(reply: Reply, number: int) -> Iterator[dict[str, Any]]:
    yield {"role": "assistant", "content": ""}
    for word in reply.words():
        yield {"content": word}
    for place, (ident, name, args) in enumerate(reply.calls(number)):
        first, second = halves(json.dumps(args))
        function = {"name": name, "arguments": first}
        start = {"index": place, "id": ident, "type": "function", "function": function}
        yield {"tool_calls": [start]}
        yield {"tool_calls": [{"index": place, "function": {"arguments": second}}]}


def _chat_stream(reply: Reply, body: Mapping[str, Any], number: int) -> Iterator[bytes]:
    head = _chat_head(body, number, "chat.completion.chunk")
    for delta in _chat_deltas(reply, number):
        yield event({**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
    finish = "tool_calls" if reply.tool_calls else "stop"
    yield event({**head, "choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
    yield event("[DONE]")


def _openai_error(reply: Reply) -> dict[str, Any]:
    kind = "server_error" if reply.status >= 500 else "invalid_request_error"
    return {"error": {"message": reply.text, "type": kind, "param": None, "code": None}}


CHAT = WireFormat(
    re.compile(r"/chat/completions$"), asked, _chat_whole, _chat_stream, _openai_error
)


def _response_items(reply: Reply, number: int) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    if reply.text:
        part = {"type": "output_text", "text": reply.text, "annotations": [], "logprobs": []}
        items.append(
            {
                "id": f"msg_{number}",
                "type": "message",
                "role": "assistant",
                "status": "completed",
                "content": [part],
            }
        )
    items.extend(
        {
            "id": f"fc_{number}_{place}",
            "type": "function_call",
            "call_id": ident,
            "name": name,
            "arguments": json.dumps(args),
            "status": "completed",
        }
        for place, (ident, name, args) in enumerate(reply.calls(number))
    )
    return items


def _response(
    body: Mapping[str, Any], number: int, status: str, output: list[dict[str, Any]]
) -> dict[str, Any]:
    return {
        "id": f"resp_{number}",
        "object": "response",
        "created_at": CREATED + number,
        "status": status,
        "error": None,
        "incomplete_details": None,
        "instructions": body.get("instructions"),
        "metadata": {},
        "model": body.get("model", "model"),
        "output": output,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": body.get("tools", []),
        "temperature": 1.0,
        "top_p": 1.0,
        "usage": None,
    }


def _responses_whole(reply: Reply, body: Mapping[str, Any], number: int) -> dict[str, Any]:
    return _response(body, number, "completed", _response_items(reply, number))


def _responses_events(
    reply: Reply, body: Mapping[str, Any], number: int
) -> Iterator[dict[str, Any]]:
    items = _response_items(reply, number)
    started = _response(body, number, "in_progress", [])
    yield {"type": "response.created", "response": started}
    for place, item in enumerate(items):
        where = {"item_id": item["id"], "output_index": place}
        if item["type"] == "message":
            yield from _message_events(reply, item, where)
        else:
            yield from _call_events(item, where)
        yield {"type": "response.output_item.done", "output_index": place, "item": item}
    yield {
        "type": "response.completed",
        "response": _response(body, number, "completed", items),
    }


def _message_events(
    reply: Reply, item: dict[str, Any], where: dict[str, Any]
) -> Iterator[dict[str, Any]]:
    (part,) = item["content"]
    spot = {**where, "content_index": 0}
    begun = {**item, "content": [], "status": "in_progress"}
    yield {
        "type": "response.output_item.added",
        "output_index": where["output_index"],
        "item": begun,
    }
    yield {"type": "response.content_part.added", **spot, "part": {**part, "text": ""}}
    for word in reply.words():
        yield {"type": "response.output_text.delta", **spot, "delta": word, "logprobs": []}
    yield {"type": "response.output_text.done", **spot, "text": reply.text, "logprobs": []}
    yield {"type": "response.content_part.done", **spot, "part": part}


def _call_events(item: dict[str, Any], where: dict[str, Any]) -> Iterator[dict[str, Any]]:
    begun = {**item, "arguments": "", "status": "in_progress"}
    yield {
        "type": "response.output_item.added",
        "output_index": where["output_index"],
        "item": begun,
    }
    for piece in halves(item["arguments"]):
        yield {"type": "response.function_call_arguments.delta", **where, "delta": piece}
    yield {
        "type": "response.function_call_arguments.done",
        **where,
        "name": item["name"],
        "arguments": item["arguments"],
    }


def _responses_stream(reply: Reply, body: Mapping[str, Any], number: int) -> Iterator[bytes]:
    for place, data in enumerate(_responses_events(reply, body, number)):
        yield event({**data, "sequence_number": place}, data["type"])


RESPONSES = WireFormat(
    re.compile(r"/responses$"), asked, _responses_whole, _responses_stream, _openai_error
)
