"""One way of writing for what is written together, apart or with a sign between.

"wi-fi" and "wifi", "1,450" and "1450", "Ph.D." and "PhD" are joined before a text is cut into
words; "10km" and "iPhone15" are taken apart as "10 km" and "iPhone 15" are.
"""

from __future__ import annotations

import re

from .tokenizing import raw_words

__all__ = ["apart", "term_words"]

# What stands before a hyphen and is no word by itself; what follows it mostly is one, and stays.
_PREFIXES = frozenset("anti co multi non pre re semi".split())
_HALVES = frozenset({("wi", "fi"), ("hi", "fi"), ("sci", "fi"), ("lo", "fi")})
_PARTICLES = frozenset("away down in off on out over up".split())
_COMPOUND = re.compile(r"[^\W_]+(?:-[^\W_]+)+")

# Each begins with its sign, which is what makes looking for it cheap.
_HYPHEN = re.compile(
    rf"-(?:(?=(?:{'|'.join(sorted(_PARTICLES))})\b)|(?=\w)(?:(?<=(?<![\w-])[^\W\d_]-)"
    r"|(?<=\b(?:co|re|wi|hi|lo)-)|(?<=\b(?:pre|non|sci)-)|(?<=\b(?:anti|semi)-)|(?<=\bmulti-)))",
    re.IGNORECASE,
)
_THOUSANDS = re.compile(r",(?<=\d,)(?=\d{3}(?!\d))")
_DOTTED = re.compile(r"\.(?=\w)")
_POINT = re.compile(
    r"\.(?:(?<=\d\.)(?=(?:\d{3}\.)*\d{3}(?!\.?\d))|(?:(?<=\b[^\W\d_]\.)|(?<=\b[^\W\d_]{2}\.))(?=[^\W\d_]\b))"
)

_NUMBERED = re.compile(r"([^\W\d_]{2,})(\d+)|(\d+)([^\W\d_]{2,})")
_ORDINAL = frozenset({"st", "nd", "rd", "th"})


def term_words(text: str) -> list[str]:
    """Return the raw words of *text* that its terms are made of, in order.

    They are those of :func:`~memory_injection.text.raw_words` but for what is joined.

    Example:
        >>> term_words("Wi-Fi: 1,450 a year"), term_words("My co-worker has a Ph.D.")
        (['wifi', '1450', 'a', 'year'], ['my', 'coworker', 'worker', 'has', 'a', 'phd'])
    """
    if "-" in text and _HYPHEN.search(text):
        text = _COMPOUND.sub(_joined, text)
    if "," in text and _THOUSANDS.search(text):
        text = _THOUSANDS.sub("", text)
    if "." in text and _DOTTED.search(text):
        text = _POINT.sub("", text)
    return raw_words(text)


def _joined(compound: re.Match[str]) -> str:
    parts = compound.group().split("-")
    first, second, *more = parts
    begins, ends = first.lower(), second.lower()
    if (begins, ends) in _HALVES:  # wi-fi
        return " ".join((first + second, *more))
    letter = len(first) == 1 and first.isalpha()
    if letter and second.isdecimal() and not more:  # B-12
        return first + second
    if (letter or begins in _PREFIXES) and len(second) > 2 and second.isalpha():  # T-shirt
        return " ".join((first + second, second, *more))
    if ends in _PARTICLES and len(first) > 2 and not more:  # check-up
        return f"{first} {first}{second}"
    return " ".join(parts)


def apart(word: str) -> tuple[str, ...]:
    """Return the words of one raw *word* that a number begins or ends.

    A single letter belongs to its number ("B12"), and what makes a number an ordinal goes ("5th").

    Example:
        >>> apart("iphone15"), apart("10km"), apart("b12"), apart("5th"), apart("a1b2c3")
        (('iphone', '15'), ('10', 'km'), ('b12',), ('5',), ('a1b2c3',))
    """
    found = None if word.isalpha() else _NUMBERED.fullmatch(word)
    if found is None:
        return (word,)
    name, number, amount, unit = found.groups()
    if name is not None:
        return name, number
    return (amount,) if unit.lower() in _ORDINAL else (amount, unit)
