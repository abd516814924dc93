"""The default store: one SQLite file, full-text search, exact scopes, no server."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, TypeAlias, TypeVar

from ..arguments import checked_count, checked_flag
from ..errors import ConfigurationError, InputError
from ..protocols import Ledger
from ..records import MemoryEntry, Scope, SearchOptions
from . import lexical, transfer, writing
from .database import Database, Session
from .drafts import Draft, clean, draft, draft_of
from .engines import engine_for
from .forgetting import forget_blocks
from .index_files import without_indexes
from .messages import drafts_of_messages
from .recall import Recall, view_of, within
from .schema import MIGRATIONS, prepare
from .settings import checked_clock, checked_language

__all__ = ["SQLiteStore"]

# `list` is a method below, so that the built-in cannot be named in the class's annotations.
Entries: TypeAlias = list[MemoryEntry]
Ids: TypeAlias = list[str]
Store = TypeVar("Store", bound="SQLiteStore")

_RESULTS = 10
_MOST_RESULTS = 1_000


class SQLiteStore:
    """Memories in one SQLite file, found by words (BM25 and what conversations add to it).

    Safe to use from many threads, forks and processes at once. A memory is visible to a caller if
    every id it was written for is the caller's own; the filter is part of the index, so another
    owner's text is neither read nor counted.

    Scores are calibrated to 0..1 (1: every word of the question, by the right speaker). Below
    ``relevance_floor`` an entry is noise.

    Args:
        path: the file; made on first use. ``":memory:"`` keeps everything in memory.
        name: shown as the entry's source.
        writable: False opens the file read-only, also where its folder cannot be written.
        description: what the store holds, for the model's tools.
        max_search_results: most entries a search returns when the caller does not say (10).
        extraction: what is learned from conversations; True or an extraction config.
        timeout: seconds, a deadline of its own, shorter than the manager's.
        language: ISO 639 code of all texts, lower-case (``"en"``); guessed for each text when None.
            One without a list of function words and a stemmer is taken: its words are folded only.
        busy_timeout: seconds to wait for another process that is writing.
        engine: what finds candidates. ``"auto"``: tantivy in scopes of at least 50,000 entries
            where it is installed (``memory_injection[fast]``), else ``"fts5"``; ``"tantivy"`` at
            any size. Its index lies in the folder ``<path>.tantivy``.
        clock: tells the time; for tests.

    Attributes:
        ledger: where injected blocks are kept: what :meth:`forget` and :meth:`erase` take goes from
            there as well. None takes the ledger of the first manager that is given the store.

    Raises:
        ConfigurationError: an argument cannot be used.
        MissingDependencyError: ``engine="tantivy"``, and it is not installed.
    """

    takes_context = True
    ledger: Ledger | None = None
    score_scale = "unit"
    relevance_floor = lexical.RELEVANCE_FLOOR

    def __init__(
        self,
        path: str | os.PathLike[str],
        name: str = "memory",
        writable: bool = True,
        *,
        description: str | None = None,
        max_search_results: int | None = None,
        extraction: Any = None,
        timeout: float | None = None,
        language: str | None = None,
        busy_timeout: float = 5.0,
        engine: str = "auto",
        clock: Callable[[], datetime] | None = None,
    ) -> None:
        if not isinstance(name, str) or not name.strip():
            raise ConfigurationError(f"name must be a text that is not blank, not {name!r}")
        if max_search_results is not None:
            checked_count("max_search_results", max_search_results)
        self.name = name
        self.writable = checked_flag("writable", writable)
        self.description = description
        self.max_search_results = max_search_results or _RESULTS
        self.extraction = extraction
        if timeout is not None:
            self.timeout = timeout
        self._language = checked_language(language)
        self._clock = checked_clock(clock)
        self._database = Database(
            path, component="lexical", migrations=MIGRATIONS, store=name, writable=self.writable,
            busy_timeout=busy_timeout, prepare=prepare,
        )  # fmt: skip
        self._busy_timeout = busy_timeout
        self._engine = engine_for(engine, self.path, name)
        self._recall = Recall(name, self._engine)

    @property
    def path(self) -> str:
        """The file, absolute; ``":memory:"`` if there is none."""
        return self._database.path

    def initialize(self) -> None:
        """Open the file, making or upgrading it where needed.

        Raises:
            StoreError: it cannot be used; the message names the file and says why.
        """
        with self._database.read():
            pass

    def close(self) -> None:
        """Close the file. Later use raises :class:`~memory_injection.errors.StoreClosedError`."""
        self._database.close()
        self._engine.close()

    def __enter__(self: Store) -> Store:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    # Reading

    def search(self, query: str, options: SearchOptions | None = None) -> Entries:
        """Return the entries that fit *query*, best first, newest first where they fit equally.

        A score is at most 1: entries that reach it stand in the order of what they have beyond.

        Args:
            query: any text; nothing in it is an operator.
            options: ``max_search_results``, ``scope``, ``context`` (text of the turns before).

        Raises:
            StoreError: the file cannot be read.
        """
        given: Mapping[str, Any] = options or {}
        limit = self._limit(given)
        context = given.get("context")
        if not isinstance(query, str) or limit < 1:
            self._database.live()
            return []
        scope = Scope.of(given.get("scope"))
        with self._database.read() as session:
            view = view_of(session, scope)
            if not view.entries:
                return []
            return self._recall.search(
                session, view, query, context if isinstance(context, str) else "", limit,
                self._clock().date(),
            )  # fmt: skip

    def pinned(self, options: SearchOptions | None = None) -> Entries:
        """Return the entries whose metadata say ``"pinned": True``, oldest first."""
        given: Mapping[str, Any] = options or {}
        with self._database.read() as session:
            view = view_of(session, Scope.of(given.get("scope")))
            found = self._recall.select(session, view, "pinned", (), "ORDER BY id")
        return found[: self._limit(given)]

    def get(self, id: str, *, scope: Scope | None = None) -> MemoryEntry | None:
        """Return the entry with this *id*, or None if the caller has none (the own one first)."""
        with self._database.read() as session:
            view = view_of(session, Scope.of(scope))
            found = self._recall.select(session, view, "external = ?", (clean(str(id)),))
        return max(found, key=lambda entry: len((entry.scope or Scope()).ids()), default=None)

    def list(self, *, scope: Scope | None = None, limit: int = 50, offset: int = 0) -> Entries:
        """Return what the caller may read, last written first.

        Raises:
            InputError: *limit* or *offset* is no whole number from 0.
        """
        for name, value in (("limit", limit), ("offset", offset)):
            if isinstance(value, bool) or not isinstance(value, int) or value < 0:
                raise InputError(f"{name} must be a whole number from 0, not {value!r}")
        with self._database.read() as session:
            view = view_of(session, Scope.of(scope))
            rest = f"ORDER BY id DESC LIMIT {limit:d} OFFSET {offset:d}"
            return self._recall.select(session, view, "1", (), rest)

    def count(self, *, scope: Scope | None = None) -> int:
        """Return how many entries the caller may read."""
        with self._database.read() as session:
            return view_of(session, Scope.of(scope)).entries

    def export(
        self, target: transfer.Target, *, scope: Scope | None = None, everything: bool = False
    ) -> int:
        """Write entries as JSON lines, oldest first; return how many.

        Args:
            target: a file name, or an object with ``write``.
            scope: whose memory; what this caller may read is written.
            everything: write every owner's entries, whatever *scope* says.
        """
        with self._database.read() as session:
            view = view_of(session, None if everything else Scope.of(scope))
            return transfer.export(session.conn, [(o.id, o.key) for o in view.owners], target)

    # Writing

    def add(
        self,
        content: str,
        metadata: Mapping[str, Any] | None = None,
        *,
        scope: Scope | None = None,
        id: str | None = None,
        created_at: datetime | str | None = None,
    ) -> str:
        """Write one entry and return its id.

        The same content, metadata and time for the same owner is the same entry: adding it again
        changes nothing. With an *id* that the owner has already, that entry is replaced. Turns of
        a conversation carry ``session``, ``turn`` and ``speaker`` in *metadata*; a turn without a
        number comes after the last.

        Args:
            content: the text, not blank.
            metadata: anything that JSON can hold; ``"pinned": True`` shows it in every block.
                Times, dates, UUIDs, decimals and paths become texts, sets sorted lists, enum
                members their values.
            scope: whom it is for; nobody in particular when left out, so that everybody sees it.
            id: the caller's own id.
            created_at: when it was said; else read from *metadata* (``created_at``, ``date``,
                ``timestamp``); else now.

        Raises:
            InputError: an argument cannot be used; nothing was written.
            StoreError: the file cannot be written; nothing was.
        """
        one = draft(content, metadata, scope=Scope.of(scope), id=id, created_at=created_at)
        return self._write([one]).ids[0]

    def add_many(self, items: Iterable[object], *, scope: Scope | None = None) -> Ids:
        """Write many entries at once, all or none, and return their ids in order.

        Args:
            items: texts, mappings or entries: ``content`` and optionally ``id``, ``metadata``,
                ``scope``, ``created_at``, ``updated_at``.
            scope: whom they are for where an item does not say.

        Raises:
            InputError: an item cannot be used; nothing was written.
            StoreError: the file cannot be written; nothing was.
        """
        owner = Scope.of(scope)
        return self._write([draft_of(item, owner) for item in items]).ids

    def add_messages(
        self, messages: Sequence[Any], context: Any = None, *, scope: Scope | None = None
    ) -> Ids:
        """Write the user's and the assistant's messages of a conversation as turns.

        Args:
            messages: in order; those without text of their own (tool calls, images) are left out.
            context: a mapping that may name ``scope`` and ``session``.
            scope: whom they are for; wins over *context*.
        """
        return self._write(drafts_of_messages(messages, context, scope)).ids

    def forget(self, id: str, *, scope: Scope | None = None) -> bool:
        """Delete the entry with this *id* if the caller may read it; tell whether there was one.

        Its words leave the index when that is next merged; :meth:`erase` leaves nothing at all.
        No block of the ``ledger`` shows it any more: those of its owner go, or if it was written
        for nobody those with its text.

        Raises:
            StoreError: the file cannot be written; or the ledger cannot, and the entry is gone.
        """
        with self._erasing() as session:
            view = view_of(session, Scope.of(scope))
            rows = session.conn.execute(
                "SELECT id, scope, content FROM memory_entries"
                f" WHERE external = ? AND {within(view)}",
                (clean(str(id)), *(owner.id for owner in view.owners)),
            ).fetchall()
            owners = {owner.id: Scope.of(json.loads(owner.key)) for owner in view.owners}
            row = max(rows, key=lambda row: len(owners[row[1]].ids()), default=None)
            if row is None:
                return False
            self._delete(session, [row[0]])
        self._engine.written(self._database, 0, removed=True)
        forget_blocks(
            self.ledger, owners[row[1]], self.name, "the entry is forgotten", texts=[row[2]]
        )
        return True

    def erase(self, scope: Scope) -> int:
        """Delete everything written for all of *scope*'s ids (and perhaps more); return how many.

        Nothing of it is left in the file: pages are overwritten, the index is rebuilt without it,
        and the log is emptied (while another process is reading, when it has finished and the log
        is next emptied).

        Raises:
            InputError: *scope* names nobody.
            StoreError: the file cannot be written; or the ledger cannot, and the entries are gone.
        """
        owner = Scope.of(scope)
        if not owner.ids():
            raise InputError("erase needs a scope with at least one id: it would delete everything")
        self._engine.close()  # an index that is open keeps what is erased on the disk
        away = without_indexes(self.path, self._busy_timeout, self.name)
        with away, self._erasing() as session:
            owners = writing.owners_within(session.conn, owner)
            marks = ",".join("?" * len(owners))
            rows = session.conn.execute(
                f"SELECT id FROM memory_entries WHERE scope IN ({marks})", owners
            ).fetchall()
            gone = self._delete(session, [row[0] for row in rows])
            writing.sweep(session.conn)
            writing.forget_engines(session.conn)
            session.conn.execute("INSERT INTO memory_lexicon (memory_lexicon) VALUES ('optimize')")
        with self._database.read() as session:  # the log still holds the old pages
            session.conn.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        forget_blocks(self.ledger, owner, self.name, "the entries are erased")
        return gone

    def import_lines(
        self,
        source: transfer.Source,
        *,
        scope: Scope | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> transfer.ImportReport:
        """Read JSON lines as :meth:`export` writes them; importing twice changes nothing.

        A line that cannot be read is reported by number and reason, and the rest goes in.

        Args:
            source: a file name, an open text file or an iterable of lines.
            scope: whom an entry is for where its line does not say.
            progress: told how many lines have been read, after every batch.
        """
        return transfer.import_lines(source, self._write, Scope.of(scope), progress)

    # Inside

    def _write(self, drafts: Sequence[Draft]) -> writing.Written:
        with self._database.write() as session:
            done = writing.write(session.conn, drafts, self._clock(), self._language)
        self._engine.written(self._database, done.largest)
        return done

    def _limit(self, options: Mapping[str, Any]) -> int:
        limit = options.get("max_search_results")
        if limit is None:
            limit = self.max_search_results
        if isinstance(limit, bool) or not isinstance(limit, int):
            raise InputError(f"max_search_results must be a whole number, not {limit!r}")
        return max(0, min(limit, _MOST_RESULTS))

    def _erasing(self) -> _Erasing:
        return _Erasing(self._database)

    def _delete(self, session: Session, ids: Sequence[int]) -> int:
        gone = writing.delete(session.conn, ids)
        self._recall.drop(ids)
        return gone


class _Erasing:
    """A write transaction whose deletions overwrite what they free."""

    def __init__(self, database: Database) -> None:
        self._transaction = database.write()

    def __enter__(self) -> Session:
        session = self._session = self._transaction.__enter__()
        session.conn.execute("PRAGMA secure_delete=ON")
        return session

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> bool | None:
        self._session.conn.execute("PRAGMA secure_delete=OFF")
        return self._transaction.__exit__(kind, error, trace)
