"""Reading a database where nothing can be written: a read-only folder or file system.

A file in write-ahead logging is read with the help of two files beside it (``-wal``, ``-shm``).
Where they cannot be made, SQLite reads the file only as one that never changes (``immutable=1``):
right as long as there is no log, and nobody writes. Source: https://sqlite.org/wal.html, "Read-Only
Databases".
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from typing import TypeAlias
from urllib.parse import quote

__all__ = ["Stamp", "connect_for_reading", "has_log", "stamp_of"]

Stamp: TypeAlias = tuple[int, ...]
"""What of a file changes when somebody writes it: its time, size and place, and if it has a log."""


def connect_for_reading(
    path: str, connect: Callable[[str], sqlite3.Connection]
) -> tuple[sqlite3.Connection, Stamp | None]:
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
    uri = f"file:{quote(path)}?mode=ro"
    conn = connect(uri)
    try:
        conn.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
    except sqlite3.OperationalError:
        conn.close()
        if has_log(path) or _may_write(os.path.dirname(path)):
            raise
        stamp = stamp_of(path)
        return connect(f"{uri}&immutable=1"), stamp
    except BaseException:
        conn.close()
        raise
    return conn, None


def has_log(path: str) -> bool:
    """Tell whether a log lies beside the file: something of it may not be in the file yet."""
    return os.path.exists(f"{path}-wal")


def stamp_of(path: str) -> Stamp:
    """Return what of the file at *path* changes when somebody writes it; () if it is gone."""
    try:
        found = os.stat(path)
    except OSError:
        return ()
    return found.st_mtime_ns, found.st_size, found.st_ino, has_log(path)


def _may_write(folder: str) -> bool:
    return os.access(folder, os.W_OK, effective_ids=os.access in os.supports_effective_ids)
