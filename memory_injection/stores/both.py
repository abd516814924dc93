"""Recall by words and by meaning: candidates of both kinds, and one ranking over them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

import numpy as np
from numpy.typing import NDArray

from ..records import MemoryEntry
from ..text import guess_language
from . import hybrid, lexical
from .database import Session
from .engines import Engine
from .hybrid import Evidence, Floats, Ints
from .lexical import Candidate, Plan
from .questions import View, plan_search
from .recall import Recall
from .vector_index import Seen, VectorIndex, highest
from .vectors import Model, code_of, language_of
from .vocabulary import Vocabulary

__all__ = ["BothRecall", "Question", "spoken_in"]

_BY_WORDS = 100  # candidates that the words bring
_BY_MEANING = 30  # candidates that the vectors bring, to be scored by their words as well
_FEW = 2  # entries that count for half of what more would tell of the background
_LEVEL = 10  # entries whose evidence sets the level of the scores


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked.

    Attributes:
        text: the question.
        vector: its unit vector.
        context: text of the turns before a short ask.
        limit: most entries to return.
        wanted: how many of them are wanted in the end.
        today: the day that "last week" counts from.
        use_words: False ranks by the vectors alone.
    """

    text: str
    vector: NDArray[np.float32]
    context: str
    limit: int
    wanted: int
    today: date
    use_words: bool = True


@dataclass(frozen=True, slots=True)
class _Words:
    """What the words say: own scores in the order seen, and calibrated ones by row number."""

    own: Floats
    calibrated: Mapping[int, float]


class BothRecall(Recall):
    """Adds vectors to :class:`~memory_injection.stores.recall.Recall`.

    Args:
        store: name stamped on entries.
        engine: what finds candidates by their words.
        index: what finds candidates by their meaning.
    """

    def __init__(self, store: str, engine: Engine, index: VectorIndex) -> None:
        super().__init__(store, engine)
        self._index = index

    def search_both(
        self, session: Session, view: View, model: Model, asked: Question
    ) -> tuple[list[MemoryEntry], int]:
        """Return the best entries of *view* by words and vectors, scores calibrated to 0..1.

        With them comes how many of the entries looked at have no vector of *model*.
        """
        planned = plan_search(asked.text, asked.context, view, Vocabulary(session), asked.today)
        plan = planned.plan if planned else None
        rows = self._candidates(session, planned, _BY_WORDS) if planned else []
        scores = lexical.own_scores(rows, plan) if plan else []
        promising = [rows[at].id for at in highest(np.array(scores), len(rows))]
        seen = self._index.search(session, view, model, asked.vector, promising)
        words = _Words(np.zeros(len(seen.rows.ids)), {})
        if plan is not None:
            words = self._words(session, seen, plan, rows, scores)
        without = seen.entries - seen.compared
        if asked.use_words:
            seen = _understood(seen, model)
        values = hybrid.fuse(_evidence(seen, words, plan, asked.use_words))
        best = highest(values, max(asked.limit, _LEVEL))
        ids = [int(seen.rows.ids[at]) for at in best]
        calibrated = hybrid.calibrated(
            [float(values[at]) for at in best],
            [words.calibrated.get(ident, 0.0) for ident in ids],
            _scaled(model, asked, seen, best),
            seen.compared,
            max(asked.wanted, _LEVEL),
        )
        chosen = sorted(zip(calibrated, ids, strict=True), key=_by_score)[: asked.limit]
        return self._fetch(session, view, chosen), without

    def _words(
        self,
        session: Session,
        seen: Seen,
        plan: Plan,
        rows: list[Candidate],
        scores: list[float],
    ) -> _Words:
        """Score the nearest entries by their words as well, then all of them with neighbours."""
        have = {row.id for row in rows}
        close = seen.rows.ids[highest(np.nan_to_num(seen.cosines, nan=-2.0), _BY_MEANING)]
        near = self._rows_of(session, [int(ident) for ident in close if int(ident) not in have])
        rows = rows + near
        scores = scores + lexical.own_scores(near, plan)
        own = np.zeros(len(seen.rows.ids))
        _put(own, seen.rows.ids, [row.id for row in rows], scores)
        ranked = lexical.rank(rows, scores, lexical.around(rows, scores), plan, len(rows))
        return _Words(own, {ident: score for score, ident in ranked})

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


def spoken_in(question: str, view: View, model: Model) -> str | None:
    """Return the language of *question*: if the model was not measured in it, that of *view*."""
    said = guess_language(question)
    if said in model.scales or not view.owners:
        return said
    usual = max(view.owners, key=lambda owner: owner.entries).languages
    return usual[0] if usual else said


def _understood(seen: Seen, model: Model) -> Seen:
    """Return *seen* without the cosines of entries in a language that *model* does not understand.

    They say how foreign a text is, not what it is about; and among the others' they would shift
    the mean, widen the spread and hide the peak.
    """
    foreign = [code_of(one) for one in model.scales if not model.understands(one)]
    if not foreign:
        return seen
    apart = np.isin(seen.rows.spoken, foreign)
    return replace(seen, cosines=np.where(apart, np.nan, seen.cosines))


def _scaled(model: Model, asked: Question, seen: Seen, best: Sequence[int]) -> list[float]:
    """Return the cosines at *best* on the model's scale in the entry's and question's language.

    One that tells nothing is NaN where the words are left to tell, else 0.
    """
    said = guess_language(asked.text)
    background = _background(seen)
    found = [
        model.scaled(
            float(seen.cosines[at]), (language_of(int(seen.rows.spoken[at])), said), background
        )
        for at in best
    ]
    return found if asked.use_words else [0.0 if math.isnan(one) else one for one in found]


def _by_score(scored: tuple[float, int]) -> float:
    return -scored[0]


def _background(seen: Seen) -> float:
    """Return the question's cosine with entries at large, the less sure the fewer there are."""
    known = seen.cosines[~np.isnan(seen.cosines)]
    middle = float(np.median(known)) if seen.level is None and len(known) else -1.0
    if seen.level is not None:
        middle = seen.level.mean
    return middle * len(known) / (len(known) + _FEW)


def _evidence(seen: Seen, words: _Words, plan: Plan | None, use_words: bool) -> Evidence:
    rows = seen.rows
    return Evidence(
        words.own if use_words else np.zeros_like(words.own),
        seen.cosines,
        rows.lengths.astype(np.float64),
        rows.near,
        hybrid.lifts(rows.speakers, rows.days, plan.speakers, plan.periods) if plan else None,
        seen.level,
        seen.entries,
    )


def _put(into: Floats, ids: Ints, which: Sequence[int], values: Sequence[float]) -> None:
    """Write *values* at the positions of *which* in the sorted *ids*; others are passed over."""
    if not len(ids):
        return
    wanted = np.array(which, dtype=np.int64)
    at = np.minimum(np.searchsorted(ids, wanted), len(ids) - 1)
    there = ids[at] == wanted
    into[at[there]] = np.array(values, dtype=np.float64)[there]
