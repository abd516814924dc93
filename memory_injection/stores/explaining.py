"""What SQLite's errors mean to whoever has the file."""

from __future__ import annotations

import os
from pathlib import Path

from .frozen import has_log

__all__ = ["explained"]


def explained(text: str, path: str | None, writable: bool, wait: float) -> str:
    """Return what is wrong, to come after the file's name.

    Args:
        text: SQLite's own words.
        path: the file; None for a private database.
        writable: whether it was opened for writing.
        wait: seconds that were waited for another process's lock.
    """
    if "not a database" in text or "malformed" in text or "corrupt" in text:
        return "is not a SQLite database, or is damaged"
    if "locking protocol" in text:
        return "cannot be locked: keep it on a file system with locks, e.g. a local disk"
    if "locked" in text or "busy" in text:
        return f"is locked by another process for longer than {wait:g} s"
    denied = "readonly" in text or "unable to open" in text
    if denied and path is not None and not writable and os.path.isfile(path) and has_log(path):
        return (
            f"cannot be read: changes wait in {path + '-wal'!r}, and its folder is"
            " read-only; open it once where it can be written"
        )
    if "readonly" in text:
        return "cannot be written: the file or its folder is read-only (writable=False reads it)"
    if "unable to open" in text and path is not None and not Path(path).parent.is_dir():
        return f"cannot be opened: the folder {str(Path(path).parent)!r} does not exist"
    if "unable to open" in text:
        return "cannot be opened: it is a folder, or may not be read"
    if "full" in text:
        return "cannot grow: the disk is full"
    if "no such module: fts5" in text:
        return "needs SQLite's full-text search (FTS5), which this Python's sqlite3 lacks"
    return f"could not be used: {text}"
