"""BM25 over records, the same on every machine.

Okapi BM25 with k1 = 1.2 and b = 0.75 (Robertson and Zaragoza, "The Probabilistic Relevance
Framework", 2009, section 3), the inverse document frequency in Lucene's form, which is never
negative. Logarithms differ in the last bit between C libraries, so they come from ``decimal``,
which rounds them correctly everywhere; terms are summed in one fixed order.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from functools import lru_cache
from typing import Protocol, TypeAlias
from weakref import WeakKeyDictionary

from .record import FileRecord
from .words import StemmedWords

__all__ = ["BM25Engine", "Hit", "SearchEngine", "Tokenizer"]

Tokenizer: TypeAlias = Callable[[str], Iterable[str]]
Hit: TypeAlias = "tuple[FileRecord, float]"

_K1 = 1.2
_B = 0.75
_TITLE_WEIGHT = 2  # a word in the title or a tag counts as if it stood in the text twice
_LN = Context(prec=30)


class SearchEngine(Protocol):
    """Ranks records for a query; what ``RecallOptions(engine=...)`` takes."""

    def search(self, query: str, records: Sequence[FileRecord], limit: int) -> Iterable[Hit]:
        """Return at most *limit* pairs of a record and its score, best first.

        *records* are all the caller may see. An unchanged file gives the same record objects
        from call to call, so that an engine can keep what it worked out about each.
        """
        ...


@dataclass(frozen=True, slots=True)
class _Words:
    counts: dict[str, int]
    length: int


# Records with their words, and the mean length of all.
_Corpus: TypeAlias = "tuple[list[tuple[FileRecord, _Words]], float]"


class BM25Engine:
    """The default engine. Deterministic; ties go to the newest record, then to the lowest id."""

    def __init__(
        self, tokenizer: Tokenizer | None = None, stop_words: Collection[str] | None = None
    ) -> None:
        """Rank by the words *tokenizer* gives, without *stop_words*.

        Args:
            tokenizer: text to words, for records and queries alike; None for the built-in one.
            stop_words: words that never count, in the form the tokenizer gives them. None with
                the built-in tokenizer means the stop words of each text's language; with another
                tokenizer, none.
        """
        given = None if stop_words is None else frozenset(stop_words)
        self._tokenize: Tokenizer = StemmedWords(given) if tokenizer is None else tokenizer
        self._stop_words = frozenset() if tokenizer is None or given is None else given
        self._last: tuple[Sequence[FileRecord], _Corpus] = ((), ([], 1.0))
        self._known: WeakKeyDictionary[FileRecord, _Words] = WeakKeyDictionary()

    def search(self, query: str, records: Sequence[FileRecord], limit: int) -> list[Hit]:
        """Return the *limit* best records that share a word with *query*."""
        terms = sorted(set(self._words(query)))
        if not terms or not records:
            return []
        known, mean = self._read_all(records)
        matching = [pair for pair in known if not pair[1].counts.keys().isdisjoint(terms)]
        weights = _weights(terms, matching, len(known))
        scored = [(record, _score(words, weights, mean)) for record, words in matching]
        return heapq.nsmallest(limit, scored, key=_order)

    def _read_all(self, records: Sequence[FileRecord]) -> _Corpus:
        # A tuple cannot change behind our back, so the same tuple means the same records.
        of, corpus = self._last
        if of is not records or not isinstance(records, tuple):
            known = [(record, self._read(record)) for record in records]
            corpus = known, sum(words.length for _, words in known) / len(known)
            self._last = records, corpus
        return corpus

    def _read(self, record: FileRecord) -> _Words:
        words = self._known.get(record)
        if words is None:
            words = self._known[record] = self._count(record)
        return words

    def _count(self, record: FileRecord) -> _Words:
        # In one piece, so that a title of two words is read in the language of its text.
        heading = [record.title, *record.tags] * _TITLE_WEIGHT
        counts = Counter(self._words("\n".join((*heading, record.content))))
        return _Words(dict(counts), sum(counts.values()))

    def _words(self, text: str) -> Iterable[str]:
        stop_words = self._stop_words
        return (word for word in self._tokenize(text) if word not in stop_words)


def _weights(
    terms: Sequence[str], matching: Sequence[tuple[FileRecord, _Words]], total: int
) -> list[tuple[str, float]]:
    found = [(term, sum(term in words.counts for _, words in matching)) for term in terms]
    return [(term, _inverse_frequency(total, count)) for term, count in found if count]


@lru_cache(maxsize=65536)
def _inverse_frequency(total: int, containing: int) -> float:
    ratio = (Decimal(2 * (total - containing) + 1)) / Decimal(2 * containing + 1)
    return float(_LN.ln(1 + ratio))


def _score(words: _Words, weights: Sequence[tuple[str, float]], mean: float) -> float:
    damping = _K1 * (1 - _B + _B * words.length / mean)
    score = 0.0
    for term, weight in weights:
        count = words.counts.get(term)
        if count:
            score += weight * count * (_K1 + 1) / (count + damping)
    return score


def _order(hit: Hit) -> tuple[float, float, str]:
    record, score = hit
    moment = record.updated_at or record.created_at
    return -score, -moment.timestamp() if moment is not None else 0.0, record.id
