"""Recall: a leased connection and a question in, ranked entries out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import date
from functools import lru_cache
from itertools import combinations
from typing import Any

from ..forks import Lock
from ..records import MemoryEntry, Scope
from . import lexical
from .database import Session
from .drafts import moment, scope_key
from .engines import Engine, matching
from .lexical import Candidate
from .questions import Owner, Search, View, plan_search
from .vocabulary import Vocabulary

__all__ = ["Recall", "view_of", "within"]

_MOST_SPEAKERS = 500
_TERMS_KEPT = 200_000  # words of entries kept in memory for ranking, some 100 bytes each
_CHARACTERS_KEPT = 4_000_000  # of contents kept in memory
_PLACES_KEPT = 20_000
_MOST_POINTED = 8  # owners or speakers, and periods, that are looked up by day
_ALL = 3  # times the depth
_ENTRY = "id, external, content, metadata, created, updated, scope"
_CANDIDATE = "id, scope, place, speaker, length, day"


class _Kept:
    """A cache of rows with a bound on their total size. Row numbers are never used twice."""

    def __init__(self, most: int) -> None:
        self.rows: dict[int, Any] = {}
        self._most = most
        self._size = 0
        self._lock = Lock()

    def keep(self, ident: int, row: Any, size: int) -> None:
        if size > self._most // 50:
            return
        with self._lock:
            if self._size + size > self._most:
                self.rows.clear()
                self._size = 0
            self.rows[ident] = row
            self._size += size


class Recall:
    """Search over the tables of :mod:`~memory_injection.stores.schema`.

    Args:
        store: name stamped on entries.
        engine: what finds candidates where there are too many to rank them all.
    """

    def __init__(self, store: str, engine: Engine) -> None:
        self._store = store
        self._engine = engine
        self._candidates_kept = _Kept(_TERMS_KEPT)
        self._entries_kept = _Kept(_CHARACTERS_KEPT)

    def search(
        self, session: Session, view: View, query: str, context: str, limit: int, today: date
    ) -> list[MemoryEntry]:
        """Return the best *limit* entries of *view* for *query*."""
        planned = plan_search(query, context, view, Vocabulary(session), today)
        if planned is None:
            return []
        plan = planned.plan
        rows = self._candidates(session, planned, _depth(view, limit, len(planned.tokens)))
        scores = lexical.own_scores(rows, plan)
        # Of the days asked about every turn is as good as its neighbours, and as a note.
        days_alone = planned.pointed_owners and not plan.pointed_speakers
        near = {} if days_alone else lexical.around(rows, scores)
        rows += _standing_at(session, lexical.neighbours_wanted(rows, near, 8 + limit))
        return self._fetch(session, view, lexical.rank(rows, scores, near, plan, limit))

    def select(
        self, session: Session, view: View, where: str, given: Sequence[Any], rest: str = ""
    ) -> list[MemoryEntry]:
        """Return the entries of *view* that satisfy *where*, unranked.

        *given* fills the marks of *where*; a scope condition is added before *rest*.
        """
        owners = {owner.id: _scope_of(owner.key) for owner in view.owners}
        sql = f"SELECT {_ENTRY} FROM memory_entries WHERE {where} AND {within(view)} {rest}"
        rows = session.conn.execute(sql, (*given, *owners)).fetchall()
        return [
            self._entry((*row[:4], moment(row[4]), moment(row[5])), owners[row[6]], None)
            for row in rows
        ]

    def drop(self, ids: Sequence[int]) -> None:
        """Let go of what is kept in memory of the entries with these row numbers."""
        for ident in ids:
            self._candidates_kept.rows.pop(ident, None)
            self._entries_kept.rows.pop(ident, None)

    def _candidates(self, session: Session, wanted: Search, depth: int) -> list[Candidate]:
        found: Sequence[int]
        if not wanted.tokens:
            found = ()
        elif wanted.matches <= _ALL * depth:  # so few: ranking them here is quicker than in FTS5
            found = matching(session, wanted.tokens)
        else:
            found = self._engine.best(session, wanted, depth)
        if wanted.pointed_owners:
            found = [*found, *_pointed(session, wanted, depth)]
        rows = self._candidates_kept.rows
        have = {ident: rows.get(ident) for ident in found}
        missing = [ident for ident, row in have.items() if row is None]
        if missing:
            sql = f"SELECT {_CANDIDATE}, terms FROM memory_entries WHERE id IN ({_marks(missing)})"
            for row in session.conn.execute(sql, missing):
                candidate = have[row[0]] = Candidate.of(row)
                self._candidates_kept.keep(row[0], candidate, row[4] + 8)
        return [row for row in have.values() if row is not None]

    def _fetch(
        self, session: Session, view: View, best: list[tuple[float, int]]
    ) -> list[MemoryEntry]:
        rows = self._entries_kept.rows
        have = {ident: rows.get(ident) for _, ident in best}
        missing = [ident for ident, row in have.items() if row is None]
        if missing:
            sql = f"SELECT {_ENTRY} FROM memory_entries WHERE id IN ({_marks(missing)})"
            for row in session.conn.execute(sql, missing):
                row = have[row[0]] = (*row[:4], moment(row[4]), moment(row[5]), row[6])
                self._entries_kept.keep(row[0], row, len(row[2]) + len(row[3] or "") + 200)
        owners = {owner.id: _scope_of(owner.key) for owner in view.owners}
        entries = []
        for score, ident in best:
            row = have[ident]
            if row is not None and row[6] in owners:
                entries.append(self._entry(row, owners[row[6]], score))
        return entries

    def _entry(self, row: tuple[Any, ...], scope: Scope | None, score: float | None) -> MemoryEntry:
        # Metadata are read anew each time: the caller may change what it gets.
        return MemoryEntry(
            row[2], self._store, row[1], score, row[4], row[5],
            json.loads(row[3]) if row[3] else None, scope,
        )  # fmt: skip


@lru_cache(maxsize=4_096)
def _scope_of(key: str) -> Scope | None:
    return Scope(**json.loads(key)) if key != "{}" else None


def _depth(view: View, limit: int, tokens: int) -> int:
    """Return how many candidates to rank.

    A long question matches more, and less sharply; in a conversation, neighbours and speakers lift
    turns from further below.
    """
    return min((24 if view.speakers else 4) + 2 * limit + 6 * max(tokens - 6, 0), 2_048)


def _standing_at(session: Session, places: list[int]) -> list[Candidate]:
    """Return the turns at *places*; what stands where is remembered until somebody writes."""
    memo: dict[int, list[Candidate]] = session.memo.setdefault("places", {})
    missing = [place for place in places if place not in memo]
    if missing:
        if len(memo) > _PLACES_KEPT:
            memo.clear()
        memo.update((place, []) for place in places)
        sql = f"SELECT {_CANDIDATE} FROM memory_entries WHERE place IN ({_marks(places)})"
        for row in session.conn.execute(sql, places):
            memo[row[2]].append(Candidate(*row))
    return [row for place in places for row in memo[place]]


def _pointed(session: Session, wanted: Search, limit: int) -> list[int]:
    """Return the newest entries of the days and speakers asked about, at most *limit*."""
    spans = wanted.plan.periods or ((0, date.max.toordinal()),)
    column, keys = "speaker", sorted(wanted.plan.pointed_speakers)
    if not keys:
        owners = sorted(wanted.pointed_owners, key=lambda owner: owner.day, reverse=True)
        column, keys = "scope", [owner.id for owner in owners]
    sql = (
        f"SELECT id FROM memory_entries WHERE {column} = ? AND day BETWEEN ? AND ?"
        " ORDER BY day DESC, id DESC LIMIT ?"
    )
    found: dict[int, None] = {}
    for key in keys[:_MOST_POINTED]:
        for first, last in spans[:_MOST_POINTED]:
            rows = session.conn.execute(sql, (key, first, last, limit))
            found.update((row[0], None) for row in rows)
        if len(found) >= limit:
            break
    return list(found)[:limit]


def _marks(values: Sequence[object]) -> str:
    return ",".join("?" * len(values))


def within(view: View) -> str:
    """Return the SQL condition that an entry belongs to *view*."""
    return f"scope IN ({_marks(view.owners)})"


def view_of(session: Session, scope: Scope | None) -> View:
    """Return what *scope* may read; None is everything."""
    memo = session.memo
    view: View | None = memo.get(scope)
    if view is None:
        view = memo[scope] = _load_view(session, scope)
    return view


def _load_view(session: Session, scope: Scope | None) -> View:
    sql = "SELECT id, key, entries, terms, day, languages FROM memory_scopes"
    keys: list[str] = []
    if scope is not None:
        keys = _visible_keys(scope)
        sql += f" WHERE key IN ({_marks(keys)})"
    owners = [
        Owner(row[0], row[1], row[2], row[3], row[4], tuple(row[5].split()))
        for row in session.conn.execute(sql, keys)
        if row[2] > 0
    ]
    speakers = session.conn.execute(
        f"SELECT id, name FROM memory_speakers WHERE scope IN ({_marks(owners)}) LIMIT ?",
        (*(owner.id for owner in owners), _MOST_SPEAKERS),
    ).fetchall()
    return View.of(owners, speakers)


def _visible_keys(scope: Scope) -> list[str]:
    """Return every owner whose entries *scope* sees: each choice of its ids, none included."""
    ids = list(scope.ids().items())
    return [
        scope_key(Scope(**dict(chosen)))
        for size in range(len(ids) + 1)
        for chosen in combinations(ids, size)
    ]
