"""Ollama's own chat endpoint (its OpenAI-compatible one is ``openai.chat``)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from ..reading import Role
from .base import FOREIGN, LIKELY, OWN, PARTS, MessageDialect, combined, made_by, marked
from .meaning import field_of, meaning_of

__all__ = ["OllamaChat"]

BODY_MARKS = ("options", "keep_alive", "think")


class OllamaChat(MessageDialect):
    """``messages`` whose content is a text, with ``images`` and ``tool_calls`` beside it.

    Source: the Ollama API reference, and the ollama SDK's ``Message``.
    """

    name = "ollama"
    neutral: ClassVar[float] = 0.4
    roles: ClassVar[Mapping[str, Role]] = {
        "user": "user",
        "assistant": "assistant",
        "system": "system",
        "tool": "tool",
    }

    def detect_body(self, body: Mapping[str, Any]) -> float:
        """Return how sure the dialect is that *body* is an Ollama request."""
        score = marked(super().detect_body(body), body, BODY_MARKS, LIKELY)
        model = str(body.get("model"))
        # Models are named NAME:TAG here; "ft:" begins a fine-tuned model of OpenAI.
        tagged = ":" in model and "/" not in model and not model.startswith("ft:")
        return max(score, LIKELY) if tagged and score > FOREIGN else score

    def certainty(self, message: Any) -> float:
        """Return how sure one message is this dialect's."""
        role = self.role_of(message)
        content = self.content_of(message)
        if role == "other" or not (content is None or isinstance(content, str)):
            return FOREIGN
        if field_of(message, "tool_call_id") or field_of(message, "tool_plan"):
            return FOREIGN
        if made_by(message, "ollama"):
            return OWN
        if field_of(message, "images") or field_of(message, "tool_name"):
            return OWN
        calls = field_of(message, "tool_calls")
        if calls:
            return combined(map(_call_certainty, calls))
        if role == "tool":
            return LIKELY
        return self.neutral if isinstance(content, str) else FOREIGN

    def beside(self, message: Any) -> Iterable[Any]:
        """Yield images, tool calls and the tool that a result comes from."""
        images = field_of(message, "images")
        for image in images if isinstance(images, PARTS) else ():
            value = field_of(image, "value")
            yield {"image": meaning_of(image if value is None else value)}
        for call in field_of(message, "tool_calls") or ():
            function = field_of(call, "function")
            yield meaning_of({name: field_of(function, name) for name in ("name", "arguments")})
        tool = field_of(message, "tool_name")
        if tool:
            yield {"tool_name": tool}


def _call_certainty(call: Any) -> float:
    """Tell Ollama's calls: their arguments are an object, where others have a text of JSON."""
    arguments = field_of(field_of(call, "function"), "arguments")
    return OWN if isinstance(arguments, Mapping) else FOREIGN
