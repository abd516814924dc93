"""Bedrock Converse, which is also the shape Strands Agents keeps its conversations in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from ..reading import Role
from .base import FOREIGN, LIKELY, OWN, PARTS, STRANGE, MessageDialect, Part, combined, marked
from .meaning import field_of, fields_of, meaning_of
from .rewriting import replaced

__all__ = ["BedrockConverse", "StrandsConverse"]

OWN_PARTS = frozenset(
    {"toolUse", "toolResult", "image", "document", "video", "audio", "cachePoint", "guardContent"}
    | {"reasoningContent", "citationsContent", "searchResult", "injected"}
)
UNSPOKEN = frozenset({"cachePoint", "reasoningContent"})
BODY_MARKS = (
    "modelId",
    "inferenceConfig",
    "toolConfig",
    "additionalModelRequestFields",
    "schemaVersion",
)


class BedrockConverse(MessageDialect):
    """``messages`` of untyped one-key blocks; tool results are blocks of a user message.

    A block in Strands' own form, ``{"injected": {"text", "source"}}``, is read as the text it
    holds. It is written only by :class:`StrandsConverse`: the Bedrock API does not know it. A
    text under ``guardContent`` is read as the text it is, for only the latest ask is guarded.

    Source: botocore's service model of ``bedrock-runtime`` and ``strands.types.content``.
    """

    name = "bedrock.converse"
    merges_tool_results = True
    takes_system = False
    # Contents are always lists here: a message of role and text is somebody else's.
    neutral: ClassVar[float] = FOREIGN
    roles: ClassVar[Mapping[str, Role]] = {"user": "user", "assistant": "assistant"}

    def detect_body(self, body: Mapping[str, Any]) -> float:
        """Return how sure the dialect is that *body* is a Converse request."""
        return marked(super().detect_body(body), body, BODY_MARKS, OWN)

    def certainty(self, message: Any) -> float:
        """Return how sure one message is this dialect's: contents are lists of untyped blocks."""
        content = self.content_of(message)
        if self.role_of(message) == "other" or not isinstance(content, PARTS):
            return FOREIGN
        return combined(map(_part_certainty, content), default=STRANGE)

    def text_of(self, part: Any) -> str | None:
        """Return the text of a text block, an injected block or a guarded text."""
        guarded = field_of(part, "guardContent")
        holder = field_of(part, "injected") or field_of(guarded, "text") or part
        text = field_of(holder, "text")
        return text if isinstance(text, str) else None

    def text_part(self, text: str) -> Any:
        """Return a new text block."""
        return {"text": text}

    def part(self, part: Any) -> Part:
        """Leave cache points and reasoning out; tell a tool's result from what was authored."""
        fields = fields_of(part) or {}
        if UNSPOKEN & fields.keys():
            return Part(None)
        result = fields.get("toolResult")
        return Part(meaning_of(part)) if result is None else Part(self._result(result), result=True)

    def _result(self, result: Any) -> Any:
        told = field_of(result, "content")
        failed = field_of(result, "status") == "error" or None
        return meaning_of(
            {"result": field_of(result, "toolUseId"), "content": told, "is_error": failed}
        )

    def _retold(self, part: Any, text: str) -> Any:
        for wrapper in ("injected", "guardContent", "text"):
            inner = field_of(part, wrapper)
            if inner is not None and not isinstance(inner, str):
                return replaced(part, wrapper, self._retold(inner, text))
        return super()._retold(part, text)


class StrandsConverse(BedrockConverse):
    """Bedrock Converse that writes its blocks the way Strands Agents does.

    Found by its name, ``"strands"``, or where a conversation already holds such a block.

    Attributes:
        source: what stands as ``source`` in a block, so that others can tell whose it is.
    """

    name = "strands"

    def __init__(self, source: str = "memory") -> None:
        """Write blocks that carry *source*."""
        self.source = source

    def detect(self, messages: Sequence[Any]) -> float:
        """Return 1 where an injected block stands already, 0 elsewhere: it must be asked for."""
        if super().detect(messages) <= FOREIGN:
            return FOREIGN
        return 1.0 if any(map(self._holds_injected, messages)) else FOREIGN

    def text_part(self, text: str) -> Any:
        """Return a new injected block."""
        return {"injected": {"text": text, "source": self.source}}

    def _holds_injected(self, message: Any) -> bool:
        content = self.content_of(message)
        return isinstance(content, PARTS) and any(
            field_of(part, "injected") is not None for part in content
        )


def _part_certainty(part: Any) -> float:
    fields = fields_of(part)
    if not fields or fields.get("type") is not None:
        return FOREIGN
    if OWN_PARTS & fields.keys():
        return OWN
    return LIKELY if isinstance(fields.get("text"), str) else FOREIGN
