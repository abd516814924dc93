"""Which earlier blocks a request still carries: the ``keep`` policies and ``carry_budget``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..ledger_records import LedgerRecord
from .request import Request
from .walk import Walk

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


def retain(request: Request, found: Placed) -> Retention:
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
    if request.config.keep == "auto" and not _staying_pays(request, found, turn):
        return Retention(gone=set(earlier))
    retention = Retention(at=walk[turn].key)
    retention.gone = {at for at in earlier if _was_dropped(walk, found[at][1])}
    if walk.last_spoken() == turn:
        _shed(retention, [at for at in earlier if at not in retention.gone], found, request)
    return retention


def _was_dropped(walk: Walk, record: LedgerRecord) -> bool:
    return any(walk.at(key) is not None for key in record.dropped)


def _shed(retention: Retention, carried: list[int], found: Placed, request: Request) -> None:
    """Past the budget, let the oldest go until half of it is left: one cache miss, not many."""
    budget = request.config.carry_budget
    total = sum(found[at][1].tokens for at in carried)
    if total <= budget:
        return
    for at in carried:
        if total <= budget // 2:
            break
        total -= found[at][1].tokens
        retention.gone.add(at)
        retention.fresh.append(found[at][1])


def _staying_pays(request: Request, found: Placed, turn: int) -> bool:
    """Tell whether keeping blocks costs less than sending only the latest, for this conversation.

    Walks the turns so far and compares, turn by turn, what each policy would have paid: staying
    reads every carried block again in each request at the cached price; leaving re-reads what
    followed the block (replies, tool traffic) at the full price once. The mind is changed only
    when the other policy has been cheaper by a quarter over the last turns, so it rarely is.
    """
    walk, price = request.walk, request.config.cached_token_price
    blocks = _tokens_by_turn(walk, found)
    if not blocks:
        return True
    staying, carried, advantage = True, 0.0, 0.0
    for start, end, tokens in blocks:
        after, requests = _turn_traffic(walk, start, end)
        stay_cost = price * carried * requests
        leave_cost = (1 - price) * after
        carried = min(carried + tokens, float(request.config.carry_budget))
        # The recent past counts most, so a change of traffic shows within a few turns.
        advantage = 0.7 * advantage + (leave_cost - stay_cost)
        scale = 0.25 * max(leave_cost, stay_cost, 1.0)
        if staying and advantage < -scale:
            staying = False
        elif not staying and advantage > scale:
            staying, carried = True, tokens
    return staying


def _tokens_by_turn(walk: Walk, found: Placed) -> list[tuple[int, int, float]]:
    asks = [at for at in range(walk.length) if walk[at].reading.ask]
    tokens = dict.fromkeys(asks, 0.0)
    for position, record in found:
        start = max((ask for ask in asks if ask <= position), default=None)
        if start is not None:
            tokens[start] += record.tokens
    ends = [*asks[1:], walk.length]
    return [(start, end, tokens[start]) for start, end in zip(asks, ends, strict=True)][:-1]


def _turn_traffic(walk: Walk, start: int, end: int) -> tuple[float, int]:
    """Return the tokens after the user message of a turn (four characters each) and its requests.

    Requests of a turn are the assistant messages in it.
    """
    after, requests = 0.0, 0
    for at in range(start + 1, end):
        reading = walk[at].reading
        after += (len(reading.text) + len(reading.rest)) / 4
        requests += reading.role == "assistant"
    return after, max(requests, 1)
