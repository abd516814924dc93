"""A scripted application: keeps its history one of two ways and records what it sends."""

from __future__ import annotations

import copy

from memory_injection import MemoryManager


class Application:
    """Drives one conversation through a manager.

    ``keeps`` is ``"result"`` (``result.messages`` is the history) or ``"clean"`` (the application
    keeps its own list, free of blocks).
    """

    def __init__(self, memory: MemoryManager, keeps: str = "clean", **asked) -> None:
        self.memory = memory
        self.keeps = keeps
        self.history: list[dict] = []
        self.sent: list[list[dict]] = []
        self.asked = asked

    def call(self):
        before = copy.deepcopy(self.history)
        result = self.memory.inject(self.history, **self.asked)
        assert self.history == before, "the caller's messages were changed"
        self.sent.append(copy.deepcopy(result.messages))
        if self.keeps == "result":
            self.history = result.messages
        return result

    def ask(self, text):
        self.history = [*self.history, {"role": "user", "content": text}]
        return self.call()

    def answer(self, text="ok, noted"):
        self.history = [*self.history, {"role": "assistant", "content": text}]

    def tool_round(self, number=1, result="42"):
        call = {
            "id": f"call_{number}",
            "type": "function",
            "function": {"name": "look", "arguments": "{}"},
        }
        self.history = [
            *self.history,
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"call_{number}", "content": result},
        ]
        return self.call()
