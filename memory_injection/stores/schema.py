"""Tables of the lexical store: numbered, append-only migrations.

Never edit a migration that has been released: add the next one.

- ``memory_scopes``: one row per owner (the ids an entry was written for), with its size
- ``memory_entries``: the memories. ``terms`` are the stemmed words, each with its owner's prefix
  and spaces on both sides; ``place`` is thread * 2**20 + turn, so that neighbouring turns have
  neighbouring places and turns of two sessions or owners never do; times are microseconds since
  1970, days are proleptic ordinals
- ``memory_engines``: further engines that have an index of this file; while there are any,
  ``memory_removed`` notes the rows deleted, for them to follow
- indexes by owner and day and by speaker and day, for questions that name nothing else
- ``memory_lexicon``: FTS5 over ``terms``; words are cut in Python, FTS5 only splits at spaces
"""

from __future__ import annotations

import sqlite3

__all__ = ["ANALYSIS", "MIGRATIONS", "PLACES", "prepare"]

ANALYSIS = 2
"""Which way of cutting texts into terms the rows follow; raised by each migration that cuts anew,
so that engines beside the file build their index again."""

PLACES = 1 << 20
"""Turns per thread; a turn beyond is stored without neighbours."""


def _entries(conn: sqlite3.Connection) -> None:
    # AUTOINCREMENT: a number is never used twice, so what is cached or indexed under one never
    # comes to be another owner's, session's or entry's.
    conn.execute(
        "CREATE TABLE memory_scopes (id INTEGER PRIMARY KEY AUTOINCREMENT,"
        " key TEXT NOT NULL UNIQUE, entries INTEGER NOT NULL DEFAULT 0,"
        " terms INTEGER NOT NULL DEFAULT 0, day INTEGER NOT NULL DEFAULT 0,"
        " languages TEXT NOT NULL DEFAULT '')"
    )
    conn.execute(
        "CREATE TABLE memory_threads (id INTEGER PRIMARY KEY AUTOINCREMENT, scope INTEGER NOT NULL,"
        " session TEXT NOT NULL, UNIQUE (scope, session))"
    )
    conn.execute(
        "CREATE TABLE memory_speakers (id INTEGER PRIMARY KEY, scope INTEGER NOT NULL,"
        " name TEXT NOT NULL, UNIQUE (scope, name))"
    )
    # `content` comes after `terms`: ranking reads rows only up to there.
    conn.execute(
        "CREATE TABLE memory_entries (id INTEGER PRIMARY KEY AUTOINCREMENT,"
        " scope INTEGER NOT NULL, place INTEGER, speaker INTEGER, length INTEGER NOT NULL,"
        " day INTEGER NOT NULL, terms TEXT NOT NULL, external TEXT NOT NULL,"
        " pinned INTEGER NOT NULL DEFAULT 0, content TEXT NOT NULL, metadata TEXT,"
        " created INTEGER NOT NULL, updated INTEGER NOT NULL, UNIQUE (scope, external))"
    )
    conn.execute("CREATE INDEX memory_places ON memory_entries (place) WHERE place IS NOT NULL")
    conn.execute("CREATE INDEX memory_pins ON memory_entries (scope) WHERE pinned")


def _lexicon(conn: sqlite3.Connection) -> None:
    conn.execute(
        "CREATE VIRTUAL TABLE memory_lexicon USING fts5(terms, content='memory_entries',"
        " content_rowid='id', tokenize=\"ascii tokenchars '_'\")"
    )
    conn.execute("INSERT INTO memory_lexicon (memory_lexicon) VALUES ('rebuild')")


def _engines(conn: sqlite3.Connection) -> None:
    conn.execute("CREATE TABLE memory_engines (name TEXT PRIMARY KEY) WITHOUT ROWID")
    conn.execute(
        "CREATE TABLE memory_removed"
        " (number INTEGER PRIMARY KEY AUTOINCREMENT, entry INTEGER NOT NULL)"
    )


def _days(conn: sqlite3.Connection) -> None:
    # "What happened in May?", "What did Lily say?": found by day and by speaker, newest first.
    conn.execute("CREATE INDEX memory_days ON memory_entries (scope, day)")
    conn.execute(
        "CREATE INDEX memory_turns ON memory_entries (speaker, day) WHERE speaker IS NOT NULL"
    )


def _terms_anew(conn: sqlite3.Connection) -> None:
    # Stems and stop words are others than before: texts are cut up again.
    from .writing import analyse_anew

    analyse_anew(conn)


# Cut anew for: Turkish roots; Korean pairs and thirteen more languages.
MIGRATIONS = (_entries, _lexicon, _engines, _days, _terms_anew, _terms_anew)


def prepare(conn: sqlite3.Connection) -> None:
    """Give a connection its view on how often each term occurs."""
    conn.execute(
        "CREATE VIRTUAL TABLE temp.memory_vocabulary USING"
        " fts5vocab('main', 'memory_lexicon', 'row')"
    )
