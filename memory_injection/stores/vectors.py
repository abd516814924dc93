"""Vectors beside the text: their tables.

- ``memory_models``: one row per model that has written vectors: name, dimension, and its English
  scale
- ``memory_scales``: what a model's cosines look like in a language, for a question with its answer
  and with something else
- ``memory_vectors``: one row per embedded entry, float32, unit length, and the language of its
  text ("" for none, NULL in rows of earlier versions). A row belongs to one model; rows of another
  model are never compared with, they wait to be embedded again.
- ``memory_segments``: the files of an approximate index, see ``usearch_index``
- ``memory_refused``: entries that an embedder, by name, has no vector for, and why
- ``memory_owned``: an owner's entries in order of their row numbers

Deleting an entry deletes its vector and its refusals (by trigger, whoever deletes it).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..text import guess_language

__all__ = [
    "HEAD",
    "Model",
    "Scale",
    "Vectors",
    "code_of",
    "count_refused",
    "count_waiting",
    "find_model",
    "has_languages",
    "has_segments",
    "keep",
    "language_of",
    "languages_of",
    "last_written",
    "prepare_vectors",
    "record_model",
    "record_scales",
    "set_aside",
    "spoken_by",
    "take_back",
    "waiting",
]

Vectors = NDArray[np.float32]
HEAD = 1000
"""Characters of an entry that tell its language."""


def prepare_vectors(conn: sqlite3.Connection) -> None:
    """Make the tables where they are missing."""
    made = ("memory_vectors_gone", "memory_segments", _SCALES, "memory_refused_gone")
    if all(_exists(conn, name) for name in made) and has_languages(conn):
        return
    conn.execute("BEGIN IMMEDIATE")
    try:
        for statement in _TABLES:
            conn.execute(statement)
        if not has_languages(conn):
            conn.execute("ALTER TABLE memory_vectors ADD COLUMN language TEXT")
    except BaseException:
        conn.execute("ROLLBACK")
        raise
    conn.execute("COMMIT")


_SCALES = "memory_scales"
_TABLES = (
    "CREATE TABLE IF NOT EXISTS memory_models (id INTEGER PRIMARY KEY, name TEXT NOT NULL,"
    " dimension INTEGER NOT NULL, unrelated REAL NOT NULL, answer REAL NOT NULL,"
    " UNIQUE (name, dimension))",
    "CREATE TABLE IF NOT EXISTS memory_vectors (id INTEGER PRIMARY KEY,"
    " model INTEGER NOT NULL, vector BLOB NOT NULL, language TEXT)",
    "CREATE TRIGGER IF NOT EXISTS memory_vectors_gone AFTER DELETE ON memory_entries"
    " BEGIN DELETE FROM memory_vectors WHERE id = old.id; END",
    "CREATE INDEX IF NOT EXISTS memory_owned ON memory_entries (scope)",
    "CREATE TABLE IF NOT EXISTS memory_segments (file TEXT PRIMARY KEY, scope INTEGER NOT NULL,"
    " model INTEGER NOT NULL, upto INTEGER NOT NULL, entries INTEGER NOT NULL,"
    " size INTEGER NOT NULL, checksum INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS memory_scales (model INTEGER NOT NULL, language TEXT NOT NULL,"
    " unrelated REAL NOT NULL, answer REAL NOT NULL, spread REAL NOT NULL,"
    " PRIMARY KEY (model, language)) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS memory_refused (id INTEGER NOT NULL, model TEXT NOT NULL,"
    " reason TEXT NOT NULL, PRIMARY KEY (id, model)) WITHOUT ROWID",
    "CREATE TRIGGER IF NOT EXISTS memory_refused_gone AFTER DELETE ON memory_entries"
    " BEGIN DELETE FROM memory_refused WHERE id = old.id; END",
)


def has_segments(conn: sqlite3.Connection) -> bool:
    """Tell whether the file has the table of an approximate index (older ones have none)."""
    return _exists(conn, "memory_segments")


def has_languages(conn: sqlite3.Connection) -> bool:
    """Tell whether the vectors' table has its texts' languages (older files have none)."""
    return any(row[1] == "language" for row in conn.execute("PRAGMA table_info(memory_vectors)"))


def spoken_by(text: str) -> str:
    """Return the language of an entry's *text*, told from its head; "" if nothing tells it."""
    return guess_language(text[:HEAD]) or ""


def code_of(language: str) -> int:
    """Return a number for *language* (a code of a few letters), 0 for ""."""
    return int.from_bytes(language.encode(), "big")


def language_of(code: int) -> str | None:
    """Return the language that :func:`code_of` made *code* of; None for ""."""
    return code.to_bytes((code.bit_length() + 7) // 8, "big").decode() or None


def _exists(conn: sqlite3.Connection, name: str) -> bool:
    sql = "SELECT 1 FROM sqlite_master WHERE name = ?"
    return conn.execute(sql, (name,)).fetchone() is not None


_UNDERSTOOD = 0.5  # of the sharpness in the model's best language, from which on it understands one
"""MiniLM has a sharpness of 6.6 in English and of 2.9 and less in seventeen other languages.

The multilingual Universal Sentence Encoder has 4.6 to 7.5 in those it was trained on, 0.9 and less
in the others.
"""


@dataclass(frozen=True, slots=True)
class Scale:
    """What a model's cosines mean in one language.

    Attributes:
        unrelated: mean cosine between a question and what does not answer it.
        answer: mean cosine between a question and its answer.
        spread: standard deviation of the cosines between what is unrelated.
    """

    unrelated: float
    answer: float
    spread: float

    @property
    def sharpness(self) -> float:
        """How many deviations of what is unrelated an answer stands out by."""
        return (self.answer - self.unrelated) / max(self.spread, 0.01)


@dataclass(frozen=True, slots=True)
class Model:
    """A model as recorded in the file.

    Attributes:
        id: its row.
        name: what the embedder is called.
        dimension: length of its vectors.
        english: its scale in English, used where a text's language cannot be told.
        scales: language (ISO 639-1) to its scale there; empty in files of earlier versions.
    """

    id: int
    name: str
    dimension: int
    english: Scale
    scales: Mapping[str, Scale] = field(default_factory=dict)

    def understands(self, *languages: str | None) -> bool:
        """Tell whether it tells answers from the rest in *languages*, where it was measured."""
        known = [self.scales[one] for one in languages if one is not None and one in self.scales]
        best = max((one.sharpness for one in self.scales.values()), default=0.0)
        return all(one.sharpness >= min(_UNDERSTOOD * best, best) for one in known)

    def scaled(
        self, cosine: float, languages: Sequence[str | None], background: float = -1.0
    ) -> float:
        """Return *cosine* on the model's own scale, or NaN where it tells nothing.

        Args:
            cosine: between question and entry.
            languages: of both; the first that was measured sets the scale, and all must be
                understood.
            background: cosine of the question with entries at large, which stands for what is
                unrelated where no language was measured.
        """
        if not self.understands(*languages):
            return float("nan")
        known = [self.scales[one] for one in languages if one is not None and one in self.scales]
        scale = known[0] if known else self.english
        unrelated = scale.unrelated if known else max(scale.unrelated, background)
        length = max(scale.answer - unrelated, self.english.answer - self.english.unrelated, 0.05)
        return (cosine - unrelated) / length


_MODEL = "SELECT id, name, dimension, unrelated, answer FROM memory_models"


def find_model(conn: sqlite3.Connection, name: str, dimension: int | None) -> Model | None:
    """Return the recorded model of this name (and dimension, if known)."""
    if not _exists(conn, "memory_vectors_gone"):
        return None
    rows = conn.execute(f"{_MODEL} WHERE name = ? ORDER BY id DESC", (name,)).fetchall()
    return next((_model(conn, row) for row in rows if dimension in (None, row[2])), None)


def _model(conn: sqlite3.Connection, row: tuple[int, str, int, float, float]) -> Model:
    scales: dict[str, Scale] = {}
    if _exists(conn, _SCALES):
        sql = "SELECT language, unrelated, answer, spread FROM memory_scales WHERE model = ?"
        scales = {language: Scale(*ends) for language, *ends in conn.execute(sql, (row[0],))}
    return Model(*row[:3], scales.get("en") or Scale(*row[3:], 0.0), scales)


def record_model(conn: sqlite3.Connection, name: str, dimension: int, english: Scale) -> Model:
    """Record a model inside the caller's transaction; one that is there already stays."""
    conn.execute(
        "INSERT OR IGNORE INTO memory_models (name, dimension, unrelated, answer)"
        " VALUES (?, ?, ?, ?)",
        (name, dimension, english.unrelated, english.answer),
    )
    sql = f"{_MODEL} WHERE name = ? AND dimension = ?"
    return _model(conn, conn.execute(sql, (name, dimension)).fetchone())


def record_scales(
    conn: sqlite3.Connection, model: Model, scales: Mapping[str, Scale]
) -> Mapping[str, Scale]:
    """Record what was measured inside the caller's transaction; return all scales of *model*."""
    conn.executemany(
        "INSERT OR REPLACE INTO memory_scales VALUES (?, ?, ?, ?, ?)",
        [
            (model.id, language, one.unrelated, one.answer, one.spread)
            for language, one in scales.items()
        ],
    )
    return {**model.scales, **scales}


def languages_of(conn: sqlite3.Connection) -> set[str]:
    """Return the languages in which anybody has entries."""
    rows = conn.execute("SELECT DISTINCT languages FROM memory_scopes")
    return {language for row in rows for language in row[0].split()}


def keep(
    conn: sqlite3.Connection,
    model: Model,
    ids: Sequence[int],
    vectors: Vectors,
    languages: Sequence[str],
) -> None:
    """Write one vector per entry inside the caller's transaction; entries that went are skipped."""
    conn.executemany(
        "INSERT OR REPLACE INTO memory_vectors (id, model, vector, language)"
        " SELECT id, ?, ?, ? FROM memory_entries WHERE id = ?",
        [
            (model.id, row.tobytes(), language, ident)
            for ident, row, language in zip(ids, vectors, languages, strict=True)
        ],
    )
    conn.executemany(
        "DELETE FROM memory_refused WHERE id = ? AND model = ?",
        [(ident, model.name) for ident in ids],
    )


def set_aside(conn: sqlite3.Connection, name: str, refused: Mapping[int, str]) -> None:
    """Record what the embedder *name* refuses, and why, inside the caller's transaction."""
    conn.executemany(
        "INSERT OR REPLACE INTO memory_refused (id, model, reason)"
        " SELECT id, ?, ? FROM memory_entries WHERE id = ?",
        [(name, reason, ident) for ident, reason in refused.items()],
    )


def take_back(conn: sqlite3.Connection, name: str) -> None:
    """Forget what the embedder *name* refused: another model goes by its name now."""
    conn.execute("DELETE FROM memory_refused WHERE model = ?", (name,))


def last_written(conn: sqlite3.Connection) -> int:
    """Return the row number of the entry written last, whether or not it is still there."""
    sql = "SELECT seq FROM sqlite_sequence WHERE name = 'memory_entries'"
    return next((row[0] for row in conn.execute(sql)), 0)


def waiting(
    conn: sqlite3.Connection,
    model: Model | None,
    most: int,
    after: int = 0,
    but_refused: str | None = None,
) -> list[tuple[int, str]]:
    """Return entries without a vector of *model*, oldest first: row number and text.

    Those that the embedder *but_refused* has refused are left out.
    """
    return conn.execute(
        "SELECT e.id, e.content FROM memory_entries e LEFT JOIN memory_vectors v"
        " ON v.id = e.id AND v.model = ? WHERE v.id IS NULL AND e.id > ?"
        " AND NOT EXISTS (SELECT 1 FROM memory_refused r WHERE r.id = e.id AND r.model = ?)"
        " ORDER BY e.id LIMIT ?",
        (model.id if model else -1, after, but_refused, most),
    ).fetchall()


def count_waiting(
    conn: sqlite3.Connection, model: Model | None, but_refused: str | None = None
) -> int:
    """Return how many entries have no vector of *model*, as :func:`waiting` would list them."""
    total = int(conn.execute("SELECT count(*) FROM memory_entries").fetchone()[0])
    if but_refused is not None and _exists(conn, "memory_refused"):
        sql = "SELECT count(*) FROM memory_refused WHERE model = ?"
        total -= int(conn.execute(sql, (but_refused,)).fetchone()[0])
    if model is None:
        return total
    sql = "SELECT count(*) FROM memory_vectors WHERE model = ?"
    return total - int(conn.execute(sql, (model.id,)).fetchone()[0])


def count_refused(conn: sqlite3.Connection, name: str, owners: Sequence[int]) -> int:
    """Return how many of the *owners*' entries the embedder *name* has refused."""
    if not _exists(conn, "memory_refused"):
        return 0
    sql = (
        "SELECT count(*) FROM memory_refused r JOIN memory_entries e ON e.id = r.id"
        f" WHERE r.model = ? AND e.scope IN ({','.join('?' * len(owners))})"
    )
    return int(conn.execute(sql, (name, *owners)).fetchone()[0])
