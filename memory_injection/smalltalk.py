"""Tell small talk (greetings, thanks, goodbyes, laughter) from an ask with content.

A message is small talk when *all* of it can be read as set phrases; one word more and it is an
ask. So the check errs on the side of searching: a missed "hiya" costs one search, a question
taken for chatter would cost the answer. "yes", "no" and "continue" are not small talk: they carry
the meaning of the turn before.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import product

from .set_phrases import BARE_ANSWERS, BUILT, FILLERS, PHRASES, UNSPACED

__all__ = ["is_bare_answer", "is_small_talk", "without_small_talk"]

_LONGEST = 120  # characters; chatter beyond this holds something else
_FILLERS = frozenset(FILLERS.split())
# "Peki kardeşim." is "all right, brother", "Peki kardeşim?" asks about the asker's brother.
_KIN_ASKED = re.compile(r"(?:^|\W)(?:peki|ya) (?:ya )?(?:hocam|abi|abla|kardesim)\s*\?")
_LAUGHTER = re.compile(
    r"a?(?:ha|he|hi|ho){2,}h?|(?:ja|je){2,}|k{3,}|(?:ah){2,}a?|x+d+|lo+l|aa+h*|he|ha"
)
_APOSTROPHE = re.compile(r"(?<=\w)['’‘`´](?=\w)")
_PLAIN_WORDS = re.compile(r"[a-z0-9]+(?:'[a-z]+)?")
_PARTS = re.compile(r"[^,.;:!?\n…،؟。！？，、]*(?:[,.;:!?\n…،؟。！？，、]\s*)+|.+$")
_ENDED = re.compile(r"[.!?\n…؟。！？]\s*$")
_UNCASED = re.compile("[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]{4}")  # written without spaces
_STRETCHED = re.compile(r"(.)\1{2,}")


def is_small_talk(text: str) -> bool:
    """Tell whether *text* is chatter that no memory could help with.

    Greetings, thanks, acknowledgements, goodbyes, laughter, emoji and bare punctuation count, in
    English, Turkish and some twenty other languages, also stretched ("hiiii") and combined ("ok,
    thanks! bye"). A text with any word beyond them is not small talk; neither are blank text,
    numbers, "yes" and "no".
    """
    if not text or len(text) > _LONGEST or not text.strip():
        return False
    if text.isascii() and not all(map(_may_belong, _PLAIN_WORDS.findall(text.lower()))):
        return False
    folded = _fold(text)
    words = _words(folded)
    if _KIN_ASKED.search(folded):
        return False
    if not words:
        return "?" not in text and any(not ch.isspace() for ch in text)
    if _runs_together("".join(words)):
        return True
    return _all_phrases(tuple(words))


def is_bare_answer(text: str) -> bool:
    """Tell whether *text* is no more than yes, no, perhaps or "go on"."""
    return len(text) <= _LONGEST and " ".join(_words(_fold(text))) in _bare()


def without_small_talk(text: str) -> str:
    """Return *text* without the chatter before and after what it asks.

    "Good morning! Where is my key? Thanks" becomes "Where is my key?". Chatter counts where
    punctuation sets it apart and two words or more are left; else *text* is returned as it is.
    """
    text = text.strip()
    start = end = 0
    parts = _PARTS.findall(text[: 2 * _LONGEST])
    if len(parts) == 1 and len(text) <= 2 * _LONGEST:
        return text
    for part in parts:
        if not is_small_talk(part):
            break
        start += len(part)
    for part in reversed(_PARTS.findall(text[start:][-2 * _LONGEST :])):
        if not (
            is_small_talk(part)
            and any(map(str.isalpha, part))
            and _ENDED.search(text[: len(text) - end - len(part)])
        ):
            break
        end += len(part)
    rest = text[start : len(text) - end].strip()
    return rest if len(rest.split()) > 1 or _UNCASED.match(rest) else text


def _fold(text: str) -> str:
    """Lower-case with I, İ and ı as one letter, marks of Latin and Greek letters dropped."""
    one_i = text.replace("İ", "i").replace("I", "i").replace("ı", "i").replace("ß", "ss")
    plain = unicodedata.normalize("NFKC", _APOSTROPHE.sub("", one_i)).casefold()
    kept: list[str] = []
    base = ""
    for ch in unicodedata.normalize("NFD", plain):
        if not unicodedata.combining(ch):
            base = ch
        elif base < "\u0400":
            continue
        kept.append(ch)
    return unicodedata.normalize("NFC", "".join(kept))


def _words(folded: str) -> list[str]:
    """Split at everything but letters, digits and marks (a plain word pattern breaks Thai)."""
    kept = (ch if unicodedata.category(ch)[0] in "LMN" else " " for ch in folded)
    return "".join(kept).split()


@lru_cache(maxsize=1)
def _phrases() -> frozenset[tuple[str, ...]]:
    fixed = (part.strip() for line in PHRASES.splitlines() for part in line.split(";"))
    built = (part.strip() for line in BUILT.splitlines() for part in line.split(";"))
    every = (*fixed, *(phrase for part in built for phrase in _built(part)))
    return frozenset(tuple(_words(_fold(phrase))) for phrase in every if phrase)


def _built(template: str) -> Iterator[str]:
    """Give each phrase that *template* makes: "a|b c" is "a c" and "b c"."""
    for chosen in product(*(place.split("|") for place in template.split())):
        yield " ".join(chosen).replace("_", " ").strip()


@lru_cache(maxsize=1)
def _bare() -> frozenset[str]:
    answers = re.split(r"[;\n]", BARE_ANSWERS.strip())
    return frozenset(" ".join(_words(_fold(answer))) for answer in answers)


@lru_cache(maxsize=1)
def _unspaced() -> tuple[str, ...]:
    return tuple(map(_fold, UNSPACED.split()))


@lru_cache(maxsize=1)
def _vocabulary() -> frozenset[str]:
    return _FILLERS | {word for phrase in _phrases() for word in phrase}


def _may_belong(word: str) -> bool:
    """Tell whether a word can be part of small talk at all: most asks end the search here."""
    word = word.replace("'", "")
    return word in _vocabulary() or _STRETCHED.search(word) is not None or _is_sound(word)


def _runs_together(text: str) -> bool:
    """Tell whether *text* is phrases of unspaced scripts and nothing else.

    Position by position: a pattern that repeats a choice takes exponential time on "哈哈哈...".
    """
    phrases = _unspaced()
    reached = {0}
    for at in range(len(text)):
        if at in reached and text.startswith(phrases, at):
            reached.update(at + len(one) for one in phrases if text.startswith(one, at))
    return len(text) in reached


def _all_phrases(words: tuple[str, ...]) -> bool:
    """Tell whether *words* split into phrases and fillers, at least one of them a phrase."""
    phrases = _phrases()
    longest = max(map(len, phrases))
    reached = {0: False}  # words read so far -> whether a phrase was among them
    for start in range(len(words)):
        if start not in reached:
            continue
        seen = reached[start]
        if words[start] in _FILLERS:
            reached[start + 1] = reached.get(start + 1, False) or seen
        if _is_sound(words[start]):
            reached[start + 1] = True
        for size in range(1, min(longest, len(words) - start) + 1):
            if _matches(words[start : start + size], phrases):
                reached[start + size] = True
    return reached.get(len(words), False)


def _matches(part: tuple[str, ...], phrases: frozenset[tuple[str, ...]]) -> bool:
    if part in phrases:
        return True
    shrunk = tuple(_STRETCHED.sub(r"\1", word) for word in part)
    return shrunk != part and shrunk in phrases


def _is_sound(word: str) -> bool:
    return _LAUGHTER.fullmatch(word) is not None
