"""Recall by words and by meaning: one matrix product over the caller's entries, then the words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np
from numpy.typing import NDArray

from ..records import MemoryEntry
from . import hybrid, lexical
from .database import Session
from .engines import Engine
from .hybrid import Evidence, Floats, Ints
from .lexical import Candidate, Plan
from .questions import View, plan_search
from .recall import Recall, counter
from .vectors import Matrices, Matrix, Model, together

__all__ = ["BothRecall", "Question"]

_BY_WORDS = 100  # candidates that the words bring
_BY_MEANING = 30  # candidates that the vectors bring, to be scored by their words as well
_LEVEL = 10  # entries whose evidence sets the level of the scores


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked.

    Attributes:
        text: the question.
        vector: its unit vector.
        context: text of the turns before a short ask.
        limit: most entries to return.
        today: the day that "last week" counts from.
        use_words: False ranks by the vectors alone.
    """

    text: str
    vector: NDArray[np.float32]
    context: str
    limit: int
    today: date
    use_words: bool = True


@dataclass(frozen=True, slots=True)
class _Words:
    """What the words say: own scores in matrix order, and calibrated ones by row number."""

    own: Floats
    calibrated: Mapping[int, float]
    plan: Plan | None


class BothRecall(Recall):
    """Adds vectors to :class:`~memory_injection.stores.recall.Recall`."""

    def __init__(self, store: str, engine: Engine) -> None:
        super().__init__(store, engine)
        self.matrices = Matrices()

    def search_both(
        self, session: Session, view: View, model: Model, asked: Question
    ) -> list[MemoryEntry]:
        """Return the best entries of *view* by words and vectors, scores calibrated to 0..1."""
        matrix = self._matrix(session, view, model)
        cosines = np.where(matrix.known, matrix.vectors @ asked.vector, np.nan).astype(np.float64)
        words = self._words(session, view, matrix, cosines, asked)
        plan = words.plan
        values = hybrid.fuse(
            Evidence(
                words.own if asked.use_words else np.zeros_like(words.own),
                cosines,
                matrix.lengths.astype(np.float64),
                matrix.near,
                hybrid.lifts(matrix.speakers, matrix.days, plan.speakers, plan.periods)
                if plan
                else None,
            )
        )
        best = _highest(values, max(asked.limit, _LEVEL))
        ids = [int(matrix.ids[at]) for at in best]
        scores = hybrid.calibrated(
            [float(values[at]) for at in best],
            [words.calibrated.get(ident, 0.0) for ident in ids],
            [model.scaled(float(cosines[at])) for at in best],
            len(matrix.ids),
        )
        chosen = list(zip(scores, ids, strict=True))[: asked.limit]
        return self._fetch(session, view, chosen)

    def _matrix(self, session: Session, view: View, model: Model) -> Matrix:
        key = ("matrix", model.id, tuple(owner.id for owner in view.owners))
        found: Matrix | None = session.memo.get(key)
        if found is None:
            parts = [self.matrices.get(session.conn, owner, model) for owner in view.owners]
            found = session.memo[key] = together(parts)
        return found

    def _words(
        self, session: Session, view: View, matrix: Matrix, cosines: Floats, asked: Question
    ) -> _Words:
        own = np.zeros(len(matrix.ids))
        planned = plan_search(asked.text, asked.context, view, counter(session), asked.today)
        if planned is None:
            return _Words(own, {}, None)
        plan = planned.plan
        rows = self._candidates(session, planned, _BY_WORDS)
        have = {row.id for row in rows}
        close = matrix.ids[_highest(np.nan_to_num(cosines, nan=-2.0), _BY_MEANING)]
        rows += self._rows_of(session, [int(ident) for ident in close if int(ident) not in have])
        scores = lexical.own_scores(rows, plan)
        _put(own, matrix.ids, [row.id for row in rows], scores)
        near = lexical.around(rows, scores)
        ranked = lexical.rank(rows, scores, near, plan, len(rows))
        return _Words(own, {ident: score for score, ident in ranked}, plan)

    def _rows_of(self, session: Session, ids: list[int]) -> list[Candidate]:
        """Return the ranking's columns of the entries with these row numbers."""
        kept = self._candidates_kept.rows
        have = {ident: kept.get(ident) for ident in ids}
        missing = [ident for ident, row in have.items() if row is None]
        if missing:
            sql = (
                "SELECT id, scope, place, speaker, length, day, terms FROM memory_entries"
                f" WHERE id IN ({','.join('?' * len(missing))})"
            )
            for row in session.conn.execute(sql, missing):
                candidate = have[row[0]] = Candidate.of(row)
                self._candidates_kept.keep(row[0], candidate, row[4] + 8)
        return [row for row in have.values() if row is not None]


def _put(into: Floats, ids: Ints, which: Sequence[int], values: Sequence[float]) -> None:
    """Write *values* at the positions of *which* in the sorted *ids*; others are passed over."""
    if not len(ids):
        return
    wanted = np.array(which, dtype=np.int64)
    at = np.minimum(np.searchsorted(ids, wanted), len(ids) - 1)
    there = ids[at] == wanted
    into[at[there]] = np.array(values, dtype=np.float64)[there]


def _highest(values: Floats, count: int) -> Sequence[int]:
    """Return the positions of the *count* highest values, highest first, the later on ties."""
    if count < len(values):
        some = np.argpartition(-values, count - 1)[:count]
    else:
        some = np.arange(len(values))
    order = np.lexsort((-some, -values[some]))
    return [int(at) for at in some[order]]
