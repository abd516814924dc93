"""How each provider words a reply: one :class:`WireFormat` per API, as JSON and as a stream.

Replies hold what the SDKs require and no more; ids and times are derived from the request's
number, so that two runs give the same bytes.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Reply", "ToolCall", "WireFormat", "format_for"]

_CREATED = 1_700_000_000


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool the scripted model asks for.

    Attributes:
        name: the tool.
        arguments: its arguments.
        id: the call's id; None derives one from the request's number.
    """

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    id: str | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """What the server answers to one request.

    Attributes:
        text: the assistant's words; streamed word by word.
        tool_calls: the tools it asks for.
        status: an HTTP status; 400 and above sends the provider's error body with *text*.
        delay: seconds to wait before answering, or an event to wait for.
        gate: an event to wait for after the first piece of a stream (or seconds).
        break_after: cut the connection after so many pieces of a stream.
        headers: more response headers.
        body: sent as the JSON body as it stands, in place of everything above but *delay*.
    """

    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    status: int = 200
    delay: float | threading.Event | None = None
    gate: float | threading.Event | None = None
    break_after: int | None = None
    headers: Mapping[str, str] | None = None
    body: Mapping[str, Any] | None = None

    @classmethod
    def of(cls, value: Reply | str | Mapping[str, Any]) -> Reply:
        """Read a reply from a reply, a text or a whole JSON body."""
        if isinstance(value, Reply):
            return value
        return cls(text=value) if isinstance(value, str) else cls(body=value)

    def words(self) -> list[str]:
        """Return the text in pieces that join to it again."""
        return re.findall(r"\s*\S+|\s+$", self.text)

    def calls(self, number: int) -> list[tuple[str, str, dict[str, Any]]]:
        """Return id, name and arguments of each tool call."""
        return [
            (call.id or f"call_{number}_{place}", call.name, dict(call.arguments))
            for place, call in enumerate(self.tool_calls)
        ]


@dataclass(frozen=True, slots=True)
class WireFormat:
    """One provider API.

    Attributes:
        paths: what the request path must match.
        streams: does this path and body ask for a stream?
        whole: the JSON body for a reply, a request body and the request's number.
        stream: the same as the pieces of a stream, ready to send.
        error: the JSON body of a refusal.
        stream_type: content type of a stream.
    """

    paths: re.Pattern[str]
    streams: Callable[[str, Mapping[str, Any]], bool]
    whole: Callable[[Reply, Mapping[str, Any], int], Mapping[str, Any]]
    stream: Callable[[Reply, Mapping[str, Any], int], Iterator[bytes]]
    error: Callable[[Reply], Mapping[str, Any]]
    stream_type: str = "text/event-stream"


def format_for(path: str) -> WireFormat | None:
    """Return the API served at *path* (query ignored), or None."""
    bare = path.split("?")[0]
    return next((shape for shape in _FORMATS if shape.paths.search(bare)), None)


def _asked(_: str, body: Mapping[str, Any]) -> bool:
    return body.get("stream") is True


def _event(data: Any, name: str | None = None) -> bytes:
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {data if isinstance(data, str) else json.dumps(data)}\n\n".encode()


def _halves(text: str) -> tuple[str, str]:
    return text[: len(text) // 2], text[len(text) // 2 :]


# --- OpenAI Chat Completions ---------------------------------------------------------------


def _chat_head(body: Mapping[str, Any], number: int, kind: str) -> dict[str, Any]:
    return {
        "id": f"chatcmpl-{number}",
        "object": kind,
        "created": _CREATED + number,
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
        first, second = _halves(json.dumps(args))
        function = {"name": name, "arguments": first}
        start = {"index": place, "id": ident, "type": "function", "function": function}
        yield {"tool_calls": [start]}
        yield {"tool_calls": [{"index": place, "function": {"arguments": second}}]}


def _chat_stream(reply: Reply, body: Mapping[str, Any], number: int) -> Iterator[bytes]:
    head = _chat_head(body, number, "chat.completion.chunk")
    for delta in _chat_deltas(reply, number):
        yield _event({**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
    finish = "tool_calls" if reply.tool_calls else "stop"
    yield _event({**head, "choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
    yield _event("[DONE]")


def _openai_error(reply: Reply) -> dict[str, Any]:
    kind = "server_error" if reply.status >= 500 else "invalid_request_error"
    return {"error": {"message": reply.text, "type": kind, "param": None, "code": None}}


_FORMATS: tuple[WireFormat, ...] = (
    WireFormat(re.compile(r"/chat/completions$"), _asked, _chat_whole, _chat_stream, _openai_error),
)
