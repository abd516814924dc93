"""Anthropic Messages, also as the body of Bedrock's and Vertex's invoke calls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from ..reading import Role
from .base import (
    FOREIGN,
    LIKELY,
    OWN,
    PARTS,
    STRANGE,
    MessageDialect,
    Part,
    combined,
    made_by,
    marked,
)
from .meaning import field_of, meaning_of

__all__ = ["AnthropicMessages"]

THINKING = frozenset({"thinking", "redacted_thinking"})
OWN_PARTS = frozenset(
    {"tool_use", "tool_result", "image", "redacted_thinking", "server_tool_use", "search_result"}
    | {"mcp_tool_use", "mcp_tool_result", "container_upload", "tool_addition"}
)
SHARED_PARTS = frozenset({"text", "document", "thinking"})
FOREIGN_PARTS = frozenset(
    {"image_url", "input_audio", "file", "refusal", "video_url", "audio_url", "document_url"}
    | {"input_text", "output_text", "input_image", "input_file"}
)
BODY_MARKS = (
    "anthropic_version",
    "anthropic_beta",
    "system",
    "stop_sequences",
    "mcp_servers",
    "context_management",
    "output_config",
)


class AnthropicMessages(MessageDialect):
    """``messages`` of texts and blocks; tool results are blocks of a user message.

    A block of ours goes after the results, which the API wants first, and after any block that
    carries ``cache_control``, which stays where the caller put it.

    Source: the Messages reference, and the anthropic SDK's ``MessageParam``.
    """

    name = "anthropic.messages"
    merges_tool_results = True
    # Only some models take them, and none as the first message: the place is the body's `system`.
    takes_system = False
    neutral: ClassVar[float] = 0.45
    roles: ClassVar[Mapping[str, Role]] = {
        "user": "user",
        "assistant": "assistant",
        "system": "system",
    }

    def system_part(self, text: str) -> Any:
        """Return a text block of the body's ``system``."""
        return {"type": "text", "text": text}

    def system_alone(self, text: str) -> Any:
        """Return *text*: ``system`` may be a string."""
        return text

    def detect_body(self, body: Mapping[str, Any]) -> float:
        """Return how sure the dialect is that *body* is a Messages request."""
        score = marked(super().detect_body(body), body, BODY_MARKS, LIKELY)
        if score <= FOREIGN:
            return FOREIGN
        tools = body.get("tools")
        if isinstance(tools, PARTS) and any(_is_own_tool(tool) for tool in tools):
            return max(score, OWN)
        # max_tokens is required here and optional elsewhere.
        named = str(body.get("model")).startswith("claude") and "max_tokens" in body
        return max(score, LIKELY) if named else score

    def certainty(self, message: Any) -> float:
        """Return how sure one message is this dialect's."""
        if self.role_of(message) == "other" or field_of(message, "tool_calls"):
            return FOREIGN
        if field_of(message, "images") or field_of(message, "parts"):
            return FOREIGN
        content = self.content_of(message)
        if isinstance(content, PARTS):
            return combined(map(self._part_certainty, content), default=self.neutral)
        return self.neutral if isinstance(content, str) else FOREIGN

    def part(self, part: Any) -> Part:
        """Leave thinking out; tell a tool's result from what its role authored."""
        kind = field_of(part, "type")
        if kind in THINKING:
            return Part(None)
        if kind == "tool_use":
            called = {name: field_of(part, name) for name in ("type", "id", "name", "input")}
            return Part(meaning_of(called))
        if isinstance(kind, str) and kind.endswith("tool_result"):
            return Part(self._result(part), result=True)
        return Part(meaning_of(part))

    def _result(self, part: Any) -> Any:
        content = field_of(part, "content")
        listed = content if isinstance(content, PARTS) else (content,)
        told = [self.text_of(item) or item for item in listed if item is not None]
        wrong = field_of(part, "is_error") or None
        result = {"result": field_of(part, "tool_use_id"), "content": told, "is_error": wrong}
        return meaning_of(result)

    def _part_certainty(self, part: Any) -> float:
        kind = field_of(part, "type")
        if kind in FOREIGN_PARTS or not isinstance(kind, str):
            return FOREIGN
        if kind in OWN_PARTS or field_of(part, "signature") or made_by(part, "anthropic"):
            return OWN
        if kind == "document":
            # Cohere and Mistral have documents too, without a source.
            return OWN if field_of(part, "source") else FOREIGN
        if kind not in SHARED_PARTS:
            return OWN if kind.endswith(("tool_result", "_tool_use")) else STRANGE
        return LIKELY if field_of(part, "cache_control") else self.neutral


def _is_own_tool(tool: Any) -> bool:
    """Tell Anthropic's tools: a schema at the top, where others have a ``function``."""
    return field_of(tool, "input_schema") is not None
