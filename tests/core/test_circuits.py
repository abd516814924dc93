"""Circuits: when a store is left alone, when it is probed, how many calls it may have running."""

from __future__ import annotations

import asyncio
import os
import threading
import time

import pytest

from memory_injection import MemoryManager
from memory_injection.circuits import Circuit, Held, Place
from memory_injection.testing import AsyncFakeStore, FakeStore

ASK = [{"role": "user", "content": "what about the weather?"}]


class Caller:
    """Enters a circuit and says how each call came out."""

    def __init__(self, **options):
        self.circuit = Circuit(**options)

    def call(self, ok, now=0.0):
        place = self.circuit.enter(now)
        if isinstance(place, str):
            return False
        place.note(ok, now)
        place.leave()
        return True


def opened(at=0.0, **options):
    caller = Caller(threshold=3, pause=1.0, **options)
    for _ in range(3):
        assert caller.call(False, at)
    return caller


def test_it_opens_after_failures_in_a_row():
    """Three failures in a row open it; a success in between starts the count anew."""
    caller = Caller(threshold=3, pause=1.0)
    for ok in (False, False, True, False, False):
        assert caller.call(ok)
    assert caller.call(False)
    assert not caller.call(True)


def test_a_probe_closes_it():
    """When the pause is over one call goes through, and its success lets all others through."""
    caller = opened()
    assert not caller.call(True, 0.9)
    assert caller.call(True, 1.1)
    assert caller.call(True, 1.1)


def test_only_one_probe_at_a_time():
    """While the probe is under way every other call is refused."""
    circuit = opened().circuit
    probe = circuit.enter(1.5)
    assert isinstance(probe, Place)
    assert "circuit open" in circuit.enter(1.5)


def test_failed_probes_double_the_pause_up_to_the_longest():
    """1 s, 2 s, 4 s, then never more than ``longest``."""
    caller, now = opened(longest=5.0), 0.0
    for pause in (1.0, 2.0, 4.0, 5.0, 5.0):
        assert not caller.call(False, now + pause - 0.01)
        now += pause + 0.01
        assert caller.call(False, now)


def test_calls_under_way_when_it_opens_extend_nothing():
    """Sixty calls that were running when it opened fail for one reason, not for sixty."""
    circuit = Circuit(threshold=3, pause=1.0, longest=60.0)
    places = [circuit.enter(0.0) for _ in range(60)]
    for place in places:
        place.note(False, 0.0)
        place.leave()
    assert isinstance(circuit.enter(1.1), Place)


def test_a_probe_that_nobody_waited_for_frees_the_next():
    """A caller that is cancelled in the middle of a probe does not close the door for ever."""
    circuit = opened().circuit
    circuit.enter(1.5).note(None, 1.6)
    assert isinstance(circuit.enter(1.7), Place)


def test_the_limit_counts_calls_until_they_really_end():
    """A call that was given up keeps its place until its thread or task has ended."""
    circuit = Circuit(limit=2)
    first, second = circuit.enter(0.0), circuit.enter(0.0)
    second.note(False, 0.0)
    assert circuit.enter(0.0) == "2 calls are still running"
    first.leave()
    first.leave()
    assert isinstance(circuit.enter(0.0), Place)
    assert isinstance(circuit.enter(0.0), str)


@pytest.mark.parametrize("way", ["value", "error", "awaitable", "never begun"])
def test_held_work_gives_its_place_back_once(way):
    """Whatever becomes of the work, its place is free afterwards."""
    circuit = Circuit(limit=1)

    def work():
        if way == "error":
            raise ValueError("broken")
        return asyncio.sleep(0) if way == "awaitable" else 5

    held = Held(work, circuit.enter(0.0))
    if way == "awaitable":
        asyncio.run(held())
    elif way == "error":
        with pytest.raises(ValueError, match="broken"):
            held()
    elif way == "value":
        assert held() == 5
    held.ended(None)
    assert isinstance(circuit.enter(0.0), Place)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_forked_child_starts_with_all_its_places():
    """What ran in the parent never ends in the child, so it does not count there."""
    circuit = Circuit(limit=1)
    circuit.enter(0.0)
    child = os.fork()
    if child == 0:
        os._exit(0 if isinstance(circuit.enter(0.0), Place) else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert isinstance(circuit.enter(0.0), str)


# Through the front door


def make(answer, *, way="sync", **injection):
    kind = AsyncFakeStore if way == "async" else FakeStore
    injection = {"timeout": 1.0, **injection}
    return MemoryManager([kind(answer, name="notes")], injection=injection)


def ask(memory, way, number):
    messages = [{"role": "user", "content": f"what about number {number}?"}]
    if way == "sync":
        return memory.inject(messages).report
    return asyncio.run(memory.ainject(messages)).report


@pytest.mark.parametrize("way", ["sync", "async"])
def test_a_failing_store_is_left_alone_and_comes_back(way):
    """After three failures the store is not asked; when it is well again a probe finds out."""
    well = threading.Event()

    def answer(query, options):
        if not well.is_set():
            raise OSError("down")
        return [f"an answer to {query}"]

    with make(answer, way=way) as memory:
        statuses = [ask(memory, way, n).stores[0].status for n in range(5)]
        assert statuses == ["error", "error", "error", "open", "open"]
        assert len(memory.stores[0].queries) == 3
        well.set()
        time.sleep(1.1)  # the pause itself is what is tested
        assert [ask(memory, way, n).status for n in (6, 7)] == ["injected", "injected"]


def test_a_cancelled_probe_does_not_shut_a_store_out():
    """The probe's caller goes away; the next call probes again."""
    mood = {"now": "down"}

    async def answer(query, options):
        if mood["now"] == "down":
            raise OSError("down")
        if mood["now"] == "slow":
            await asyncio.sleep(10)
        return ["it is well"]

    async def scene(memory):
        for _ in range(3):
            await memory.ainject(ASK)
        await asyncio.sleep(1.05)
        mood["now"] = "slow"
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(memory.ainject(ASK), 0.05)
        mood["now"] = "well"
        return (await memory.ainject(ASK)).report

    with make(answer, way="async") as memory:
        assert asyncio.run(scene(memory)).status == "injected"


def test_hung_calls_are_bounded():
    """A store that hangs holds at most its limit of threads, and every call still goes through."""
    ready = threading.Event()
    with make(lambda query, options: ready.wait(20) and [], timeout=0.02) as memory:
        circuit = memory._handles[0].circuit
        circuit._threshold = 10_000
        before = threading.active_count()
        reports = [ask(memory, "sync", n) for n in range(80)]
        assert {report.status for report in reports} == {"failed"}
        assert reports[-1].stores[0].status == "open"
        assert "64 calls are still running" in reports[-1].stores[0].error
        assert threading.active_count() - before <= 65
        ready.set()


@pytest.mark.parametrize("way", ["sync", "async"])
def test_a_store_says_how_many_searches_it_takes_at_once(way):
    """Traffic past ``max_concurrency`` is turned away at once, told, and has its other memory."""
    busy, most = 0, 0
    lock = threading.Lock()
    full = threading.Event()

    def slow(query, options):
        nonlocal busy, most
        with lock:
            busy += 1
            most = max(most, busy)
            if busy == 3:
                full.set()
        full.wait(10)
        refused.wait(10)
        with lock:
            busy -= 1
        return ["slow"]

    narrow = FakeStore(slow, name="narrow")
    narrow.max_concurrency = 3
    refused = threading.Event()
    stores = [narrow, FakeStore(["quick"], name="wide")]
    memory = MemoryManager(stores, injection={"timeout": 20})
    reports = []

    def call(number):
        reports.append(ask(memory, way, number))
        if any(store.status == "open" for store in reports[-1].stores):
            refused.set()

    threads = [threading.Thread(target=call, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    memory.close()
    assert most == 3
    assert {report.status for report in reports} == {"injected"}
    told = [report.stores[0].status for report in reports]
    assert told.count("open") >= 1
    assert set(told) == {"ok", "open"}


def test_a_hung_ledger_holds_a_bounded_number_of_threads():
    """Calls go on without a ledger that hangs, quickly once it is known to hang."""
    from memory_injection import InMemoryLedger

    release = threading.Event()

    class Hung(InMemoryLedger):
        in_process = False

        def get(self, space, keys):
            release.wait(20)
            return {}

    memory = MemoryManager(
        [FakeStore(["a fact"])], ledger=Hung(), injection={"timeout": 0.1, "min_relevance": None}
    )
    before = threading.active_count()
    reports = [ask(memory, "sync", n) for n in range(30)]
    assert {report.status for report in reports} == {"injected"}
    assert {report.stage for report in reports} == {"ledger"}
    assert reports[-1].error.startswith("MemoryInjectionError: circuit open after")
    assert reports[-1].seconds < 0.05
    assert threading.active_count() - before < 10
    release.set()
    memory.close()
