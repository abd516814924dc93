"""What the scripted model says, and what it takes to word it the way a provider does."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["CREATED", "Reply", "ToolCall", "WireFormat", "asked", "event", "halves"]

CREATED = 1_700_000_000


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


def asked(_: str, body: Mapping[str, Any]) -> bool:
    """Tell whether the body says ``"stream": true``."""
    return body.get("stream") is True


def event(data: Any, name: str | None = None) -> bytes:
    """Return one server-sent event."""
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {data if isinstance(data, str) else json.dumps(data)}\n\n".encode()


def halves(text: str) -> tuple[str, str]:
    """Cut *text* in two, as streamed arguments are."""
    return text[: len(text) // 2], text[len(text) // 2 :]
