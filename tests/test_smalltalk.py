"""Small talk: chatter injects nothing, an ask with content always searches."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_injection.smalltalk import is_small_talk

CHATTER = (
    "hi|Hello!|hiiii|ok|Ok, thanks! bye|how are you?|How are you doing today?|What's up?|k"
    "|good morning everyone|thanks so much for your help|thank you very much for the help|lol|xD"
    "|hahaha|haha ok|you're welcome|good job|Nice, thanks|bye bye!|see you later 👋|😂😂|👍|..."
    "|teşekkürler|Çok teşekkür ederim :)|İYİ GECELER|selam nasılsın|GÜNAYDIN|sağ ol|kolay gelsin"
    "|谢谢|好的谢谢|哈哈哈|谢谢你好|ㅋㅋㅋ|ㅎㅎ 고마워요|笑www|了解了解"
    "|こんにちは|おはようございます|감사합니다|สวัสดีครับ|नमस्ते|شكرا|Привет, как дела?"
    "|Danke schön|¡Hola! ¿Qué tal?|jajaja|dzień dobry|Merci beaucoup|obrigado|grazie mille"
)
ASKS = (
    "hi, what is my cat's name?|Ok what do you recommend|Yes, B1|yes|no|42|?|??|what|help"
    "|hello world program|thanks, and where did I park?|good restaurants|my cat|the|so|team"
    "|how are you feeling about the merger|what is good for the cat|test the login|is it ok"
    "|Teşekkürler, peki kedimin adı ne?|谢谢，我的猫叫什么|continue|do it again|fine dining"
    "|when is the test|morning routine|help me please|sorry for what|evet|hayır|ne"
)


@pytest.mark.parametrize("text", CHATTER.split("|"))
def test_set_phrases_are_small_talk(text: str) -> None:
    """Greetings, thanks, goodbyes, laughter and emoji are small talk in many languages."""
    assert is_small_talk(text)


@pytest.mark.parametrize("text", ASKS.split("|"))
def test_an_ask_with_content_is_not_small_talk(text: str) -> None:
    """One word beyond the set phrases makes it an ask; yes, no and numbers carry meaning."""
    assert not is_small_talk(text)


@pytest.mark.parametrize("text", ["", " ", "\n\t", "ok " * 100])
def test_blank_and_long_texts_are_not_small_talk(text: str) -> None:
    """Nothing to judge, or far too much of it, is left to the search."""
    assert not is_small_talk(text)


@pytest.mark.parametrize("laugh", ["哈", "呵", "ㅋ", "笑", "了解", "谢谢你好", "笑www"])
def test_laughter_before_a_content_word_takes_no_time(laugh: str) -> None:
    """There are exponentially many ways to cut a laugh into phrases; none is tried twice."""
    started = time.perf_counter()
    assert not is_small_talk(laugh * (26 if len(laugh) < 4 else 20) + "猫")
    assert time.perf_counter() - started < 1.0


@settings(deadline=None)  # a busy machine is no failure
@given(st.sampled_from(CHATTER.split("|")), st.sampled_from(["Pamuk", "invoice", "İzmir", "猫"]))
def test_chatter_around_a_content_word_is_an_ask(chatter: str, word: str) -> None:
    """Set phrases never hide a content word beside them."""
    assert not is_small_talk(f"{chatter} {word}")
    assert not is_small_talk(f"{word} {chatter}")


@settings(deadline=None)  # a busy machine is no failure
@given(st.text(max_size=300))
def test_any_text_is_answered(text: str) -> None:
    """No text raises."""
    assert is_small_talk(text) in (True, False)
