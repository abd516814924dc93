"""The built-in backend: one SQLite file, durable at every commit, safe for several processes.

WAL journal, ``synchronous=FULL`` (a write that was answered survives a power cut, not only a
crash), ``secure_delete`` (what is deleted is overwritten). One connection reads and one writes,
so that a recall never waits for a write of the same process.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path

from ..errors import StoreClosedError, StoreError
from ..forks import Lock
from ..stores.frozen import has_log, is_frozen, out_of_room
from .migrations import MIGRATIONS, migrate, version_of
from .sqlite_tables import SQLiteReader, SQLiteWriter

__all__ = ["SQLiteBackend"]

_MEMORY = ":memory:"

# SQLite's own words, which are the same on every version that carries no error codes.
_REASONS = (
    ("locked", "another process holds it locked"),
    ("full", "the disk is full"),
    ("readonly", "it is read-only"),
    ("not a database", "it is not a SQLite database"),
    ("malformed", "it is corrupt"),
    ("unable to open", "it cannot be opened"),
    ("disk I/O", "the disk failed"),
)


class SQLiteBackend:
    """Facts in the SQLite file *path*, or in memory for ``":memory:"``.

    Nothing is opened before the first use, and a file that could not be opened is tried again at
    the next one.

    Args:
        path: the file; its folder must exist.
        wait: seconds to wait for a lock that another process holds.
    """

    def __init__(self, path: str | os.PathLike[str], *, wait: float = 5.0) -> None:
        """Keep where the file is; it is opened at the first use."""
        # Absolute, or a later chdir would put what is opened next somewhere else.
        named = os.fspath(path)
        self._path = named if named == _MEMORY else os.path.abspath(named)
        self._wait = wait
        self._read_lock = Lock()
        # In memory there is one connection, so reads and writes take turns.
        shared = self._path == _MEMORY
        self._write_lock = self._read_lock if shared else Lock()
        self._reader: sqlite3.Connection | None = None
        self._writer: sqlite3.Connection | None = None
        self._process = os.getpid()
        self._closed = False

    @contextmanager
    def reading(self) -> Iterator[SQLiteReader]:
        """Open a consistent view."""
        with self._taking(self._read_lock):
            db = self._open_reader()
            try:
                db.execute("BEGIN")
                yield SQLiteReader(db)
            finally:
                _roll_back(db)
                if db is not self._reader:
                    db.close()

    @contextmanager
    def writing(self) -> Iterator[SQLiteWriter]:
        """Open a transaction: committed durably at the end, rolled back on any exception."""
        with self._taking(self._write_lock):
            db = self._open_writer()
            db.execute("BEGIN IMMEDIATE")
            try:
                yield SQLiteWriter(db)
                db.execute("COMMIT")
            except BaseException:
                _roll_back(db)
                raise

    def scrub(self) -> None:
        """Remove what deleted rows left behind: rebuild the file, then empty the log.

        ``secure_delete`` overwrites deleted cells, but copies of them can stay in the unused part
        of a page that was split before. Rebuilding leaves none.

        Raises:
            StoreError: another process kept reading until the wait was over; what was erased is
                gone from the tables, and scrubbing again finishes the work.
        """
        with self._taking(self._write_lock):
            db = self._open_writer()
            db.execute("VACUUM")
            busy = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
            if busy:
                raise StoreError(
                    f"facts file {self._path!r}: erased, but another process is still reading "
                    "the old log; erase again to finish"
                )

    def copy(self) -> SQLiteBackend:
        """Return a private copy in memory."""
        twin = SQLiteBackend(_MEMORY, wait=self._wait)
        with self._taking(self._read_lock):
            source = self._open_reader()
            twin._reader = twin._writer = _connect(_MEMORY, self._wait)
            try:
                source.backup(twin._reader)
            except BaseException:
                twin.close()
                raise
            finally:
                if source is not self._reader:
                    source.close()
        return twin

    def close(self) -> None:
        """Release everything; later use raises ``StoreClosedError``. May be called twice."""
        with ExitStack() as locks:
            for lock in dict.fromkeys((self._write_lock, self._read_lock)):
                locks.enter_context(lock)
            self._closed = True
            for db in {c for c in (self._reader, self._writer) if c is not None}:
                # A log that cannot be folded into the file now is folded in by the next one to
                # open it.
                with suppress(sqlite3.Error):
                    db.close()
            self._reader = self._writer = None

    @contextmanager
    def _taking(self, lock: Lock) -> Iterator[None]:
        if not lock.acquire(timeout=self._wait):
            raise StoreError(f"facts file {self._path!r}: busy for {self._wait:g} s")
        try:
            if self._closed:
                raise StoreClosedError(f"facts file {self._path!r} was closed")
            if os.getpid() != self._process:
                raise StoreError(
                    f"facts file {self._path!r} was opened before a fork; open a FactStore in "
                    "each process"
                )
            yield
        except sqlite3.Error as error:
            raise StoreError(f"facts file {self._path!r}: {self._reason(error)}") from error
        finally:
            lock.release()

    def _open_writer(self) -> sqlite3.Connection:
        if self._writer is None:
            self._writer = self._open()
            if self._path == _MEMORY:
                self._reader = self._writer
        return self._writer

    def _open_reader(self) -> sqlite3.Connection:
        if self._reader is None:
            try:
                self._reader = self._open()
            except sqlite3.OperationalError:
                if not _is_frozen(self._path):
                    raise
                # For this one read: by the next, somebody who may write may have written.
                return _connect_frozen(self._path)
            if self._path == _MEMORY:
                self._writer = self._reader
        return self._reader

    def _open(self) -> sqlite3.Connection:
        db = _connect(self._path, self._wait)
        try:
            _prepare(db, self._wait)
        except BaseException:
            db.close()
            raise
        return db

    def _reason(self, error: sqlite3.Error) -> str:
        said = str(error)
        reason = next((reason for word, reason in _REASONS if word in said), said)
        folder = Path(self._path).parent
        # What SQLite says when the files beside the database cannot be made speaks of no room.
        full = said == "disk I/O error" and folder.is_dir() and out_of_room(folder)
        return "the disk is full" if full else reason


def _connect(path: str, wait: float) -> sqlite3.Connection:
    return sqlite3.connect(path, timeout=wait, isolation_level=None, check_same_thread=False)


def _is_frozen(path: str) -> bool:
    """Tell whether a whole database lies there that cannot be written, only read.

    WAL needs files beside the database; without them SQLite reads it only as unchanging. So it is
    where this user may not write, and on a full disk.
    """
    effective = os.access in os.supports_effective_ids
    if not os.path.isfile(path) or has_log(path):
        return False
    may_write = os.access(path, os.W_OK, effective_ids=effective)
    return not may_write or is_frozen(path, to_write=True)


def _connect_frozen(path: str) -> sqlite3.Connection:
    """Open a file that is only read; one of an older schema is brought up to date in memory."""
    uri = f"{Path(path).absolute().as_uri()}?mode=ro&immutable=1"
    db = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)
    try:
        if 0 < version_of(db) < len(MIGRATIONS):
            with closing(db) as old:
                db = _connect(_MEMORY, 0.0)
                old.backup(db)
        migrate(db)
    except BaseException:
        db.close()
        raise
    return db


def _prepare(db: sqlite3.Connection, wait: float) -> None:
    _use_wal(db, wait)
    db.execute("PRAGMA synchronous = FULL")
    db.execute("PRAGMA secure_delete = ON")
    # Sorts and rebuilds stay in memory: a temporary file could outlive an erasure.
    db.execute("PRAGMA temp_store = MEMORY")
    db.execute("PRAGMA cache_size = -16000")  # KiB: the index of some 30,000 facts
    # Four times SQLite's default: each page written often between two checkpoints is copied once.
    db.execute("PRAGMA wal_autocheckpoint = 4000")
    migrate(db)


def _use_wal(db: sqlite3.Connection, wait: float) -> None:
    """Switch to WAL; SQLite does not wait by itself when two processes do so at once."""
    until = time.monotonic() + wait
    pause = threading.Event()
    while True:
        try:
            if db.execute("PRAGMA journal_mode").fetchone()[0] not in ("wal", "memory"):
                db.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > until:
                raise
            pause.wait(0.01)


def _roll_back(db: sqlite3.Connection) -> None:
    if db.in_transaction:
        with suppress(sqlite3.Error):
            db.execute("ROLLBACK")
