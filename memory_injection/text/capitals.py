"""Capitals: which words of a question are written as names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection

from .tokenizing import split_word

__all__ = ["written_as_names"]

_WORD = re.compile(r"[^\W\d_]+")
_ENDS = frozenset(".!?:;…\n¿¡。")  # what a sentence begins after


def written_as_names(text: str, known: Collection[str]) -> Counter[str]:
    """Return how often each of the *known* words has a capital where no other word would.

    That is inside a sentence, in a text that is not written in capitals or as a title.

    Args:
        text: a question.
        known: folded words that may be names.

    Example:
        >>> written_as_names("What will Will say to May in May?", {"will", "may", "say"})
        Counter({'may': 2, 'will': 1})
    """
    found: Counter[str] = Counter()
    small = large = end = 0
    for match in _WORD.finditer(text):
        word, before = match.group(), text[end : match.start()]
        begins, end = not end or _begins(before), match.end()
        if word.islower():
            small += 1
        if begins or word.islower():
            continue
        parts = split_word(word)
        if len(word) > 1 and word.istitle() and len(parts) == 1 and parts[0] in known:
            found[parts[0]] += 1
        else:
            large += word != "I"
    return found if small and small >= large else Counter()


def _begins(before: str) -> bool:
    for char in reversed(before):
        if char in _ENDS or char.isalnum():
            return char in _ENDS
    return False
