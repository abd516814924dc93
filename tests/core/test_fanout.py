"""Asking several stores at once: deadlines per store, partial results, clocks, initialising."""

from __future__ import annotations

import asyncio
import contextvars
import threading
import time
import types

import pytest

from memory_injection import (
    ConfigurationError,
    MemoryEntry,
    MemoryManager,
    SearchResult,
    StoreErrors,
    fanout,
)
from memory_injection.access import registered
from memory_injection.fanout import Ask, ask_now, ask_soon, run_all_now, run_all_soon
from memory_injection.testing import AsyncFakeStore, FakeStore

ASK = [{"role": "user", "content": "what about the weather in Ankara?"}]
WAYS = ["sync", "async"]
NAMED = contextvars.ContextVar("named", default="nobody")


def inject(memory, way):
    if way == "sync":
        return memory.inject(ASK)
    return asyncio.run(memory.ainject(ASK))


def asked(stores, way, timeout=5.0):
    asks = [Ask(handle, handle.search("q", {})) for handle in registered(stores)]
    if way == "sync":
        return ask_now(asks, timeout)
    return asyncio.run(ask_soon(asks, timeout))


def hanging(kind, release, name="hung", timeout=None):
    async def hang(query, options):
        await asyncio.sleep(30)

    store = kind(hang if kind is AsyncFakeStore else lambda q, o: release.wait(30), name=name)
    if timeout is not None:
        store.timeout = timeout
    return store


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", [FakeStore, AsyncFakeStore])
def test_what_came_in_time_is_used(kind, way):
    """One store hangs, one fails, one is empty: the fourth's memories are injected."""
    release = threading.Event()

    def broken(query, options):
        raise OSError("down")

    stores = [
        hanging(kind, release), kind(broken, name="broken"), kind((), name="empty"),
        kind(["it is dry"], name="well"),
    ]  # fmt: skip
    with MemoryManager(stores, injection={"timeout": 0.3}) as memory:
        result = inject(memory, way)
    release.set()
    assert result.report.status == "injected"
    assert "it is dry" in result.messages[-1]["content"]
    told = {store.name: store.status for store in result.report.stores}
    assert told == {"hung": "timeout", "broken": "error", "empty": "empty", "well": "ok"}
    assert "down" in result.report.stores[1].error


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", [FakeStore, AsyncFakeStore])
def test_a_stores_own_timeout_is_kept(kind, way):
    """A store with a shorter timeout is given up then, and the others still have their time."""
    release = threading.Event()
    quick = hanging(kind, release, timeout=0.05)
    slow = kind(["late but there"], name="slow")
    answers = asked([quick, slow], way, timeout=20.0)
    release.set()
    assert [answer.report.status for answer in answers] == ["timeout", "ok"]
    assert answers[0].report.seconds < 5


@pytest.mark.parametrize("way", WAYS)
def test_stores_are_asked_at_the_same_time(way):
    """Eight stores that wait for one another all answer."""
    together = threading.Barrier(8)
    stores = [
        FakeStore(lambda q, o: together.wait(10) is not None and ["x"], name=f"s{n}")
        for n in range(8)
    ]
    assert {answer.report.status for answer in asked(stores, way)} == {"ok"}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", [FakeStore, AsyncFakeStore])
def test_the_callers_context_is_visible_in_stores(kind, way):
    """Tracing ids and the like, kept in context variables, reach every store."""
    token = NAMED.set("ada")
    try:
        [answer] = asked([kind(lambda q, o: [NAMED.get()])], way)
    finally:
        NAMED.reset(token)
    assert [entry.content for entry in answer.entries] == ["ada"]


@pytest.mark.parametrize("way", WAYS)
def test_a_lazy_answer_is_read_under_the_deadline(way):
    """A generator that hangs half-way is the store's trouble, not the caller's."""
    release = threading.Event()

    def lazily(query, options):
        yield "one"
        release.wait(30)

    started = time.monotonic()
    [answer] = asked([FakeStore(lazily)], way, timeout=0.1)
    release.set()
    assert answer.report.status == "timeout"
    assert time.monotonic() - started < 5


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("error", [SystemExit, asyncio.CancelledError, ValueError])
def test_an_entry_that_breaks_when_read_is_the_stores_error(error, way):
    """Attributes may be computed, and may raise anything."""

    class Entry:
        @property
        def content(self):
            raise error("broken")

    for kind in (FakeStore, AsyncFakeStore):
        [answer] = asked([kind([Entry()])], way)
        assert answer.report.status == "error"


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("rubbish", [None, 42, "text", b"bytes", {"content": "x"}, object()])
def test_rubbish_is_an_error(rubbish, way):
    """What is no list of entries is told as the store's error."""
    [answer] = asked([FakeStore(lambda q, o: rubbish)], way)
    assert answer.report.status == "error"
    assert "list of entries" in answer.report.error


async def test_a_coarse_clock_does_not_lose_a_deadline():
    """An event loop that wakes 50 ms early, as coarse clocks do, is asked again."""
    asyncio.get_running_loop()._clock_resolution = 0.05
    [handle] = registered([hanging(AsyncFakeStore, None)])
    [answer] = await asyncio.wait_for(ask_soon([Ask(handle, handle.search("q", {}))], 0.2), 5)
    assert answer.report.status == "timeout"


@pytest.mark.parametrize("way", WAYS)
def test_a_clock_that_stands_still_loses_no_deadline(way, monkeypatch):
    """Tests freeze clocks; a store that hangs is given up all the same."""
    monkeypatch.setattr(fanout, "time", types.SimpleNamespace(monotonic=lambda: 1000.0))
    release = threading.Event()
    kind = FakeStore if way == "sync" else AsyncFakeStore
    ended = []
    thread = threading.Thread(
        target=lambda: ended.extend(asked([hanging(kind, release), FakeStore(["a"])], way, 0.2)),
        daemon=True,
    )
    thread.start()
    thread.join(5)
    release.set()
    assert [answer.report.status for answer in ended] == ["timeout", "ok"]


@pytest.mark.parametrize("way", WAYS)
def test_every_writes_outcome_is_told(way):
    """Writes run at once; each store's value or error comes back, in order."""

    def broken():
        raise OSError("full")

    handles = registered([FakeStore(name="a"), AsyncFakeStore(name="b"), FakeStore(name="c")])

    async def soon():
        return 2

    works = list(zip(handles, [lambda: 1, soon, broken], strict=True))
    done = run_all_now(works, 5) if way == "sync" else asyncio.run(run_all_soon(works, 5))
    assert [d.value for d in done] == [1, 2, None]
    assert isinstance(done[2].error, OSError)


@pytest.mark.parametrize("way", WAYS)
def test_a_write_that_hangs_is_a_timeout(way):
    """A write has a deadline, too."""
    release = threading.Event()
    [handle] = registered([FakeStore()])
    works = [(handle, lambda: release.wait(30))]
    done = run_all_now(works, 0.05) if way == "sync" else asyncio.run(run_all_soon(works, 0.05))
    release.set()
    assert isinstance(done[0].error, TimeoutError)


def test_a_search_that_fails_everywhere_says_so():
    """Outside an injection a failure of every store is raised, one member each."""

    def broken(query, options):
        raise OSError("down")

    with MemoryManager([FakeStore(broken)]) as memory, pytest.raises(StoreErrors) as told:
        memory.search("anything")
    assert "down" in str(told.value.exceptions[0])


# Initialising


class Initialised(AsyncFakeStore):
    """An async store that must be initialised first, as slowly as told."""

    def __init__(self, seconds=0.0, failures=0):
        super().__init__(lambda q, o: ["ready"] if self.ready else ["too early"])
        self.seconds, self.failures, self.ready, self.begun = seconds, failures, False, 0

    async def initialize(self):
        self.begun += 1
        await asyncio.sleep(self.seconds)
        if self.begun <= self.failures:
            raise OSError("not yet")
        self.ready = True


class InitialisedInPlace(Initialised):
    """The same with a sync ``initialize``, which blocks."""

    def initialize(self):
        self.begun += 1
        time.sleep(self.seconds)
        if self.begun <= self.failures:
            raise OSError("not yet")
        self.ready = True


KINDS = [Initialised, InitialisedInPlace]


async def test_a_slow_initialise_outlives_the_call_that_began_it():
    """It goes on when that call's deadline has passed, so that a later call finds it done."""
    for kind in KINDS:
        store = kind(seconds=0.3)
        async with MemoryManager([store], injection={"timeout": 0.1}) as memory:
            first = (await memory.ainject(ASK)).report
            await asyncio.sleep(0.4)
            second = (await memory.ainject(ASK)).report
        assert first.stores[0].status == "timeout"
        assert second.status == "injected"
        assert store.begun == 1


async def test_one_waiter_that_goes_away_harms_nobody():
    """Of two first calls the one that waits is cancelled; the other and all later ones go on."""
    store = Initialised(seconds=0.2)
    async with MemoryManager([store], injection={"timeout": 5}) as memory:
        owner = asyncio.create_task(memory.ainject(ASK))
        await asyncio.sleep(0.02)
        waiter = asyncio.create_task(memory.ainject([{"role": "user", "content": "and snow?"}]))
        await asyncio.sleep(0.02)
        waiter.cancel()
        assert (await owner).report.status == "injected"
        other = await memory.ainject([{"role": "user", "content": "and the rain?"}])
        assert other.report.stores[0].status == "ok"


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_failed_initialise_is_tried_again(kind, way):
    """The first call tells the error; the second call tries once more."""
    store = kind(failures=1)
    with MemoryManager([store]) as memory:
        assert inject(memory, way).report.stores[0].status == "error"
        assert inject(memory, way).report.status == "injected"
    assert store.begun == 2


def test_an_initialise_lost_with_its_loop_is_begun_again():
    """A loop that is closed in the middle of it takes it along; the next loop starts anew."""
    store = Initialised(seconds=30)
    with MemoryManager([store], injection={"timeout": 0.05}) as memory:
        assert asyncio.run(memory.ainject(ASK)).report.stores[0].status == "timeout"
        store.seconds = 0.0
        report = asyncio.run(memory.ainject(ASK)).report
    assert report.status == "injected"


@pytest.mark.parametrize("way", WAYS)
def test_a_blocking_pinned_of_an_async_store_keeps_to_the_deadline(way):
    """A sync method of an async store runs where it cannot hold up the event loop."""
    release = threading.Event()

    class Pinning(AsyncFakeStore):
        def pinned(self, options=None):
            release.wait(30)
            return [MemoryEntry("pinned")]

    started = time.monotonic()
    [answer] = asked([Pinning(["found"])], way, timeout=0.1)
    release.set()
    assert answer.report.status == "timeout"
    assert time.monotonic() - started < 5


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", [FakeStore, AsyncFakeStore])
def test_a_store_may_say_what_was_wrong_with_an_answer(kind, way):
    """Its line in the report carries it; an answer that says nothing, or no text, has none."""

    class Odd(list):
        problem = 3

    stores = [
        kind(lambda q, o: SearchResult(["it is dry"], problem="half the index is gone"), name="a"),
        kind(lambda q, o: SearchResult(problem="x" * 9_000), name="b"),
        kind(lambda q, o: SearchResult([MemoryEntry("it is warm")]), name="c"),
        kind(lambda q, o: Odd(["it is late"]), name="d"),
    ]
    with MemoryManager(stores) as memory:
        report = inject(memory, way).report
    told = {store.name: (store.status, store.problem) for store in report.stores}
    assert told == {
        "a": ("ok", "half the index is gone"), "b": ("empty", "x" * 500), "c": ("ok", None),
        "d": ("ok", None),
    }  # fmt: skip


def _eager(loop, coro, **named):
    """Run a coroutine's first step at once, as Python 3.12's ``eager_task_factory`` does."""
    try:
        coro.send(None)
    except StopIteration as stop:
        ended = loop.create_future()
        ended.set_result(stop.value)
        return ended
    raise AssertionError("only for what never waits")


async def test_stores_that_answer_before_their_task_is_known():
    """Under an eager task factory an answer comes while the tasks are still being made."""
    factory = getattr(asyncio, "eager_task_factory", _eager)
    stores = [AsyncFakeStore(["a"], name="a"), AsyncFakeStore(["b"], name="b")]
    asks = [Ask(handle, handle.search("q", {})) for handle in registered(stores)]
    loop = asyncio.get_running_loop()
    before = loop.get_task_factory()
    loop.set_task_factory(factory)
    try:
        answers = await ask_soon([*asks, *_asks_of(FakeStore(["c"], name="c"))], 1.0)
    finally:
        loop.set_task_factory(before)
    assert [answer.report.status for answer in answers] == ["ok", "ok", "ok"]


def _asks_of(store):
    return [Ask(handle, handle.search("q", {})) for handle in registered([store])]


async def test_a_cancelled_write_is_cancelled_in_its_stores():
    """What the caller has given up does not go on behind its back."""
    begun, written = asyncio.Event(), []

    class Slow(AsyncFakeStore):
        async def add(self, content, metadata=None, *, scope=None):
            begun.set()
            await asyncio.sleep(0.1)
            written.append(content)

    async with MemoryManager([Slow(writable=True)]) as memory:
        writing = asyncio.create_task(memory.aadd("a fact"))
        await begun.wait()
        writing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await writing
        await asyncio.sleep(0.2)
    assert written == []


@pytest.mark.parametrize("way", WAYS)
def test_every_search_says_how_many_entries_it_wants(way):
    """Stores written for Strands read the limit without asking whether there is one."""
    wanted = {}

    def found(query, options):
        wanted[query] = options["max_search_results"]
        return ()

    store, usual = FakeStore(found, name="few"), FakeStore(found, name="usual")
    store.max_search_results = 3
    with MemoryManager([store, usual]) as memory:
        for name, limit in (("few", None), ("usual", None), ("few", 7)):
            query, given = f"{name} {limit}", {"stores": [name], "max_search_results": limit}
            if way == "sync":
                memory.search(query, **given)
            else:
                asyncio.run(memory.asearch(query, **given))
    assert wanted == {"few None": 3, "usual None": 10, "few 7": 7}


@pytest.mark.parametrize("limit", [0, -1, True, "5"])
def test_a_stores_usual_limit_is_a_count(limit):
    """It is refused by name where the manager is built."""
    store = FakeStore(name="notes")
    store.max_search_results = limit
    with pytest.raises(ConfigurationError, match="store 'notes': max_search_results must be"):
        MemoryManager([store])
