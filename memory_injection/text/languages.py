"""Guessing a text's language, from its script, its letters and its function words."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection
from itertools import chain

from .function_words import WORDS
from .stopwords import LANGUAGES, stop_words
from .tokenizing import raw_words, split_word

__all__ = ["guess_language", "guess_words"]

# Letters that few languages with a stop list have.
_LETTERS = {
    "tr": "ğışİ", "de": "ß", "es": "ñ¿¡", "pt": "ãõ", "fr": "œêè", "sv": "å", "da": "åøæ",
    "no": "åøæ", "ro": "ășț", "pl": "łąęśźżń", "cs": "řěů", "hu": "őű", "uk": "іїєґ", "ru": "ыэъё",
    "fa": "پچژگ", "vi": "ơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ",
}  # fmt: skip
_LETTER_LANGUAGES: dict[str, list[str]] = {}
for _language, _chars in _LETTERS.items():
    for _char in _chars:
        _LETTER_LANGUAGES.setdefault(_char, []).append(_language)
_LETTER = re.compile(f"[{''.join(_LETTER_LANGUAGES)}]")

# Scripts that are (nearly) one language's own, or are not told apart further here.
_SCRIPTS = (
    (re.compile("[\u3040-\u30ff]"), "ja"),
    (re.compile("[\uac00-\ud7af]"), "ko"),
    (re.compile("[\u4e00-\u9fff]"), "zh"),
    (re.compile("[\u0e00-\u0e7f]"), "th"),
    (re.compile("[\u0370-\u03ff]"), "el"),
    (re.compile("[\u0590-\u05ff]"), "he"),
    (re.compile("[\u0600-\u06ff]"), "ar"),
    (re.compile("[\u0900-\u097f]"), "hi"),
    (re.compile("[\u0400-\u04ff]"), "ru"),
)
# Further letters of languages of the Latin script, which tell between languages that are known.
_FURTHER = {
    "tr": "çöüâîû", "de": "äöü", "fr": "àâçéëîïôùûüÿ", "es": "áéíóúü", "it": "àèéìíòóù",
    "pt": "áâàçéêíóôúü", "nl": "áéëèïóöü", "sv": "äöé", "da": "éö", "no": "éòôä", "fi": "äö",
    "hu": "áéíóöúü", "ro": "âî", "pl": "ó", "cs": "áčďéíňóšťúýž",
}  # fmt: skip
_LETTER_WEIGHT = 2
# These have few letters of their own and many short words that English has too, or has as names.
# Their words count as spelled, and those of two ASCII letters or of English not at all.
_CAREFULLY = frozenset({"cs", "da", "fi", "hu", "id", "no", "pl", "ro", "sv", "vi"})
_ENGLISH_TOO = frozenset(
    """
ada adam ale alt are bare care cat con dan deg dig dine end era far fast hans
hay hun jim kit lor man may men mere min mint mod most ona pot pro sale sam sin
sit son sub ten tie tied tom tot van""".split()
)
_ALIKE = {"no": "da"}  # told apart by a letter or two: the second stands for both
_MEMO = 100_000
_SAMPLE = 400  # words; function words are so common that more adds nothing


def _index() -> dict[str, tuple[str, ...]]:
    """Return the languages of each function word: as folded, or as spelled where care is due."""
    found: dict[str, tuple[str, ...]] = {}
    for language in LANGUAGES:
        careful = language in _CAREFULLY
        for word in _telling(language) if careful else stop_words(language):
            key = f"={word}" if careful else word
            found[key] = (*found.get(key, ()), language)
    return found


def _telling(language: str) -> set[str]:
    return {
        word
        for word in WORDS[language].split()
        if not word.isascii() or (len(word) > 2 and word not in _ENGLISH_TOO)
    }


_BY_WORD = _index()


def _languages_of(word: str, token: str) -> tuple[str, ...]:
    spelled = unicodedata.normalize("NFC", word).lower()
    return _BY_WORD.get(token, ()) + _BY_WORD.get(f"={spelled}", ())


class _Languages(dict[str, tuple[str, ...]]):
    """The languages that have a raw word as function word, looked up when first asked for."""

    def __missing__(self, word: str) -> tuple[str, ...]:
        # One letter is as likely a name for something (C, plan B) as a piece of a contraction.
        if word.isascii() and word.isalnum():
            found = _languages_of(word, word.lower()) if len(word) > 1 else ()
        else:
            tokens = split_word(word)
            found = _languages_of(word, tokens[0]) if len(tokens) == 1 else ()
        if len(self) >= _MEMO:
            self.clear()
        self[word] = found
        return found


_memo = _Languages()


def guess_language(text: str) -> str | None:
    """Return the language of *text* (ISO 639-1), or None when nothing tells.

    Telling needs a function word or a letter that one language has and the others lack, or a
    script of its own: a name or a single noun gives None.

    Example:
        >>> guess_language("Where is my cat?"), guess_language("Kedim nerede?")
        ('en', 'tr')
    """
    return guess_words(text, raw_words(text))


def guess_words(text: str, words: list[str], known: Collection[str] = ()) -> str | None:
    """Do the work of :func:`guess_language` on *text* already cut into raw *words*.

    Where the languages of the writer are *known*, one function word is not enough for another: it
    is as likely a word of theirs ("hasta" is until in Spanish and ill in Turkish).
    """
    said = list(chain.from_iterable(map(_memo.__getitem__, words[:_SAMPLE])))
    if not said and text.isascii():
        return None  # before anything is counted: most texts without function words end here
    votes = Counter(said)
    if not text.isascii():
        for char in set(_LETTER.findall(text)):
            for language in _LETTER_LANGUAGES[char]:
                votes[language] += _LETTER_WEIGHT
        if not votes:
            return _by_script(text) or _by_further_letters(text, known)
    if known:
        votes = Counter({one: n for one, n in votes.items() if n > 1 or one in known})
    if not votes:
        return _by_further_letters(text, known)
    best = max(votes.values())
    leaders = {language for language, count in votes.items() if count == best}
    leaders -= {language for language in leaders if _ALIKE.get(language) in leaders}
    return leaders.pop() if len(leaders) == 1 else None


def _by_further_letters(text: str, known: Collection[str]) -> str | None:
    """Return the one *known* language that has all of the accented Latin letters of *text*."""
    if text.isascii():
        return None
    letters = {char for char in text.lower() if "\xdf" <= char < "\u0250"}
    able = [one for one in known if letters.issubset(_FURTHER.get(one, ""))]
    return able[0] if letters and len(able) == 1 else None


def _by_script(text: str) -> str | None:
    for pattern, language in _SCRIPTS:
        if pattern.search(text):
            return language
    return None
