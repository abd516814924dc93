"""Contract 7.4 and 7.5: how many facts an agent and a user may hold."""

from __future__ import annotations

import pytest

from memory_injection.facts import FactStore


@pytest.fixture
def small(path):
    """A store for 3 facts per agent, 2 per user."""
    with FactStore(path, max_facts_per_agent=3, max_facts_per_user=2) as store:
        yield store


def test_memory_full(small, refused):
    """The cap counts an agent's facts, its users' included; other agents are not concerned."""
    mem = small.open(agent="a", run="r", user="u1")
    for path in ("", "notes/", "users/{user}/"):
        last = mem.remember("t", path=path)
    refused("memory_full", 409, mem.remember, "one more")
    refused("memory_full", 409, small.open(agent="a", run="r", user="u2").remember, "one more")
    assert small.open(agent="b", run="r").remember("t").version == 1
    mem.forget(last.id)
    assert mem.remember("room again").version == 1


def test_a_new_version_fits_at_the_cap(small):
    """Replacing adds no fact."""
    mem = small.open(agent="a", run="r")
    facts = [mem.remember("t") for _ in range(3)]
    assert mem.remember("t", replaces=facts[0].id).version == 2


def test_a_replay_fits_at_the_cap(small, refused):
    """The key answers, and a refused write leaves no trace."""
    mem = small.open(agent="a", run="r")
    first = mem.remember("t", key="k")
    mem.remember("t")
    mem.remember("t")
    assert mem.remember("t", key="k") == first
    refused("memory_full", 409, mem.remember, "t", key="other")
    assert len(mem.list()) == 3
    mem.forget(first.id)
    assert mem.remember("t", key="other").version == 1


def test_one_user_does_not_fill_the_memory_for_everybody(small, refused):
    """The quota of a user's folder stops that user, not the others."""
    one, two = (small.open(agent="a", run="r", user=user) for user in ("u1", "u2"))
    for _ in range(2):
        one.remember("t", path="users/{user}/")
    refused("memory_full", 409, one.remember, "t", path="users/{user}/x/")
    assert two.remember("t", path="users/{user}/").version == 1


def test_erasing_makes_room(small):
    """What was erased no longer counts."""
    one = small.open(agent="a", run="r", user="u1")
    for path in ("users/{user}/", "users/{user}/", ""):
        one.remember("t", path=path)
    assert small.erase_user("a", "u1") == 2
    assert [one.remember("t", path="users/{user}/").version for _ in range(2)] == [1, 1]


def test_the_default_cap_is_the_contracts():
    """100,000 facts per agent."""
    from memory_injection.facts.memory import Caps

    assert Caps() == Caps(per_agent=100_000, per_user=None)
