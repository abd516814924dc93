"""What the facts API hands out: facts, pages of facts, and where a listing goes on."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, timezone
from typing import Any, Literal

from .refusals import MalformedFact

__all__ = ["Fact", "FactPage", "Source", "WrittenBy", "moment", "read_cursor", "write_cursor"]

WrittenBy = Literal["code", "model"]

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


@dataclass(frozen=True, slots=True)
class Source:
    """Who wrote a version of a fact.

    Attributes:
        run_id: the run it was written in; None when it came in through the store interface
            without one.
        written_by: ``"code"``, or ``"model"`` for a tool call.
    """

    run_id: str | None
    written_by: WrittenBy


@dataclass(frozen=True, slots=True)
class Fact:
    """One version of one fact.

    Attributes:
        id: ``m_`` and 20 characters; the same in every version.
        path: the folder it lies in, ``""`` or with a trailing slash.
        text: 1-4000 characters.
        tags: at most 20.
        confidence: 0 to 1, or None when nobody said.
        version: counts from 1 without gaps.
        created_at: when version 1 was written, UTC.
        updated_at: when this version was written, UTC; strictly increasing per agent.
        source: who wrote this version.
        score: how well it fits the query, higher is better; None outside of searches and for an
            empty query.
    """

    id: str
    path: str
    text: str
    tags: tuple[str, ...]
    confidence: float | None
    version: int
    created_at: datetime
    updated_at: datetime
    source: Source
    score: float | None = None

    def scored(self, score: float | None) -> Fact:
        """Return this fact with *score*."""
        return replace(self, score=score)

    def to_dict(self) -> dict[str, Any]:
        """Return the fact as JSON-serialisable values, in the order of the fields."""
        return {
            "id": self.id,
            "path": self.path,
            "text": self.text,
            "tags": list(self.tags),
            "confidence": self.confidence,
            "version": self.version,
            "created_at": self.created_at.isoformat(),
            "updated_at": self.updated_at.isoformat(),
            "source": {"run_id": self.source.run_id, "written_by": self.source.written_by},
            "score": self.score,
        }


class FactPage(list[Fact]):
    """One page of a listing: a list of facts, newest first.

    Attributes:
        next_cursor: give it to the next call of ``list``; None when this was the last page.
    """

    def __init__(self, facts: Iterable[Fact] = (), next_cursor: str | None = None) -> None:
        """Keep *facts* and where the next page starts."""
        super().__init__(facts)
        self.next_cursor = next_cursor


def moment(microseconds: int) -> datetime:
    """Return the point in time *microseconds* after 1970, exactly (a float would round)."""
    return _EPOCH + timedelta(microseconds=microseconds)


def write_cursor(after: Fact) -> str:
    """Return the cursor of what comes after *after*: last updated, then id."""
    micro = (after.updated_at - _EPOCH) // timedelta(microseconds=1)
    return base64.urlsafe_b64encode(f"{micro}:{after.id}".encode()).decode("ascii")


def read_cursor(cursor: object) -> tuple[int, str] | None:
    """Return (microseconds, id) that a page goes on after; None for the first page.

    Raises:
        FactRefused: 422, *cursor* is not one that a page gave.
    """
    if cursor is None:
        return None
    if isinstance(cursor, str) and len(cursor) <= 200:
        try:
            micro, _, ident = base64.b64decode(cursor, b"-_", validate=True).decode().partition(":")
            if ident and abs(int(micro)) < 2**62:
                return int(micro), ident
        except (binascii.Error, ValueError):
            pass
    raise MalformedFact(f"cursor {cursor!r:.80} was not given by a page of this list")
