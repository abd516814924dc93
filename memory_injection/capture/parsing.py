"""Finds the facts in what a model wrote, also with prose, fences or a broken end around them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

__all__ = ["facts_in"]

_DECODER = json.JSONDecoder()
_THOUGHT = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_THOUGHT_END = re.compile("</think(?:ing)?>", re.IGNORECASE)
_OPENING = re.compile(r"[\[{]")
_ITEM = re.compile(r"[\[,]\s*(?=[\"{])")

_MOST_TRIED = 200
"""Brackets that open no JSON before the rest is given up: each costs a look at all that follows."""

LISTS = ("facts", "memories", "entries", "items", "results")
TEXTS = ("content", "fact", "text", "memory")


def facts_in(said: str) -> list[str] | None:
    """Return the facts in a model's reply; None if it holds no JSON of the form asked for.

    Read are a list or an object with one, of strings or of objects with a text. A list cut off
    by the reply's length limit gives the items that are whole.
    """
    # Up to the last closing tag every search for one ends; past it each would run to the end.
    end = max((tag.end() for tag in _THOUGHT_END.finditer(said)), default=0)
    said = _THOUGHT.sub("", said[:end]) + said[end:]
    for value in _values(said):
        facts = _listed(value)
        if facts is not None:
            return facts
    return _salvaged(said)


def _values(said: str) -> Iterator[Any]:
    """Yield each outermost JSON array or object in *said*."""
    at = tried = 0
    while tried < _MOST_TRIED and (opening := _OPENING.search(said, at)) is not None:
        found = _decoded(said, opening.start())
        if found is None:
            at = opening.end()
            tried += 1
        else:
            value, at = found
            yield value


def _decoded(said: str, at: int) -> tuple[Any, int] | None:
    try:
        return _DECODER.raw_decode(said, at)
    except (ValueError, RecursionError):
        return None


def _listed(value: Any) -> list[str] | None:
    if isinstance(value, Mapping):
        lists = (value[name] for name in LISTS if isinstance(value.get(name), list))
        value = next(lists, None)
        if value is None:
            return None
    facts = [fact for item in value if (fact := _text(item))]
    # A list of numbers, as in a footnote [1], is not an answer without facts: [] is.
    return facts if facts or not value else None


def _text(item: Any) -> str:
    if isinstance(item, Mapping):
        item = next((item[name] for name in TEXTS if isinstance(item.get(name), str)), "")
    return item.strip() if isinstance(item, str) else ""


def _salvaged(said: str) -> list[str] | None:
    opening = next((said.find(f'"{name}"') for name in LISTS if f'"{name}"' in said), -1)
    start = said.find("[", opening) if opening >= 0 else -1
    if start < 0:
        return None
    facts = []
    while (item := _ITEM.match(said, start)) is not None:
        found = _decoded(said, item.end())
        if found is None:
            break
        value, start = found
        facts.append(_text(value))
    return [fact for fact in facts if fact] or None
