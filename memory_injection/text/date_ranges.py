"""Ranges whose one end leaves out what the other says: "1-20 October", "from May to June 2023"."""

from __future__ import annotations

import re

from .date_words import MONTH, YEAR

__all__ = ["in_full"]

_TH = r"(?:st|nd|rd|th|\.)?"
_TO = r"(?:to|and|until|till|through|thru|[-–—])"
_DAYS_FIRST = re.compile(
    rf"(?<![\d./-])(\d{{1,2}}){_TH} ?({_TO}) ?(?:the )?(\d{{1,2}}){_TH}(?: of)? ({MONTH})\b"
    rf"(,? {YEAR}\b)?"
)
_DAYS_LAST = re.compile(
    rf"\b({MONTH}) (\d{{1,2}}){_TH} ?({_TO}) ?(?:the )?(\d{{1,2}}){_TH}(?![\d:.]| ?[ap]m\b)"
    rf"(,? {YEAR}\b)?"
)
_DATE = rf"(?:\d{{1,2}}{_TH} (?:of )?(?:{MONTH})|(?:{MONTH})(?: \d{{1,2}}(?:st|nd|rd|th)?)?)"
_ONE_YEAR = re.compile(
    rf"\b(from|between) (?:the )?({_DATE}) ({_TO}) (?:the )?({_DATE}),? {YEAR}\b"
)
_MONTHS = re.compile(rf"\b(from|between) ({MONTH}) ({_TO}) ({MONTH})\b")
_ANY = re.compile(r"\d ?[-–—]|\d{1,2}\D{1,12}\d|from |between ")


def in_full(plain: str) -> str:
    """Return folded text with both ends of each range as a date of their own.

    Example:
        >>> in_full("1-20 october"), in_full("from march to may 2023")
        ('1 october - 20 october', 'from march 2023 to may 2023')
    """
    if not _ANY.search(plain):
        return plain
    plain = _DAYS_FIRST.sub(lambda m: _both(m[1], m[2], m[3], m[4], m[5]), plain)
    plain = _DAYS_LAST.sub(lambda m: _both(m[2], m[3], m[4], m[1], m[5]), plain)
    plain = _ONE_YEAR.sub(r"\1 \2 \5 \3 \4 \5", plain)
    return _MONTHS.sub(r"\1 in \2 \3 in \4", plain)


def _both(first: str, to: str, last: str, month: str, year: str | None) -> str:
    return f"{first} {month}{year or ''} {to} {last} {month}{year or ''}"
