"""Questions of a day or of a speaker, and of hardly anything else."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timezone

import pytest

from memory_injection.stores import InMemoryStore

TURNS = [
    ("2024-02-20", "Lily", "We picked the holiday: flying on 6 July to Kefalonia."),
    ("2024-05-13", "Lily", "I broke up with Tom."),
    ("2024-05-13", "Dave", "A new personal best."),
    ("2024-07-28", "Lily", "An offer on a flat in Didsbury."),
    ("2024-07-28", "Dave", "Sophie learned to swim."),
    ("2024-09-02", "Dave", "They made me head of maths."),
]


@pytest.fixture
def store() -> Iterator[InMemoryStore]:
    with InMemoryStore(clock=lambda: datetime(2024, 9, 5, tzinfo=timezone.utc)) as store:
        for day, speaker, text in TURNS:
            store.add(
                text, {"speaker": speaker, "session": day + speaker}, created_at=day + "T10:00:00Z"
            )
        yield store


def found(store: InMemoryStore, question: str, **options: object) -> list[str]:
    """Return what is found above the floor."""
    entries = store.search(question, options)  # type: ignore[arg-type]
    return [entry.content for entry in entries if (entry.score or 0) >= store.relevance_floor]


def said(day: str, speaker: str = "") -> set[str]:
    return {text for when, who, text in TURNS if when.startswith(day) and speaker in ("", who)}


@pytest.mark.parametrize(
    ("question", "day", "speaker"),
    [
        ("What happened in May 2024?", "2024-05", ""),
        ("What did we talk about in May?", "2024-05", ""),
        ("Mayıs 2024'te ne oldu?", "2024-05", ""),
        ("Was ist im Mai 2024 passiert?", "2024-05", ""),
        ("What did Dave say in May 2024?", "2024-05", "Dave"),
        ("What did Lily say last year?", "2023", "Lily"),
        ("What did Dave tell us three days ago?", "2024-09", "Dave"),
    ],
)
def test_days_alone_are_enough(store: InMemoryStore, question: str, day: str, speaker: str) -> None:
    """The entries of the days asked about are found, and of a speaker named only that one's."""
    assert set(found(store, question)) == said(day, speaker)


def test_the_days_asked_about_come_before_texts_that_name_them(store: InMemoryStore) -> None:
    """What was said in July is asked for; what was said of July comes after."""
    assert found(store, "What did Lily say in July 2024?")[0] == TURNS[3][2]
    assert found(store, "What is planned for 6 July?")[0] == TURNS[0][2]


def test_whose_words_alone_are_enough(store: InMemoryStore) -> None:
    """Newest first."""
    assert found(store, "What did Lily say?") == [TURNS[3][2], TURNS[1][2], TURNS[0][2]]


def test_a_little_may_be_said_of_somebodys_days(store: InMemoryStore) -> None:
    """One word more, or words that nobody has said."""
    assert found(store, "What was Dave's news in September 2024?") == [TURNS[5][2]]
    assert found(store, "Did Dave have good news in September 2024?") == [TURNS[5][2]]


@pytest.mark.parametrize(
    "question",
    [
        "What is the weather in May 2024?",
        "What was the inflation in May 2024?",
        "Who is Bob?",
        "Can you help me today?",
        "Bugün hava nasıl?",
        "Was kann ich heute kochen?",
    ],
)
def test_an_unknown_topic_of_some_day_stays_unknown(store: InMemoryStore, question: str) -> None:
    """A day is no excuse to be off topic."""
    assert found(store, question) == []


def test_a_month_is_no_speaker(store: InMemoryStore) -> None:
    """People are called April, May and June."""
    store.add("I like tea.", {"speaker": "April"}, created_at="2024-08-01T10:00:00Z")
    assert found(store, "What happened in April 2024?") == []
    assert found(store, "What did April say?") == ["I like tea."]


def test_days_of_others_are_not_shown(store: InMemoryStore) -> None:
    """The look-up by day keeps to what the caller may read."""
    day = "2024-05-14T10:00:00Z"
    store.add("A secret of Ann.", {"speaker": "Lily"}, scope={"user": "ann"}, created_at=day)
    assert set(found(store, "What happened in May 2024?", scope={"user": "bob"})) == said("2024-05")
    ann = {"user": "ann"}
    assert "A secret of Ann." in found(store, "What happened in May 2024?", scope=ann)
    assert found(store, "What did Lily say?", scope={"user": "bob"})[0] == TURNS[3][2]


def test_the_newest_of_many_are_looked_at() -> None:
    """A bounded number of entries is ranked, and the index gives them in order."""
    with InMemoryStore() as store:
        store.add_many(
            {"content": f"entry {n}", "created_at": f"2023-05-{1 + n // 100:02d}T10:00:00Z"}
            for n in range(2_000)
        )
        assert found(store, "What happened in May 2023?", max_search_results=3) == [
            "entry 1999", "entry 1998", "entry 1997",
        ]  # fmt: skip
        with store._database.read() as session:
            for column in ("scope", "speaker"):
                plan = session.conn.execute(
                    f"EXPLAIN QUERY PLAN SELECT id FROM memory_entries WHERE {column} = 1 AND day"
                    " BETWEEN 1 AND 2 ORDER BY day DESC, id DESC LIMIT 5"
                ).fetchall()
                assert len(plan) == 1
                assert "COVERING INDEX" in plan[0][3]
