"""Running maybe-async work: deadlines, threads, the loop behind, contexts, forks, the end."""

from __future__ import annotations

import asyncio
import contextvars
import gc
import os
import subprocess
import sys
import textwrap
import threading
import time
import warnings

import pytest

from memory_injection import driving
from memory_injection.driving import Done, as_awaitable, on_loop, on_worker, run_now, run_soon

WHO = contextvars.ContextVar("who", default="nobody")


def drive(way, work, timeout=5.0, blocking=False):
    if way == "sync":
        return run_now(work, timeout, blocking)
    return asyncio.run(run_soon(work, timeout, blocking))


def plain():
    return WHO.get()


async def soon():
    await asyncio.sleep(0)
    return WHO.get()


def sync_giving_awaitable():
    return soon()


WORKS = [plain, soon, sync_giving_awaitable]


@pytest.mark.parametrize("blocking", [False, True])
@pytest.mark.parametrize("way", ["sync", "async"])
@pytest.mark.parametrize("work", WORKS)
def test_every_kind_of_work_runs_in_the_callers_context(work, way, blocking):
    """Sync or async, in place or in a thread, the caller's context variables are visible."""
    token = WHO.set("ada")
    try:
        assert drive(way, work, blocking=blocking) == Done("ada")
    finally:
        WHO.reset(token)


@pytest.mark.parametrize("blocking", [False, True])
@pytest.mark.parametrize("way", ["sync", "async"])
@pytest.mark.parametrize("error", [ValueError, SystemExit, asyncio.CancelledError, MemoryError])
def test_what_is_raised_comes_back_as_a_value(error, way, blocking):
    """No exception of foreign code is raised, whatever its kind."""

    def fails():
        raise error("broken")

    async def fails_soon():
        raise error("broken")

    for work in (fails, fails_soon):
        assert isinstance(drive(way, work, blocking=blocking).error, error)


@pytest.mark.parametrize("way", ["sync", "async"])
def test_a_deadline_holds_for_async_work(way):
    """What takes too long is cancelled and comes back as a TimeoutError."""
    cancelled = threading.Event()

    async def slow():
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    started = time.monotonic()
    done = drive(way, slow, timeout=0.05)
    assert isinstance(done.error, TimeoutError)
    assert time.monotonic() - started < 5
    assert cancelled.wait(5)


@pytest.mark.parametrize("way", ["sync", "async"])
def test_a_deadline_holds_for_a_thread_that_hangs(way):
    """The caller goes on while the thread still hangs; the next call gets another thread."""
    release = threading.Event()
    done = drive(way, lambda: release.wait(30), timeout=0.05, blocking=True)
    assert isinstance(done.error, TimeoutError)
    assert drive(way, lambda: 5, blocking=True) == Done(5)
    release.set()


@pytest.mark.parametrize("way", ["sync", "async"])
def test_work_given_up_before_its_first_step_warns_of_nothing(way):
    """A coroutine that is never begun is closed: Python would warn that nobody awaited it."""

    async def never():
        pass

    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        for _ in range(50):
            assert isinstance(drive(way, never, timeout=0.0).error, (TimeoutError, type(None)))
        gc.collect()
    assert warned == []


def test_the_callers_own_cancellation_passes_through():
    """A cancelled caller is cancelled, and so is what it waited for."""
    ended = []

    async def slow():
        try:
            await asyncio.sleep(30)
        finally:
            ended.append("slow")

    async def scene():
        task = asyncio.create_task(run_soon(slow, 30))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.sleep(0.01)

    asyncio.run(scene())
    assert ended == ["slow"]


def test_async_work_of_sync_callers_shares_one_loop():
    """Clients that are bound to a loop meet the same one in every call, from every thread."""

    async def where():
        return asyncio.get_running_loop()

    seen = [run_now(where, 5).value]
    threads = [
        threading.Thread(target=lambda: seen.append(run_now(where, 5).value)) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(map(id, seen))) == 1


async def test_sync_calls_work_inside_a_running_loop():
    """Async work of a sync call runs on the loop behind, not on the caller's, which is busy."""

    async def where():
        return asyncio.get_running_loop()

    assert run_now(where, 5).value is not asyncio.get_running_loop()


def test_a_loop_that_was_stopped_goes_on():
    """Code that stops the shared loop stops nothing for others."""

    async def stop():
        asyncio.get_running_loop().stop()

    on_loop(stop).result(5)
    assert run_now(soon, 5) == Done("nobody")


@pytest.mark.parametrize("start", [on_worker, on_loop])
def test_no_thread_to_be_had_is_how_the_work_ended(start, monkeypatch):
    """At a system's limit, or at the end of Python, nothing is raised at the caller."""
    monkeypatch.setattr(driving, "_workers", driving._Workers())
    monkeypatch.setattr(driving, "_loop", driving._Loop())

    def refuse(self):
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", refuse)
        assert isinstance(start(plain).result(5).error, RuntimeError)
    assert start(plain).result(5) == Done("nobody")
    driving._loop.stop()


def test_threads_are_used_again():
    """One call after the other needs one thread."""
    before = threading.active_count()
    for _ in range(50):
        on_worker(lambda: None).result(5)
    assert threading.active_count() - before <= 2


def test_many_at_once_each_get_a_thread():
    """Twenty calls that wait for one another all get through."""
    together = threading.Barrier(20)
    futures = [on_worker(lambda: together.wait(10)) for _ in range(20)]
    assert sorted(future.result(10).value for future in futures) == list(range(20))


def test_a_cancelled_job_is_not_begun():
    """What was given up before its turn came is left alone."""
    begun = []
    future = on_loop(lambda: begun.append(1))
    if future.cancel():
        on_loop(lambda: None).result(5)
        assert begun == []


def test_a_closed_loop_is_no_trouble_for_a_late_thread():
    """A thread that ends after its caller's loop is gone ends quietly."""
    release = threading.Event()
    ended = threading.Event()

    def late():
        release.wait(10)
        return "late"

    async def scene():
        future = on_worker(late)
        future.add_done_callback(lambda _: ended.set())
        as_awaitable(future)

    asyncio.run(scene())
    release.set()
    assert ended.wait(5)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_forked_child_has_workers_of_its_own():
    """Threads and the loop do not survive a fork; the child starts its own."""
    assert run_now(soon, 5) == Done("nobody")
    assert on_worker(plain).result(5) == Done("nobody")
    child = os.fork()
    if child == 0:
        fine = run_now(soon, 5) == Done("nobody") and on_worker(plain).result(5) == Done("nobody")
        os._exit(0 if fine else 1)
    assert os.waitpid(child, 0)[1] == 0


PROGRAM = """
import asyncio, threading, time
from memory_injection import MemoryManager
class Hung:
    name = "hung"
    {define}
memory = MemoryManager([Hung()], injection={{"timeout": 0.1}})
report = memory.inject([{{"role": "user", "content": "what about the weather?"}}]).report
print(report.stores[0].status, flush=True)
"""


@pytest.mark.parametrize(
    "define",
    [
        "def search(self, query, options=None): threading.Event().wait()",
        "async def search(self, query, options=None): await asyncio.sleep(1000)",
        "async def search(self, query, options=None): time.sleep(1000)",
    ],
    ids=["in a thread", "on the loop", "blocking the loop"],
)
def test_a_hung_store_never_blocks_the_end_of_the_process(define):
    """The program ends when its last line has run, whatever hangs."""
    code = textwrap.dedent(PROGRAM).format(define=define)
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    assert done.stdout == "timeout\n"
    assert "Traceback" not in done.stderr


def test_an_injection_at_the_end_of_the_process_still_goes_through():
    """Where Python starts no more threads, the call goes out without memory."""
    code = """
    import atexit
    from memory_injection import MemoryManager
    from memory_injection.testing import FakeStore
    memory = MemoryManager([FakeStore(["a fact"])], injection={"timeout": 0.5})
    atexit.register(lambda: print(memory.inject([{"role": "user", "content": "hm?"}]).messages))
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    assert "hm?" in done.stdout
    assert "Traceback" not in done.stderr
