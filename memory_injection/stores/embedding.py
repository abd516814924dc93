"""Embedding what is waiting: in batches, each kept at once, so that a broken-off run resumes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

from . import vectors as tables
from .database import Database
from .pairs import PAIRS
from .refusals import Refused, Taken, embed_each, known_text, refused_entries
from .vectorizing import EmbeddingFailed, Vectorizer, Vectors, scale_of
from .vectors import Model, Scale

__all__ = ["Done", "Progress", "embed_waiting"]

T = TypeVar("T")
Steps = Generator[Any, Any, T]
Progress = Callable[[int, int], None]
"""Called with how many entries are embedded and how many there are to do."""

_BATCH = 256  # texts embedded and written at a time: what a broken-off run loses at most


class Done(NamedTuple):
    """How many entries were embedded, and those that the embedder refused."""

    embedded: int
    refused: list[Refused]


def embed_waiting(
    database: Database,
    vectorizer: Vectorizer,
    progress: Progress | None = None,
    others: Collection[int] = (),
    again: bool = False,
) -> Steps[Done]:
    """Embed every entry without a vector of the embedder's model.

    Yields vectors or awaitables of them, see ``vectorizing.run``. Entries written meanwhile, by
    anybody, are embedded too, but for *others*: row numbers that other calls were embedding before
    this one's entries were written. So a text that hangs the model holds up the call that wrote it.
    What the embedder refuses is set aside in the file, and left alone from then on unless *again*.

    Raises:
        EmbeddingFailed: the embedder's trouble; what was embedded before it is kept.
        StoreError: the file cannot be written.
    """
    embedder = vectorizer.embedder
    skipped = None if again else embedder.name
    embedded = last = total = 0
    refused: dict[int, str] = {}
    with database.read() as session:
        model = tables.find_model(session.conn, embedder.name, embedder.dimension)
        if progress is not None:
            total = tables.count_waiting(session.conn, model, skipped)
    if model is not None and not model.scales:
        model = yield from _earlier(database, vectorizer, model)
    while True:
        with database.read() as session:
            batch = tables.waiting(session.conn, model, _BATCH, last, skipped)
            known = known_text(session.conn, model)
        if not batch:
            break
        last = batch[-1][0]
        batch = [row for row in batch if row[0] not in others]
        if not batch:
            continue
        with vectorizer.taking(batch):
            taken = yield from embed_each(vectorizer, batch, known)
            spoken = {ident: tables.spoken_by(text) for ident, text in batch}
            before, model = model, (yield from _kept(database, vectorizer, model, taken, spoken))
        if model is not before:
            last = 0  # all that this model has not embedded, what another one refused included
        if model is not None:
            said = {spoken[ident] or "en" for ident in taken.idents}
            model = yield from _measured(database, vectorizer, model, said)
        refused.update(taken.refused)
        embedded += len(taken.idents)
        if progress is not None:
            done = embedded + len(refused)
            progress(done, max(total, done))
    with database.read() as session:
        named = refused_entries(session.conn, embedder.name, [*refused]) if refused else []
    return Done(embedded, named)


def _kept(
    database: Database,
    vectorizer: Vectorizer,
    model: Model | None,
    taken: Taken,
    spoken: Mapping[int, str],
) -> Steps[Model | None]:
    """Write what became of a batch; return the model, now measured if it is new."""
    rows = taken.vectors
    if rows is not None and (model is None or model.dimension != rows.shape[1]):
        model = yield from _recorded(database, vectorizer, rows.shape[1])
    with database.write() as session:
        if model is not None and rows is not None:
            languages = [spoken[ident] for ident in taken.idents]
            tables.keep(session.conn, model, taken.idents, rows, languages)
        tables.set_aside(session.conn, vectorizer.embedder.name, taken.refused)
    return model


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
