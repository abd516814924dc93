"""Microsoft Agent Framework: ``Message`` objects with a role and a list of ``Content``."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any, ClassVar

from ..errors import MissingDependencyError
from ..reading import Role
from .base import FOREIGN, OWN, PARTS, MessageDialect, Part, made_by
from .meaning import field_of, fields_of, meaning_of
from .rewriting import SEPARATOR, replaced

__all__ = ["AgentFramework"]

UNSPOKEN = frozenset({"text_reasoning", "usage", "error"})
SHARED_STATE = frozenset({"raw_representation", "additional_properties", "annotations"})
"""Fields of a content that the framework keeps for itself."""


class AgentFramework(MessageDialect):
    """Messages as ``agent_framework.ChatMiddleware`` sees them, and as ``to_dict`` writes them.

    Source: ``agent_framework._types`` (``Message``, ``Content``), version 1.23.
    """

    name = "agent-framework"
    slot: ClassVar[str] = "contents"
    neutral: ClassVar[float] = FOREIGN
    roles: ClassVar[Mapping[str, Role]] = {
        "user": "user",
        "assistant": "assistant",
        "system": "system",
        "developer": "system",
        "tool": "tool",
    }

    def certainty(self, message: Any) -> float:
        """Return how sure one message is this dialect's: no other has ``contents`` in one."""
        own = isinstance(self.content_of(message), PARTS) and self.role_of(message) != "other"
        return OWN if own else FOREIGN

    def append(self, message: Any, block: str) -> Any:
        """Return a copy of *message* with *block* after its last text, or as a content of its own.

        The framework's OpenAI client sends every text content as a message of its own; within the
        text, the block stays in the user's message.
        """
        contents = self.content_of(message)
        last = contents[-1] if isinstance(contents, PARTS) and contents else None
        text = None if last is None else self.text_of(last)
        if not text:
            return super().append(message, block)
        part = replaced(last, "text", f"{text}{SEPARATOR}{block}")
        return self.with_content(message, [*contents[:-1], part])

    def system(self, text: str) -> Any:
        """Return a new system message."""
        return _framework().Message("system", [text])

    def part(self, part: Any) -> Part:
        """Read calls and results by what they say; leave reasoning and usage out."""
        kind = field_of(part, "type")
        if kind in UNSPOKEN:
            return Part(None)
        if kind == "function_call":
            call = {"call": field_of(part, "call_id"), "name": field_of(part, "name")}
            return Part(meaning_of({**call, "arguments": field_of(part, "arguments")}))
        if kind == "function_result":
            told = {"call": field_of(part, "call_id"), "result": field_of(part, "result")}
            return Part(meaning_of(told), result=True)
        kept = {name: value for name, value in (fields_of(part) or {}).items() if value}
        return Part(meaning_of({k: v for k, v in kept.items() if k not in SHARED_STATE}))

    def _fitting(self, part: Any, message: Any) -> Any:
        own = made_by(message, "agent_framework")
        return _framework().Content.from_text(part["text"]) if own else part


def _framework() -> Any:
    try:
        return importlib.import_module("agent_framework")
    except ImportError:
        raise MissingDependencyError(
            "agent-framework-core", "agent-framework", "a message of Microsoft Agent Framework"
        ) from None
