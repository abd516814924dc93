"""The built-in tokenizer of file recall: folded stems, without stop words.

The language is guessed from each text, and a record or a query of a few words often gives none
away. Such a text is read as English and keeps each word as folded beside its stem; so do texts in
other languages. Then a word meets its like even where one side's language was told and the
other's was not.
"""

from __future__ import annotations

from ..text import split_word, stop_words, term_words, word_terms
from ..text.languages import guess_words

__all__ = ["StemmedWords"]

_UNTOLD = "en"  # records of a few words give no language away; most are English
_MEMO = 100_000  # words remembered per language


class StemmedWords:
    """Text to search words, for records and queries alike."""

    def __init__(self, without: frozenset[str] | None = None) -> None:
        """Leave out the folded words *without*; None for the stop words of the text's language."""
        self._without = without
        self._memos: dict[str | None, dict[str, tuple[str, ...]]] = {}

    def __call__(self, text: str) -> list[str]:
        """Return the words of *text* in order."""
        words = term_words(text)
        language = guess_words(text, words)
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

    def _tokens(self, word: str, told: str | None) -> tuple[str, ...]:
        tokens = split_word(word)
        if len(tokens) != 1:
            return tokens
        language = told or _UNTOLD
        without = stop_words(language) if self._without is None else self._without
        if tokens[0] in without:
            return ()
        stems = word_terms(word, language)
        if told == _UNTOLD:
            return stems or tokens
        return (*tokens, *(stem for stem in stems if stem not in tokens))
