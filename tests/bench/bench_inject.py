"""``ainject`` with an instant store against the Strands Agents SDK's own injection middleware.

The same messages, the same five entries, timed in turn so that the machine's speed cancels out.
Strands searches and renders; it does not deduplicate, keep a budget, replay or report. Three ways
of calling are told apart:

- *again*: the same call once more (a retry), as the SDK's own benchmark would do it;
- *next turn*: the conversation so far is known, the last message is new;
- *new session*: nothing is known of this conversation but its text.

Run ``python tests/bench/bench_inject.py`` for the table.
"""

from __future__ import annotations

import asyncio
import dataclasses
import statistics
import time
from types import SimpleNamespace

import pytest

from memory_injection import MemoryManager, Scope

FACTS = [f"The user likes thing number {n} very much." for n in range(5)]
LENGTHS = {51: 2.0, 2001: 6.0}  # messages -> most that a call may cost, in Strands' medians
ROUNDS = 300


class InstantStore:
    name = "notes"

    async def search(self, query, options=None):
        return [{"content": fact} for fact in FACTS]


def strands_call(count):
    """Return a coroutine function that runs Strands' middleware once over *count* messages."""
    memory = pytest.importorskip("strands.memory")
    stages = pytest.importorskip("strands.middleware.stages")
    injection = pytest.importorskip("strands.injection._message_injection")

    class Store:
        name, description, max_search_results = "notes", None, None
        writable, extraction = False, None

        async def search(self, query, options=None):
            return [memory.MemoryEntry(content=fact) for fact in FACTS]

    manager = memory.MemoryManager(stores=[Store()])
    config = manager._injection_config
    handler = injection._create_injection_middleware(
        lambda context: manager._provide_memory_context(context.messages, config)
    )
    fields = {field.name: None for field in dataclasses.fields(stages.InvokeModelContext)}
    messages = [
        {"role": m["role"], "content": [{"text": m["content"]}]} for m in conversation(count)
    ]
    context = stages.InvokeModelContext(
        **{
            **fields,
            "messages": messages,
            "agent": SimpleNamespace(state=None),
            "dynamic_trailing_blocks": 0,
        }
    )

    async def call(number):
        result = await handler(context)
        assert "thing number 4" in result.messages[-1]["content"][-1]["text"]

    return call


def conversation(count):
    return [
        {"role": "assistant" if n % 2 else "user", "content": f"message {n} about the garden plan"}
        for n in range(count)
    ]


def our_call(count, way):
    """Return a coroutine function that injects once, in one of the three ways."""
    manager = MemoryManager([InstantStore()])
    messages = conversation(count)

    async def call(number):
        asked, scope = messages, Scope(user="u")
        if way == "next turn":
            asked = [*messages[:-1], {"role": "user", "content": f"about garden number {number}"}]
        elif way == "new session":
            scope = Scope(user="u", session=str(number))
        result = await manager.ainject(asked, model="gpt-4o", scope=scope)
        assert "thing number 4" in result.messages[-1]["content"]

    return call


async def medians(calls):
    """Time *calls* in turn and return each one's median in seconds."""
    times = [[] for _ in calls]
    for number in range(ROUNDS + 20):
        for place, call in enumerate(calls):
            started = time.perf_counter()
            await call(number)
            if number >= 20:
                times[place].append(time.perf_counter() - started)
    return [statistics.median(taken) for taken in times]


WAYS = ("again", "next turn", "new session")


def measure(count):
    """Return Strands' median in seconds, and ours per way."""
    calls = [strands_call(count), *(our_call(count, way) for way in WAYS)]
    theirs, *ours = asyncio.run(medians(calls))
    return theirs, dict(zip(WAYS, ours, strict=True))


@pytest.mark.bench
@pytest.mark.parametrize("count", LENGTHS)
def test_a_call_costs_little(count):
    """At 51 messages at most twice, at 2,001 at most six times Strands' median."""
    theirs, ours = measure(count)
    print(f"\n{count} messages: Strands {theirs * 1e6:.0f} us, " + ", ".join(
        f"{way} {seconds / theirs:.2f}x" for way, seconds in ours.items()
    ))  # fmt: skip
    assert max(ours.values()) / theirs <= LENGTHS[count]


def main():
    print("messages    strands    " + "    ".join(WAYS))
    for count in LENGTHS:
        theirs, ours = measure(count)
        cells = [f"{s * 1e6:.0f} us ({s / theirs:.2f}x)" for s in ours.values()]
        print(f"{count:8}    {theirs * 1e6:.0f} us    " + "    ".join(cells))


if __name__ == "__main__":
    main()
