"""Which earlier blocks a request still carries: the ``keep`` policies and ``carry_budget``."""

from __future__ import annotations

import itertools
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field

from ..ledger_records import LedgerRecord
from ..protocols import TokenCounter
from ..rendering import strip_blocks
from .economy import Turn, carried_since
from .request import Request
from .walk import Walk
from .weighing import room_left

__all__ = ["Retention", "retain"]

Placed = Sequence["tuple[int, LedgerRecord]"]


@dataclass(slots=True)
class Retention:
    """What is no longer carried.

    Attributes:
        gone: places in the list of found records that are not carried.
        fresh: records that this very call stops carrying.
        at: key of the turn from which on they are gone.
        unfit: places of records of the turn in progress that this very request is too small for.
    """

    gone: set[int] = field(default_factory=set)
    fresh: list[LedgerRecord] = field(default_factory=list)
    at: bytes = b""
    unfit: set[int] = field(default_factory=set)


def retain(request: Request, found: Placed, counter: TokenCounter) -> Retention:
    """Decide which of the *found* records (position, record; oldest first) are carried.

    The records are weighed by *counter*. Blocks of the turn in progress are carried while they
    fit: the model is still working with them.
    """
    walk = request.walk
    turn = walk.last_ask()
    if turn is None:
        return Retention()
    earlier = [at for at, (position, _) in enumerate(found) if position < turn]
    retention = Retention(at=walk[turn].key)
    if request.placement != "user" or request.config.keep == "call":
        retention.gone = set(earlier)
    else:
        _choose(request, retention, earlier, found)
    _fit(request, retention, found, len(earlier), counter)
    return retention


def _choose(request: Request, retention: Retention, earlier: list[int], found: Placed) -> None:
    """Let go of what the policy and the budget for *earlier* blocks no longer carry."""
    walk = request.walk
    retention.gone = {at for at in earlier if _was_dropped(walk, found[at][1])}
    if request.config.keep == "auto":
        since = _first_carried(request, found)
        retention.gone |= {at for at in earlier if found[at][0] < since}
    if walk.last_spoken() == walk.last_ask():
        carried = [at for at in earlier if at not in retention.gone]
        _shed(retention, carried, found, request.config.carry_budget, half=True)


def _fit(
    request: Request, retention: Retention, found: Placed, own: int, counter: TokenCounter
) -> None:
    """Keep within the window, and a retry within the budget; those from *own* on are the turn's.

    That goes inside a tool loop as well: a request that is refused has no use of a cache. A block
    may have been weighed for another model, so the turn's own can be too large for this one.
    """
    limit = request.config.token_budget
    for at in range(own, len(found)):
        _, record = found[at]
        if record.step == request.walk.last_key and record.tokens > limit:
            retention.unfit.add(at)
    kept = [at for at in range(len(found)) if at not in retention.gone | retention.unfit]
    total = sum(record.tokens for _, record in found)
    room = room_left(request, counter, total, _apart(request.walk, found)) if kept else None
    if room is not None:
        turns_own = sum(found[at][1].tokens for at in kept if at >= own)
        _shed(retention, [at for at in kept if at < own], found, max(room - turns_own, 0))
        for at in kept:
            if at >= own and turns_own > room:
                retention.unfit.add(at)
                turns_own -= found[at][1].tokens
    retention.gone |= retention.unfit


def _apart(walk: Walk, found: Placed) -> dict[int, list[str]]:
    """Return the records' texts that stand in the messages already, by position."""
    apart: dict[int, list[str]] = {}
    for position, record in found:
        if record.text in walk[position].blocks:
            apart.setdefault(position, []).append(record.text)
    return apart


def _was_dropped(walk: Walk, record: LedgerRecord) -> bool:
    return any(walk.at(key) is not None for key in record.dropped)


def _shed(
    retention: Retention, carried: list[int], found: Placed, budget: int, half: bool = False
) -> None:
    """Past *budget*, let the oldest go; down to *half* of it, for one cache miss, not many."""
    total = sum(found[at][1].tokens for at in carried)
    if total <= budget:
        return
    for at in carried:
        if total <= (budget // 2 if half else budget):
            break
        total -= found[at][1].tokens
        retention.gone.add(at)
        retention.fresh.append(found[at][1])


def _first_carried(request: Request, found: Placed) -> int:
    """Return the position from which on blocks are carried under ``keep="auto"``."""
    walk = request.walk
    asks = [at for at in range(walk.length) if walk[at].reading.ask]
    turns = [_turn(walk, found, start, end) for start, end in itertools.pairwise(asks)]
    config = request.config
    return asks[carried_since(turns, config.cached_token_price, config.cached_replies)]


def _position(placed: tuple[int, LedgerRecord]) -> int:
    return placed[0]


def _turn(walk: Walk, found: Placed, start: int, end: int) -> Turn:
    """Measure a past turn; a token is taken for four characters, requests for assistant messages.

    Only how the parts compare matters, so no vocabulary is needed.
    """
    ask = len(strip_blocks(walk[start].reading.text, walk[start].blocks))
    begin, stop = (bisect_left(found, at, key=_position) for at in (start, end))
    records = [record for _, record in found[begin:stop]]
    requests = sum(walk[at].reading.role == "assistant" for at in range(start + 1, end))
    return Turn(
        ask=ask / 4,
        block=float(sum(record.tokens for record in records)),
        shown=frozenset(one for record in records for one in record.shown),
        traffic=walk.weight(start + 1, end) / 4,
        reply=walk.weight(end - 1, end) / 4 if end - start > 1 else 0.0,
        requests=max(requests, 1),
    )
