"""What the rules need from a database, as Protocols; :mod:`.sqlite_backend` is the one built in.

A backend stores rows and answers range queries. It decides nothing: who may see what, what a
version is and when a memory is full are decided above it, so another database is one module.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

from .model import Fact
from .paths import Folder
from .ranking import Posting

__all__ = ["FactBackend", "Reader", "Reply", "Space", "Stored", "Writer"]


@dataclass(frozen=True, slots=True)
class Space:
    """Facts that are seen together: an agent's shared ones, or one end user's.

    Attributes:
        agent: the agent; ``""`` for facts written for no agent in particular.
        owner: the end user whose folder it is; None for the shared facts.
        session: the only session that sees them, or None. Set through the store interface alone.
        run: the only run that sees them, or None; likewise.
    """

    agent: str
    owner: str | None = None
    session: str | None = None
    run: str | None = None


@dataclass(frozen=True, slots=True)
class Stored:
    """A current fact as kept.

    Attributes:
        fact: the fact without a score.
        space: where it is counted and indexed.
        row: grows with every write, so a higher row is newer.
        metadata: what came with it through the store interface, or None.
    """

    fact: Fact
    space: Space
    row: int = 0
    metadata: Mapping[str, Any] | None = None

    @property
    def folder(self) -> Folder:
        """Return the folder it lies in."""
        return Folder(self.fact.path, self.space.owner)


@dataclass(frozen=True, slots=True)
class Reply:
    """What makes two calls the same call: the idempotency key and whose it is."""

    agent: str
    user: str | None
    session: str | None
    run: str | None
    key: str


class Reader(Protocol):
    """One consistent view of the memory."""

    def reply(self, to: Reply) -> Fact | None:
        """Return what the first write with this key answered, or None."""
        ...

    def find(self, ident: str) -> Stored | None:
        """Return the current version of a fact of any space, or None."""
        ...

    def earlier(self, ident: str) -> list[Fact]:
        """Return the versions before the current one, oldest first."""
        ...

    def latest(self, agent: str) -> int:
        """Return the time of the agent's last write, microseconds since 1970; 0 if none."""
        ...

    def count(self, agent: str) -> int:
        """Return how many facts the agent holds, its users' included."""
        ...

    def held(self, agent: str, owner: str) -> int:
        """Return how many facts one end user's folder holds."""
        ...

    def totals(self, spaces: Sequence[Space]) -> tuple[int, int]:
        """Return (facts, words) of these spaces."""
        ...

    def postings(self, spaces: Sequence[Space], word: str) -> list[Posting]:
        """Return where words that begin with *word* occur."""
        ...

    def rows_in(
        self, spaces: Sequence[Space], folders: Sequence[Folder] | None, tags: Sequence[str]
    ) -> set[int]:
        """Return the rows below one of *folders* (None: anywhere) with all *tags*."""
        ...

    def load(self, rows: Sequence[int]) -> list[Stored]:
        """Return the facts at *rows*, in that order."""
        ...

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
        ...


class Writer(Reader, Protocol):
    """A transaction: all of it is kept, or nothing."""

    def put(self, new: Stored, words: Mapping[str, int], old: Stored | None = None) -> None:
        """Keep *new* and index *words* (how often each occurs); *old* becomes history."""
        ...

    def keep_reply(self, to: Reply, fact: Fact) -> None:
        """Remember *fact* as the answer to this key."""
        ...

    def remove(self, stored: Stored) -> None:
        """Remove a fact with its earlier versions and index rows."""
        ...

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
        ...


class FactBackend(Protocol):
    """A database. Methods are called from any thread.

    Run-time trouble (locked, full, read-only, corrupt) raises ``StoreError`` with one clear line
    and leaves nothing half-written.
    """

    def reading(self) -> AbstractContextManager[Reader]:
        """Open a consistent view."""
        ...

    def writing(self) -> AbstractContextManager[Writer]:
        """Open a transaction: committed durably at the end, rolled back on any exception."""
        ...

    def scrub(self) -> None:
        """Remove what deleted rows left behind in files and logs."""
        ...

    def copy(self) -> FactBackend:
        """Return a private copy in memory."""
        ...

    def close(self) -> None:
        """Release everything; later use raises ``StoreClosedError``."""
        ...
