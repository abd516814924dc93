"""Vectors beside the text: their tables, and the matrices that searches run over.

- ``memory_models``: one row per model that has written vectors: name, dimension, and what its
  cosines look like for a question with its answer and with something else
- ``memory_vectors``: one row per embedded entry, float32, unit length. A row belongs to one
  model; rows of another model are never compared with, they wait to be embedded again.

Deleting an entry deletes its vector (by trigger, whoever deletes it).
"""

from __future__ import annotations

import sqlite3
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..forks import Lock
from .hybrid import Ints
from .questions import Owner

__all__ = ["Matrices", "Matrix", "Model", "prepare_vectors", "waiting"]

Vectors = NDArray[np.float32]

_NEAR = (-2, -1, 1, 2)
_MOST = 250_000  # vectors kept in memory, over all owners
_COLUMNS = ("ids", "places", "speakers", "days", "lengths", "known", "vectors")


def prepare_vectors(conn: sqlite3.Connection) -> None:
    """Make the tables where they are missing."""
    if _exists(conn):
        return
    conn.execute("BEGIN IMMEDIATE")
    try:
        for statement in _TABLES:
            conn.execute(statement)
    except BaseException:
        conn.execute("ROLLBACK")
        raise
    conn.execute("COMMIT")


_TABLES = (
    "CREATE TABLE IF NOT EXISTS memory_models (id INTEGER PRIMARY KEY, name TEXT NOT NULL,"
    " dimension INTEGER NOT NULL, unrelated REAL NOT NULL, answer REAL NOT NULL,"
    " UNIQUE (name, dimension))",
    "CREATE TABLE IF NOT EXISTS memory_vectors (id INTEGER PRIMARY KEY,"
    " model INTEGER NOT NULL, vector BLOB NOT NULL)",
    "CREATE TRIGGER IF NOT EXISTS memory_vectors_gone AFTER DELETE ON memory_entries"
    " BEGIN DELETE FROM memory_vectors WHERE id = old.id; END",
)


def _exists(conn: sqlite3.Connection) -> bool:
    sql = "SELECT 1 FROM sqlite_master WHERE name = 'memory_vectors_gone'"
    return conn.execute(sql).fetchone() is not None


@dataclass(frozen=True, slots=True)
class Model:
    """A model as recorded in the file.

    Attributes:
        id: its row.
        name: what the embedder is called.
        dimension: length of its vectors.
        unrelated: its cosine between a question and what does not answer it.
        answer: its cosine between a question and its answer.
    """

    id: int
    name: str
    dimension: int
    unrelated: float
    answer: float

    def scaled(self, cosine: float) -> float:
        """Return *cosine* on the model's own scale: 0 unrelated, 1 answer."""
        return (cosine - self.unrelated) / max(self.answer - self.unrelated, 0.05)


_MODEL = "SELECT id, name, dimension, unrelated, answer FROM memory_models"


def find_model(conn: sqlite3.Connection, name: str, dimension: int | None) -> Model | None:
    """Return the recorded model of this name (and dimension, if known)."""
    if not _exists(conn):
        return None
    rows = conn.execute(f"{_MODEL} WHERE name = ? ORDER BY id DESC", (name,)).fetchall()
    return next((Model(*row) for row in rows if dimension in (None, row[2])), None)


def record_model(
    conn: sqlite3.Connection, name: str, dimension: int, unrelated: float, answer: float
) -> Model:
    """Record a model inside the caller's transaction; one that is there already stays."""
    conn.execute(
        "INSERT OR IGNORE INTO memory_models (name, dimension, unrelated, answer)"
        " VALUES (?, ?, ?, ?)",
        (name, dimension, unrelated, answer),
    )
    sql = f"{_MODEL} WHERE name = ? AND dimension = ?"
    return Model(*conn.execute(sql, (name, dimension)).fetchone())


def keep(conn: sqlite3.Connection, model: Model, ids: Sequence[int], vectors: Vectors) -> None:
    """Write one vector per entry inside the caller's transaction; entries that went are skipped."""
    conn.executemany(
        "INSERT OR REPLACE INTO memory_vectors (id, model, vector)"
        " SELECT id, ?, ? FROM memory_entries WHERE id = ?",
        [(model.id, row.tobytes(), ident) for ident, row in zip(ids, vectors, strict=True)],
    )


def waiting(
    conn: sqlite3.Connection, model: Model | None, most: int, after: int = 0
) -> list[tuple[int, str]]:
    """Return entries without a vector of *model*, oldest first: row number and text."""
    return conn.execute(
        "SELECT e.id, e.content FROM memory_entries e LEFT JOIN memory_vectors v"
        " ON v.id = e.id AND v.model = ? WHERE v.id IS NULL AND e.id > ? ORDER BY e.id LIMIT ?",
        (model.id if model else -1, after, most),
    ).fetchall()


def count_waiting(conn: sqlite3.Connection, model: Model | None) -> int:
    """Return how many entries have no vector of *model*."""
    total = int(conn.execute("SELECT count(*) FROM memory_entries").fetchone()[0])
    if model is None:
        return total
    sql = "SELECT count(*) FROM memory_vectors WHERE model = ?"
    return total - int(conn.execute(sql, (model.id,)).fetchone()[0])


@dataclass(frozen=True, slots=True)
class Matrix:
    """All entries of one or more owners, in order of their row numbers.

    Attributes:
        ids: row numbers.
        places: where the turns stand; -1 for none.
        speakers: who says them; -1 for nobody.
        days: when they were said.
        lengths: how many terms they have.
        known: whether an entry has a vector.
        vectors: one row per entry; zeros where there is none.
        near: distance in turns to the index of the entry there, -1 for none.
    """

    ids: Ints
    places: Ints
    speakers: Ints
    days: Ints
    lengths: Ints
    known: NDArray[np.bool_]
    vectors: Vectors
    near: dict[int, Ints]


class Matrices:
    """The matrices of the owners searched last, refreshed by loading only what was added."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[int, int], Matrix] = OrderedDict()
        self._lock = Lock()

    def get(self, conn: sqlite3.Connection, owner: Owner, model: Model) -> Matrix:
        """Return *owner*'s matrix as the connection sees the file now."""
        key = (owner.id, model.id)
        with self._lock:
            old = self._kept.get(key)
        fresh = _appended(conn, owner, model, old) if old is not None else None
        if fresh is None:
            fresh = _load(conn, owner.id, model, 0)
        with self._lock:
            self._kept[key] = fresh
            self._kept.move_to_end(key)
            while len(self._kept) > 1 and sum(len(m.ids) for m in self._kept.values()) > _MOST:
                self._kept.popitem(last=False)
        return fresh

    def clear(self) -> None:
        """Forget everything kept in memory."""
        with self._lock:
            self._kept.clear()


def _appended(conn: sqlite3.Connection, owner: Owner, model: Model, old: Matrix) -> Matrix | None:
    """Return *old* and what was added since, or None if that is not all that changed.

    Row numbers only grow, so if the count is right after appending, nothing has gone.
    """
    if not len(old.ids) or not old.known.all():
        return None
    new = _load(conn, owner.id, model, int(old.ids[-1]))
    if len(old.ids) + len(new.ids) != owner.entries:
        return None
    if not len(new.ids):
        return old
    columns: list[Any] = [
        np.concatenate([getattr(m, name) for m in (old, new)]) for name in _COLUMNS
    ]
    return _matrix(columns, _around(columns[1]))


def _load(conn: sqlite3.Connection, owner: int, model: Model, after: int) -> Matrix:
    # A unary plus keeps SQLite off an index: the owner's for what was added, the rows' for all.
    which = "+e.scope = ? AND e.id > ?" if after else "e.scope = ? AND +e.id > ?"
    rows = conn.execute(
        "SELECT e.id, e.place, e.speaker, e.day, e.length, v.vector FROM memory_entries e"
        " LEFT JOIN memory_vectors v ON v.id = e.id AND v.model = ?"
        f" WHERE {which} ORDER BY e.id",
        (model.id, owner, after),
    ).fetchall()
    nothing = bytes(4 * model.dimension)
    packed = b"".join([row[5] or nothing for row in rows])
    vectors = np.frombuffer(packed, dtype=np.float32).reshape(len(rows), model.dimension)
    columns: list[Any] = [
        np.array([-1 if row[at] is None else row[at] for row in rows], dtype=np.int64)
        for at in range(5)
    ]
    known = np.array([row[5] is not None for row in rows], dtype=bool)
    return _matrix([*columns, known, vectors], _around(columns[1]))


def _matrix(columns: Sequence[Any], near: dict[int, Ints]) -> Matrix:
    ids, places, speakers, days, lengths, known, vectors = columns
    return Matrix(ids, places, speakers, days, lengths, known, vectors, near)


def _around(places: Ints) -> dict[int, Ints]:
    """Return, per distance, the index of the entry standing there, or -1."""
    if not len(places):
        return dict.fromkeys(_NEAR, places)
    order = np.argsort(places, kind="stable")
    ordered = places[order]
    found: dict[int, Ints] = {}
    for distance in _NEAR:
        wanted = places + distance
        at = np.minimum(np.searchsorted(ordered, wanted), len(places) - 1)
        there = (places >= 0) & (wanted >= 0) & (ordered[at] == wanted)
        found[distance] = np.where(there, order[at], -1)
    return found


def together(matrices: Sequence[Matrix]) -> Matrix:
    """Return several owners' matrices as one, in order of row numbers; a single one as it is."""
    if len(matrices) == 1:
        return matrices[0]
    columns: list[Any] = [
        np.concatenate([getattr(matrix, name) for matrix in matrices]) for name in _COLUMNS
    ]
    order = np.argsort(columns[0])
    columns = [column[order] for column in columns]
    return _matrix(columns, _around(columns[1]))
