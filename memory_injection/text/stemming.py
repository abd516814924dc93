"""Stemming: one term for the forms of a word, per language.

Snowball stemmers (PyStemmer; the pure-Python ``snowballstemmer`` where it has no wheel). Turkish
words are cut to a known root (:mod:`.turkish`), by Snowball where none is known, and then to five
letters: with long chains of suffixes a prefix is the best cheap stem (Can et al., "Information
retrieval on Turkish texts", JASIST 2008, their F5).
"""

from __future__ import annotations

import importlib
import threading
import unicodedata
from collections.abc import Callable, Iterable
from functools import cache
from itertools import chain
from typing import Any

from .folding import fold
from .joining import apart, term_words
from .languages import guess_words
from .stopwords import is_stop_word, lower_turkish
from .tokenizing import split_word

__all__ = ["STEMMED", "marked_terms", "stems", "terms", "word_terms"]

STEMMED = {
    "ar": "arabic", "cs": "czech", "da": "danish", "de": "german", "el": "greek", "en": "english",
    "es": "spanish", "fa": "persian", "fi": "finnish", "fr": "french", "hi": "hindi",
    "hu": "hungarian", "id": "indonesian", "it": "italian", "nl": "dutch", "no": "norwegian",
    "pl": "polish", "pt": "portuguese", "ro": "romanian", "ru": "russian", "sv": "swedish",
    "tr": "turkish",
}  # fmt: skip
"""Languages that are stemmed, with the Snowball name of each."""

_TURKISH_LETTERS = 5
_LONGEST = 64  # characters; longer "words" are keys, hashes and encoded data: cut, not stemmed
_MEMO = 100_000

_local = threading.local()  # a stemmer object must not be used by two threads at once


class _Terms(dict[str, tuple[str, ...]]):
    """Each raw word's terms in one language, worked out when first asked for.

    A lookup that has its answer never leaves C: a whole text costs one ``map``.
    """

    def __init__(self, language: str | None) -> None:
        self._language = language

    def __missing__(self, word: str) -> tuple[str, ...]:
        found = _work_out(word, self._language)
        if len(self) >= _MEMO:
            self.clear()
        self[word] = found
        return found


class _Marked(dict[str, str]):
    """The same as one text per word, as :func:`marked_terms` writes them."""

    def __init__(self, language: str | None) -> None:
        self._language = language

    def __missing__(self, word: str) -> str:
        found = "".join([f" _{term} " for term in _work_out(word, self._language)])
        if len(self) >= _MEMO:
            self.clear()
        self[word] = found
        return found


_terms: dict[str | None, _Terms] = {}
_marked: dict[str | None, _Marked] = {}


def _terms_of(language: str | None) -> _Terms:
    found = _terms.get(language)
    return _terms.setdefault(language, _Terms(language)) if found is None else found


def _marked_of(language: str | None) -> _Marked:
    found = _marked.get(language)
    return _marked.setdefault(language, _Marked(language)) if found is None else found


def stems(text: str, language: str | None = None) -> list[str]:
    """Return the search terms of *text*: folded stems in order, stop words left out.

    Args:
        text: any text.
        language: ISO 639-1 code; guessed from the text when None. A language without a stemmer
            or a stop list is folded only.

    Example:
        >>> stems("The cats were sleeping"), stems("Kedilerin isimleri", "tr")
        (['cat', 'sleep'], ['kedi', 'isim'])
    """
    words = term_words(text)
    return terms(words, language or guess_words(text, words))


def terms(words: Iterable[str], language: str | None) -> list[str]:
    """Return the search terms of raw *words* in *language*, in order."""
    return list(chain.from_iterable(map(_terms_of(language).__getitem__, words)))


def marked_terms(words: list[str], language: str | None) -> str:
    """Return the search terms of raw *words* as one text: ``" _first  _second "``.

    No term holds a ``_``, so the marks can be counted, and replaced by what an index wants before
    each term.
    """
    return "".join(map(_marked_of(language).__getitem__, words))


def word_terms(word: str, language: str | None) -> tuple[str, ...]:
    """Return the terms of one raw *word*: none for a stop word, several in spaceless scripts."""
    return _terms_of(language)[word]


def _work_out(word: str, language: str | None) -> tuple[str, ...]:
    cut = word[:_LONGEST]
    if cut.isascii() and cut.isalnum():  # what nearly all are: nothing to fold or split
        token = cut.lower()
        tokens: tuple[str, ...] = (token,)
    else:
        tokens = split_word(cut)
        if len(tokens) != 1:
            return tokens
        token = tokens[0]
    if is_stop_word(word, token, language):
        return ()
    if not token.isalpha():
        parts = apart(token)
        return tokens if parts == tokens else tuple(terms(parts, language))
    if language not in STEMMED or len(word) > _LONGEST:
        return tokens
    stem = _stem(word, token, language)
    return (stem or token,)


def _stem(word: str, token: str, language: str) -> str:
    if language == "tr":
        from .turkish import known_root, short_root  # its roots: not for who needs none

        spelled = lower_turkish(word)
        root = known_root(spelled) or short_root(token) or fold(_snowball(language, spelled))
        return root[:_TURKISH_LETTERS]
    if token.isascii():
        if language == "en":
            return _english()(token, _stemmer("en"))
        return _snowball(language, token)
    # Stemmers of accented languages expect the accents that folding takes away.
    return fold(_snowball(language, unicodedata.normalize("NFC", word).casefold()))


@cache
def _english() -> Callable[[str, Callable[[str], str]], str]:
    from .english import english_stem  # its forms: not for who needs none

    return english_stem


def _snowball(language: str, word: str) -> str:
    return _stemmer(language)(word)


def _stemmer(language: str) -> Callable[[str], str]:
    stemmers: dict[str, Callable[[str], str]] = _local.__dict__
    stemmer = stemmers.get(language)
    if stemmer is None:
        stemmer = stemmers[language] = _load(STEMMED[language]).stemWord
    return stemmer


def _load(name: str) -> Any:
    try:
        return importlib.import_module("Stemmer").Stemmer(name)
    except ImportError:
        package = importlib.import_module("snowballstemmer")
        return package.stemmer(name) if name in package.algorithms() else _Unstemmed


class _Unstemmed:
    """Stands for an algorithm that an older ``snowballstemmer`` lacks."""

    @staticmethod
    def stemWord(word: str) -> str:
        return word
