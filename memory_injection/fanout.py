"""Ask several stores at once, each under its own deadline, and take what came in time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future
from concurrent.futures import wait as wait_futures
from dataclasses import dataclass
from typing import Any

from .circuits import Held, Place
from .driving import Done, as_awaitable, attempt, on_loop, on_worker, passes_through
from .handles import StoreHandle
from .pipeline.effects import StoreAnswer, describe

__all__ = ["Ask", "ask_now", "ask_soon", "run_all_now", "run_all_soon"]

_FINISHED = 0.001  # seconds; a deadline this near counts as passed


@dataclass(slots=True)
class Ask:
    """One store to be asked, and the work that asks it."""

    handle: StoreHandle
    work: Callable[[], Any]
    started: float = 0.0
    deadline: float = 0.0
    answer: StoreAnswer | None = None
    place: Place | None = None

    def begin(self, deadline: float) -> Held | None:
        """Take a place at the store and return the work; None if its circuit refuses."""
        self.started = time.monotonic()
        own = self.handle.timeout
        self.deadline = deadline if own is None else min(deadline, self.started + own)
        admitted = self.handle.circuit.enter(self.started)
        if isinstance(admitted, str):
            self.answer = self.handle.failure("open", 0.0, admitted)
            return None
        self.place = admitted
        return Held(self.work, admitted)

    def end(self, done: Done) -> None:
        """Note what came back."""
        now = time.monotonic()
        seconds = now - self.started
        if done.error is not None:
            if passes_through(done.error):
                self._note(None, now)
                raise done.error
            self.answer = self.handle.failure("error", seconds, describe(done.error))
        else:
            self.answer = self.handle.answer(done.value, seconds)
        self._note(self.answer.report.status != "error", now)

    def give_up(self) -> None:
        """Note that it did not answer in time."""
        now = time.monotonic()
        seconds = now - self.started
        self._note(False, now)
        self.answer = self.handle.failure("timeout", seconds, f"no answer within {seconds:.3g} s")

    def withdraw(self) -> None:
        """Note that nobody waits for the answer any more."""
        self._note(None, time.monotonic())

    def _note(self, ok: bool | None, now: float) -> None:
        if self.place is not None:
            self.place.note(ok, now)


def _answers(asks: Sequence[Ask]) -> list[StoreAnswer]:
    return [ask.answer for ask in asks if ask.answer is not None]


def ask_now(asks: Sequence[Ask], timeout: float) -> list[StoreAnswer]:
    """Ask for a sync caller; return one answer per store within *timeout* seconds."""
    deadline = time.monotonic() + timeout
    running: dict[Future[Done], Ask] = {}
    for ask in asks:
        held = ask.begin(deadline)
        if held is not None:
            future = on_loop(held) if ask.handle.is_async else on_worker(held)
            future.add_done_callback(held.ended)
            running[future] = ask
    try:
        while running:
            _take_next(running)
    finally:
        for future, ask in running.items():  # Ctrl-C: nobody waits for these any more
            ask.withdraw()
            future.cancel()
    return _answers(asks)


def _take_next(running: dict[Future[Done], Ask]) -> None:
    """Wait for the next answer or deadline, and take what is there."""
    nearest = min(ask.deadline for ask in running.values())
    wait = max(nearest - time.monotonic(), 0.0)
    done, _ = wait_futures(running, timeout=wait, return_when=FIRST_COMPLETED)
    for future in done:
        running.pop(future).end(future.result())
    for future in _expired(running):
        running.pop(future).give_up()
        future.cancel()


async def ask_soon(asks: Sequence[Ask], timeout: float) -> list[StoreAnswer]:
    """Ask for an async caller; async stores run as tasks on the caller's own loop."""
    waiting = _Waiting(asyncio.get_running_loop())
    deadline = time.monotonic() + timeout
    for ask in asks:
        held = ask.begin(deadline)
        if held is not None:
            waiting.start(ask, held)
    await waiting.all()
    return _answers(asks)


def _expired(running: dict[Future[Done], Ask]) -> list[Future[Done]]:
    now = time.monotonic() + _FINISHED
    return [future for future, ask in running.items() if ask.deadline <= now and not future.done()]


class _Waiting:
    """The asks under way on one event loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._running: dict[int, tuple[Ask, Any]] = {}
        self._over: asyncio.Future[None] = loop.create_future()
        self._timer: asyncio.TimerHandle | None = None

    def start(self, ask: Ask, held: Held) -> None:
        """Set one ask going."""
        if ask.handle.is_async:
            task = self._loop.create_task(self._run(ask, held))
            task.add_done_callback(held.ended)
            self._running[id(ask)] = (ask, task)
        else:
            future = on_worker(held)
            future.add_done_callback(held.ended)
            self._running[id(ask)] = (ask, future)
            future.add_done_callback(lambda ended: self._from_thread(ask, ended))

    async def all(self) -> None:
        """Wait until every ask is answered or given up."""
        self._set_timer()
        try:
            if self._running:
                await self._over
        finally:
            if self._timer is not None:
                self._timer.cancel()
            for ask, work in self._running.values():
                ask.withdraw()
                work.cancel()
            self._running.clear()

    def _set_timer(self) -> None:
        """Wake at the nearest deadline: again and again, since a coarse clock may wake early."""
        self._timer = None
        if self._running:
            left = min(ask.deadline for ask, _ in self._running.values()) - time.monotonic()
            self._timer = self._loop.call_later(max(left, 0.0), self._expire)

    async def _run(self, ask: Ask, held: Held) -> None:
        # The waiter is woken from here and not from a callback of the task: one round less.
        self._arrived(ask, await attempt(held))

    def _from_thread(self, ask: Ask, ended: Future[Done]) -> None:
        if not ended.cancelled():
            try:
                self._loop.call_soon_threadsafe(self._arrived, ask, ended.result())
            except RuntimeError:  # the caller's loop is closed: nobody waits any more
                return

    def _arrived(self, ask: Ask, done: Done) -> None:
        if self._running.pop(id(ask), None) is None:
            return  # given up before
        try:
            ask.end(done)
        except KeyboardInterrupt as error:
            if not self._over.done():
                self._over.set_exception(error)
        self._check()

    def _expire(self) -> None:
        now = time.monotonic() + _FINISHED
        for key, (ask, work) in list(self._running.items()):
            if ask.deadline <= now:
                del self._running[key]
                ask.give_up()
                work.cancel()
        self._set_timer()
        self._check()

    def _check(self) -> None:
        if not self._running and not self._over.done():
            self._over.set_result(None)


Works = Sequence["tuple[StoreHandle, Callable[[], Any]]"]


def run_all_now(works: Works, timeout: float) -> list[Done]:
    """Run one piece of work per store at once for a sync caller; one outcome each, in order."""
    futures = [on_loop(work) if handle.is_async else on_worker(work) for handle, work in works]
    wait_futures(futures, timeout=timeout)
    return [_outcome(future, timeout) for future in futures]


async def run_all_soon(works: Works, timeout: float) -> list[Done]:
    """Run one piece of work per store at once for an async caller."""
    futures: list[asyncio.Future[Done]] = [
        asyncio.ensure_future(attempt(work)) if handle.is_async else as_awaitable(on_worker(work))
        for handle, work in works
    ]
    if futures:
        await asyncio.wait(futures, timeout=timeout)
    return [_outcome(future, timeout) for future in futures]


def _outcome(future: Any, timeout: float) -> Done:
    if not future.done():
        future.cancel()
        return Done(error=TimeoutError(f"no answer within {timeout:.3g} s"))
    done: Done = future.result()
    if done.error is not None and passes_through(done.error):
        raise done.error
    return done
