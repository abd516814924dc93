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
        ("in May last year", "2023-05-01", "2023-05-31"),
        ("on 7 May of last year", "2023-05-07", "2023-05-07"),
        ("in the summer of last year", "2023-06-01", "2023-08-31"),
        ("2023/5/7", "2023-05-07", "2023-05-07"),
        ("2023.05.07", "2023-05-07", "2023-05-07"),
        # Chinese, in both scripts
        ("2023年5月发生了什么？", "2023-05-01", "2023-05-31"),
        ("2023年5月7日我们去了哪里", "2023-05-07", "2023-05-07"),
        ("２０２３年５月７號", "2023-05-07", "2023-05-07"),
        ("二〇二三年十二月二十五日", "2023-12-25", "2023-12-25"),
        ("23年5月", "2023-05-01", "2023-05-31"),
        ("2023年", "2023-01-01", "2023-12-31"),
        ("2023年夏天", "2023-06-01", "2023-08-31"),
        ("去年夏天", "2023-06-01", "2023-08-31"),
        ("去年五月", "2023-05-01", "2023-05-31"),
        ("去年5月7号", "2023-05-07", "2023-05-07"),
        ("今年二月", "2024-02-01", "2024-02-29"),
        ("上周我说了什么", "2024-02-26", "2024-03-03"),
        ("上个星期", "2024-02-26", "2024-03-03"),
        ("上禮拜", "2024-02-26", "2024-03-03"),
        ("上周末", "2024-03-02", "2024-03-03"),
        ("这周", "2024-03-04", "2024-03-10"),
        ("本週", "2024-03-04", "2024-03-10"),
        ("上个月", "2024-02-01", "2024-02-29"),
        ("上個月", "2024-02-01", "2024-02-29"),
        ("这个月", "2024-03-01", "2024-03-31"),
        ("去年", "2023-01-01", "2023-12-31"),
        ("今年", "2024-01-01", "2024-12-31"),
        ("昨天", "2024-03-09", "2024-03-09"),
        ("昨晚", "2024-03-09", "2024-03-09"),
        ("前天", "2024-03-08", "2024-03-08"),
        ("今天早上", "2024-03-10", "2024-03-10"),
        ("两天前", "2024-03-08", "2024-03-08"),
        ("两个星期前", "2024-02-22", "2024-02-28"),
        ("三个月前", "2023-12-01", "2023-12-31"),
        ("半年前", "2023-09-01", "2023-09-30"),
        ("十年前", "2014-01-01", "2014-12-31"),
        ("十二年前", "2012-01-01", "2012-12-31"),
        ("二十年前", "2004-01-01", "2004-12-31"),
        ("两三年前", "2021-01-01", "2021-12-31"),
        ("上个夏天", "2023-06-01", "2023-08-31"),
        # Japanese
        ("2023年5月に何をした？", "2023-05-01", "2023-05-31"),
        ("令和5年5月", "2023-05-01", "2023-05-31"),
        ("平成元年", "1989-01-01", "1989-12-31"),
        ("昨日は何を食べた", "2024-03-09", "2024-03-09"),
        ("きのう", "2024-03-09", "2024-03-09"),
        ("一昨日", "2024-03-08", "2024-03-08"),
        ("今朝", "2024-03-10", "2024-03-10"),
        ("先週", "2024-02-26", "2024-03-03"),
        ("先週末", "2024-03-02", "2024-03-03"),
        ("今週", "2024-03-04", "2024-03-10"),
        ("先々週", "2024-02-22", "2024-02-28"),
        ("先月", "2024-02-01", "2024-02-29"),
        ("先々月", "2024-01-01", "2024-01-31"),
        ("今月", "2024-03-01", "2024-03-31"),
        ("昨年", "2023-01-01", "2023-12-31"),
        ("一昨年", "2022-01-01", "2022-12-31"),
        ("去年の夏", "2023-06-01", "2023-08-31"),
        ("今夏", "2023-06-01", "2023-08-31"),
        ("2日前", "2024-03-08", "2024-03-08"),
        ("2週間前", "2024-02-22", "2024-02-28"),
        ("3ヶ月前", "2023-12-01", "2023-12-31"),
        ("1か月前", "2024-02-01", "2024-02-29"),
        # French
        ("en mai 2023", "2023-05-01", "2023-05-31"),
        ("en mars 2023", "2023-03-01", "2023-03-31"),
        ("août 2023", "2023-08-01", "2023-08-31"),
        ("le 3 mai 2023", "2023-05-03", "2023-05-03"),
        ("le 1er février 2023", "2023-02-01", "2023-02-01"),
        ("lundi 13 mars 2023", "2023-03-13", "2023-03-13"),
        ("Qu'est-ce que j'ai mangé hier ?", "2024-03-09", "2024-03-09"),
        ("hier soir", "2024-03-09", "2024-03-09"),
        ("avant-hier", "2024-03-08", "2024-03-08"),
        ("aujourd’hui", "2024-03-10", "2024-03-10"),
        ("la semaine dernière", "2024-02-26", "2024-03-03"),
        ("la semaine passée", "2024-02-26", "2024-03-03"),
        ("cette semaine", "2024-03-04", "2024-03-10"),
        ("le week-end dernier", "2024-03-02", "2024-03-03"),
        ("le mois dernier", "2024-02-01", "2024-02-29"),
        ("ce mois-ci", "2024-03-01", "2024-03-31"),
        ("l'an dernier", "2023-01-01", "2023-12-31"),
        ("l'année dernière", "2023-01-01", "2023-12-31"),
        ("cette année", "2024-01-01", "2024-12-31"),
        ("en mai de l'an dernier", "2023-05-01", "2023-05-31"),
        ("il y a deux semaines", "2024-02-22", "2024-02-28"),
        ("il y a 3 ans", "2021-01-01", "2021-12-31"),
        ("l'été dernier", "2023-06-01", "2023-08-31"),
        ("l'été 2023", "2023-06-01", "2023-08-31"),
        ("cet hiver", "2023-12-01", "2024-02-29"),
        # Spanish
        ("en mayo de 2023", "2023-05-01", "2023-05-31"),
        ("mayo del 2023", "2023-05-01", "2023-05-31"),
        ("el 3 de mayo de 2023", "2023-05-03", "2023-05-03"),
        ("el primero de mayo de 2023", "2023-05-01", "2023-05-01"),
        ("¿Qué comí ayer?", "2024-03-09", "2024-03-09"),
        ("anoche", "2024-03-09", "2024-03-09"),
        ("anteayer", "2024-03-08", "2024-03-08"),
        ("esta mañana", "2024-03-10", "2024-03-10"),
        ("¿Qué dije hoy?", "2024-03-10", "2024-03-10"),
        ("la semana pasada", "2024-02-26", "2024-03-03"),
        ("esta semana", "2024-03-04", "2024-03-10"),
        ("el fin de semana pasado", "2024-03-02", "2024-03-03"),
        ("el mes pasado", "2024-02-01", "2024-02-29"),
        ("este mes", "2024-03-01", "2024-03-31"),
        ("el año pasado", "2023-01-01", "2023-12-31"),
        ("este año", "2024-01-01", "2024-12-31"),
        ("en mayo del año pasado", "2023-05-01", "2023-05-31"),
        ("hace dos semanas", "2024-02-22", "2024-02-28"),
        ("hace un mes", "2024-02-01", "2024-02-29"),
        ("el verano pasado", "2023-06-01", "2023-08-31"),
        ("verano de 2023", "2023-06-01", "2023-08-31"),
        ("este invierno", "2023-12-01", "2024-02-29"),
    ],
)
def test_a_period_is_read(text: str, first: str, last: str) -> None:
    """Dates, months, seasons, years and relative words of seven languages."""
    assert spans(text) == [(first, last)]


def test_a_month_without_a_year_may_be_this_or_the_last() -> None:
    """A bare month is taken in the anchor's year and the one before."""
    assert spans("in July") == [("2023-07-01", "2023-07-31"), ("2024-07-01", "2024-07-31")]
    assert spans("temmuzda") == spans("in July")
    for text in (
        "7月",
        "七月份",
        "7月に",
        "en juillet",
        "juillet dernier",
        "en julio",
        "julio pasado",
    ):
        assert spans(text) == spans("in July")


def test_a_day_without_a_year_may_be_of_this_or_the_last() -> None:
    """Also with a Turkish ending or a German point."""
    days = [("2023-07-30", "2023-07-30"), ("2024-07-30", "2024-07-30")]
    assert spans("30 temmuzda") == spans("30 Temmuz'dan beri") == days
    assert spans("30 Temmuz'da") == spans("am 30. Juli") == spans("on July 30th") == days
    for text in ("7月30日", "七月三十号", "le 30 juillet", "30 juillet", "el 30 de julio"):
        assert spans(text) == days


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
        ("昨天我说了什么", "   我说了什么"),
        ("qu'a-t-elle dit en mai ?", "qu'a-t-elle dit     ?"),
        ("¿qué dijo la semana pasada?", "¿que dijo    ?"),
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
        "in May last year",
        "in winter this year",
        "去年2月29日",
        "999年前",
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
        "10.0.0.1",
        "How long do the batteries last?",
        # Chinese and Japanese
        "五月天的演唱会",
        "日本日语学校",
        "晚上周杰伦唱歌",
        "晚上月亮很圆",
        "以前天天跑步",
        "过去年轻的时候",
        "这周围有什么",
        "2023年13月40日",
        "十三月",
        "五か月",
        "来月",
        "明天",
        # French and Spanish
        "life on mars",
        "I ate 3 Mars bars",
        "j'ai mangé des Mars",
        "Was ist hier los?",
        "Wat is hier te doen?",
        "elle a été malade",
        "What did I put in mayo?",
        "Plaza de Mayo",
        "3 mayo sandwiches",
        "Who is Chris Hoy?",
        "What did Professor Ayer say?",
        "mañana por la mañana",
        "la semaine prochaine",
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
    assert read_day("2023年5月8日 13:56") == read_day("le 8 mai 2023") == date(2023, 5, 8)
    assert read_day("8 de mayo de 2023") == read_day("2023/05/08") == date(2023, 5, 8)


@given(st.text("年月日天周前上去今一二十〇零两几5 19２", max_size=12), st.dates())
def test_any_characters_of_dates_can_be_asked(text: str, today: date) -> None:
    """In any order, whole or broken."""
    assert all(first <= last for first, last in periods(text, (today,)))


@given(st.text())
def test_any_text_can_be_asked(text: str) -> None:
    """Never raises; periods are in order."""
    assert all(first <= last for first, last in periods(text, (TODAY,)))
