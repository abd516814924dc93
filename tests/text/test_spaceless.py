"""Function words of scripts without spaces, and of Hindi, Arabic and Korean questions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_injection.stores import InMemoryStore
from memory_injection.text import has_function_character, without_function_words

CHINESE = [
    "护照放在书房左边的抽屉里。",
    "奶奶对青霉素过敏。",
    *(f"第{n}号客户喜欢在公园见面，电话号码是{13_800_000 + n * 37}。" for n in range(60)),
]
JAPANESE = [
    "母は来月、膝の手術を受ける予定です。",
    "家賃は月八万円です。",
    *(f"第{n}支店の売上は{n * 3 + 12}百万円でした。担当は佐藤さん。" for n in range(60)),
]


@pytest.mark.parametrize(
    ("question", "matter"),
    [
        ("奶奶对什么过敏？", "奶奶对 过敏？"),
        ("家賃はいくらですか", "家賃は"),
        ("แม่อยู่ที่ไหน", "แม่"),
        ("什么", "什么"),
        ("山", "山"),
        ("Where is 东京?", "Where is 东京?"),
        ("where?", "where?"),
    ],
)
def test_function_words_are_cut_out_of_a_question(question: str, matter: str) -> None:
    """What is left keeps its pairs; a run of nothing else stays as it is."""
    assert without_function_words(question) == matter


@given(st.text())
def test_any_text_can_be_cut(text: str) -> None:
    """Never raises, never adds anything but spaces, and cutting twice changes nothing."""
    cut = without_function_words(text)
    assert set(cut) <= set(text) | {" "}
    assert without_function_words(cut) == cut


def test_endings_are_told_from_matter() -> None:
    """A pair with a particle in it is likely to be chance."""
    assert has_function_character("的生")
    assert not has_function_character("生日")


@pytest.mark.parametrize(
    ("notes", "question"),
    [
        (CHINESE, "你还记得护照放在哪里吗？"),
        (CHINESE, "护照在哪里？"),
        (CHINESE, "请问奶奶对什么药过敏？"),
        (JAPANESE, "母はいつ手術するんでしたっけ？"),
        (JAPANESE, "家賃っていくらだったか覚えてる？"),
    ],
)
def test_question_words_are_not_held_against_a_question(notes: list[str], question: str) -> None:
    """Among sixty notes the right one comes first, above the floor."""
    with InMemoryStore() as store:
        store.add_many(notes)
        best = store.search(question)[0]
    assert best.content in notes[:2]
    assert (best.score or 0) >= store.relevance_floor


@pytest.mark.parametrize(
    ("notes", "answerable", "off_topic"),
    [
        (
            ["माँ का जन्मदिन पाँच अगस्त को है।", "भाई को मूंगफली से एलर्जी है।", "पिताजी बैंक में काम करते हैं।"],
            "माँ का जन्मदिन कब है?",
            ["मंगोलिया की राजधानी क्या है?", "1998 का विश्व कप किसने जीता?", "सूची को कैसे क्रमबद्ध करते हैं?"],
        ),
        (
            [
                "عيد ميلاد أمي في الخامس من أغسطس.",
                "يعمل أبي في بنك القاهرة.",
                "أخي لديه حساسية من الفول.",
            ],
            "متى عيد ميلاد أمي؟",
            ["من فاز بكأس العالم 1998؟", "كيف أرتب قائمة في بايثون؟", "ما هي عاصمة منغوليا؟"],
        ),
    ],
)
def test_function_words_are_no_evidence(
    notes: list[str], answerable: str, off_topic: list[str]
) -> None:
    """A small memory of one language is silent when only little words are in common."""
    with InMemoryStore() as store:
        store.add_many(notes)
        found = store.search(answerable)[0]
        assert found.content == notes[0]
        assert (found.score or 0) >= store.relevance_floor
        assert [store.search(question) for question in off_topic] == [[], [], []]


def test_korean_question_words_are_not_held_against_a_question() -> None:
    """They carry endings, so that no stop list has them all."""
    with InMemoryStore() as store:
        store.add_many(["엄마 생신은 8월 5일이에요.", "치과 예약은 수요일 오후 두 시예요."])
        (best, *_) = store.search("치과 예약 언제지?")
    assert best.content.startswith("치과")
    assert (best.score or 0) >= store.relevance_floor
