"""Lock files: one process at a time changes what lies beside them."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from ..errors import StoreError

__all__ = ["Timeout", "locked"]

_POLL = 0.01  # seconds between two tries
_NO_LOCKS = {errno.ENOSYS, errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOTSUP, errno.EINVAL}


@contextmanager
def locked(file: Path, wait: float, store: str | None = None) -> Iterator[None]:
    """Hold the lock *file*, made where it is missing, until the context ends.

    Args:
        file: the lock file; its folder must be there.
        wait: seconds to wait for another holder, in this process or another.
        store: name of the store, for errors.

    Raises:
        Timeout: somebody else held it all the while.
        StoreError: it cannot be locked: not made, or on a file system without locks.
    """
    # An object per use: a shared one is re-entrant and would let its thread in twice.
    held = FileLock(str(file), timeout=wait)
    try:
        held.acquire(poll_interval=_POLL)
    except Timeout:
        raise
    except (NotImplementedError, OSError) as error:
        raise StoreError(f"{str(file)!r} cannot be locked: {_why(error)}", store) from error
    try:
        yield
    finally:
        held.release()


def _why(error: NotImplementedError | OSError) -> str:
    said = getattr(error, "strerror", None) or error
    if isinstance(error, OSError) and error.errno not in _NO_LOCKS:
        return str(said)
    return (
        f"its file system has no file locks ({said});"
        " keep the folder on one that has, e.g. a local disk"
    )
