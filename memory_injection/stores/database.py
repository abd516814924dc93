"""One SQLite file shared by threads, forks and processes: connections, transactions, migrations.

Connections are leased, one caller at a time, from a pool that grows to the most ever used at
once; nothing is tied to a thread, so nothing is left behind when one ends. A child process made by
``fork`` never touches its parent's connections (SQLite forbids it) and opens its own.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from ..arguments import checked_flag
from ..errors import ConfigurationError, StoreClosedError, StoreError
from .frozen import Stamp, connect_for_reading, connect_frozen, is_frozen, stamp_of
from .troubles import reason

__all__ = ["MEMORY", "Database", "Lease", "Migration", "Session"]

MEMORY = ":memory:"
Migration = Callable[[sqlite3.Connection], None]

_PRAGMAS = ("PRAGMA synchronous=NORMAL", "PRAGMA temp_store=MEMORY", "PRAGMA cache_size=-16000")
_MOST_KEPT = 20_000  # things that one connection remembers: words' counts, what callers may read
_WAL_TRIES = 40
_WAL_PAUSE = 0.05  # seconds; switching to WAL does not wait for other processes by itself


class Session:
    """A leased connection and what has been learned through it (valid for one ``generation``).

    Attributes:
        conn: the connection, in autocommit mode.
        memo: caches; emptied whenever anybody has written to the file, and when full.
        frozen: what the file was like if it is read as unchanging, see :mod:`.frozen`.
        within: how many leases it serves inside another one, of the same thread.
    """

    __slots__ = ("_seen", "conn", "frozen", "memo", "within")

    def __init__(self, conn: sqlite3.Connection, frozen: Stamp | None = None) -> None:
        self.conn = conn
        self.frozen = frozen
        self.memo: dict[Any, Any] = {}
        self.within = 0
        self._seen: tuple[int, int] | None = None

    def refresh(self, writes: int) -> None:
        """Empty ``memo`` if the file changed, by other connections or our own *writes*; or if full.

        Where nobody writes, every word and every caller that was ever asked for would stay.
        """
        now = (self.conn.execute("PRAGMA data_version").fetchone()[0], writes)
        if now != self._seen or len(self.memo) > _MOST_KEPT:
            self.memo.clear()
            self._seen = now


class _Pool:
    """The connections of one process: ``all`` of them, and the ``idle`` ones that can be leased."""

    def __init__(self) -> None:
        self.pid = os.getpid()
        self.idle: list[Session] = []
        self.all: list[Session] = []
        self.lock = threading.RLock()
        self.writer = threading.RLock()
        self.closed = False

    def close(self) -> None:
        """Close what is idle; what is leased is closed when it is given back.

        Closing a connection that another thread is inside of crashes the process.
        """
        if self.pid != os.getpid():
            return
        with self.lock:
            self.closed = True
            sessions, self.idle, self.all = self.idle, [], []
        for session in sessions:
            session.conn.close()


class Lease:
    """A session for the length of a ``with`` block; SQLite's errors come out as StoreError."""

    __slots__ = ("_database", "_gate", "_pool", "_session", "_to_write")

    def __init__(self, database: Database, *, to_write: bool = False) -> None:
        self._database = database
        self._to_write = to_write
        self._pool = database.live()
        # A private database has one connection, which holds the only copy: one caller at a time.
        self._gate = self._pool.writer if database.in_memory else None

    def __enter__(self) -> Session:
        if self._gate is not None:
            self._gate.acquire()
        try:
            self._session = self._database.take(self._pool, self._to_write)
        except BaseException:
            if self._gate is not None:
                self._gate.release()
            raise
        return self._session

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self._database.give_back(self._pool, self._session)
        if self._gate is not None:
            self._gate.release()
        if isinstance(error, sqlite3.Error):
            raise self._database.explain(error) from error


class Database:
    """A file, its migrations and its connections.

    Nothing is opened before the first lease. Several components may share one file: each keeps
    its own version number in ``memory_schema``.

    Args:
        path: the file, or ``":memory:"`` for a private database that lives as long as this object.
        component: name under which the schema version is recorded.
        migrations: append-only; number *n* (from 1) takes the schema from version n-1 to n.
        store: name of the store, for errors.
        writable: False opens the file read-only and never creates it.
        busy_timeout: seconds to wait for another process's lock.
        prepare: called on each new connection.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        component: str,
        migrations: Sequence[Migration],
        store: str | None = None,
        writable: bool = True,
        busy_timeout: float = 5.0,
        prepare: Migration | None = None,
    ) -> None:
        if not isinstance(path, (str, os.PathLike)) or not os.fspath(path):
            raise ConfigurationError(f"path must be a file name, not {path!r}")
        if "\x00" in str(path):
            raise ConfigurationError(f"path must not hold a NUL character: {path!r}")
        if isinstance(busy_timeout, bool) or not isinstance(busy_timeout, (int, float)):
            raise ConfigurationError(f"busy_timeout must be seconds, not {busy_timeout!r}")
        if not 0 <= busy_timeout <= 3600:
            raise ConfigurationError(f"busy_timeout must be 0 to 3600 seconds, not {busy_timeout}")
        self.in_memory = os.fspath(path) == MEMORY
        self.path = MEMORY if self.in_memory else os.path.abspath(os.fspath(path))
        self.writable = checked_flag("writable", writable)
        self._component = component
        self._migrations = tuple(migrations)
        self._store = store
        self._wait = float(busy_timeout)
        self._prepare = prepare
        self._writes = 0
        self._start(_Pool())

    def _start(self, pool: _Pool) -> None:
        self._pool = pool
        self._finalizer = weakref.finalize(self, pool.close)

    def read(self) -> Lease:
        """Lease a session for reading, as a context manager.

        Raises:
            StoreClosedError: after :meth:`close`.
            StoreError: the file cannot be used; names it and says why.
        """
        return Lease(self)

    @contextmanager
    def write(self) -> Iterator[Session]:
        """Lease a session inside a write transaction: all of it is kept, or nothing.

        Raises:
            StoreClosedError: after :meth:`close`.
            StoreError: the file is read-only, locked, full, damaged, ...
        """
        if not self.writable:
            raise StoreError(f"{self._where()} is opened read-only (writable=False)", self._store)
        writer = self.live().writer
        if not writer.acquire(timeout=max(self._wait, 0.001)):
            raise StoreError(f"{self._where()} was busy for {self._wait:g} s", self._store)
        try:
            with Lease(self, to_write=True) as session:
                session.conn.execute("BEGIN IMMEDIATE")
                try:
                    yield session
                    session.conn.execute("COMMIT")
                except BaseException:
                    if session.conn.in_transaction:
                        session.conn.execute("ROLLBACK")
                    raise
                finally:
                    session.memo.clear()
                    self._writes += 1
        finally:
            writer.release()

    def empty_log(self) -> None:
        """Write the log's pages into the file and empty it, so that nothing erased is left there.

        Raises:
            StoreError: another process has been reading the log for longer than the busy timeout.
        """
        with self.read() as session:
            if session.conn.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
                raise StoreError(
                    f"{self._where()}: erased, but another process is still reading the old log;"
                    " erase again to finish", self._store,
                )  # fmt: skip

    def close(self) -> None:
        """Close every connection; later use raises :class:`StoreClosedError`. Safe to repeat."""
        pool = self._pool
        if pool.pid != os.getpid():
            self._start(_Pool())
            pool = self._pool
        pool.close()

    def live(self) -> _Pool:
        """Return this process's pool.

        Raises:
            StoreClosedError: after :meth:`close`.
        """
        pool = self._pool
        if pool.pid != os.getpid():
            pool = self._after_fork(pool)
        if pool.closed:
            raise StoreClosedError(f"{self._where()} was used after close()", self._store)
        return pool

    def _after_fork(self, parents: _Pool) -> _Pool:
        """Start afresh in a child process; the parent's connections are left alone, unclosed."""
        fresh = _Pool()
        fresh.closed = parents.closed
        if self.in_memory:  # private memory was copied by the fork and holds no file locks
            fresh.idle, fresh.all = parents.all[:], parents.all
        self._inherited = parents
        self._start(fresh)
        return fresh

    def take(self, pool: _Pool, to_write: bool = False) -> Session:
        """Take a session out of *pool*, connecting when none is idle.

        A private database has one connection and no other to be had: who holds it, and is called
        back by whoever it reads for, goes on with it.
        """
        try:
            session = pool.idle.pop()
            if session.frozen is not None and (to_write or session.frozen != stamp_of(self.path)):
                self._discard(pool, session)
                return self.take(pool, to_write)
        except IndexError:
            if self.in_memory and pool.all:
                pool.all[0].within += 1
                return pool.all[0]
            try:
                session = self._connect(to_write)
            except sqlite3.Error as error:
                raise self.explain(error) from error
            with pool.lock:
                pool.all.append(session)
        session.refresh(self._writes)
        return session

    def give_back(self, pool: _Pool, session: Session) -> None:
        """Put *session* back for the next caller."""
        if session.within:
            session.within -= 1
            return
        if session.conn.in_transaction:  # Ctrl-C came between two lines
            session.conn.execute("ROLLBACK")
        with pool.lock:
            if not pool.closed:
                pool.idle.append(session)
                return
        session.conn.close()

    def _discard(self, pool: _Pool, session: Session) -> None:
        with pool.lock:
            pool.all = [other for other in pool.all if other is not session]
        session.conn.close()

    def _connect(self, to_write: bool) -> Session:
        connect = partial(
            sqlite3.connect, timeout=self._wait, isolation_level=None, check_same_thread=False,
            cached_statements=256,
        )  # fmt: skip
        reader = partial(connect, uri=True)
        if not (self.writable or self.in_memory):
            if not os.path.exists(self.path):
                raise StoreError(f"{self._where()} does not exist", self._store)
            return self._prepared(*connect_for_reading(self.path, reader))
        try:
            return self._prepared(connect(self.path))
        except sqlite3.OperationalError:
            # On a full disk a file is not opened to be written, yet what is in it can be found.
            if to_write or self.in_memory or not is_frozen(self.path, to_write=True):
                raise
            conn, stamp = connect_frozen(self.path, reader)
            if self._version(conn) != len(self._migrations):
                conn.close()
                raise
            return self._prepared(conn, stamp)

    def _prepared(self, conn: sqlite3.Connection, frozen: Stamp | None = None) -> Session:
        try:
            for pragma in _PRAGMAS:
                conn.execute(pragma)
            if self.writable and not self.in_memory and frozen is None:
                _use_wal(conn)
            self._migrate(conn)
            if self._prepare is not None:
                self._prepare(conn)
        except BaseException:
            conn.close()
            raise
        return Session(conn, frozen)

    def _migrate(self, conn: sqlite3.Connection) -> None:
        if self._version(conn) == len(self._migrations):
            return
        if not (self.writable or self.in_memory):
            raise StoreError(
                f"{self._where()} has an older layout: open it once with writable=True", self._store
            )
        conn.execute("BEGIN IMMEDIATE")
        try:
            conn.execute(
                "CREATE TABLE IF NOT EXISTS memory_schema"
                " (component TEXT PRIMARY KEY, version INTEGER NOT NULL) WITHOUT ROWID"
            )
            for number in range(self._version(conn), len(self._migrations)):
                self._migrations[number](conn)
            conn.execute(
                "INSERT OR REPLACE INTO memory_schema VALUES (?, ?)",
                (self._component, len(self._migrations)),
            )
        except BaseException:
            if conn.in_transaction:
                conn.execute("ROLLBACK")
            raise
        conn.execute("COMMIT")

    def _version(self, conn: sqlite3.Connection) -> int:
        known = conn.execute("SELECT 1 FROM sqlite_master WHERE name = 'memory_schema'").fetchone()
        row = (
            known
            and conn.execute(
                "SELECT version FROM memory_schema WHERE component = ?", (self._component,)
            ).fetchone()
        )
        version = int(row[0]) if row else 0
        if version > len(self._migrations):
            raise StoreError(
                f"{self._where()} was written by a newer version of this library (layout"
                f" {version}, this version knows {len(self._migrations)}): upgrade to read it",
                self._store,
            )
        return version

    def _where(self) -> str:
        return "the in-memory store" if self.in_memory else f"memory file {self.path!r}"

    def explain(self, error: sqlite3.Error) -> StoreError:
        """Return what *error* means to whoever has this file."""
        path = None if self.in_memory else self.path
        why = reason(error, path, writable=self.writable, wait=self._wait)
        return StoreError(f"{self._where()} {why}", self._store)


def _use_wal(conn: sqlite3.Connection) -> None:
    """Switch the file to write-ahead logging: readers and one writer do not wait on each other."""
    tries = _WAL_TRIES
    while True:
        try:
            conn.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            tries -= 1
            if "locked" not in str(error) or not tries:
                raise
        time.sleep(_WAL_PAUSE)
