"""Dates of German questions, said in English for :mod:`.dates` to read.

A weekday without "letzten" is one that was only where the question speaks of the past.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from .rewriting import MONTHS, rewritten, rule

__all__ = ["from_german"]

_MONTHS = dict(
    zip(
        "januar februar marz april mai juni juli august september oktober november dezember"
        .split(), MONTHS, strict=True,
    )
)  # fmt: skip
_SEASONS = {
    "fruhling": "spring", "fruhjahr": "spring", "sommer": "summer", "herbst": "autumn",
    "winter": "winter",
}  # fmt: skip
_WEEKDAYS = {
    "montag": "monday", "dienstag": "tuesday", "mittwoch": "wednesday", "donnerstag": "thursday",
    "freitag": "friday", "samstag": "saturday", "sonnabend": "saturday", "sonntag": "sunday",
}  # fmt: skip
_NUMBERS = {
    "ein paar": "a few", "einigen": "a few", "einem": "1", "einer": "1", "zwei": "2", "drei": "3",
    "vier": "4", "funf": "5", "sechs": "6", "sieben": "7", "acht": "8", "neun": "9", "zehn": "10",
    "beiden": "2", "paar": "a few",
}  # fmt: skip
_UNITS = {
    "tagen": "days", "tage": "days", "tag": "days", "wochen": "weeks", "woche": "weeks",
    "monaten": "months", "monate": "months", "monat": "months", "jahren": "years",
    "jahre": "years", "jahr": "years",
}  # fmt: skip


def _any(words: dict[str, str]) -> str:
    return "|".join(sorted(words, key=len, reverse=True))


_M, _S, _D = _any(_MONTHS), _any(_SEASONS), _any(_WEEKDAYS)
_OWN = _any({name: said for name, said in _MONTHS.items() if name != said})
_NUMBER, _UNIT = rf"\d{{1,3}}|{_any(_NUMBERS)}", _any(_UNITS)
_Y = r"((?:19|20)\d\d|['’]\d\d)"
_LAST = "(?:letzte|vorige|vergangene)[nrsm]?"
_THIS = "diese[nrsm]?"
_HALF = "(?: ?(?:morgen|vormittag|mittag|nachmittag|abend|nacht|fruh))?"
_PARTS = {"anfang": "early", "mitte": "mid", "ende": "late"}


def _counted(how: str) -> Callable[[re.Match[str]], str]:
    return lambda match: how.format(_NUMBERS.get(match[1], match[1]), _UNITS[match[2]])


def _weekday(how: str) -> Callable[[re.Match[str]], str]:
    return lambda match: f"{how} {_WEEKDAYS[match[1]]}"


def _year(said: str | None) -> str:
    return f" {said}" if said else ""


def _month(match: re.Match[str]) -> str:
    return f"in {_MONTHS[match[1]]}{_year(match[2])}"


_RULES = (
    rule(rf"\bvorgestern\b{_HALF}", "day before yesterday"),
    rule(rf"\bgestern\b{_HALF}|\bletzte nacht\b", "yesterday"),
    rule(rf"\bheute\b{_HALF}", "today"),
    rule(rf"\b(?:am |an diesem )?{_LAST} wochenende\b", "last weekend"),
    rule(rf"\b(?:in der )?{_LAST} woche\b", "last week"),
    rule(rf"\b(?:in )?{_THIS} woche\b", "this week"),
    rule(rf"\b(?:im )?{_LAST} monat(?:s|es)?\b", "last month"),
    rule(rf"\b(?:in )?{_THIS} monat(?:s|es)?\b", "this month"),
    rule(rf"\b(?:im )?{_LAST} jahr(?:es)?\b", "last year"),
    rule(rf"\b(?:in )?{_THIS} jahr(?:es)?\b", "this year"),
    rule(rf"\bvor ({_NUMBER}) ({_UNIT})\b", _counted("{} {} ago")),
    rule(
        rf"\b(?:in )?(?:den |die )?{_LAST} ({_NUMBER}) ({_UNIT})\b", _counted("in the last {} {}")
    ),
    rule(
        rf"\b(\d{{1,2}})\.? (bis|und) (?:zum |dem )?(\d{{1,2}})\. ({_M})\b"
        rf"(?: {_Y})?",
        lambda m: f"{m[1]} {_MONTHS[m[4]]}{_year(m[5])} {m[2]} {m[3]} {_MONTHS[m[4]]}{_year(m[5])}",
    ),
    rule(
        rf"\b(\d{{1,2}})\. ({_M})\b(?: {_Y}\b)?",
        lambda m: f"{m[1]} {_MONTHS[m[2]]}{_year(m[3])}",
    ),
    rule(
        rf"\b(?:von|zwischen) ({_M}) (?:bis|und) ({_M})\b",
        lambda m: f"from {_MONTHS[m[1]]} to {_MONTHS[m[2]]}",
    ),
    rule(
        rf"\b({'|'.join(_PARTS)}) *(?: in )?({_M}|{'|'.join(MONTHS)})\b(?: {_Y}\b)?",
        lambda m: f"{_PARTS[m[1]]} {_MONTHS.get(m[2], m[2])}{_year(m[3])}",
    ),
    rule(rf"\b(?:im )?({_M}) (last|this) year\b", _month),
    rule(rf"(?<!\d )\b({_OWN}),? {_Y}\b", _month),
    rule(rf"\bseit ({_M})\b", lambda m: f"since {_MONTHS[m[1]]}"),
    rule(rf"\b(?:im|{_LAST}) ({_M})\b()", _month),
    rule(rf"\b(?:im )?({_S}) {_Y}\b", lambda m: f"{_SEASONS[m[1]]} {m[2]}"),
    rule(rf"\b(?:im )?{_LAST} ({_S})\b|\bim ({_S})\b", lambda m: f"last {_SEASONS[m[1] or m[2]]}"),
    rule(rf"\b(?:in )?{_THIS} ({_S})\b", lambda m: f"this {_SEASONS[m[1]]}"),
    rule(rf"\b(?:am )?{_LAST} ({_D}){_HALF}\b", _weekday("last")),
    rule(r"\bheiligabend\b", "christmas eve"),
    rule(r"\b(?:an|zu|uber) weihnachten\b", "at christmas"),
    rule(r"\bletzte[nrs]? weihnachten\b", "last christmas"),
    rule(r"\b(?:an|zu) silvester\b", "new year's eve"),
    rule(r"\b(?:an|am) neujahr(?:stag)?\b", "new year's day"),
)
_PAST = (
    rule(rf"\b(?:am|diesen) ({_D}){_HALF}\b", _weekday("on")),
    rule(rf"\bseit ({_D})\b", _weekday("since")),
    rule(r"\b(?:am|ubers|dieses) wochenende\b", "this weekend"),
)
_WAS = re.compile(
    r"\bwar(?:en|st|t)?\b|\bwurden?\b|\bhatten?\b|\bgab\b|\b\w*ge\w{2,}(?:t|en)\b|\w{3}iert\b"
    r"|\berzahlt\b|\bbesprochen\b|\bvorgefallen\b|\berlebt\b|\bunternommen\b|\blos war\b"
)
# Whether any rule may apply: pieces of words first, which are quicker to look for than patterns.
_PIECES = (
    *"gestern heute woche monat jahr letzte vorige vergangene diese abend weihnachten".split(),
    *"silvester tag mittwoch anfang mitte ende".split(), "vor ", *_MONTHS, *_SEASONS,
)  # fmt: skip
_HINT = re.compile(
    rf"gestern|heute|woche|monat|jahr|letzte|vorige|vergangene|\bdiese|abend|silvester|weihnachten"
    rf"|\bvor (?:{_NUMBER}) |\b(?:am|seit) (?:{_D})|\b(?:im|seit|von|zwischen) (?:{_M}|{_S})\b"
    rf"|\b(?:{_OWN})\b|\d\. (?:{_M})\b|\b(?:{'|'.join(_PARTS)}) |\b(?:{_S}) (?:19|20)"
)


def from_german(plain: str) -> str:
    """Return folded text with its German dates said in English."""
    if not (any(map(plain.__contains__, _PIECES)) and _HINT.search(plain)):
        return plain
    past = _WAS.search(plain)
    plain = rewritten(plain, _RULES)
    return rewritten(plain, _PAST) if past else plain
