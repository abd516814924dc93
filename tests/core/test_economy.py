"""``keep="auto"``: what it decides, and what deciding costs."""

from __future__ import annotations

import time

from memory_injection.pipeline.economy import Turn, carried_since


def turn(block=50.0, traffic=60.0, requests=1.0):
    return Turn(ask=10.0, block=block, shown=frozenset(), traffic=traffic, requests=requests)


def test_blocks_leave_in_short_chat_and_stay_with_long_replies():
    """The turn where staying breaks even comes the later, the more follows a block."""
    assert carried_since([turn()] * 20, 0.1) == 20
    assert carried_since([turn(traffic=5000.0)] * 20, 0.1) == 0


def test_nothing_is_carried_where_nothing_was_said():
    """The first turn has nothing to decide."""
    assert carried_since([], 0.1) == 0


def test_deciding_costs_in_proportion_to_the_turns():
    """Twenty thousand turns are decided in a blink, not in half a minute."""
    started = time.perf_counter()
    carried_since([turn(traffic=100_000.0, block=1.0)] * 20_000, 0.1)
    assert time.perf_counter() - started < 5
