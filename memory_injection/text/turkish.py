"""Turkish stems: suffixes are cut down to a known root.

Turkish words are chains: root, plural, possessive, case, copula (``araba-lar-ımız-da-ydı``), or
verb, voice, negation, tense, person (``gel-me-yecek-ler``). Which letters belong to the root cannot
be told from the ending alone: ``arabayı`` is ``araba-yı`` and ``çayı`` is ``çay-ı``. So the
longest root of :mod:`~memory_injection.text.turkish_roots` that leaves a well-formed chain is
taken. Rules: Göksel and Kerslake, "Turkish: A Comprehensive Grammar" (2005), chapters 6 to 8.
Endings are compared folded, where harmony leaves two vowels each (``[iu]``, ``[ae]``).
"""

from __future__ import annotations

import re

from .folding import fold
from .turkish_roots import DOUBLED, DROPPED, HARD, MADE, NOUNS, SOFTENED, VERBS

__all__ = ["known_root", "short_root"]

_HARD = {"p": "b", "ç": "c", "t": "d", "k": "ğ"}  # before a vowel
_VOWELS = "aeiou"
_BEGINNINGS = frozenset(_VOWELS)
_LONGEST_ROOT = 12
_SHORT = 5  # letters


def _nominal() -> tuple[str, str, str]:
    """Return the endings after a consonant, after a vowel, and after a root of two letters."""
    kin = r"(?:ki(?:l[ae]r)?(?:n[iu]n?|n[ae]|nd[ae]n?)?)?"
    copula = (
        r"(?:y?[dt][iu](?:m|n|k|n[iu]z|l[ae]r)?|y?m[iu]s(?:[iu]m|s[iu]n|[iu]z|l[ae]r)?"
        r"|[dt][iu]r(?:l[ae]r)?|y?[iu]m|s[iu]n(?:[iu]z)?|y?[iu]z|y?s[ae](?:m|n|k)?|y?ken)?"
    )
    case = r"(?:[iu]n?|[ae]|[dt][ae]n?|l[ae]|l[ae]y[iu]n)?"
    case_after_vowel = r"(?:y[iu]|y[ae]|[dt][ae]n?|n[iu]n|yl[ae]|l[ae]y[iu]n)?"
    case_after_theirs = r"(?:n[iu]n?|n[ae]|nd[ae]n?|yl[ae]|nc[ae])?"
    mine = rf"(?:[iu]m[iu]z|[iu]n[iu]z|[iu]m|[iu]n){case}"
    mine_after_vowel = rf"(?:m[iu]z|n[iu]z|m|n)(?:l[ae]r)?{case}"
    after_consonant = rf"(?:{mine}|(?:l[ae]r)?[iu]{case_after_theirs}|{case})"
    plain = rf"(?:l[ae]r)?{after_consonant}{kin}"
    one = plain + copula
    other = (
        rf"(?:l[ae]r{after_consonant}|{mine_after_vowel}|s[iu]{case_after_theirs}"
        rf"|{case_after_vowel}){kin}{copula}"
    )
    made = (
        rf"(?:(?:c[iu]|l[iu])?(?:l[iu][kg]|s[iu]z|c[iu][kg]){one}"
        rf"|(?:c[iu]|l[iu]|s[iu]zc[ae]){other})"
    )
    return rf"(?:{one}|{made})", rf"(?:{other}|{made})", rf"(?:{plain}|{made})"


def _verbal(one: str, other: str) -> str:
    """Return the endings of a verb."""
    voice = r"(?:[iu]?[lnt]|[iu]?s|[dt][iu]r|[iuae]r){0,2}"
    able = r"(?:y?[ae]bil|y?[iu]ver)?"
    negated = r"(?:m[aeiu]|y?[ae]m[aeiu])?"
    person = r"(?:m|n|k|z|[iu]m|[iu]z|s[iu]n(?:[iu]z)?|n[iu]z|l[ae]r)?"
    tense = (
        r"(?:[iu]?yor|y?[ae]c[ae][kg]|[dt][iu]|m[iu]s|[iuae]?r|z|m[ae]l[iu]|s[ae])"
        r"(?:y?[dt][iu]|y?m[iu]s|y?s[ae]|l[ae]rd[iu]|[dt][iu]r)?"
    )
    named = (
        rf"(?:m[ae][kg]{one}|m[ae]{other}|y?[ae]n{one}|[dt][iu][kg]{one}|y?[iu]s{one}"
        rf"|y?[ae]c[ae][kg]{one})"
    )
    joined = r"(?:y?[iu]p|y?[ae]r[ae]k|y?[iu]nc[ae]|m[ae]d[ae]n|[iuae]?rken|y?[ae]l[iu])"
    wished = r"(?:y?[iu]n(?:[iu]z)?|s[iu]n(?:l[ae]r)?|y?[ae]l[iu]m|y?[ae]y[iu]m)"
    return rf"{voice}{negated}{able}(?:{tense}{person}|{named}|{joined}|{wished})?"


_ONE, _OTHER, _TINY = _nominal()
_AFTER_CONSONANT, _AFTER_VOWEL = re.compile(_ONE), re.compile(_OTHER)
_AFTER_TWO_LETTERS = re.compile(_TINY)
_BUFFERED = re.compile(
    r"(?:s[iu](?:n[iu]n?|n[ae]|nd[ae]n?|yl[ae])?|y[iuae]|n[iu]n|yl[ae]|[dt][ae]n?"
    r"|l[ae]r(?:[iu]?m|[iu]?m[iu]z|[iu]n?)?(?:[iu]|[ae]|[dt][ae]n?|[iu]n)?|m[iu]z)"
)
_OF_VERB = re.compile(_verbal(_ONE, _OTHER))
# What only a verb ends in, though a noun might fit: anlamadı is no "it was to the meaning".
_CLEARLY = re.compile(r"[iu]yor|m[ae](?:d[iu](?:m|n|k|n[iu]z|l[ae]r)?$|m[iu]s|y[ae]c[ae][kg])")
_EATEN = frozenset({"yedim", "yedin", "yediniz", "yediler"})  # the number seven has no person
_SWUM = re.compile(r"[dt][iu](?:m|n|k|n[iu]z|l[ae]r)?|m[iu]s.*")
# Verbs that would be taken for another word: for a face or a hundred, for being, for a dog.
_SHOWN = {"yüz": "yüzme", "yuz": "yuzme", "öl": "ölüm", "doğ": "doğum"}
# Before -iyor a verb loses its last vowel, and may look like another, rarer one.
_RARER = {"d": "de", "y": "ye", "yar": "yara", "yık": "yıka", "uy": "uyu"}


def _variants(roots: set[str], longest: int) -> dict[str, str]:
    """Return what roots look like before a vowel, for those that soften.

    All of more than *longest* letters do, but for those known to be hard.
    """
    softening = set(SOFTENED.split())
    hard = set(HARD.split())
    found: dict[str, str] = {}
    for root in roots:
        if root[-1] in _HARD and (len(root) > longest or root in softening) and root not in hard:
            soft = "g" if root.endswith("nk") else _HARD[root[-1]]
            found[root[:-1] + soft] = root
    return found


def _roots() -> tuple[dict[str, str], dict[str, str], dict[str, str]]:
    """Return the roots of nouns and verbs, under each way they are spelled before an ending.

    The last of the three has verbs as they are before -iyor: bekle, bekliyor.
    """
    nouns, verbs = set(NOUNS.split()), set(VERBS.split())
    pairs = (pair.split(":") for pair in (DROPPED + DOUBLED).split())
    changed = {short: root for root, short in pairs}
    nouns |= set(changed.values())
    of_nouns = _variants(nouns, 3) | changed | {"suy": "su"} | {root: root for root in nouns}
    cut = {root[:-1]: root for root in verbs if len(root) > 2 and root[-1] in "ae"}
    going_on = {short: root for short, root in cut.items() if short not in verbs} | _RARER
    longer = {short: root for short, root in cut.items() if len(root) > 3}
    of_verbs = longer | _variants(verbs, _LONGEST_ROOT) | {"diy": "de", "yiy": "ye"}
    return of_nouns, of_verbs | {root: root for root in verbs}, going_on


def _folded(roots: dict[str, str]) -> dict[str, str]:
    found = {fold(start): fold(root) for start, root in roots.items()}
    return found | {root: root for root in found.values() if root not in found}


_Roots = tuple[dict[str, str], dict[str, str], dict[str, str]]
_SPELLED: _Roots = _roots()
_FOLDED: _Roots = (_folded(_SPELLED[0]), _folded(_SPELLED[1]), _folded(_SPELLED[2]))
_MADE = {fold(word): fold(root) for word, root in (pair.split(":") for pair in MADE.split())}


def known_root(word: str) -> str | None:
    """Return the folded root of a *word* in lower case, or None if it has no known one.

    As spelled first (``işim`` is ``iş-im``, not ``isim``), then without tails and dots, as many
    people type.

    Example:
        >>> known_root("arabayı"), known_root("cayi"), known_root("şehri"), known_root("gidiyoruz")
        ('araba', 'cay', 'sehir', 'git')
    """
    folded = fold(word)
    if not folded.isalpha():
        return None
    root = _longest(word, folded, _SPELLED) if len(word) == len(folded) else None
    root = fold(root) if root is not None else _longest(folded, folded, _FOLDED)
    return root if root is None else _MADE.get(root, root)


def _longest(word: str, folded: str, roots: _Roots) -> str | None:
    nouns, verbs, _ = roots
    root = _clear_verb(word, folded, roots)
    if root is not None:
        return _SHOWN.get(root, root)
    for size in range(min(len(word), _LONGEST_ROOT), 1, -1):
        start, ending = word[:size], folded[size:]
        root = nouns.get(start)
        if root is not None and _fits(start, root, folded[size - 1], ending):
            return root
        root = verbs.get(start)
        grows = start == root or ending[:1] in _BEGINNINGS
        if root is not None and grows and _OF_VERB.fullmatch(ending):
            return _SHOWN.get(root, root)
    return None


def _clear_verb(word: str, folded: str, roots: _Roots) -> str | None:
    """Return the verb that *word* can only be a form of, whatever noun its letters begin with."""
    _, verbs, going_on = roots
    if folded[0] == "y":
        if folded in _EATEN:
            return "ye"
        if folded[:3] == "yuz" and _SWUM.fullmatch(folded[3:]):
            return word[:3]
    found = _CLEARLY.search(folded)
    if found is None:
        return None
    start = word[: found.start()]
    if found[0][0] == "m":
        return start if verbs.get(start) == start else None
    return going_on.get(start)


def _fits(start: str, root: str, last: str, ending: str) -> bool:
    if not ending:
        return start == root
    if start != root and ending[0] not in _VOWELS:
        return False  # what softens or shrinks does so before a vowel only
    if last in _VOWELS:
        return _AFTER_VOWEL.fullmatch(ending) is not None
    endings = _AFTER_TWO_LETTERS if len(root) == 2 else _AFTER_CONSONANT
    return endings.fullmatch(ending) is not None


def short_root(word: str) -> str | None:
    """Return what stands before an ending that only follows a vowel, of an unknown folded *word*.

    Only where that is short enough for a wrong cut to matter: of longer words the first letters
    are the stem. A short word that ends in a vowel is left whole.

    Example:
        >>> short_root("goleti"), short_root("bozayi"), short_root("boza")
        (None, 'boza', 'boza')
    """
    if len(word) <= _SHORT and word[-1] in _VOWELS:
        return word
    for size in range(min(len(word) - 1, _SHORT), 2, -1):
        start = word[:size]
        if start[-1] in _VOWELS and _BUFFERED.fullmatch(word[size:]):
            return start
    return None
