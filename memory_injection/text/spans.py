"""Spans of days: arithmetic on the calendar, from a day that is counted from."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Callable
from datetime import date

__all__ = [
    "Period",
    "Span",
    "back_to",
    "calendar_month",
    "calendar_week",
    "calendar_year",
    "day_of_month",
    "days_ago",
    "latest_season",
    "part_of",
    "season_of",
    "spans_of",
    "three_months",
    "weekday_before",
    "weekday_in",
    "weekend",
]

Period = tuple[int, int]
"""First and last day, both inclusive, as proleptic ordinals (``date.toordinal``)."""

Span = Callable[[date], Period]
"""What a relative expression says: the days it means, counted from a day."""

_FIRST_DAY = date.min.toordinal()
_WINTER = 12  # the month it begins with; the only season of two years
_PARTS = {
    "early": (0.0, 0.4), "mid": (0.3, 0.7), "late": (0.6, 1.0),
    "first half": (0.0, 0.5), "second half": (0.5, 1.0),
}  # fmt: skip
"""Begin and end of each part as shares of the whole: early, mid and late run into each other."""


def _day(ordinal: int) -> int:
    return max(ordinal, _FIRST_DAY)


def days_ago(back: int, until: int) -> Span:
    """Return the span from *back* days ago to *until* days ago."""
    return lambda day: (_day(day.toordinal() - back), _day(day.toordinal() - until))


def calendar_week(back: int) -> Span:
    """Return the week from Monday to Sunday, *back* weeks ago."""

    def span(day: date) -> Period:
        monday = day.toordinal() - day.weekday() - 7 * back
        return _day(monday), _day(monday + 6)

    return span


def weekend(day: date, before: bool) -> Period:
    """Return the latest Saturday and Sunday that began by *day*; or *before* its own weekend."""
    saturday = day.toordinal() - (day.weekday() - 5) % 7
    if before and day.weekday() >= 5:
        saturday -= 7
    return _day(saturday), _day(saturday + 1)


def calendar_month(back: int) -> Span:
    """Return the calendar month, *back* months ago."""

    def span(day: date) -> Period:
        months = day.year * 12 + day.month - 1 - back
        return _whole_month(max(months // 12, 1), months % 12 + 1)

    return span


def calendar_year(back: int) -> Span:
    """Return the calendar year, *back* years ago."""

    def span(day: date) -> Period:
        year = max(day.year - back, 1)
        return date(year, 1, 1).toordinal(), date(year, 12, 31).toordinal()

    return span


def back_to(days: int, months: int) -> Span:
    """Return the days from so many *days* and *months* ago until the day counted from."""

    def span(day: date) -> Period:
        back = day.year * 12 + day.month - 1 - months
        year, month = max(back // 12, 1), back % 12 + 1
        first = date(year, month, min(day.day, monthrange(year, month)[1]))
        return _day(min(first, day).toordinal() - days), day.toordinal()

    return span


def weekday_before(weekday: int, this_week: bool) -> Span:
    """Return the last such day before the one counted from, or that of *this week* (0: Monday)."""

    def span(day: date) -> Period:
        if this_week:
            found = day.toordinal() - day.weekday() + weekday
        else:
            found = day.toordinal() - ((day.weekday() - weekday - 1) % 7 + 1)
        return _day(found), _day(found)

    return span


def weekday_in(period: Period, weekday: int) -> list[Period]:
    """Return the days of *period* that are such a weekday (0: Monday)."""
    first, last = period
    start = first + (weekday - date.fromordinal(first).weekday()) % 7
    return [(found, found) for found in range(start, last + 1, 7)]


def part_of(period: Period, part: str) -> Period:
    """Return a part of *period*, such as "early" or "second half"; a single day has none."""
    first, last = period
    if part == "first week":
        return first, min(first + 6, last)
    if part == "last week":
        return max(last - 6, first), last
    size = last - first + 1
    begin, end = _PARTS[part]
    return first + int(begin * size), max(first + round(end * size) - 1, first)


def day_of_month(number: int, anchor: date) -> list[Period]:
    """Return the latest day of that *number* in a month, until *anchor*; none above 31."""
    for back in range(3 if 1 <= number <= 31 else 0):  # no two months in a row lack a day
        first, last = calendar_month(back)(anchor)
        day = first + number - 1
        if day <= min(last, anchor.toordinal()):
            return [(day, day)]
    return []


def _whole_month(year: int, month: int) -> Period:
    first = date(year, month, 1).toordinal()
    return first, first + monthrange(year, month)[1] - 1


def three_months(year: int, first: int) -> Period:
    """Return the three months that begin with month *first* of *year*."""
    last = _whole_month(year + (first + 2 > 12), (first + 1) % 12 + 1)[1]
    return date(year, first, 1).toordinal(), last


def season_of(year: int, first: int) -> list[Period]:
    """Return a season of *year*; of winter, the one that ends and the one that begins in it."""
    if not 2 <= year <= 9998:
        return []
    starts = (year - 1, year) if first == _WINTER else (year,)
    return [three_months(start, first) for start in starts]


def latest_season(first: int, anchor: date, over: bool = False) -> Period:
    """Return the latest of a season that began by *anchor*, or was *over* by then."""
    year = min(anchor.year, 9998)
    begun = date(year, first, 1) <= anchor
    found = three_months(year if begun else max(year - 1, 1), first)
    if over and found[1] >= anchor.toordinal():
        return three_months(max(date.fromordinal(found[0]).year - 1, 1), first)
    return found


def spans_of(years: list[int], month: int, day: int) -> list[Period]:
    """Return the day, month (*day* 0) or year (*month* 0 too) of each of *years* that has it."""
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
