"""The words of a text, as this store indexes them: folded, not stemmed, nothing left out."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter

__all__ = ["index_words", "query_words"]

MAX_QUERY_WORDS = 128

_WORD = re.compile(r"[^\W_]+")
_I = str.maketrans({"I": "i", "İ": "i", "ı": "i"})
_UNMARKED = ("LATIN", "GREEK", "CYRILLIC")
_CJK = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+")


def fold(text: str) -> str:
    """Return *text* with case, the four letters I and the marks of three alphabets made one."""
    lower = unicodedata.normalize("NFKC", text).translate(_I).casefold()
    kept: list[str] = []
    for char in unicodedata.normalize("NFKD", lower):
        if not unicodedata.combining(char):
            kept.append(char)
        elif not kept or not unicodedata.name(kept[-1], "").startswith(_UNMARKED):
            kept.append(char)
    return unicodedata.normalize("NFC", "".join(kept))


def _words(text: str) -> list[str]:
    return _WORD.findall(fold(text))


def index_words(text: str) -> Counter[str]:
    """Return how often each word of *text* occurs."""
    found: list[str] = []
    for word in _words(text):
        if _CJK.search(word):
            found.extend(word[at : at + 2] for at in range(len(word)))
        else:
            found.append(word)
    return Counter(found)


def query_words(query: str) -> list[str]:
    """Return the distinct words of *query*, at most 128, in order of appearance."""
    found: list[str] = []
    for word in _words(query):
        if _CJK.search(word) and len(word) > 1:
            found.extend(word[at : at + 2] for at in range(len(word) - 1))
        else:
            found.append(word)
    return list(dict.fromkeys(found))[:MAX_QUERY_WORDS]
