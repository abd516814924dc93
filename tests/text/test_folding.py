"""Folding: one spelling for every way of writing a word."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_injection.text import fold


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("YILMAZ", "Yılmaz"),
        ("DİYARBAKIR", "diyarbakır"),
        ("kırmızı", "KIRMIZI"),
        ("kirmizi", "kırmızı"),
        ("invoice", "INVOICE"),
        ("İSTANBUL", "istanbul"),
        ("Straße", "STRASSE"),
        ("café", "cafe"),
        ("Ελλάδα", "ΕΛΛΑΔΑ"),
        ("ёлка", "ЕЛКА"),
        ("\uff21\uff22\uff23", "abc"),
        ("ﬁne", "fine"),
        ("e\u0301", "é"),
        ("ŞÖÇĞÜ", "socgu"),
    ],
)
def test_spellings_of_one_word_fold_alike(one: str, other: str) -> None:
    """Case, accents, width, ligatures and the four kinds of i make no difference."""
    assert fold(one) == fold(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ไม", "ไม้"),
        ("कि", "की"),
        ("が", "か"),
        ("כ", "כּ"),
        ("мир", "мер"),
        ("acı", "ace"),
    ],
)
def test_different_words_stay_different(one: str, other: str) -> None:
    """A mark that makes another letter or word is kept (Thai, Hindi, kana, Hebrew)."""
    assert fold(one) != fold(other)


@given(st.text())
def test_folding_twice_changes_nothing(text: str) -> None:
    """Folded text is a fixed point."""
    assert fold(fold(text)) == fold(text)


@given(st.text(alphabet="ıiIİşŞğĞaAbBzZ", min_size=1))
def test_case_never_matters_in_turkish(text: str) -> None:
    """Upper and lower case fold alike, by Turkish rules too."""
    turkish_upper = text.replace("i", "İ").replace("ı", "I").upper()
    assert fold(text) == fold(turkish_upper)
