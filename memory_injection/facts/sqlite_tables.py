"""The rows behind :class:`Reader` and :class:`Writer` in SQLite."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from .backend import Reply, Space, Stored
from .model import Fact, Source, moment
from .paths import Folder
from .ranking import Posting

__all__ = ["SQLiteReader", "SQLiteWriter"]

_FACT = "id, path, text, tags, confidence, version, created, updated, run, written_by"
_STORED = (
    "SELECT f.id, f.path, f.text, f.tags, f.confidence, f.version, f.created, f.updated, f.run,"
    " f.written_by, s.agent, s.owner, s.session, s.run, f.row, f.metadata"
    " FROM facts f JOIN fact_spaces s USING (space)"
)
# Sorts after every word: no word holds the last code point.
_LAST = "\U0010ffff"
_CHUNK = 500


class SQLiteReader:
    """Reads within one transaction of *db*."""

    def __init__(self, db: sqlite3.Connection) -> None:
        """Read through *db*."""
        self._db = db
        self._spaces: dict[Space, int | None] = {}

    def reply(self, to: Reply) -> Fact | None:
        """Return what the first write with this key answered, or None."""
        found = self._db.execute(
            "SELECT fact FROM fact_replies"
            " WHERE agent = ? AND user = ? AND session = ? AND run = ? AND key = ?",
            (*_owner(to), to.key),
        ).fetchone()
        return None if found is None else _fact(json.loads(found[0]))

    def find(self, ident: str) -> Stored | None:
        """Return the current version of a fact of any space, or None."""
        found = self._db.execute(f"{_STORED} WHERE f.id = ?", (ident,)).fetchone()
        return None if found is None else _stored(found)

    def earlier(self, ident: str) -> list[Fact]:
        """Return the versions before the current one, oldest first."""
        rows = self._db.execute(
            f"SELECT {_FACT} FROM fact_versions WHERE id = ? ORDER BY version", (ident,)
        )
        return [_fact(row) for row in rows]

    def latest(self, agent: str) -> int:
        """Return the time of the agent's last write, microseconds since 1970; 0 if none."""
        return self._one("SELECT latest FROM fact_agents WHERE agent = ?", agent)

    def count(self, agent: str) -> int:
        """Return how many facts the agent holds, its users' included."""
        return self._one("SELECT facts FROM fact_agents WHERE agent = ?", agent)

    def held(self, agent: str, owner: str) -> int:
        """Return how many facts one end user's folder holds."""
        return self._one(
            "SELECT coalesce(sum(facts), 0) FROM fact_spaces WHERE agent = ? AND owner = ?",
            agent,
            owner,
        )

    def totals(self, spaces: Sequence[Space]) -> tuple[int, int]:
        """Return (facts, words) of these spaces."""
        facts = words = 0
        for number in self._numbers(spaces):
            row = self._db.execute(
                "SELECT facts, words FROM fact_spaces WHERE space = ?", (number,)
            ).fetchone()
            facts, words = facts + row[0], words + row[1]
        return facts, words

    def postings(self, spaces: Sequence[Space], word: str) -> list[Posting]:
        """Return where words that begin with *word* occur."""
        found: list[Posting] = []
        for number in self._numbers(spaces):
            found += self._db.execute(
                "SELECT row, count * ? / length(word), words FROM fact_postings"
                " WHERE space = ? AND word >= ? AND word < ?",
                (float(len(word)), number, word, word + _LAST),
            ).fetchall()
        return found

    def rows_in(
        self, spaces: Sequence[Space], folders: Sequence[Folder] | None, tags: Sequence[str]
    ) -> set[int]:
        """Return the rows below one of *folders* (None: anywhere) with all *tags*."""
        parts = [self._tagged(spaces, tag) for tag in tags]
        if folders is not None:
            parts.append(self._below(spaces, folders))
        return set.intersection(*parts) if parts else self._below(spaces, [Folder("")])

    def _tagged(self, spaces: Sequence[Space], tag: str) -> set[int]:
        found: set[int] = set()
        for number in self._numbers(spaces):
            found.update(
                row
                for (row,) in self._db.execute(
                    "SELECT row FROM fact_postings WHERE space = ? AND word = ?",
                    (number, _tag_word(tag)),
                )
            )
        return found

    def _below(self, spaces: Sequence[Space], folders: Sequence[Folder]) -> set[int]:
        found: set[int] = set()
        for number in self._numbers(spaces):
            for folder in folders:
                found.update(
                    row
                    for (row,) in self._db.execute(
                        "SELECT row FROM facts WHERE space = ? AND path >= ? AND path < ?",
                        (number, folder.path, folder.path + _LAST),
                    )
                )
        return found

    def load(self, rows: Sequence[int]) -> list[Stored]:
        """Return the facts at *rows*, in that order."""
        found: dict[int, Stored] = {}
        for at in range(0, len(rows), _CHUNK):
            part = rows[at : at + _CHUNK]
            marks = ",".join("?" * len(part))
            for row in self._db.execute(f"{_STORED} WHERE f.row IN ({marks})", part):
                stored = _stored(row)
                found[stored.row] = stored
        return [found[row] for row in rows]

    def newest(
        self,
        spaces: Sequence[Space],
        folders: Sequence[Folder] | None,
        tags: Sequence[str],
        *,
        limit: int,
        after: tuple[int, str] | None = None,
    ) -> list[Stored]:
        """Return facts by last update, then id, both descending, going on *after* that pair."""
        found: list[Stored] = []
        for number in self._numbers(spaces):
            wheres, values = _filters(number, folders, tags, after)
            found += map(
                _stored,
                self._db.execute(
                    f"{_STORED} WHERE {' AND '.join(wheres)}"
                    " ORDER BY f.updated DESC, f.id DESC LIMIT ?",
                    (*values, limit),
                ),
            )
        found.sort(key=lambda one: (one.fact.updated_at, one.fact.id), reverse=True)
        return found[:limit]

    def _one(self, sql: str, *values: Any) -> int:
        row = self._db.execute(sql, values).fetchone()
        return 0 if row is None else int(row[0])

    def _numbers(self, spaces: Iterable[Space]) -> list[int]:
        return [n for n in map(self._number, spaces) if n is not None]

    def _number(self, space: Space) -> int | None:
        if space not in self._spaces:
            row = self._db.execute(
                "SELECT space FROM fact_spaces"
                " WHERE agent = ? AND owner = ? AND session = ? AND run = ?",
                _columns(space),
            ).fetchone()
            self._spaces[space] = None if row is None else int(row[0])
        return self._spaces[space]


class SQLiteWriter(SQLiteReader):
    """Writes within one transaction of *db*."""

    def put(self, new: Stored, words: Mapping[str, int], old: Stored | None = None) -> None:
        """Keep *new* and index *words* (how often each occurs); *old* becomes history."""
        if old is not None:
            self._archive(old)
        number, fact, total = self._ensure(new.space), new.fact, sum(words.values())
        indexed = sorted({**words, **dict.fromkeys(map(_tag_word, fact.tags), 1)}.items())
        row = self._db.execute(
            f"INSERT INTO facts (space, words, indexed, metadata, {_FACT})"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                number,
                total,
                " ".join(word for word, _ in indexed),
                None if new.metadata is None else json.dumps(new.metadata),
                *_values(fact),
            ),
        ).lastrowid
        self._db.executemany(
            "INSERT INTO fact_postings VALUES (?, ?, ?, ?, ?)",
            [(number, word, row, count, total) for word, count in indexed],
        )
        self._db.execute(
            "UPDATE fact_spaces SET facts = facts + 1, words = words + ? WHERE space = ?",
            (total, number),
        )
        self._db.execute(
            "INSERT INTO fact_agents VALUES (?, 1, ?) ON CONFLICT (agent)"
            " DO UPDATE SET facts = facts + 1, latest = excluded.latest",
            (new.space.agent, _micro(fact.updated_at)),
        )

    def keep_reply(self, to: Reply, fact: Fact) -> None:
        """Remember *fact* as the answer to this key."""
        self._db.execute(
            "INSERT INTO fact_replies VALUES (?, ?, ?, ?, ?, ?)",
            (*_owner(to), to.key, json.dumps(_values(fact))),
        )

    def remove(self, stored: Stored) -> None:
        """Remove a fact with its earlier versions and index rows."""
        self._take_out(stored)
        self._db.execute("DELETE FROM fact_versions WHERE id = ?", (stored.fact.id,))

    def erase(
        self,
        agent: str | None,
        owner: str | None,
        session: str | None = None,
        run: str | None = None,
    ) -> int:
        """Remove the spaces with these ids and their idempotency rows; None is any.

        Returns how many facts they held.
        """
        wheres, values = _matching(agent=agent, owner=owner, session=session, run=run)
        theirs = self._db.execute(
            f"SELECT space, agent, facts FROM fact_spaces WHERE {wheres}", values
        ).fetchall()
        wheres, values = _matching(agent=agent, user=owner, session=session, run=run)
        self._db.execute(f"DELETE FROM fact_replies WHERE {wheres}", values)
        for number, whose, facts in theirs:
            for table in ("fact_postings", "fact_versions", "facts", "fact_spaces"):
                self._db.execute(f"DELETE FROM {table} WHERE space = ?", (number,))
            self._db.execute(
                "UPDATE fact_agents SET facts = facts - ? WHERE agent = ?", (facts, whose)
            )
        self._spaces.clear()
        return sum(facts for *_, facts in theirs)

    def _archive(self, old: Stored) -> None:
        self._db.execute(
            f"INSERT INTO fact_versions (space, {_FACT})"
            f" SELECT space, {_FACT} FROM facts WHERE row = ?",
            (old.row,),
        )
        self._take_out(old)

    def _take_out(self, stored: Stored) -> None:
        number = self._number(stored.space)
        # What was indexed is read back, not worked out again: how texts are cut into words may
        # have changed since.
        words, indexed = self._db.execute(
            "SELECT words, indexed FROM facts WHERE row = ?", (stored.row,)
        ).fetchone()
        self._db.executemany(
            "DELETE FROM fact_postings WHERE space = ? AND word = ? AND row = ?",
            [(number, word, stored.row) for word in indexed.split(" ")],
        )
        self._db.execute("DELETE FROM facts WHERE row = ?", (stored.row,))
        self._db.execute(
            "UPDATE fact_spaces SET facts = facts - 1, words = words - ? WHERE space = ?",
            (words, number),
        )
        self._db.execute(
            "UPDATE fact_agents SET facts = facts - 1 WHERE agent = ?", (stored.space.agent,)
        )

    def _ensure(self, space: Space) -> int:
        number = self._number(space)
        if number is None:
            cursor = self._db.execute(
                "INSERT INTO fact_spaces (agent, owner, session, run) VALUES (?, ?, ?, ?)",
                _columns(space),
            )
            number = self._spaces[space] = int(cursor.lastrowid or 0)
        return number


def _filters(
    number: int,
    folders: Sequence[Folder] | None,
    tags: Sequence[str],
    after: tuple[int, str] | None,
) -> tuple[list[str], list[Any]]:
    wheres: list[str] = ["f.space = ?"]
    values: list[Any] = [number]
    if folders is not None:
        wheres.append("(" + " OR ".join(["f.path >= ? AND f.path < ?"] * len(folders)) + ")")
        for folder in folders:
            values += [folder.path, folder.path + _LAST]
    for tag in tags:
        wheres.append(
            "EXISTS (SELECT 1 FROM fact_postings p"
            " WHERE p.space = f.space AND p.word = ? AND p.row = f.row)"
        )
        values.append(_tag_word(tag))
    if after is not None:
        wheres.append("(f.updated < ? OR f.updated = ? AND f.id < ?)")
        values += [after[0], after[0], after[1]]
    return wheres, values


def _matching(**ids: str | None) -> tuple[str, list[str]]:
    """Return a WHERE clause and its values; None restricts nothing."""
    given = {column: value for column, value in ids.items() if value is not None}
    return " AND ".join(["1", *(f"{column} = ?" for column in given)]), list(given.values())


def _columns(space: Space) -> tuple[str, str, str, str]:
    return space.agent, space.owner or "", space.session or "", space.run or ""


def _owner(to: Reply) -> tuple[str, str, str, str]:
    return to.agent, to.user or "", to.session or "", to.run or ""


def _tag_word(tag: str) -> str:
    # No word begins with this sign, so a query never matches a tag.
    return f"#{tag}"


def _micro(when: datetime) -> int:
    return (when - moment(0)) // timedelta(microseconds=1)


def _values(fact: Fact) -> tuple[Any, ...]:
    """Return the columns :data:`_FACT` of *fact*."""
    return (
        fact.id,
        fact.path,
        fact.text,
        " ".join(fact.tags),
        fact.confidence,
        fact.version,
        _micro(fact.created_at),
        _micro(fact.updated_at),
        fact.source.run_id,
        fact.source.written_by,
    )


def _fact(row: Sequence[Any]) -> Fact:
    ident, path, text, tags, confidence, version, created, updated, run, written_by = row[:10]
    return Fact(
        ident,
        path,
        text,
        tuple(tags.split()),
        confidence,
        version,
        moment(created),
        moment(updated),
        Source(run, written_by),
    )


def _stored(row: Sequence[Any]) -> Stored:
    agent, owner, session, run, number, metadata = row[10:16]
    return Stored(
        _fact(row),
        Space(agent, owner or None, session or None, run or None),
        number,
        None if metadata is None else json.loads(metadata),
    )
