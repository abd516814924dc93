"""Reading a database where nothing can be written: a read-only folder, a full disk.

A file in write-ahead logging is read with the help of two files beside it (``-wal``, ``-shm``).
Where they cannot be made, SQLite reads the file only as one that never changes (``immutable=1``):
right as long as there is no log, and nobody writes. Source: https://sqlite.org/wal.html, "Read-Only
Databases".
"""

from __future__ import annotations

import errno
import os
import sqlite3
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias
from urllib.parse import quote

__all__ = [
    "Stamp", "connect_for_reading", "connect_frozen", "has_log", "is_frozen", "out_of_room",
    "stamp_of",
]  # fmt: skip

Stamp: TypeAlias = tuple[int, ...]
"""What of a file changes when somebody writes it: its time, size and place, and its log's size."""

Connect: TypeAlias = Callable[[str], sqlite3.Connection]

_ROOM = 64 * 1024  # bytes; the smallest -shm takes 32 KiB
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def connect_for_reading(path: str, connect: Connect) -> tuple[sqlite3.Connection, Stamp | None]:
    """Open the file at *path* read-only.

    Args:
        path: the file, absolute.
        connect: opens a connection for a URI.

    Returns:
        The connection, and, where the file is read as unchanging, what it was like then: with
        another :func:`stamp_of` the connection is of no use any more.

    Raises:
        sqlite3.Error: it cannot be read.
    """
    conn = connect(_uri(path))
    try:
        conn.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
    except sqlite3.OperationalError:
        conn.close()
        if not is_frozen(path):
            raise
        return connect_frozen(path, connect)
    except BaseException:
        conn.close()
        raise
    return conn, None


def connect_frozen(path: str, connect: Connect) -> tuple[sqlite3.Connection, Stamp]:
    """Open the file at *path* as one that never changes; return what it is like now, too."""
    stamp = stamp_of(path)
    return connect(f"{_uri(path)}&immutable=1"), stamp


def is_frozen(path: str, *, to_write: bool = False) -> bool:
    """Tell whether the whole database lies in the file, where nothing can be written beside it.

    Args:
        path: the file.
        to_write: whoever asks wants to write; for them a read-only folder is a mistake to be told
            of, and only a full disk keeps the file as it is.
    """
    if has_log(path) or not os.path.isfile(path):
        return False
    folder = Path(path).parent
    return out_of_room(folder) or not (to_write or _may_write(folder))


def out_of_room(folder: Path) -> bool:
    """Tell whether the disk that holds *folder* is full, or its user's share of it."""
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(_ROOM))
    except OSError as error:
        return error.errno in _FULL
    return False


def has_log(path: str) -> bool:
    """Tell whether a log lies beside the file: something of it may not be in the file yet.

    An empty one, which opening a file makes before anything else, holds nothing back.
    """
    return _log_size(path) > 0


def stamp_of(path: str) -> Stamp:
    """Return what of the file at *path* changes when somebody writes it; () if it is gone."""
    try:
        found = os.stat(path)
    except OSError:
        return ()
    return found.st_mtime_ns, found.st_size, found.st_ino, _log_size(path)


def _log_size(path: str) -> int:
    try:
        return os.stat(f"{path}-wal").st_size
    except OSError:
        return -1


def _uri(path: str) -> str:
    return f"file:{quote(path)}?mode=ro"


def _may_write(folder: Path) -> bool:
    return os.access(folder, os.W_OK, effective_ids=os.access in os.supports_effective_ids)
