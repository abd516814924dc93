"""Stores and conversations for the capture tests."""

from __future__ import annotations

import random
import re
import threading
from typing import Any

from memory_injection.capture import EveryTurn, ExtractionConfig
from memory_injection.records import Scope

ANNA = Scope(user="anna", session="s1", agent="helper")


def quick(**values: Any) -> ExtractionConfig:
    """Return settings whose retries take no time to speak of."""
    return ExtractionConfig(**{"triggers": EveryTurn(), "retry_first": 0.001, **values})


def copy_all(messages: Any) -> list[str]:
    """Extract everything: the worst an extractor can do to memory."""
    return [message["content"] for message in messages]


class Notes:
    """A store of our own shape: keeps scopes, has ``add``."""

    writable = True

    def __init__(self, extraction: Any = None, name: str = "notes") -> None:
        self.name = name
        self.extraction = quick(extractor=copy_all) if extraction is None else extraction
        self.added: list[tuple[str, dict[str, Any], Scope | None]] = []

    def search(self, query: str, options: Any = None) -> list[Any]:
        return []

    def add(self, content: str, metadata: Any = None, *, scope: Scope | None = None) -> None:
        self.added.append((content, dict(metadata or {}), scope))

    @property
    def texts(self) -> list[str]:
        return [content for content, _, _ in self.added]


class AsyncNotes(Notes):
    """The same with an async ``add``."""

    async def add(  # type: ignore[override]
        self, content: str, metadata: Any = None, *, scope: Scope | None = None
    ) -> None:
        super().add(content, metadata, scope=scope)


class Log:
    """A store that takes raw messages."""

    writable = True

    def __init__(self, extraction: Any = None, name: str = "log") -> None:
        self.name = name
        self.extraction = quick() if extraction is None else extraction
        self.batches: list[tuple[list[dict[str, Any]], Any]] = []

    def search(self, query: str, options: Any = None) -> list[Any]:
        return []

    def add_messages(self, messages: Any, context: Any = None) -> None:
        self.batches.append((list(messages), context))

    @property
    def said(self) -> list[tuple[str, str]]:
        return [
            (message["role"], message["content"][0]["text"])
            for messages, _ in self.batches
            for message in messages
        ]

    @property
    def numbers(self) -> list[int]:
        return [number for _, context in self.batches for number in context.sequence_numbers]


class Unreliable:
    """Fails at random, but the same way in every run."""

    def __init__(self, rate: float, seed: int = 7) -> None:
        self._random = random.Random(seed)
        self._rate = rate
        self.failures = 0
        self.calls = 0

    def __call__(self) -> None:
        self.calls += 1
        if self._random.random() < self._rate:
            self.failures += 1
            raise ConnectionError("the backend is away")


class Switch:
    """A backend that is down until somebody turns it on."""

    def __init__(self) -> None:
        self.on = threading.Event()
        self.calls = 0

    def __call__(self) -> None:
        self.calls += 1
        if not self.on.is_set():
            raise ConnectionError("down")


BLOCK = re.compile(r"\n*<memory>\n<entry source=\"notes\">.*?</entry>\n</memory>", re.DOTALL)


def without_blocks(scope: Scope) -> Any:
    """Take out the blocks these tests write; they all name the store ``notes``."""
    return lambda text: BLOCK.sub("", text)


def block(text: str) -> str:
    return f'\n\n<memory>\n<entry source="notes">{text}</entry>\n</memory>'


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def assistant(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


def calling(name: str = "look", ident: str = "c1") -> dict[str, Any]:
    call = {"id": ident, "type": "function", "function": {"name": name, "arguments": "{}"}}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def result(text: str, ident: str = "c1") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": ident, "content": text}
