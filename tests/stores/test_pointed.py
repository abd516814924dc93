"""Questions of a day or of a speaker, and of hardly anything else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone

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


NOTES = {
    "2023-05-03": "Lin cooked pho.",
    "2023-05-20": "The fence is mended.",
    "2025-01-01": "Garlic is in the ground.",
    "2025-10-13": "A museum with Ann.",
    "2025-10-30": "The attic is clean.",
    "2025-11-10": "New tyres are ordered.",
    "2025-11-14": "A play in the park.",
    "2025-11-17": "Rye bread for everyone.",
    "2025-11-19": "The accountant called.",
    "2025-11-21": "Spinach is sown.",
    "2025-11-22": "The drill is back.",
    "2025-11-23": "A hike to the lake.",
    "2025-11-24": "Skates are sharp.",
}
MAY, OCTOBER, LAST_WEEK = "2023-05", "2025-10", "2025-11-17 2025-11-19 2025-11-2[1-3]"
WEEKEND, FRIDAY = "2025-11-2[23]", "2025-11-21"


@pytest.fixture(scope="module")
def notes() -> Iterator[InMemoryStore]:
    """Notes without a speaker, read on a Monday."""
    with InMemoryStore(clock=lambda: datetime(2025, 11, 24, 12, tzinfo=timezone.utc)) as store:
        store.add_many(
            {"content": text, "created_at": day + "T09:00:00Z"} for day, text in NOTES.items()
        )
        yield store


def of_days(patterns: str) -> set[str]:
    return {
        text
        for day, text in NOTES.items()
        if any(re.match(pattern, day) for pattern in patterns.split())
    }


@pytest.mark.parametrize(
    ("question", "days"),
    [
        # Doing, happening, telling and writing, in Turkish in all persons
        ("Geçen hafta ne yaptım?", LAST_WEEK),
        ("gecen hafta ne yaptik", LAST_WEEK),
        ("geçen hafta ne yazdın", LAST_WEEK),
        ("Geçen hafta neler konuşmuştuk?", LAST_WEEK),
        ("Geçen hafta yaptıklarımı anlat", LAST_WEEK),
        ("Geçen haftam nasıl geçti?", LAST_WEEK),
        ("Geçen haftayı özetler misin?", LAST_WEEK),
        ("geçen ay ne kaydettim", OCTOBER),
        ("geçen ayki olaylar", OCTOBER),
        ("ekimde ne yaptım?", OCTOBER),
        ("ekimi özetle", OCTOBER),
        ("Mayıs 2023'te ne yapmıştım?", MAY),
        ("dün ne yapıyordum?", "2025-11-23"),
        ("dün günüm nasıl geçti?", "2025-11-23"),
        # Anything, and summing up
        ("anything last week?", LAST_WEEK),
        ("Did I do anything in October?", OCTOBER),
        ("Anything happen in October?", OCTOBER),
        ("What did you note in October?", OCTOBER),
        ("Summarise last week", LAST_WEEK),
        ("Can you summarize October?", OCTOBER),
        ("Give me a recap of last week", LAST_WEEK),
        ("Catch me up on last week", LAST_WEEK),
        ("Sum last week up", LAST_WEEK),
        ("How did last week go?", LAST_WEEK),
        ("What went on last week?", LAST_WEEK),
        ("What was I working on last week?", LAST_WEEK),
        ("How was my day yesterday?", "2025-11-23"),
        ("Was habe ich letzte Woche unternommen?", LAST_WEEK),
        ("Fasse die letzte Woche zusammen", LAST_WEEK),
        ("résume la semaine dernière", LAST_WEEK),
        ("¿Qué hice la semana pasada?", LAST_WEEK),
        # Days of all kinds
        ("What happened on Friday?", FRIDAY),
        ("geçen cuma ne oldu?", FRIDAY),
        ("¿Qué hice el viernes pasado?", FRIDAY),
        ("three days ago", FRIDAY),
        ("What happened two weeks ago?", "2025-11-1[04]"),
        ("What did we do over the weekend?", WEEKEND),
        ("hafta sonu ne yaptık?", WEEKEND),
        ("what happened in the past 7 days?", "2025-11-1[79] 2025-11-2"),
        ("anything in 05/2023?", MAY),
        ("What did I do in early May 2023?", "2023-05-03"),
        ("What happened in mid-October?", "2025-10-13"),
        ("What happened between October 1 and October 20, 2025?", "2025-10-13"),
        ("yılbaşında ne oldu?", "2025-01-01"),
        ("this morning?", "2025-11-24"),
        ("What happened in the month of October?", OCTOBER),
        ("What did we do after November 20?", "2025-11-2"),
        ("30.10.2025 tarihinde ne oldu?", "2025-10-30"),
        ("Did anything interesting happen last week?", LAST_WEEK),
    ],
)
def test_whatever_asks_of_days_is_no_topic(notes: InMemoryStore, question: str, days: str) -> None:
    """What people ask of days with says no more than the day does."""
    assert set(found(notes, question, max_search_results=20)) == of_days(days)


@pytest.mark.parametrize(
    "question",
    [
        "What should I do this weekend?",
        "What are we doing on Friday?",
        "cuma günü ne yapacağız?",
        "hafta sonu ne yapsak?",
        "Was machen wir am Wochenende?",
        "Give me a recipe for today",
        "What is the news today?",
        "Show me the time today",
        "bugün ne pişirdim?",
        "Mayıs 2023'te nereye gittim?",
        "ocakta ne var?",
        "What is the weather this weekend?",
        "Who saw the Black Friday deals?",
        "What are good May deals?",
    ],
)
def test_days_to_come_and_topics_of_days_stay_unknown(notes: InMemoryStore, question: str) -> None:
    """A plan was made before, and a topic is one beside any words of asking."""
    assert found(notes, question) == []


def test_words_of_asking_days_are_matter_elsewhere() -> None:
    """Without a day they are searched, and nobody's words are all shown for them."""
    with InMemoryStore() as store:
        store.add("It rains a lot.", {"speaker": "Gina", "session": "1"})
        store.add("A good record is on.", {"speaker": "Dave", "session": "2"})
        assert found(store, "What are the highlights of Gina's diary?") == []
        assert found(store, "Which record?") == ["A good record is on."]


ABROAD = [
    ("2024-05-13", "韩梅", "我跑步有了新的个人最好成绩。"),
    ("2024-07-28", "李雷", "那套公寓有人出价了。"),
    ("2024-05-13", "花子", "自己ベストが出ました。"),
    ("2024-07-28", "太郎", "アパートの申し込みをした。"),
    ("2024-05-13", "Luc", "Un nouveau record personnel à la course."),
    ("2024-07-28", "Anne", "Une offre pour l'appartement."),
    ("2024-05-13", "Pablo", "Una nueva marca personal en la carrera."),
    ("2024-07-28", "Inés", "Una oferta por el piso."),
]


@pytest.fixture
def abroad(request: pytest.FixtureRequest) -> Iterator[InMemoryStore]:
    """A memory in one of four languages."""
    first = 2 * ("zh", "ja", "fr", "es").index(request.param)
    with InMemoryStore(clock=lambda: datetime(2024, 9, 5, tzinfo=timezone.utc)) as store:
        for day, speaker, text in ABROAD[first : first + 2]:
            store.add(text, {"speaker": speaker, "session": day}, created_at=day + "T10:00:00Z")
        yield store


@pytest.mark.parametrize(
    ("abroad", "question", "index"),
    [
        ("zh", "2024年5月发生了什么？", 0),
        ("zh", "五月我们聊了什么？", 0),
        ("zh", "5月13日怎么了？", 0),
        ("zh", "你还记得今年七月发生了什么吗？", 1),
        ("zh", "2024年7月呢？", 1),
        ("zh", "李雷在七月说了什么？", 1),
        ("ja", "2024年5月に何がありましたか？", 2),
        ("ja", "5月に何を話しましたか？", 2),
        ("ja", "太郎は7月に何と言いましたか？", 3),
        ("fr", "Que s'est-il passé en mai 2024 ?", 4),
        ("fr", "De quoi avons-nous parlé le 13 mai ?", 4),
        ("fr", "Qu'est-ce que Anne a dit en juillet ?", 5),
        ("es", "¿Qué pasó en mayo de 2024?", 6),
        ("es", "¿De qué hablamos el 13 de mayo?", 6),
        ("es", "¿Qué dijo Inés en julio?", 7),
    ],
    indirect=["abroad"],
)
def test_days_are_asked_for_in_other_languages(
    abroad: InMemoryStore, question: str, index: int
) -> None:
    """As in English: the entries of those days and no others."""
    assert found(abroad, question) == [ABROAD[index][2]]


@pytest.mark.parametrize(
    ("abroad", "question"),
    [
        ("zh", "七月的天气怎么样？"),
        ("zh", "七月吃什么？"),
        ("zh", "7月28日几点？"),
        ("zh", "7月28日做什么菜？"),
        ("zh", "7月28日星期几？"),
        ("ja", "7月の天気は？"),
        ("ja", "7月28日は何曜日？"),
        ("ja", "7月28日の夕食は何がいい？"),
        ("fr", "Quelle était l'inflation en juillet ?"),
        ("fr", "Que puis-je cuisiner le 28 juillet ?"),
        ("es", "¿Cuál fue la inflación en julio?"),
        ("es", "¿Qué puedo cocinar el 28 de julio?"),
    ],
    indirect=["abroad"],
)
def test_an_unknown_topic_stays_unknown_in_other_languages(
    abroad: InMemoryStore, question: str
) -> None:
    """Also one that is a single character, or cut out with a question's words."""
    assert found(abroad, question) == []


def test_days_count_from_today_while_a_memory_is_written() -> None:
    """Of a memory that ended long ago they count from its end as well."""
    for days, found in ((3, []), (400, ["Zqa"])):
        today = datetime(2024, 6, 9, tzinfo=timezone.utc) + timedelta(days=days)
        with InMemoryStore(clock=lambda today=today: today) as store:  # type: ignore[misc]
            store.add("Zqa", created_at="2024-06-08")
            store.add("Zqb", created_at="2024-06-09")
            assert [e.content for e in store.search("What did I do yesterday?")] == found


def test_of_the_days_asked_about_notes_stand_beside_turns() -> None:
    """Turns lend each other nothing there: the newest come first, whatever they are."""
    today = datetime(2024, 6, 12, tzinfo=timezone.utc)
    with InMemoryStore(clock=lambda: today) as store:
        for at in range(7):
            meta = {"session": "s", "turn": at, "speaker": "Mara"}
            store.add(f"Zqq{at}", meta, created_at=f"2024-06-03T18:0{at}:00Z")
        for day in (5, 6, 7):
            store.add(f"Zqn{day}", created_at=f"2024-06-0{day}")
        best = [entry.content for entry in store.search("What did I do last week?")[:3]]
    assert sorted(best) == ["Zqn5", "Zqn6", "Zqn7"]
