"""A circuit per store: one that keeps failing is left alone for a while, then probed."""

from __future__ import annotations

import threading

__all__ = ["Circuit"]


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
        self._probing = False
        self._running = 0
        self._lock = threading.Lock()

    def enter(self, now: float) -> str | None:
        """Take a place for one call; return why not, or None if it may go."""
        with self._lock:
            if self._running >= self._limit:
                return f"{self._running} calls are still running"
            if self._failures >= self._threshold:
                if now < self._open_until or self._probing:
                    return f"circuit open after {self._failures} failures in a row"
                self._probing = True
            self._running += 1
            return None

    def leave(self) -> None:
        """Give the place back: the call has really ended."""
        with self._lock:
            self._running -= 1

    def note(self, ok: bool, now: float) -> None:
        """Note how a call came out; a timeout is a failure even while the call still runs."""
        with self._lock:
            self._probing = False
            if ok:
                self._failures = 0
                return
            self._failures += 1
            if self._failures >= self._threshold:
                tries = min(self._failures - self._threshold, 16)
                self._open_until = now + min(self._pause * 2**tries, self._longest)
