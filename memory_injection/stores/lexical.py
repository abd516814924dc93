"""Lexical ranking: from a question to candidates (FTS5) to scores between 0 and 1.

FTS5 finds candidates by BM25; what follows here is arithmetic over a few dozen rows:

1. BM25 over stems, with the owner's own word counts (other owners' texts change nothing);
2. times the share of the question's weight that the text covers, and more for words that stand
   side by side in both;
3. plus what the turns around it say, the more the shorter the turn is;
4. times a factor when the turn's speaker, or its day, is the one asked about;
5. divided by what a full match would reach: a question mostly made of words nobody has said
   scores low however well the rest matches.

See ``docs/explanation/lexical-recall.md`` for what each step adds.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from heapq import nlargest
from itertools import chain, repeat
from typing import Any, NamedTuple

from ..text import Period

__all__ = [
    "RELEVANCE_FLOOR",
    "Candidate",
    "Plan",
    "Word",
    "around",
    "attribute_weight",
    "context_weight",
    "dated_weight",
    "mistyped_weight",
    "named_factor",
    "neighbours_wanted",
    "own_scores",
    "pointing_weight",
    "rank",
    "unsaid_weight",
    "user_factors",
    "weigh",
    "whole_weight",
]

RELEVANCE_FLOOR = 0.12
"""Scores below are noise: about one off-topic question in ten finds anything above."""

_K1, _B = 0.9, 0.75  # BM25: Robertson & Zaragoza 2009; flat between 0.6-1.2 and 0.6-0.9
_NEAR = ((-2, 0.3), (-1, 0.6), (1, 0.6), (2, 0.3))  # share of a neighbour's score, by distance
_LEAN = 30.0  # terms; a turn this long leans on its neighbours half as much as an empty one
_COVERED = 0.5  # share of the score that depends on how much of the question is covered
_PAIR = 0.3  # more per pair of words standing side by side in both
_SPEAKER = 1.0  # more for turns of the speaker asked about
_ASKER = (1.5, 0.75)  # factors for the user's and for other turns when the asker speaks of "my"
_USER = (1.2, 0.8)  # the same when nobody is named: an assistant's replies echo the user's facts
_DAY = 0.7  # more for entries of the days asked about
_DATED = 0.3  # weight of the words of a date in a question of days: texts name others as well
_MISTYPED = 0.5  # weight of a word that the question's is one slip apart from
_POINTED = 0.5  # unknown words: what being of the days or speaker asked about is worth
_BACKGROUND = 100  # imagined other entries: in a store of three, every word would count as common
_SMALL = 10  # entries; what a memory of this size lacks is held against a question by half
_CONTEXT = 0.6  # weight of words from the turns before an ask that leans on them
_UNSAID = 0.3  # weight of what such an ask has and the memory lacks: its topic stands before it
_AHEAD = 1.01  # how far the best row with a word of such an ask stays ahead of those without
_LONG_TEXT = 60  # terms
_LONG_ASK = 12  # words; beyond, an ask is a message, not a question
_FULL = 1.9  # what a full match reaches per unit of weight (k1 + 1)


class Candidate(NamedTuple):
    """The columns of an entry that ranking reads, and how often it holds each token if long."""

    id: int
    scope: int
    place: int | None
    speaker: int | None
    length: int
    day: int
    terms: str = ""
    counts: Mapping[str, int] | None = None

    @staticmethod
    def of(row: tuple[Any, ...]) -> Candidate:
        """Read a database row. A long text's words are counted once, not for each word asked."""
        ident, scope, place, speaker, length, day, terms = row
        counts = Counter(terms.split()) if length > _LONG_TEXT else None
        return Candidate(ident, scope, place, speaker, length, day, terms, counts)


class Word(NamedTuple):
    """One word of the question.

    Attributes:
        weight: rarity (inverse document frequency), times 0.6 for a word of the turns before.
        tokens: per owner, the index token; several where languages stem it differently.
    """

    weight: float
    tokens: Mapping[int, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Plan:
    """What is looked for.

    Attributes:
        words: the question's words that occur in the visible entries.
        pairs: per owner, pairs of index tokens of words that are neighbours in the question.
        whole: weight of all the question's words, unknown ones included.
        average: mean number of terms of a visible entry.
        speakers: factor per speaker id; 1 for those not in it.
        periods: days asked about.
        pointed: weight of being of those days, and of *pointed_speakers* if there are any; 0 where
            a question asks for more than that.
        pointed_speakers: whose turns are asked for.
        alone: what the ask alone looks for, if the turns before it are looked for as well.
    """

    words: Sequence[Word]
    pairs: Mapping[int, Sequence[tuple[str, str]]]
    whole: float
    average: float
    speakers: Mapping[int, float] = field(default_factory=dict)
    periods: Sequence[Period] = ()
    pointed: float = 0.0
    pointed_speakers: frozenset[int] = frozenset()
    alone: Plan | None = None

    def points_at(self, speaker: int | None, day: int) -> bool:
        """Tell whether a turn of *speaker* on *day* is one that is asked for."""
        if self.pointed_speakers and speaker not in self.pointed_speakers:
            return False
        return not self.periods or any(first <= day <= last for first, last in self.periods)


def weigh(found: int, entries: int) -> float:
    """Return the weight of a word that *found* of *entries* entries hold (BM25's idf, smoothed).

    A word in none of them weighs the less the fewer entries there are: a small memory that lacks
    a word says little about whether the question is off topic.
    """
    if not found:
        return math.log(2.0 * entries + 2.0) * entries / (entries + _SMALL)
    rest = max(entries + _BACKGROUND - found, 0)
    return math.log(1.0 + (rest + 0.5) / (found + 0.5))


def context_weight(weight: float) -> float:
    """Return what a word of the turns before weighs."""
    return _CONTEXT * weight


def unsaid_weight(weight: float) -> float:
    """Return what a word weighs that an ask leaning on the turns before has and nobody has said."""
    return _UNSAID * weight


def dated_weight(weight: float) -> float:
    """Return what a word of the date weighs in a question of days and nothing else."""
    return _DATED * weight


def attribute_weight(weight: float) -> float:
    """Return what the word weighs that asks for an attribute, beside the thing it is asked of."""
    return _DATED * weight


def mistyped_weight(weight: float) -> float:
    """Return what a word weighs that one unknown to the memory is nearly written like."""
    return _MISTYPED * weight


def pointing_weight(entries: int, alone: bool) -> float:
    """Return what it weighs to be of the days or the speaker asked about.

    Less if these do not stand *alone* in the question.
    """
    return (_POINTED if alone else _POINTED / 2) * weigh(0, entries)


def whole_weight(weights: Sequence[float], entries: int, leaning: bool = False) -> float:
    """Return what all of a question's words weigh, as the measure of a full match.

    One unknown word is added, so that a single common word in common is no evidence. Beyond a
    dozen words the sum grows with the square root: nobody repeats a long message in full. For an
    ask *leaning* on the turns before, the unknown word counts less: such an ask is short.
    """
    whole = sum(weights)
    if len(weights) > _LONG_ASK:
        whole *= math.sqrt(_LONG_ASK / len(weights))
    unknown = weigh(0, entries)
    return whole + (unsaid_weight(unknown) if leaning else unknown)


def named_factor() -> float:
    """Return the factor for turns by a speaker the question names."""
    return 1.0 + _SPEAKER


def user_factors(first_person: bool) -> tuple[float, float]:
    """Return the factors for the user's turns and for others', in a talk with an assistant."""
    return _ASKER if first_person else _USER


def own_scores(rows: Sequence[Candidate], plan: Plan) -> list[float]:
    """Score each row by its own text (steps 1 and 2), and by being what a question points at.

    With turns before the ask, a row gets what the ask alone gives it, and what they add.
    """
    scores = _scores(rows, plan)
    if plan.alone is None:
        return scores
    scale = plan.whole / plan.alone.whole  # a score is measured by the whole in the end
    alone = _scores(rows, plan.alone)
    within = _scores(rows, replace(plan, words=plan.alone.words))
    return [
        score + max(scale * own - part, 0.0)
        for score, own, part in zip(scores, alone, within, strict=True)
    ]


def _scores(rows: Sequence[Candidate], plan: Plan) -> list[float]:
    flat, slope = _K1 * (1.0 - _B), _K1 * _B / max(plan.average, 1.0)
    uncovered, covered = 1.0 - _COVERED, _COVERED / plan.whole
    by_owner: dict[int, tuple[dict[str, _Asked], list[tuple[str, str, str]]]] = {}
    scores: list[float] = []
    for _, scope, _, _, length, _, terms, counts in rows:
        if scope not in by_owner:
            by_owner[scope] = _words_of(scope, plan), _pairs_of(scope, plan)
        words, pairs = by_owner[scope]
        norm = flat + slope * length
        score = seen = 0.0
        # In a short text, looking for the bare token is quicker than cutting the text up; it may
        # be the beginning of a longer one, which counting with the spaces around it tells.
        present = [token for token in words if token in (terms if counts is None else counts)]
        for token in present:
            weight, spaced = words[token]
            found = terms.count(spaced) if counts is None else counts[token]
            if found:
                score += weight * found * _FULL / (found + norm)
                seen += weight
        score *= uncovered + covered * seen
        if pairs and len(present) > 1:
            near = [both for left, right, both in pairs if left in present and right in present]
            score *= 1.0 + _PAIR * sum([both in terms for both in near])
        scores.append(score)
    if plan.pointed:
        given = _FULL * plan.pointed
        scores = [
            score + given if plan.points_at(row.speaker, row.day) else score
            for score, row in zip(scores, rows, strict=True)
        ]
    return scores


_Asked = tuple[float, str]
"""A word's weight, and the token as it stands."""


def _words_of(scope: int, plan: Plan) -> dict[str, _Asked]:
    return {
        token: (weight, f" {token} ")
        for weight, tokens in plan.words
        for token in tokens.get(scope, ())
    }


def _pairs_of(scope: int, plan: Plan) -> list[tuple[str, str, str]]:
    return [(left, right, f" {left}  {right} ") for left, right in plan.pairs.get(scope, ())]


def _led(found: list[tuple[float, int]], own: set[int]) -> list[tuple[float, int]]:
    """Lift the entries in *own*, in proportion, until one of them is first."""
    lead = max((score for score, ident in found if ident in own), default=0.0)
    rest = max((score for score, ident in found if ident not in own), default=0.0)
    if not 0.0 < lead < _AHEAD * rest:
        return found
    lift = _AHEAD * rest / lead
    return [(lift * score if ident in own else score, ident) for score, ident in found]


def _holders(rows: Sequence[Candidate], alone: Plan) -> set[int]:
    """Return the ids of the rows that hold a word of the ask."""
    return {row.id for row, score in zip(rows, _scores(rows, alone), strict=True) if score > 0.0}


def around(rows: Sequence[Candidate], scores: Sequence[float]) -> dict[int, float]:
    """Return what each place gets from the turns around it (step 3)."""
    near: dict[int, float] = {}
    get = near.get
    for row, score in zip(rows, scores, strict=True):
        place = row[2]
        if place is not None:
            for offset, share in _NEAR:
                at = place + offset
                near[at] = get(at, 0.0) + share * score
    return near


def neighbours_wanted(
    rows: Sequence[Candidate], near: Mapping[int, float], limit: int
) -> list[int]:
    """Return the most promising places whose turns are not among *rows*."""
    have = {row[2] for row in rows}
    wanted = [place for place in near if place not in have]
    wanted.sort(key=near.__getitem__, reverse=True)
    return wanted[:limit]


def rank(
    rows: Sequence[Candidate],
    scores: Sequence[float],
    near: Mapping[int, float],
    plan: Plan,
    limit: int,
) -> list[tuple[float, int]]:
    """Return the best *limit* as (score in 0..1, entry id), best first, newest first on ties.

    A tie is one of the scores before they are cut to 1.

    With turns before the ask, an entry that holds a word of the ask comes first: "And my brother?"
    after "What does my sister do?" asks for the brother.

    Args:
        rows: candidates and neighbours.
        scores: own score of each row; rows beyond its end have none.
        near: what :func:`around` returned.
        plan: what is looked for.
        limit: most to return.
    """
    whole = _FULL * plan.whole
    speakers, spans = plan.speakers, plan.periods
    found: list[tuple[float, int]] = []
    padded = chain(scores, repeat(0.0))
    for (ident, _, place, speaker, length, day, _, _), own in zip(rows, padded, strict=False):
        score = own
        if place is not None and place in near:
            score += near[place] * _LEAN / (_LEAN + length)
        if score > 0.0:
            if speaker is not None and speaker in speakers:
                score *= speakers[speaker]
            if spans and any(first <= day <= last for first, last in spans):
                score *= 1.0 + _DAY
            found.append((score, ident))
    if plan.alone is not None:
        found = _led(found, _holders(rows, plan.alone))
    return [(min(score / whole, 1.0), ident) for score, ident in nlargest(limit, found)]
