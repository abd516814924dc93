"""Questions with a slip of the finger find what they mean, and only in the caller's own words."""

from __future__ import annotations

import pytest

from memory_injection.records import Scope
from memory_injection.stores import InMemoryStore

NOTES = [
    "Passport number ends in 4471, it expires in November.",
    "Dentist appointment moved to Thursday, bring the old x-rays.",
    "Finished the Berlin marathon in four hours.",
    "We adopted a greyhound from the shelter.",
    *(f"The meeting about topic {n} took place in room {n}." for n in range(40)),
]


@pytest.mark.parametrize(
    ("question", "note"),
    [
        ("whats my passprt number", NOTES[0]),
        ("passport nubmer", NOTES[0]),
        ("wen is the dentist apointment", NOTES[1]),
        ("berlin maraton time?", NOTES[2]),
        ("which greyhuond is ours?", NOTES[3]),
    ],
)
def test_a_slip_is_forgiven(question: str, note: str) -> None:
    """First, above the floor."""
    with InMemoryStore() as store:
        store.add_many(NOTES)
        found = store.search(question)
    assert found[0].content == note
    assert (found[0].score or 0) > store.relevance_floor


def test_a_slip_counts_less_than_the_word() -> None:
    """Well spelled is well asked, and a known word stands for no other."""
    with InMemoryStore() as store:
        store.add_many(NOTES)
        right, wrong = store.search("My passport?")[0], store.search("My passprt?")[0]
        assert (wrong.score or 0) < 0.7 * (right.score or 0)
        store.add("My sister collects passprt jokes.")
        assert len(store.search("My passprt?")) == 1


@pytest.mark.parametrize(
    "question",
    [
        "Who wrote the adaptation?",
        "Where is a good poster?",
        "What is a dentil?",
        "护照号码",
        "mara",
        "Geyik ne yer?",
    ],
)
def test_other_words_are_no_slips(question: str) -> None:
    """Short words, other words, other scripts."""
    with InMemoryStore() as store:
        store.add_many(NOTES)
        found = store.search(question)
    assert all((entry.score or 0) < store.relevance_floor for entry in found)


def test_only_the_callers_own_words_are_looked_through() -> None:
    """Nobody's words are found by being nearly theirs."""
    ann, bob = Scope(user="ann"), Scope(user="bob")
    with InMemoryStore() as store:
        store.add_many(NOTES, scope=ann)
        store.add("The hedge needs cutting.", scope=bob)
        assert store.search("my passprt", {"scope": bob}) == []
        assert store.search("my passprt", {"scope": ann})[0].content == NOTES[0]


@pytest.mark.parametrize("entries", [5_100])
def test_a_large_memory_is_looked_through_by_more_letters(entries: int) -> None:
    """The first three letters agree there, so that the search stays bounded."""
    with InMemoryStore() as store:
        store.add_many([*NOTES[:4], *(f"Parcel {n} came from depot {n}." for n in range(entries))])
        assert store.search("my passprt")[0].content == NOTES[0]
        assert store.search("my psasport") == []


def test_a_question_of_many_unknown_words_is_bounded() -> None:
    """Three of them may be slips."""
    with InMemoryStore() as store:
        store.add_many(NOTES)
        assert store.search("zzzzzzz yyyyyyy xxxxxxx passprt") == []
        assert store.search("zzzzzzz yyyyyyy passprt") != []
