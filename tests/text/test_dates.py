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
        ("2 weeks ago", "2024-02-19", "2024-02-25"),
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
        ("两个星期前", "2024-02-19", "2024-02-25"),
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
        ("先々週", "2024-02-19", "2024-02-25"),
        ("先月", "2024-02-01", "2024-02-29"),
        ("先々月", "2024-01-01", "2024-01-31"),
        ("今月", "2024-03-01", "2024-03-31"),
        ("昨年", "2023-01-01", "2023-12-31"),
        ("一昨年", "2022-01-01", "2022-12-31"),
        ("去年の夏", "2023-06-01", "2023-08-31"),
        ("今夏", "2023-06-01", "2023-08-31"),
        ("2日前", "2024-03-08", "2024-03-08"),
        ("2週間前", "2024-02-19", "2024-02-25"),
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
        ("il y a deux semaines", "2024-02-19", "2024-02-25"),
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
        ("hace dos semanas", "2024-02-19", "2024-02-25"),
        ("hace un mes", "2024-02-01", "2024-02-29"),
        ("el verano pasado", "2023-06-01", "2023-08-31"),
        ("verano de 2023", "2023-06-01", "2023-08-31"),
        ("este invierno", "2023-12-01", "2024-02-29"),
        ("le vendredi dernier", "2024-03-08", "2024-03-08"),
        ("el viernes pasado", "2024-03-08", "2024-03-08"),
    ],
)
def test_a_period_is_read(text: str, first: str, last: str) -> None:
    """Dates, months, seasons, years and relative words of seven languages."""
    assert spans(text) == [(first, last)]


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        # TODAY is a Sunday. The last such day before it, or that of this week.
        ("What happened on Friday?", "2024-03-08", "2024-03-08"),
        ("What I did Friday at work", "2024-03-08", "2024-03-08"),
        ("What did we do Friday?", "2024-03-08", "2024-03-08"),
        ("last friday", "2024-03-08", "2024-03-08"),
        ("on Friday evening", "2024-03-08", "2024-03-08"),
        ("on Wed.", "2024-03-06", "2024-03-06"),
        ("last Sunday", "2024-03-03", "2024-03-03"),
        ("this Sunday", "2024-03-10", "2024-03-10"),
        ("this Monday", "2024-03-04", "2024-03-04"),
        ("geçen cuma ne oldu?", "2024-03-08", "2024-03-08"),
        ("çarşamba günü ne oldu?", "2024-03-06", "2024-03-06"),
        ("cuma akşamı ne yaptık?", "2024-03-08", "2024-03-08"),
        ("bu salı ne oldu?", "2024-03-05", "2024-03-05"),
        ("Was war am Freitag?", "2024-03-08", "2024-03-08"),
        ("letzten Freitagabend", "2024-03-08", "2024-03-08"),
        # Of a week, or beside a date that is named
        ("last week on Friday", "2024-03-01", "2024-03-01"),
        ("on Friday of last week", "2024-03-01", "2024-03-01"),
        ("geçen hafta cuma günü", "2024-03-01", "2024-03-01"),
        ("Friday, 3 May 2023", "2023-05-03", "2023-05-03"),
        ("3 May 2023, Wednesday", "2023-05-03", "2023-05-03"),
        ("on Friday in 2023", "2023-01-01", "2023-12-31"),
        # Until today
        ("the past 7 days", "2024-03-03", "2024-03-10"),
        ("the last two weeks", "2024-02-25", "2024-03-10"),
        ("in the last month", "2024-02-10", "2024-03-10"),
        ("over the past year", "2023-03-10", "2024-03-10"),
        ("in the last few days", "2024-03-05", "2024-03-10"),
        ("son bir haftada", "2024-03-03", "2024-03-10"),
        ("son 3 gün", "2024-03-07", "2024-03-10"),
        ("son birkaç ayda", "2023-10-10", "2024-03-10"),
        ("in den letzten zwei Wochen", "2024-02-25", "2024-03-10"),
        ("since Friday", "2024-03-08", "2024-03-10"),
        ("since last week", "2024-02-26", "2024-03-10"),
        ("since May", "2023-05-01", "2024-03-10"),
        ("30 Temmuz'dan beri", "2023-07-30", "2024-03-10"),
        ("geçen haftadan beri", "2024-02-26", "2024-03-10"),
        ("cumadan beri", "2024-03-08", "2024-03-10"),
        ("Was war seit Freitag?", "2024-03-08", "2024-03-10"),
        # After and before one; of what was before there is no first
        ("after October 20, 2023", "2023-10-21", "2024-03-10"),
        ("What happened after Christmas?", "2023-12-27", "2024-03-10"),
        ("20 Ekim 2023'ten sonra", "2023-10-21", "2024-03-10"),
        ("before October 20, 2023", "0001-01-01", "2023-10-19"),
        ("Ekim 2023'ten önce", "0001-01-01", "2023-09-30"),
        ("after today", "2024-03-10", "2024-03-10"),
        # Weekends: the latest that has begun, or the one before
        ("over the weekend", "2024-03-09", "2024-03-10"),
        ("last weekend", "2024-03-02", "2024-03-03"),
        ("hafta sonu ne yaptık?", "2024-03-09", "2024-03-10"),
        ("Was war am Wochenende?", "2024-03-09", "2024-03-10"),
        # So many days, weeks or months ago
        ("önceki gün", "2024-03-08", "2024-03-08"),
        ("evvelsi gün", "2024-03-08", "2024-03-08"),
        ("three days ago", "2024-03-07", "2024-03-07"),
        ("vor drei Tagen", "2024-03-07", "2024-03-07"),
        ("30 days ago", "2024-02-05", "2024-02-13"),
        ("a few days ago", "2024-03-05", "2024-03-08"),
        ("a week ago", "2024-02-26", "2024-03-03"),
        ("a couple of months ago", "2023-12-01", "2024-01-31"),
        ("on the 13th", "2024-02-13", "2024-02-13"),
        ("What happened on the 31st?", "2024-01-31", "2024-01-31"),
        ("ayın 8'inde", "2024-03-08", "2024-03-08"),
        ("in the week of October 13, 2023", "2023-10-09", "2023-10-15"),
        ("the week before last", "2024-02-19", "2024-02-25"),
        ("evvelki ay", "2024-01-01", "2024-01-31"),
        # Times of day
        ("earlier today", "2024-03-10", "2024-03-10"),
        ("this morning", "2024-03-10", "2024-03-10"),
        ("yesterday evening", "2024-03-09", "2024-03-09"),
        ("dün gece", "2024-03-09", "2024-03-09"),
        ("heute Morgen", "2024-03-10", "2024-03-10"),
        # Months in digits
        ("05/2023", "2023-05-01", "2023-05-31"),
        ("5.2023", "2023-05-01", "2023-05-31"),
        ("2023-05", "2023-05-01", "2023-05-31"),
        ("2023/05", "2023-05-01", "2023-05-31"),
        ("03.05.2023'te", "2023-05-03", "2023-05-03"),
        # Parts
        ("early May 2023", "2023-05-01", "2023-05-12"),
        ("mid-October 2023", "2023-10-10", "2023-10-22"),
        ("at the end of June 2023", "2023-06-19", "2023-06-30"),
        ("the first half of June 2023", "2023-06-01", "2023-06-15"),
        ("the last week of May 2023", "2023-05-25", "2023-05-31"),
        ("the first week of May 2023", "2023-05-01", "2023-05-07"),
        ("early last month", "2024-02-01", "2024-02-12"),
        ("beginning of 2023", "2023-01-01", "2023-05-26"),
        ("Mayıs 2023 başında", "2023-05-01", "2023-05-12"),
        ("2023 Ekim ortası", "2023-10-10", "2023-10-22"),
        ("geçen ayın sonunda", "2024-02-18", "2024-02-29"),
        ("Anfang Mai 2023", "2023-05-01", "2023-05-12"),
        ("im Dezember 2023", "2023-12-01", "2023-12-31"),
        # From one to another; what one end leaves out the other says
        ("between October 1 and October 20, 2021", "2021-10-01", "2021-10-20"),
        ("from October 1 to 20, 2021", "2021-10-01", "2021-10-20"),
        ("1-20 October 2021", "2021-10-01", "2021-10-20"),
        ("from March to May 2021", "2021-03-01", "2021-05-31"),
        ("between 2020 and 2022", "2020-01-01", "2022-12-31"),
        ("from Thursday to Monday", "2024-02-29", "2024-03-04"),
        ("1-20 Ekim 2021", "2021-10-01", "2021-10-20"),
        ("1 Ekim 2021 ile 20 Ekim 2021 arasında", "2021-10-01", "2021-10-20"),
        ("zwischen dem 1. und dem 20. Oktober 2021", "2021-10-01", "2021-10-20"),
        ("vom 1. bis zum 20. Oktober 2021", "2021-10-01", "2021-10-20"),
        # Holidays
        ("last Christmas", "2023-12-24", "2023-12-26"),
        ("on Christmas Eve 2022", "2022-12-24", "2022-12-24"),
        ("New Year's Day 2023", "2023-01-01", "2023-01-01"),
        ("geçen yılbaşı", "2023-12-31", "2024-01-01"),
        ("letztes Weihnachten", "2023-12-24", "2023-12-26"),
        # Turkish words with endings
        ("geçen haftam nasıl geçti", "2024-02-26", "2024-03-03"),
        ("geçen ayki olaylar", "2024-02-01", "2024-02-29"),
        ("geçen yılın ekim ayında", "2023-10-01", "2023-10-31"),
        ("2023'ün mayısında", "2023-05-01", "2023-05-31"),
    ],
)
def test_a_span_is_read(text: str, first: str, last: str) -> None:
    """Weekdays, spans until today, parts, ranges and holidays."""
    assert spans(text) == [(first, last)]


def test_without_a_year_a_part_or_range_may_be_of_this_or_the_last() -> None:
    """As the months they are of."""
    march_to_may = [("2023-03-01", "2023-05-31"), ("2024-03-01", "2024-05-31")]
    for text in ("from March to May", "marttan mayısa kadar", "mart ile mayıs arasında"):
        assert spans(text) == march_to_may
    assert spans("von März bis Mai") == march_to_may
    assert spans("late June") == [("2023-06-19", "2023-06-30"), ("2024-06-19", "2024-06-30")]
    assert spans("haziran sonu") == spans("Ende Juni") == spans("late June")
    new_year = [("2022-12-31", "2023-01-01"), ("2023-12-31", "2024-01-01")]
    assert spans("yılbaşında ne oldu?") == spans("What did we do at New Year?") == new_year
    assert spans("summarise October") == spans("ekimi özetle") == spans("in October")


def test_two_days_are_no_range() -> None:
    """Unless something is between them."""
    two = [("2023-05-03", "2023-05-03"), ("2023-05-07", "2023-05-07")]
    for text in ("May 3 and 7, 2023", "on 3 and 7 May 2023", "3 ve 7 Mayıs 2023'te"):
        assert spans(text) == two
    assert spans("between May 3 and 7, 2023") == [("2023-05-03", "2023-05-07")]
    assert spans("3 ve 7 Mayıs 2023 arasında") == [("2023-05-03", "2023-05-07")]


def test_a_range_the_wrong_way_round_is_its_ends() -> None:
    """From a year to one before it."""
    ends = [("2022-01-01", "2022-12-31"), ("2020-01-01", "2020-12-31")]
    assert spans("from 2022 to 2020") == ends


def test_around_a_part_is_the_whole() -> None:
    """What happened early in a month may have been told at its end."""
    times = read_periods("in early May 2023", (TODAY,))
    assert [last - first for first, last in (*times.periods, *times.around)] == [11, 30]


def test_a_bounded_number_of_times_is_read() -> None:
    """Of a long message full of dates."""
    assert len(periods(" ".join(f"May {year}" for year in range(1900, 2099)) * 2, (TODAY,))) < 256


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
    assert spans("30 temmuzda") == spans("30 Temmuz") == days
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
        ("Was war gestern los?", "was war     los?"),
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
        "last Monday",
        "this Sunday",
        "over the weekend",
        "the last 999 years",
        "999 weeks ago",
        "early last year",
        "since last Christmas",
        "on Friday of last week",
        "from Monday to May",
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
        # English words that are days and months as well
        "This may take a while",
        "This may be odd",
        "Room 5 may be free",
        "may 2 people come?",
        "we march 10 miles",
        "The sun sat on wed",
        "mon ami",
        "in the fall of Rome",
        "after my last fall",
        "the second half",
        "spring water",
        "The Black Friday deals",
        "Good Friday",
        "Who saw Red Friday?",
        "What did Friday say?",
        "2023-00-05",
        "Monday.com integration",
        "on the 3rd floor",
        "on the 32nd",
        "before dinner",
        "the Sunday Times",
        "Sunday Times subscription",
        "every Monday",
        "on Mondays",
        "Do I swim on Monday mornings?",
        "I ran a day once",
        "Does it last two weeks?",
        "Christmas tree lights",
        "New Year resolutions",
        "Dun & Bradstreet",
        "the end of the road",
        "between you and me",
        "since the war",
        # Days to come
        "next Tuesday",
        "by Friday",
        "What will we do on Friday?",
        "What's on this weekend?",
        "What should I do on Saturday?",
        "cuma günü ne yapacağız?",
        "cuma günü ne yapıyoruz?",
        "hafta sonu ne yapsam?",
        "önümüzdeki cuma günü",
        "her cuma günü",
        "Was mache ich am Freitag?",
        "Was machen wir am Wochenende?",
        # Turkish words that are days and months as well
        "ocakta ne var?",
        "ocakta yemek kaldı",
        "kapı aralıkta",
        "ekim makinesi",
        "pazar nerede kuruluyor?",
        "salı yüzdürdük",
        "cuma namazı",
        "Mayıs böceği",
        "son durum",
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


@pytest.mark.parametrize(
    ("question", "first", "last"),
    [
        ("What did we do last summer?", date(2023, 6, 1), date(2023, 8, 31)),
        ("geçen yaz ne yaptık?", date(2023, 6, 1), date(2023, 8, 31)),
        ("What did we do this summer?", date(2024, 6, 1), date(2024, 8, 31)),
        ("What did we do last winter?", date(2023, 12, 1), date(2024, 2, 29)),
        ("last Friday of May 2024", date(2024, 5, 31), date(2024, 5, 31)),
        ("What happened a week ago today?", date(2024, 6, 3), date(2024, 6, 9)),
    ],
)
def test_what_is_last_is_over(question: str, first: date, last: date) -> None:
    """Asked on 12 June 2024: the summer that has begun is not the last one."""
    assert periods(question, (date(2024, 6, 12),)) == [(first.toordinal(), last.toordinal())]
