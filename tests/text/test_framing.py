"""Words of asking: wrapping is told from matter."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_injection.stores import InMemoryStore
from memory_injection.text import asked_attributes, fold, unwrapped, words_of_asking

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
        ("How much is it going to be?", "How much is it   be?"),
        ("Who is going to Rome?", "Who is going to Rome?"),
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


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("What is the name of our dog?", {"name"}),
        ("what's the wifi network called", {"called"}),
        ("Köpeğimizin adı ne?", {"adi"}),
        ("kopegimizin adi neydi", {"adi"}),
        ("Ev sahibimizin ismi nedir?", {"ismi"}),
        ("Müdürümün adını hatırlıyor musun?", {"adini"}),
        ("Wie heißt mein Hund?", {"heisst"}),
        ("Wie ist der Name meines Hundes?", {"name"}),
        ("Comment s'appelle le chat ?", {"appelle"}),
        ("¿Cómo se llama mi perro?", {"llama"}),
        ("Как зовут собаку?", {"зовут"}),
        ("Did I change my name?", set()),
        ("Adana'da ne yaptım?", set()),
        ("Ad soyad değişikliği", set()),
    ],
)
def test_words_that_ask_for_an_attribute_are_told(question: str, words: set[str]) -> None:
    """Beside a question word; the same words elsewhere are the matter."""
    assert asked_attributes(question) == words


@pytest.mark.parametrize(
    ("question", "note"),
    [
        ("What is the name of our boss?", "Our boss Hakan turned my request down."),
        ("Müdürümün adı ne?", "Müdürüm Hakan Bey izin talebimi reddetti."),
        ("kopegimizin adi ne", "Köpeğimiz Karabaş kayboldu."),
        ("Wie heißt mein Hund?", "Mein Hund Bello ist krank."),
    ],
)
def test_an_entry_without_the_word_name_answers_it(question: str, note: str) -> None:
    """The word is not held against it, and carries no other entry."""
    hotel = {
        "en": "We stayed at a hotel, its name was Lykia.",
        "tr": "Tatile gittik, otelin adı Lykia Pansiyon'du.",
        "de": "Das Hotel war schön, der Name war Lykia.",
    }
    others = [*NOTES, hotel["de" if "Hund" in question else "tr"], hotel["en"]]
    with InMemoryStore() as store:
        store.add_many([*others, note])
        found = store.search(question)
        assert found[0].content == note
        above = [entry for entry in found if (entry.score or 0) > store.relevance_floor]
        assert above == found[:1]
    with InMemoryStore() as store:
        store.add_many(others)
        left = store.search(question)
    assert all((entry.score or 0) < store.relevance_floor for entry in left)


def test_a_name_can_be_the_matter() -> None:
    """Where nothing else is asked for."""
    with InMemoryStore() as store:
        store.add_many([*NOTES, "I changed my name to Robin."])
        found = store.search("What is my name?")
    assert [entry.content for entry in found] == ["I changed my name to Robin."]
    assert (found[0].score or 0) > store.relevance_floor


def test_going_to_do_something_is_no_journey() -> None:
    """Grammar finds nobody who goes."""
    with InMemoryStore() as store:
        store.add_many([*NOTES, "The kids want to go camping.", "The landlord raises the rent."])
        found = store.search("How much is the rent going to be?")
    assert [entry.content for entry in found] == ["The landlord raises the rent."]
