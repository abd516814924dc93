"""What is written together, apart or with a sign between has one way of writing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_injection.text import apart, raw_words, stems, term_words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("wi-fi, Wi-Fi, WI-FI", ["wifi", "wifi", "wifi"]),
        ("WI-FI", ["wifi"]),
        ("e-mail", ["email", "mail"]),
        ("my co-worker", ["my", "coworker", "worker"]),
        ("a T-shirt and an x-ray", ["a", "tshirt", "shirt", "and", "an", "xray", "ray"]),
        (
            "Re-reading the check-up form",
            ["rereading", "reading", "the", "check", "checkup", "form"],
        ),
        ("vitamin B-12", ["vitamin", "b12"]),
        ("my brother-in-law", ["my", "brother", "in", "law"]),
        ("well-known", ["well", "known"]),
        ("1,450 or 1.450 or 12,345,678", ["1450", "or", "1450", "or", "12345678"]),
        ("1,45 and 3.14", ["1", "45", "and", "3", "14"]),
        ("at 192.168.1.20", ["at", "192", "168", "1", "20"]),
        ("15.03.2024", ["15", "03", "2024"]),
        ("a Ph.D. in the U.S.A., at 5 p.m.", ["a", "phd", "in", "the", "usa", "at", "5", "pm"]),
        ("J.R.R. Tolkien", ["jrr", "tolkien"]),
        ("the end.So it goes", ["the", "end", "so", "it", "goes"]),
        ("e-posta İ-5 Über-raschung", ["eposta", "posta", "İ5", "Über", "raschung"]),
        ("", []),
    ],
)
def test_signs_inside_a_word_go(text: str, words: list[str]) -> None:
    """Prefixes and particles, thousands and initials; what follows a prefix stays a word."""
    assert term_words(text) == words


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        ("iphone15", ("iphone", "15")),
        ("iPhone15", ("iPhone", "15")),
        ("10km", ("10", "km")),
        ("covid19", ("covid", "19")),
        ("23rd", ("23",)),
        ("b12", ("b12",)),
        ("5g", ("5g",)),
        ("h1n1", ("h1n1",)),
        ("2024", ("2024",)),
        ("cat", ("cat",)),
    ],
)
def test_numbers_are_words_of_their_own(word: str, parts: tuple[str, ...]) -> None:
    """A name and its number, an amount and its unit; codes and single letters stay whole."""
    assert apart(word) == parts


@pytest.mark.parametrize("language", ["en", "tr", "de", None])
@pytest.mark.parametrize(
    "texts",
    [("10km", "10 km"), ("COVID-19", "covid19"), ("5kg", "5 kg"), ("Vitamin B-12", "B12 vitamin")],
)
def test_both_ways_give_the_same_terms(texts: tuple[str, str], language: str | None) -> None:
    """In every language."""
    assert sorted(stems(texts[0], language)) == sorted(stems(texts[1], language))


@given(st.text(alphabet=st.sampled_from("abCo-.,1 9éı\n")))
def test_no_letter_or_digit_is_lost(text: str) -> None:
    """Joining takes signs away, and says the word after a prefix, or before a particle, again."""
    joined = "".join(term_words(text)).lower()
    left = iter(joined)
    assert all(char in left for char in "".join(raw_words(text)).lower())
