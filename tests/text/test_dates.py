"""Points in time that a question names."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_injection.text import periods, read_day

TODAY = date(2024, 3, 10)


def spans(text: str, *anchors: date) -> list[tuple[str, str]]:
    found = periods(text, anchors or (TODAY,))
    return [(date.fromordinal(a).isoformat(), date.fromordinal(b).isoformat()) for a, b in found]


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("What happened in May 2023?", "2023-05-01", "2023-05-31"),
        ("on 8 May, 2023", "2023-05-08", "2023-05-08"),
        ("on the 8th of May 2023", "2023-05-08", "2023-05-08"),
        ("March 15, 2024", "2024-03-15", "2024-03-15"),
        ("2023-05-08", "2023-05-08", "2023-05-08"),
        ("in 2022-02", "2022-02-01", "2022-02-28"),
        ("in 2022", "2022-01-01", "2022-12-31"),
        ("Mayıs 2023'te ne oldu", "2023-05-01", "2023-05-31"),
        ("yesterday", "2024-03-09", "2024-03-09"),
        ("dün ne dedim", "2024-03-09", "2024-03-09"),
        ("today", "2024-03-10", "2024-03-10"),
        ("last week", "2024-02-26", "2024-03-09"),
        ("geçen hafta", "2024-02-26", "2024-03-09"),
    ],
)
def test_a_period_is_read(text: str, first: str, last: str) -> None:
    """English and Turkish dates, months, years and relative words."""
    assert spans(text) == [(first, last)]


def test_a_month_without_a_year_may_be_this_or_the_last() -> None:
    """A bare month is taken in the anchor's year and the one before."""
    assert spans("in July") == [("2023-07-01", "2023-07-31"), ("2024-07-01", "2024-07-31")]
    assert spans("temmuzda") == spans("in July")


@pytest.mark.parametrize(
    "text",
    ["", "I may march on", "who is she", "30 February 2023", "2023-99", "room 1234", "x" * 99],
)
def test_nothing_is_read_where_there_is_nothing(text: str) -> None:
    """Words that look like months, and days that do not exist, name no time."""
    assert spans(text) == []


def test_relative_words_count_from_every_anchor() -> None:
    """Today's date and the conversation's own are both possible."""
    assert len(spans("yesterday", TODAY, date(2023, 1, 5))) == 2


def test_a_day_is_read_out_of_a_longer_text() -> None:
    """Data sets write dates in words."""
    assert read_day("1:56 pm on 8 May, 2023") == date(2023, 5, 8)
    assert read_day("some time in May 2023") is None


@given(st.text())
def test_any_text_can_be_asked(text: str) -> None:
    """Never raises; periods are in order."""
    assert all(first <= last for first, last in periods(text, (TODAY,)))
