"""Indexes that lie beside a store's file, each in a folder of its own: locking, removing."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path

from ..errors import StoreError
from .locks import Timeout, locked

__all__ = ["Timeout", "Trouble", "index_folder", "lock", "sweep", "without_indexes"]

_KINDS = ("tantivy", "vectors")


def index_folder(path: str, kind: str) -> Path:
    """Return the folder of the index of this *kind* for the store's file at *path*."""
    return Path(f"{path}.{kind}")


def lock(folder: Path, wait: float, store: str) -> AbstractContextManager[None]:
    """Return the lock of whoever changes the index in *folder*; see :func:`.locks.locked`."""
    return locked(folder / "lock", wait, store)


def sweep(folder: Path, keep: set[str]) -> None:
    """Remove what is in *folder* except the lock and what is named in *keep*."""
    for one in folder.iterdir():
        if one.is_dir() and one.name not in keep:
            shutil.rmtree(one, ignore_errors=True)
        elif one.name != "lock" and one.name not in keep:
            one.unlink(missing_ok=True)


class Trouble:
    """Trouble that comes again with every write, said once in the log until it is over."""

    def __init__(self, log: logging.Logger) -> None:
        self._log = log
        self._said: str | None = None

    def say(self, text: str) -> None:
        """Warn of *text* unless it was the last thing said."""
        if text != self._said:
            self._said = text
            self._log.warning("%s", text)

    def over(self) -> None:
        """Say it anew when it comes again."""
        self._said = None


@contextmanager
def without_indexes(path: str, wait: float, store: str) -> Iterator[None]:
    """Take the indexes of the file at *path* away, and keep them away until the context ends.

    For erasures, whatever indexes this store uses and whether or not their packages are installed:
    a deletion inside an index would leave the words or vectors there for a while.

    Args:
        path: the store's file.
        wait: seconds to wait for another process's work on an index.
        store: name of the store, for errors.

    Raises:
        StoreError: the wait was too short, an index cannot be locked, or a file not removed.
    """
    with ExitStack() as held:
        folders = [one for kind in _KINDS if (one := index_folder(path, kind)).exists()]
        for folder in folders:
            try:
                held.enter_context(lock(folder, wait, store))
            except StoreError as error:
                raise StoreError(
                    f"memory index {str(folder)!r} is in the way, nothing was erased: {error};"
                    " or remove that folder, the store can do without", store,
                ) from error  # fmt: skip
            except Timeout:
                raise StoreError(
                    f"memory index {str(folder)!r} was busy for {wait:g} s: nothing was erased",
                    store,
                ) from None
            try:
                sweep(folder, set())
                left = [one.name for one in folder.iterdir() if one.name != "lock"]
                if left:
                    raise OSError(f"{left[0]} is still there")
            except OSError as error:
                raise StoreError(
                    f"memory index {str(folder)!r} cannot be removed, nothing was erased: {error}",
                    store,
                ) from error
        yield
