"""English words of dates, and the shapes that :mod:`.dates` reads them in.

Other languages say their dates in these words first (:mod:`.turkish_dates`, :mod:`.german_dates`,
:mod:`.romance_dates`, :mod:`.eastern_dates`).
"""

from __future__ import annotations

from collections.abc import Iterable

from .rewriting import MONTHS

__all__ = [
    "HOLIDAYS",
    "MONTH",
    "NUMBER",
    "SEASON",
    "SEASONS",
    "UNIT",
    "UNITS",
    "WEEKDAY",
    "WEEKDAYS",
    "YEAR",
    "either",
    "month_number",
    "numbers_of",
]


def either(words: Iterable[str]) -> str:
    """Return a pattern for any of *words*, the longer ones first."""
    return "|".join(sorted(words, key=len, reverse=True))


_MONTHS = {
    **{name: number for number, name in enumerate(MONTHS, 1)},
    "jan": 1, "feb": 2, "mar": 3, "apr": 4, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "sept": 9,
    "oct": 10, "nov": 11, "dec": 12,
}  # fmt: skip
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
"""First month of each season, of three months."""

WEEKDAYS = {
    "monday": 0, "tuesday": 1, "wednesday": 2, "thursday": 3, "friday": 4, "saturday": 5,
    "sunday": 6,
}  # fmt: skip

_NUMBERS = {
    "a": (1, 1), "an": (1, 1), "one": (1, 1), "two": (2, 2), "three": (3, 3), "four": (4, 4),
    "five": (5, 5), "six": (6, 6), "seven": (7, 7), "eight": (8, 8), "nine": (9, 9),
    "ten": (10, 10), "eleven": (11, 11), "twelve": (12, 12), "a couple of": (2, 3),
    "couple of": (2, 3), "couple": (2, 3), "a few": (2, 5), "few": (2, 5), "several": (3, 7),
}  # fmt: skip
"""Least and most that a number word may mean."""

UNITS = {
    "day": "day", "days": "day", "week": "week", "weeks": "week", "month": "month",
    "months": "month", "year": "year", "years": "year",
}  # fmt: skip

HOLIDAYS = {
    "new year['’]?s eve": ((12, 31), (12, 31)), "new year['’]?s day": ((1, 1), (1, 1)),
    "christmas eve": ((12, 24), (12, 24)), "christmas day": ((12, 25), (12, 25)),
    "boxing day": ((12, 26), (12, 26)), "valentine['’]?s day": ((2, 14), (2, 14)),
    "leap day": ((2, 29), (2, 29)),
    "new year(?:['’]?s)?": ((12, 31), (1, 1)), "christmas": ((12, 24), (12, 26)),
    "halloween": ((10, 31), (10, 31)),
}  # fmt: skip
"""First and last (month, day) of each, the surer names first."""

MONTH, SEASON, WEEKDAY = either(_MONTHS), either(SEASONS), either(WEEKDAYS)
NUMBER = rf"\d{{1,3}}|{either(_NUMBERS)}"
UNIT = either(UNITS)
YEAR = r"(\d{4}|['’]\d\d)"


def month_number(name: str) -> int:
    """Return the number of a month's name or digits; 0 for neither."""
    return _MONTHS.get(name) or (int(name) if name.isdecimal() else 0)


def numbers_of(word: str) -> tuple[int, int]:
    """Return the least and the most that a number in digits or words may mean."""
    return (int(word),) * 2 if word.isdecimal() else _NUMBERS[word]
