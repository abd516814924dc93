"""Points in time that a question names: "in May 2023", "last week", "geçen ay"."""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import date

from .folding import fold

__all__ = ["Period", "periods", "read_day"]

Period = tuple[int, int]
"""First and last day, both inclusive, as proleptic ordinals (``date.toordinal``)."""

_MONTHS = {
    "january": 1, "february": 2, "march": 3, "april": 4, "may": 5, "june": 6, "july": 7,
    "august": 8, "september": 9, "october": 10, "november": 11, "december": 12,
    "jan": 1, "feb": 2, "mar": 3, "apr": 4, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "sept": 9,
    "oct": 10, "nov": 11, "dec": 12,
    "ocak": 1, "subat": 2, "mart": 3, "nisan": 4, "mayis": 5, "haziran": 6, "temmuz": 7,
    "agustos": 8, "eylul": 9, "ekim": 10, "kasim": 11, "aralik": 12,
}  # fmt: skip
_NAME = "|".join(sorted(_MONTHS, key=len, reverse=True))
_ISO = re.compile(r"\b(\d{4})-(\d{1,2})-(\d{1,2})\b")
_ISO_MONTH = re.compile(r"\b(\d{4})-(\d{1,2})\b(?!-)")
_DAY_FIRST = re.compile(rf"\b(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? ({_NAME})\b,?(?: (\d{{4}}))?")
_MONTH_FIRST = re.compile(rf"\b({_NAME}) (\d{{1,2}})(?:st|nd|rd|th)?\b,?(?: (\d{{4}}))?")
_MONTH_YEAR = re.compile(rf"\b({_NAME}),? (?:of )?(\d{{4}})\b")
_MONTH = re.compile(
    rf"\b(?:in|during|since|until|of|early|late|mid|last|this|next) ({_NAME})\b"
    rf"|\b({_NAME})(?:'?(?:da|de|ta|te)\b| ay)"
)
_YEAR = re.compile(r"\b((?:19|20)\d\d)\b")

_RELATIVE = (
    (re.compile(r"\b(?:today|bugun)\b"), 0, 0),
    (re.compile(r"\b(?:yesterday|dun)\b"), 1, 1),
    (re.compile(r"\b(?:last week|past week|gecen hafta)\b"), 13, 1),
    (re.compile(r"\b(?:this week|bu hafta)\b"), 7, 0),
    (re.compile(r"\b(?:last month|past month|gecen ay)\b"), 61, 1),
    (re.compile(r"\b(?:this month|bu ay)\b"), 31, 0),
)
_HINT = re.compile(
    rf"\b\d{{4}}\b|today|yesterday|week|month|bugun|dun|hafta|\bay\b|\b(?:{_NAME})"
)  # cheap first look: most questions name no time


def periods(text: str, anchors: tuple[date, ...] = ()) -> list[Period]:
    """Return the periods that *text* names, the most precise reading of each.

    Args:
        text: a question, in English or Turkish, or with ISO dates.
        anchors: days that "last week" may be counted from (today; the day of the newest memory);
            also the years that a month without one may belong to.
    """
    plain = fold(text)
    if not _HINT.search(plain):
        return []
    found: list[Period] = []
    rest = _absolute(plain, anchors, found)
    for pattern, back, until in _RELATIVE:
        if pattern.search(rest):
            found.extend((a.toordinal() - back, a.toordinal() - until) for a in anchors)
    return found


def read_day(text: str) -> date | None:
    """Return the first full date (day, month, year) written in *text*, or None.

    Example:
        >>> read_day("1:56 pm on 8 May, 2023")
        datetime.date(2023, 5, 8)
    """
    found: list[Period] = []
    _absolute(fold(text), (), found)
    days = [first for first, last in found if first == last]
    return date.fromordinal(days[0]) if days else None


def _absolute(plain: str, anchors: tuple[date, ...], found: list[Period]) -> str:
    """Collect dates, months and years; return what is left of the text."""
    years = sorted({a.year for a in anchors} | {a.year - 1 for a in anchors})

    def take(pattern: re.Pattern[str], text: str, order: str) -> str:
        for match in pattern.finditer(text):
            parts = {key: value for key, value in zip(order, match.groups(), strict=True) if value}
            given = [int(parts["y"])] if "y" in parts else years
            name = parts.get("m") or parts.get("n") or ""
            month = _MONTHS.get(name) or (int(name) if name.isdigit() else 0)
            found.extend(_spans(given, month, int(parts.get("d", 0))))
        return pattern.sub(" ", text)

    for pattern, order in (
        (_ISO, "ymd"), (_ISO_MONTH, "ym"), (_DAY_FIRST, "dmy"), (_MONTH_YEAR, "my"),
        (_MONTH_FIRST, "mdy"), (_MONTH, "mn"), (_YEAR, "y"),
    ):  # fmt: skip
        plain = take(pattern, plain, order)
    return plain


def _spans(years: list[int], month: int, day: int) -> list[Period]:
    spans: list[Period] = []
    for year in years:
        if not 1 <= year <= 9999 or not 0 <= month <= 12:
            continue
        if not month:
            spans.append((date(year, 1, 1).toordinal(), date(year, 12, 31).toordinal()))
            continue
        last = monthrange(year, month)[1]
        if day:
            if day <= last:
                spans.append((date(year, month, day).toordinal(),) * 2)
            continue
        spans.append((date(year, month, 1).toordinal(), date(year, month, last).toordinal()))
    return spans
