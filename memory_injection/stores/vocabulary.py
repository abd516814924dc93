"""The words of a memory: how many entries hold each, and which are like one that none holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

from ..text import one_slip_apart
from .database import Session
from .lexical import Word, attribute_weight, mistyped_weight, weigh

__all__ = ["Known", "Variants", "Vocabulary", "token", "weighed"]

Variants: TypeAlias = tuple[tuple[str, str], ...]
"""One word as (language, term) pairs."""

Known: TypeAlias = tuple[Word, int, list[str]]
"""A word, how many entries hold it, and its index tokens."""

_SHORTEST = 6  # letters of a term that may be mistyped
_MOST_MISTYPED = 3  # words of a question
_MOST_OWNERS = 8  # whose words are looked through
_MOST_LIKE = 3  # terms that one mistyped word may stand for
# Reading an index's words takes as long as their entries are many: so many letters have to agree.
_LARGE = 5_000
_VERY_LARGE = 100_000
# Turkish terms are the first five letters of a word: one of five is another word.
_CUT_SHORT = frozenset({"tr"})


def token(scope: int, term: str) -> str:
    """Return *term* as it is indexed for owner *scope*: owners never share a token."""
    return f"{scope}_{term}"


class Vocabulary:
    """What is in the index, asking SQLite once for each word until somebody writes."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def count(self, entry: str) -> int:
        """Return how many entries hold the index token *entry*."""
        memo = self._session.memo
        known: int | None = memo.get(entry)
        if known is None:
            row = self._session.conn.execute(
                "SELECT doc FROM temp.memory_vocabulary WHERE term = ?", (entry,)
            ).fetchone()
            known = memo[entry] = row[0] if row else 0
        return known

    def like(self, owner: int, term: str, alike: int) -> list[str]:
        """Return the index tokens of *owner* one slip apart from *term*, commonest first.

        They begin with the same *alike* letters.
        """
        memo = self._session.memo
        found: list[str] | None = memo.get(("like", owner, term, alike))
        if found is None:
            begins = token(owner, term[:alike])
            size = len(token(owner, term))
            rows = self._session.conn.execute(
                "SELECT term, doc FROM temp.memory_vocabulary WHERE term >= ? AND term < ?"
                " AND length(term) BETWEEN ? AND ?",
                (begins, begins + "\U0010ffff", size - 1, size + 1),
            ).fetchall()
            bare = len(begins) - alike
            close = [row for row in rows if one_slip_apart(row[0][bare:], term)]
            close.sort(key=lambda row: -row[1])
            found = [row[0] for row in close[:_MOST_LIKE]]
            memo["like", owner, term, alike] = found
        return found


class _Found(NamedTuple):
    total: int
    tokens: list[str]
    per_owner: dict[int, tuple[str, ...]]


def weighed(
    words: Mapping[str, Variants],
    owners: Sequence[int],
    entries: int,
    vocabulary: Vocabulary,
    most: int,
    light: frozenset[str] = frozenset(),
    attributes: frozenset[str] = frozenset(),
    mistyped: bool = False,
) -> tuple[list[Known], list[float]]:
    """Return the known words (with how often and under which tokens), and all the weights.

    Those of the known words come first, in order.

    Args:
        words: what is asked, with its terms per language.
        owners: whose entries may be read.
        entries: how many these are.
        vocabulary: the words they hold.
        most: the rarest so many are kept.
        light: words that weigh nothing if unknown.
        attributes: words that weigh little if known.
        mistyped: whether an unknown word may stand for one that is nearly written like it. It is
            held against the question all the same.
    """
    known: list[Known] = []
    missing: list[float] = []
    slips = _MOST_MISTYPED if mistyped and len(owners) <= _MOST_OWNERS else 0
    nobody = weigh(0, entries)
    for word, variants in words.items():
        found = _exact(variants, owners, vocabulary)
        if found.total:
            weight = weigh(found.total, entries)
            weight = attribute_weight(weight) if word in attributes else weight
            known.append((Word(weight, found.per_owner), found.total, found.tokens))
        elif word not in light:
            missing.append(nobody)
            terms = _long_terms(variants) if slips else ()
            if terms:
                slips -= 1
                found = _like(terms, owners, entries, vocabulary)
                if found.total:
                    weight = mistyped_weight(weigh(found.total, entries))
                    missing[-1] = max(nobody - weight, 0.0)
                    known.append((Word(weight, found.per_owner), found.total, found.tokens))
    if len(known) > most:
        known = sorted(known, key=lambda item: item[1])[:most]
    return known, [word.weight for word, _, _ in known] + missing[:most]


def _exact(variants: Variants, owners: Sequence[int], vocabulary: Vocabulary) -> _Found:
    terms = dict.fromkeys(term for _, term in variants)
    per_owner: dict[int, tuple[str, ...]] = {}
    tokens: list[str] = []
    total = 0
    for owner in owners:
        for term in terms:
            entry = token(owner, term)
            times = vocabulary.count(entry)
            if times:
                total += times
                tokens.append(entry)
                per_owner[owner] = (*per_owner.get(owner, ()), entry)
    return _Found(total, tokens, per_owner)


def _long_terms(variants: Variants) -> dict[str, None]:
    return dict.fromkeys(
        term
        for language, term in variants
        if language not in _CUT_SHORT and len(term) >= _SHORTEST and term.isalpha()
    )


def _like(
    terms: Mapping[str, None], owners: Sequence[int], entries: int, vocabulary: Vocabulary
) -> _Found:
    alike = 2 + (entries > _LARGE) + (entries > _VERY_LARGE)
    per_owner: dict[int, tuple[str, ...]] = {}
    tokens: list[str] = []
    for owner in owners:
        like = dict.fromkeys(one for term in terms for one in vocabulary.like(owner, term, alike))
        if like:
            per_owner[owner] = tuple(like)
            tokens += like
    return _Found(sum(map(vocabulary.count, tokens)), tokens, per_owner)
