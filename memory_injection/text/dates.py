"""Points in time that a question names: "in May 2023", "last week", "geçen ay", "vor 2 Jahren"."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable
from datetime import date

from .eastern_dates import from_chinese_and_japanese
from .folding import fold
from .romance_dates import from_french, from_spanish

__all__ = ["Period", "periods", "read_day", "read_periods"]

Period = tuple[int, int]
"""First and last day, both inclusive, as proleptic ordinals (``date.toordinal``)."""

_MONTHS = {
    "january": 1, "february": 2, "march": 3, "april": 4, "may": 5, "june": 6, "july": 7,
    "august": 8, "september": 9, "october": 10, "november": 11, "december": 12,
    "jan": 1, "feb": 2, "mar": 3, "apr": 4, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "sept": 9,
    "oct": 10, "nov": 11, "dec": 12,
    "ocak": 1, "subat": 2, "mart": 3, "nisan": 4, "mayis": 5, "haziran": 6, "temmuz": 7,
    "agustos": 8, "eylul": 9, "ekim": 10, "kasim": 11, "aralik": 12,
    "januar": 1, "februar": 2, "marz": 3, "mai": 5, "juni": 6, "juli": 7, "oktober": 10,
    "dezember": 12,
}  # fmt: skip
_SEASONS = {
    "spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12,
    "ilkbahar": 3, "bahar": 3, "yaz": 6, "sonbahar": 9, "guz": 9, "kis": 12,
    "fruhling": 3, "fruhjahr": 3, "sommer": 6, "herbst": 9,
}  # fmt: skip
"""First month of each season, of three months."""

_NUMBERS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "eight": 8, "nine": 9, "ten": 10, "a couple of": 2,
    "bir": 1, "iki": 2, "uc": 3, "dort": 4, "bes": 5, "alti": 6, "yedi": 7, "sekiz": 8,
    "dokuz": 9, "on": 10,
    "einem": 1, "einer": 1, "zwei": 2, "drei": 3, "vier": 4, "funf": 5, "sechs": 6, "sieben": 7,
    "acht": 8, "neun": 9, "zehn": 10,
}  # fmt: skip
_UNITS = {
    "day": "day", "days": "day", "week": "week", "weeks": "week", "month": "month",
    "months": "month", "year": "year", "years": "year",
    "gun": "day", "hafta": "week", "ay": "month", "yil": "year", "sene": "year",
    "tag": "day", "tagen": "day", "woche": "week", "wochen": "week", "monat": "month",
    "monaten": "month", "jahr": "year", "jahren": "year",
}  # fmt: skip


def _any(words: dict[str, int] | dict[str, str]) -> str:
    return "|".join(sorted(words, key=len, reverse=True))


_NAME, _SEASON, _NUMBER, _UNIT = _any(_MONTHS), _any(_SEASONS), _any(_NUMBERS), _any(_UNITS)
_Y = r"(\d{4}|['’]\d\d)"
_CASE = r"(?:['’](?:in|un|i|u|a|e)|['’]?[dt][ae]n?(?:ki)?)?"  # Turkish endings
_ISO = re.compile(r"\b(\d{4})-(\d{1,2})-(\d{1,2})\b")
_YEAR_FIRST = re.compile(r"\b((?:19|20)\d\d)([./])(\d{1,2})\2(\d{1,2})\b(?![./]\d)")
_ISO_MONTH = re.compile(r"\b(\d{4})-(\d{1,2})\b(?!-)")
_SLASHED = re.compile(r"\b(\d{1,2})([./-])(\d{1,2})\2(\d{4})\b")
_DAY_FIRST = re.compile(
    rf"\b(\d{{1,2}})(?:st|nd|rd|th|\.)?(?: of)? ({_NAME}){_CASE}\b,?(?: {_Y}\b)?"
)
_MONTH_FIRST = re.compile(rf"\b({_NAME}) (\d{{1,2}})(?:st|nd|rd|th)?\b,?(?: {_Y}\b)?")
_MONTH_YEAR = re.compile(rf"\b({_NAME}),? (?:of )?{_Y}\b")
_YEAR_MONTH = re.compile(rf"\b(\d{{4}}) (?:yili )?({_NAME})(?:i?n?d[ae]n?|i|t[ae]n?)?\b")
_MONTH = re.compile(
    rf"\b(?:in|during|since|until|of|early|late|mid|last|this|next|im|seit|letzten) ({_NAME})\b"
    rf"|\b({_NAME})(?:['’]?(?:da|de|ta|te)\b| ay(?:i(?:n?d[ae])?)?\b)"
)
_SEASON_YEAR = re.compile(rf"\b({_SEASON}),?(?: of)? {_Y}\b")
_YEAR_SEASON = re.compile(rf"\b(\d{{4}}) ({_SEASON})(?:i?n?d[ae]|i)?\b")
_YEAR = re.compile(r"\b((?:19|20)\d\d)\b")
_WITHIN = "(?:in|since|during|of|early|late|mid) (?:the )?"
_OF_YEAR = re.compile(
    rf"\b(?:(?:{_WITHIN}|(?:the )?(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? )({_NAME}),? (?:of )?"
    rf"|{_WITHIN}({_SEASON}),? (?:of )?|({_SEASON}) of )(last|this) year\b"
)
_HINT = re.compile(
    rf"\b\d{{4}}\b|['’]\d\d\b|today|tonight|yesterday|night|week|month|year|\bago\b|this (?:morn"
    r"|aft|even)|bugun|\bbu \w|\bdun\b|hafta|\bay\b|\byil\b|\bsene|gun once|heute|gestern|woche"
    rf"|monat|jahr|\bvor \w+ tag|\b(?:{_NAME}|{_SEASON})"
)  # cheap first look: most questions name no time


def _days(back: int, until: int) -> Callable[[date], Period]:
    return lambda day: (day.toordinal() - back, day.toordinal() - until)


def _week(back: int) -> Callable[[date], Period]:
    """Return the week from Monday to Sunday, *back* weeks ago."""

    def span(day: date) -> Period:
        monday = day.toordinal() - day.weekday() - 7 * back
        return monday, monday + 6

    return span


def _weekend(day: date) -> Period:
    sunday = day.toordinal() - (day.weekday() + 1 if day.weekday() < 6 else 7)
    return sunday - 1, sunday


def _month(back: int) -> Callable[[date], Period]:
    def span(day: date) -> Period:
        months = day.year * 12 + day.month - 1 - back
        return _whole_month(max(months // 12, 1), months % 12 + 1)

    return span


def _year(back: int) -> Callable[[date], Period]:
    def span(day: date) -> Period:
        year = max(day.year - back, 1)
        return date(year, 1, 1).toordinal(), date(year, 12, 31).toordinal()

    return span


def _whole_month(year: int, month: int) -> Period:
    first = date(year, month, 1).toordinal()
    return first, first + monthrange(year, month)[1] - 1


_RELATIVE: tuple[tuple[re.Pattern[str], Callable[[date], Period]], ...] = (
    (re.compile(r"\b(?:day before yesterday|evvelsi gun|onceki gun|vorgestern)\b"), _days(2, 2)),
    (re.compile(r"\b(?:yesterday|last night|dun(?:ku)?|gestern)\b"), _days(1, 1)),
    (
        re.compile(
            r"\b(?:today|tonight|this (?:morning|afternoon|evening)|bugun(?:ku)?"
            r"|bu (?:sabah|aksam|gece)|heute)\b"
        ),
        _days(0, 0),
    ),
    (re.compile(r"\b(?:last weekend|gecen hafta ?sonu|letztes wochenende)\b"), _weekend),
    (re.compile(r"\b(?:(?:last|past) week|gecen hafta(?:ki)?|letzte[rn]? woche)\b"), _week(1)),
    (re.compile(r"\b(?:this week|bu hafta(?:ki)?|diese[rn]? woche)\b"), _week(0)),
    (re.compile(r"\b(?:(?:last|past) month|gecen ay(?:ki)?|letzte[nrs]? monat)\b"), _month(1)),
    (re.compile(r"\b(?:this month|bu ay(?:ki)?|diese[nrms]? monat)\b"), _month(0)),
    (
        re.compile(r"\b(?:(?:last|past) year|gecen (?:yil|sene)(?:ki)?|letzte[nrs]? jahr)\b"),
        _year(1),
    ),
    (re.compile(r"\b(?:this year|bu (?:yil|sene)(?:ki)?|diese[nrms]? jahr)\b"), _year(0)),
)
_AGO = re.compile(
    rf"\b(\d{{1,3}}|{_NUMBER}) ({_UNIT}) (?:ago|once(?:ki|si)?)\b"
    rf"|\bvor (\d{{1,3}}|{_NUMBER}) ({_UNIT})\b"
)
_LAST_SEASON = re.compile(
    rf"\b(?:last|this|past|gecen|bu|letzte[nrs]?|diese[nrs]?|im|in the|over the) ({_SEASON})\b"
)


def periods(text: str, anchors: tuple[date, ...] = ()) -> list[Period]:
    """Return the periods that *text* names, the most precise reading of each.

    Args:
        text: a question in English, Turkish, German, French, Spanish, Chinese or Japanese, or with
            dates in digits.
        anchors: days that "last week" may be counted from (today; the day of the newest memory);
            also the years that a month without one may belong to.
    """
    return read_periods(text, anchors)[0]


def read_periods(text: str, anchors: tuple[date, ...] = ()) -> tuple[list[Period], str]:
    """Return the periods as :func:`periods` does, and the folded text without their words."""
    plain = _in_english(fold(text))
    if not _HINT.search(plain) and not _SLASHED.search(plain):
        return [], plain
    found: list[Period] = []
    rest = _of_the_year(plain, anchors, found)
    rest = _ago(_absolute(rest, anchors, found), anchors, found)
    for pattern, span in _RELATIVE:
        if pattern.search(rest):
            found.extend(span(anchor) for anchor in anchors)
            rest = pattern.sub(" ", rest)
    for match in _LAST_SEASON.finditer(rest):
        found.extend(_latest_season(_SEASONS[match.group(1)], anchor) for anchor in anchors)
    return list(dict.fromkeys(found)), _LAST_SEASON.sub(" ", rest)


def read_day(text: str) -> date | None:
    """Return the first full date (day, month, year) written in *text*, or None.

    Example:
        >>> read_day("1:56 pm on 8 May, 2023")
        datetime.date(2023, 5, 8)
    """
    found: list[Period] = []
    _absolute(_in_english(fold(text)), (), found)
    days = [first for first, last in found if first == last]
    return date.fromordinal(days[0]) if days else None


def _in_english(plain: str) -> str:
    """Say the dates of other languages in English; a date in digits with the year first as ISO."""
    if not plain.isascii():
        plain = from_chinese_and_japanese(plain)
    if "/" in plain or "." in plain:
        plain = _YEAR_FIRST.sub(r"\1-\3-\4", plain)
    return from_spanish(from_french(plain))


def _of_the_year(text: str, anchors: tuple[date, ...], found: list[Period]) -> str:
    """Collect "in May last year"; return what is left."""
    for match in _OF_YEAR.finditer(text):
        day, month, *named, which = match.groups()
        season = named[0] or named[1]
        for anchor in anchors:
            year = max(anchor.year - (which == "last"), 1)
            if season:
                found.append(_three_months(min(year, 9998), _SEASONS[season]))
            else:
                found.extend(_spans([year], _MONTHS[month], int(day or 0)))
    return _OF_YEAR.sub(" ", text)


def _absolute(plain: str, anchors: tuple[date, ...], found: list[Period]) -> str:
    """Collect dates, months and years; return what is left of the text."""
    years = sorted({a.year for a in anchors} | {a.year - 1 for a in anchors})

    def take(pattern: re.Pattern[str], text: str, order: str) -> str:
        for match in pattern.finditer(text):
            parts = {key: value for key, value in zip(order, match.groups(), strict=True) if value}
            given = [_read_year(parts["y"])] if "y" in parts else years
            if "s" in parts:
                found.extend(span for year in given for span in _season(year, parts["s"]))
                continue
            name = parts.get("m") or parts.get("n") or ""
            month = _MONTHS.get(name) or (int(name) if name.isdigit() else 0)
            found.extend(_spans(given, month, int(parts.get("d", 0))))
        return pattern.sub(" ", text)

    for match in _SLASHED.finditer(plain):
        first, sign, second, year = match.groups()
        found.extend(_spans([int(year)], int(second), int(first)))
        if sign == "/" and first != second:  # month first, as in the United States
            found.extend(_spans([int(year)], int(first), int(second)))
    plain = _SLASHED.sub(" ", plain)
    for pattern, order in (
        (_ISO, "ymd"), (_ISO_MONTH, "ym"), (_DAY_FIRST, "dmy"), (_MONTH_YEAR, "my"),
        (_YEAR_MONTH, "ym"), (_MONTH_FIRST, "mdy"), (_MONTH, "mn"), (_SEASON_YEAR, "sy"),
        (_YEAR_SEASON, "ys"), (_YEAR, "y"),
    ):  # fmt: skip
        plain = take(pattern, plain, order)
    return plain


def _read_year(text: str) -> int:
    """Read four digits, or two after an apostrophe: those of the past century from 70 on."""
    year = int(text.lstrip("'’"))
    return year if len(text) == 4 else year + (1900 if year >= 70 else 2000)


def _ago(text: str, anchors: tuple[date, ...], found: list[Period]) -> str:
    """Collect "two months ago"; return what is left. The longer ago, the wider the days."""
    for match in _AGO.finditer(text):
        number, unit = (part for part in match.groups() if part)
        size = int(number) if number.isdigit() else _NUMBERS[number]
        if _UNITS[unit] == "day":
            span = _days(size + size // 3, max(size - size // 3, 0))
        elif _UNITS[unit] == "week":
            span = _days(7 * size + 3, max(7 * size - 3, 0))
        else:
            span = _month(size) if _UNITS[unit] == "month" else _year(size)
        found.extend(span(anchor) for anchor in anchors)
    return _AGO.sub(" ", text)


def _season(year: int, name: str) -> list[Period]:
    """Return the season of *year*; of winter, the one that ends and the one that begins in it."""
    if not 2 <= year <= 9998:
        return []
    first = _SEASONS[name]
    starts = (year - 1, year) if first == 12 else (year,)
    return [_three_months(start, first) for start in starts]


def _three_months(year: int, first: int) -> Period:
    last = _whole_month(year + (first + 2 > 12), (first + 1) % 12 + 1)[1]
    return date(year, first, 1).toordinal(), last


def _latest_season(first: int, anchor: date) -> Period:
    """Return the latest of a season that began before *anchor*."""
    year = min(anchor.year, 9998)
    begun = date(year, first, 1) <= anchor
    return _three_months(year if begun else max(year - 1, 1), first)


def _spans(years: list[int], month: int, day: int) -> list[Period]:
    spans: list[Period] = []
    for year in years:
        if not 1 <= year <= 9999 or not 0 <= month <= 12:
            continue
        if not month:
            if not day:
                spans.append((date(year, 1, 1).toordinal(), date(year, 12, 31).toordinal()))
            continue
        first, last = _whole_month(year, month)
        if day:
            if first + day - 1 <= last:
                spans.append((first + day - 1,) * 2)
            continue
        spans.append((first, last))
    return spans
