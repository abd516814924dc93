"""Tantivy as the engine of large scopes: an index in the folder ``<file>.tantivy``.

The table is the truth; the index follows it. ``state.json`` tells up to which row it goes and
which deletions it has heard of. Rows above come from FTS5, rows deleted since are left out, so an
index that is behind costs time and never truth. Writers bring it up, one at a time under a lock
file; whoever finds it locked, missing or damaged goes on with FTS5.
"""

from __future__ import annotations

import json
import logging
import os
import uuid
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from .database import Database, Session
from .engines import FTS5
from .index_files import Timeout, Trouble, index_folder, lock, sweep
from .questions import Search
from .schema import ANALYSIS

__all__ = ["Tantivy"]

_LOG = logging.getLogger("memory_injection.stores.tantivy")
_BEHIND = 10_000  # rows; FTS5 finds the best of so many in half a millisecond
_HEAP = 64_000_000  # bytes that one writer may fill before it writes a segment
_ANALYZER = "spaces"


@dataclass(frozen=True, slots=True)
class _State:
    """What an index holds: its folder, its last row, the last deletion it has heard of.

    ``analysis`` is the way its texts were cut into terms.
    """

    build: str
    upto: int
    removed: int
    analysis: int = 0


@dataclass(frozen=True, slots=True)
class _Reader:
    """An opened index, and which version of the state file it belongs to."""

    stamp: tuple[int, ...]
    state: _State
    schema: Any
    searcher: Any

    def best(self, tokens: Sequence[str], depth: int) -> list[int]:
        """Return the row numbers of the *depth* best rows. The query is built, never parsed."""
        import tantivy

        query = tantivy.Query.boolean_query(
            [
                (
                    tantivy.Occur.Should,
                    tantivy.Query.term_query(self.schema, "terms", one, index_option="freq"),
                )
                for one in tokens
            ]
        )
        hits = self.searcher.search(query, limit=depth, count=False).hits
        return list(self.searcher.fast_field_values("id", [address for _, address in hits]))


class Tantivy:
    """Candidates from a tantivy index, the newest rows and small scopes from FTS5.

    Args:
        path: the store's file.
        smallest: entries a scope must have.
        store: name of the store, for the log.
    """

    def __init__(self, path: str, smallest: int, store: str) -> None:
        self._folder = index_folder(path, "tantivy")
        self._smallest = smallest
        self._store = store
        self._fts5 = FTS5()
        self._reader: _Reader | None = None
        self._broken: tuple[int, ...] | None = None
        self._trouble = Trouble(_LOG)

    def best(self, session: Session, wanted: Search, depth: int) -> Sequence[int]:
        """Return the best rows of the index and the best of those it does not hold yet."""
        reader = self._open() if wanted.entries >= self._smallest else None
        if reader is None:
            return self._fts5.best(session, wanted, depth)
        try:
            found = reader.best(wanted.tokens, depth)
        except BaseException as error:
            if isinstance(error, (KeyboardInterrupt, SystemExit)):
                raise
            # A panic inside tantivy is no Exception; the index is not asked again.
            self._give_up(reader.stamp, error)
            return self._fts5.best(session, wanted, depth)
        gone = _removed_since(session, reader.state.removed)
        if self._stamp() != reader.stamp:
            # Who has just brought it up then lets go of the deletions that this one has not heard.
            return self._fts5.best(session, wanted, depth)
        rows = dict.fromkeys(ident for ident in found if ident not in gone)
        if _last(session) > reader.state.upto:
            rows.update(dict.fromkeys(self._fts5.best(session, wanted, depth, reader.state.upto)))
        return list(rows)

    def written(self, database: Database, largest: int, *, removed: bool = False) -> None:
        """Bring the index up when it is far behind, and at once after a deletion by request."""
        state = self._usable()
        if state is None and largest < self._smallest:
            return
        try:
            with database.read() as session:
                behind = _last(session) - (state.upto if state else 0)
                gone = len(_removed_since(session, state.removed)) if state else 0
            if behind >= _BEHIND or gone >= _BEHIND or (removed and gone) or state is None:
                self._bring_up(database)
        except Exception as error:  # what was written is written; FTS5 finds it
            self._trouble.say(f"{self._store}: the tantivy index was not brought up: {error}")

    def close(self) -> None:
        """Let go of the index."""
        self._reader = None

    def _state(self) -> _State | None:
        try:
            state = _State(**json.loads((self._folder / "state.json").read_text("utf-8")))
            return state if state.analysis == ANALYSIS else None
        except (OSError, ValueError, TypeError):
            return None

    def _usable(self) -> _State | None:
        """Return what the index holds; None where there is none, or none that can be read."""
        reader = self._open()
        return None if reader is None else reader.state

    def _open(self) -> _Reader | None:
        """Return the index as it is now, or None. The state is read first: it may only lag."""
        stamp = self._stamp()
        if stamp is None or stamp == self._broken:
            return None
        reader = self._reader
        if reader is None or reader.stamp != stamp:
            state = self._state()
            reader = self._reader = None if state is None else self._read(stamp, state)
        return reader

    def _stamp(self) -> tuple[int, ...] | None:
        """Return what changes when the index is brought up; None where there is none."""
        try:
            found = os.stat(self._folder / "state.json")
        except OSError:
            return None
        return found.st_mtime_ns, found.st_ino, found.st_size, os.getpid()

    def _read(self, stamp: tuple[int, ...], state: _State) -> _Reader | None:
        import tantivy

        try:
            index = tantivy.Index.open(str(self._folder / state.build))
            index.config_reader("manual")
            index.reload()
            return _Reader(stamp, state, index.schema, index.searcher())
        except Exception as error:  # removed a moment ago, damaged, of another version
            self._give_up(stamp, error)
            return None

    def _give_up(self, stamp: tuple[int, ...], error: BaseException) -> None:
        """Do without the index until somebody writes it anew."""
        self._broken, self._reader = stamp, None
        _LOG.warning("%s: the tantivy index failed, FTS5 answers: %s", self._store, error)

    def _bring_up(self, database: Database) -> None:
        self._folder.mkdir(exist_ok=True)
        try:
            with lock(self._folder, 0, self._store):
                state = self._usable()
                if state is None:
                    state = _State(uuid.uuid4().hex, 0, 0, ANALYSIS)
                    sweep(self._folder, set())  # what attempts that failed have left
                    with database.write() as session:  # from now on deletions are noted
                        session.conn.execute("INSERT OR IGNORE INTO memory_engines VALUES (?)",
                                             ("tantivy",))  # fmt: skip
                with database.read() as session:
                    state = self._follow(session, state)
                self._keep(state)
                sweep(self._folder, {state.build, "state.json"})
                with database.write() as session:
                    session.conn.execute(
                        "DELETE FROM memory_removed WHERE number <= ?", (state.removed,)
                    )
            self._trouble.over()
        except Timeout:
            _LOG.debug("%s: another process brings the tantivy index up", self._store)

    def _follow(self, session: Session, state: _State) -> _State:
        """Write into the index what the table has and it lacks; return what it holds then."""
        import tantivy

        index = _index(self._folder / state.build)
        writer = index.writer(_HEAP, 1)
        conn = session.conn
        conn.execute("BEGIN")  # one state of the table, whatever others write meanwhile
        try:
            upto = _last(session)
            gone = conn.execute(
                "SELECT number, entry FROM memory_removed WHERE number > ?", (state.removed,)
            ).fetchall()
            for _, entry in gone:
                writer.delete_documents_by_term("id", entry)
            # A writer that was cut off may have left rows that the state does not tell of.
            writer.delete_documents_by_query(
                tantivy.Query.range_query(
                    index.schema, "id", tantivy.FieldType.Integer, state.upto + 1, None
                )
            )
            for ident, terms in conn.execute(
                "SELECT id, terms FROM memory_entries WHERE id > ? ORDER BY id", (state.upto,)
            ):
                document = tantivy.Document()
                document.add_integer("id", ident)
                document.add_text("terms", terms)
                writer.add_document(document)
        finally:
            conn.execute("COMMIT")
        writer.commit()
        writer.wait_merging_threads()
        removed = max((number for number, _ in gone), default=state.removed)
        return _State(state.build, upto, removed, state.analysis)

    def _keep(self, state: _State) -> None:
        fresh = self._folder / "state.json.new"
        fresh.write_text(json.dumps(asdict(state)), "utf-8")
        os.replace(fresh, self._folder / "state.json")


def _index(folder: Path) -> Any:
    import tantivy

    folder.mkdir(exist_ok=True)
    fields = tantivy.SchemaBuilder()
    fields.add_integer_field("id", indexed=True, fast=True)
    fields.add_text_field("terms", tokenizer_name=_ANALYZER, index_option="freq")
    index = tantivy.Index(fields.build(), str(folder))
    spaces = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build()
    index.register_tokenizer(_ANALYZER, spaces)
    return index


def _last(session: Session) -> int:
    row = session.conn.execute(
        "SELECT seq FROM sqlite_sequence WHERE name = 'memory_entries'"
    ).fetchone()
    return int(row[0]) if row else 0


def _removed_since(session: Session, number: int) -> set[int]:
    """Return the rows deleted after deletion *number*; remembered until somebody writes."""
    key = ("removed", number)
    found: set[int] | None = session.memo.get(key)
    if found is None:
        found = session.memo[key] = {
            row[0]
            for row in session.conn.execute(
                "SELECT entry FROM memory_removed WHERE number > ?", (number,)
            )
        }
    return found
