"""A trigger, a query and a format of your own. Each may be sync or async."""

from __future__ import annotations

from memory_injection import (
    FormatContext,
    InjectionConfig,
    InjectionContext,
    MemoryManager,
    QueryContext,
)
from memory_injection.stores import InMemoryStore


def only_questions(context: InjectionContext) -> bool:
    """Look into memory when the user asks something."""
    return context.is_user_turn and context.text.rstrip().endswith("?")


def last_sentence(context: QueryContext) -> str:
    """Search with the last sentence: what stands before it is often a greeting."""
    return context.text.replace("!", ".").split(".")[-1].strip()


async def as_list(context: FormatContext) -> str:
    """Render a plain list. A format of your own escapes for itself: here, line breaks."""
    lines = (" ".join(entry.content.split()) for entry in context.entries)
    return "You know about the user:\n" + "\n".join(f"- {line}" for line in lines)


def main() -> None:
    config = InjectionConfig(trigger=only_questions, query=last_sentence, format=as_list)
    with MemoryManager(stores=[InMemoryStore(name="notes")], injection=config) as memory:
        memory.add("The user's bicycle is a blue folding one.")

        asked = memory.inject([{"role": "user", "content": "Hi! Which bicycle is mine?"}])
        print(asked.messages[-1]["content"], end="\n\n")
        print("searched with:", asked.report.query)

        told = memory.inject([{"role": "user", "content": "I rode my bicycle."}])
        print("without a question:", told.report.status, told.report.reason)


if __name__ == "__main__":
    main()
