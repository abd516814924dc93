"""The words of a text, as this store indexes them: folded, not stemmed, nothing left out."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterator

from ..text import guess_language, raw_words, split_word, stop_words, tokenize

__all__ = ["content_words", "index_words", "query_words"]

MAX_QUERY_WORDS = 128
"""Distinct words of a query that are looked up; a question holds far fewer."""


def index_words(text: str) -> Counter[str]:
    """Return how often each word of *text* occurs."""
    return Counter(token for word in raw_words(text) for token in _indexed(split_word(word)))


def query_words(query: str) -> list[str]:
    """Return the distinct words of *query*, at most 128, in order of appearance."""
    return list(dict.fromkeys(tokenize(query)))[:MAX_QUERY_WORDS]


def content_words(question: str) -> list[str]:
    """Return the words of *question* without the stop words of its language."""
    stops = stop_words(guess_language(question))
    return [word for word in query_words(question) if word not in stops]


def _indexed(tokens: tuple[str, ...]) -> Iterator[str]:
    """Add the last character of each run of pairs: one-character queries match by prefix only."""
    for at, token in enumerate(tokens):
        yield token
        if len(token) == 2 and unicodedata.category(token[1]) == "Lo":
            following = tokens[at + 1] if at + 1 < len(tokens) else ""
            if following[:1] != token[1]:
                yield token[1]
