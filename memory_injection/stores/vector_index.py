"""Vector indexes: what a search by meaning looks at.

The exact one is always there: every entry of the caller's own. For scopes too large for it,
``memory_injection[ann]`` brings an approximate one, which picks entries and leaves small scopes to
the exact one.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ..errors import ConfigurationError, MissingDependencyError
from .database import MEMORY, Database, Session
from .hybrid import Floats, Level
from .matrices import Matrices, Matrix
from .questions import View
from .vectors import Model, Vectors

__all__ = ["LARGE", "Exact", "Seen", "VectorIndex", "highest", "vector_index_for"]

LARGE = 100_000
"""Entries in one scope above which an approximate index is worth building."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What a search looks at.

    Attributes:
        rows: entries, all or the promising ones.
        cosines: their similarity to the question; NaN where there is no vector.
        entries: how many there are in all.
        level: how the similarities of all of them lie; None if *rows* are all.
    """

    rows: Matrix
    cosines: Floats
    entries: int
    level: Level | None = None

    @property
    def compared(self) -> int:
        """How many of all the entries have a cosine, as far as those looked at tell."""
        return self.entries - int(np.isnan(self.cosines).sum())


class VectorIndex(Protocol):
    """Finds the entries whose vectors are nearest to a question's."""

    def search(
        self, session: Session, view: View, model: Model, vector: Vectors, also: Sequence[int]
    ) -> Seen:
        """Return the entries of *view* that are worth ranking.

        Args:
            session: a leased connection.
            view: what the caller may read.
            model: whose vectors.
            vector: the question's, of unit length.
            also: row numbers that must be among them, the most promising first.
        """
        ...

    def written(self, database: Database, model: Model, entries: int) -> None:
        """Hear that *entries* were written and embedded; never raises.

        May take minutes after an import.
        """
        ...

    def close(self) -> None:
        """Let go of what is open."""
        ...


class Exact:
    """Every entry of the caller's own: one matrix product."""

    def __init__(self) -> None:
        self.matrices = Matrices()

    def search(
        self, session: Session, view: View, model: Model, vector: Vectors, also: Sequence[int]
    ) -> Seen:
        """Return all entries of *view*."""
        rows = self.matrices.of_view(session, view, model)
        return Seen(rows, rows.cosines(vector), len(rows.ids))

    def written(self, database: Database, model: Model, entries: int) -> None:
        """Do nothing: the next search reads what was added."""

    def close(self) -> None:
        """Let go of what is kept in memory."""
        self.matrices = Matrices()


def vector_index_for(name: str, path: str, store: str) -> VectorIndex:
    """Return the index called *name* for the file at *path*.

    Args:
        name: "exact"; "usearch" (from the first entry on); "auto" is usearch in scopes of more
            than ``LARGE`` entries where it is installed, else exact.
        path: the store's file; in memory only the exact one works.
        store: name of the store, for the log.

    Raises:
        ConfigurationError: no such index, or usearch without a file.
        MissingDependencyError: usearch is asked for and not installed.
    """
    if name not in ("auto", "exact", "usearch"):
        raise ConfigurationError(f"index must be 'auto', 'exact' or 'usearch', not {name!r}")
    if name == "usearch" and path == MEMORY:
        raise ConfigurationError("index='usearch' needs a file: its index lies beside it")
    there = importlib.util.find_spec("usearch") is not None
    if name == "usearch" and not there:
        raise MissingDependencyError("usearch", "ann", "index='usearch'")
    if name == "exact" or path == MEMORY or not there:
        return Exact()
    from .usearch_index import Approximate

    return Approximate(path, LARGE if name == "auto" else 0, store)


def highest(values: Floats, count: int) -> list[int]:
    """Return the positions of the *count* highest values, highest first, the later on ties."""
    if count < len(values):
        some = np.argpartition(-values, count - 1)[:count]
    else:
        some = np.arange(len(values))
    order = np.lexsort((-some, -values[some]))
    return [int(at) for at in some[order]]
