"""Dates of Chinese and Japanese questions, said in English for :mod:`.dates` to read.

Days to come are left: what is planned was said before.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from .rewriting import MONTHS, rewritten, rule

__all__ = ["from_chinese_and_japanese"]

_DIGITS: dict[str, int] = {
    **dict(zip("一二三四五六七八九", range(1, 10), strict=True)),
    **dict.fromkeys("〇零○", 0), **dict.fromkeys("两兩", 2), **dict.fromkeys("几幾数數", 3),
}  # fmt: skip
_ERAS = {"令和": 2018, "平成": 1988, "昭和": 1925}  # the year before the first
_SEASONS = {"春": "spring", "夏": "summer", "秋": "autumn", "冬": "winter"}

_TENS = "一二三四五六七八九十"
_N = rf"(\d{{1,2}}|[{_TENS}]{{1,3}})"
_MANY = rf"(?<![\d月{_TENS}])(\d{{1,3}}|[{_TENS}两兩几幾数數]{{1,3}})"
_Y = r"(?<!\d)((?:19|20)\d\d)年"
_AGO = "(?:之|以)?前"
_SEASON = "([春夏秋冬])(?:天|季|节|節)?"
_LAST = "(?<![晚早马馬网網身])上"  # 晚上 is the evening
_THIS = "(?:[这這]|(?<!日)本)"  # 日本 is Japan
_WEEK = "(?:[周週](?![围圍])|[个個]?(?:星期|礼拜|禮拜))"
_MONTH = "[个個]?月(?!亮)[份初底末]?"
_WEEKDAY = "(?:[二三四五六日]|一(?!直)|天(?![气氣]))?"


def _number(text: str) -> int:
    """Read a number in digits of any kind; the larger of two neighbours ("两三")."""
    if text.isdecimal():
        return int(text)
    tens, ten, ones = text.rpartition("十")
    if not ten:
        return _DIGITS[text[-1]]
    return 10 * (_DIGITS.get(tens, 0) if tens else 1) + _DIGITS.get(ones, 0)


def _name(text: str) -> str:
    number = _number(text)
    return MONTHS[number - 1] if 1 <= number <= 12 else ""


def _ago(unit: str) -> Callable[[re.Match[str]], str]:
    return lambda match: f"{_number(match[1])} {unit} ago"


def _era(match: re.Match[str]) -> str:
    return f"{_ERAS[match[1]] + (1 if match[2] == '元' else _number(match[2]))}年"


def _date(match: re.Match[str]) -> str:
    year = match[1] if len(match[1]) == 4 else f"20{match[1]}"
    day = f"-{_number(match[3])}" if match[3] else ""
    return f"{year}-{_number(match[2])}{day}"


def _day_of(match: re.Match[str]) -> str:
    day = f"{_number(match[3])} " if match[3] else "in "
    return f"{day}{_name(match[2])} {match[1]} year"


_YEARS = (
    (re.compile(rf"(令和|平成|昭和)(元|\d{{1,2}}|[{_TENS}]{{1,3}})年"), _era),
    (
        re.compile("([〇零○一二三四五六七八九]{4})年"),
        lambda match: "".join(str(_DIGITS[char]) for char in match[1]) + "年",
    ),
)
_RULES = (
    *_YEARS,
    rule(rf"{_MANY}[天日]{_AGO}", _ago("days")),
    rule(rf"{_MANY}(?:[周週]間?|[个個]?(?:星期|礼拜|禮拜)){_AGO}", _ago("weeks")),
    rule(rf"{_MANY}[个個かヶカヵケ箇]月{_AGO}", _ago("months")),
    rule(rf"{_MANY}年{_AGO}", _ago("years")),
    rule(f"半年{_AGO}", "6 months ago"),
    rule(rf"{_LAST}上{_WEEK}|先[々先]週", "2 weeks ago"),
    rule(rf"{_LAST}上{_MONTH}|先[々先]月", "2 months ago"),
    rule("一昨年|おととし", "2 years ago"),
    rule("一昨日|おととい|(?<![以之])前天(?!天)", "day before yesterday"),
    rule("昨天晚上|昨[晚夜晩]|ゆうべ", "last night"),
    rule("昨天|昨日|きのう", "yesterday"),
    rule("今天|今日|(?<!日)本日|今[晚晩夜早朝]", "today"),
    rule(rf"{_LAST}(?:{_WEEK}|[个個]?周)末|先週末", "last weekend"),
    rule(rf"{_LAST}{_WEEK}{_WEEKDAY}|先週", "last week"),
    rule(rf"{_THIS}{_WEEK}{_WEEKDAY}|今週", "this week"),
    rule(rf"{_LAST}{_MONTH}|先月", "last month"),
    rule(rf"{_THIS}{_MONTH}|今月", "this month"),
    rule("(?<![过過])去年|昨年", "last year"),
    rule("今年|(?<!日)本年(?!度)", "this year"),
    rule(rf"(?<!\d)((?:19|20)?\d\d)年{_N}月(?:{_N}[日号號])?", _date),
    rule(rf"{_Y}的?{_SEASON}", lambda match: f"{_SEASONS[match[2]]} {match[1]}"),
    rule(rf"\b(last|this) year [的の]?{_SEASON}", lambda m: f"in {_SEASONS[m[2]]} {m[1]} year"),
    rule(rf"\b(last|this) year [的の]?{_N}月(?:{_N}[日号號])?", _day_of),
    rule(rf"{_LAST}[个個]{_SEASON}", lambda match: f"last {_SEASONS[match[1]]}"),
    rule(rf"(?:[这這][个個]?|今){_SEASON}", lambda match: f"this {_SEASONS[match[1]]}"),
    rule(
        rf"(?<![\d{_TENS}]){_N}月{_N}[日号號]",
        lambda match: f"{_number(match[2])} {_name(match[1])}",
    ),
    # 五月天 is a band.
    rule(rf"(?<![\d{_TENS}]){_N}月(?![天亮])[份初底末]?", lambda match: f"in {_name(match[1])}"),
    rule(_Y, lambda match: match[1]),
)
_HINT = re.compile("[年月日天周週昨今期拜]|きのう|おとと|ゆうべ|[春夏秋冬]")


def from_chinese_and_japanese(plain: str) -> str:
    """Return folded text with its Chinese and Japanese dates said in English."""
    return rewritten(plain, _RULES) if _HINT.search(plain) else plain
