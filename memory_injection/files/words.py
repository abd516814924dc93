"""The built-in tokenizer of file recall: each word as folded, and its stem beside it.

A word in the very form that was asked for counts twice, in another form once; so a record whose
language cannot be told from its few words is still found by them.
"""

from __future__ import annotations

from ..text import raw_words, split_word, stop_words, word_terms
from ..text.languages import guess_words

__all__ = ["StemmedWords"]

_UNTOLD = "en"  # records of a few words give no language away; most are English
_MEMO = 100_000  # words remembered per language


class StemmedWords:
    """Text to search words, for records and queries alike."""

    def __init__(self, without: frozenset[str] | None = None) -> None:
        """Leave out the folded words *without*; None for the stop words of the text's language."""
        self._without = without
        self._memos: dict[str, dict[str, tuple[str, ...]]] = {}

    def __call__(self, text: str) -> list[str]:
        """Return the words of *text* in order."""
        words = raw_words(text)
        language = guess_words(text, words) or _UNTOLD
        memo = self._memos.setdefault(language, {})
        found: list[str] = []
        for word in words:
            known = memo.get(word)
            if known is None:
                known = self._tokens(word, language)
                if len(memo) < _MEMO:
                    memo[word] = known
            found.extend(known)
        return found

    def _tokens(self, word: str, language: str) -> tuple[str, ...]:
        tokens = split_word(word)
        if len(tokens) != 1:
            return tokens
        without = stop_words(language) if self._without is None else self._without
        if tokens[0] in without:
            return ()
        stems = word_terms(word, language)
        return (*tokens, *(stem for stem in stems if stem not in tokens))
