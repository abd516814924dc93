"""Every seam times every fault: the request goes out, in time, and the report says what broke.

Run this file to print the table::

    python tests/core/fault_table.py
"""

from __future__ import annotations

import asyncio
import logging
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from memory_injection import InMemoryLedger, MemoryManager
from memory_injection.dialects import registry
from memory_injection.dialects.openai_chat import OpenAIChat
from memory_injection.rendering import find_blocks
from memory_injection.testing import AsyncFakeStore, FakeStore

TIMEOUT = 0.3
SLACK = 0.1
FOUND = ["the weather in Ankara is dry", "the user likes rain"]
ASK = [
    {"role": "system", "content": "be brief"},
    {"role": "user", "content": "what about the weather?"},
]
NEVER = threading.Event()


class Broken(Exception):
    pass


def _raise(error: BaseException) -> Callable[..., Any]:
    def fault(*_: Any, **__: Any) -> Any:
        raise error

    return fault


def _araise(error: BaseException) -> Callable[..., Any]:
    async def fault(*_: Any, **__: Any) -> Any:
        raise error

    return fault


def _give(value: Any) -> Callable[..., Any]:
    return lambda *_, **__: value


def _agive(value: Any) -> Callable[..., Any]:
    async def fault(*_: Any, **__: Any) -> Any:
        return value

    return fault


def _hang(*_: Any, **__: Any) -> Any:
    NEVER.wait(30)
    return []


async def _ahang(*_: Any, **__: Any) -> Any:
    await asyncio.sleep(30)
    return []


async def _ahang_stubbornly(*_: Any, **__: Any) -> Any:
    """Swallow one cancellation and go on."""
    try:
        await asyncio.sleep(2)
    except asyncio.CancelledError:
        await asyncio.sleep(1)
    return []


async def _close_loop(*_: Any, **__: Any) -> Any:
    asyncio.get_running_loop().close()
    return []


HUGE = "x" * 50_000_000
MANY = [f"memory number {n}" for n in range(10_000)]
RAISES = {
    "raises": Broken("secret words"),
    "raises CancelledError": asyncio.CancelledError(),
    "raises SystemExit": SystemExit(3),
    "raises GeneratorExit": GeneratorExit(),
    "raises MemoryError": MemoryError(),
}
RUBBISH = {
    "returns None": None,
    "returns a wrong type": object(),
    "returns 50 MB of text": HUGE,
    "returns 10,000 entries": MANY,
}


def faults(hangs: bool) -> Iterator[tuple[str, Callable[..., Any]]]:
    for name, error in RAISES.items():
        yield name, _raise(error)
        yield f"async {name}", _araise(error)
    for name, value in RUBBISH.items():
        yield name, _give(value)
        yield f"async {name}", _agive(value)
    if hangs:
        yield "hangs", _hang
    yield "async hangs", _ahang
    yield "async hangs, swallowing its cancellation", _ahang_stubbornly
    yield "async closes its loop", _close_loop


class _Counter:
    name = "faulty"

    def __init__(self, fault: Callable[..., Any]) -> None:
        self.count = fault


class _Initialised(FakeStore):
    def __init__(self, fault: Callable[..., Any]) -> None:
        super().__init__(FOUND)
        self.initialize = fault


def _store(fault: Callable[..., Any]) -> FakeStore:
    kind = AsyncFakeStore if asyncio.iscoroutinefunction(fault) else FakeStore
    return kind(fault, name="faulty")


class _Ledger(InMemoryLedger):
    in_process = False

    def __init__(self, fault: Callable[..., Any], method: str) -> None:
        super().__init__()
        setattr(self, method, fault)


class _Faulty(OpenAIChat):
    """A dialect that breaks in one of its methods."""

    def __init__(self, fault: Callable[..., Any], method: str) -> None:
        super().__init__()
        setattr(self, method, fault)


def managers(fault: Callable[..., Any]) -> dict[str, Callable[[], MemoryManager]]:
    """Return how to build a manager with *fault* at each seam, by the stage that must be named."""
    good = FOUND
    second = FakeStore(["another store's fact"], name="second")

    def made(store: Any = None, **injection: Any) -> MemoryManager:
        stores = [store or FakeStore(good)]
        return MemoryManager(stores, injection={"timeout": TIMEOUT, **injection})

    def with_counter() -> MemoryManager:
        return MemoryManager(
            [FakeStore(good)], injection={"timeout": TIMEOUT}, counter=_Counter(fault)
        )

    def with_ledger(method: str) -> Callable[[], MemoryManager]:
        return lambda: MemoryManager(
            [FakeStore(good)], injection={"timeout": TIMEOUT}, ledger=_Ledger(fault, method)
        )

    def merged() -> MemoryManager:
        return MemoryManager(
            [FakeStore(good), second], injection={"timeout": TIMEOUT, "merge": fault}
        )

    def with_dialect(method: str) -> MemoryManager:
        manager = made()
        manager.dialect = _Faulty(fault, method)
        return manager

    return {
        "trigger": lambda: made(trigger=fault),
        "query": lambda: made(query=fault),
        "format": lambda: made(format=fault),
        "hook": lambda: made(on_entries=fault),
        "merge": merged,
        "counter": with_counter,
        "retrieve": lambda: made(_store(fault)),
        "retrieve (initialise)": lambda: made(_Initialised(fault)),
        "ledger (get)": with_ledger("get"),
        "ledger (put)": with_ledger("put"),
        "read (dialect)": lambda: with_dialect("read"),
        "write (dialect)": lambda: with_dialect("append"),
    }


@dataclass
class Row:
    """What one fault at one seam led to."""

    seam: str
    fault: str
    way: str
    seconds: float = 0.0
    status: str = ""
    stage: str | None = None
    error: str | None = None
    request: str = ""
    trouble: str = ""


# A sync callback runs in the caller's thread, where nothing can interrupt it; counters and
# dialects are pure.
SYNC_CALLBACKS = (
    "trigger", "query", "format", "hook", "merge", "counter", "read (dialect)", "write (dialect)",
)  # fmt: skip
NOT_A_FAULT = {
    ("trigger", "returns a wrong type"): "a truthy answer is a yes",
    ("trigger", "returns 50 MB of text"): "a truthy answer is a yes",
    ("trigger", "returns 10,000 entries"): "a truthy answer is a yes",
    ("trigger", "returns None"): "a falsy answer is a no",
    ("query", "returns None"): "None skips",
    ("query", "returns 50 MB of text"): "an over-long query is clamped",
    ("retrieve", "returns 10,000 entries"): "many entries are not a fault",
    ("format", "returns 50 MB of text"): "above the budget",
}


def cases() -> Iterator[tuple[str, str, Callable[[], MemoryManager]]]:
    seams = managers(_hang)
    for seam in seams:
        for name, fault in faults(hangs=seam not in SYNC_CALLBACKS):
            if (seam == "counter" or "dialect" in seam) and name.startswith("async"):
                continue  # plain functions by contract
            if seam == "retrieve (initialise)" and name in RUBBISH_NAMES:
                continue  # what initialize returns is ignored
            yield seam, name, managers(fault)[seam]


RUBBISH_NAMES = {prefix + name for name in RUBBISH for prefix in ("", "async ")}


def run(seam: str, fault: str, make: Callable[[], MemoryManager], way: str) -> Row:
    row = Row(seam, fault, way)
    manager = make()
    faulty = getattr(manager, "dialect", None)
    usual = registry.dialect_named
    if faulty is not None:
        registry.dialect_named = lambda name: faulty
    started = time.monotonic()
    try:
        if way == "sync":
            result = manager.inject(ASK, model="gpt-4o", api="openai.chat")
        else:
            result = asyncio.run(_timed(manager, row))
    except BaseException as error:
        row.trouble = f"raised {type(error).__name__}"
        return row
    finally:
        registry.dialect_named = usual
    if way == "sync":
        row.seconds = time.monotonic() - started
    report = result.report
    row.status, row.stage, row.error = report.status, report.stage, report.error
    row.request = _judge(result.messages)
    row.trouble = _trouble(row, seam, fault)
    return row


async def _timed(manager: MemoryManager, row: Row) -> Any:
    started = time.monotonic()
    result = await manager.ainject(ASK, model="gpt-4o", api="openai.chat")
    row.seconds = time.monotonic() - started
    return result


def _judge(messages: list[Any]) -> str:
    """Say how the request differs from the one asked for."""
    if messages == ASK:
        return "unchanged"
    text = messages[-1]["content"]
    block = text.removeprefix(ASK[-1]["content"] + "\n\n")
    if messages[:-1] == ASK[:-1] and find_blocks(block) == [block]:
        return "one well-formed block"
    return "CORRUPTED"


def _trouble(row: Row, seam: str, fault: str) -> str:
    if row.seconds > TIMEOUT + SLACK:
        return f"took {row.seconds:.2f} s"
    if row.request == "CORRUPTED":
        return "corrupted request"
    if (seam, fault.removeprefix("async ")) in NOT_A_FAULT:
        return ""
    if row.stage != seam.split(" ")[0]:
        return f"the report names {row.stage}"
    if row.stage and "secret" in (row.status or ""):
        return "leaks"
    return ""


def main() -> int:
    from rich.console import Console
    from rich.table import Table

    logging.disable(logging.WARNING)
    table = Table("seam", "fault", "way", "request", "status", "stage", "error", "s", "trouble")
    rows = [run(*case, way) for case in cases() for way in ("sync", "async")]
    for row in rows:
        table.add_row(
            row.seam, row.fault, row.way, row.request, row.status, row.stage or "",
            (row.error or "")[:40], f"{row.seconds:.2f}", row.trouble,
            style="red" if row.trouble else None,
        )  # fmt: skip
    Console(width=200).print(table)
    failed = sum(bool(row.trouble) for row in rows)
    print(f"{len(rows)} faults, {failed} in trouble")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
