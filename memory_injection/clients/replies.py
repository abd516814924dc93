"""Reading what the model answered, beside the caller and without changing what the caller sees.

A reply arrives whole, as a stream of the SDK's events, or as bytes. In each case it ends up as one
plain assistant message, ``{"role": "assistant", "content": text, "tool_calls": [...]}``, and is
handed to capture once: when it is complete, or with what had arrived when it was abandoned.
"""

from __future__ import annotations

import contextvars
import json
import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from .binding import Binding

__all__ = ["Api", "Draft", "Turn", "get"]

logger = logging.getLogger("memory_injection.clients")


def get(thing: object, name: str) -> Any:
    """Return a field of a dict or of an SDK object; None where there is none."""
    return thing.get(name) if isinstance(thing, Mapping) else getattr(thing, name, None)


@dataclass(slots=True)
class _Call:
    id: str | None
    name: str
    arguments: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Draft:
    """An assistant message being put together from what has arrived so far."""

    texts: list[str] = field(default_factory=list)
    calls: dict[object, _Call] = field(default_factory=dict)

    def say(self, text: object) -> None:
        """Add a piece of text; anything but text is passed over."""
        if isinstance(text, str):
            self.texts.append(text)

    def call(self, key: object, ident: Any, name: Any, arguments: Any = None) -> None:
        """Begin the tool call *key*, or name it once its name arrives."""
        known = self.calls.setdefault(key, _Call(ident, name or ""))
        known.id, known.name = known.id or ident, known.name or name or ""
        self.argue(key, arguments)

    def argue(self, key: object, arguments: Any) -> None:
        """Add a piece of a tool call's arguments: JSON text, or the whole as an object."""
        if arguments is None or key not in self.calls:
            return
        text = arguments if isinstance(arguments, str) else json.dumps(arguments, default=str)
        self.calls[key].arguments.append(text)

    def message(self) -> dict[str, Any] | None:
        """Return the message, or None if the model has said nothing."""
        text = "".join(self.texts)
        if not text and not self.calls:
            return None
        message: dict[str, Any] = {"role": "assistant", "content": text}
        if self.calls:
            message["tool_calls"] = [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {"name": call.name, "arguments": "".join(call.arguments)},
                }
                for call in self.calls.values()
            ]
        return message


@dataclass(frozen=True, slots=True)
class Api:
    """How one provider API words its replies.

    Attributes:
        name: the request shape, e.g. ``"openai.chat"``.
        whole: puts a whole reply into a draft.
        event: puts one stream event into a draft.
    """

    name: str
    whole: Callable[[Draft, Any], None]
    event: Callable[[Draft, Any], None]


class Turn:
    """One model call under observation; made only when capture is on."""

    def __init__(self, binding: Binding, api: Api, body: Mapping[str, Any]) -> None:
        """Keep the caller's own *body* and the context of the call, its scope included."""
        self._binding = binding
        self._api = api
        self._body = body
        self._draft = Draft()
        with binding.under():
            self._context = contextvars.copy_context()
        self._done = False

    def whole(self, reply: object) -> None:
        """Take a whole reply; the turn is over."""
        self._put(self._api.whole, reply)
        self.finish()

    def event(self, event: object) -> None:
        """Take one event of a stream."""
        self._put(self._api.event, event)

    def received(self, raw: bytes, streamed: bool) -> None:
        """Take what came over the wire: a JSON body or server-sent events; the turn is over."""
        if streamed:
            for event in _server_sent(raw):
                self.event(event)
        else:
            self._put(self._api.whole, _parsed(raw))
        self.finish()

    def finish(self) -> None:
        """Hand over what has arrived, once."""
        if self._done:
            return
        self._done = True
        message = self._draft.message()
        if message is not None:
            self._context.run(self._binding.capture, self._body, message, self._api.name)

    def _put(self, into: Callable[[Draft, Any], None], thing: object) -> None:
        try:
            into(self._draft, thing)
        except Exception as error:
            name = self._api.name
            logger.debug("a %s reply could not be read: %s", name, type(error).__name__)


def _server_sent(raw: bytes) -> Iterator[Any]:
    """Read server-sent events (WHATWG HTML, section 9.2.6) whose data is JSON."""
    text = raw.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
    for event in text.split("\n\n"):
        lines = (line[5:].removeprefix(" ") for line in event.split("\n") if line[:5] == "data:")
        parsed = _parsed("\n".join(lines))
        if parsed is not None:
            yield parsed


def _parsed(text: str | bytes) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None
