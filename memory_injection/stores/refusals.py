"""Entries that the embedder refuses: found among the others, and set aside in the file.

A text can be too long for a model, or be one for which it gives no vector. A service that is not
there refuses everything. Which of the two it was, a text that is known to be taken tells.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Generator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np

from ..records import Scope
from .pairs import PAIRS
from .vectorizing import EmbeddingFailed, Rows, Vectorizer
from .vectors import Model, Vectors

__all__ = [
    "Refused",
    "Taken",
    "by_words_alone",
    "embed_each",
    "known_text",
    "refused_entries",
    "told_of",
]

T = TypeVar("T")
Steps = Generator[Any, Any, T]
_NAMED = 3  # entries that one line of the log names
Batch = Sequence[tuple[int, str]]
Found = dict[int, "Vectors | str"]  # by row number: a vector, or why there is none


class Refused(NamedTuple):
    """An entry that has no vector because the embedder refuses it.

    Attributes:
        id: the entry's id.
        reason: what the embedder said, at most 300 characters.
        scope: whose entry it is.
    """

    id: str
    reason: str
    scope: Scope


class Taken(NamedTuple):
    """What became of a batch: row numbers with a vector each, and the refused with the reason."""

    idents: list[int]
    vectors: Vectors | None
    refused: Mapping[int, str]


def embed_each(vectorizer: Vectorizer, batch: Batch, known: str) -> Steps[Taken]:
    """Embed *batch*, row numbers and texts; what is refused is found by halving it.

    Args:
        vectorizer: asks the embedder.
        batch: what to embed, not empty.
        known: a text that the embedder takes, see :func:`known_text`.

    Raises:
        EmbeddingFailed: not the texts are at fault, the embedder does not even take *known*.
    """
    found, trouble = yield from _asked(vectorizer, batch)
    if trouble is not None:
        yield from _check(vectorizer, known, trouble)
        found = yield from _halved(vectorizer, batch)
        if any(isinstance(row, str) for row in found.values()):
            yield from _check(vectorizer, known, trouble)  # it may have gone half-way
    good = {ident: row for ident, row in found.items() if not isinstance(row, str)}
    vectors = np.stack([*good.values()]) if good else None
    refused = {ident: row for ident, row in found.items() if isinstance(row, str)}
    return Taken([*good], vectors, refused)


def _asked(vectorizer: Vectorizer, batch: Batch) -> Steps[tuple[Found, EmbeddingFailed | None]]:
    """Return what is known of each entry, or the trouble if there is not one vector."""
    try:
        rows: Rows = yield vectorizer.each([text for _, text in batch])
    except EmbeddingFailed as error:
        if error.general:
            raise
        return {}, error
    if len(rows.wrong) == len(batch):
        return {}, vectorizer.wrong(rows.wrong[0])
    found: Found = {}
    for at, (ident, _) in enumerate(batch):
        found[ident] = rows.wrong[at] if at in rows.wrong else rows.vectors[at]
    return found, None


def _halved(vectorizer: Vectorizer, batch: Batch) -> Steps[Found]:
    """Ask for the halves of a *batch* that failed, down to single entries: those are refused."""
    middle = (len(batch) + 1) // 2
    found: Found = {}
    for half in (batch[:middle], batch[middle:]):
        if not half:
            continue
        some, trouble = yield from _asked(vectorizer, half)
        if trouble is not None and len(half) == 1:
            some = {half[0][0]: trouble.reason}
        elif trouble is not None:
            some = yield from _halved(vectorizer, half)
        found.update(some)
    return found


def _check(vectorizer: Vectorizer, known: str, trouble: EmbeddingFailed) -> Steps[None]:
    """Raise *trouble* if the embedder does not take the *known* text either."""
    try:
        _, more = yield from _asked(vectorizer, [(0, known)])
    except EmbeddingFailed:
        raise trouble from None
    if more is not None:
        raise trouble


def known_text(conn: sqlite3.Connection, model: Model | None) -> str:
    """Return a text that the embedder has taken before, or a short plain one."""
    row = None
    if model is not None:
        row = conn.execute(
            "SELECT e.content FROM memory_vectors v JOIN memory_entries e ON e.id = v.id"
            " WHERE v.model = ? LIMIT 1",
            (model.id,),
        ).fetchone()
    return row[0] if row else PAIRS["en"][0][1]


def refused_entries(
    conn: sqlite3.Connection, name: str, idents: Sequence[int] | None = None
) -> list[Refused]:
    """Return the entries set aside for the embedder *name*, of *idents* if given, oldest first."""
    rows = conn.execute(
        "SELECT r.id, e.external, r.reason, s.key FROM memory_refused r"
        " JOIN memory_entries e ON e.id = r.id JOIN memory_scopes s ON s.id = e.scope"
        " WHERE r.model = ? ORDER BY r.id",
        (name,),
    ).fetchall()
    wanted = None if idents is None else {*idents}
    return [
        Refused(external, reason, Scope(**json.loads(key)))
        for ident, external, reason, key in rows
        if wanted is None or ident in wanted
    ]


def by_words_alone(unknown: int, entries: int, refused: int) -> str | None:
    """Say of how many *entries* nothing is known but their words, *refused* ones among them."""
    if not unknown:
        return None
    refused = min(refused, unknown)
    why = ["they wait to be embedded"] if unknown > refused else []
    if refused:
        why.append(f"the embedder refused {refused if why else 'them'}")
    return f"{unknown} of {entries} entries by words alone: {', '.join(why)}"


def told_of(name: str, refused: Sequence[Refused]) -> str | None:
    """Name the entries just *refused* by the embedder *name*, the first few of them."""
    if not refused:
        return None
    named = "; ".join(f"{one.id!r} ({one.reason})" for one in refused[:_NAMED])
    more = f"; and {len(refused) - _NAMED} more" if len(refused) > _NAMED else ""
    some = "an entry" if len(refused) == 1 else f"{len(refused)} entries"
    return f"embedder {name!r} refuses {some}: {named}{more}"
