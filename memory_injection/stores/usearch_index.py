"""usearch as the index of large scopes: HNSW graphs in files in the folder ``<file>.vectors``.

The tables are the truth; the index follows them. Each owner has segments of its own, registered in
``memory_segments`` with the last row number they go up to. What an index gives is row numbers;
vectors are read from the table, of the caller's owners alone, and compared exactly. Rows newer
than the last segment are searched exactly, deleted ones are no longer in the table. So an index
that is behind, or wrong, costs time or recall and never truth. Writers bring it up, one at a time
under a lock file; whoever finds it missing or damaged searches exactly.

HNSW: Malkov & Yashunin 2018, https://arxiv.org/abs/1603.09320.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .database import Database, Session
from .hybrid import Floats, Ints, Level
from .index_files import Timeout, Trouble, index_folder, lock
from .matrices import Matrix, rows_of, together
from .questions import Owner, View
from .segment_writer import follow
from .segments import Segment, Shelf, registered
from .vector_index import Exact, Seen, highest
from .vectors import Model, Vectors

__all__ = ["Approximate"]

_LOG = logging.getLogger("memory_injection.stores.usearch")
_BY_MEANING = 256  # entries that the index picks
_LENDING = 40  # of the nearest and of the best by words: so many bring their neighbours along
_NEAR = (-2, -1, 1, 2)  # turns
_OFTEN = 1_000  # entries written between two looks at how far an index is behind


@dataclass(slots=True)
class _Picked:
    """Row numbers, their similarities, and how the similarities of all entries lie."""

    ids: list[Ints]
    cosines: list[Floats]
    levels: list[Level]

    def add(self, ids: Ints, cosines: Floats, level: Level) -> None:
        self.ids.append(ids)
        self.cosines.append(cosines)
        self.levels.append(level)

    def nearest(self) -> list[int]:
        """Return the nearest entries' row numbers, nearest first."""
        ids, cosines = np.concatenate(self.ids), np.concatenate(self.cosines)
        at = highest(np.nan_to_num(cosines, nan=-2.0), _BY_MEANING)
        return [int(ident) for ident in ids[at]]


class Approximate:
    """The nearest entries from HNSW graphs; the newest rows and small scopes exactly.

    Args:
        path: the store's file.
        above: entries that a scope must have more of.
        store: name of the store, for the log.
    """

    def __init__(self, path: str, above: int, store: str) -> None:
        self._folder = index_folder(path, "vectors")
        self._above = above
        self._store = store
        self._exact = Exact()
        self._shelf = Shelf(self._folder, store)
        self._due = True  # the first write looks whether anything is to be done
        self._written = 0
        self._trouble = Trouble(_LOG)

    def search(
        self, session: Session, view: View, model: Model, vector: Vectors, also: Sequence[int]
    ) -> Seen:
        """Return the nearest entries, those of *also*, and the turns around the best of both."""
        segments = {owner.id: self._segments(session, owner, model) for owner in view.owners}
        if not any(segments.values()):
            return self._exact.search(session, view, model, vector, also)
        picked = _Picked([], [], [])
        for owner in view.owners:
            self._pick(session, owner, model, vector, segments[owner.id], picked)
        nearest = picked.nearest()
        rows = rows_of(session.conn, view.owners, model, list({*nearest, *also}))
        around = _beside(session, view, rows, [*nearest[:_LENDING], *also[:_LENDING]])
        if around:
            rows = together([rows, rows_of(session.conn, view.owners, model, around)])
        return Seen(rows, rows.cosines(vector), view.entries, Level.pooled(picked.levels))

    def written(self, database: Database, model: Model, entries: int) -> None:
        """Bring every large owner's index up where it is missing, damaged or far behind.

        Looks at the first write, after so many entries, and when a search missed an index.
        """
        self._written += entries
        if not self._due and self._written < _OFTEN:
            return
        self._due, self._written = False, 0
        try:
            with database.read() as session:
                owners = session.conn.execute(
                    "SELECT id FROM memory_scopes WHERE entries > ?", (self._above,)
                ).fetchall()
            for (owner,) in owners:
                self._follow(database, model, owner)
            self._trouble.over()
        except Timeout:
            self._due = True
            _LOG.debug("%s: another process brings the vector index up", self._store)
        except Exception as error:  # what was written is written; it is found exactly
            self._due = True
            self._trouble.say(f"{self._store}: the vector index was not brought up: {error}")

    def close(self) -> None:
        """Let go of the index files and of what is kept in memory."""
        self._shelf.clear()
        self._exact.close()

    def _follow(self, database: Database, model: Model, owner: int) -> None:
        """Write one segment after the other; in between, others may have the lock."""
        more = True
        while more:
            self._folder.mkdir(exist_ok=True)
            with lock(self._folder, 0, self._store):
                more = follow(database, self._shelf, model, owner)

    def _segments(self, session: Session, owner: Owner, model: Model) -> Sequence[Segment]:
        """Return *owner*'s segments; none for a small owner, or if one of them cannot be used."""
        if owner.entries <= self._above:
            return ()
        key = ("segments", model.id)
        known = session.memo.get(key)
        if known is None:
            known = session.memo[key] = registered(session.conn, model)
        found: Sequence[Segment] = known.get(owner.id, ())
        usable = all(self._shelf.open(session, one, model) for one in found)
        if not found or not usable:
            self._due = True
            return ()
        return found

    def _pick(
        self,
        session: Session,
        owner: Owner,
        model: Model,
        vector: Vectors,
        segments: Sequence[Segment],
        picked: _Picked,
    ) -> None:
        """Add *owner*'s nearest: of its segments, and of the rows that these do not hold."""
        for segment in segments:
            opened = self._shelf.open(session, segment, model)
            if opened is not None:
                sample = (opened.sample @ vector).astype(np.float64)
                picked.add(*opened.nearest(vector, _BY_MEANING), Level.of(sample, segment.entries))
        after = segments[-1].upto if segments else 0
        rest = self._exact.matrices.get(session.conn, owner, model, after)
        cosines = rest.cosines(vector)
        picked.add(rest.ids, cosines, Level.of(cosines))


def _beside(session: Session, view: View, rows: Matrix, lending: Sequence[int]) -> list[int]:
    """Return the row numbers of the turns around *lending* that are not among *rows*."""
    places = rows.places[np.isin(rows.ids, lending) & (rows.places >= 0)]
    wanted = sorted({int(place) + step for place in places for step in _NEAR})
    if not wanted:
        return []
    found = session.conn.execute(
        f"SELECT id FROM memory_entries WHERE place IN ({','.join('?' * len(wanted))})"
        f" AND scope IN ({','.join('?' * len(view.owners))})",
        (*wanted, *(owner.id for owner in view.owners)),
    )
    have = set(rows.ids.tolist())
    return [ident for (ident,) in found if ident not in have]
