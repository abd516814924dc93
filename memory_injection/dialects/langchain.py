"""LangChain: lists of ``BaseMessage``, and what its models take for one."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from ..errors import MissingDependencyError
from ..reading import Role
from .base import FOREIGN, OWN, PARTS, STRANGE, MessageDialect, Part
from .meaning import field_of, meaning_of

__all__ = ["LangChain"]

REASONING = frozenset({"thinking", "redacted_thinking", "reasoning", "reasoning_content"})
CALLS = frozenset({"tool_use", "tool_call", "function_call", "tool_call_chunk"})
"""Parts that repeat in a provider's words what ``tool_calls`` says."""


class LangChain(MessageDialect):
    """Messages with a ``type`` ("human", "ai", ...); texts, pairs and dicts stand beside them.

    Tool calls are read from ``tool_calls``, LangChain's own form; ids of messages, metadata of
    responses and ``additional_kwargs`` are no part of what is said.

    Source: ``langchain_core.messages``.
    """

    name = "langchain"
    neutral: ClassVar[float] = STRANGE
    roles: ClassVar[Mapping[str, Role]] = {
        "human": "user",
        "user": "user",
        "ai": "assistant",
        "assistant": "assistant",
        "aimessagechunk": "assistant",
        "humanmessagechunk": "user",
        "system": "system",
        "developer": "system",
        "tool": "tool",
        "function": "tool",
    }

    def certainty(self, message: Any) -> float:
        """Return how sure one message is this dialect's; plain dicts may be anybody's."""
        if self.role_of(message) == "other":
            return FOREIGN
        if isinstance(message, (str, tuple, Mapping)):
            return self.neutral
        return OWN if hasattr(message, "additional_kwargs") else FOREIGN

    def role_of(self, message: Any) -> Role:
        """Return who speaks; a bare text is the user's."""
        if isinstance(message, str):
            return "user"
        if isinstance(message, tuple):
            word = message[0] if len(message) == 2 else None
        else:
            word = field_of(message, "role") or field_of(message, "type")
        return self.roles.get(str(word).lower(), "other")

    def content_of(self, message: Any) -> Any:
        """Return the text or the parts of *message*."""
        if isinstance(message, str):
            return message
        return message[1] if isinstance(message, tuple) else super().content_of(message)

    def with_content(self, message: Any, content: Any) -> Any:
        """Return a copy of *message* that holds *content*."""
        if isinstance(message, str):
            return content
        if isinstance(message, tuple):
            return (message[0], content)
        return super().with_content(message, content)

    def system(self, text: str) -> Any:
        """Return a new ``SystemMessage``.

        Raises:
            MissingDependencyError: langchain-core is not installed.
        """
        try:
            messages = importlib.import_module("langchain_core.messages")
        except ImportError:
            raise MissingDependencyError(
                "langchain-core", "langchain", "a LangChain system message"
            ) from None
        return messages.SystemMessage(content=text)

    def part(self, part: Any) -> Part:
        """Leave reasoning and repeated calls out; tell a tool's result from what was authored."""
        kind = field_of(part, "type")
        if kind in REASONING or kind in CALLS:
            return Part(None)
        return Part(meaning_of(part), result=kind == "tool_result")

    def beside(self, message: Any) -> Iterable[Any]:
        """Yield tool calls, the call a result belongs to, and the speaker's name."""
        if isinstance(message, (str, tuple)):
            return
        calls = field_of(message, "tool_calls")
        for call in calls if isinstance(calls, PARTS) else ():
            function = field_of(call, "function")
            name = field_of(function or call, "name")
            arguments = field_of(function or call, "arguments" if function else "args")
            yield meaning_of({"call": field_of(call, "id"), "name": name, "arguments": arguments})
        for name in ("tool_call_id", "name"):
            value = field_of(message, name)
            if value:
                yield {name: value}
