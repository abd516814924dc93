"""A week of conversations fills a folder that a person can read; the next Monday uses it.

Needs the package: openai
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from html import unescape
from pathlib import Path

from openai import OpenAI

from memory_injection import MemoryManager, Scope, wrap
from memory_injection.files import Turn, create_memory_provider
from memory_injection.testing.server import RecordedRequest, RecordingServer

ROOT = Path("agent-memory")
MONDAY = datetime(2026, 3, 2, 9, tzinfo=timezone.utc)
WEEK = [
    ["Good morning!", "Remember: my dog Boncuk is allergic to chicken."],
    ["What is a good name for a report?", "Remember: reports for Ms Aydın are due on Thursdays."],
    ["Remember: the car is at the garage until Friday."],
    ["How do I boil an egg?", "Remember: I drink my coffee without sugar."],
    ["Remember: the car keys are in locker 31."],
    ["Nice weather today."],
    ["Remember: next Monday the dog stays with my sister Elif."],
]


def extract(turn: Turn) -> Iterator[dict[str, object]]:
    """Keep what the user asks to remember. Yours may ask a model instead."""
    for wish in re.findall(r"Remember: (.+)", turn.input):
        yield {"content": wish, "kind": "wish", "tags": ["remember"]}


def model(request: RecordedRequest) -> str:
    """Stand in for a model: it knows what its request holds, and nothing else."""
    asked = request.body["messages"][-1]["content"]
    known = re.findall(r"<entry[^>]*>([^<]*)</entry>", asked)
    return f"My notes say: {' '.join(unescape(known[0]).split())}" if known else "All right."


def main() -> None:
    scope = Scope(user="u1")
    now = MONDAY
    with RecordingServer(model) as server:
        bare = OpenAI(base_url=f"{server.url}/v1", api_key="none-needed")

        def ask(session: str, *texts: str) -> str:
            """Hold one conversation, as a process of its own would."""
            files = create_memory_provider(
                ROOT, remember={"extract_turn": extract}, clock=lambda: now
            )
            with MemoryManager(stores=[files], injection=True) as memory:
                client = wrap(bare, memory, scope=Scope(user=scope.user, session=session))
                messages: list[dict[str, str]] = []
                for text in texts:
                    messages.append({"role": "user", "content": text})
                    reply = client.chat.completions.create(model="gpt-4o", messages=messages)
                    messages.append(
                        {"role": "assistant", "content": reply.choices[0].message.content}
                    )
                memory.flush()
            return messages[-1]["content"]

        for day, texts in enumerate(WEEK):
            now = MONDAY + timedelta(days=day)
            ask(f"day-{day + 1}", *texts)
            print(f"{now:%A}: {len(list(ROOT.glob('records/*.md')))} files")

        file = next(ROOT.glob("records/the-car-keys-*.md"))
        print(f"\n{file.name}\n{file.read_text(encoding='utf-8')}")
        (ROOT / "MEMORY.md").write_text(
            "# Family\n## Elif\nShe lives in İzmir.\n", encoding="utf-8"
        )

        for question in (
            "Which locker has the car keys?",
            "Is there something my dog Boncuk must not eat?",
            "Where does Elif live?",
        ):
            print(f"Next Monday: {question}\n  {ask('day-8', question)}")
        bare.close()


if __name__ == "__main__":
    main()
