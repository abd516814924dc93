"""Leave out what is in view already, and copies of a better entry."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from ..ledger_records import Shown
from ..records import MemoryEntry
from ..rendering import legal_text
from .effects import Skip, Trace
from .request import Request
from .retrieve import dropped_entry
from .standing import Standing

__all__ = ["fresh_entries", "sameness", "shown"]

# A number with its sign and inner marks is one word; symbols are words too, since "C++" is not
# "C", and neither "-5" nor ".5" is "5". Plain sentence punctuation says nothing and is dropped.
_WORDS = re.compile(r"[-+]?\.?\d+(?:[.,:/]\d+)*|\w+(?:['’]\w+)*|[^\w\s.,;:!?\"'’“”„«»()…]")
# Words that never change a fact. Pronouns, prepositions and negations do, so they count.
_EMPTY = frozenset({"a", "an", "the", "also", "really", "just"})
_COMPARED = 4000  # characters; longer texts are near-copies only if equal from there on


def fresh_entries(
    request: Request, standing: Standing, ranked: Sequence[MemoryEntry], trace: Trace
) -> list[MemoryEntry]:
    """Return the candidates (at most ``max_entries``) that are not in view yet.

    What is in view uses up its place among the candidates, so a long conversation on one topic
    adds less and less instead of the next-best each turn.

    Raises:
        Skip: every candidate is in view.
    """
    distinct = _distinct(ranked, trace)
    limit = request.config.max_entries
    for entry in distinct[limit:]:
        trace.dropped.append(dropped_entry(entry, "max_entries"))
    fresh = []
    for entry in distinct[:limit]:
        if _in_view(request, standing, entry):
            trace.dropped.append(dropped_entry(entry, "shown"))
        else:
            fresh.append(entry)
    if not fresh:
        raise Skip("all_duplicates" if distinct else "nothing_found")
    return fresh


def _in_view(request: Request, standing: Standing, entry: MemoryEntry) -> bool:
    if request.config.format is not None:
        text = legal_text(entry.content)
        return any(text in view for view in standing.views)
    if not standing.shown:
        return False
    own = shown(entry)
    # A block rendered without sources cannot tell which store an entry came from.
    return own in standing.shown or Shown(None, own.content) in standing.shown


def shown(entry: MemoryEntry) -> Shown:
    """Return what a block that shows *entry* is recognised to show."""
    if len(entry.content) > _COMPARED:
        return _shown(entry.store_name, entry.content)
    return _remembered_shown(entry.store_name, entry.content)


def _shown(store: str | None, content: str) -> Shown:
    return Shown(legal_text(store) if store else None, legal_text(content))


def _distinct(ranked: Sequence[MemoryEntry], trace: Trace) -> list[MemoryEntry]:
    seen: set[tuple[str, ...]] = set()
    texts: set[str] = set()  # equal texts need no second reading, however long they are
    distinct = []
    for entry in ranked:
        text = entry.content
        known = text in texts
        if not known:
            texts.add(text)
            key = _remembered(text) if len(text) <= _COMPARED else sameness(text)
            known = key in seen
            seen.add(key)
        if known:
            trace.dropped.append(dropped_entry(entry, "duplicate"))
        else:
            distinct.append(entry)
    return distinct


def sameness(text: str) -> tuple[str, ...]:
    """Return what two near-equal texts have in common: their words in order, folded.

    Case, white space, sentence punctuation and articles do not count. Every other word does, so
    texts that differ in a number, a name or a negation are different facts.
    """
    start = text[:_COMPARED]
    folded = (start if start.isascii() else unicodedata.normalize("NFKC", start)).casefold()
    words = tuple(word for word in _WORDS.findall(folded) if word not in _EMPTY)
    return (*words, text[_COMPARED:]) if words else (text,)


_remembered = lru_cache(maxsize=4096)(sameness)  # the same memories come up again and again
_remembered_shown = lru_cache(maxsize=4096)(_shown)
