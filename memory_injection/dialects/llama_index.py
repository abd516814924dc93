"""LlamaIndex: ``ChatMessage`` objects with a role and a list of content blocks."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from ..errors import MissingDependencyError
from ..reading import Role
from .base import FOREIGN, OWN, PARTS, MessageDialect, Part
from .meaning import field_of, meaning_of
from .rewriting import SEPARATOR, replaced

__all__ = ["LlamaIndex"]

UNSPOKEN = frozenset({"thinking", "cache"})
"""Blocks that say nothing of the conversation, or that move from call to call."""


class LlamaIndex(MessageDialect):
    """Messages as LlamaIndex models take them, whatever the provider is.

    Tool calls stand in blocks or, from some models, in ``additional_kwargs``, where the call a
    result belongs to stands as well.

    Source: ``llama_index.core.base.llms.types``, version 0.14.
    """

    name = "llama-index"
    slot: ClassVar[str] = "blocks"
    neutral: ClassVar[float] = FOREIGN
    roles: ClassVar[Mapping[str, Role]] = {
        "user": "user",
        "assistant": "assistant",
        "model": "assistant",
        "chatbot": "assistant",
        "system": "system",
        "developer": "system",
        "tool": "tool",
        "function": "tool",
    }

    def certainty(self, message: Any) -> float:
        """Return how sure one message is this dialect's; no other shape has blocks."""
        own = self.role_of(message) != "other" and isinstance(self.content_of(message), PARTS)
        return OWN if own else FOREIGN

    def text_of(self, part: Any) -> str | None:
        """Return the text of a text block."""
        text = field_of(part, "text")
        return text if isinstance(text, str) and _kind(part) == "text" else None

    def append(self, message: Any, block: str) -> Any:
        """Return a copy of *message* with *block* after its last text, or as a block of its own.

        Models join neighbouring texts with nothing, or one line break, between them; within the
        text, the blank line before the block is kept.
        """
        blocks = self.content_of(message)
        if not isinstance(blocks, PARTS):
            return message
        last = blocks[-1] if blocks else None
        text = None if last is None else self.text_of(last)
        if text:
            written = [*blocks[:-1], replaced(last, "text", f"{text}{SEPARATOR}{block}")]
        else:
            written = [*blocks, self._own(block, message)]
        return self.with_content(message, written)

    def system(self, text: str) -> Any:
        """Return a new system ``ChatMessage``.

        Raises:
            MissingDependencyError: llama-index-core is not installed.
        """
        return _types().ChatMessage(role="system", content=text)

    def part(self, part: Any) -> Part:
        """Leave reasoning and cache markers out; keep calls and media by what they hold."""
        return Part(None if _kind(part) in UNSPOKEN else meaning_of(part))

    def beside(self, message: Any) -> Iterable[Any]:
        """Yield tool calls that stand beside the blocks, and the call a result belongs to."""
        extra = field_of(message, "additional_kwargs") or {}
        for name in ("tool_calls", "tool_call_id", "name"):
            if extra.get(name):
                yield {name: meaning_of(extra[name])}

    def _own(self, block: str, message: Any) -> Any:
        if isinstance(message, Mapping):
            return {"block_type": "text", "text": block}
        return _types().TextBlock(text=block)


def _kind(part: Any) -> str:
    return str(field_of(part, "block_type"))


def _types() -> Any:
    try:
        return importlib.import_module("llama_index.core.base.llms.types")
    except ImportError:
        raise MissingDependencyError(
            "llama-index-core", "llama-index", "LlamaIndex chat messages"
        ) from None
