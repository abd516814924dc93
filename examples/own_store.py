"""A store of your own beside a built-in one, and what happens when it breaks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memory_injection import MemoryManager
from memory_injection.stores import InMemoryStore


class Calendar:
    """Answers from today's appointments. A store needs a name and a search, nothing else."""

    name = "calendar"

    def __init__(self) -> None:
        self.online = True

    async def search(self, query: str, options: Mapping[str, Any] | None = None) -> list[Any]:
        if not self.online:
            raise ConnectionError("the calendar is away")
        if "today" not in query:
            return []
        return [{"content": "Dentist at 16:30", "id": "a1", "created_at": "2026-03-02"}]


def main() -> None:
    calendar = Calendar()
    with MemoryManager(stores=[InMemoryStore(name="notes"), calendar]) as memory:
        memory.add("The user's dentist is on the third floor.")
        messages = [{"role": "user", "content": "What about the dentist today?"}]

        print(memory.inject(messages).messages[-1]["content"], end="\n\n")

        calendar.online = False
        result = memory.inject([{"role": "user", "content": "And where is the dentist, today?"}])
        print(result.messages[-1]["content"], end="\n\n")
        for store in result.report.stores:
            print(f"{store.name}: {store.status} {store.error or ''}")


if __name__ == "__main__":
    main()
