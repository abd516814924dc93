"""Rules that say in English what a text says of dates in another language."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TypeAlias

__all__ = ["MONTHS", "Rule", "Said", "rewritten", "rule"]

MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
)  # fmt: skip

Said: TypeAlias = "str | Callable[[re.Match[str]], str]"
"""English words, or a function that says a match in them."""

Rule: TypeAlias = "tuple[re.Pattern[str], Callable[[re.Match[str]], str]]"


def rule(pattern: str, said: Said) -> Rule:
    """Return the rule that *pattern*, in folded text, is *said* so; spaces set it apart."""

    def in_english(match: re.Match[str]) -> str:
        return f" {said if isinstance(said, str) else said(match)} "

    return re.compile(pattern), in_english


def rewritten(plain: str, rules: Iterable[Rule]) -> str:
    """Return *plain* with every rule applied, in order."""
    for pattern, said in rules:
        plain = pattern.sub(said, plain)
    return plain
