"""What ``inject`` costs against the length of a conversation and the number of stores.

    python tests/bench/bench_overhead.py                  # tables
    python tests/bench/bench_overhead.py --chart FOLDER   # and overhead.svg

The stores answer at once, so what is timed is the library, in processor time of all its threads.
Three calls are told apart by what the manager knows of the conversation: nothing (*new*), all of
it but the last turn (*next turn*), all of it (*again*, a retry).
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import statistics
import time
from pathlib import Path

import pytest

from memory_injection import MemoryManager, Scope

LENGTHS = (10, 30, 100, 300, 1000, 3000, 10_000)
STORES = (1, 2, 4, 8, 12, 16)
WAYS = ("new", "next turn", "again")
FACTS = 5
MODEL = "gpt-4.1"  # its window holds the longest of these conversations


class Instant:
    """Answers at once, with facts of its own."""

    def __init__(self, number):
        self.name = f"store {number}"
        self.found = [
            {
                "content": f"Store {number} knows that the user likes thing {n}.",
                "score": 0.9 - n / 10,
            }
            for n in range(FACTS)
        ]

    async def search(self, query, options=None):
        return self.found


class Blocking(Instant):
    """The same as a sync store, which is asked in a thread of its own."""

    def search(self, query, options=None):
        return self.found


def conversation(length, number=0):
    """Return *length* messages, the last one an ask; the number makes it another conversation."""
    return [
        {
            "role": "user" if (length - at) % 2 else "assistant",
            "content": f"conversation {number}, message {at}: what was said of the garden",
        }
        for at in range(length)
    ]


async def timed(call):
    gc.collect()
    gc.disable()
    started = time.process_time()
    try:
        result = await call
    finally:
        taken = time.process_time() - started
        gc.enable()
    assert result.report.status in ("injected", "replayed"), result.report
    return taken


async def by_way(length, rounds):
    """Return the typical seconds of each way at one length."""
    memory = MemoryManager([Instant(0)])
    taken = {way: [] for way in WAYS}
    for number in range(rounds):
        messages, scope = conversation(length, number), Scope(user="u", session=str(number))
        taken["new"].append(await timed(memory.ainject(messages, model=MODEL, scope=scope)))
        reply = {"role": "assistant", "content": "noted, and written down"}
        longer = [*messages, reply, {"role": "user", "content": f"and thing {number} as well?"}]
        # Another memory is found for the next turn, so that there is a block to write.
        memory.stores[0].found = [{"content": f"In round {number} the user liked something."}]
        taken["next turn"].append(await timed(memory.ainject(longer, model=MODEL, scope=scope)))
        taken["again"].append(await timed(memory.ainject(longer, model=MODEL, scope=scope)))
        memory.stores[0].found = Instant(number).found
    await memory.aclose()
    return {way: typical(times) for way, times in taken.items()}


def typical(times):
    """Return the lower quartile: what else the process does only ever adds."""
    return statistics.quantiles(times, n=4)[0]


async def by_stores(kind, count, rounds):
    """Return the typical seconds of a call that asks *count* stores."""
    memory = MemoryManager([kind(number) for number in range(count)])
    taken = []
    for number in range(rounds):
        scope = Scope(user="u", session=str(number))
        taken.append(await timed(memory.ainject(conversation(11), model=MODEL, scope=scope)))
    await memory.aclose()
    return typical(taken)


def measure(lengths=LENGTHS, stores=STORES, rounds=21):
    """Return seconds by length and way, and by kind and number of stores."""
    asyncio.run(by_way(10, 20))  # imports, vocabulary, first threads
    lines = {n: asyncio.run(by_way(n, rounds)) for n in lengths}
    kinds = {"async": Instant, "sync": Blocking}
    columns = {
        name: {n: asyncio.run(by_stores(kind, n, 3 * rounds)) for n in stores}
        for name, kind in kinds.items()
    }
    return lines, columns


def fit(points):
    """Return constant, slope and R squared of a least-squares line through (x, y) *points*."""
    mean_x, mean_y = (statistics.mean(column) for column in zip(*points, strict=True))
    slope = statistics.covariance(*zip(*points, strict=True)) / statistics.variance(
        [x for x, _ in points]
    )
    constant = mean_y - slope * mean_x
    total = sum((y - mean_y) ** 2 for _, y in points)
    left = sum((y - constant - slope * x) ** 2 for x, y in points)
    return constant, slope, 1 - left / total


def tables(lines, columns):
    """Yield the lines of the tables, in Markdown."""
    yield "| messages | " + " | ".join(f"{way} (ms)" for way in WAYS) + " |"
    yield "| ---: |" + " ---: |" * len(WAYS)
    for n, by in lines.items():
        yield f"| {n:,} | " + " | ".join(f"{by[way] * 1e3:.2f}" for way in WAYS) + " |"
    yield ""
    yield "| stores | async (ms) | sync (ms) |"
    yield "| ---: | ---: | ---: |"
    for n in columns["async"]:
        yield f"| {n} | {columns['async'][n] * 1e3:.2f} | {columns['sync'][n] * 1e3:.2f} |"
    yield ""
    for name, points, per in [
        *((way, [(n, by[way]) for n, by in lines.items()], "message") for way in WAYS),
        *((f"{name} stores", list(by.items()), "store") for name, by in columns.items()),
    ]:
        constant, slope, square = fit(points)
        yield f"- {name}: {slope * 1e6:.2f} us per {per} + {constant * 1e3:.2f} ms, R2 {square:.3f}"


def draw(lines, columns, path):
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "overhead"
    from matplotlib import pyplot

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(10, 4), layout="constrained")
    for way, marker in zip(WAYS, "os^", strict=True):
        left.plot(list(lines), [by[way] * 1e3 for by in lines.values()], marker=marker, label=way)
    left.set(xscale="log", yscale="log", xlabel="messages", ylabel="ms of processor time per call")
    left.set_title("A longer conversation")
    for (name, by), marker in zip(columns.items(), "os", strict=True):
        right.plot(list(by), [s * 1e3 for s in by.values()], marker=marker, label=f"{name} stores")
    right.set(
        xlabel="stores", ylabel="ms of processor time per call", ylim=(0, None), xticks=list(STORES)
    )
    right.set_title("More stores")
    for axes in (left, right):
        axes.grid(alpha=0.3)
        axes.legend()
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)


@pytest.mark.bench
def test_cost_is_linear_and_known_messages_are_nearly_free():
    """Twice the messages cost at most about twice; a known conversation costs what is new."""
    lines, columns = measure((10, 1000, 10_000), (1, 4, 16), 9)
    print("\n" + "\n".join(tables(lines, columns)))
    per_message = lines[10_000]["new"] / 10_000
    assert per_message < 3 * lines[1000]["new"] / 1000
    assert per_message < 100e-6
    assert lines[10_000]["next turn"] < lines[10_000]["new"] / 5
    for by in columns.values():
        assert by[16] < 16 * 1.5 * by[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--chart", type=Path, help="folder to write overhead.svg to")
    parser.add_argument("--rounds", type=int, default=21)
    options = parser.parse_args()
    lines, columns = measure(rounds=options.rounds)
    print("\n".join(tables(lines, columns)))
    if options.chart:
        draw(lines, columns, options.chart / "overhead.svg")


if __name__ == "__main__":
    main()
