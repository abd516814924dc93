"""Points in time that a question names."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_injection.text import periods, read_day, read_periods

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
        ("last week", "2024-02-26", "2024-03-03"),
        ("geçen hafta", "2024-02-26", "2024-03-03"),
        ("letzte Woche", "2024-02-26", "2024-03-03"),
        ("this week", "2024-03-04", "2024-03-10"),
        ("last weekend", "2024-03-02", "2024-03-03"),
        ("gestern", "2024-03-09", "2024-03-09"),
        ("the day before yesterday", "2024-03-08", "2024-03-08"),
        ("last month", "2024-02-01", "2024-02-29"),
        ("geçen ay", "2024-02-01", "2024-02-29"),
        ("letzten Monat", "2024-02-01", "2024-02-29"),
        ("last year", "2023-01-01", "2023-12-31"),
        ("geçen yıl", "2023-01-01", "2023-12-31"),
        ("letztes Jahr", "2023-01-01", "2023-12-31"),
        ("two days ago", "2024-03-08", "2024-03-08"),
        ("2 weeks ago", "2024-02-22", "2024-02-28"),
        ("three months ago", "2023-12-01", "2023-12-31"),
        ("geçen sene", "2023-01-01", "2023-12-31"),
        ("iki sene önce", "2022-01-01", "2022-12-31"),
        ("iki ay önce", "2024-01-01", "2024-01-31"),
        ("vor zwei Monaten", "2024-01-01", "2024-01-31"),
        ("vor einem Jahr", "2023-01-01", "2023-12-31"),
        ("in the summer of 2024", "2024-06-01", "2024-08-31"),
        ("2023 yazında", "2023-06-01", "2023-08-31"),
        ("Sommer 2023", "2023-06-01", "2023-08-31"),
        ("last summer", "2023-06-01", "2023-08-31"),
        ("last winter", "2023-12-01", "2024-02-29"),
        ("geçen sonbahar", "2023-09-01", "2023-11-30"),
        ("30.07.2023", "2023-07-30", "2023-07-30"),
        ("30/07/2023", "2023-07-30", "2023-07-30"),
        ("07/30/2023", "2023-07-30", "2023-07-30"),
        ("back in May '23", "2023-05-01", "2023-05-31"),
        ("May ’98", "1998-05-01", "1998-05-31"),
        ("im Mai 2023", "2023-05-01", "2023-05-31"),
        ("am 30. Juli 2023", "2023-07-30", "2023-07-30"),
        ("2023 mayısında", "2023-05-01", "2023-05-31"),
    ],
)
def test_a_period_is_read(text: str, first: str, last: str) -> None:
    """English, Turkish and German dates, months, seasons, years and relative words."""
    assert spans(text) == [(first, last)]


def test_a_month_without_a_year_may_be_this_or_the_last() -> None:
    """A bare month is taken in the anchor's year and the one before."""
    assert spans("in July") == [("2023-07-01", "2023-07-31"), ("2024-07-01", "2024-07-31")]
    assert spans("temmuzda") == spans("in July")


def test_a_day_without_a_year_may_be_of_this_or_the_last() -> None:
    """Also with a Turkish ending or a German point."""
    days = [("2023-07-30", "2023-07-30"), ("2024-07-30", "2024-07-30")]
    assert spans("30 temmuzda") == spans("30 Temmuz'dan beri") == days
    assert spans("30 Temmuz'da") == spans("am 30. Juli") == spans("on July 30th") == days


def test_days_in_digits_may_be_written_either_way_round() -> None:
    """5/4 is the fifth of April or of May; both are looked at."""
    assert spans("on 5/4/2023") == [("2023-04-05", "2023-04-05"), ("2023-05-04", "2023-05-04")]


def test_a_winter_has_two_years() -> None:
    """The one that ends and the one that begins in the year named; the year 1 has none."""
    assert spans("winter of 2023") == [("2022-12-01", "2023-02-28"), ("2023-12-01", "2024-02-29")]
    assert spans("summer of 0001") == []


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("What happened in May 2024?", "what happened in  ?"),
        ("dentist two months ago", "dentist  "),
        ("Was war gestern los?", "was war   los?"),
        ("what did she say last summer", "what did she say  "),
        ("no time at all", "no time at all"),
    ],
)
def test_the_words_of_a_time_are_taken_out(text: str, rest: str) -> None:
    """What is left of a question is its matter."""
    assert read_periods(text, (TODAY,))[1] == rest


@given(st.text(), st.dates())
def test_any_day_can_be_counted_from(text: str, today: date) -> None:
    """From the first day there is to the last."""
    for asked in (
        text,
        "last summer",
        "last winter",
        "three years ago",
        "5 weeks ago",
        "last month",
    ):
        assert all(first <= last for first, last in periods(asked, (today,)))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I may march on",
        "who is she",
        "30 February 2023",
        "2023-99",
        "room 1234",
        "x" * 99,
        "40/40/2023",
        "a year",
    ],
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
