"""The built-in tokenizer of file recall: each word as folded, and its stem beside it.

A word in the very form that was asked for counts twice, in another form once; so a record whose
language cannot be told from its few words is still found by them.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..text import guess_language, raw_words, split_word, stop_words, word_terms

__all__ = ["StemmedWords"]

_UNTOLD = "en"  # records of a few words give no language away; most are English


class StemmedWords:
    """Text to search words, for records and queries alike."""

    def __init__(self, without: frozenset[str] | None = None) -> None:
        """Leave out the folded words *without*; None for the stop words of the text's language."""
        self._without = without

    def __call__(self, text: str) -> Iterator[str]:
        """Yield the words of *text* in order."""
        language = guess_language(text) or _UNTOLD
        without = stop_words(language) if self._without is None else self._without
        for word in raw_words(text):
            tokens = split_word(word)
            if len(tokens) != 1:
                yield from tokens
                continue
            token = tokens[0]
            if token in without:
                continue
            yield token
            for stem in word_terms(word, language):
                if stem != token:
                    yield stem
