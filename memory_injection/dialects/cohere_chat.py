"""Cohere chat, version 2 of the API."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from ..reading import Role
from .base import FOREIGN, LIKELY, OWN, PARTS, MessageDialect, Part, combined, made_by, marked
from .meaning import field_of, meaning_of

__all__ = ["CohereChat"]

PART_TYPES = frozenset({"text", "image_url", "document", "thinking"})
BODY_MARKS = ("documents", "safety_mode", "citation_options", "strict_tools")
MODELS = ("command", "c4ai-", "aya-")


class CohereChat(MessageDialect):
    """``messages`` of texts and typed parts; tool results travel in ``tool`` messages.

    Version 1 of the API (``message`` and ``chat_history``) is another shape and is left alone.

    Source: the Cohere v2 chat reference, and the cohere SDK's ``ChatMessageV2``.
    """

    name = "cohere"
    neutral: ClassVar[float] = 0.35
    roles: ClassVar[Mapping[str, Role]] = {
        "user": "user",
        "assistant": "assistant",
        "system": "system",
        "tool": "tool",
    }

    def detect_body(self, body: Mapping[str, Any]) -> float:
        """Return how sure the dialect is that *body* is a Cohere request."""
        score = marked(super().detect_body(body), body, BODY_MARKS, LIKELY)
        model = str(body.get("model")).startswith(MODELS)
        return max(score, OWN) if model and score > FOREIGN else score

    def certainty(self, message: Any) -> float:
        """Return how sure one message is this dialect's."""
        role = self.role_of(message)
        if role == "other" or any(field_of(message, name) for name in ("images", "tool_name")):
            return FOREIGN
        if made_by(message, "cohere") or field_of(message, "tool_plan"):
            return OWN
        if role == "tool" and not field_of(message, "tool_call_id"):
            return FOREIGN
        content = self.content_of(message)
        if isinstance(content, PARTS):
            return combined(map(self._part_certainty, content), default=self.neutral)
        return self.neutral

    def part(self, part: Any) -> Part:
        """Leave thinking out."""
        return Part(None if field_of(part, "type") == "thinking" else meaning_of(part))

    def beside(self, message: Any) -> Iterable[Any]:
        """Yield tool calls and the call a result belongs to; the plan of a call is thinking."""
        for call in field_of(message, "tool_calls") or ():
            function = field_of(call, "function")
            called = {name: field_of(function, name) for name in ("name", "arguments")}
            yield meaning_of({"call": field_of(call, "id"), **called})
        answered = field_of(message, "tool_call_id")
        if answered:
            yield {"tool_call_id": answered}

    def _part_certainty(self, part: Any) -> float:
        kind = field_of(part, "type")
        if kind not in PART_TYPES or field_of(part, "signature"):
            return FOREIGN
        if kind == "document":
            return OWN if field_of(part, "document") else FOREIGN
        if kind == "thinking":
            return LIKELY if isinstance(field_of(part, "thinking"), str) else FOREIGN
        return self.neutral
