"""Reads one call: which turn it belongs to, and what was said in that turn so far."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from ..protocols import Dialect
from ..reading import Reading
from ..tool_shapes import get
from .records import Message

__all__ = ["Heard", "Said", "hear", "kept_by_server"]

TOOL_TEXT = 4000
"""Characters kept of one tool call or result, for extractors that ask for tool traffic."""


@dataclass(frozen=True, slots=True)
class Said:
    """One user message and the key that recognises it.

    Attributes:
        key: digest of the clean conversation up to and including it.
        text: its words, free of blocks; "" for a message of media alone.
        place: its position among what was said in the conversation, tool traffic aside.
    """

    key: str
    text: str
    place: int = 0


@dataclass(frozen=True, slots=True)
class Heard:
    """The turn one call belongs to.

    Attributes:
        asks: the user messages since the assistant last spoke, oldest first; the last one's key
            is the turn's.
        earlier: keys of the user messages before them: turns that are over.
        steps: the tool traffic after the ask, oldest first.
        goes_on: something stands after the ask: this is a further step of a tool loop.
        end: the position of what is said next.
    """

    asks: tuple[Said, ...]
    earlier: frozenset[str] = frozenset()
    steps: tuple[Message, ...] = ()
    goes_on: bool = False
    end: int = 0

    @property
    def key(self) -> str:
        """Return the key of the turn."""
        return self.asks[-1].key if self.asks else ""


def hear(
    messages: Sequence[Any], dialect: Dialect, clean: Callable[[str], str], seed: bytes = b""
) -> Heard:
    """Read the conversation of one call.

    Args:
        messages: the conversation as sent or as the caller keeps it.
        dialect: its request shape.
        clean: takes injected blocks out of a text.
        seed: what the conversation goes on from, where the server keeps the history; part of
            every key.
    """
    asks: list[Said] = []
    earlier: list[str] = []
    steps: list[tuple[Any, Reading, str, int]] = []
    key, answered, place = seed, False, 0
    for message in messages:
        reading = dialect.read(message)
        if reading.role not in ("user", "assistant", "tool"):
            continue
        text = clean(reading.text).strip()
        if not text and not reading.rest:
            continue
        key = _chained(key, reading, text)
        if _asks(reading, text):
            if answered:
                earlier.extend(said.key for said in asks)
                asks, answered = [], False
            asks.append(Said(key.hex(), text, place))
            steps = []
        else:
            answered = True
            steps.append((message, reading, text, place))
        place += reading.role != "tool" and bool(text)
    told = tuple(_step(*step) for step in steps)
    return Heard(tuple(asks), frozenset(earlier), told, answered and bool(asks), place)


def _asks(reading: Reading, text: str) -> bool:
    """Tell whether the user said something: a block of ours on tool results is not an ask."""
    return reading.ask and bool(text or not reading.text.strip())


def _chained(key: bytes, reading: Reading, text: str) -> bytes:
    meaning = f"{reading.role}|{len(text)}|{text}{reading.rest}".encode("utf-8", "surrogatepass")
    return blake2b(b"%d|%b%b" % (len(key), key, meaning), digest_size=16).digest()


def _step(message: Any, reading: Reading, text: str, place: int) -> Message:
    if not reading.rest:
        return Message(reading.role, text, place=place)
    role = "assistant" if reading.role == "assistant" else "tool"
    return Message(role, "\n".join(filter(None, (text, _raw_text(message, reading)))), "tool")


def _raw_text(message: Any, reading: Reading) -> str:
    """Return what a tool was asked or said, as the message has it: readings shorten it.

    Without the text parts beside it, which are read, and cleaned of blocks, on their own.
    """
    content = message.get("content") if isinstance(message, Mapping) else None
    if reading.role == "tool" and isinstance(content, str):
        return content[:TOOL_TEXT]
    if reading.role != "assistant" and isinstance(content, (list, tuple)):
        parts = [part for part in content if get(part, "text") not in reading.texts]
        return json.dumps(parts, ensure_ascii=False, default=str)[:TOOL_TEXT]
    return reading.rest[:TOOL_TEXT]


def kept_by_server(body: Any) -> tuple[str, str]:
    """Return the ids of the response and the conversation that a request goes on from."""
    if not isinstance(body, Mapping):
        return "", ""
    previous, thread = body.get("previous_response_id"), body.get("conversation")
    thread = thread.get("id") if isinstance(thread, Mapping) else thread
    return str(previous or ""), str(thread or "")
