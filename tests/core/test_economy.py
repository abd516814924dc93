"""``keep="auto"``: what it decides, and what deciding costs."""

from __future__ import annotations

import itertools
import random
import time

from memory_injection.pipeline.economy import Turn, carried_since


def turn(block=50.0, traffic=60.0, requests=1.0, reply=0.0):
    return Turn(10.0, block, frozenset(), traffic, reply, requests)


def test_blocks_leave_in_short_chat_and_stay_with_long_replies():
    """The turn where staying breaks even comes the later, the more follows a block."""
    assert carried_since([turn()] * 20, 0.1, 0.5) == 20
    assert carried_since([turn(traffic=5000.0)] * 20, 0.1, 0.5) == 0


def test_nothing_is_carried_where_nothing_was_said():
    """The first turn has nothing to decide."""
    assert carried_since([], 0.1, 0.5) == 0


def test_deciding_costs_in_proportion_to_the_turns():
    """Twenty thousand turns are decided in a blink, not in half a minute."""
    started = time.perf_counter()
    carried_since([turn(traffic=100_000.0, block=1.0)] * 20_000, 0.1, 0.5)
    assert time.perf_counter() - started < 5


def test_a_reply_counts_as_far_as_the_engine_keeps_it():
    """One that caches prompts only reads the reply anew whatever stays."""
    talk = [turn(traffic=400.0, reply=400.0)] * 12
    assert carried_since(talk, 0.1, 1.0) == 0
    assert carried_since(talk, 0.1, 0.0) == 12


def test_a_changed_mind_is_changed_less_readily():
    """Where neither way is clearly cheaper it settles on one."""
    rng = random.Random(3)
    talk = [turn(traffic=float(rng.choice([20, 700])), block=60.0) for _ in range(200)]
    carried = [carried_since(talk[:n], 0.1, 0.5) == n for n in range(1, len(talk))]
    assert sum(a != b for a, b in itertools.pairwise(carried)) <= 8
