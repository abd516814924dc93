"""English stems: one term for the forms of a word that Snowball leaves apart.

Snowball cuts endings. What it cannot know is put right around it, for texts and questions alike:
irregular forms go to their word before ("bought", "children", "cheapest"), British spellings to
American ones by rule or list ("colour", "organise", "anaemia"), and a few endings of what is left
meet after ("allergi" of allergy and "allerg" of allergic).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from .english_forms import ADJECTIVES, DERIVED, NOUNS, PREFIXES, SPELLINGS, VERBS

__all__ = ["english_stem"]

_VOWELS = frozenset("aeiou")

# Words in "-men" that are no men.
_NO_MEN = frozenset(
    """
abdomen acumen amen bitumen carmen cyclamen dolmen hymen lumen omen ramen regimen semen specimen
stamen turkmen yemen""".split()
)

# Stems that would meet another word: count, treat, station, current, present, instant.
_APART = frozenset("counti treati stationeri currenc presenc instanc".split())
_SHORTEST = 6  # letters of a stem that meets others
_MEETING = frozenset("icst")  # last letters of such stems

_OUR = re.compile(
    "(arm|behavi|cand|clam|col|endeav|fav|ferv|flav|harb|hon|hum|lab|neighb|od|parl|ranc|rig|rum"
    "|sav|splend|tum|val|vap|vig)our"
)
_ISE = re.compile(
    "(.*[aeiouy].*[bcdfghjklmnpqrstxz])is(e[sdr]?|ers|ings?|able|ations?|ational)", re.DOTALL
)
# What stands before -ise where it is never spelled with a z, as is -prise.
_NEVER_Z = frozenset(
    """
advert ar anch chast circumc comprom dem desp exc exerc franch inc merchand parad prem prom surm
treat""".split()
)
_RE = re.compile("(calib|cent|fib|lit|lust|meag|met|sab|somb|spect|theat)re(?=[sd]?$)")
_OGUE = re.compile("(?<=[lng]og)ue(?=[sd]?$)")
_TELLING = re.compile("our|is[eai]|lyz|re[sd]?$|ogue|ae|oe|men$")  # what a rule may look at
_DIGRAPH = re.compile(
    "anaes|anaem|haem|aemi|paed|gynaec|archaeo|leukaem|caesar|oestr|oesoph|oedem|foet|rrhoe"
)


def _pairs(groups: str) -> Iterator[tuple[str, str]]:
    for group in groups.split():
        word, forms = group.split(":")
        for form in forms.split(","):
            yield form, word


def _compared(word: str) -> tuple[str, str]:
    """Return the comparative and the superlative of an adjective."""
    base = word
    if word.endswith("y") and word[-2] not in _VOWELS:
        base = word[:-1] + "i"
    elif word.endswith("e"):
        base = word[:-1]
    elif len(word) < 5 and word[-1] not in "wxy" and word[-2] in _VOWELS:
        base = word if word[-3] in _VOWELS else word + word[-1]
    return base + "er", base + "est"


def _forms() -> dict[str, str]:
    found = {form: word for word in ADJECTIVES.split() for form in _compared(word)}
    verbs = dict(_pairs(VERBS))
    for prefix in PREFIXES.split():
        found.update((prefix + form, prefix + word) for form, word in verbs.items())
    for groups in (VERBS, NOUNS, DERIVED):
        found.update(_pairs(groups))
    for british, american in _pairs(SPELLINGS):
        found[british] = american
        found[british + "s"] = american + "s"
    return found


_FORMS = _forms()


def english_stem(token: str, snowball: Callable[[str], str]) -> str:
    """Return the stem of a folded ASCII *token*.

    Args:
        token: one word.
        snowball: the Snowball stemmer of English.

    Example:
        >>> from memory_injection.text import stems
        >>> stems("bought buys buying", "en"), stems("My neighbours' allergies", "en")
        (['buy', 'buy', 'buy'], ['neighbor', 'allerg'])
    """
    word = _FORMS.get(token)
    if word is None:
        word = _american(token) if _TELLING.search(token) else token
    stem = snowball(word)
    return _met(stem) if stem[-1] in _MEETING and len(stem) >= _SHORTEST else stem


def _american(token: str) -> str:
    """Return *token* as America spells it and in the singular, so far as a rule tells."""
    if token[-3:] == "men" and len(token) > 5 and token not in _NO_MEN:
        return token[:-3] + "man"
    token = _OUR.sub(r"\1or", token)
    found = _ISE.fullmatch(token)
    if found is not None:
        before, after = found.groups()
        if before not in _NEVER_Z and before[-2:] != "pr":
            token = f"{before}iz{after}"
    token = _RE.sub(r"\1er", _OGUE.sub("", token.replace("lyz", "lys")))
    return _DIGRAPH.sub(lambda m: m.group().replace("ae", "e").replace("oe", "e"), token)


def _met(stem: str) -> str:
    """Return *stem* with an ending that its relatives lack, or have otherwise, made theirs."""
    if stem in _APART:
        return stem
    if stem[-3:] == "eri" and len(stem) > _SHORTEST + 1:  # delivery, deliver
        return stem[:-3]
    if stem[-1] == "i":  # allergy, allergic; injury, injure
        stem = stem[:-1]
    if stem[-2:] == "nc":  # pregnancy, pregnant; patience, patient
        return stem[:-1] + "t"
    if len(stem) > _SHORTEST:
        if stem[-4:] == "miss":  # permission, permit
            return stem[:-2] + "t"
        if stem[-6:] == "script":  # prescription, prescribe
            return stem[:-2] + "b"
    return stem
