"""The engine from outside: cancellation, threads, forks, telemetry, policies that go wrong."""

from __future__ import annotations

import asyncio
import logging
import os
import threading
import time
from collections import Counter
from unittest.mock import ANY

import pytest

from memory_injection import InMemoryLedger, MemoryManager, Scope
from memory_injection.rendering import find_blocks
from memory_injection.telemetry import ATTRIBUTES, CONTENT, EVENT
from memory_injection.testing import AsyncFakeStore, FakeStore

ASK = [{"role": "user", "content": "what about the weather in Ankara?"}]
WAYS = ["sync", "async"]


def inject(memory, way, messages=ASK, **asked):
    if way == "sync":
        return memory.inject(messages, **asked)
    return asyncio.run(memory.ainject(messages, **asked))


def made(*stores, **injection):
    stores = stores or (FakeStore(["it is dry"]),)
    ledger = injection.pop("ledger", None)
    return MemoryManager(stores, injection={"min_relevance": None, **injection}, ledger=ledger)


# Who calls


@pytest.mark.parametrize("seam", ["store", "trigger", "ledger"])
def test_the_callers_own_cancellation_passes_through(seam):
    """A cancelled caller is cancelled at whatever stage it is, and what it waited for is, too."""
    begun = asyncio.Event()

    async def slow(*_):
        begun.set()
        await asyncio.sleep(30)

    class SlowLedger(InMemoryLedger):
        async def get(self, space, keys):
            await slow()

    store = AsyncFakeStore(slow if seam == "store" else ["a fact"])
    options = {"trigger": slow} if seam == "trigger" else {}
    if seam == "ledger":
        options["ledger"] = SlowLedger()

    async def scene():
        async with made(store, timeout=30, **options) as memory:
            task = asyncio.create_task(memory.ainject(ASK))
            await asyncio.wait_for(begun.wait(), 10)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    asyncio.run(scene())


async def test_sync_calls_work_inside_a_running_loop():
    """``inject`` can be called from a coroutine, with sync and with async stores."""
    with made(FakeStore(["one"], name="a"), AsyncFakeStore(["two"], name="b")) as memory:
        text = memory.inject(ASK).messages[-1]["content"]
    assert "one" in text
    assert "two" in text


def test_sync_and_async_give_the_same():
    """The same request, either way, from a fresh manager."""
    results = []
    for way in WAYS:
        with made(FakeStore(["one"], name="a"), AsyncFakeStore(["two"], name="b")) as memory:
            results.append(inject(memory, way, scope=Scope(user="ada")).messages)
    assert results[0] == results[1]


def test_many_threads_share_a_manager():
    """Sixteen threads, each with its own user: everyone gets their own memories, once each."""

    def of_user(query, options):
        return [f"{options['scope'].user} likes {word}" for word in query.split()[:2]]

    wrong = []
    with made(FakeStore(of_user, name="a"), follow_up="off") as memory:

        def talk(user):
            history = []
            for turn in range(10):
                history = [*history, {"role": "user", "content": f"tea{turn} coffee{turn}"}]
                result = memory.inject(history, scope=Scope(user=user))
                blocks = find_blocks(result.messages[-1]["content"])
                if len(blocks) != 1 or blocks[0].count(f"{user} likes") != 2:
                    wrong.append((user, result.report))
                history = [*history, {"role": "assistant", "content": "noted"}]

        threads = [threading.Thread(target=talk, args=(f"user{n}",)) for n in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert wrong == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_forked_child_injects_even_if_the_parents_calls_hang():
    """Threads, places and probes of the parent are not the child's."""
    release = threading.Event()
    pid = os.getpid()
    begun = threading.Semaphore(0)

    def hang_in_parent(query, options):
        if os.getpid() == pid:
            begun.release()
            release.wait(30)
        return ["it is dry"]

    memory = made(FakeStore(hang_in_parent), AsyncFakeStore(["and sunny"], name="b"), timeout=0.1)
    circuit = memory._handles[0].circuit
    circuit._limit = 2
    for number in range(2):
        memory.inject([{"role": "user", "content": f"weather {number}?"}])
        begun.acquire(timeout=10)
    child = os.fork()
    if child == 0:
        report = memory.inject([{"role": "user", "content": "weather now?"}]).report
        os._exit(0 if [store.status for store in report.stores] == ["ok", "ok"] else 1)
    assert os.waitpid(child, 0)[1] == 0
    release.set()
    memory.close()


# Callbacks that go wrong in their own ways


class Neither:
    def __bool__(self):
        raise ValueError("neither true nor false")


@pytest.mark.parametrize("way", WAYS)
def test_a_trigger_that_is_neither_yes_nor_no_keeps_earlier_blocks(way):
    """An array, say: the trigger is named, and earlier blocks still stand where they stood."""
    answers = [True, Neither()]
    with made(trigger=lambda context: answers.pop(0)) as memory:
        first = inject(memory, way).messages
        longer = [*ASK, {"role": "assistant", "content": "dry"}, {"role": "user", "content": "hm?"}]
        result = inject(memory, way, longer)
    assert (result.report.status, result.report.stage) == ("failed", "trigger")
    assert result.messages[:1] == first


@pytest.mark.parametrize("where", ["on_entries", "merge"])
def test_a_policy_that_repeats_an_entry_a_million_times_costs_nothing(where):
    """The same object again says nothing: no time, no memory, no report of a million lines."""

    def repeat(*given, **_):
        entries = given[0] if where == "on_entries" else sum(map(tuple, given[0].values()), ())
        return list(entries) * 500_000

    with made(**{where: repeat}) as memory:
        started = time.process_time()
        report = memory.inject(ASK).report
        took = time.process_time() - started
    assert (report.status, len(report.entries), len(report.dropped)) == ("injected", 1, 0)
    assert took < 1


def test_long_texts_that_are_equal_are_read_once():
    """A store that gives a five-megabyte text a thousand times does not stop the process."""
    huge = "x" * 5_000_000
    with made(FakeStore([{"content": huge} for _ in range(1000)]), timeout=60) as memory:
        started = time.process_time()
        report = memory.inject(ASK).report
        took = time.process_time() - started
    assert (report.status, report.reason) == ("skipped", "budget")
    assert took < 2


def test_a_ledger_that_answers_nonsense_is_named():
    """What is no mapping of records is the ledger's failure; the memory still goes in."""

    class Nonsense(InMemoryLedger):
        def get(self, space, keys):
            return {b"a": 5}

    with made(ledger=Nonsense()) as memory:
        report = memory.inject(ASK).report
    assert (report.status, report.stage) == ("injected", "ledger")


# Telemetry


@pytest.fixture
def broken_log():
    logger = logging.getLogger("memory_injection")

    def broken(record):
        raise OSError("the log is full")

    logger.addFilter(broken)
    yield
    logger.removeFilter(broken)


@pytest.mark.parametrize("way", WAYS)
def test_a_log_that_fails_does_not_fail_the_call(way, broken_log):
    """A filter or handler of the application's may raise; the request goes out with memory."""

    def broken(query, options):
        raise OSError("down")

    stores = [FakeStore(["it is dry"], name="a"), FakeStore(broken, name="b")]
    with made(*stores, on_entries=lambda entries: 42) as memory:
        assert inject(memory, way).report.status == "injected"


class Tracer:
    """An OpenTelemetry tracer whose spans break when told to."""

    def __init__(self, at):
        self.at = at

    def start_as_current_span(self, name, attributes):
        if self.at == "start":
            raise OSError("no exporter")
        return self

    def __enter__(self):
        if self.at == "enter":
            raise OSError("no exporter")
        return self

    def __exit__(self, *_):
        if self.at == "exit":
            raise OSError("no exporter")

    def is_recording(self):
        return True

    def set_attribute(self, name, value):
        if self.at == "fill":
            raise OSError("no exporter")

    def add_event(self, name, attributes):
        pass


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("at", ["start", "enter", "fill", "exit"])
def test_a_tracer_that_fails_does_not_fail_the_call(way, at, monkeypatch, caplog):
    """Tracing is no reason for a call not to go out, and its trouble is said."""
    monkeypatch.setattr("memory_injection.telemetry._tracer", lambda: Tracer(at))
    with made() as memory:
        assert inject(memory, way).report.status == "injected"
    assert "telemetry_failed error=OSError" in caplog.text


@pytest.fixture
def spans(monkeypatch):
    """Note each span: its name, its attributes and its events."""
    noted = []

    class Noting(Tracer):
        def start_as_current_span(self, name, attributes):
            noted.append((name, dict(attributes), []))
            return self

        def set_attribute(self, name, value):
            noted[-1][1][name] = value

        def add_event(self, name, attributes):
            noted[-1][2].append((name, attributes))

    monkeypatch.setattr("memory_injection.telemetry._tracer", lambda: Noting(""))
    return noted


def test_every_call_has_a_span(spans):
    """Those that are left alone as well: their number agrees with the counter's."""
    with made() as memory:
        memory.inject(ASK)
        memory.inject(5)
        memory.inject([{"what": "is this"}])
        memory.inject_request({"nothing": 1})
    memory.inject(ASK)
    assert {name for name, _, _ in spans} == {"memory.inject"}
    assert [told.get("memory.reason") for _, told, _ in spans] == [
        None, "unknown_shape", "unknown_shape", "unknown_shape", "disabled",
    ]  # fmt: skip


def test_what_a_span_says_is_what_the_reference_lists(spans):
    """No attribute without its line on the page, and none on the page that is never set."""

    def broken(entries):
        raise OSError("down")

    stores = [FakeStore(["it is dry"], name="a")]
    with MemoryManager(stores, injection={"on_entries": broken}, log_content=True) as memory:
        memory.inject(ASK, model="gpt-4o")
        memory.inject(ASK)
    said = {name.removeprefix("memory.") for _, told, _ in spans for name in told}
    assert said == {*ATTRIBUTES, *CONTENT}
    event, told = EVENT
    assert spans[0][2] == [(event, {f"{event}.{name}": ANY for name in told})]


class Meter:
    def __init__(self):
        self.counted = Counter()

    def add(self, number, attributes):
        self.counted[attributes["memory.status"]] += number


def test_every_call_is_counted(monkeypatch):
    """Calls that are left alone (closed, switched off, unknown shapes) are counted, too."""
    injections, tokens = Meter(), Meter()
    tokens.add = lambda *_: None
    monkeypatch.setattr("memory_injection.telemetry._counters", lambda: (injections, tokens))
    memory = made()
    told = Counter()
    told[memory.inject(ASK).report.status] += 1
    told[memory.inject(ASK).report.status] += 1
    told[memory.inject([{"what": "is this"}]).report.status] += 1
    told[memory.inject_request({"nothing": 1}).report.status] += 1
    memory.close()
    told[memory.inject(ASK).report.status] += 1
    with MemoryManager([FakeStore()], injection=False) as off:
        told[off.inject(ASK).report.status] += 1
    assert told == injections.counted == {"injected": 1, "replayed": 1, "skipped": 4}
