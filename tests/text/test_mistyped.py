"""Mistyped words: one slip is told from another word."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_injection.text import one_slip_apart

SLIPS = """
passprt:passport maraton:marathon apoint:appoint fesetiv:festiv reciev:receiv parliment:parliament
calender:calendar restaurent:restaurant tahnk:thank arpnet:arpanet
"""
OTHERS = """
adopt:adapt potter:poster writer:write count:countr house:house passport:sport
restaurent:rastauront apple:maple calendar:calendas
"""


@pytest.mark.parametrize("pair", SLIPS.split())
def test_a_slip_is_seen_from_either_side(pair: str) -> None:
    """A letter more or less, two swapped, and in a long word another one."""
    one, other = pair.split(":")
    assert one_slip_apart(one, other)
    assert one_slip_apart(other, one)


@pytest.mark.parametrize("pair", OTHERS.split())
def test_another_word_is_none(pair: str) -> None:
    """Another letter in a short word, another end, two slips; a word is no slip of itself."""
    one, other = pair.split(":")
    assert not one_slip_apart(one, other)
    assert not one_slip_apart(other, one)


@given(st.text(alphabet="abc", max_size=10), st.integers(0, 9))
def test_a_letter_left_out_before_the_end_is_a_slip(word: str, at: int) -> None:
    """Wherever it stands, unless the word only ends sooner."""
    left = word[:at] + word[at + 1 :]
    assert one_slip_apart(left, word) == (at < len(word) and not word.startswith(left))
