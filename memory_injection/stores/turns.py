"""Whose turn it is to embed what was left behind: one call at a time, of all on a file."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from ..errors import StoreError
from ..forks import Lock
from .database import MEMORY
from .locks import Timeout, locked

__all__ = ["Turn"]

_LOG = logging.getLogger("memory_injection.stores.vector")


class Turn:
    """A lock of the calls that embed what is not their own, so that nothing is embedded twice.

    Of all processes, by the file ``<path>.embedding``: it ends with the process that holds it.

    Args:
        path: the store's file.
        store: name of the store, for the log.
    """

    def __init__(self, path: str, store: str) -> None:
        self._file = None if path == MEMORY else Path(f"{path}.embedding")
        self._store = store
        self._lock = Lock()  # of the calls on this store
        self._told = False

    @contextmanager
    def taken(self) -> Iterator[bool]:
        """Take the turn, if nobody has it; tell whether it is taken."""
        if not self._lock.acquire(timeout=0):
            yield False
            return
        try:
            with ExitStack() as held:
                yield self._with_file(held)
        finally:
            self._lock.release()

    def _with_file(self, held: ExitStack) -> bool:
        if self._file is None:
            return True
        try:
            held.enter_context(locked(self._file, 0, self._store))
        except Timeout:
            if not self._told:
                _LOG.info("store %r: what waits is being embedded elsewhere", self._store)
            self._told = True
            return False
        except StoreError as error:  # no locks there: work may be done twice, and is not lost
            _LOG.debug("store %r: %s", self._store, error)
        self._told = False
        return True
