"""Stop words: closed-class words that carry grammar, not the matter of a question.

The words are those of :mod:`.function_words`, folded, so that they compare with
:func:`~memory_injection.text.tokenize`'s tokens.
"""

from __future__ import annotations

import unicodedata
from functools import cache

from .folding import fold
from .function_words import WORDS

__all__ = [
    "FIRST_PERSON",
    "LANGUAGES",
    "SECOND_PERSON",
    "is_stop_word",
    "lower_turkish",
    "stop_words",
]

LANGUAGES = tuple(WORDS)
"""Languages with a stop list (ISO 639-1); these can be told apart by their function words."""

# Who a question speaks of: the asker, or the one asked. Over all languages with a list.
_FIRST = """
i me my mine myself we us our ours ourselves ben benim bana beni bende benden biz bizim bize
bizi ich mich mir mein meine meinen meinem meiner wir uns unser unsere je moi mon ma mes nous
notre nos yo mi mis mío mía nosotros nuestro nuestra io mio mia miei mie noi nostro nostra eu
meu minha meus minhas nós nosso nossa ik mij mijn wij ons onze jag mig min mitt mina vi oss vår
я меня мне мой моя мое мои мы нас нам наш наша jeg meg mitt mine vår våre vores vor minä minun
minua minulla minulle me meidän meillä én engem nekem nálam velem enyém minket nekünk mă mie
îmi meu mea mei noi nostru noastră εγώ εμένα μου εμείς μας ja mnie mną mój moja moje mojego
mojej moich moim nasz nasza nasze já mě mně můj mé moji naše náš мене мені моє моєї моїх saya
aku kami kita tôi من ما مرا אני אותי לי שלי אנחנו לנו שלנו"""
_SECOND = """
you your yours yourself sen senin sana seni siz sizin size sizi du dich dir dein deine deinen
deinem tu toi ton ta tes vous votre vos tú ti tus usted tuo tua tuoi tue te você seu sua jij
jou jouw je uw dig din ditt dina ты тебя тебе твой твоя вы вас вам ваш ваша deg ditt dere deres
sinä sinun sinua sinulla te tied téged neked ți ție îți tău tine vă εσύ εσένα σου εσείς σας ty
ciebie tobie twój twoja twoje tebe tvůj tvoje váš vaše тобі твоє kamu anda bạn تو شما אתה את לך
שלך אתם"""


def _folded(words: str) -> frozenset[str]:
    return frozenset(fold(word) for word in words.split())


FIRST_PERSON = _folded(_FIRST)
SECOND_PERSON = _folded(_SECOND)


# Languages whose marks make other words: a stop word is one only as it is spelled ("cho" is to,
# "chó" a dog).
_AS_SPELLED = frozenset({"vi"})

# Water is asked about, and "şu" is seldom typed without its tail. A manager is spoken of more often
# than what a "müdür?" makes a question of.
_NOT_TURKISH = frozenset({"su", "müdür"})


@cache
def _spelled(language: str) -> frozenset[str]:
    return frozenset(WORDS[language].split())


def is_stop_word(word: str, token: str, language: str | None) -> bool:
    """Tell whether a raw *word*, folded to *token*, is a stop word of *language*.

    In Turkish a tail or a dot makes another word: ``işe`` (to work) is not ``ise`` (if). So does a
    mark in Vietnamese.
    """
    if token not in stop_words(language):
        return False
    if language in _AS_SPELLED:
        return unicodedata.normalize("NFC", word).lower() in _spelled(language)
    if language != "tr":
        return True
    if word.isascii():
        return token not in _NOT_TURKISH
    spelled = lower_turkish(word)
    return spelled in _spelled("tr") and spelled not in _NOT_TURKISH


def lower_turkish(word: str) -> str:
    """Return *word* in lower case as Turkish has it: I is ı, İ is i."""
    return unicodedata.normalize("NFC", word).replace("İ", "i").replace("I", "ı").lower()


@cache
def stop_words(language: str | None) -> frozenset[str]:
    """Return the folded stop words of *language* (ISO 639-1); empty where there is no list."""
    return _folded(WORDS.get(language or "", ""))
