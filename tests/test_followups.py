"""Which asks lean on the turns before them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_injection.evaluation.datasets import load_locomo, load_squad
from memory_injection.evaluation.followups import follow_ups
from memory_injection.followups import leans_on_context

from .data import data_folder


@pytest.mark.parametrize(
    "ask",
    [
        "Why?", "Tell me more.", "how old is he?", "Yes, B1", "And the code?", "For how long?",
        "From what distance on?", "What works instead?", "Anything he must not eat?",
        "Ok, what do you recommend?", "Which one?", "But when is it?",
        "Neden?", "Peki ya kedisi?", "Kaç yaşından beri?", "Ne zaman?", "İKİNCİSİNE NE OLDU?",
        "Onunla randevum ne zaman?", "Asansörü var mı?", "Hangisi?",
        "为什么？", "她在哪个城市？", "那家餐厅叫什么名字？", "爸爸呢？",
        "なぜですか？", "彼は今どこに住んでいますか？", "何時で止まっていますか？",
    ],
)  # fmt: skip
def test_an_ask_without_a_topic_of_its_own_leans(ask: str) -> None:
    """No topic, a pointing word, half a sentence."""
    assert leans_on_context(ask)


@pytest.mark.parametrize(
    "ask",
    [
        "", "?!", "Where does my sister Nora work?", "When did Gina lose her job at Door Dash?",
        "Which race did I sign up for?", "What is photosynthesis?", "How many hives do I have?",
        "What did 小雯 do at the clinic yesterday?",
        "Ablam Sevgi nerede çalışıyor?", "Müdürüm kim?", "NASUWT nedir?",
        "Liman müdürlüğünde ne zaman başladım?",
        "我弟弟阿强是做什么的？", "妈妈参加什么活动？",
        "姉の美咲の仕事は何ですか？", "健太はどこへ引っ越しましたか？",
    ],
)  # fmt: skip
def test_an_ask_that_names_its_topic_stands_on_its_own(ask: str) -> None:
    """Short or not, in five languages."""
    assert not leans_on_context(ask)


@pytest.mark.parametrize(
    "ask",
    [
        "Is it going to rain?", "Will it snow?", "Is it cold outside?", "What time is it?",
        "What's the time?", "Saat kaç?", "And now something completely different",
        "New topic: taxes", "Ok, another question", "Can we change the subject?",
        "Başka bir şey soracağım", "Peki, konuyu değiştirelim", "换个话题吧",
    ],
)  # fmt: skip
def test_the_weather_the_clock_and_a_new_topic_do_not_lean(ask: str) -> None:
    """Their "it" stands for nothing said before, and a turn away leaves the old topic."""
    assert not leans_on_context(ask)


@pytest.mark.parametrize(
    "ask",
    [
        "Is it cold there?",
        "Saat kaçta?",
        "Başka bir şey var mı?",
        "Anything else?",
        "Is it late?",
        "What day is it?",
        "Are you sure?",
        "Who invented it?",
    ],
)
def test_what_looks_like_them_still_leans(ask: str) -> None:
    """A thing may be cold or late too."""
    assert leans_on_context(ask)


@given(st.text())
def test_any_text_gets_an_answer(text: str) -> None:
    """Nothing raises, and spaces around change nothing."""
    assert leans_on_context(f"  {text}\n") == leans_on_context(text)


def test_most_of_the_set_is_recognised_and_its_first_asks_are_not() -> None:
    """In every language at least seven in ten; of the asks before them at most one in twenty."""
    asks = follow_ups()
    for language in ("en", "tr", "zh", "ja"):
        own = [asked for asked in asks if asked.language == language]
        seen = sum(leans_on_context(asked.ask) for asked in own)
        assert seen >= 0.7 * len(own), language
    taken = sum(leans_on_context(asked.first) for asked in asks)
    assert taken <= 0.05 * len(asks)


def test_questions_of_public_sets_are_left_alone() -> None:
    """Fewer than two in a hundred questions that stand on their own are taken for follow-ups."""
    folder = data_folder()
    sets = [load_locomo(folder / "locomo")]
    sets += [load_squad([path]) for path in sorted((folder / "xquad_tr_en").glob("*.json"))]
    for corpora in sets:
        texts = [question.text for corpus in corpora for question in corpus.questions]
        assert sum(map(leans_on_context, texts)) < 0.02 * len(texts)
