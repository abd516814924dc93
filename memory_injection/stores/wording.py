"""Putting a question the way the memories are worded, before it is embedded.

"What did Caroline research?" is about Caroline; what she said reads "I looked into adoption
agencies". In a vector the name drowns everything else: it draws the turns that address her. So
names of speakers become "I" and "my", and their turns are preferred by who said them instead. On
turns of LoCoMo that lifts MiniLM's recall at 10 from .41 to .61.
"""

from __future__ import annotations

import re

from ..text import guess_language, split_word, stop_words
from .questions import View

__all__ = ["in_first_person"]

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_SPACES = re.compile(r"\s{2,}")
_POSSESSIVE = re.compile(r"['’]s?$", re.IGNORECASE)
_SUFFIX = re.compile(r"['’].*$")
_REPEATED = re.compile(r"\bI(?: I\b)+")  # first and last name


def in_first_person(question: str, view: View) -> str:
    """Return *question* with the names of *view*'s speakers said as "I" and "my".

    In other languages than English, where a pronoun would need a case, names are left out. A
    question that consists of names only stays as it is.
    """
    if not view.names:
        return question
    capitals = any(word[0].isupper() for word in _WORD.findall(question)[1:] if word != "I")

    def is_named(word: str) -> bool:
        parts = split_word(_SUFFIX.sub("", word))
        return bool(parts) and parts[0] in view.names and _is_name(word, capitals)

    nameless = _WORD.sub(lambda m: "" if is_named(m.group()) else m.group(), question)
    english = guess_language(nameless) in (None, "en")

    def said(match: re.Match[str]) -> str:
        word = match.group()
        if not is_named(word):
            return word
        if not english:
            return ""
        return "my" if _POSSESSIVE.search(word) else "I"

    put = _SPACES.sub(" ", _WORD.sub(said, question)).strip()
    put = _REPEATED.sub("I", put)
    rest = {word.lower() for word in _WORD.findall(put)} - {"i", "my"}
    return put if rest - stop_words("en") else question


def _is_name(word: str, capitals: bool) -> bool:
    """Where the question has capitals a name has one; else no stop word ("will") is a name."""
    if capitals:
        return word[:1].isupper()
    return word not in stop_words("en")
