"""Pydantic AI: ``ModelRequest`` and ``ModelResponse``, each a list of parts."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

from ..errors import MissingDependencyError
from ..reading import Reading, Role
from .base import FOREIGN, PARTS, MessageDialect, Part
from .meaning import field_of, fields_of, meaning_of
from .rewriting import SEPARATOR, replaced

__all__ = ["PydanticAI"]

CERTAIN = 1.0
"""Gemini's contents have parts as well, and take any message that does; none of them has a kind."""
RESULTS = frozenset({"tool-return", "builtin-tool-return", "retry-prompt", "retry-feedback"})
UNSPOKEN = frozenset({"thinking", "system-prompt", "instruction", "compaction", "cache-point"})
"""Parts that say nothing of the conversation, or that move from call to call."""
DERIVED = frozenset({"identifier", "media_type", "timestamp", "vendor_metadata"})
STANDARD = str.maketrans("-_", "+/")
NOTES = ("-delta", "-digest", "-baseline")
"""Endings of the parts in which the framework notes what changed in its own settings."""


class PydanticAI(MessageDialect):
    """Messages as ``result.all_messages()`` gives them, or as they are stored (plain dicts).

    A request holds system prompts, the user's prompts and tool results side by side; blocks go
    into its last user prompt. Requests without one are no user ask.

    Source: ``pydantic_ai.messages``, version 2.68.
    """

    name = "pydantic-ai"
    slot: ClassVar[str] = "parts"
    neutral: ClassVar[float] = FOREIGN

    def certainty(self, message: Any) -> float:
        """Return how sure one message is this dialect's; other shapes have parts, none a kind."""
        if self.role_of(message) == "other" or not isinstance(field_of(message, self.slot), PARTS):
            return FOREIGN
        return CERTAIN

    def role_of(self, message: Any) -> Role:
        """Return who speaks: a request is the user's, a tool's or only the system's."""
        kind = field_of(message, "kind")
        if kind == "response":
            return "assistant"
        if kind != "request":
            return "other"
        kinds = {_kind(part) for part in field_of(message, self.slot) or ()}
        if "user-prompt" in kinds:
            return "user"
        return "tool" if kinds & RESULTS else "system"

    def content_of(self, message: Any) -> Any:
        """Return what the user's prompts hold and the parts beside them, in one list.

        A prompt that stands alone comes as it is, so that a text is a text.
        """
        parts: Sequence[Any] = field_of(message, self.slot) or ()
        if len(parts) == 1 and _kind(parts[0]) == "user-prompt":
            return field_of(parts[0], "content")
        return [item for part in parts for item in _items(part)]

    def read(self, message: Any) -> Reading:
        """Return what one message says; results beside a user's prompt do not bar a block."""
        reading = self._read(message)
        if reading.role != "system":
            return replace(reading, writable=reading.role == "user")
        prompts = [part for part in field_of(message, self.slot) if _kind(part) == "system-prompt"]
        return replace(reading, texts=tuple(field_of(part, "content") for part in prompts))

    def text_of(self, part: Any) -> str | None:
        """Return the text of a prompt's item or of a response's text part."""
        if isinstance(part, str):
            return part
        text = field_of(part, "content")
        return text if isinstance(text, str) and _kind(part) in ("text", "text-content") else None

    def part(self, part: Any) -> Part:
        """Leave reasoning and prompts of the system out; keep calls and results by content."""
        kind = _kind(part)
        if kind in UNSPOKEN or kind.endswith(NOTES):
            return Part(None)
        if kind.endswith("tool-call"):
            names = ("tool_call_id", "tool_name", "args")
        elif kind in RESULTS:
            names = ("tool_call_id", "tool_name", "content")
        else:
            return Part(_media(part))
        return Part(meaning_of({name: field_of(part, name) for name in names}), kind in RESULTS)

    def append(self, message: Any, block: str) -> Any:
        """Return a copy of *message* with *block* at the end of its last user prompt."""
        parts = list(field_of(message, self.slot))
        at = _last_prompt(parts)
        if at is None:
            return message
        held = field_of(parts[at], "content")
        content = f"{held}{SEPARATOR}{block}" if isinstance(held, str) else [*held, block]
        parts[at] = replaced(parts[at], "content", content)
        return replaced(message, self.slot, parts)

    def remove(self, message: Any, blocks: Sequence[str]) -> Any:
        """Return a copy of *message* without these blocks; itself if it holds none."""
        parts = cleaned = field_of(message, self.slot)
        for block in reversed(blocks):
            cleaned = self._without_block(cleaned, block)
        return message if cleaned is parts else replaced(message, self.slot, cleaned)

    def system(self, text: str) -> Any:
        """Return a new request that holds one system prompt.

        Raises:
            MissingDependencyError: pydantic-ai is not installed.
        """
        try:
            messages = importlib.import_module("pydantic_ai.messages")
        except ImportError:
            raise MissingDependencyError(
                "pydantic-ai-slim", "pydantic-ai", "a Pydantic AI system prompt"
            ) from None
        return messages.ModelRequest(parts=[messages.SystemPromptPart(content=text)])

    def _without_block(self, parts: Sequence[Any], block: str) -> Sequence[Any]:
        for at in range(len(parts) - 1, -1, -1):
            if _kind(parts[at]) != "user-prompt":
                continue
            content = field_of(parts[at], "content")
            cleaned = self._without(content, block)
            if cleaned is not content:
                return [*parts[:at], replaced(parts[at], "content", cleaned), *parts[at + 1 :]]
        return parts

    def _retold(self, part: Any, text: str) -> Any:
        return text if isinstance(part, str) else replaced(part, "content", text)


def _kind(part: Any) -> str:
    """Return what a part, or an item of a prompt, is."""
    if isinstance(part, str):
        return "text"
    return str(field_of(part, "part_kind") or field_of(part, "kind"))


def _media(part: Any) -> Any:
    """Return what a part holds, without what the framework derives from it when it stores it."""
    fields = fields_of(part) or {}
    kept = {key: v for key, v in fields.items() if key not in DERIVED and not key.startswith("_")}
    if isinstance(kept.get("data"), str):  # stored bytes are written in the URL-safe alphabet
        kept["data"] = kept["data"].translate(STANDARD)
    return meaning_of(kept)


def _items(part: Any) -> Sequence[Any]:
    if _kind(part) != "user-prompt":
        return [part]
    content = field_of(part, "content")
    return content if isinstance(content, PARTS) else [content]


def _last_prompt(parts: Sequence[Any]) -> int | None:
    prompts = [at for at, part in enumerate(parts) if _kind(part) == "user-prompt"]
    return prompts[-1] if prompts else None
