"""``keep="auto"``: whether earlier blocks stay, decided from what the conversation itself shows.

Prices are in new prompt tokens; a cached one costs *c* of them. A block that stays is read again,
cached, in each later request: ``c * carried * requests`` a turn, and *carried* grows by what is
new. Blocks that leave after their turn make the prompt differ from the previous request's at the
place they left, so that all that followed (replies, tool traffic) is read anew:
``(1 - c) * traffic`` a turn, and what was shown before is shown again at the full price. The reply
a turn ends with counts as far as the engine keeps what it generated: one that caches prompts only
reads it anew either way. Staying pays for long replies, tool loops and topics that come back;
leaving for short chat.

The decision for a turn depends on the turns before it alone, and is made anew from them at every
call. So it is the same inside a tool loop, after a restart, in another process and on a branch,
and no state is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from ..ledger_records import Shown

__all__ = ["Turn", "carried_since"]

_HORIZON = 20  # turns a conversation is expected to have; past half of it, as many as it had
_MARGIN = 1.1  # the other way must be cheaper by this factor, once more for each change of mind
_LOOK = 4  # turns back that tell how much of what is shown was shown just before
_MEMORY = 0.5  # weight of the last turn in the running averages: a change shows in two or three


@dataclass(frozen=True, slots=True)
class Turn:
    """What one past turn was made of, in tokens.

    Attributes:
        ask: the user message without its blocks.
        block: the blocks written in the turn.
        shown: the memories in them.
        traffic: what followed the user message: replies, tool calls and results.
        reply: what of it was said last, and so was in no prompt before the next turn's.
        requests: model calls, at least 1.
    """

    ask: float
    block: float
    shown: frozenset[Shown]
    traffic: float
    reply: float
    requests: float

    def fresh(self, earlier: Sequence[Turn]) -> float:
        """Return the tokens of its blocks that *earlier* turns had not shown."""
        if not self.shown:
            return self.block
        new = self.shown.difference(*(turn.shown for turn in earlier))
        return self.block * len(new) / len(self.shown)


def carried_since(turns: Sequence[Turn], price: float, replies: float) -> int:
    """Return the number of the first turn whose block the next request carries.

    That is ``len(turns)`` when no earlier block is carried.

    Args:
        turns: the past turns, oldest first.
        price: of a cached token, as a share of a new one's, 0..1.
        replies: share of a turn's last reply that the next turn finds in the cache, 0..1.
    """
    since, staying, margin = 0, True, _MARGIN
    pace = _Pace()
    blocks = list(accumulate((turn.block for turn in turns), initial=0.0))
    said = list(accumulate((turn.traffic + turn.ask for turn in turns), initial=0.0))
    for number, turn in enumerate(turns, 1):
        first = since if staying else number - 1
        before = (
            turns[since : number - 1] if staying else turns[max(0, number - _LOOK) : number - 1]
        )
        anew = (1 - replies) * turn.reply  # is read anew either way
        pace.follow(turn, turn.fresh(before), turn.traffic - anew)
        left = max(_HORIZON - number, number)
        stay = pace.staying(price, blocks[number] - blocks[first], left)
        leave = pace.leaving(price, left)
        if staying:
            # Leaving now reads everything after the first carried block anew, once.
            behind = said[number] - said[first] - turns[first].ask - anew
            leave += (1 - price) * max(behind - pace.traffic, 0.0)
            if leave * margin < stay:
                staying, since = False, number
                margin *= _MARGIN
        elif stay * margin < leave:
            # The block of the turn just past still stands in the last request.
            staying, since = True, number - 1
            margin *= _MARGIN
        else:
            since = number
    return since


class _Pace:
    """Running averages of what a turn is made of."""

    def __init__(self) -> None:
        self.block = self.fresh = self.traffic = self.requests = 0.0
        self._turns = 0

    def follow(self, turn: Turn, fresh: float, traffic: float) -> None:
        """Take one more turn into account, *traffic* of which the next one finds in the cache."""
        self._turns += 1
        weight = max(_MEMORY, 1 / self._turns)
        # Under blocks that stay only what is new is written; what would be shown is more.
        self.block = max(self.block + weight * (turn.block - self.block), turn.block)
        self.fresh += weight * (fresh - self.fresh)
        self.traffic += weight * (traffic - self.traffic)
        self.requests += weight * (turn.requests - self.requests)

    def staying(self, price: float, carried: float, left: int) -> float:
        """Return what the next *left* turns cost with blocks that stay."""
        read_again = carried * left + self.fresh * left * (left - 1) / 2
        return price * self.requests * read_again + self.fresh * left

    def leaving(self, price: float, left: int) -> float:
        """Return what the next *left* turns cost with blocks that leave."""
        return ((1 - price) * self.traffic + self.block) * left
