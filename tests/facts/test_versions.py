"""Contract 7.6: new versions, lost updates, idempotency keys."""

from __future__ import annotations

from datetime import timezone

import pytest

from memory_injection.facts import FactStore, Source


def test_a_first_version(mem):
    """A new fact has every field of the contract."""
    fact = mem.remember("Tea.", path="notes", tags=["x"], confidence=0.5)
    assert (fact.path, fact.text, fact.tags, fact.confidence) == ("notes/", "Tea.", ("x",), 0.5)
    assert (fact.version, fact.score, fact.source) == (1, None, Source("r", "code"))
    assert fact.id.startswith("m_")
    assert fact.created_at == fact.updated_at
    assert fact.created_at.tzinfo is timezone.utc
    assert mem.get(fact.id) == fact
    assert fact.to_dict()["source"] == {"run_id": "r", "written_by": "code"}


def test_left_out_everything_goes_to_the_root_without_tags(mem):
    """Path, tags and confidence have defaults."""
    fact = mem.remember("Tea.")
    assert (fact.path, fact.tags, fact.confidence) == ("", (), None)


def test_replaces_writes_a_new_version(open_run):
    """Same id, version + 1, later update, the source of the writer; the old one is history."""
    first = open_run("u1", run="r1").remember("Tea.", path="notes/", tags=["x"], confidence=0.5)
    second = open_run("u1", run="r2").remember("Coffee.", replaces=first.id)
    assert (second.id, second.version, second.text) == (first.id, 2, "Coffee.")
    assert (second.tags, second.confidence, second.path) == (("x",), 0.5, "notes/")
    assert second.created_at == first.created_at
    assert second.updated_at > first.updated_at
    assert second.source == Source("r2", "code")
    assert open_run("u1").history(first.id) == [first, second]
    assert open_run("u1").get(first.id) == second


def test_replaces_changes_what_is_given(mem):
    """Tags, confidence and path given with ``replaces`` are the new ones; an empty list is none."""
    fact = mem.remember("Tea.", tags=["x"], confidence=0.5)
    fact = mem.remember("Tea.", replaces=fact.id, tags=["y"], confidence=0, path="notes/")
    assert (fact.tags, fact.confidence, fact.path) == (("y",), 0.0, "notes/")
    fact = mem.remember("Tea.", replaces=fact.id, tags=[])
    assert (fact.tags, fact.confidence) == ((), 0.0)
    assert mem.list(tags=["y"]) == []


def test_an_old_version_is_not_found_by_its_words_or_tags(mem):
    """Searches see the current version only."""
    fact = mem.remember("Tea.", tags=["x"])
    mem.remember("Coffee.", replaces=fact.id, tags=["y"])
    assert mem.search("tea") == []
    assert mem.search("coffee", tags=["x"]) == []
    assert len(mem.search("coffee", tags=["y"])) == 1


def test_replaces_an_unknown_fact(mem, refused):
    """Unknown, forgotten and malformed ids are refused, and nothing is written."""
    fact = mem.remember("Tea.")
    mem.forget(fact.id)
    refused("not_found", 404, mem.remember, "t", replaces="m_unknown")
    refused("not_found", 404, mem.remember, "t", replaces=fact.id)
    refused("invalid", 422, mem.remember, "t", replaces=7)
    assert mem.list() == []


def test_expected_version_guards_against_a_lost_update(mem, refused):
    """The version read must still be the current one."""
    fact = mem.remember("one")
    second = mem.remember("two", replaces=fact.id, expected_version=1)
    for stale in (1, 3):
        refused(
            "version_conflict", 409, mem.remember, "t", replaces=fact.id, expected_version=stale
        )
    assert mem.get(fact.id) == second


@pytest.mark.parametrize("version", [0, -1, True, 1.0, "1"])
def test_expected_version_is_a_whole_number(mem, refused, version):
    """And it goes with ``replaces`` only."""
    fact = mem.remember("one")
    refused("invalid", 422, mem.remember, "t", replaces=fact.id, expected_version=version)
    refused("invalid", 422, mem.remember, "t", expected_version=1)


def test_forget_removes_every_version(mem, refused):
    """A forgotten fact is gone from everywhere, and forgetting again is 404."""
    fact = mem.remember("Tea.", tags=["x"])
    mem.remember("Tea again.", replaces=fact.id)
    mem.forget(fact.id)
    for call in (mem.get, mem.history, mem.forget):
        refused("not_found", 404, call, fact.id)
    assert mem.search("tea") == mem.search("") == mem.list() == mem.list(tags=["x"]) == []


def test_key_in_the_same_run_answers_what_was_written_first(open_run):
    """Another handle, another text, another folder: the first fact, and nothing is written."""
    first = open_run("u1").remember("one", path="notes/", key="k")
    assert open_run("u1").remember("two", path="other/", key="k") == first
    assert open_run("u1").at("other/").remember("three", key="k") == first
    assert open_run("u1").list() == [first]


def test_key_in_another_run_is_another_write(open_run):
    """So is the same run of another agent or of another user."""
    written = [
        open_run("u1", run="r1").remember("tea", key="k"),
        open_run("u1", run="r2").remember("tea", key="k"),
        open_run("u2", run="r1").remember("tea", key="k"),
        open_run(None, run="r1").remember("tea", key="k"),
        open_run("u1", run="r1", agent="b").remember("tea", key="k"),
    ]
    assert len({fact.id for fact in written}) == 5


def test_key_with_replaces(mem):
    """A repeated replacement does not write version 3."""
    fact = mem.remember("one")
    second = mem.remember("two", replaces=fact.id, key="k")
    assert mem.remember("two", replaces=fact.id, key="k") == second
    assert mem.remember("two", replaces=fact.id, expected_version=1, key="k") == second
    assert len(mem.history(fact.id)) == 2


def test_key_after_the_fact_changed_or_went(mem):
    """The answer stays what was written the first time."""
    first = mem.remember("one", tags=["x"], confidence=0.5, key="k")
    mem.remember("two", replaces=first.id)
    assert mem.remember("one", key="k") == first
    mem.forget(first.id)
    assert mem.remember("one", key="k") == first
    assert mem.list() == []


def test_a_replay_beats_every_other_check(mem):
    """Malformed arguments, foreign folders and unknown facts do not matter any more."""
    first = mem.remember("one", key="k")
    assert mem.remember("", key="k") == first
    assert mem.remember("t", path="users/u2/", key="k") == first
    assert mem.remember("t", path="../", tags="x", confidence=7, key="k") == first
    assert mem.remember("t", replaces="m_unknown", key="k") == first
    assert mem.remember("t", expected_version=7, key="k") == first


def test_a_refused_write_leaves_its_key_free(mem, refused):
    """The key is taken by the first write that goes through."""
    refused("invalid", 422, mem.remember, "", key="k")
    refused("not_found", 404, mem.remember, "t", replaces="m_unknown", key="k")
    assert mem.remember("t", key="k").version == 1


def test_newest_is_the_order_of_writing_whatever_the_clock_says(path):
    """A clock that stands still or runs back does not put a later write behind an earlier one."""
    times = iter([100.0, 100.0, 50.0, 0.0])
    with FactStore(path, clock=lambda: next(times)) as store:
        mem = store.open(agent="a", run="r")
        written = [mem.remember(f"tea {at}") for at in range(3)]
        written[0] = mem.remember("tea 0", replaces=written[0].id)
        assert [f.id for f in mem.list()] == [written[0].id, written[2].id, written[1].id]
        assert len({f.updated_at for f in written}) == 3
