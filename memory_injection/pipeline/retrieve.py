"""Ask the stores, and keep what belongs to the caller and is no noise."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ..entries import place_of
from ..errors import StoreError, StoreErrors
from ..records import MemoryEntry
from ..report import DroppedEntry, DropReason, StoreReport
from .effects import Retrieve, Skip, StageFailed, Step, StoreAnswer, Trace
from .query import Query
from .request import Request

__all__ = ["Found", "dropped_entry", "gather"]

_ROOM = 240  # characters for all stores' errors in one line; a report's error has 300
_LEAST = 24
_BESIDE = (-2, -1, 1, 2)  # turns away


@dataclass(slots=True)
class Found:
    """What the stores gave: a list per store, best first, and the pinned entries."""

    results: dict[str, list[MemoryEntry]] = field(default_factory=dict)
    pinned: list[MemoryEntry] = field(default_factory=list)


def gather(request: Request, query: Query, trace: Trace) -> Step[Found]:
    """Search every store at once.

    Raises:
        Skip: nothing was found, or nothing above the floor.
        StageFailed: every store failed.
    """
    answers: Sequence[StoreAnswer] = yield Retrieve(query.text, query.context)
    trace.stores = tuple(answer.report for answer in answers)
    found = Found()
    for answer in answers:
        found.pinned += _own(request, answer.pinned, trace)
        own = _own(request, answer.entries, trace)
        found.results[answer.report.name] = _relevant(request, answer.report.name, own, trace)
    if not found.pinned and not any(found.results.values()):
        _explain_nothing(answers, query, trace)
    return found


def _explain_nothing(answers: Sequence[StoreAnswer], query: Query, trace: Trace) -> None:
    if answers and all(a.report.status in ("timeout", "error", "open") for a in answers):
        raise StageFailed("retrieve", _all_failed([answer.report for answer in answers]))
    if query.text is None:
        raise Skip("below_floor", "small talk")
    if any(drop.reason == "below_floor" for drop in trace.dropped):
        raise Skip("below_floor", "everything found is below the relevance floor")
    raise Skip("nothing_found")


def _all_failed(reports: Sequence[StoreReport]) -> StoreErrors:
    """Return one error that names every store; each store's own line holds its error whole."""
    room = max(_ROOM // len(reports), _LEAST)
    told = [(report.name, f"{report.name}: {report.error or report.status}") for report in reports]
    short = [(name, text if len(text) <= room else f"{text[: room - 3]}...") for name, text in told]
    return StoreErrors("every store failed", [StoreError(text, name) for name, text in short])


def _own(request: Request, entries: Iterable[MemoryEntry], trace: Trace) -> list[MemoryEntry]:
    own = []
    for entry in entries:
        if entry.scope is None or request.scope.sees(entry.scope):
            own.append(entry)
        else:
            trace.dropped.append(dropped_entry(entry, "scope"))
    return own


def _relevant(
    request: Request, store: str, entries: list[MemoryEntry], trace: Trace
) -> list[MemoryEntry]:
    """Return what is above the floor, and on a store's own floor the turns beside it.

    In a chat the turn that asks shares words with a question, and the turn that answers often none:
    "Which one?" - "The left." A store that knows turns ranks it high, if not above the floor.
    """
    floor = request.config.min_relevance
    beside = floor == "auto"
    if floor == "auto":
        traits = request.stores.get(store)
        floor = traits.floor if traits else None
    if floor is None:
        return entries
    above = [entry.score is None or entry.score >= floor for entry in entries]
    near = _near([e for e, passes in zip(entries, above, strict=True) if passes and beside])
    kept = []
    for entry, passes in zip(entries, above, strict=True):
        if passes or ((entry.score or 0) > 0 and place_of(entry) in near):
            kept.append(entry)
        else:
            trace.dropped.append(dropped_entry(entry, "below_floor"))
    return kept


def _near(entries: Iterable[MemoryEntry]) -> set[tuple[str, int] | None]:
    """Return the places of the turns beside these."""
    places = [place for entry in entries if (place := place_of(entry)) is not None]
    return {(session, turn + away) for session, turn in places for away in _BESIDE}


def dropped_entry(entry: MemoryEntry, reason: DropReason) -> DroppedEntry:
    """Return the report's line for an entry that is left out."""
    return DroppedEntry(
        store=entry.store_name,
        id=entry.id,
        score=entry.score,
        length=len(entry.content),
        reason=reason,
    )
