"""Matrices: the vectors of an owner's entries and what ranking reads of them, kept in memory.

A matrix's vectors are a list of blocks, so that what was added since is appended without copying
what is there. Beyond a bound blocks lie in a temporary file that is mapped into memory.
"""

from __future__ import annotations

import sqlite3
import tempfile
import weakref
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..forks import Lock
from .database import Session
from .hybrid import Floats, Ints
from .questions import Owner, View
from .vectors import HEAD, Model, Vectors, code_of, has_languages, spoken_by

__all__ = ["Matrices", "Matrix", "rows_of", "together"]

_NEAR = (-2, -1, 1, 2)
_KEPT = 400_000_000  # bytes of vectors in memory, over all owners: 260,000 of 384 dimensions
_BLOCK = 16_384  # vectors read at a time
_SMALL = 4_096  # vectors; a block of fewer is copied when something is appended
_COLUMNS = ("ids", "places", "speakers", "days", "lengths", "spoken", "known")
_ROWS = (
    "SELECT e.id, e.place, e.speaker, e.day, e.length, v.vector, {language},"
    f" CASE WHEN {{language}} IS NULL THEN substr(e.content, 1, {HEAD}) END FROM memory_entries e"
    " LEFT JOIN memory_vectors v ON v.id = e.id AND v.model = ?"
)


@dataclass(frozen=True, eq=False)
class Matrix:
    """Entries of one or more owners, in order of their row numbers.

    Attributes:
        ids: row numbers.
        places: where the turns stand; -1 for none.
        speakers: who says them; -1 for nobody.
        days: when they were said.
        lengths: how many terms they have.
        spoken: their languages, as ``vectors.code_of`` writes them.
        known: whether an entry has a vector.
        near: distance in turns to the index of the entry there, -1 for none.
        blocks: the vectors, one row per entry; zeros where there is none.
        order: where the blocks' rows belong, if they are not in order of row numbers.
        after: the row number that it begins after.
    """

    ids: Ints
    places: Ints
    speakers: Ints
    days: Ints
    lengths: Ints
    spoken: Ints
    known: NDArray[np.bool_]
    near: dict[int, Ints]
    blocks: tuple[Vectors, ...]
    order: Ints | None = None
    after: int = 0

    def cosines(self, vector: Vectors) -> Floats:
        """Return each entry's similarity to a unit *vector*; NaN for an entry without one."""
        if not len(self.ids):
            return np.zeros(0)
        found = np.concatenate([block @ vector for block in self.blocks])
        if self.order is not None:
            found = found[self.order]
        return np.where(self.known, found, np.nan).astype(np.float64)

    @property
    def size(self) -> int:
        """Bytes of memory that cannot be given back while it is kept."""
        vectors = sum(b.nbytes for b in self.blocks if not isinstance(b, np.memmap))
        return vectors + 88 * len(self.ids)


class Matrices:
    """The matrices searched last, refreshed by loading only what was added."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[int, ...], Matrix] = OrderedDict()
        self._size = 0  # of all of them: there may be ten thousands
        self._lock = Lock()

    def of_view(self, session: Session, view: View, model: Model) -> Matrix:
        """Return everything of *view* as the connection sees the file now."""
        key = (model.id, *(owner.id for owner in view.owners))
        # The session only points to it: what is no longer kept here must not be kept there.
        known = session.memo.get(("matrix", key))
        found: Matrix | None = known() if known is not None else None
        if found is None:
            found = together([self.get(session.conn, owner, model) for owner in view.owners])
            if len(view.owners) > 1:
                self._keep(key, found)
            session.memo[("matrix", key)] = weakref.ref(found)
        return found

    def get(self, conn: sqlite3.Connection, owner: Owner, model: Model, after: int = 0) -> Matrix:
        """Return *owner*'s entries above row number *after*."""
        key = (model.id, owner.id)
        with self._lock:
            old = self._kept.get(key)
        fresh = None
        if old is not None and old.after == after:
            fresh = _appended(conn, owner, model, old)
        if fresh is None:
            fresh = _load(conn, owner.id, model, after, after)
        self._keep(key, fresh)
        return fresh

    def _keep(self, key: tuple[int, ...], matrix: Matrix) -> None:
        with self._lock:
            old = self._kept.get(key)
            self._kept[key] = matrix
            self._kept.move_to_end(key)
            if old is not matrix:
                self._size += matrix.size - (old.size if old is not None else 0)
            while len(self._kept) > 1 and self._size > _KEPT:
                self._size -= self._kept.popitem(last=False)[1].size


def rows_of(
    conn: sqlite3.Connection, owners: Sequence[Owner], model: Model, ids: Sequence[int]
) -> Matrix:
    """Return the entries with these row numbers, those of *owners* alone."""
    which = f"e.id IN ({','.join('?' * len(ids))}) AND +e.scope IN ({','.join('?' * len(owners))})"
    given = (model.id, *ids, *(owner.id for owner in owners))
    return _read(conn.execute(f"{_rows(conn)} WHERE {which} ORDER BY e.id", given), model, 0)


def _rows(conn: sqlite3.Connection) -> str:
    return _ROWS.format(language="v.language" if has_languages(conn) else "NULL")


def _appended(conn: sqlite3.Connection, owner: Owner, model: Model, old: Matrix) -> Matrix | None:
    """Return *old* and what was added since, or None if that is not all that changed.

    Row numbers only grow, so if the count is right after appending, nothing has gone.
    """
    if not len(old.ids) or not old.known.all():
        return None
    new = _load(conn, owner.id, model, int(old.ids[-1]), old.after)
    if len(old.ids) + len(new.ids) != _count(conn, owner, old.after):
        return None
    if not len(new.ids):
        return old
    columns = _side_by_side([old, new])
    blocks = [*old.blocks, *new.blocks]
    at = len(old.blocks)
    if len(blocks[at - 1]) + len(blocks[at]) <= _SMALL:
        blocks[at - 1 : at + 1] = [np.concatenate(blocks[at - 1 : at + 1])]
    return _matrix(columns, tuple(blocks), after=old.after)


def _count(conn: sqlite3.Connection, owner: Owner, after: int) -> int:
    if not after:
        return owner.entries
    sql = "SELECT count(*) FROM memory_entries WHERE scope = ? AND id > ?"
    return int(conn.execute(sql, (owner.id, after)).fetchone()[0])


def _load(conn: sqlite3.Connection, owner: int, model: Model, above: int, after: int) -> Matrix:
    sql = f"{_rows(conn)} WHERE e.scope = ? AND e.id > ? ORDER BY e.id"
    return _read(conn.execute(sql, (model.id, owner, above)), model, after)


def _read(cursor: sqlite3.Cursor, model: Model, after: int) -> Matrix:
    nothing = bytes(4 * model.dimension)
    columns: list[list[Any]] = []
    blocks: list[Vectors] = []
    size = 0
    while rows := cursor.fetchmany(_BLOCK):
        packed = b"".join([row[5] or nothing for row in rows])
        block = np.frombuffer(packed, dtype=np.float32).reshape(len(rows), model.dimension)
        size += block.nbytes
        blocks.append(block if size <= _KEPT else _mapped(block))
        columns.append(
            [
                *(
                    np.array([-1 if row[at] is None else row[at] for row in rows], dtype=np.int64)
                    for at in range(5)
                ),
                np.array([_spoken(row[6], row[7]) for row in rows], dtype=np.int64),
                np.array([row[5] is not None for row in rows], dtype=bool),
            ]
        )
    if not blocks:
        none: Any = np.zeros(0, dtype=np.int64)
        return _matrix([none] * 6 + [none.astype(bool)], (), after=after)
    whole = [np.concatenate(parts) for parts in zip(*columns, strict=True)]
    return _matrix(whole, tuple(blocks), after=after)


def _spoken(language: str | None, head: str | None) -> int:
    """Return the code of an entry's *language*; if no row has it, of the one its *head* tells."""
    return code_of(spoken_by(head or "") if language is None else language)


def _mapped(block: Vectors) -> Vectors:
    """Return *block* in a nameless file instead of in memory."""
    with tempfile.TemporaryFile() as file:
        block.tofile(file)
        return np.memmap(file, dtype=np.float32, mode="r", shape=block.shape)


def _matrix(
    columns: Sequence[Any], blocks: tuple[Vectors, ...], order: Ints | None = None, after: int = 0
) -> Matrix:
    ids, places, speakers, days, lengths, spoken, known = columns
    near = _around(places)
    return Matrix(
        ids, places, speakers, days, lengths, spoken, known, near, blocks, order, after
    )  # fmt: skip


def _side_by_side(matrices: Sequence[Matrix]) -> list[Any]:
    return [np.concatenate([getattr(matrix, name) for matrix in matrices]) for name in _COLUMNS]


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
    """Return several matrices as one, in order of row numbers; a single one as it is."""
    if len(matrices) == 1:
        return matrices[0]
    columns = _side_by_side(matrices)
    order = np.argsort(columns[0])
    columns = [column[order] for column in columns]
    blocks = tuple(block for matrix in matrices for block in matrix.blocks)
    return _matrix(columns, blocks, order)
