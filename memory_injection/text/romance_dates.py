"""Dates of French and Spanish questions, said in English for :mod:`.dates` to read.

Only what names a time for certain is said: "mars" alone may be the planet, "hier" is "here" in
German and Dutch, "mayo" goes on bread. Days to come are left: what is planned was said before.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from .languages import guess_language
from .rewriting import MONTHS, rewritten, rule

__all__ = ["from_french", "from_spanish"]

_Y = r"((?:19|20)\d\d|last year|this year)"


def _any(words: dict[str, str]) -> str:
    return "|".join(words)


def _ago(numbers: dict[str, str], units: dict[str, str]) -> Callable[[re.Match[str]], str]:
    """Say number and unit."""
    return lambda match: f"{numbers.get(match[1], match[1])} {units[match[2]]} ago"


def _day(names: dict[str, str]) -> Callable[[re.Match[str]], str]:
    """Say day, month and year, if there is one."""

    def said(match: re.Match[str]) -> str:
        day = match[1] if match[1].isdigit() else "1"
        return f"{day} {names[match[2]]} {match[3] or ''}".rstrip()

    return said


def _month(names: dict[str, str]) -> Callable[[re.Match[str]], str]:
    """Say month and year, if there is one."""
    return lambda match: f"in {names[match[1]]} {match[2] or ''}".rstrip()


def _season(names: dict[str, str], which: str) -> Callable[[re.Match[str]], str]:
    return lambda match: f"{which} {names[match[1]]}"


def _season_of(names: dict[str, str]) -> Callable[[re.Match[str]], str]:
    return lambda match: f"{names[match[1]]} {match[2]}"


_FR_MONTHS = dict(
    zip(
        "janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre"
        .split(), MONTHS, strict=True,
    )
)  # fmt: skip
_FR_SEASONS = {"printemps": "spring", "ete": "summer", "automne": "autumn", "hiver": "winter"}
_FR_NUMBERS = {
    "un": "1", "une": "1", "deux": "2", "trois": "3", "quatre": "4", "cinq": "5", "six": "6",
    "sept": "7", "huit": "8", "neuf": "9", "dix": "10",
}  # fmt: skip
_FR_UNITS = {
    "jours": "days", "jour": "days", "semaines": "weeks", "semaine": "weeks", "mois": "months",
    "annees": "years", "annee": "years", "ans": "years", "an": "years",
}  # fmt: skip
_FR, _FR_SURE, _FR_S = _any(_FR_MONTHS), _any(_FR_MONTHS).replace("mars|", ""), _any(_FR_SEASONS)
_LAST = "(?:dernier|derniere|passee?)"
_OF = r"(?: de)? (?:l['’])?"
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_FR_WEEKDAYS = dict(
    zip("lundi mardi mercredi jeudi vendredi samedi dimanche".split(), _WEEKDAYS, strict=True)
)
_DAYS = _any(_FR_WEEKDAYS)
_BEFORE = r"en|depuis|debut|fin|mi|courant|jusqu['’]en|mois (?:de|d['’])"
_FRENCH = (
    rule(r"\bavant[- ]hier\b", "day before yesterday"),
    rule(rf"\b(?:la )?nuit {_LAST}\b|\bhier soir\b", "last night"),
    rule(r"\baujourd['’ ]?hui\b|\bce (?:matin|soir)\b|\bcet apres[- ]midi\b", "today"),
    rule(rf"\b(?:le )?week[- ]?end {_LAST}\b", "last weekend"),
    rule(rf"\b(?:la )?semaine {_LAST}\b", "last week"),
    rule(r"\bcette semaine\b", "this week"),
    rule(rf"\b({_DAYS}) {_LAST}\b", lambda m: f"last {_FR_WEEKDAYS[m[1]]}"),
    rule(rf"\b(?:le )?mois {_LAST}\b", "last month"),
    rule(r"\bce mois(?:[- ]ci)?\b", "this month"),
    rule(rf"\ban(?:nee)? {_LAST}\b", "last year"),
    rule(r"\bcette annee\b", "this year"),
    rule(
        rf"\bil y a (\d{{1,3}}|{_any(_FR_NUMBERS)}) ({_any(_FR_UNITS)})\b",
        _ago(_FR_NUMBERS, _FR_UNITS),
    ),
    rule(
        rf"\b(?:le|du|au|{_DAYS}) (\d{{1,2}}|1er|premier) ({_FR})\b(?:{_OF} ?{_Y}\b)?",
        _day(_FR_MONTHS),
    ),
    rule(rf"\b(\d{{1,2}}|1er) ({_FR})\b{_OF} ?{_Y}\b", _day(_FR_MONTHS)),
    rule(rf"\b(\d{{1,2}}|1er) ({_FR_SURE})\b()", _day(_FR_MONTHS)),
    rule(rf"\b(?:{_BEFORE})[ -]?({_FR})\b(?: {_LAST}\b)?(?:{_OF} ?{_Y}\b)?", _month(_FR_MONTHS)),
    rule(rf"\b({_FR_SURE})\b{_OF} ?{_Y}\b", _month(_FR_MONTHS)),
    rule(rf"\b({_FR_SURE}) {_LAST}\b()", _month(_FR_MONTHS)),
    rule(rf"(?:\bl['’]|\b(?:en|au|le) )({_FR_S}){_OF} ?{_Y}\b", _season_of(_FR_SEASONS)),
    rule(rf"(?:\bl['’]|\ble )({_FR_S}) {_LAST}\b", _season(_FR_SEASONS, "last")),
    rule(rf"\bcet? ({_FR_S})\b", _season(_FR_SEASONS, "this")),
)
# Without a look at the ends of words: so the search leaps from one possible first letter to the
# next, and most questions in English cost a microsecond.
_FR_HINT = re.compile(
    "|".join(["hier", "hui", "dernier", "passe", "cet ", "cette ", "il y a", *_FR_MONTHS])
    + rf"|[ '’](?:{_FR_S})|(?:^| )ce "
)
_HIER = re.compile(r"\bhier\b")

_ES_MONTHS = dict(
    zip(
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"
        .split(), MONTHS, strict=True,
    )
)  # fmt: skip
_ES_MONTHS["setiembre"] = "september"
_ES_SEASONS = {
    "primavera": "spring", "verano": "summer", "otono": "autumn", "invierno": "winter",
}  # fmt: skip
_ES_NUMBERS = {
    "un": "1", "una": "1", "dos": "2", "tres": "3", "cuatro": "4", "cinco": "5", "seis": "6",
    "siete": "7", "ocho": "8", "nueve": "9", "diez": "10",
}  # fmt: skip
_ES_UNITS = {
    "dias": "days", "dia": "days", "semanas": "weeks", "semana": "weeks", "meses": "months",
    "mes": "months", "anos": "years", "ano": "years",
}  # fmt: skip
_ES_WEEKDAYS = dict(
    zip("lunes martes miercoles jueves viernes sabado domingo".split(), _WEEKDAYS, strict=True)
)
_ES, _ES_S = _any(_ES_MONTHS), _any(_ES_SEASONS)
_DE = "(?: del?)?"
_EN = "en|desde|hasta|durante|(?:mes|principios|mediados|finales|fines) de|el pasado"
_SPANISH = (
    rule(r"\b(?:anteayer|antier|antes de ayer)\b", "day before yesterday"),
    rule(r"\banoche\b", "last night"),
    rule(r"\besta (?:manana|tarde|noche)\b", "today"),
    rule(r"\b(?:el )?fin de semana pasado\b", "last weekend"),
    rule(r"\b(?:la )?(?:semana pasada|pasada semana)\b", "last week"),
    rule(r"\besta semana\b", "this week"),
    rule(
        rf"\b(?:el )?({_any(_ES_WEEKDAYS)}) pasado\b|\b(?:el )?pasado ({_any(_ES_WEEKDAYS)})\b",
        lambda m: f"last {_ES_WEEKDAYS[m[1] or m[2]]}",
    ),
    rule(r"\b(?:el )?(?:mes pasado|pasado mes)\b", "last month"),
    rule(r"\beste mes\b", "this month"),
    rule(r"\b(?:el )?(?:ano pasado|pasado ano)\b", "last year"),
    rule(r"\beste ano\b", "this year"),
    rule(
        rf"\bhace (\d{{1,3}}|{_any(_ES_NUMBERS)}) ({_any(_ES_UNITS)})\b",
        _ago(_ES_NUMBERS, _ES_UNITS),
    ),
    rule(rf"\b(\d{{1,2}}|primero) de ({_ES})\b(?:{_DE} +{_Y}\b)?", _day(_ES_MONTHS)),
    rule(rf"\b({_ES})\b{_DE} +{_Y}\b", _month(_ES_MONTHS)),
    rule(rf"\b(?:{_EN}) ({_ES})\b(?: pasado\b)?()", _month(_ES_MONTHS)),
    rule(rf"\b({_ES}) pasado\b()", _month(_ES_MONTHS)),
    rule(rf"\b({_ES_S})\b{_DE} +{_Y}\b", _season_of(_ES_SEASONS)),
    rule(rf"\b({_ES_S}) pasad[oa]\b", _season(_ES_SEASONS, "last")),
    rule(rf"\best[ea] ({_ES_S})\b", _season(_ES_SEASONS, "this")),
)
_ES_HINT = re.compile(
    "|".join(["ayer", "antier", "anoche", "hoy", "pasad", "esta ", "este ", "hace ", *_ES_MONTHS])
    + "|" + _ES_S
)  # fmt: skip
_ES_DAY = re.compile(r"\b(?:ayer|hoy)\b")
_ES_DAYS = (rule(r"\bayer\b", "yesterday"), rule(r"\bhoy\b", "today"))


def from_french(plain: str) -> str:
    """Return folded text with its French dates said in English."""
    if not _FR_HINT.search(plain):
        return plain
    plain = rewritten(plain, _FRENCH)
    if _HIER.search(plain) and guess_language(plain) == "fr":
        plain = _HIER.sub(" yesterday ", plain)
    return plain


def from_spanish(plain: str) -> str:
    """Return folded text with its Spanish dates said in English."""
    if not _ES_HINT.search(plain):
        return plain
    plain = rewritten(plain, _SPANISH)
    # Ayer and Hoy are surnames, too.
    if _ES_DAY.search(plain) and guess_language(plain) in (None, "es", "pt"):
        plain = rewritten(plain, _ES_DAYS)
    return plain
