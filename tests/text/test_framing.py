"""Words of asking: wrapping is told from matter."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_injection.stores import InMemoryStore
from memory_injection.text import fold, unwrapped, words_of_asking

NOTES = [
    "Call Hendricks & Sons, they fixed ours for 180 pounds.",
    "She did wonders with our cat.",
    "I reminded Tom of the picnic.",
    *(f"The meeting about topic number {n} took place in room {n}." for n in range(40)),
]


@pytest.mark.parametrize(
    ("question", "matter"),
    [
        ("Do you remember how much Hendricks charged?", "how much Hendricks charged?"),
        ("Could you please tell me the price?", "the price?"),
        ("I was wondering what Hendricks charged", "what Hendricks charged"),
        ("Remind me where we parked", "where we parked"),
        ("I can't remember the code", "the code"),
        ("Hatırlıyor musun Can nerede?", "Can nerede?"),
        ("Weißt du noch, wo der Schlüssel ist?", ", wo der Schlüssel ist?"),
        ("你还记得护照放在哪里吗？", "护照放在哪里吗？"),
        ("家賃を教えてください", "家賃を"),
        ("When did I remind Tom?", "When did I remind Tom?"),
        ("Did Ann tell me about it?", "Did Ann tell me about it?"),
    ],
)
def test_phrases_of_asking_go(question: str, matter: str) -> None:
    """Whole phrases only: the same words elsewhere are the matter."""
    assert unwrapped(question).strip() == matter


@given(st.text())
def test_any_text_can_be_unwrapped(text: str) -> None:
    """Never raises, never grows by more than the spaces it puts."""
    assert len(unwrapped(text)) <= len(text) + 1


@pytest.mark.parametrize("language", ["en", "tr", "de", "ru"])
def test_words_of_asking_are_folded(language: str) -> None:
    """They compare with folded words; a language without a list has none."""
    assert all(fold(word) == word for word in words_of_asking(language))
    assert words_of_asking("xx") == words_of_asking(None) == frozenset()


@pytest.mark.parametrize(
    "wrapped",
    [
        "Do you remember how much Hendricks charged?",
        "I was wondering what Hendricks charged",
        "Hey, any idea what Hendricks charged? Please",
        "Could you let me know what Hendricks charged again?",
    ],
)
def test_wrapping_a_question_costs_it_nothing(wrapped: str) -> None:
    """A polite question scores as the bare one."""
    with InMemoryStore() as store:
        store.add_many(NOTES)
        (bare, *_), (polite, *_) = store.search("What Hendricks charged?"), store.search(wrapped)
    assert polite.content == bare.content == NOTES[0]
    assert polite.score == bare.score


def test_a_word_of_asking_can_be_the_matter() -> None:
    """What the memory knows is searched, and a question of nothing else still is one."""
    with InMemoryStore() as store:
        store.add_many(NOTES)
        assert store.search("When did I remind Tom?")[0].content == NOTES[2]
        assert store.search("remind me")[0].content == NOTES[2]
        assert store.search("hello, could you tell me?") == []
