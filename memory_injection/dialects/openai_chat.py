"""OpenAI Chat Completions, and the many servers that speak it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from .base import FOREIGN, LIKELY, NEUTRAL, OWN, STRANGE, MessageDialect, Part, combined
from .meaning import field_of, meaning_of

__all__ = ["OpenAIChat"]

PART_TYPES = frozenset(
    {"text", "refusal", "image_url", "input_audio", "file", "video_url", "audio_url"}
    | {"document", "document_url", "input_video", "thinking", "reasoning"}
)
OWN_PARTS = PART_TYPES - {"text", "refusal", "file", "document", "thinking", "reasoning"}
FOREIGN_PARTS = frozenset(
    {"tool_use", "tool_result", "image", "redacted_thinking", "server_tool_use", "tool_addition"}
    | {"input_text", "output_text", "input_image", "input_file"}
)
ELSEWHERE = ("parts", "images", "tool_name", "tool_plan", "citations")
"""Fields of a message that this dialect does not have and others do."""


class OpenAIChat(MessageDialect):
    """``messages`` of ``{"role", "content"}``; tool results travel in ``tool`` messages.

    Source: the Chat Completions reference, and the openai SDK's
    ``ChatCompletionMessageParam``. Compatible servers add parts of their own
    (``video_url``, ``document_url``); they are carried through like any other.
    """

    name = "openai.chat"
    neutral: ClassVar[float] = NEUTRAL

    def certainty(self, message: Any) -> float:
        """Return how sure one message is this dialect's."""
        role = field_of(message, "role")
        if not isinstance(role, str) or role not in self.roles:
            return FOREIGN
        if any(field_of(message, name) for name in ELSEWHERE):
            return FOREIGN
        if role == "tool":
            return LIKELY if field_of(message, "tool_call_id") else FOREIGN
        calls = field_of(message, "tool_calls")
        if calls:
            return combined(_call_certainty(call) for call in calls)
        if role in ("developer", "function") or field_of(message, "function_call"):
            return LIKELY
        content = field_of(message, self.slot)
        if isinstance(content, (list, tuple)):
            return combined(map(self._part_certainty, content), default=self.neutral)
        return self.neutral if content is None or isinstance(content, str) else FOREIGN

    def part(self, part: Any) -> Part:
        """Leave reasoning out; keep a refusal and media by what they hold."""
        kind = field_of(part, "type")
        return Part(None if kind in ("thinking", "reasoning") else meaning_of(part))

    def beside(self, message: Any) -> Iterable[Any]:
        """Yield tool calls, the call a result belongs to, a refusal and the speaker's name."""
        for call in field_of(message, "tool_calls") or ():
            yield meaning_of({"call": field_of(call, "id"), **_called(call)})
        legacy = field_of(message, "function_call")
        if legacy:
            yield meaning_of({"function_call": _function(legacy)})
        for name in ("tool_call_id", "name", "refusal", "audio"):
            value = field_of(message, name)
            if value:
                yield {name: _audio_id(value) if name == "audio" else meaning_of(value)}

    def _part_certainty(self, part: Any) -> float:
        kind = field_of(part, "type")
        if kind in FOREIGN_PARTS or not isinstance(kind, str):
            return FOREIGN
        if kind not in PART_TYPES:
            return STRANGE
        return OWN if kind in OWN_PARTS else self.neutral


def _call_certainty(call: Any) -> float:
    function = field_of(call, "function")
    if function is None:
        return OWN if field_of(call, "custom") else FOREIGN
    # Ollama writes the same field with an object for the arguments.
    return OWN if isinstance(field_of(function, "arguments"), str) else FOREIGN


def _called(call: Any) -> Mapping[str, Any]:
    function = field_of(call, "function")
    return _function(function) if function is not None else {"custom": field_of(call, "custom")}


def _function(function: Any) -> dict[str, Any]:
    return {name: field_of(function, name) for name in ("name", "arguments")}


def _audio_id(audio: Any) -> Any:
    """Return the id of an earlier spoken answer: the SDK object holds the sound as well."""
    return meaning_of(field_of(audio, "id"))
