"""Folding: one spelling for every way of writing the same word.

Search compares folded text with folded text. Folding must be applied to both sides.
"""

from __future__ import annotations

import unicodedata

__all__ = ["fold"]

# I, İ, ı and i are one letter: Turkish pairs I-ı and İ-i, English pairs I-i, and people type all
# four for the same word.
_DOTS = str.maketrans({"İ": "i", "I": "i", "ı": "i"})

# Scripts whose combining marks are accents that people leave out when typing. Elsewhere (Thai,
# Devanagari, Arabic, Hebrew, kana) a mark makes another word.
_ACCENTED = ("LATIN", "GREEK", "CYRILLIC")


def fold(text: str) -> str:
    """Return *text* in the spelling used for comparison.

    Case is dropped, compatibility forms (full-width letters, ligatures) become plain ones, and
    accents go in Latin, Greek and Cyrillic only. ``I``, ``İ``, ``ı`` and ``i`` are one letter.
    Folding twice changes nothing.

    Example:
        >>> fold("YILMAZ"), fold("Yılmaz"), fold("İstanbul"), fold("Straße"), fold("café")
        ('yilmaz', 'yilmaz', 'istanbul', 'strasse', 'cafe')
    """
    if text.isascii():
        return text.lower()
    plain = unicodedata.normalize("NFKD", text.translate(_DOTS)).casefold()
    plain = unicodedata.normalize("NFKD", plain).translate(_DOTS)
    kept: list[str] = []
    accented = False
    for char in plain:
        if unicodedata.combining(char):
            if accented:
                continue
        else:
            accented = _takes_accents(char)
        kept.append(char)
    return unicodedata.normalize("NFC", "".join(kept))


_known: dict[str, bool] = {}


def _takes_accents(char: str) -> bool:
    if char < "\x80":
        return True
    found = _known.get(char)
    if found is None:
        found = unicodedata.name(char, "").startswith(_ACCENTED)
        if len(_known) < 4096:
            _known[char] = found
    return found
