"""A memory for tests of framework hooks: what it knows, what it was told, how it fails."""

from __future__ import annotations

from typing import Any

from memory_injection import MemoryManager, Scope
from memory_injection.stores import ProviderStore
from memory_injection.testing.server import Reply, ToolCall

ASK = "Do I need my umbrella today?"
REPLIES = [Reply(tool_calls=(ToolCall("weather", {"city": "Bergen"}),)), "Take it."]


class Diary:
    """A provider that knows each user's umbrella.

    Attributes:
        asked: the scope of every recall.
        told: ``(role, text)`` of everything observed.
    """

    def __init__(self, fails: bool = False) -> None:
        self.asked: list[Scope] = []
        self.told: list[tuple[str, str]] = []
        self._fails = fails

    def get_context(self, text: str, scope: Scope) -> Any:
        self.asked.append(scope)
        if self._fails:
            raise OSError("the diary is closed")
        return {"context_text": f"The umbrella of {scope.user} is red."}

    def observe(self, role: str, text: str) -> None:
        self.told.append((role, text))


def manager(diary: Diary, **injection: Any) -> MemoryManager:
    return MemoryManager([ProviderStore(diary)], injection={"min_relevance": None, **injection})


def block(user: str) -> str:
    return f'<memory>\n<entry source="provider">The umbrella of {user} is red.</entry>\n</memory>'
