"""Small talk: chatter injects nothing, an ask with content always searches."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_injection.manager import MemoryManager
from memory_injection.smalltalk import is_bare_answer, is_small_talk, without_small_talk
from memory_injection.stores import InMemoryStore

CHATTER = (
    "hi|Hello!|hiiii|ok|Ok, thanks! bye|how are you?|How are you doing today?|What's up?|k"
    "|good morning everyone|thanks so much for your help|thank you very much for the help|lol|xD"
    "|hahaha|haha ok|you're welcome|good job|Nice, thanks|bye bye!|see you later 👋|😂😂|👍|..."
    "|teşekkürler|Çok teşekkür ederim :)|İYİ GECELER|selam nasılsın|GÜNAYDIN|sağ ol|kolay gelsin"
    "|谢谢|好的谢谢|哈哈哈|谢谢你好|ㅋㅋㅋ|ㅎㅎ 고마워요|笑www|了解了解"
    "|こんにちは|おはようございます|감사합니다|สวัสดีครับ|नमस्ते|شكرا|Привет, как дела?"
    "|have a lovely evening!|Enjoy your weekend|sweet dreams|Happy New Year to you too|I missed you"
    "|you are so kind|shall we chat?|I'm so bored|are you there?|hope you slept well"
    "|iyi bayramlar|tatlı rüyalar|Doğum günün kutlu olsun!|sizi çok seviyorum|sen harikasın"
    "|hadi konuşalım|içim sıkılıyor|İyi misiniz?|geçmiş olsun|bayramınız mübarek olsun"
    "|Frohe Weihnachten|schlaf gut|joyeux anniversaire|je t'aime|feliz cumpleaños|te quiero mucho"
    "|buon compleanno|boas festas|fijne feestdagen|С Новым годом!|мне скучно|生日快乐！|我好无聊"
    "|お誕生日おめでとうございます|大好きだよ|잘 자요|생일 축하해요|ราตรีสวัสดิ์|जन्मदिन मुबारक|शुभ रात्रि"
    "|Danke schön|¡Hola! ¿Qué tal?|jajaja|dzień dobry|Merci beaucoup|obrigado|grazie mille"
)
ASKS = (
    "hi, what is my cat's name?|Ok what do you recommend|Yes, B1|yes|no|42|?|??|what|help"
    "|hello world program|thanks, and where did I park?|good restaurants|my cat|the|so|team"
    "|how are you feeling about the merger|what is good for the cat|test the login|is it ok"
    "|Teşekkürler, peki kedimin adı ne?|谢谢，我的猫叫什么|continue|do it again|fine dining"
    "|when is the test|morning routine|help me please|sorry for what|evet|hayır|ne"
    "|Peki kardeşim?|Peki ya ablam?|tamam, peki hocam?|what do I love|happy hour|the best talk"
    "|have a look|my birthday|are you sure|love letter|iyi doktor|mutlu olduğum yer|who is bored"
)


@pytest.mark.parametrize("text", CHATTER.split("|"))
def test_set_phrases_are_small_talk(text: str) -> None:
    """Greetings, thanks, goodbyes, laughter and emoji are small talk in many languages."""
    assert is_small_talk(text)


@pytest.mark.parametrize("text", ASKS.split("|"))
def test_an_ask_with_content_is_not_small_talk(text: str) -> None:
    """One word beyond the set phrases makes it an ask; yes, no and numbers carry meaning."""
    assert not is_small_talk(text)


@pytest.mark.parametrize(
    ("text", "ask"),
    [
        ("Good morning! Where did we put the key?", "Where did we put the key?"),
        ("hi, when is the race? Thanks!", "when is the race?"),
        ("Merhaba, veteriner kimdi?", "veteriner kimdi?"),
        ("谢谢，我的猫叫什么？", "我的猫叫什么？"),
        ("  thanks!! great... so what is it?", "so what is it?"),
        ("Good Morning, Vietnam", "Good Morning, Vietnam"), ("Okay Kaya", "Okay Kaya"),
        ('Who said "Hello?"', 'Who said "Hello?"'), ("thanks, bye", "thanks, bye"), ("", ""),
        ("Yes, B1 please", "Yes, B1 please"),
        ("Who sings that song, Hello?", "Who sings that song, Hello?"),
    ],
)  # fmt: skip
def test_chatter_set_apart_is_not_searched_for(text: str, ask: str) -> None:
    """A greeting or thanks before or after the ask goes; nothing goes from within it."""
    assert without_small_talk(text) == ask


@settings(deadline=None)  # a busy machine is no failure
@given(st.text(max_size=300))
def test_what_is_left_is_part_of_the_text(text: str) -> None:
    """No text raises, and none is emptied."""
    rest = without_small_talk(text)
    assert rest in text
    assert bool(rest.strip()) == bool(text.strip())


def test_a_greeting_is_not_searched_for_with_the_ask() -> None:
    """The report's query is the ask alone, and the greeting finds nothing of its own."""
    with MemoryManager(stores=[InMemoryStore()]) as memory:
        memory.stores[0].add_many(["Good morning is what my parrot says.", "The key is at Ida's."])
        report = memory.inject(
            [{"role": "user", "content": "Good morning! Where is the key?"}]
        ).report
    assert report.query == "Where is the key?"
    assert len(report.entries) == 1


@pytest.mark.parametrize("text", ["yes", "No!", "Hayır.", "はい", "go ahead", "네"])
def test_an_answer_to_nothing_injects_nothing(text: str) -> None:
    """Yes and no are searched with the turns before; at the start there is nothing to look for."""
    assert is_bare_answer(text)
    with MemoryManager(stores=[InMemoryStore()]) as memory:
        memory.stores[0].add_many(["He says no to everything.", "Go ahead is a bakery.", "はい。"])
        report = memory.inject([{"role": "user", "content": text}]).report
    assert (report.reason, report.detail) == ("below_floor", "small talk")


@pytest.mark.parametrize("text", ["", "?", "yes we can", "what", "B1"])
def test_an_answer_with_content_is_not_bare(text: str) -> None:
    """One more word, and it is looked for."""
    assert not is_bare_answer(text)


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
