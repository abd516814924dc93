"""Which earlier blocks a request still carries: the ``keep`` policies and ``carry_budget``."""

from __future__ import annotations

import itertools
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field

from ..counters import BYTES
from ..ledger_records import LedgerRecord
from .economy import Turn, carried_since
from .effects import Trace
from .request import Request
from .walk import Walk, strip_blocks
from .weighing import GuardedCounter, room_left

__all__ = ["Retention", "retain"]

Placed = Sequence["tuple[int, LedgerRecord]"]


@dataclass(slots=True)
class Retention:
    """What is no longer carried.

    Attributes:
        gone: places in the list of found records that are not carried.
        fresh: records that this very call stops carrying.
        at: key of the turn from which on they are gone.
    """

    gone: set[int] = field(default_factory=set)
    fresh: list[LedgerRecord] = field(default_factory=list)
    at: bytes = b""


def retain(request: Request, found: Placed, trace: Trace) -> Retention:
    """Decide which of the *found* records (position, record; oldest first) are carried.

    Blocks of the turn in progress always are: the model is still working with them.
    """
    walk = request.walk
    turn = walk.last_ask()
    if turn is None:
        return Retention()
    earlier = [at for at, (position, _) in enumerate(found) if position < turn]
    if request.placement != "user" or request.config.keep == "call":
        return Retention(gone=set(earlier))
    retention = Retention(at=walk[turn].key)
    retention.gone = {at for at in earlier if _was_dropped(walk, found[at][1])}
    if request.config.keep == "auto":
        since = _first_carried(request, found)
        retention.gone |= {at for at in earlier if found[at][0] < since}
    carried = [at for at in earlier if at not in retention.gone]
    if walk.last_spoken() == turn:
        _shed(retention, carried, found, request.config.carry_budget, half=True)
    # The window holds inside a tool loop as well: a request that is refused has no use of a cache.
    carried = [at for at in carried if at not in retention.gone]
    total = sum(record.tokens for _, record in found)
    ready = request.counter_ready
    counter = GuardedCounter(request.load_counter(request.model), trace) if ready else BYTES
    room = room_left(request, counter, total) if carried else None
    if room is not None:
        turns_own = sum(record.tokens for at, record in found if at >= turn)
        _shed(retention, carried, found, max(room - turns_own, 0), half=False)
    return retention


def _was_dropped(walk: Walk, record: LedgerRecord) -> bool:
    return any(walk.at(key) is not None for key in record.dropped)


def _shed(retention: Retention, carried: list[int], found: Placed, budget: int, half: bool) -> None:
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
