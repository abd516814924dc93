"""Fifty users at once on one wrapped async client, each with their own memory.

Needs the package: openai
"""

from __future__ import annotations

import asyncio

from openai import AsyncOpenAI

from memory_injection import MemoryManager, Scope, wrap
from memory_injection.stores import InMemoryStore
from memory_injection.testing.server import RecordingServer

USERS = 50


async def ask(client: AsyncOpenAI, memory: MemoryManager, number: int) -> None:
    # Where a request comes into your server, say whose it is; tasks do not see each other's.
    with memory.scope(user=f"u{number}"):
        await client.chat.completions.create(
            model="gpt-4o",
            messages=[{"role": "user", "content": f"I am u{number}: which locker is mine?"}],
        )


async def main() -> None:
    with RecordingServer() as server:
        async with MemoryManager(stores=[InMemoryStore(name="lockers")]) as memory:
            for number in range(USERS):
                text = f"This user's locker is number {1000 + number}."
                await memory.aadd(text, scope=Scope(user=f"u{number}"))
            bare = AsyncOpenAI(base_url=f"{server.url}/v1", api_key="none-needed")
            async with bare:
                client = wrap(bare, memory)
                await asyncio.gather(*(ask(client, memory, number) for number in range(USERS)))

        for body in server.bodies:
            content = body["messages"][-1]["content"]
            number = int(content.removeprefix("I am u").partition(":")[0])
            assert f"locker is number {1000 + number}." in content
            assert content.count("<entry") == 1
        print(f"{len(server.bodies)} requests, each with exactly its own user's locker")


if __name__ == "__main__":
    asyncio.run(main())
