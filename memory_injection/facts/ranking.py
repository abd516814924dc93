"""BM25 over what one run can see.

Every number comes from the spaces searched (the agent's shared facts and the user's own), so that
facts of other users change neither the order nor the time. Pure.

Okapi BM25 (Robertson and Zaragoza 2009, k1 = 1.2, b = 0.75) with the idf that cannot go negative.
A query word matches every word it begins; what it matches counts by the share of it that was
asked for: ``direct`` in ``directors`` counts 6/9.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Collection, Iterable, Sequence

__all__ = ["Posting", "best"]

K1 = 1.2
B = 0.75

Posting = tuple[int, float, int]
"""Row of a fact, share of occurrences of the query word in it, words in it altogether."""


def best(
    matches: Iterable[Sequence[Posting]],
    *,
    facts: int,
    words: int,
    limit: int,
    allowed: Collection[int] | None = None,
    background: int | None = None,
) -> list[tuple[int, float]]:
    """Return the *limit* best (row, score), best first; a higher row first on ties.

    Args:
        matches: for each query word its postings; a row may come several times, once for each
            word of the text that the query word begins.
        facts: facts in the spaces searched.
        words: words in them altogether.
        limit: most rows to return.
        allowed: rows that pass the filters; None lets all pass. Filters do not change the scores.
        background: so many further facts are imagined, which hold none of the words, and scores
            become shares of what a text with every word once would reach: about 0 to 1.
    """
    mean = words / facts if facts else 1.0
    scores: dict[int, float] = {}
    reach = 0.0
    facts += background or 0
    for postings in matches:
        merged: dict[int, float] = {}
        lengths: dict[int, int] = {}
        for row, share, length in postings:
            merged[row] = merged.get(row, 0.0) + share
            lengths[row] = length
        idf = math.log(1 + (facts - len(merged) + 0.5) / (len(merged) + 0.5))
        reach += idf
        for row, share in merged.items():
            norm = K1 * (1 - B + B * lengths[row] / mean)
            scores[row] = scores.get(row, 0.0) + idf * share * (K1 + 1) / (share + norm)
    # Rounding keeps texts that differ in nothing that counts exactly equal, whatever the order
    # in which their parts were added up.
    unit = 1.0 if background is None else reach
    found = (
        (round(score / unit, 9), row)
        for row, score in scores.items()
        if allowed is None or row in allowed
    )
    return [(row, score) for score, row in heapq.nlargest(limit, found)]
