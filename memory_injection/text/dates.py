"""Points in time that a question names: "in May 2023", "last week", "geçen ay", "vor 2 Jahren".

A text goes through two hands. First each date, month, season or "last week" is read, and a mark
put in its place that stands for its days. Then what says something of the marks is: "early",
"since", "from ... to", "on Friday of". What is left without marks is the matter of the question.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date

from .calendar_names import told_apart
from .date_ranges import in_full
from .date_words import (
    HOLIDAYS,
    MONTH,
    NUMBER,
    SEASON,
    SEASONS,
    UNIT,
    UNITS,
    YEAR,
    either,
    month_number,
    numbers_of,
)
from .eastern_dates import from_chinese_and_japanese
from .folding import fold
from .german_dates import from_german
from .marked_days import Page, Times, combined
from .romance_dates import from_french, from_spanish
from .spans import (
    Period,
    Span,
    back_to,
    calendar_month,
    calendar_week,
    calendar_year,
    day_of_month,
    days_ago,
    latest_season,
    season_of,
    spans_of,
    three_months,
    weekend,
)
from .turkish_dates import from_turkish

__all__ = ["Period", "periods", "read_day", "read_periods"]

_ISO = re.compile(r"\b(\d{4})-(\d{1,2})-(\d{1,2})\b")
_YEAR_FIRST = re.compile(r"\b((?:19|20)\d\d)([./])(\d{1,2})\2(\d{1,2})\b(?![./]\d)")
_YEAR_MONTH = re.compile(r"\b(\d{4})-(\d{1,2})\b(?!-)|\b((?:19|20)\d\d)/(0\d)\b(?![/\d])")
_MONTH_YEAR_DIGITS = re.compile(r"(?<![\d./-])(0?[1-9]|1[0-2])[/.]((?:19|20)\d\d)\b(?![./]\d)")
_SLASHED = re.compile(r"\b(\d{1,2})([./-])(\d{1,2})\2(\d{4})\b")
_DAY_FIRST = re.compile(rf"\b(\d{{1,2}})(?:st|nd|rd|th|\.)?(?: of)? ({MONTH})\b,?(?: {YEAR}\b)?")
_MONTH_FIRST = re.compile(rf"\b({MONTH}) (\d{{1,2}})(?:st|nd|rd|th)?\b,?(?: {YEAR}\b)?")
_MONTH_YEAR = re.compile(rf"\b({MONTH}),? (?:of )?{YEAR}\b")
_YEAR_THEN_MONTH = re.compile(rf"\b(\d{{4}}) ({MONTH})\b")
_IN = (
    r"(?:\b(?:in|during|until|of) (?:the )?|(?<=\bsince )|(?<=\bearly )|(?<=\blate )"
    r"|(?<=\bmid[ -])|(?:(?<=\bafter )|(?<=\bbefore ))(?!may|march))"
)
_MONTH = re.compile(rf"(?:{_IN}|\b(?:last|this|next|about|summari[sz]e|recap) )({MONTH})\b")
_SEASON_YEAR = re.compile(rf"\b({SEASON}),?(?: of)? {YEAR}\b")
_YEAR_SEASON = re.compile(rf"\b(\d{{4}}) ({SEASON})\b")
_YEAR = re.compile(r"\b((?:19|20)\d\d)\b")
_OF_YEAR = re.compile(
    rf"(?:(?:{_IN}|\b(?:the )?(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? )({MONTH}),? (?:of )?"
    rf"|{_IN}({SEASON}),? (?:of )?|\b({SEASON}) of )(last|this) year\b"
)
_SURE = either(name for name in HOLIDAYS if name.endswith(("day", "eve")))
_HOLIDAY = re.compile(rf"\b(?:(last) )?({_SURE}),?(?: (?:of )?{YEAR}\b)?")
_FEAST = re.compile(
    rf"(?:\b(?:(last)|this|at|over|on|during) |(?<=\bsince )|(?<=\bafter )|(?<=\bbefore ))"
    rf"({either(HOLIDAYS)})\b,?(?: (?:of )?{YEAR}\b)?"
)
_FEAST_YEAR = re.compile(rf"\b()({either(HOLIDAYS)}),? (?:of )?{YEAR}\b")
# "On the 13th" is the last one there was; "the 3rd floor" is none.
_DAY_OF_MONTH = re.compile(
    r"\b(?:on the (\d{1,2})(?:st|nd|rd|th)\b(?=\s*(?:[?.!,;]|$))|ayin (\d{1,2})['’]?[iu]n?d[ae]\b)"
)
_HINT = re.compile(
    r"\b\d{4}\b|\d(?:st|nd|rd|th)\b|\bayin \d|['’]\d\d\b|today|tonight|yesterday|night"
    r"|week|month|year|\bago\b|\bdays?\b"
    rf"|this (?:morn|aft|even)|day\b|christmas|halloween|\b(?:{MONTH}|{SEASON})"
)  # cheap first look: most questions name no time

_TIME_OF_DAY = "(?: (?:morning|noon|afternoon|evening|night))?"
_STILL = "(?:earlier |later |so far )?"
_WHOLE = "(?! (?:of )?(?:the )?[\ue000-\ue0ff])"  # "the last week of May" is a part of May
_RELATIVE: tuple[tuple[re.Pattern[str], Span], ...] = tuple(
    (re.compile(pattern), span)
    for pattern, span in (
        (rf"\b(?:the )?day before yesterday\b{_TIME_OF_DAY}", days_ago(2, 2)),
        (rf"\byesterday\b{_TIME_OF_DAY}|\blast (?:night|evening)\b", days_ago(1, 1)),
        (rf"\b{_STILL}(?:today|tonight|this (?:morning|afternoon|evening))\b", days_ago(0, 0)),
        (r"\b(?:the )?week before last\b", calendar_week(2)),
        (r"\b(?:the )?month before last\b", calendar_month(2)),
        (r"\b(?:the )?year before last\b", calendar_year(2)),
        (
            rf"\b(?:the )?past week\b|\b(?:in|over|during|within) the last week\b{_WHOLE}",
            back_to(7, 0),
        ),
        (
            rf"\b(?:the )?past month\b|\b(?:in|over|during|within) the last month\b{_WHOLE}",
            back_to(0, 1),
        ),
        (
            rf"\b(?:the )?past year\b|\b(?:in|over|during|within) the last year\b{_WHOLE}",
            back_to(0, 12),
        ),
        (rf"\b(?:last|previous) week\b{_WHOLE}", calendar_week(1)),
        (rf"\b{_STILL}this week\b", calendar_week(0)),
        (r"\b(?:last|previous) month\b", calendar_month(1)),
        (rf"\b{_STILL}this month\b", calendar_month(0)),
        (r"\b(?:last|previous) year\b", calendar_year(1)),
        (rf"\b{_STILL}this year\b", calendar_year(0)),
        (r"\b(?:last|previous|past) weekend\b", lambda day: weekend(day, before=True)),
    )
)
_AGO = re.compile(rf"\b({NUMBER}) ({UNIT}) ago\b(?: today\b)?")
# "How long does it last? Two weeks" asks of no past.
_LAST_FEW = re.compile(
    r"(?:^\s*|\b(?:(?:in|over|for|from|of|during|within|about|happened|summari[sz]e|recap)(?: the)?"
    r"|the|these) )"
    rf"(?:last|past|previous) ({NUMBER}) ({UNIT})\b"
)
_LAST_SEASON = re.compile(rf"\b(?:(last)|this|past|(?:in|over|during) the) ({SEASON})\b")


def periods(text: str, anchors: tuple[date, ...] = ()) -> list[Period]:
    """Return the periods that *text* names, the most precise reading of each.

    Args:
        text: a question in English, Turkish, German, French, Spanish, Chinese or Japanese, or with
            dates in digits.
        anchors: days that "last week" may be counted from (today; the day of the newest memory);
            also the years that a month without one may belong to.
    """
    return read_periods(text, anchors)[0]


def read_periods(text: str, anchors: tuple[date, ...] = ()) -> Times:
    """Return the periods as :func:`periods` does, and the folded text without their words."""
    plain = _in_english(text)
    if not _HINT.search(plain) and not _MONTH_YEAR_DIGITS.search(plain):
        return Times([], plain, [])
    page = Page(plain, anchors)
    _of_the_year(page)
    _absolute(page)
    _counted(page)
    for pattern, span in _RELATIVE:
        page.take_counted(pattern, span)
    page.take(
        _DAY_OF_MONTH,
        lambda match: [
            span for anchor in anchors for span in day_of_month(int(match[1] or match[2]), anchor)
        ],
    )
    page.take(
        _LAST_SEASON,
        lambda match: [
            latest_season(SEASONS[match[2]], anchor, over=bool(match[1])) for anchor in anchors
        ],
    )
    combined(page)
    return page.read()


def read_day(text: str) -> date | None:
    """Return the first full date (day, month, year) written in *text*, or None.

    Example:
        >>> read_day("1:56 pm on 8 May, 2023")
        datetime.date(2023, 5, 8)
    """
    page = Page(_in_english(text), ())
    _absolute(page)
    days = [first for first, last in page.read()[0] if first == last]
    return date.fromordinal(days[0]) if days else None


def _in_english(text: str) -> str:
    """Fold, and say other languages' dates in English; one in digits with the year first as ISO."""
    plain = fold(told_apart(text))
    if not plain.isascii():
        plain = from_chinese_and_japanese(plain)
    plain = from_german(from_spanish(from_french(plain)))
    plain = from_turkish(plain, spelled="dün" in text.lower())
    if "/" in plain or "." in plain:
        plain = _YEAR_FIRST.sub(r"\1-\3-\4", plain)
    return in_full(plain)


def _of_the_year(page: Page) -> None:
    """Collect "in May last year"."""

    def spans(match: re.Match[str]) -> list[Period]:
        day, month, *named, which = match.groups()
        season = named[0] or named[1]
        found: list[Period] = []
        for anchor in page.anchors:
            year = max(anchor.year - (which == "last"), 1)
            if season:
                found.append(three_months(min(year, 9998), SEASONS[season]))
            else:
                found.extend(spans_of([year], month_number(month), int(day or 0)))
        return found

    page.take(_OF_YEAR, spans)


def _either_way_round(match: re.Match[str]) -> list[Period]:
    """Return the day of "5/4/2023"; with a slash, also as it is meant in the United States."""
    first, sign, second, year = match.groups()
    found = spans_of([int(year)], int(second), int(first))
    if sign == "/" and first != second:
        found += spans_of([int(year)], int(first), int(second))
    return found


def _absolute(page: Page) -> None:
    """Collect dates, holidays, months and years."""
    years = page.years

    def reader(order: str) -> Callable[[re.Match[str]], list[Period]]:
        def spans(match: re.Match[str]) -> list[Period]:
            parts = {key: value for key, value in zip(order, match.groups(), strict=True) if value}
            given = [_read_year(parts[y]) for y in "yz" if y in parts] or years
            if "s" in parts:
                return [span for year in given for span in season_of(year, SEASONS[parts["s"]])]
            month = month_number(parts.get("m") or parts.get("n") or "")
            return spans_of(given, month, int(parts.get("d", 0)))

        return spans

    page.take(_SLASHED, _either_way_round)
    page.take(_ISO, reader("ymd"))
    for pattern in (_HOLIDAY, _FEAST, _FEAST_YEAR):
        page.take(pattern, lambda match: _holiday(match, page))
    for pattern, order in (
        (_YEAR_MONTH, "ymzn"), (_MONTH_YEAR_DIGITS, "my"), (_DAY_FIRST, "dmy"),
        (_MONTH_YEAR, "my"), (_YEAR_THEN_MONTH, "ym"), (_MONTH_FIRST, "mdy"), (_MONTH, "m"),
        (_SEASON_YEAR, "sy"), (_YEAR_SEASON, "ys"), (_YEAR, "y"),
    ):  # fmt: skip
        page.take(pattern, reader(order))


def _holiday(match: re.Match[str], page: Page) -> list[Period]:
    """Return the days of "Christmas 2024"; without a year as of a month, or the last one."""
    last, name, year = match.groups()
    ends = next(ends for known, ends in HOLIDAYS.items() if re.fullmatch(known, name))
    found: list[Period] = []
    for given in [_read_year(year)] if year else page.years:
        (first_month, first_day), (last_month, last_day) = ends
        begins = spans_of([given - (first_month > last_month)], first_month, first_day)
        for (begin, _), (_, end) in zip(
            begins, spans_of([given], last_month, last_day), strict=False
        ):
            found.append((begin, end))
    if not last or year:
        return found
    before = [[span for span in found if span[0] < day.toordinal()] for day in page.anchors]
    return [max(spans) for spans in before if spans]


def _read_year(text: str) -> int:
    """Read four digits, or two after an apostrophe: those of the past century from 70 on."""
    year = int(text.lstrip("'’"))
    return year if len(text) == 4 else year + (1900 if year >= 70 else 2000)


def _counted(page: Page) -> None:
    """Collect "two months ago" and "the last two months"."""
    page.take(_AGO, lambda match: [_ago(match[1], match[2], anchor) for anchor in page.anchors])

    def back(match: re.Match[str]) -> list[Period]:
        most, unit = numbers_of(match[1])[1], UNITS[match[2]]
        days = most * {"day": 1, "week": 7}.get(unit, 0)
        months = most * {"month": 1, "year": 12}.get(unit, 0)
        return [back_to(days, months)(anchor) for anchor in page.anchors]

    page.take(_LAST_FEW, back)


def _ago(number: str, unit: str, anchor: date) -> Period:
    """Return that very day, or one in seven more or less; or that week, month or year."""
    least, most = numbers_of(number)
    if UNITS[unit] == "day":
        return days_ago(most + most // 7, least - least // 7)(anchor)
    spans = {"week": calendar_week, "month": calendar_month, "year": calendar_year}
    span = spans[UNITS[unit]]
    return span(most)(anchor)[0], span(least)(anchor)[1]
