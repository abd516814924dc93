"""Engines: what finds the candidates that :mod:`~memory_injection.stores.recall` ranks.

FTS5 is built in and always there. For scopes too large for it, ``memory_injection[fast]`` brings
another, which looks after an index of its own and leaves to FTS5 what it does not cover.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from typing import Protocol

from ..errors import ConfigurationError, MissingDependencyError
from .database import MEMORY, Database, Session
from .questions import Search

__all__ = ["FTS5", "LARGE", "Engine", "engine_for", "matching"]

LARGE = 50_000
"""Entries in one scope from which another engine is worth its index.

At 10,000 the best rows cost FTS5 half a millisecond, at 100,000 some five.
"""

_MATCHING = "SELECT rowid FROM memory_lexicon WHERE memory_lexicon MATCH ?"
_BEST = f"{_MATCHING} AND rowid > ? ORDER BY rank LIMIT ?"


class Engine(Protocol):
    """Finds the rows that fit best, by the index tokens they hold."""

    def best(self, session: Session, wanted: Search, depth: int) -> Sequence[int]:
        """Return the row numbers of the *depth* best rows (and perhaps more), each once."""
        ...

    def written(self, database: Database, largest: int, *, removed: bool = False) -> None:
        """Hear that something was written; never raises.

        Args:
            database: the file.
            largest: entries of the largest owner written for.
            removed: whether entries were deleted by request.
        """
        ...

    def close(self) -> None:
        """Let go of what is open."""
        ...


def matching(session: Session, tokens: Sequence[str]) -> list[int]:
    """Return the row numbers of every row that holds one of *tokens*."""
    return [row[0] for row in session.conn.execute(_MATCHING, (_any(tokens),))]


class FTS5:
    """SQLite's own full-text search: the index is part of the file and of its transactions."""

    def best(self, session: Session, wanted: Search, depth: int, after: int = 0) -> Sequence[int]:
        """Return the row numbers of the *depth* best rows above number *after*."""
        given = (_any(wanted.tokens), after, depth)
        return [row[0] for row in session.conn.execute(_BEST, given)]

    def written(self, database: Database, largest: int, *, removed: bool = False) -> None:
        """Do nothing: the index was written with the rows."""

    def close(self) -> None:
        """Do nothing: the file is closed elsewhere."""


def engine_for(name: str, path: str, store: str) -> Engine:
    """Return the engine called *name* for the file at *path*.

    Args:
        name: "fts5"; "tantivy" (from the first entry on); "auto" is tantivy in scopes of at least
            ``LARGE`` entries where it is installed, else FTS5.
        path: the store's file; in memory only FTS5 works.
        store: name of the store, for the log.

    Raises:
        ConfigurationError: no such engine, or tantivy without a file.
        MissingDependencyError: tantivy is asked for and not installed.
    """
    if name not in ("auto", "fts5", "tantivy"):
        raise ConfigurationError(f"engine must be 'auto', 'fts5' or 'tantivy', not {name!r}")
    if name == "tantivy" and path == MEMORY:
        raise ConfigurationError("engine='tantivy' needs a file: its index lies beside it")
    there = importlib.util.find_spec("tantivy") is not None
    if name == "tantivy" and not there:
        raise MissingDependencyError("tantivy", "fast", "engine='tantivy'")
    if name == "fts5" or path == MEMORY or not there:
        return FTS5()
    from .tantivy_engine import Tantivy

    return Tantivy(path, LARGE if name == "auto" else 1, store)


def _any(tokens: Sequence[str]) -> str:
    return " OR ".join([f'"{one}"' for one in tokens])
