"""Names of months and weekdays told from the words they are spelled like, by their capitals.

"May" may be a verb, "march" too, and nobody asks of a day with "sun" or "Black Friday". What is
something else gets a ``_`` before it, which hides it from the patterns of :mod:`.dates` and is no
part of a word; a weekday that stands alone gets the "on" that makes it a day.
"""

from __future__ import annotations

import re

from .date_words import WEEKDAYS, month_number

__all__ = ["told_apart"]

_DAY = "|".join(name.title() for name in WEEKDAYS)
_SHORT = {
    "Mon": "Monday", "Tue": "Tuesday", "Tues": "Tuesday", "Wed": "Wednesday", "Thu": "Thursday",
    "Thur": "Thursday", "Thurs": "Thursday", "Fri": "Friday", "Sat": "Saturday", "Sun": "Sunday",
}  # fmt: skip
_END = r"\s*(?:[?.!,;:)]|$)"
_ANY = re.compile(rf"\b(?:{_DAY}|[Mm]ay|[Mm]arch|[Ff]all|{'|'.join(_SHORT)})\b")

_SHORT_DAY = re.compile(rf"\b([Oo]n|[Ll]ast|[Tt]his|[Pp]ast) ({'|'.join(_SHORT)})\b\.?(?={_END})")
_WEEKDAY = re.compile(rf"(?:([\w'’-]+)([ ,]+))?\b({_DAY})\b(?!\.\w)(?= ?([^\W\d_]\w*)?)")
_TIMES = frozenset({"on", "last", "past", "previous", "this"})
_NO_TIMES = frozenset(
    "a an any each every most all some many next by before after until till coming following for"
    " the than as my our your his her its their good black ash holy palm super cyber"
    " with".split()
)  # a day to come, days of habit, and what has a day in its name
_ASKED_OF = frozenset({"did", "does"})  # "What did Friday say?", but "what I did Friday at work"
_AFTER_A_DAY = frozenset("at in on and or to from with for by when while after before".split())
_PARTS_OF_DAY = frozenset({"morning", "afternoon", "evening", "night"})

_BESIDE_MAY = (
    r"(?:be|have|not|need|help|take|cause|get|go|come|make|contain|require|include|look|sound|seem"
    r"|want|work|still|also|never|well|I|i|we|you|he|she|it|they)\b"
)
_OTHER = (
    re.compile(rf"(?<=\b[Tt]his )(may|march)\b(?!{_END}|,? ['’\d])"),
    re.compile(rf"\b(may)(?= {_BESIDE_MAY})"),
    re.compile(r"\b(may|march)(?= \d+ (?:\w+s|people|km)\b)"),
    re.compile(r"(?<=\bin the )(fall)\b(?= of (?!\d|['’]|last|this))"),
    re.compile(r"(?:(?<=\bmy last )|(?<=\bhis last )|(?<=\bher last ))(fall)\b"),
)


def told_apart(text: str) -> str:
    """Return *text* with what is no day or month hidden, and weekdays that stand alone marked.

    Example:
        >>> told_apart("This may be what I did Friday"), told_apart("Black Friday")
        ('This _may be what I did on Friday', 'Black _Friday')
    """
    if not _ANY.search(text):
        return text
    text = _SHORT_DAY.sub(lambda match: f"{match[1]} {_SHORT[match[2]]}", text)
    text = _WEEKDAY.sub(_marked, text)
    for pattern in _OTHER:
        text = pattern.sub(r"_\1", text)
    return text


def _marked(match: re.Match[str]) -> str:
    before, gap, day, after = match.groups()
    lead = f"{before}{gap}" if before else ""
    named = before or ""
    if named.lower() in _TIMES:
        return match.group()
    if named.lower() in _NO_TIMES or named.endswith(("'s", "’s")):
        return f"{lead}_{day}"
    if named.lower() in _ASKED_OF and after and after not in _AFTER_A_DAY | _PARTS_OF_DAY:
        return f"{lead}_{day}"
    # "Black Friday", "Sunday Times"; but "Did Ann call Friday?", "Ann, Friday?".
    if gap == " " and named[:1].isupper() and named != "I" and match.start():
        return f"{lead}_{day}"
    return f"{lead}_{day}" if after and _is_name(after) else f"{lead}on {day}"


def _is_name(word: str) -> bool:
    plain = word.lower()
    other = plain in _PARTS_OF_DAY or plain in WEEKDAYS or month_number(plain)
    return word[0].isupper() and word != "I" and not other
