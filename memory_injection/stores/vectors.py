"""Vectors beside the text: their tables.

- ``memory_models``: one row per model that has written vectors: name, dimension, and what its
  cosines look like for a question with its answer and with something else
- ``memory_vectors``: one row per embedded entry, float32, unit length. A row belongs to one
  model; rows of another model are never compared with, they wait to be embedded again.
- ``memory_segments``: the files of an approximate index, see ``usearch_index``
- ``memory_owned``: an owner's entries in order of their row numbers

Deleting an entry deletes its vector (by trigger, whoever deletes it).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Model",
    "Vectors",
    "count_waiting",
    "find_model",
    "has_segments",
    "keep",
    "prepare_vectors",
    "record_model",
    "waiting",
]

Vectors = NDArray[np.float32]


def prepare_vectors(conn: sqlite3.Connection) -> None:
    """Make the tables where they are missing."""
    if _exists(conn, "memory_vectors_gone") and has_segments(conn):
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
    "CREATE INDEX IF NOT EXISTS memory_owned ON memory_entries (scope)",
    "CREATE TABLE IF NOT EXISTS memory_segments (file TEXT PRIMARY KEY, scope INTEGER NOT NULL,"
    " model INTEGER NOT NULL, upto INTEGER NOT NULL, entries INTEGER NOT NULL,"
    " size INTEGER NOT NULL, checksum INTEGER NOT NULL) WITHOUT ROWID",
)


def has_segments(conn: sqlite3.Connection) -> bool:
    """Tell whether the file has the table of an approximate index (older ones have none)."""
    return _exists(conn, "memory_segments")


def _exists(conn: sqlite3.Connection, name: str) -> bool:
    sql = "SELECT 1 FROM sqlite_master WHERE name = ?"
    return conn.execute(sql, (name,)).fetchone() is not None


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
    if not _exists(conn, "memory_vectors_gone"):
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
