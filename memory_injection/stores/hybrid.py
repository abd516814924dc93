"""Hybrid ranking: words and vectors weighed by how sharply each of them points.

Both lists are put in standard deviations over everything the caller may read. A list that knows
something has a peak far above what chance would give among so many entries; a list that knows
nothing (an English model on Turkish text, a question whose words are everywhere) looks like
noise. So the weight of each list follows its own peak, question by question, and no constant has
to be set for short turns, long documents or a language. On top of the sum:

- turns next to a good one get a share of its weight, the more the shorter they are;
- turns of the speaker asked about, or of the day asked about, get a fixed step;
- the level of the scores (0..1) comes from evidence that means the same in every memory: the
  share of the question's words found, and the cosine on the model's own scale.

See ``docs/explanation/semantic-recall.md`` for what each step adds. Arrays hold one value per
entry, in the order of the view's rows; in a large memory that of the entries picked by an
approximate index, with a :class:`Level` for the rest.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from . import lexical

__all__ = [
    "RELEVANCE_FLOOR",
    "Evidence",
    "Level",
    "by_words",
    "calibrated",
    "fuse",
    "lifts",
    "standard",
    "weights",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

RELEVANCE_FLOOR = 0.5
"""Scores below are noise; see ``calibrated``."""

_WORDS_PER_PEAK = 0.22  # weight of the words' list per unit of its peak; flat from .15 to .30
_BLIND, _SURE = 0.7, 1.1  # peaks of the vectors' list at which its weight is 0 and 1
_NEAR = {1: 0.4, 2: 0.2}  # share of a neighbour's weight, by distance in turns
_LEAN = 40.0  # terms; a turn this long takes half of what its neighbours lend
_SPEAKER = 1.5  # standard deviations per unit of a speaker's factor above 1
_DAY = 0.7  # standard deviations for the days asked about
_NORMAL = NormalDist()


@dataclass(frozen=True, slots=True)
class Level:
    """How many values there are, their mean and their standard deviation."""

    entries: int
    mean: float
    spread: float

    @classmethod
    def of(cls, values: Floats, entries: int | None = None) -> Level:
        """Return the level of *values* without the unknown ones (NaN), read as *entries* many."""
        known = values[~np.isnan(values)]
        count = len(known) if entries is None else entries
        return cls(count, float(known.mean()), float(known.std())) if len(known) else _NOTHING

    @classmethod
    def filled(cls, values: Floats, entries: int) -> Level:
        """Return the level of *values* and of as many zeros as make *entries* of them."""
        mean = float(values.sum()) / max(entries, 1)
        square = float(((values - mean) ** 2).sum()) + (entries - len(values)) * mean**2
        return cls(entries, mean, math.sqrt(square / max(entries, 1)))

    @classmethod
    def pooled(cls, levels: Sequence[Level]) -> Level:
        """Return the level of all that *levels* describe, together."""
        entries = sum(one.entries for one in levels)
        if not entries:
            return _NOTHING
        mean = sum(one.entries * one.mean for one in levels) / entries
        square = sum(one.entries * (one.spread**2 + (one.mean - mean) ** 2) for one in levels)
        return cls(entries, mean, math.sqrt(square / entries))


_NOTHING = Level(0, 0.0, 0.0)


@dataclass(slots=True)
class Evidence:
    """What is known of every entry the caller may read, or of those picked from them.

    Attributes:
        words: lexical score by the entry's own text, 0 where no word matches.
        cosines: similarity to the question; NaN where there is none, or where it tells nothing.
        lengths: number of terms.
        near: distance in turns to index arrays of the entries at that distance, -1 for none.
        lifts: steps added at the end, in standard deviations (speakers, days).
        level: the level of the cosines of all entries; None if every entry is here. Entries that
            are not here share no word with the question.
        entries: how many entries there are in all; None if every one is here.
    """

    words: Floats
    cosines: Floats
    lengths: Floats
    near: Mapping[int, Ints] = field(default_factory=dict)
    lifts: Floats | None = None
    level: Level | None = None
    entries: int | None = None


def standard(values: Floats, level: Level | None = None) -> Floats:
    """Return *values* in standard deviations around their mean; NaN (unknown) becomes 0.

    *level* tells mean and deviation where *values* are not all there are.
    """
    level = level or Level.of(values)
    if level.spread < 1e-9:
        return np.zeros_like(values)
    found: Floats = np.nan_to_num((values - level.mean) / level.spread)
    return found


def chance(count: int) -> float:
    """Return the peak to expect among *count* draws of noise (Blom 1958)."""
    return _NORMAL.inv_cdf((count - 0.375) / (count + 0.25)) if count > 1 else 1.0


def fuse(evidence: Evidence) -> Floats:
    """Return one value per entry, higher is better, comparable within this question only."""
    entries = len(evidence.words) if evidence.entries is None else evidence.entries
    words = standard(evidence.words, Level.filled(evidence.words, entries))
    meaning = standard(evidence.cosines, evidence.level)
    level = evidence.level or Level.of(evidence.cosines)
    by_words, by_meaning = weights(words, meaning, entries, level.entries)
    own = by_words * words + by_meaning * meaning
    total = own.copy()
    lean = _LEAN / (_LEAN + evidence.lengths)
    for distance, share in _NEAR.items():
        for at in (evidence.near.get(distance), evidence.near.get(-distance)):
            if at is not None:
                total += share * lean * np.where(at >= 0, own[at], 0.0)
    return total if evidence.lifts is None else total + evidence.lifts


def weights(
    words: Floats, meaning: Floats, entries: int | None = None, compared: int | None = None
) -> tuple[float, float]:
    """Return the shares of the words' and the vectors' list (they sum to 1; 0, 0 for neither).

    Args:
        words: what the words say, in standard deviations.
        meaning: what the vectors say, in standard deviations.
        entries: how many entries they are the best of; None if they are all.
        compared: how many of those have a cosine; None if all do.
    """
    entries = len(words) if entries is None else entries
    by_words = _WORDS_PER_PEAK * max(float(words.max(initial=0.0)), 0.0) / chance(entries)
    expected = chance(entries if compared is None else compared)
    sharpness = float(meaning.max(initial=0.0)) / expected
    by_meaning = min(max((sharpness - _BLIND) / (_SURE - _BLIND), 0.0), 1.0)
    if not by_words and meaning.any():
        by_meaning = 1.0
    total = by_words + by_meaning
    return (by_words / total, by_meaning / total) if total > 0 else (0.0, 0.0)


def lifts(
    speakers: Ints, days: Ints, factors: Mapping[int, float], periods: Sequence[tuple[int, int]]
) -> Floats | None:
    """Return the steps for speakers (by factor) and for days asked about, or None for none."""
    if not factors and not periods:
        return None
    found = np.zeros(len(speakers))
    for ident, factor in factors.items():
        found[speakers == ident] += _SPEAKER * (factor - 1.0)
    if periods:
        asked = np.zeros(len(days), dtype=bool)
        for first, last in periods:
            asked |= (first <= days) & (days <= last)
        found[asked] += _DAY
    return found


# Log-odds that an entry answers the question, from the share of the question's words found in
# and around it and from its cosine between "unrelated" (0) and "question and answer" (1). The best
# of many entries looks better by chance, so the odds fall with the size of the memory: at even
# odds about one foreign question in eight finds something, in a memory of 8 entries as of 600.
_ODDS, _ODDS_SIZE, _ODDS_WORDS, _ODDS_MEANING = -1.4, -0.37, 8.0, 4.6
_LEAST_SPREAD = 0.2
_SPACING = 0.7  # of the odds below the first entry's: silence is decided by the best entry


def calibrated(
    values: Sequence[float],
    words: Sequence[float],
    meaning: Sequence[float],
    entries: int,
    level: int | None = None,
) -> list[float]:
    """Return a probability (0..1) for each of the best entries, in the order given.

    Of those with a cosine, level and spread come from the evidence, order and spacing from
    *values*. The others count by their words, on the words' own scale, and never for more than
    what stands before them: they tell nothing about a list that they are not compared in.

    Args:
        values: what ``fuse`` gave the best entries, falling.
        words: their calibrated lexical scores (0..1), neighbours and speakers included.
        meaning: their cosines on the model's own scale (0 unrelated, 1 answer), or NaN.
        entries: how many entries were compared by their cosines.
        level: how many of the best set the list's level and spread; None is all.
    """
    start = _ODDS + _ODDS_SIZE * math.log(max(entries, 1))
    known = [at for at, cosine in enumerate(meaning) if not math.isnan(cosine)]
    odds = [start + _ODDS_WORDS * words[at] + _ODDS_MEANING * meaning[at] for at in known]
    spaced = _spaced([values[at] for at in known], odds, level)
    scores: list[float] = []
    highest, rest = 1.0, iter(spaced)
    for word, cosine in zip(words, meaning, strict=True):
        if not math.isnan(cosine):
            highest = next(rest)
        scores.append(min(by_words(word), highest) if math.isnan(cosine) else highest)
    return scores


def _spaced(values: Sequence[float], odds: Sequence[float], level: int | None) -> list[float]:
    """Return probabilities with the level and spread of *odds*, spaced as *values* are."""
    if not values:
        return []
    mean, spread = _moments(odds[:level])
    middle, width = _moments(values[:level])
    slope = max(spread, _LEAST_SPREAD) / width if width > 1e-9 else 0.0
    first = mean + slope * (values[0] - middle)
    return [_probability(first + _SPACING * slope * (value - values[0])) for value in values]


def by_words(word: float) -> float:
    """Return the probability for a calibrated lexical score where there is no vector."""
    return _probability(_odds_by_words(word))


def _odds_by_words(word: float) -> float:
    """Return odds that are even at the floor of the words alone."""
    return _ODDS_WORDS * (word - lexical.RELEVANCE_FLOOR)


def _moments(values: Sequence[float]) -> tuple[float, float]:
    mean = sum(values) / len(values)
    return mean, math.sqrt(sum((value - mean) ** 2 for value in values) / len(values))


def _probability(odds: float) -> float:
    return 1.0 / (1.0 + math.exp(-min(max(odds, -30.0), 30.0)))
