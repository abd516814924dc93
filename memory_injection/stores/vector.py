"""Semantic search beside full-text search, in one SQLite file and without a server."""

from __future__ import annotations

import logging
import os
import sqlite3
import time
from collections.abc import Awaitable, Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, TypeAlias, TypeVar

from ..arguments import checked_flag, checked_seconds
from ..embedders import load_embedder
from ..errors import MissingDependencyError
from ..protocols import Reranker
from ..records import MemoryEntry, Scope, SearchOptions, SearchResult
from ..text import stems
from . import transfer
from .database import Database
from .questions import View
from .recall import view_of
from .schema import MIGRATIONS, prepare
from .sqlite import SQLiteStore
from .wording import in_first_person

try:
    import numpy as np
except ImportError:
    raise MissingDependencyError("numpy", "embeddings", "VectorStore") from None

from . import hybrid as ranking
from . import vectors as tables
from .both import BothRecall, Question, spoken_in
from .embedding import Progress, embed_all, embed_written
from .refusals import Refused, by_words_alone, refused_entries, told_of
from .reranking import Reranking
from .turns import Turn
from .vector_index import vector_index_for
from .vectorizing import Blocking, EmbeddingFailed, Vectorizer, Vectors, run

__all__ = ["VectorStore"]

T = TypeVar("T")
Steps = Generator[Any, Any, T]
Refusals: TypeAlias = list[Refused]  # `list` is a method of the class below

_LOG = logging.getLogger("memory_injection.stores.vector")
_CONTEXT = 0.5  # weight of the turns before a short ask...
_CONTEXT_ONLY = 2.0  # ...and before an ask without a content word of its own


class VectorStore(SQLiteStore):
    """A ``SQLiteStore`` that also keeps a vector of every entry and searches by both.

    Search is exact, in numpy, over the vectors of the caller's own scope; in a very large one an
    approximate index picks what is ranked. If the embedder fails or is too slow the search goes on
    by words alone; ``problem`` of what it returns then says why, and the store's ``problem`` what
    was wrong last. The model's name and dimension are recorded beside the vectors: with another
    model the old vectors are no longer used, and ``reembed`` makes new ones.

    With an async embedder ``search``, ``add`` and the other writing methods return awaitables.

    Args:
        path: the file; None or ``":memory:"`` keeps everything in memory.
        embedder: a name (``"light"``, ``"all-MiniLM-L6-v2"``, a folder, ``"openai:MODEL"``), a
            function, or an object with ``embed``; see ``memory_injection.embedders``.
        name: shown as the entry's source.
        writable: False opens the file read-only, also where its folder cannot be written.
        hybrid: False ranks by the vectors alone.
        embed_timeout: seconds that embedding a question may take; None waits.
        index: what picks the entries to rank. ``"auto"``: usearch in scopes of more than 100,000
            entries where it is installed (``memory_injection[ann]``), else ``"exact"``, which ranks
            them all; ``"usearch"`` at any size. Its index lies in the folder ``<path>.vectors``.
        reranker: reorders the best entries, e.g. ``embedders.CrossEncoderReranker``; takes query
            and entries, may be async. It is shown as many of the best entries as its attribute
            ``most`` says, however many are asked for; without one 20, or as many as are asked for.
        rerank_timeout: seconds from the start of a search within which the reranker must answer,
            else the order stays as it was and ``problem`` says so; None waits.
        **options: as for ``SQLiteStore``.

    Raises:
        ConfigurationError: an argument cannot be used, or the model is not on disk.
        MissingDependencyError: numpy is not installed, or ``index="usearch"`` and that is not.
    """

    relevance_floor = ranking.RELEVANCE_FLOOR

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        embedder: Any,
        name: str = "vectors",
        writable: bool = True,
        hybrid: bool = True,
        embed_timeout: float | None = 1.5,
        index: str = "auto",
        reranker: Reranker | None = None,
        rerank_timeout: float | None = 1.5,
        **options: Any,
    ) -> None:
        super().__init__(":memory:" if path is None else path, name, writable, **options)
        self._database = Database(
            self.path, component="lexical", migrations=MIGRATIONS, store=name,
            writable=self.writable, busy_timeout=options.get("busy_timeout", 5.0),
            prepare=self._prepare,
        )  # fmt: skip
        if embed_timeout is not None:
            embed_timeout = checked_seconds("embed_timeout", embed_timeout)
        self.hybrid = checked_flag("hybrid", hybrid)
        self.problem: str | None = None
        self._vectorizer = Vectorizer(load_embedder(embedder), embed_timeout, name)
        self._turn = Turn(self.path, name)
        self._reranking = Reranking(reranker, rerank_timeout)
        self._unknown: set[str | None] = set()  # languages that the log was told of
        self._index = vector_index_for(index, self.path, name)
        self._both = self._recall = BothRecall(name, self._engine, self._index)

    def _prepare(self, conn: sqlite3.Connection) -> None:
        prepare(conn)
        if self._database.writable:
            tables.prepare_vectors(conn)

    def initialize(self) -> None:
        """Open the file and start loading the model, without waiting for it.

        Raises:
            StoreError: the file cannot be used; the message names it and says why.
        """
        super().initialize()
        self._vectorizer.warm_up()
        self._reranking.warm_up()

    def close(self) -> None:
        """Close the file. Later use raises :class:`~memory_injection.errors.StoreClosedError`."""
        super().close()
        self._index.close()

    # Reading

    def search(  # type: ignore[override]  # an awaitable with an async embedder
        self, query: str, options: SearchOptions | None = None
    ) -> SearchResult | Awaitable[SearchResult]:
        """Return the entries that fit *query* by words and by meaning, best first.

        ``problem`` of the result says why this search went by words alone, if it did.

        Args:
            query: any text.
            options: ``max_search_results``, ``scope``, ``context`` (text of the turns before).

        Raises:
            StoreError: the file cannot be read. Embedder trouble does not raise.
        """
        later = self._vectorizer.is_async or self._reranking.is_async
        return run(self._search(query, options or {}), later=later)

    def _search(self, query: str, given: Mapping[str, Any]) -> Steps[SearchResult]:
        begun = time.monotonic()
        limit = self._limit(given)
        if not isinstance(query, str) or not query.strip() or limit < 1:
            self._database.live()
            return SearchResult()
        found = yield from self._found(query, given, limit)
        ordered = yield from self._reranking.ordered(query, found, limit, begun)
        if ordered.problem != found.problem:
            self._note(ordered.problem)
        return ordered

    def _found(self, query: str, given: Mapping[str, Any], limit: int) -> Steps[SearchResult]:
        """Return the best *limit* entries, or as many as the reranker wants to see."""
        depth = self._reranking.depth(limit)
        given = {**given, "max_search_results": depth}
        scope = Scope.of(given.get("scope"))
        context = given.get("context") if isinstance(given.get("context"), str) else None
        embedder = self._vectorizer.embedder
        with self._database.read() as session:
            view = view_of(session, scope)
            model = tables.find_model(session.conn, embedder.name, embedder.dimension)
        if not view.entries:
            return SearchResult()
        if model is None:
            return self._by_words(query, given, self._nothing_embedded("yet"))
        language = spoken_in(query, view, model)
        if self.hybrid and not model.understands(language):
            self._note_language(language)
            return SearchResult(self._worded(query, given))
        try:
            asked = yield from self._vector_of(query, context, view)
        except EmbeddingFailed as error:
            self._note(str(error))
            return self._by_words(query, given, str(error))
        self._note(None)
        if asked is None:
            return self._by_words(query, given, f"{embedder.name!r} gave a vector of zeros")
        if len(asked) != model.dimension:
            return self._by_words(query, given, _other_length(embedder.name, len(asked), model))
        with self._database.read() as session:
            question = Question(
                query, asked, context or "", depth, limit, self._clock().date(), self.hybrid
            )
            view = view_of(session, scope)
            found, unknown = self._both.search_both(session, view, model, question)
            owners = [owner.id for owner in view.owners] if unknown else []
            refused = tables.count_refused(session.conn, embedder.name, owners) if unknown else 0
        if unknown == view.entries:
            return self._by_words(query, given, self._nothing_embedded("now: call reembed()"))
        return SearchResult(found, problem=by_words_alone(unknown, view.entries, refused))

    def _nothing_embedded(self, when: str) -> str:
        name = self._vectorizer.embedder.name
        cause = f" ({self.problem})" if self.problem else ""
        return f"nothing is embedded by {name!r} {when}{cause}"

    def _vector_of(self, query: str, context: str | None, view: View) -> Steps[Vectors | None]:
        """Embed the question, the turns before it at lower weight; None for a vector of zeros.

        Raises:
            EmbeddingFailed: the embedder's trouble.
        """
        texts = [in_first_person(query, view), *([context] if context else [])]
        rows = yield self._vectorizer.query(texts)
        share = _CONTEXT if stems(query) else _CONTEXT_ONLY
        asked = rows[0] if len(rows) == 1 else rows[0] + share * rows[1]
        length = float(np.linalg.norm(asked))
        found: Vectors | None = asked / length if length > 0 else None
        return found

    def _by_words(self, query: str, given: Mapping[str, Any], problem: str) -> SearchResult:
        """Return what the words alone find, on this store's scale of scores."""
        return SearchResult(self._worded(query, given), problem=f"by words alone: {problem}")

    def _worded(self, query: str, given: Mapping[str, Any]) -> list[MemoryEntry]:
        found = super().search(query, SearchOptions(**given))  # type: ignore[typeddict-item]
        return [replace(entry, score=ranking.by_words(entry.score or 0.0)) for entry in found]

    # Writing

    def add(  # type: ignore[override]  # an awaitable with an async embedder
        self,
        content: str,
        metadata: Mapping[str, Any] | None = None,
        *,
        scope: Scope | None = None,
        id: str | None = None,
        created_at: datetime | str | None = None,
    ) -> str | Awaitable[str]:
        """Write one entry, embed it, and return its id; see ``SQLiteStore.add``.

        If the embedder fails the entry is kept and found by its words; ``problem`` says why, and
        the next write or ``reembed`` tries again. An entry that it refuses by itself is set aside,
        see ``refused``.
        """
        before = self._before()
        done = super().add(content, metadata, scope=scope, id=id, created_at=created_at)
        return self._run(self._embedded(done, before))

    def add_many(  # type: ignore[override]
        self, items: Iterable[object], *, scope: Scope | None = None
    ) -> list[str] | Awaitable[list[str]]:
        """Write and embed many entries; see ``SQLiteStore.add_many``."""
        before = self._before()
        return self._run(self._embedded(super().add_many(items, scope=scope), before))

    def add_messages(  # type: ignore[override]
        self, messages: Sequence[Any], context: Any = None, *, scope: Scope | None = None
    ) -> list[str] | Awaitable[list[str]]:
        """Write and embed the messages of a conversation; see ``SQLiteStore.add_messages``."""
        before = self._before()
        done = super().add_messages(messages, context, scope=scope)
        return self._run(self._embedded(done, before))

    def erase(self, scope: Scope) -> int:
        """Delete everything written for *scope*, vectors too; see ``SQLiteStore.erase``."""
        self._index.close()  # its files are removed
        return super().erase(scope)

    def import_lines(  # type: ignore[override]
        self,
        source: transfer.Source,
        *,
        scope: Scope | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> transfer.ImportReport | Awaitable[transfer.ImportReport]:
        """Read JSON lines and embed them; see ``SQLiteStore.import_lines``."""
        before = self._before()
        report = super().import_lines(source, scope=scope, progress=progress)
        return self._run(self._embedded(report, before))

    def reembed(self, progress: Progress | None = None) -> int | Awaitable[int]:
        """Embed every entry that has no vector of the current model; return how many.

        Needed after a change of model, and after the embedder was out of reach. It may be broken
        off at any time: what was embedded is kept, and the next call goes on from there. While
        another call is at it, in this process or another, this one waits for it to end. Entries
        that the embedder refused are tried again; those that it refuses still are not counted, and
        ``problem`` and ``refused`` name them.

        Args:
            progress: called after every batch with (embedded, to do).

        Raises:
            EmbeddingFailed: the embedder's trouble, named.
            StoreError: the file cannot be written.
        """
        return self._run(self._reembedded(progress))

    def waiting(self) -> int:
        """Return how many entries have no vector of the current model, but for the refused.

        The length of its vectors is part of what it is: if the embedder does not say it before it
        is asked for the first time, the recorded one counts until then.
        """
        name, dimension = self._vectorizer.embedder.name, self._vectorizer.dimension
        with self._database.read() as session:
            model = tables.find_model(session.conn, name, dimension)
            return tables.count_waiting(session.conn, model, name)

    def refused(self) -> Refusals:
        """Return the entries that the embedder refuses, oldest first: ``id, reason, scope``.

        They are found by their words. Nothing tries them again but ``reembed``, a change of their
        text, or of the model.
        """
        with self._database.read() as session:
            return refused_entries(session.conn, self._vectorizer.embedder.name)

    def _run(self, steps: Steps[T]) -> T | Awaitable[T]:
        return run(steps, later=self._vectorizer.is_async)

    def _reembedded(self, progress: Progress | None) -> Steps[int]:
        done = yield from embed_all(self._database, self._vectorizer, self._turn, progress)
        self._note(told_of(self._vectorizer.embedder.name, done.refused))
        yield Blocking(lambda: self._follow(done.embedded))
        return done.embedded

    def _before(self) -> tuple[int, frozenset[int]]:
        """Return the last row number, and those that other calls are embedding."""
        with self._database.read() as session:
            return tables.last_written(session.conn), self._vectorizer.taken()

    def _embedded(self, written: T, before: tuple[int, frozenset[int]]) -> Steps[T]:
        try:
            done = yield from embed_written(self._database, self._vectorizer, self._turn, *before)
        except EmbeddingFailed as error:
            self._note(str(error))
            return written
        self._note(told_of(self._vectorizer.embedder.name, done.refused))
        yield Blocking(lambda: self._follow(done.embedded))
        return written

    def _follow(self, count: int) -> None:
        """Let the index follow what was embedded."""
        embedder = self._vectorizer.embedder
        with self._database.read() as session:
            model = tables.find_model(session.conn, embedder.name, embedder.dimension)
        if model is not None:
            self._index.written(self._database, model, count)

    def _note_language(self, language: str | None) -> None:
        """Say once in the log that the model's cosines tell nothing in *language*."""
        if language not in self._unknown:
            self._unknown.add(language)
            name = self._vectorizer.embedder.name
            _LOG.info(
                "store %r: %r is searched by words alone, %r does not understand it",
                self.name,
                language,
                name,
            )

    def _note(self, problem: str | None) -> None:
        """Keep what is wrong with the models; say it once in the log."""
        if problem is not None and problem != self.problem:
            _LOG.warning("store %r goes on without: %s", self.name, problem)
        self.problem = problem


def _other_length(name: str, length: int, model: tables.Model) -> str:
    return (
        f"{name!r} gives vectors of {length} numbers, those kept have {model.dimension}:"
        " call reembed()"
    )
