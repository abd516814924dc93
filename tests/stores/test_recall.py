"""What the lexical stores find, and in which order."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timezone
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_injection.records import Scope
from memory_injection.stores import InMemoryStore, questions, recall
from memory_injection.stores.lexical import RELEVANCE_FLOOR

ADA, BOB = Scope(user="ada"), Scope(user="bob")
NOW = datetime(2024, 3, 10, tzinfo=timezone.utc)

WORDS = st.sampled_from("zebra lion tiger garden cook red blue piano train letter".split())
TEXTS = st.lists(st.lists(WORDS, min_size=1, max_size=6).map(" ".join), max_size=12)


@pytest.fixture
def store() -> Iterator[InMemoryStore]:
    with InMemoryStore(clock=lambda: NOW) as made:
        yield made  # type: ignore[misc]


def talk(
    store: InMemoryStore, lines: list[tuple[str, str]], session: str = "1", **given: Any
) -> None:
    store.add_many(
        [
            {"content": text, "metadata": {"speaker": who, "session": session, "turn": turn}}
            for turn, (who, text) in enumerate(lines)
        ],
        **given,
    )


def found(store: InMemoryStore, query: str, **options: Any) -> list[str]:
    return [entry.content for entry in store.search(query, options)]  # type: ignore[arg-type]


# Words


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Mehmet Yılmaz bizim muhasebeci", "YILMAZ kim?"),
        ("Kedimin adı Pamuk", "kedilerin isimleri neydi"),
        ("Kırmızı bisiklet garajda", "kirmizi bisikletim nerede"),
        ("DIYARBAKIR'a taşındık", "diyarbakır ne zaman"),
        ("The invoice was paid", "INVOICES?"),
        ("我们明天去北京看天气", "北京的天气怎么样"),
        ("明日は東京タワーに行きます", "東京タワーはどこ"),
        ("ฉันชอบกินข้าวผัด", "ข้าวผัด"),
        ("मेरी बिल्ली का नाम पामुक है", "बिल्ली का नाम"),
        ("내 고양이 이름은 파묵", "고양이"),
        ("Die Häuser am See gehören Anna", "Wem gehört das Haus am See?"),
        ("I know C++ and a little Go", "C++"),
    ],
)
def test_a_language_is_searched_by_its_own_rules(
    store: InMemoryStore, text: str, query: str
) -> None:
    """Stems, folding and pairs of characters, per language, in one store."""
    store.add("Something else entirely was said on Monday")
    store.add(text)
    assert found(store, query)[:1] == [text]


def test_a_store_may_hold_several_languages(store: InMemoryStore) -> None:
    """A question in one language finds a name said in another."""
    store.add("Ayşe is the one who keeps the keys")
    store.add("Anahtarlar kapının yanında duruyor, Ayşe biliyor")
    assert len(found(store, "Ayşe nerede?")) == 2
    assert len(found(store, "Where is Ayşe?")) == 2


def test_a_language_can_be_fixed() -> None:
    """``language`` spares the guess."""
    with InMemoryStore(language="tr") as store:
        store.add("kedilerin isimleri")
        assert found(store, "kedi") == ["kedilerin isimleri"]


def test_words_that_stand_together_count_more(store: InMemoryStore) -> None:
    """Two words side by side in question and text beat the same words apart."""
    store.add("The piano is new and the teacher is old")
    store.add("Our piano teacher moved to Izmir last year")
    assert found(store, "piano teacher")[0].startswith("Our")


def test_covering_the_question_beats_repeating_a_word(store: InMemoryStore) -> None:
    """One rare word said often does not outweigh the whole question said once."""
    store.add("zebra zebra zebra zebra")
    store.add("The zebra escaped from the garden in the rain")
    assert found(store, "Did the zebra escape from the garden?")[0].startswith("The zebra escaped")


def test_nothing_to_look_for_finds_nothing(store: InMemoryStore) -> None:
    """Function words alone, an unknown word, a limit of zero, a query that is no text."""
    store.add("Who are you and what is it")
    store.add("The zebra escaped")
    assert found(store, "who are you?") == []
    assert found(store, "xylophone") == []
    assert found(store, "zebra", max_search_results=0) == []
    assert store.search(None) == []  # type: ignore[arg-type]


def test_equal_scores_come_newest_first(store: InMemoryStore) -> None:
    """Recency breaks ties."""
    for number in range(4):
        store.add("The zebra escaped", {"note": number})
    notes = [e.metadata["note"] for e in store.search("zebra") if e.metadata]
    assert notes == [3, 2, 1, 0]


# Conversations


def test_a_turn_is_found_through_its_neighbours(store: InMemoryStore) -> None:
    """The answer need not repeat the question's words when the turn before did."""
    talk(
        store,
        [
            ("Ann", "Hello, how have you been?"),
            ("Ann", "So which instrument did your daughter choose in the end?"),
            ("Bea", "The cello! She adores it."),
            ("Ann", "Lovely."),
        ],
    )
    assert (
        "The cello! She adores it." in found(store, "Which instrument did the daughter choose?")[:3]
    )


def test_neighbours_lend_nothing_across_sessions_or_owners(store: InMemoryStore) -> None:
    """The turn next to a match is a neighbour only in the same session of the same owner."""
    talk(store, [("Ann", "Which instrument did she choose?")], session="1", scope=ADA)
    talk(store, [("Bea", "x"), ("Bea", "The cello!")], session="2", scope=ADA)
    talk(store, [("Bea", "x"), ("Bea", "The drums!")], session="1", scope=BOB)
    assert found(store, "instrument", scope=ADA) == ["Which instrument did she choose?"]
    assert found(store, "instrument", scope=BOB) == []


def test_a_turn_without_a_number_comes_after_the_last(store: InMemoryStore) -> None:
    """Turns may be written one by one as they happen."""
    for text in ("Which instrument did she choose?", "The cello!"):
        store.add(text, {"speaker": "Ann", "session": "1"})
    assert found(store, "instrument") == ["Which instrument did she choose?", "The cello!"]


def test_a_turn_far_beyond_is_kept_without_neighbours(store: InMemoryStore) -> None:
    """Absurd turn numbers do no harm."""
    store.add("Which instrument did she choose?", {"session": "1", "turn": 2**30})
    store.add("The cello!", {"session": "1", "turn": 2**30 + 1})
    store.add("No number", {"session": "1", "turn": "three"})
    store.add("Only a number", {"turn": 4})
    assert found(store, "instrument") == ["Which instrument did she choose?"]


def test_the_speaker_asked_about_comes_first(store: InMemoryStore) -> None:
    """A name in the question prefers that speaker's turns to those that mention the name."""
    talk(store, [("Bea", "Ann, the trip to Rome was wonderful"), ("Cid", "ok")], session="1")
    talk(store, [("Ann", "My trip to Rome was wonderful too"), ("Cid", "ok")], session="2")
    assert found(store, "How was Ann's trip to Rome?")[0].startswith("My trip")


def test_a_name_alone_finds_what_mentions_it(store: InMemoryStore) -> None:
    """Where the question is nothing but a name, the name is searched."""
    talk(store, [("Bea", "I met Ann in Rome"), ("Ann", "Nice weather")])
    assert "I met Ann in Rome" in found(store, "Ann?")


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("Which database did I choose?", "user"),
        ("Which database did you choose?", "assistant"),
        ("Which database was chosen?", "user"),
    ],
)
def test_my_words_are_the_users(store: InMemoryStore, query: str, first: str) -> None:
    """The asker's "I" means the user's turns, "you" the assistant's, and its echoes come last."""
    talk(store, [("user", "The database is chosen: Postgres"), ("user", "Hm.")], session="1")
    talk(store, [("user", "Hm."), ("assistant", "The database is chosen: Postgres!")], session="2")
    best = store.search(query)[0].metadata
    assert best is not None
    assert best["speaker"] == first


def test_the_days_asked_about_come_first(store: InMemoryStore) -> None:
    """A month, or "last week", prefers entries of that time."""
    for day in ("2023-05-08", "2023-09-01", "2024-03-05"):
        store.add(f"We went hiking, {len(day)} of us", {"date": day})
    said = [str(e.created_at)[:10] for e in store.search("Where did we go hiking in May 2023?")]
    assert said[0] == "2023-05-08"
    said = [str(e.created_at)[:10] for e in store.search("Where did we go hiking last week?")]
    assert said[0] == "2024-03-05"


def test_an_ask_that_leans_is_judged_by_what_it_leans_on(store: InMemoryStore) -> None:
    """What the turns before are about shows; turns about something else bring nothing."""
    store.add_many(
        {"content": text, "metadata": {"speaker": "user", "session": "1", "turn": turn}}
        for turn, text in enumerate(
            ["My sister Nora works as a paramedic in Leeds.", "She has two cats, Pepper and Sumo."]
        )
    )
    store.add_many(f"Note {word} about gardening" for word in "abcdefghij")
    ask = "Does she have any pets?"
    before = "Where does my sister Nora work?\nShe is a paramedic in Leeds."
    best = store.search(ask, {"context": before})
    assert {e.content.split()[0] for e in best[:2]} == {"My", "She"}
    assert min(e.score or 0.0 for e in best[:2]) >= RELEVANCE_FLOOR
    other = "Who won the election in Portugal?\nThe socialists, about a decade ago."
    assert max((e.score or 0.0 for e in store.search(ask, {"context": other})), default=0.0) < (
        RELEVANCE_FLOOR
    )


def test_context_steers_a_short_ask(store: InMemoryStore) -> None:
    """The turns before a short ask decide between its matches, and weigh less than it."""
    store.add("I recommend the fish restaurant by the harbour")
    store.add("I recommend the novel about the lighthouse")
    ask = "Ok what do you recommend"
    assert "novel" in found(store, ask, context="I want a novel to read")[0]
    assert "restaurant" in found(store, ask, context="Which restaurant is good?")[0]
    assert "restaurant" in found(store, "a restaurant", context="I want a novel to read")[0]
    assert "novel" in found(store, "and then?", context="a novel about a lighthouse")[0]


@pytest.mark.parametrize("ask", ["And my brother?", "And Tomas?", "and the ladder?"])
def test_what_an_ask_puts_in_anothers_place_leads(store: InMemoryStore, ask: str) -> None:
    """The sister of the turns before shows after what is asked for now, in a talk or a list."""
    talk(store, [("user", "My sister Ana bakes wedding cakes."), ("user", "The ovens are new.")])
    store.add("My brother Tomas is a locksmith.")
    store.add_many(f"The {word} is in the shed." for word in "rake hose ladder drill saw".split())
    before = "What does my sister Ana do?\nYour sister Ana bakes wedding cakes."
    best = store.search(ask, {"context": before})
    assert ask.split()[-1].strip("?") in best[0].content
    assert best[0].score >= store.search(ask)[0].score >= RELEVANCE_FLOOR  # type: ignore[operator]
    assert "My sister" in best[1].content


def test_the_turns_before_decide_among_entries_with_the_asks_word(store: InMemoryStore) -> None:
    """Even for the longer of two, which the word alone would put second."""
    store.add("We sold the old piano to the school in the village by the lake")
    store.add("We sold the boat")
    store.add_many(f"Note {word} about gardening" for word in "abcdefghij")
    assert "boat" in found(store, "and sold?")[0]
    assert "piano" in found(store, "and sold?", context="Did we have a piano?")[0]


@settings(deadline=None)
@given(TEXTS, WORDS, TEXTS.map("\n".join))
def test_the_turns_before_only_add(texts: list[str], ask: str, before: str) -> None:
    """An entry that holds the ask's word scores with context at least what it scores without."""
    with InMemoryStore(clock=lambda: NOW) as store:
        store.add_many(texts)
        alone = {entry.id: entry.score for entry in store.search(f"and the {ask}?")}
        given = store.search(f"and the {ask}?", {"context": before, "max_search_results": 50})
        scores = {entry.id: entry.score for entry in given}
        assert all(scores[key] >= score - 1e-9 for key, score in alone.items())  # type: ignore[operator]
        if alone:
            assert given[0].id in alone


# Scores


def test_scores_lie_between_nought_and_one(store: InMemoryStore) -> None:
    """A whole match by the right speaker is near 1 and never above."""
    talk(store, [("Ann", "zebra crossing"), ("Ann", "zebra crossing zebra crossing")])
    scores = [e.score for e in store.search("Ann zebra crossing")]
    assert all(score is not None and 0 < score <= 1 for score in scores)


def test_a_small_memory_is_not_below_the_floor(store: InMemoryStore) -> None:
    """With three entries every word is rare: what answers is still worth showing."""
    store.add("My cat is called Pamuk")
    store.add("I live in Ankara")
    store.add("I am allergic to peanuts")
    for query in ("What is my cat's name?", "Where do I live?", "What am I allergic to?"):
        best = store.search(query)[0].score
        assert best is not None
        assert best >= RELEVANCE_FLOOR


def test_a_question_of_unknown_words_scores_low(store: InMemoryStore) -> None:
    """One word in common is no evidence when the rest of the question is about something else."""
    for number in range(60):
        store.add(f"We talked about the garden, day {number}, and the red gate")
    for query in ("Which garden city did Ebenezer Howard design near Letchworth in 1903?",):
        best = store.search(query)[0].score
        assert best is not None
        assert best < RELEVANCE_FLOOR


def test_a_long_message_is_measured_kindly(store: InMemoryStore) -> None:
    """A long ask need not be repeated word for word to be answered."""
    store.add("The deploy key of the blue server is kept by Ipek")
    chatter = " ".join(f"unrelated{chr(97 + n % 26)}{n}" for n in range(40))
    best = store.search(f"Who keeps the deploy key of the blue server? {chatter}")[0].score
    assert best is not None
    assert best > 0.1


# Other owners, large stores


@settings(max_examples=60, deadline=None)
@given(own=TEXTS, others=TEXTS, query=st.lists(WORDS, min_size=1, max_size=4).map(" ".join))
def test_other_owners_change_nothing(own: list[str], others: list[str], query: str) -> None:
    """Neither order nor scores of one user's memory depend on what another user wrote."""
    with InMemoryStore(clock=lambda: NOW) as alone, InMemoryStore(clock=lambda: NOW) as shared:
        for text in others:
            shared.add(text, scope=BOB)
        for text in own:
            alone.add(text, scope=ADA)
            shared.add(text, scope=ADA)
        for text in others:
            shared.add(f"{text} again", scope=BOB)
        options: Any = {"scope": ADA}
        assert [(e.content, e.score) for e in alone.search(query, options)] == [
            (e.content, e.score) for e in shared.search(query, options)
        ]


@pytest.mark.parametrize("name", ["_ALL", "_LARGE"])
def test_a_large_store_ranks_alike(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Candidates from FTS5's ranking, and without common words, give the same best entries."""
    lines = [
        f"The {color} {thing} was seen in the {place}"
        for color in ("red", "blue", "old")
        for thing in ("zebra", "lion", "train")
        for place in ("garden", "station", "river")
    ]
    with InMemoryStore(clock=lambda: NOW) as store:
        store.add_many(lines)
        asks = ("red zebra garden", "the old train at the station", "blue lion")
        before = [found(store, ask, max_search_results=3) for ask in asks]
        monkeypatch.setattr(recall if name == "_ALL" else questions, name, 0)
        assert [found(store, ask, max_search_results=3) for ask in asks] == before


def test_a_very_long_question_is_cut_to_its_rarest_words(store: InMemoryStore) -> None:
    """Of hundreds of known words, the rare ones decide."""
    commons = [f"common{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(90)]
    store.add_many([f"{word} zebra {copy}" for word in commons for copy in "12"])
    store.add("The lighthouse keeper")
    assert "The lighthouse keeper" in found(store, f"{' '.join(commons)} zebra lighthouse")


def test_what_is_kept_in_memory_is_bounded(
    store: InMemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The row caches empty themselves and answers stay right."""
    monkeypatch.setattr(store._recall, "_candidates_kept", recall._Kept(600))
    monkeypatch.setattr(store._recall, "_entries_kept", recall._Kept(12_000))
    store.add("zebra " * 1_000)
    texts = [f"The zebra number {chr(97 + n % 26)}{n} escaped" for n in range(80)]
    store.add_many(texts)
    for text in texts:
        assert found(store, text, max_search_results=1) == [text]
    assert len(store._recall._candidates_kept.rows) < 80


def test_a_caller_may_change_what_it_got(store: InMemoryStore) -> None:
    """Metadata of one answer are not those of the next."""
    store.add("The zebra escaped", {"tags": ["a"]})
    first = store.search("zebra")[0].metadata
    assert first is not None
    first["tags"].append("b")
    assert store.search("zebra")[0].metadata == {"tags": ["a"]}
