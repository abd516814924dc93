"""Embedding what is waiting: in batches, each kept at once, so that a broken-off run resumes."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Generator, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

from . import vectors as tables
from .database import Database
from .pairs import PAIRS
from .refusals import Refused, Taken, embed_each, known_text, refused_entries
from .turns import Turn
from .vectorizing import Blocking, EmbeddingFailed, Vectorizer, Vectors, scale_of
from .vectors import Model, Scale

__all__ = ["Done", "Progress", "embed_all", "embed_written"]

T = TypeVar("T")
Steps = Generator[Any, Any, T]
Progress = Callable[[int, int], None]
"""Called with how many entries are embedded and how many there are to do."""

_POLL = 0.1  # seconds between two looks whether another call has finished
_BATCH = 256  # texts embedded and written at a time: what a broken-off run loses at most


class Done(NamedTuple):
    """How many entries were embedded, and those that the embedder refused."""

    embedded: int
    refused: list[Refused]


def embed_written(
    database: Database, vectorizer: Vectorizer, turn: Turn, after: int, others: Collection[int]
) -> Steps[Done]:
    """Embed what was written after row number *after*, then what others left behind.

    Yields vectors or awaitables of them, see ``vectorizing.run``. What was left behind is embedded
    by one call at a time; *others*, row numbers that other calls were embedding before this one's
    entries were written, are left to them. So a text that hangs the model holds up the call that
    wrote it, and no other. What the embedder refuses is set aside in the file, and left alone.

    Raises:
        EmbeddingFailed: the embedder's trouble; what was embedded before it is kept.
        StoreError: the file cannot be written.
    """
    run = _Run(database, vectorizer, vectorizer.embedder.name)
    yield from run.prepare(vectorizer.embedder.dimension)
    yield from run.embed(after)
    if run.left(others):
        with turn.taken() as mine:
            if mine:
                yield from run.embed(0, others)
    return run.done()


def embed_all(
    database: Database, vectorizer: Vectorizer, turn: Turn, progress: Progress | None = None
) -> Steps[Done]:
    """Embed every entry without a vector of the embedder's model, those refused before as well.

    Waits while another call, of this process or another, embeds what was left: what that one has
    done need not be done again.

    Raises:
        EmbeddingFailed: the embedder's trouble; what was embedded before it is kept.
        StoreError: the file cannot be written.
    """
    yield from _length(database, vectorizer)
    while True:
        with turn.taken() as mine:
            if mine:
                run = _Run(database, vectorizer, None, progress)
                yield from run.prepare(vectorizer.dimension)
                yield from run.embed(0)
                return run.done()
        yield Blocking(lambda: time.sleep(_POLL))


def _length(database: Database, vectorizer: Vectorizer) -> Steps[None]:
    """Learn how long the embedder's vectors are, if it has not said and a model has its name."""
    name = vectorizer.embedder.name
    with database.read() as session:
        model = tables.find_model(session.conn, name, vectorizer.dimension)
        text = known_text(session.conn, model)
    if model is not None and vectorizer.dimension is None:
        with suppress(EmbeddingFailed):  # it shows where there is something to embed
            yield vectorizer.each([text])


class _Run:
    """What one call embeds: batch by batch, each kept at once."""

    def __init__(
        self,
        database: Database,
        vectorizer: Vectorizer,
        skipped: str | None,
        progress: Progress | None = None,
    ) -> None:
        self._database = database
        self._vectorizer = vectorizer
        self._skipped = skipped
        self._progress = progress
        self._model: Model | None = None
        self._total = self._embedded = 0
        self._refused: dict[int, str] = {}

    def prepare(self, dimension: int | None) -> Steps[None]:
        """Look up the model, measuring one of an earlier version's file."""
        name = self._vectorizer.embedder.name
        with self._database.read() as session:
            self._model = tables.find_model(session.conn, name, dimension)
            if self._progress is not None:
                self._total = tables.count_waiting(session.conn, self._model, self._skipped)
        if self._model is not None and not self._model.scales:
            self._model = yield from _earlier(self._database, self._vectorizer, self._model)

    def left(self, others: Collection[int]) -> bool:
        """Tell whether anything waits but *others*."""
        with self._database.read() as session:
            rows = tables.waiting(session.conn, self._model, len(others) + 1, 0, self._skipped)
        return any(row[0] not in others for row in rows)

    def done(self) -> Done:
        """Return what was done, the refused entries by name."""
        refused: list[Refused] = []
        if self._refused:
            with self._database.read() as session:
                name = self._vectorizer.embedder.name
                refused = refused_entries(session.conn, name, [*self._refused])
        return Done(self._embedded, refused)

    def embed(self, after: int, others: Collection[int] = ()) -> Steps[None]:
        """Embed what waits with a row number above *after*, but for *others*."""
        last = after
        while True:
            with self._database.read() as session:
                batch = tables.waiting(session.conn, self._model, _BATCH, last, self._skipped)
                known = known_text(session.conn, self._model)
            if not batch:
                return
            last = batch[-1][0]
            batch = [row for row in batch if row[0] not in others]
            if batch:
                before = self._model
                yield from self._taken(batch, known)
                if self._model is not before and before is not None:
                    last = after  # the earlier ones have no vector of this model either

    def _taken(self, batch: Sequence[tuple[int, str]], known: str) -> Steps[None]:
        with self._vectorizer.taking(batch):
            taken = yield from embed_each(self._vectorizer, batch, known)
            spoken = {ident: tables.spoken_by(text) for ident, text in batch}
            yield from self._kept(taken, spoken)
        if self._model is not None:
            said = {spoken[ident] or "en" for ident in taken.idents}
            self._model = yield from _measured(self._database, self._vectorizer, self._model, said)
        self._refused.update(taken.refused)
        self._embedded += len(taken.idents)
        if self._progress is not None:
            done = self._embedded + len(self._refused)
            self._progress(done, max(self._total, done))

    def _kept(self, taken: Taken, spoken: Mapping[int, str]) -> Steps[None]:
        """Write what became of a batch; a new model is measured first."""
        rows = taken.vectors
        if rows is not None and (self._model is None or self._model.dimension != rows.shape[1]):
            self._model = yield from _recorded(self._database, self._vectorizer, rows.shape[1])
        with self._database.write() as session:
            if self._model is not None and rows is not None:
                languages = [spoken[ident] for ident in taken.idents]
                tables.keep(session.conn, self._model, taken.idents, rows, languages)
            tables.set_aside(session.conn, self._vectorizer.embedder.name, taken.refused)


def _recorded(database: Database, vectorizer: Vectorizer, dimension: int) -> Steps[Model]:
    """Return the model's row; a new model is measured first: what do its cosines mean?"""
    name = vectorizer.embedder.name
    with database.read() as session:
        known = tables.find_model(session.conn, name, dimension)
    if known is not None:
        return known
    english = yield from _scale(vectorizer, "en", dimension)
    with database.write() as session:
        if tables.find_model(session.conn, name, None) is not None:
            tables.take_back(session.conn, name)
        model = tables.record_model(session.conn, name, dimension, english)
        return replace(model, scales=tables.record_scales(session.conn, model, {"en": english}))


def _earlier(database: Database, vectorizer: Vectorizer, model: Model) -> Steps[Model]:
    """Measure a model of an earlier version's file in every language that anybody has there."""
    with database.read() as session:
        languages = tables.languages_of(session.conn)
    return (yield from _measured(database, vectorizer, model, languages | {"en"}))


def _measured(
    database: Database, vectorizer: Vectorizer, model: Model, languages: Iterable[str]
) -> Steps[Model]:
    """Return *model* with its scales in *languages*: those that are new to it are measured."""
    found: dict[str, Scale] = {}
    for language in sorted({*languages} & {*PAIRS} - {*model.scales}):
        found[language] = yield from _scale(vectorizer, language, model.dimension)
    if not found:
        return model
    with database.write() as session:
        return replace(model, scales=tables.record_scales(session.conn, model, found))


def _scale(vectorizer: Vectorizer, language: str, dimension: int) -> Steps[Scale]:
    asked, answered = zip(*PAIRS[language], strict=True)
    questions: Vectors = yield vectorizer.query(asked)
    answers: Vectors = yield vectorizer.documents(answered)
    if {questions.shape[1], answers.shape[1]} != {dimension}:
        name = vectorizer.embedder.name
        raise EmbeddingFailed(f"embedder {name!r} returned vectors of different lengths")
    return scale_of(questions, answers)
