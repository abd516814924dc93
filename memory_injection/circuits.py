"""A circuit per store: one that keeps failing is left alone for a while, then probed."""

from __future__ import annotations

import inspect
import os
import threading
from collections.abc import Callable
from typing import Any

__all__ = ["Circuit", "Held", "Place"]


class Circuit:
    """Counts failures in a row and the calls still running.

    Closed: every call goes through. After *threshold* failures in a row it opens: calls are
    refused for *pause* seconds (doubled at each failed probe, up to *longest*), then one probe
    goes through. *limit* bounds the calls running at once, hung ones included: back-pressure for
    a store that is slower than the traffic.
    """

    def __init__(
        self,
        threshold: int = 3,
        pause: float = 1.0,
        longest: float = 60.0,
        limit: int = 64,
    ) -> None:
        self._threshold = threshold
        self._pause = pause
        self._longest = longest
        self._limit = limit
        self._failures = 0
        self._open_until = 0.0
        self._start()

    def _start(self) -> None:
        self._pid = os.getpid()
        self._lock = threading.Lock()
        self._running = 0
        self._probing = False

    def enter(self, now: float) -> Place | str:
        """Take a place for one call; text says why there is none."""
        if self._pid != os.getpid():  # the calls of a forked process's parent never end here
            self._start()
        with self._lock:
            if self._running >= self._limit:
                return f"{self._running} calls are still running"
            probe = self._failures >= self._threshold
            if probe:
                if now < self._open_until or self._probing:
                    return f"circuit open after {self._failures} failures in a row"
                self._probing = True
            self._running += 1
            return Place(self, probe)

    def leave(self) -> None:
        """Take a place back."""
        with self._lock:
            self._running -= 1

    def note(self, ok: bool | None, now: float, probe: bool) -> None:
        """Note how a call came out; None if nobody waited to see."""
        with self._lock:
            if probe:
                self._probing = False
            if ok is None:
                return
            if ok:
                self._failures = 0
                return
            # Calls that were under way when it opened tell nothing new and extend nothing.
            if self._failures < self._threshold or probe:
                self._failures += 1
                if self._failures >= self._threshold:
                    tries = min(self._failures - self._threshold, 16)
                    self._open_until = now + min(self._pause * 2**tries, self._longest)


class Place:
    """One call's place: its outcome is noted once, and it is given back once."""

    __slots__ = ("_circuit", "_left", "_noted", "_probe")

    def __init__(self, circuit: Circuit, probe: bool) -> None:
        self._circuit = circuit
        self._probe = probe
        self._left = False
        self._noted = False

    def note(self, ok: bool | None, now: float) -> None:
        """Note how the call came out; a timeout is a failure even while the call still runs.

        None says that nobody waited to see: a probe is then free for the next call.
        """
        if not self._noted:
            self._noted = True
            self._circuit.note(ok, now, self._probe)

    def leave(self) -> None:
        """Give the place back: the call has really ended."""
        if not self._left:
            self._left = True
            self._circuit.leave()


class Held:
    """The work of one call, giving its place back when it has really ended."""

    __slots__ = ("_begun", "_place", "_waiting", "_work")

    def __init__(self, work: Callable[[], Any], place: Place) -> None:
        self._work = work
        self._place = place
        self._begun = False
        self._waiting: Any = None  # what the work gave, until somebody awaits it

    def __call__(self) -> Any:
        """Do the work; its value may be awaitable."""
        self._begun = True
        try:
            value = self._work()
        except BaseException:
            self._place.leave()
            raise
        if inspect.isawaitable(value):
            self._waiting = value
            return self._awaited(value)
        self._place.leave()
        return value

    async def _awaited(self, value: Any) -> Any:
        self._waiting = None
        try:
            return await value
        finally:
            self._place.leave()

    def ended(self, _: object) -> None:
        """Give the place back for work that was given up before its first step."""
        if not self._begun or self._waiting is not None:
            self._place.leave()
            if inspect.iscoroutine(self._waiting):
                self._waiting.close()
