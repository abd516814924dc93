"""A mutex that a forked child finds free, whichever thread of its parent held it."""

from __future__ import annotations

import os
import threading
import weakref

__all__ = ["Lock"]


class Lock:
    """``threading.Lock`` for what lives as long as the process and may be forked with it.

    A child has only the thread that forked: a lock that another one held would stay locked in it
    for ever. What such a lock guards must bear that the thread was stopped halfway: caches, and
    counts that are bounds.
    """

    __slots__ = ("__weakref__", "_lock")

    def __init__(self) -> None:
        """Make an unlocked lock."""
        self._lock = threading.Lock()
        _LOCKS.add(self)

    def acquire(self, timeout: float = -1) -> bool:
        """Lock, waiting at most *timeout* seconds (-1: for ever); tell whether it is locked."""
        return self._lock.acquire(timeout=timeout)

    def release(self) -> None:
        """Unlock."""
        self._lock.release()

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *exc: object) -> None:
        self._lock.release()

    def _renew(self) -> None:
        self._lock = threading.Lock()


_LOCKS: weakref.WeakSet[Lock] = weakref.WeakSet()


def _renew_all() -> None:
    for lock in list(_LOCKS):
        lock._renew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_all)
