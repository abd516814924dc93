"""Embedding what is waiting: in batches, each kept at once, so that a broken-off run resumes."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, TypeVar

from . import vectors as tables
from .database import Database
from .vectorizing import ANSWERS, QUESTIONS, EmbeddingFailed, Vectorizer, Vectors, ends_of_scale
from .vectors import Model

__all__ = ["Progress", "embed_waiting"]

T = TypeVar("T")
Steps = Generator[Any, Any, T]
Progress = Callable[[int, int], None]
"""Called with how many entries are embedded and how many there are to do."""

_BATCH = 256  # texts embedded and written at a time: what a broken-off run loses at most


def embed_waiting(
    database: Database, vectorizer: Vectorizer, progress: Progress | None = None
) -> Steps[int]:
    """Embed every entry without a vector of the embedder's model; return how many.

    Yields vectors or awaitables of them, see ``vectorizing.run``. Entries written meanwhile, by
    anybody, are embedded too.

    Raises:
        EmbeddingFailed: the embedder's trouble; what was embedded before it is kept.
        StoreError: the file cannot be written.
    """
    embedder = vectorizer.embedder
    done = last = total = 0
    with database.read() as session:
        model = tables.find_model(session.conn, embedder.name, embedder.dimension)
        if progress is not None:
            total = tables.count_waiting(session.conn, model)
    while True:
        with database.read() as session:
            batch = tables.waiting(session.conn, model, _BATCH, last)
        if not batch:
            return done
        rows: Vectors = yield vectorizer.documents([text for _, text in batch])
        if model is None or model.dimension != rows.shape[1]:
            model = yield from _recorded(database, vectorizer, rows.shape[1])
        with database.write() as session:
            tables.keep(session.conn, model, [ident for ident, _ in batch], rows)
        done += len(batch)
        last = batch[-1][0]
        if progress is not None:
            progress(done, max(total, done))


def _recorded(database: Database, vectorizer: Vectorizer, dimension: int) -> Steps[Model]:
    """Return the model's row; a new model is measured first: what do its cosines mean?"""
    name = vectorizer.embedder.name
    with database.read() as session:
        known = tables.find_model(session.conn, name, dimension)
    if known is not None:
        return known
    questions: Vectors = yield vectorizer.query(QUESTIONS)
    answers: Vectors = yield vectorizer.documents(ANSWERS)
    if {questions.shape[1], answers.shape[1]} != {dimension}:
        raise EmbeddingFailed(f"embedder {name!r} returned vectors of different lengths")
    unrelated, answer = ends_of_scale(questions, answers)
    with database.write() as session:
        return tables.record_model(session.conn, name, dimension, unrelated, answer)
