"""What SQLite's errors mean to whoever has the file."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

from .frozen import has_log, out_of_room

__all__ = ["reason"]


def reason(error: sqlite3.Error, path: str | None, *, writable: bool, wait: float) -> str:
    """Return what *error* means, as the rest of a sentence about the file.

    Args:
        error: what SQLite raised.
        path: the file, absolute; None for a private database in memory.
        writable: it was opened to be written.
        wait: seconds that other processes' locks were waited for.
    """
    text = str(error)
    if "not a database" in text or "malformed" in text or "corrupt" in text:
        return "is not a SQLite database, or is damaged"
    if "locking protocol" in text:
        return "cannot be locked: keep it on a file system with locks, e.g. a local disk"
    if "locked" in text or "busy" in text:
        return f"is locked by another process for longer than {wait:g} s"
    if "no such module: fts5" in text:
        return "needs SQLite's full-text search (FTS5), which this Python's sqlite3 lacks"
    told = _of_the_place(text, path, writable) if path else None
    return told or _of_writing(text) or f"could not be used: {text}"


def _of_the_place(text: str, path: str, writable: bool) -> str | None:
    """Return what is wrong with the file's place, or None if it is something else."""
    folder = Path(path).parent
    unopened = "unable to open" in text
    # A file is read with the help of two beside it, and what SQLite says when those cannot be made
    # does not speak of room.
    if ("disk I/O error" in text or unopened) and folder.is_dir() and out_of_room(folder):
        waiting = f", and changes wait in {path + '-wal'!r}" if has_log(path) else ""
        return f"cannot grow: the disk is full{waiting}"
    if not writable and os.path.isfile(path) and has_log(path) and (unopened or "readonly" in text):
        return (
            f"cannot be read: changes wait in {path + '-wal'!r}, and its folder is"
            " read-only; open it once where it can be written"
        )
    if unopened and not folder.is_dir():
        return f"cannot be opened: the folder {str(folder)!r} does not exist"
    return None


def _of_writing(text: str) -> str | None:
    if "readonly" in text:
        return "cannot be written: the file or its folder is read-only (writable=False reads it)"
    if "unable to open" in text:
        return "cannot be opened: it is a folder, or may not be read"
    return "cannot grow: the disk is full" if "full" in text else None
