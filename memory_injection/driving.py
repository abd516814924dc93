"""Run maybe-async work from sync and async code, under a deadline, without ever being stuck.

Sync functions that may block run in daemon threads: one that hangs keeps its thread, never the
caller and never the end of the process. Async functions run on the caller's own loop, or, for
sync callers, on one background loop that lives as long as the process, so that clients shared
between calls always meet the same loop.
"""

from __future__ import annotations

import asyncio
import atexit
import contextvars
import inspect
import os
import threading
from collections import deque
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeAlias

__all__ = [
    "Done", "Work", "as_awaitable", "attempt", "on_loop", "on_worker", "passes_through", "run_now",
    "run_soon",
]  # fmt: skip

Work: TypeAlias = "Callable[[], Any]"


@dataclass(frozen=True, slots=True)
class Done:
    """How a piece of work ended: a value, or the exception it raised."""

    value: Any = None
    error: BaseException | None = None

    def unwrap(self) -> Any:
        """Return the value or raise the error."""
        if self.error is not None:
            raise self.error
        return self.value


def passes_through(error: BaseException) -> bool:
    """Tell whether an exception of foreign code must reach the caller: only Ctrl-C does."""
    return isinstance(error, KeyboardInterrupt)


async def attempt(work: Work) -> Done:
    """Call *work*, await what it returns if that can be awaited, and never raise."""
    try:
        value = work()
        if inspect.isawaitable(value):
            value = await value
        return Done(value)
    except BaseException as error:
        return Done(error=error)


class _Workers:
    """Daemon threads that wait for work; a new one is started when none is idle."""

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._queue: deque[Callable[[], None]] = deque()
        self._idle = 0

    def submit(self, job: Callable[[], None]) -> None:
        """Hand *job* to an idle thread, or to a new one.

        Raises:
            RuntimeError: there is none, and none can be started (a limit, or the end of Python).
        """
        with self._condition:
            self._queue.append(job)
            if self._idle >= len(self._queue):
                self._condition.notify()
                return
        try:
            threading.Thread(target=self._serve, name="memory-worker", daemon=True).start()
        except RuntimeError:
            with self._condition:
                if job not in self._queue:  # another thread has become free and taken it
                    return
                self._queue.remove(job)
            raise

    def _serve(self) -> None:
        while True:
            with self._condition:
                self._idle += 1
                found = self._condition.wait_for(lambda: bool(self._queue), timeout=10.0)
                self._idle -= 1
                if not found:
                    return
                job = self._queue.popleft()
            job()
            del job


class _Loop:
    """One event loop in a daemon thread, started when first needed and restarted if it dies."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._ending = False

    def call(self, begin: Callable[[], None]) -> None:
        """Run *begin* on the loop, in a copy of the caller's context."""
        context = contextvars.copy_context()
        for _ in range(2):
            try:
                self._running().call_soon_threadsafe(begin, context=context)
                return
            except RuntimeError:  # a store has closed it; the next round starts another
                continue
        raise RuntimeError("the background event loop cannot be kept open")

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            alive = self._thread is not None and self._thread.is_alive()
            if self._loop is None or self._loop.is_closed() or not alive:
                loop = asyncio.new_event_loop()
                thread = threading.Thread(
                    target=self._serve, args=(loop,), name="memory-loop", daemon=True
                )
                try:
                    thread.start()
                except RuntimeError:
                    loop.close()
                    raise
                self._loop, self._thread = loop, thread
            return self._loop

    def _serve(self, loop: asyncio.AbstractEventLoop) -> None:
        asyncio.set_event_loop(loop)
        while not loop.is_closed() and not self._ending:
            loop.run_forever()  # ends only when somebody stops it: then it goes on
        if not loop.is_closed():
            loop.close()

    def stop(self) -> None:
        """End the loop at the end of the process, without waiting for what hangs in it."""
        with self._lock:
            loop, thread = self._loop, self._thread
            self._ending = True
        if loop is not None and thread is not None and not loop.is_closed():
            try:
                loop.call_soon_threadsafe(_cancel_all, loop)
            except RuntimeError:
                return
            thread.join(0.2)


def _cancel_all(loop: asyncio.AbstractEventLoop) -> None:
    for task in asyncio.all_tasks(loop):
        task.cancel()
    loop.call_later(0.05, loop.stop)


_workers = _Workers()
_loop = _Loop()


def _reset() -> None:
    global _workers, _loop
    _workers, _loop = _Workers(), _Loop()


# Threads do not survive a fork, so the child starts with none.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reset)
atexit.register(lambda: _loop.stop())


def on_worker(work: Work) -> Future[Done]:
    """Start *work* in a daemon thread; if it returns an awaitable, that runs on the loop.

    Never raises: where no thread can be started, that is how the work ended.
    """
    future: Future[Done] = Future()
    context = contextvars.copy_context()

    def job() -> None:
        if future.cancelled():  # given up before its turn came
            return
        try:
            value = context.run(work)
        except BaseException as error:
            _settle(future, Done(error=error))
            return
        if inspect.isawaitable(value):
            context.run(_finish_on_loop, value, future)
        else:
            _settle(future, Done(value))

    try:
        _workers.submit(job)
    except RuntimeError as error:
        _settle(future, Done(error=error))
    return future


def on_loop(work: Work) -> Future[Done]:
    """Start *work* on the background loop; cancelling the future cancels it there.

    Never raises: where no loop can be kept running, that is how the work ended.
    """
    future: Future[Done] = Future()

    def begin() -> None:
        if future.cancelled():
            return
        task = asyncio.ensure_future(attempt(work))
        _RUNNING.add(task)

        def finish(ended: asyncio.Task[Done]) -> None:
            _RUNNING.discard(ended)
            _settle(future, _result(ended))

        task.add_done_callback(finish)
        loop = task.get_loop()
        future.add_done_callback(lambda ended: _cancel_on(loop, task, ended))

    try:
        _loop.call(begin)
    except RuntimeError as error:
        _settle(future, Done(error=error))
    return future


_RUNNING: set[asyncio.Task[Done]] = set()  # the loop itself holds tasks only weakly


def _cancel_on(
    loop: asyncio.AbstractEventLoop, task: asyncio.Task[Done], ended: Future[Done]
) -> None:
    if ended.cancelled():
        try:
            loop.call_soon_threadsafe(task.cancel)
        except RuntimeError:
            return


def _result(task: asyncio.Task[Done]) -> Done:
    if task.cancelled():
        return Done(error=asyncio.CancelledError())
    error = task.exception()
    return Done(error=error) if error is not None else task.result()


def _settle(future: Future[Done], done: Done) -> None:
    if future.set_running_or_notify_cancel():
        future.set_result(done)


def _finish_on_loop(value: Awaitable[Any], future: Future[Done]) -> None:
    inner = on_loop(lambda: value)

    def pass_on(ended: Future[Done]) -> None:
        if not ended.cancelled():
            _settle(future, ended.result())

    def give_up(ended: Future[Done]) -> None:
        if ended.cancelled():
            inner.cancel()
            _close_unstarted(value)

    inner.add_done_callback(pass_on)
    future.add_done_callback(give_up)


def _close_unstarted(value: object) -> None:
    """Close a coroutine that was given up before its first step; Python would warn of it."""
    if inspect.iscoroutine(value) and inspect.getcoroutinestate(value) == inspect.CORO_CREATED:
        with suppress(ValueError):  # the loop has begun it at this very moment
            value.close()


def run_now(work: Work, timeout: float, blocking: bool = False) -> Done:
    """Run *work* for a sync caller, waiting at most *timeout* seconds for what can be waited for.

    A sync function that is not *blocking* runs in the caller's own thread.
    """
    value: Any = None
    if blocking:
        future = on_worker(work)
    else:
        try:
            value = work()
        except BaseException as error:
            return Done(error=error)
        if not inspect.isawaitable(value):
            return Done(value)
        future = on_loop(lambda: value)
    try:
        return future.result(timeout)
    except TimeoutError:
        pass
    except Exception as error:  # Python 3.10 has a TimeoutError of its own for futures
        if type(error).__name__ != "TimeoutError":
            raise
    future.cancel()
    _close_unstarted(value)
    return Done(error=TimeoutError(f"no answer within {timeout:.3g} s"))


async def run_soon(work: Work, timeout: float, blocking: bool = False) -> Done:
    """Run *work* for an async caller; the caller's own cancellation passes through."""
    value: Any = None
    if blocking:
        waiting: asyncio.Future[Done] = as_awaitable(on_worker(work))
    else:
        try:
            value = work()
        except BaseException as error:
            return Done(error=error)
        if not inspect.isawaitable(value):
            return Done(value)
        waiting = asyncio.ensure_future(attempt(lambda: value))
    try:
        done, _ = await asyncio.wait({waiting}, timeout=timeout)
    except asyncio.CancelledError:
        waiting.cancel()
        _close_unstarted(value)
        raise
    if not done:
        waiting.cancel()
        _close_unstarted(value)
        return Done(error=TimeoutError(f"no answer within {timeout:.3g} s"))
    return waiting.result()


def as_awaitable(future: Future[Done]) -> asyncio.Future[Done]:
    """Return an asyncio future that follows *future*, quietly if its loop is gone by then."""
    loop = asyncio.get_running_loop()
    waiting: asyncio.Future[Done] = loop.create_future()

    def follow(ended: Future[Done]) -> None:
        try:
            loop.call_soon_threadsafe(_set, waiting, ended)
        except RuntimeError:
            return

    future.add_done_callback(follow)
    return waiting


def _set(waiting: asyncio.Future[Done], ended: Future[Done]) -> None:
    if not waiting.done():
        waiting.set_result(ended.result() if not ended.cancelled() else Done())
