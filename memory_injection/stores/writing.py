"""Writing entries: rows, index and counters in one transaction."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice

from ..records import Scope
from ..text import marked_terms, term_words
from ..text.languages import guess_words
from .drafts import Draft, day_of, stamp
from .questions import token
from .schema import PLACES

__all__ = [
    "Written",
    "analyse_anew",
    "delete",
    "forget_engines",
    "owners_within",
    "sweep",
    "write",
]

_MOST_TERMS = 20_000  # of one entry; what comes after is kept, but not found by its words
_CHUNK = 400  # SQL parameters in one statement
_SURE = 3  # function words, and a fifth of all words
_DEFAULT = "en"  # language of a text that tells nothing, in a store that has seen nothing else

_INSERT = (
    "INSERT INTO memory_entries (id, scope, place, speaker, length, day, terms, external, pinned,"
    " content, metadata, created, updated) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)


@dataclass(slots=True)
class Written:
    """What a write did: the ids in the order given, and how many rows were new or changed.

    ``largest`` is how many entries the largest of the owners has now.
    """

    ids: list[str] = field(default_factory=list)
    added: int = 0
    updated: int = 0
    unchanged: int = 0
    largest: int = 0


@dataclass(slots=True)
class _Owner:
    """The counters of one owner while a transaction runs.

    ``new`` holds what was written for an owner who had nothing before, so that nobody else's rows
    need be looked through for it; None for an owner who had.
    """

    id: int
    entries: int
    terms: int
    day: int
    languages: list[str]
    new: set[str] | None = None
    threads: dict[str, tuple[int, int]] = field(default_factory=dict)
    speakers: dict[str, int] = field(default_factory=dict)
    prefix: str = field(init=False)

    def __post_init__(self) -> None:
        self.prefix = token(self.id, "")


@dataclass(frozen=True, slots=True)
class _Old:
    """An entry that is there already."""

    id: int
    content: str
    metadata: str | None
    created: int
    length: int
    terms: str


def write(
    conn: sqlite3.Connection, drafts: Sequence[Draft], now: datetime, language: str | None = None
) -> Written:
    """Write *drafts* inside the caller's transaction.

    A draft whose id its owner has already replaces that entry if anything differs, keeping the
    time it was first written.

    Args:
        conn: a connection inside a write transaction.
        drafts: what to write, in order; of equal ids the last counts.
        now: time of writing, for drafts without one.
        language: of all texts; None guesses for each.
    """
    done = Written()
    written = stamp(now)
    owners: dict[str, _Owner] = {}
    last = conn.execute("SELECT seq FROM sqlite_sequence WHERE name = 'memory_entries'").fetchone()
    ident = last[0] if last else 0
    for batch in _batches(drafts):
        rows: list[tuple[object, ...]] = []
        replaced: list[int] = []
        chosen = {(d.owner, d.external): d for d in batch}
        known = _known(conn, chosen, owners)
        for (key, external), draft in chosen.items():
            owner = owners[key]
            old = known.get((owner.id, external))
            if old is not None and (old.content, old.metadata) == (draft.content, draft.metadata):
                done.unchanged += 1
                continue
            if old is not None:
                _remove(conn, owner, old)
                replaced.append(old.id)
                done.updated += 1
            else:
                done.added += 1
            ident += 1
            if owner.new is not None:
                owner.new.add(external)
            rows.append(_row(conn, ident, owner, draft, old, written, language))
        _note_removed(conn, replaced)
        conn.executemany(_INSERT, rows)
        conn.executemany(
            "INSERT INTO memory_lexicon (rowid, terms) VALUES (?, ?)",
            [(row[0], row[6]) for row in rows],
        )
        done.ids.extend(d.external for d in batch)
    for owner in owners.values():
        _save(conn, owner)
        done.largest = max(done.largest, owner.entries)
    return done


def delete(conn: sqlite3.Connection, ids: Iterable[int]) -> int:
    """Delete the entries with these row numbers inside the caller's transaction; return how many.

    Their owners, sessions and speakers stay until :func:`sweep`.
    """
    gone = 0
    for chunk in _chunks(ids, _CHUNK):
        marks = ",".join("?" * len(chunk))
        rows = conn.execute(
            f"SELECT id, scope, length, terms FROM memory_entries WHERE id IN ({marks})", chunk
        ).fetchall()
        conn.executemany(
            "INSERT INTO memory_lexicon (memory_lexicon, rowid, terms) VALUES ('delete', ?, ?)",
            [(row[0], row[3]) for row in rows],
        )
        conn.executemany(
            "UPDATE memory_scopes SET entries = entries - 1, terms = terms - ? WHERE id = ?",
            [(row[2], row[1]) for row in rows],
        )
        conn.execute(f"DELETE FROM memory_entries WHERE id IN ({marks})", chunk)
        _note_removed(conn, [row[0] for row in rows])
        gone += len(rows)
    return gone


def sweep(conn: sqlite3.Connection) -> None:
    """Remove owners, sessions and speakers that no entry refers to: they can be personal data."""
    conn.execute("DELETE FROM memory_scopes WHERE entries <= 0")
    for table in ("memory_threads", "memory_speakers"):
        conn.execute(f"DELETE FROM {table} WHERE scope NOT IN (SELECT id FROM memory_scopes)")


def owners_within(conn: sqlite3.Connection, scope: Scope) -> list[int]:
    """Return the owners that carry all of *scope*'s ids."""
    wanted = scope.ids().items()
    return [
        ident
        for ident, key in conn.execute("SELECT id, key FROM memory_scopes")
        if wanted <= json.loads(key).items()
    ]


def _batches(drafts: Sequence[Draft]) -> Iterator[Sequence[Draft]]:
    for start in range(0, len(drafts), _CHUNK):
        yield drafts[start : start + _CHUNK]


def _chunks(items: Iterable[int], size: int) -> Iterator[list[int]]:
    rest = iter(items)
    while chunk := list(islice(rest, size)):
        yield chunk


def _known(
    conn: sqlite3.Connection, chosen: dict[tuple[str, str], Draft], owners: dict[str, _Owner]
) -> dict[tuple[int, str], _Old]:
    """Return the entries that are there already; load their owners on the way."""
    by_owner: dict[int, list[str]] = {}
    for key, external in chosen:
        owner = owners.get(key) or _load(conn, key, owners)
        if owner.new is None or external in owner.new:
            by_owner.setdefault(owner.id, []).append(external)
    found: dict[tuple[int, str], _Old] = {}
    for scope, names in by_owner.items():
        marks = ",".join("?" * len(names))
        for external, *rest in conn.execute(
            "SELECT external, id, content, metadata, created, length, terms FROM memory_entries"
            f" WHERE scope = ? AND external IN ({marks})",
            (scope, *names),
        ):
            found[scope, external] = _Old(*rest)
    return found


def _load(conn: sqlite3.Connection, key: str, owners: dict[str, _Owner]) -> _Owner:
    conn.execute("INSERT OR IGNORE INTO memory_scopes (key) VALUES (?)", (key,))
    row = conn.execute(
        "SELECT id, entries, terms, day, languages FROM memory_scopes WHERE key = ?", (key,)
    ).fetchone()
    new: set[str] | None = None if row[1] else set()
    owner = owners[key] = _Owner(row[0], row[1], row[2], row[3], row[4].split(), new)
    return owner


def _save(conn: sqlite3.Connection, owner: _Owner) -> None:
    conn.execute(
        "UPDATE memory_scopes SET entries = ?, terms = ?, day = ?, languages = ? WHERE id = ?",
        (owner.entries, owner.terms, owner.day, " ".join(owner.languages), owner.id),
    )


def _remove(conn: sqlite3.Connection, owner: _Owner, old: _Old) -> None:
    conn.execute(
        "INSERT INTO memory_lexicon (memory_lexicon, rowid, terms) VALUES ('delete', ?, ?)",
        (old.id, old.terms),
    )
    conn.execute("DELETE FROM memory_entries WHERE id = ?", (old.id,))
    owner.entries -= 1
    owner.terms -= old.length


def _note_removed(conn: sqlite3.Connection, ids: Sequence[int]) -> None:
    if ids and conn.execute("SELECT 1 FROM memory_engines LIMIT 1").fetchone():
        conn.executemany("INSERT INTO memory_removed (entry) VALUES (?)", [(one,) for one in ids])


def forget_engines(conn: sqlite3.Connection) -> None:
    """Start afresh after an erasure: no engine has an index of this file any more."""
    conn.execute("DELETE FROM memory_engines")
    conn.execute("DELETE FROM memory_removed")
    if conn.execute("SELECT 1 FROM sqlite_master WHERE name = 'memory_segments'").fetchone():
        conn.execute("DELETE FROM memory_segments")


def _row(
    conn: sqlite3.Connection,
    ident: int,
    owner: _Owner,
    draft: Draft,
    old: _Old | None,
    now: int,
    language: str | None,
) -> tuple[object, ...]:
    content, external, _, metadata, created, updated, speaker, session, turn, pinned = draft
    language, marked, length = _analysed(content, owner, language)
    if language not in owner.languages:
        owner.languages.append(language)
    said = now if created is None else created
    day = day_of(said)
    owner.entries += 1
    owner.terms += length
    if day > owner.day:
        owner.day = day
    changed = now if old else said
    return (
        ident,
        owner.id,
        None if session is None else _place(conn, owner, session, turn),
        None if speaker is None else _speaker(conn, owner, speaker),
        length,
        day,
        marked.replace("_", owner.prefix),
        external,
        int(pinned),
        content,
        metadata,
        old.created if old and created is None else said,
        changed if updated is None else updated,
    )


def _analysed(content: str, owner: _Owner, language: str | None) -> tuple[str, str, int]:
    """Return the language of *content*, its marked search terms and how many they are."""
    words = term_words(content)
    usual = owner.languages[0] if owner.languages else _DEFAULT
    marked = marked_terms(words, language or usual)
    length = marked.count("_")
    if language is None:
        # So many of its function words: no need to try the others.
        if len(words) - length < max(_SURE, len(words) // 5):
            language = guess_words(content, words, owner.languages)
            if language is not None and language != usual:
                marked = marked_terms(words, language)
                length = marked.count("_")
        language = language or usual
    if length > _MOST_TERMS:
        length = _MOST_TERMS
        marked = "".join([f" {term} " for term in marked.split()[:length]])
    return language, marked, length


def analyse_anew(conn: sqlite3.Connection) -> None:
    """Cut every text into terms again, inside the caller's transaction.

    A text keeps to the languages its owner has: a store may have been told which one.
    """
    owners = {
        row[0]: _Owner(row[0], 0, 0, 0, row[1].split())
        for row in conn.execute("SELECT id, languages FROM memory_scopes")
    }
    last = 0
    while rows := conn.execute(
        "SELECT id, scope, content FROM memory_entries WHERE id > ? ORDER BY id LIMIT ?",
        (last, _CHUNK),
    ).fetchall():
        cut = []
        for ident, scope, content in rows:
            owner = owners[scope]
            language, marked, length = _analysed(content, owner, None)
            if owner.languages and language not in owner.languages:
                _, marked, length = _analysed(content, owner, owner.languages[0])
            owner.terms += length
            cut.append((marked.replace("_", owner.prefix), length, ident))
        conn.executemany("UPDATE memory_entries SET terms = ?, length = ? WHERE id = ?", cut)
        last = rows[-1][0]
    if last:
        conn.execute("INSERT INTO memory_lexicon (memory_lexicon) VALUES ('rebuild')")
        conn.executemany(
            "UPDATE memory_scopes SET terms = ? WHERE id = ?",
            [(owner.terms, owner.id) for owner in owners.values()],
        )


def _speaker(conn: sqlite3.Connection, owner: _Owner, name: str) -> int:
    ident = owner.speakers.get(name)
    if ident is None:
        key = (owner.id, name)
        conn.execute("INSERT OR IGNORE INTO memory_speakers (scope, name) VALUES (?, ?)", key)
        ident = owner.speakers[name] = conn.execute(
            "SELECT id FROM memory_speakers WHERE scope = ? AND name = ?", key
        ).fetchone()[0]
    return ident


def _place(conn: sqlite3.Connection, owner: _Owner, session: str, turn: int | None) -> int | None:
    """Return where the turn stands; a turn without a number comes after the last."""
    thread, following = owner.threads.get(session) or _thread(conn, owner, session)
    turn = following if turn is None else turn
    owner.threads[session] = (thread, max(following, turn + 1))
    return thread * PLACES + turn if turn < PLACES - 2 else None


def _thread(conn: sqlite3.Connection, owner: _Owner, session: str) -> tuple[int, int]:
    key = (owner.id, session)
    conn.execute("INSERT OR IGNORE INTO memory_threads (scope, session) VALUES (?, ?)", key)
    thread = conn.execute(
        "SELECT id FROM memory_threads WHERE scope = ? AND session = ?", key
    ).fetchone()[0]
    last = conn.execute(
        "SELECT max(place) FROM memory_entries WHERE place BETWEEN ? AND ?",
        (thread * PLACES, (thread + 1) * PLACES - 1),
    ).fetchone()[0]
    return thread, 0 if last is None else last - thread * PLACES + 1
