"""A ledger in a SQLite file: outlives the process, serves several, sends the same wire bytes."""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import islice

from .errors import ConfigurationError
from .forks import Lock
from .ledger_records import LedgerRecord, Shown, Space, check_bounds, gives_way
from .records import Scope
from .stores.database import Database

__all__ = ["SQLiteLedger"]

_CHUNK = 500  # keys in one query; SQLite's own limit on variables is higher everywhere
_COLUMNS = "anchor, step, text, shown, tokens, written_at, dropped, counter"
_SWEPT = 64  # writes between two looks at the bounds, the first write of all being one


def _first(conn: sqlite3.Connection) -> None:
    conn.execute(
        "CREATE TABLE ledger_space (id INTEGER PRIMARY KEY, manager TEXT NOT NULL,"
        " user TEXT NOT NULL, session TEXT NOT NULL, agent TEXT NOT NULL, run TEXT NOT NULL,"
        " UNIQUE (manager, user, session, agent, run))"
    )
    conn.execute(
        "CREATE TABLE ledger_record (id INTEGER PRIMARY KEY, space INTEGER NOT NULL"
        " REFERENCES ledger_space (id), anchor BLOB NOT NULL, step BLOB NOT NULL,"
        " text TEXT NOT NULL, shown TEXT NOT NULL, tokens INTEGER NOT NULL,"
        " written_at REAL NOT NULL, used_at REAL NOT NULL, dropped TEXT NOT NULL,"
        " UNIQUE (space, anchor, step))"
    )
    conn.execute("CREATE INDEX ledger_record_used ON ledger_record (space, used_at)")
    conn.execute("CREATE INDEX ledger_record_age ON ledger_record (used_at)")


def _counted_by(conn: sqlite3.Connection) -> None:
    conn.execute("ALTER TABLE ledger_record ADD COLUMN counter TEXT NOT NULL DEFAULT ''")


def _by_writing(conn: sqlite3.Connection) -> None:
    # Every process looks for what is too old at its first write.
    conn.execute("CREATE INDEX ledger_record_written ON ledger_record (written_at)")


def _prepare(conn: sqlite3.Connection) -> None:
    # What is erased must be gone from the file as well, not only from the tables.
    conn.execute("PRAGMA secure_delete=ON")


class SQLiteLedger:
    """Records of blocks in one file, shared by threads and processes.

    What is past the bounds is erased from the file at the first write of each process (of each
    ledger object, to be exact) and at every 64th after it, so the file holds at most 64 records
    more than *max_records* for each process that writes to it. What is past *max_age* is not found
    from that moment on.

    Args:
        path: the file; it may be the one a ``SQLiteStore`` uses. ``":memory:"`` keeps it in this
            process alone.
        max_records: most records in all spaces together.
        max_per_scope: most records in one space.
        max_age: seconds after which a record counts as gone.
        busy_timeout: seconds to wait for another process's lock.
        clock: seconds since 1970, what the age of a record is measured by; replaced in tests. A
            record carries the system's time of the call that wrote it.

    Raises:
        ConfigurationError: a bound that is not positive, a number of records that is not whole, or
            a path that no file can be at: a folder, or one in a folder that does not exist. What
            goes wrong with the file later is survived by every call, and told in its report.
    """

    in_process = False

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        max_records: int = 200_000,
        max_per_scope: int = 2_000,
        max_age: float = 7 * 24 * 3600.0,
        busy_timeout: float = 1.0,
        clock: Callable[[], float] = time.time,
    ) -> None:
        check_bounds(max_records=max_records, max_per_scope=max_per_scope, max_age=max_age)
        self._max_records = max_records
        self._max_per_scope = max_per_scope
        self._max_age = max_age
        self._clock = clock
        self._database = Database(
            path,
            component="ledger",
            migrations=[_first, _counted_by, _by_writing],
            store="ledger",
            busy_timeout=busy_timeout,
            prepare=_prepare,
        )
        _check_place(self._database)
        self._used: dict[Space, set[bytes]] = {}
        self._lock = Lock()
        self._puts = 0

    def get(self, space: Space, keys: Collection[bytes]) -> Mapping[bytes, Sequence[LedgerRecord]]:
        """Return the records at *keys* that are not too old, oldest first at each."""
        found: dict[bytes, list[LedgerRecord]] = {}
        with self._database.read() as session:
            number = _space_id(session.conn, space)
            if number is None:
                return {}
            oldest = self._clock() - self._max_age
            for chunk in _chunks(keys):
                rows = session.conn.execute(
                    f"SELECT {_COLUMNS} FROM ledger_record WHERE space = ? AND written_at >= ?"
                    f" AND anchor IN ({','.join('?' * len(chunk))}) ORDER BY id",
                    (number, oldest, *chunk),
                )
                for row in rows:
                    record = _record(row)
                    found.setdefault(record.anchor, []).append(record)
        if found:
            self._note_used(space, found)
        return found

    def _note_used(self, space: Space, anchors: Iterable[bytes]) -> None:
        """Remember for the next write what was read: reading itself must not write."""
        with self._lock:
            if len(self._used) > 1000:
                self._used.clear()
            self._used.setdefault(space, set()).update(anchors)

    def put(
        self, space: Space, record: LedgerRecord, replaces: LedgerRecord | None = None
    ) -> LedgerRecord:
        """Write *record* unless one stands at the same anchor and step; return what stands."""
        with self._lock:
            used = self._used.pop(space, set())
            self._puts += 1
            sweeps = self._puts % _SWEPT == 1
        with self._database.write() as session:
            conn = session.conn
            if sweeps:
                self._sweep(conn)
            number = _space_id(conn, space) or _new_space(conn, space)
            standing = conn.execute(
                f"SELECT {_COLUMNS} FROM ledger_record WHERE space = ? AND anchor = ? AND step = ?",
                (number, record.anchor, record.step),
            ).fetchone()
            if standing is not None and not gives_way(
                _record(standing), replaces, self._clock(), self._max_age
            ):
                return _record(standing)
            now = self._clock()
            conn.execute(
                f"INSERT INTO ledger_record (space, {_COLUMNS}, used_at)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (space, anchor, step) DO UPDATE"
                " SET text = excluded.text, shown = excluded.shown, tokens = excluded.tokens,"
                " written_at = excluded.written_at, dropped = excluded.dropped,"
                " counter = excluded.counter, used_at = excluded.used_at",
                (number, *_row(record), now),
            )
            conn.executemany(
                "UPDATE ledger_record SET used_at = ? WHERE space = ? AND anchor = ?",
                [(now, number, anchor) for anchor in used],
            )
            self._trim_space(conn, number)
        return record

    def _trim_space(self, conn: sqlite3.Connection, number: int) -> None:
        conn.execute(
            "DELETE FROM ledger_record WHERE id IN (SELECT id FROM ledger_record WHERE space = ?"
            " ORDER BY used_at DESC, id DESC LIMIT -1 OFFSET ?)",
            (number, self._max_per_scope),
        )

    def _sweep(self, conn: sqlite3.Connection) -> None:
        conn.execute(
            "DELETE FROM ledger_record WHERE written_at < ?", (self._clock() - self._max_age,)
        )
        conn.execute(
            "DELETE FROM ledger_record WHERE id IN (SELECT id FROM ledger_record"
            " ORDER BY used_at DESC, id DESC LIMIT -1 OFFSET ?)",
            (self._max_records,),
        )
        conn.execute(
            "DELETE FROM ledger_space WHERE NOT EXISTS"
            " (SELECT 1 FROM ledger_record WHERE space = ledger_space.id)"
        )

    def drop(self, space: Space, records: Sequence[LedgerRecord], at: bytes) -> None:
        """Mark *records* as no longer carried from step *at* on."""
        with self._database.write() as session:
            number = _space_id(session.conn, space)
            for record in records:
                where = (number, record.anchor, record.step)
                row = session.conn.execute(
                    "SELECT dropped FROM ledger_record WHERE space = ? AND anchor = ? AND step = ?",
                    where,
                ).fetchone()
                if row is not None and at.hex() not in (marks := json.loads(row[0])):
                    session.conn.execute(
                        "UPDATE ledger_record SET dropped = ?"
                        " WHERE space = ? AND anchor = ? AND step = ?",
                        (json.dumps([*marks, at.hex()]), *where),
                    )

    def texts(self, space: Space) -> Sequence[str]:
        """Return the texts of the blocks kept for *space*, newest first."""
        with self._database.read() as session:
            number = _space_id(session.conn, space)
            rows = session.conn.execute(
                "SELECT DISTINCT text FROM ledger_record WHERE space = ? ORDER BY id DESC LIMIT ?",
                (number, self._max_per_scope),
            )
            return [text for (text,) in rows]

    def forget(self, scope: Scope) -> int:
        """Erase every record of the spaces that *scope*'s ids own; return how many.

        The texts are overwritten in the file and the write-ahead log is emptied.

        Raises:
            StoreError: another process reads on in the old log; erase again to finish.
        """
        ids = scope.ids()
        condition = " AND ".join(f"{name} = ?" for name in ids) or "1"
        owned = f"SELECT id FROM ledger_space WHERE {condition}"
        with self._database.write() as session:
            gone = session.conn.execute(
                f"DELETE FROM ledger_record WHERE space IN ({owned})", tuple(ids.values())
            ).rowcount
            session.conn.execute(f"DELETE FROM ledger_space WHERE {condition}", tuple(ids.values()))
        with self._lock:
            self._used.clear()
        self._database.empty_log()
        return gone

    def forget_shown(self, shown: Shown) -> int:
        """Erase every record, of any space, whose block shows this memory; return how many.

        The texts are overwritten as :meth:`forget` does.

        Raises:
            StoreError: as for :meth:`forget`.
        """
        # A quotation mark inside a text is escaped, so that no text can hold this.
        pair = json.dumps([shown.source, shown.content])
        with self._database.write() as session:
            gone = session.conn.execute(
                "DELETE FROM ledger_record WHERE instr(shown, ?)", (pair,)
            ).rowcount
        self._database.empty_log()
        return gone

    def __bool__(self) -> bool:
        """Be true even when empty: ``ledger or other`` must not drop it."""
        return True

    def __len__(self) -> int:
        """Return how many records are kept."""
        with self._database.read() as session:
            return int(session.conn.execute("SELECT count(*) FROM ledger_record").fetchone()[0])

    def close(self) -> None:
        """Close the file."""
        self._database.close()


def _check_place(database: Database) -> None:
    if database.in_memory:
        return
    path = database.path
    if os.path.isdir(path):
        raise ConfigurationError(f"path must be a file, not the folder {path!r}")
    if not os.path.isdir(os.path.dirname(path)):
        raise ConfigurationError(f"path {path!r} lies in a folder that does not exist")


def _ids(space: Space) -> tuple[str, str, str, str, str]:
    scope = space.scope
    # An id is never empty, so "" can stand for "not given" and be part of a unique key.
    return (
        space.manager,
        scope.user or "",
        scope.session or "",
        scope.agent or "",
        scope.run or "",
    )


def _space_id(conn: sqlite3.Connection, space: Space) -> int | None:
    row = conn.execute(
        "SELECT id FROM ledger_space WHERE manager = ? AND user = ? AND session = ?"
        " AND agent = ? AND run = ?",
        _ids(space),
    ).fetchone()
    return None if row is None else int(row[0])


def _new_space(conn: sqlite3.Connection, space: Space) -> int:
    cursor = conn.execute(
        "INSERT INTO ledger_space (manager, user, session, agent, run) VALUES (?, ?, ?, ?, ?)",
        _ids(space),
    )
    return int(cursor.lastrowid or 0)


def _chunks(keys: Collection[bytes]) -> Iterable[tuple[bytes, ...]]:
    rest = iter(keys)
    while chunk := tuple(islice(rest, _CHUNK)):
        yield chunk


def _row(record: LedgerRecord) -> tuple[bytes, bytes, str, str, int, float, str, str]:
    return (
        record.anchor,
        record.step,
        record.text,
        json.dumps([(shown.source, shown.content) for shown in record.shown]),
        record.tokens,
        record.written_at,
        json.dumps([key.hex() for key in record.dropped]),
        record.counter,
    )


def _record(row: Sequence[object]) -> LedgerRecord:
    anchor, step, text, shown, tokens, written_at, dropped, counter = row
    return LedgerRecord(
        anchor=bytes(anchor),  # type: ignore[call-overload]
        step=bytes(step),  # type: ignore[call-overload]
        text=str(text),
        shown=tuple(Shown(source, content) for source, content in json.loads(str(shown))),
        tokens=int(tokens),  # type: ignore[call-overload]
        written_at=float(written_at),  # type: ignore[arg-type]
        dropped=tuple(bytes.fromhex(key) for key in json.loads(str(dropped))),
        counter=str(counter),
    )
