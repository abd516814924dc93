"""What is said of times that were read: "early", "since", "from ... to", "on Friday of".

:mod:`.dates` puts a mark in the place of each date; here marks are joined to new ones.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from typing import NamedTuple

from .date_words import WEEKDAY, WEEKDAYS
from .spans import Period, Span, calendar_week, part_of, weekday_before, weekday_in, weekend

__all__ = ["Page", "Times", "combined"]

_MARKS = range(0xE000, 0xE100)  # private use; those of the text itself go
_MARK = "[\ue000-\ue0ff]"
_ANY_MARK = re.compile(_MARK)


class Times(NamedTuple):
    """What a text says of times.

    Attributes:
        periods: the days it names.
        rest: the folded text without their words.
        around: the same days, and with a part of a month or year all of it: what happened early in
            May may have been told at its end.
    """

    periods: list[Period]
    rest: str
    around: list[Period]


class Page:
    """A text in which marks stand for days.

    Attributes:
        text: the folded text.
        anchors: days that are counted from.
        years: those a date without a year may belong to.
    """

    def __init__(self, text: str, anchors: tuple[date, ...]) -> None:
        self.text = text if text.isascii() else _ANY_MARK.sub(" ", text)
        self.anchors = anchors
        self.years = sorted({day.year for day in anchors} | {day.year - 1 for day in anchors})
        self._days: list[list[Period]] = []
        self._around: list[list[Period]] = []

    def take(
        self,
        pattern: re.Pattern[str],
        spans: Callable[[re.Match[str]], list[Period]],
        part_of: int = 0,
    ) -> None:
        """Put a mark for *spans* in the place of each match of *pattern*.

        They are a part of what the mark in the group *part_of* stands for, if that is not 0.
        """

        def marked(match: re.Match[str]) -> str:
            if len(self._days) == len(_MARKS):
                return " "
            self._days.append(spans(match))
            self._around.append(self.days_of(match[part_of]) if part_of else self._days[-1])
            return chr(_MARKS[len(self._days) - 1])

        self.text = pattern.sub(marked, self.text)

    def take_counted(self, pattern: re.Pattern[str], span: Span) -> None:
        """Put a mark for *span* from each anchor in the place of each match of *pattern*."""
        self.take(pattern, lambda _: [span(anchor) for anchor in self.anchors])

    def days_of(self, mark: str) -> list[Period]:
        """Return what *mark* stands for."""
        return self._days[ord(mark) - _MARKS.start]

    def read(self) -> Times:
        """Return the days of all the marks, in order, and the text without them."""
        marks = [ord(mark) - _MARKS.start for mark in _ANY_MARK.findall(self.text)]
        days, around = (
            list(dict.fromkeys(span for mark in marks for span in kept[mark]))
            for kept in (self._days, self._around)
        )
        return Times(days, _ANY_MARK.sub(" ", self.text), around)


_GAP = " {0,4}"  # bounded: a long run of spaces would be tried from each of its places
_TIME_OF_DAY = r"(?: (?:morning|noon|afternoon|evening|night)\b)?"
_LED = "(?:(?:(last)|past|previous|this|on) )?"
_DAY_OF = re.compile(
    rf"\b{_LED}({WEEKDAY}){_TIME_OF_DAY},?(?: of| in| on)?(?: the)?{_GAP}({_MARK})"
)
_OF_DAY = re.compile(rf"({_MARK}){_GAP},?{_GAP}{_LED}({WEEKDAY})\b{_TIME_OF_DAY}")
_LAST_DAY = re.compile(rf"\b(?:last|past|previous) ({WEEKDAY})\b{_TIME_OF_DAY}")
_ON_DAY = re.compile(
    rf"(?:\b(?:on|(this))(?: the)? |(?<=\bsince )|(?<=\bfrom )|(?<=\bbetween ))({WEEKDAY})\b"
    rf"{_TIME_OF_DAY}(?! (?:mornings|afternoons|evenings|nights))"
)
_WEEKEND = re.compile(r"\b(?:(?:over|at|on|during|for) (?:the |this )?|this )weekend\b")
# What is asked of days to come was said before them.
_TO_COME = re.compile(
    r"\b(?:will|['’]ll|shall|going to|gonna|plan(?:s|ned)?|upcoming|coming|tomorrow|happening|due"
    r"|scheduled|do (?:i|we) have|am i|are we|what['’]?s on|what is on|what do(?:es)?|next"
    r"|(?:can|could|should|must|might) (?:i|we))\b"
)
_WAS = re.compile(r"\b(?:did|was|were|had|happened|went|said)\b")
_PARTS = {
    "beginning": "early", "start": "early", "early": "early", "first days": "early",
    "middle": "mid", "mid": "mid", "end": "late", "late": "late", "last days": "late",
    "first week": "first week", "last week": "last week",
    "first half": "first half", "second half": "second half",
}  # fmt: skip
_PART = re.compile(
    rf"\b(?:(?:in|at|during|since|by|towards?) )?(?:the )?({'|'.join(_PARTS)})"
    rf"(?:[ -]of)?(?: {{1,3}}in)?(?: the)?[ -]{{0,3}}({_MARK})"
)
_OPEN = rf"(?:(?:in|on|the|dem|zum) {{1,3}})*({_MARK})"
_RANGE = re.compile(
    rf"\b(?:from|between|vom|von|zwischen){_GAP}{_OPEN}{_GAP}"
    rf"(?:to|and|until|till|through|thru|bis|und|[-–—]){_GAP}{_OPEN}"
    rf"|({_MARK}){_GAP}(?:to|until|till|through|thru|bis|[-–—]){_GAP}{_OPEN}"
    rf"|({_MARK}){_GAP}(?:ile|ve|[-–—]){_GAP}({_MARK}){_GAP}aras\w+|({_MARK}){_GAP}({_MARK}){_GAP}kadar\b"
)
_AFTER = re.compile(rf"\bafter {_OPEN}|({_MARK}){_GAP}sonra\b")
_BEFORE = (
    re.compile(rf"\b(?:before|prior to) {_OPEN}"),
    re.compile(rf"({_MARK}){_GAP}once\b"),
)
_WEEK_OF = re.compile(rf"\b(?:in |during )?(?:the )?week of(?: the)?{_GAP}({_MARK})")
_SINCE = re.compile(rf"\b(?:ever )?(?:since|seit){_GAP}{_OPEN}")


def combined(page: Page) -> None:
    """Read what is said of the marks of *page*."""
    page.take(_DAY_OF, lambda match: _day_within(page.days_of(match[3]), match[2], match[1]))
    page.take(_OF_DAY, lambda match: _day_within(page.days_of(match[1]), match[3], match[2]))
    page.take(_LAST_DAY, lambda match: _weekday(page, match[1], this_week=False))
    if _WAS.search(page.text) or not _TO_COME.search(page.text):
        page.take(_ON_DAY, lambda match: _weekday(page, match[2], this_week=bool(match[1])))
        page.take_counted(_WEEKEND, lambda day: weekend(day, before=False))
    page.take(
        _PART,
        lambda match: [part_of(span, _PARTS[match[1]]) for span in page.days_of(match[2])],
        part_of=2,
    )
    page.take(_WEEK_OF, lambda match: [_week_of(span) for span in page.days_of(match[1])])
    page.take(_RANGE, lambda match: _between(page, *[mark for mark in match.groups() if mark]))
    page.take(_SINCE, lambda match: _since(page, match[1]))
    page.take(_AFTER, lambda match: _after(page, match[1] or match[2]))
    # Of what was before a day there is no first: a question of more is ranked by that day.
    for pattern in _BEFORE:
        page.take(
            pattern,
            lambda match: [(1, max(first - 1, 1)) for first, _ in page.days_of(match[1])],
            part_of=1,
        )


def _weekday(page: Page, name: str, this_week: bool) -> list[Period]:
    span = weekday_before(WEEKDAYS[name], this_week)
    return [span(anchor) for anchor in page.anchors]


def _day_within(spans: list[Period], name: str, last: str | None) -> list[Period]:
    """Return the days of that name, of a week or month; a date is that day whatever its name."""
    if any(end - begin > 31 for begin, end in spans):
        return spans
    found: list[Period] = []
    for span in spans:
        days = [span] if span[0] == span[1] else weekday_in(span, WEEKDAYS[name])
        found += days[-1:] if last else days
    return found


def _between(page: Page, begin: str, end: str) -> list[Period]:
    """Return the days from one mark to another, each end with the nearest begin before it."""
    begins, ends = page.days_of(begin), page.days_of(end)
    if all(0 < first - until < 7 for first, _ in begins for until, _ in ends):
        begins = [(first - 7, last - 7) for first, last in begins]  # from Thursday to Monday
    found = [
        (max(first for first, _ in begins if first <= until), last)
        for until, last in ends
        if any(first <= until for first, _ in begins)
    ]
    return found or begins + ends


def _since(page: Page, mark: str) -> list[Period]:
    """Return the days from the latest reading of *mark* until the last anchor."""
    today = max((day.toordinal() for day in page.anchors), default=0)
    begun = [first for first, _ in page.days_of(mark) if first <= today]
    return [(max(begun), today)] if begun else page.days_of(mark)


def _after(page: Page, mark: str) -> list[Period]:
    """Return the days after the latest reading of *mark* until the last anchor."""
    today = max((day.toordinal() for day in page.anchors), default=0)
    over = [last for _, last in page.days_of(mark) if last < today]
    return [(max(over) + 1, today)] if over else page.days_of(mark)


def _week_of(period: Period) -> Period:
    """Return the week from Monday to Sunday in which *period* begins."""
    return calendar_week(0)(date.fromordinal(period[0]))
