"""Speakers whose names are words of their own: May, Will, Mark."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timezone

import pytest

from memory_injection.stores import InMemoryStore
from memory_injection.text import written_as_names

TURNS = [
    ("2024-05-02", "May", "The garden needs rain."),
    ("2024-06-03", "Will", "A letter about the house in York."),
    ("2024-06-20", "Mark", "My sister has moved to York."),
    ("2024-07-04", "May", "Running shoes are on offer."),
    ("2024-05-28", "Mark", "A new kettle."),
]


@pytest.fixture
def store() -> Iterator[InMemoryStore]:
    with InMemoryStore(clock=lambda: datetime(2024, 9, 5, tzinfo=timezone.utc)) as store:
        for day, speaker, text in TURNS:
            store.add(text, {"speaker": speaker, "session": day}, created_at=day + "T10:00:00Z")
        yield store


def found(store: InMemoryStore, question: str) -> list[str]:
    entries = store.search(question)
    return [entry.content for entry in entries if (entry.score or 0) >= store.relevance_floor]


def said(*speakers: str, month: str = "") -> set[str]:
    return {text for day, who, text in TURNS if who in speakers and day.startswith(month)}


@pytest.mark.parametrize(
    ("question", "speakers", "month"),
    [
        ("What did May say?", {"May"}, ""),
        ("So, what did May tell us?", {"May"}, ""),
        ("Do you remember what Will said?", {"Will"}, ""),
        ("Was hat Will gesagt?", {"Will"}, ""),
        ("What did May say in July 2024?", {"May"}, "2024-07"),
        ("What did May say in May 2024?", {"May"}, "2024-05"),
        ("What did May and Will say in May?", {"May"}, "2024-05"),
        # No speaker: the words of asking alone.
        ("What happened in May 2024?", {"May", "Mark"}, "2024-05"),
        ("What happened in May?", {"May", "Mark"}, "2024-05"),
        ("What did we talk about in May of 2024?", {"May", "Mark"}, "2024-05"),
    ],
)  # fmt: skip
def test_a_name_is_told_from_a_month_and_a_verb(
    store: InMemoryStore, question: str, speakers: set[str], month: str
) -> None:
    """By its capital inside a sentence, and by what stands before it."""
    assert set(found(store, question)) == said(*speakers, month=month)


def test_a_named_speakers_turns_come_first(store: InMemoryStore) -> None:
    """Will's and Mark's turns hold the same word."""
    both = found(store, "What did Will write to Mark about York?")[:2]
    assert set(both) == {TURNS[1][2], TURNS[2][2]}
    assert found(store, "What did Will say about York?")[0] == TURNS[1][2]
    assert found(store, "What did Mark say about York?")[0] == TURNS[2][2]


@pytest.mark.parametrize(
    "question",
    [
        "What may I say?",
        "May I ask what she said?",
        "what will they say?",
        "Will they say?",
        "She left. Will she say?",
        "WHAT WILL THEY SAY?",
        "What Will They Say?",
        "What did they say before May?",
    ],
)
def test_no_capital_is_no_name(store: InMemoryStore, question: str) -> None:
    """Nor one that every word has, or that begins a sentence."""
    assert found(store, question) == []


def test_only_a_speaker_of_this_memory_is_named(store: InMemoryStore) -> None:
    """Elsewhere the words stay what they are."""
    with InMemoryStore() as other:
        other.add("The garden needs rain.", {"speaker": "Ann", "session": "1"})
        assert found(other, "What did May say?") == []
    store.add("Mine.", {"speaker": "Can", "session": "x"}, scope={"user": "ann"})
    assert found(store, "What did Can say?") == []


def test_initials_are_no_names() -> None:
    """A speaker John I. Smith is not meant by "I"."""
    with InMemoryStore() as store:
        store.add("A red boat.", {"speaker": "John I. Smith", "session": "1"})
        assert found(store, "What did I say?") == []
        assert found(store, "What did Smith say?") == ["A red boat."]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Did Will tell May about Paris and London?", ["may", "will"]),
        ("“Will went home”, who said that to Will?", ["will"]),
        ("The boat, Will, where is it?", ["will"]),
        ("Is it Will's?", ["will"]),
        ("WILL or MAY?", []),
        ("", []),
        ("Will", []),
    ],
)
def test_how_names_are_written(text: str, names: list[str]) -> None:
    """Capital and small letters, inside a sentence."""
    assert sorted(written_as_names(text, {"will", "may"})) == names
