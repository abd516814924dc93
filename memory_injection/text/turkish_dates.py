"""Dates of Turkish questions, said in English for :mod:`.dates` to read.

Only what names a time for certain is said: "ocak" is a stove and "pazar" a market as well, "ekim"
is sowing. Days to come are left: what is planned was said before.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from .rewriting import MONTHS, rewritten, rule

__all__ = ["from_turkish"]

_MONTHS = dict(
    zip(
        "ocak subat mart nisan mayis haziran temmuz agustos eylul ekim kasim aralik".split(),
        MONTHS, strict=True,
    )
)  # fmt: skip
_SEASONS = {
    "ilkbahar": "spring", "bahar": "spring", "yaz": "summer", "sonbahar": "autumn",
    "guz": "autumn", "kis": "winter",
}  # fmt: skip
_WEEKDAYS = {
    "pazartesi": "monday", "sali": "tuesday", "carsamba": "wednesday", "persembe": "thursday",
    "cumartesi": "saturday", "cuma": "friday", "pazar": "sunday",
}  # fmt: skip
_NUMBERS = {
    "bir": "1", "iki": "2", "uc": "3", "dort": "4", "bes": "5", "alti": "6", "yedi": "7",
    "sekiz": "8", "dokuz": "9", "on": "10", "birkac": "a few", "bir kac": "a few",
}  # fmt: skip
_UNITS = {"gun": "days", "hafta": "weeks", "ay": "months", "yil": "years", "sene": "years"}


def _any(words: dict[str, str]) -> str:
    return "|".join(sorted(words, key=len, reverse=True))


_AY, _MEVSIM, _DAY = _any(_MONTHS), _any(_SEASONS), _any(_WEEKDAYS)
_NUMBER, _UNIT = rf"\d{{1,3}}|{_any(_NUMBERS)}", _any(_UNITS)
_Y = r"((?:19|20)\d\d|['’]\d\d)"
_CASE = r"(?:['’]?(?:in|un|nin|nun|i|u|a|e|ya|ye|yi|yu|da|de|ta|te|dan|den|tan|ten)(?:ki)?\b)?"
_IN = r"(?:['’]?[dt][ae]n?(?:ki)?)"
_GONE = "(?:gecen|gectigimiz)"
# "geçen haftaki", "geçen haftam nasıl geçti", "geçen ayın", "bu yıldan"
_END = r"(?:['’]?(?:ki|m|[iu]m|m[iu]z|[iu]m[iu]z|n?[iu]n|[iu]|y[iu]|d[ae]n?|t[ae]n?)(?:ki)?)?\b"
_HALF = "(?: (?:sabah|ogle|ogleden sonra|aksam|gece)(?:[iu]|leyin|ustu|n[iu]n|s[iu])?)?"
_PARTS = (
    ("basi|baslari", "early"), ("ortasi|ortalari", "mid"), ("sonu|sonlari", "late"),
    ("ilk yarisi", "first half of"), ("(?:ikinci|son) yarisi", "second half of"),
)  # fmt: skip


def _year(said: str | None) -> str:
    return f" {said}" if said else ""


def _month(match: re.Match[str]) -> str:
    return f"in {_MONTHS[match[1]]}{_year(match[2])}"


def _counted(how: str) -> Callable[[re.Match[str]], str]:
    return lambda match: how.format(_NUMBERS.get(match[1], match[1]), _UNITS[match[2]])


def _weekday(how: str) -> Callable[[re.Match[str]], str]:
    return lambda match: f"{how} {_WEEKDAYS[match[1]]}"


_WHICH = {"bu": "this", "gecen": "last", "gectigimiz": "last"}
_RULES = (
    rule(rf"\b(?:evvelsi|evvelki|onceki) gun\b{_HALF}", "day before yesterday"),
    rule(rf"\bbugun(?:ku)?\b{_HALF}|\bbu (?:sabah|aksam|gece|ogle)\b", "today"),
    rule(rf"\b{_GONE} hafta ?sonu(?:n?[dt][ae]n?|ki)*\b", "last weekend"),
    rule(rf"\b(?:evvelsi|evvelki|onceki) hafta{_END}", "2 weeks ago"),
    rule(rf"\b(?:evvelsi|evvelki|onceki) ay{_END}", "2 months ago"),
    rule(rf"\b(?:evvelsi|evvelki|onceki) (?:yil|sene){_END}", "2 years ago"),
    *(
        rule(rf"\b{which} hafta(?! ?sonu){_END}", f"{said} week")
        for which, said in ((_GONE, "last"), ("bu", "this"))
    ),
    *(
        rule(rf"\b{which} {unit}{_END}", f"{said} {name}")
        for which, said in ((_GONE, "last"), ("bu", "this"))
        for unit, name in (("ay", "month"), ("(?:yil|sene)", "year"))
    ),
    rule(rf"\b({_NUMBER}) ({_UNIT}) (?:once(?:ki|si|sinde)?|evvel)\b", _counted("{} {} ago")),
    rule(
        rf"\b(?:son|{_GONE}) ({_NUMBER}) ({_UNIT})(?:l[iu]k)?(?:[dt][iu]r|[dt][ae]n?|in|un)?\b",
        _counted("in the last {} {}"),
    ),
    rule(r"\bson gunler(?:de)?\b", "in the last few days"),
    rule(r"\bson haftalar(?:da)?\b", "in the last few weeks"),
    rule(r"\bson aylar(?:da)?\b", "in the last few months"),
    rule(r"\byilbasi(?:nda|ndan| gecesi| aksami| gunu)+(?:nde)?\b", "at new year"),
    rule(rf"\b{_GONE} yilbasi\w*", "last new year"),
    rule(r"\bnoel(?:['’]?de| gunu(?:nde)?)\b", "at christmas"),
)
_DATES = (
    # "1-20 Ekim", "1 ile 20 Ekim arasında", "marttan mayısa kadar"
    rule(
        rf"\b(\d{{1,2}})(?:['’]?[dt][ae]n)? ?(ile|ve|-|–) ?(\d{{1,2}}) ({_AY})\b(?: {_Y})?",
        lambda m: f"{m[1]} {_MONTHS[m[4]]}{_year(m[5])} {m[2]} {m[3]} {_MONTHS[m[4]]}{_year(m[5])}",
    ),
    rule(
        rf"\b({_AY})['’]?[dt][ae]n ({_AY})['’]?[ae]\b(?: kadar)?",
        lambda m: f"from {_MONTHS[m[1]]} to {_MONTHS[m[2]]}",
    ),
    rule(
        rf"\b({_AY}) (?:ile|ve|-) ({_AY}) (?:aylari )?aras\w+",
        lambda m: f"between {_MONTHS[m[1]]} and {_MONTHS[m[2]]}",
    ),
    rule(
        rf"\b(\d{{1,2}}) ({_AY}){_CASE}\b,?(?: {_Y}\b{_CASE})?",
        lambda m: f"{m[1]} {_MONTHS[m[2]]}{_year(m[3])}",
    ),
    rule(rf"\b({_AY}),? {_Y}\b{_CASE}", _month),
    rule(
        rf"\b((?:19|20)\d\d)(?:['’]?[iu]n| yili(?:n[iu]n)?)? ({_AY})(?: ay)?(?:[iu]?n?d[ae]n?|[iu]"
        rf"|t[ae]n?)?\b",
        lambda m: f"in {_MONTHS[m[2]]} {m[1]}",
    ),
    rule(
        rf"\b((?:19|20)\d\d)(?:['’]?[iu]n)? ({_MEVSIM})(?:i?n?d[ae]|[iu])?\b",
        lambda m: f"{_SEASONS[m[2]]} {m[1]}",
    ),
    rule(rf"\b({_MEVSIM}) {_Y}\b{_CASE}", lambda m: f"{_SEASONS[m[1]]} {m[2]}"),
    rule(r"(?<![\d./-])\b((?:19|20)\d\d)['’]?(?:[dt][ae]n?(?:ki)?|[iu]n|nin)\b", lambda m: m[1]),
    rule(rf"\b(?:{_GONE}|bu) ({_AY})(?: ay)?(?:['’]?[iu]n)?(?:[iu]?n?d[ae]|t[ae])?\b()", _month),
    rule(rf"\b(?!ocak|aralik)({_AY}){_IN}\b()", _month),
    rule(
        rf"\b({_AY})(?: ay(?:i(?:n?d[ae]n?(?:ki)?|n?i|nin)?)?\b|['’][dt][ae]n?\b"
        r"|[iu](?= (?:ozetle|anlat)))()",
        _month,
    ),
    rule(
        rf"\b(?!ocak|aralik)({_AY})(?:['’]?[iu]n)?"
        rf"(?= (?:{'|'.join(part for part, _ in _PARTS)})(?:n?d[ae])?\b)()",
        _month,
    ),
    rule(
        rf"\b({_GONE}|bu) ({_MEVSIM})(?:[iu]n)?\b",
        lambda m: f"{_WHICH[m[1]]} {_SEASONS[m[2]]}",
    ),
)
# On the stove, ajar; but January and December where something has happened.
_IN_TWO = (rule(r"\b(ocak|aralik)ta\b()", _month),)
_HAPPENED = re.compile(r"\w(?:[dt][iu]|m[iu]s)(?:m|n|k|n[iu]z|l[ae]r|t[iu]\w{0,6})?\W*$")
_IN_PLACE = re.compile(r"\b(?:kal|unut|birak|pis|yan|kayna|koy)")
_DAYS = (
    rule(
        rf"(\b(?:last|this) week) +({_DAY})\b(?: gunu)?{_HALF}",
        lambda m: f"{_WEEKDAYS[m[2]]} of {m[1]}",
    ),
    rule(r"\b(?:bu )?hafta ?sonu(?:n?[dt][ae]n?)?\b", "this weekend"),
    rule(rf"\b(?:{_GONE} )?({_DAY})(?: gunu)?n?[dt][ae]n (?:beri|bu yana)\b", _weekday("since")),
    rule(rf"\b{_GONE} ({_DAY})(?:ki)?\b(?: gunu| gunku)?{_HALF}", _weekday("last")),
    rule(rf"\bbu ({_DAY})\b(?: gunu| gunku)?{_HALF}", _weekday("this")),
    rule(
        rf"\b(?<!her )(?<!gelecek )(?<!onumuzdeki )(?<!haftaya )({_DAY})"
        r" (?:gun(?:u(?:nden|nde)?|ku)\b|(?:sabah|ogleden sonra|aksam|gece)(?:[iu]|s[iu])\b)"
        rf"{_HALF}",
        _weekday("on"),
    ),
)
_WHOLE = (
    r"(?:(?:in )?(?:last|this) (?:week|month|year|spring|summer|autumn|winter)"
    rf"|(?:in )?(?:{'|'.join(MONTHS)})(?: {_Y})?|(?:19|20)\d\d)"
)
_OF_YEAR = rule(
    rf"\b(last|this) year +(\d{{1,2}}|in) ({'|'.join(MONTHS)})\b(?! \d)",
    lambda match: f"{match[2]} {match[3]} {match[1]} year",
)
_PART_RULES = tuple(
    rule(
        rf"({_WHOLE})(?:['’]?n?[iu]n)? +(?:{part})(?:n?d[ae]n?|n[iu]n)?\b",
        lambda match, said=said: f"{said} {match[1]}",  # type: ignore[misc]
    )
    for part, said in _PARTS
)
_SINCE = (
    rule(
        rf"({_WHOLE}|on (?:{'|'.join(_WEEKDAYS.values())})|\d+ (?:{'|'.join(MONTHS)})(?: {_Y})?)"
        r" +(?:beri|bu yana)\b",
        lambda match: f"since {match[1]}",
    ),
)
# Whether any rule may apply: pieces of words first, which are quicker to look for than patterns.
_PIECES = (
    *"gun hafta sene yil evvel noel".split(), " ay", "ay ", "bu ", "'", "’",
    *_MONTHS, *_SEASONS, *_WEEKDAYS, " basi", " orta", " sonu",
)  # fmt: skip
_HINT = re.compile(
    rf"\bbugun|gun(?:u|ku)?\b|gunler|hafta|\b(?:bu|{_GONE}) (?:ay|sabah|aksam|gece|ogle)"
    rf"|\bson (?:ay|gun)|yil|\bsene|\bnoel|evvel|\b(?:{_AY})"
    rf"|\b(?:19|20)\d\d(?:['’ ](?:{_MEVSIM}|[dtiun])| basi| orta| sonu)"
    rf"|\b(?:{_GONE}|bu) (?:{_DAY}|{_MEVSIM})|\b(?:{_DAY}) (?:sabah|ogle|aksam|gece)"
    rf"|\b(?:{_DAY})[dt][ae]n (?:beri|bu)"
    rf"|\b(?:{_NUMBER}) (?:{_UNIT})|\b(?:{_MEVSIM}) {_Y}"
)
_YESTERDAY = re.compile(rf"\bdun(?:ku)?\b{_HALF}")
_TO_COME = re.compile(
    r"[ae]c[ae][kg]|\bne(?:ler)? var\b|\bgelecek\b|\bonumuzdeki\b|\bhaftaya\b"
    r"|[iu]yor(?:um|sun|uz|sunuz|lar)?\b|[ae]bilir(?:im|iz)\b|s[ae]m\b|[ae]y[iu]m\b|[ae]l[iu]m\b|m[ae]l[iu]y[iu][mz]\b"
)


_TURKISH = re.compile(
    r"\b(?:ne|neler|nere\w*|kim\w*|hangi\w*|nasil|m[iu]|dun(?:ku| aksam| gece))\b"
)


def from_turkish(plain: str, spelled: bool = False) -> str:
    """Return folded text with its Turkish dates said in English.

    Args:
        plain: the text.
        spelled: whether it has "dün" with its dots; "dun" may be English.
    """
    if any(map(plain.__contains__, _PIECES)) and _HINT.search(plain):
        plain = rewritten(plain, _RULES)
        plain = rewritten(plain, _DATES)
        if _HAPPENED.search(plain) and not _IN_PLACE.search(plain):
            plain = rewritten(plain, _IN_TWO)
        if not _TO_COME.search(plain):
            plain = rewritten(plain, _DAYS)
        plain = rewritten(re.sub(" {2,}", " ", plain), (_OF_YEAR, *_PART_RULES))
        plain = rewritten(plain, _SINCE)
    if _YESTERDAY.search(plain) and (spelled or _TURKISH.search(plain)):
        plain = _YESTERDAY.sub(" yesterday ", plain)
    return plain
