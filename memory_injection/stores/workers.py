"""Workers: foreign calls under a deadline, on a few threads that are left behind if they hang."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from contextlib import suppress
from contextvars import copy_context
from typing import Any, TypeVar

from ..forks import Lock
from .failures import message_of

__all__ = ["FutureTimeout", "Workers"]

T = TypeVar("T")

_MOST = 4  # calls at once
_IDLE = 30.0  # seconds after which a thread with nothing to do ends
_Task = tuple["Future[Any]", Callable[[], Any]]


class Workers:
    """A few daemon threads, begun when needed and ended when idle; none keeps the process alive."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._start()

    def _start(self) -> None:
        self._pid = os.getpid()
        self._wake = threading.Condition()
        self._tasks: deque[_Task] = deque()
        self._threads = self._idle = 0

    def submit(self, work: Callable[[], T]) -> Future[T]:
        """Run *work* on a worker, with the caller's context variables."""
        return self._submit(work)[0]

    def within(self, seconds: float, work: Callable[[], T]) -> T:
        """Return what *work* returns on a worker.

        Work that has not begun by then is never begun: behind a call that hangs, what nobody waits
        for any more must not pile up, and not be done when it comes to life again.

        Raises:
            FutureTimeout: it did not end within *seconds*.
        """
        task = self._submit(work)
        try:
            return task[0].result(seconds)
        except FutureTimeout:
            # A TimeoutError of the work's own ends here too, where it has nothing to take back.
            with self._wake, suppress(ValueError):
                self._tasks.remove(task)
            raise

    def _submit(self, work: Callable[[], T]) -> tuple[Future[T], Callable[[], T]]:
        context = copy_context()
        task: tuple[Future[T], Callable[[], T]] = (Future(), lambda: context.run(work))
        with self._lock:
            if self._pid != os.getpid():  # no thread has come along through the fork
                self._start()
        with self._wake:
            self._tasks.append(task)
            if self._idle < len(self._tasks) and self._threads < _MOST:
                self._hire()
            self._wake.notify()
        return task

    def _hire(self) -> None:
        """Begin a thread; where the system has none left, those there are must do."""
        try:
            threading.Thread(target=self._work, daemon=True).start()
        except RuntimeError:
            if not self._threads:
                self._tasks.clear()
                raise
        else:
            self._threads += 1

    def _work(self) -> None:
        while (task := self._next()) is not None:
            future, work = task
            try:
                future.set_result(work())
            except Exception as error:
                future.set_exception(error)
            except BaseException as error:  # would end the caller's thread, not only this one
                future.set_exception(RuntimeError(_named(error)))
            del future, work, task

    def _next(self) -> _Task | None:
        with self._wake:
            self._idle += 1
            self._wake.wait_for(lambda: bool(self._tasks), _IDLE)
            self._idle -= 1
            if self._tasks:
                return self._tasks.popleft()
            self._threads -= 1
            return None


def _named(error: BaseException) -> str:
    return f"{type(error).__name__}: {message_of(error)}"
