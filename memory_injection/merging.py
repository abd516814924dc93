"""How several stores' lists become one ranking.

Stores score on scales of their own: cosines, BM25, distances, nothing at all. Ranks alone throw
away how good a list is, so a store that found nothing of use gets as much room as one that found
the answer. ``FusedMerge`` keeps each store's order and spacing, and takes the *level* of a list
from a yardstick that all lists share: how much of the question its texts hold, word for word,
rare words first. Lists that are calibrated already (0..1, ``score_scale = "unit"``) are compared
as they are. They show where the yardstick puts the others, and how a list usually falls from its
first entry to its last: a foreign scale may be bent (a root, a logarithm, a distance), so half of
the spacing follows that fall, rank by rank, and half the list's own scores. (Giving one list the
values another has at the same rank is quantile normalisation: Bolstad et al. 2003.)

All of this is pure: no I/O, no clock, no state.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from .entries import place_of
from .errors import ConfigurationError
from .protocols import MergePolicy
from .records import MemoryEntry
from .text import FIRST_PERSON, stems, tokenize

__all__ = ["FusedMerge", "merge_policy", "registration"]

_RANK_CONSTANT = 3  # of 1 / (rank + constant), for lists without scores; 60 would flatten them
_TEXT = 4000  # characters of an entry the yardstick reads
_LEAST_SPREAD = 0.05  # of a list's yardstick: equal texts still keep their order
_BETWEEN = 1.5  # how much farther lists lie apart than the spread inside them tells
_OWN = 0.5  # share of a list's own spacing where calibrated lists show the usual one
_NEIGHBOURS = {1: 0.4, 2: 0.2}  # turns away -> share of its weight a turn lends
_LEAN = 80  # words: a text this long takes half of what a neighbour lends
_NAMED = 2.0  # factor of the yardstick for turns by a speaker the question names...
_ASKED = 1.4  # ...and for the user's own where the question says "my", others the less
_ASKERS = frozenset({"user", "human"})
_ROLES = _ASKERS | {"assistant", "ai", "bot", "model", "system", "tool"}
_CERTAIN = 1e-4  # unit scores are kept this far from 0 and 1


def registration(
    results: Mapping[str, Sequence[MemoryEntry]], *, query: str, limit: int
) -> list[MemoryEntry]:
    """Return the lists one after the other, in registration order, nothing ranked across."""
    return [entry for entries in results.values() for entry in entries]


def merge_policy(value: object) -> MergePolicy:
    """Read ``"fused"``, ``"registration"`` or a callable as a merge policy.

    Raises:
        ConfigurationError: anything else.
    """
    if value == "fused":
        return FusedMerge()
    if value == "registration":
        return registration
    if callable(value):
        policy: MergePolicy = value
        return policy
    raise ConfigurationError(f"merge must be 'fused', 'registration' or a callable, not {value!r}")


@dataclass(slots=True)
class _Found:
    """One entry on its way into the ranking."""

    entry: MemoryEntry
    store: str
    words: int
    yard: float  # share of the question its text holds, 0..about 1
    value: float = 0.0  # comparable between stores once placed
    zero: bool = False  # its store scored it 0: no evidence


class FusedMerge:
    """Ranks across stores of unknown scales; see the module's description.

    Args:
        weights: store name to how much its entries count, above 0; 1 where not given. The odds of
            an entry are multiplied by it.
        calibrated: names of the stores whose scores are comparable probabilities (0..1).

    Raises:
        ConfigurationError: a weight that is not a positive, finite number.
    """

    def __init__(
        self, *, weights: Mapping[str, float] | None = None, calibrated: Collection[str] = ()
    ) -> None:
        for name, weight in (weights or {}).items():
            if not (isinstance(weight, (int, float)) and 0 < weight < math.inf):
                raise ConfigurationError(
                    f"the weight of store {name!r} must be a number above 0, not {weight!r}"
                )
        self._weights = dict(weights or {})
        self._calibrated = frozenset(calibrated)

    def __call__(
        self, results: Mapping[str, Sequence[MemoryEntry]], *, query: str, limit: int
    ) -> list[MemoryEntry]:
        """Return all entries, best first. A single list keeps its order."""
        lists = [(name, entries) for name, entries in results.items() if entries]
        if len(lists) < 2:
            return [entry for _, entries in lists for entry in entries]
        groups = _measure(lists, query)
        self._place(groups)
        pool = [found for group in groups for found in group]
        _lend(pool)
        order = sorted(
            range(len(pool)), key=lambda at: (pool[at].zero, -round(pool[at].value, 9), at)
        )
        return [pool[at].entry for at in order]

    def _place(self, groups: list[list[_Found]]) -> None:
        """Give every entry a value that is comparable with the others'."""
        known = [group for group in groups if self._is_calibrated(group)]
        for group in known:
            for found in group:
                found.value = _log_odds(found.entry.score or 0.0)
        bridge = _Bridge.over(known)
        for group in groups:
            if group not in known:
                bridge.place(group)
        for group in groups:
            weight = math.log(self._weights.get(group[0].store, 1.0))
            for found in group:
                found.value += weight

    def _is_calibrated(self, group: list[_Found]) -> bool:
        return group[0].store in self._calibrated and all(
            found.entry.score is not None and 0.0 <= found.entry.score <= 1.0 for found in group
        )


def _measure(lists: Sequence[tuple[str, Sequence[MemoryEntry]]], query: str) -> list[list[_Found]]:
    """Put the yardstick to every text: BM25 over the pool, as a share of the best possible."""
    texts = [[Counter(stems(entry.content[:_TEXT])) for entry in entries] for _, entries in lists]
    pool = [text for group in texts for text in group]
    asked = set(stems(query[:_TEXT]))
    voice = _voice(query[:_TEXT])
    seen = {term: sum(term in text for text in pool) for term in asked}
    rarity = {t: math.log1p((len(pool) - n + 0.5) / (n + 0.5)) for t, n in seen.items()}
    whole = sum(rarity.values()) or 1.0
    usual = sum(text.total() for text in pool) / len(pool) or 1.0

    def share(text: Counter[str]) -> float:
        norm = 0.45 + 0.45 * text.total() / usual
        return sum(rarity[t] * text[t] * 1.9 / (text[t] + norm) for t in asked & set(text)) / whole

    return [
        [
            _Found(
                entry, name, text.total(), share(text) * voice(entry), zero=_is_zero(entry, entries)
            )
            for entry, text in zip(entries, group, strict=True)
        ]
        for (name, entries), group in zip(lists, texts, strict=True)
    ]


def _voice(query: str) -> Callable[[MemoryEntry], float]:
    """Return how much an entry counts for who says it: the speaker named, or the asker's own."""
    said = set(tokenize(query))
    first = bool(said & FIRST_PERSON)

    def factor(entry: MemoryEntry) -> float:
        speaker = (entry.metadata or {}).get("speaker")
        if not isinstance(speaker, str) or not speaker:
            return 1.0
        words = set(tokenize(speaker))
        if words <= _ROLES:
            if not first:
                return 1.0
            return _ASKED if words <= _ASKERS else 1.0 / _ASKED
        return _NAMED if words & said else 1.0

    return factor


def _is_zero(entry: MemoryEntry, entries: Sequence[MemoryEntry]) -> bool:
    """A score of 0 among positive ones means "no evidence"; where scores go below, it does not."""
    return entry.score == 0 and all(other.score is None or other.score >= 0 for other in entries)


def _steps(group: Sequence[_Found]) -> list[float]:
    """Return the list's own spacing, in standard deviations around its mean."""
    scores = [found.entry.score for found in group]
    ranked = [1.0 / (rank + _RANK_CONSTANT) for rank in range(len(group))]
    usable = all(score is not None for score in scores) and _falls(scores)
    peak = max((abs(score) for score in scores if score), default=1.0)
    values = [(score or 0.0) / peak for score in scores] if usable else ranked
    return _standard(values)


def _standard(values: Sequence[float]) -> list[float]:
    level, spread = _moments(values)
    return [(value - level) / spread if spread > 0 else 0.0 for value in values]


def _falls(scores: Sequence[float | None]) -> bool:
    """Scores that rise down the list are distances or rubbish: only the order is to be used."""
    first, last = scores[0], scores[-1]
    return first is not None and last is not None and first >= last


def _moments(values: Sequence[float]) -> tuple[float, float]:
    mean = sum(values) / len(values)
    spread = math.sqrt(sum((value - mean) ** 2 for value in values) / len(values))
    return mean, spread if math.isfinite(spread) else 0.0


@dataclass(frozen=True, slots=True)
class _Bridge:
    """The way from the yardstick to the calibrated lists' log-odds; without such, to itself.

    Lists differ by more than the spread inside them tells: each holds a store's best entries only,
    which are alike in value while their words still vary. Hence ``_BETWEEN``.
    """

    yard: float = 0.0
    value: float = 0.0
    slope: float = 1.0  # values per unit of the yardstick, inside a list
    between: float = 1.0  # the same between lists, in slopes
    falls: Sequence[Sequence[float]] = ()  # the calibrated lists' steps, falling

    @classmethod
    def over(cls, known: Sequence[Sequence[_Found]]) -> _Bridge:
        pool = [found for group in known for found in group]
        if not pool:
            return cls()
        yard, spread = _moments([found.yard for found in pool])
        value, width = _moments([found.value for found in pool])
        slope = width / max(spread, _LEAST_SPREAD) if width > 0 else 1.0
        steps = [_standard([found.value for found in group]) for group in known]
        falls = [sorted(group, reverse=True) for group in steps if any(group)]
        return cls(yard, value, slope, _BETWEEN, falls)

    def place(self, group: Sequence[_Found]) -> None:
        """Give the entries of a list of unknown scale their values."""
        level, spread = _moments([found.yard for found in group])
        middle = self.value + self.slope * self.between * (level - self.yard)
        width = self.slope * max(spread, _LEAST_SPREAD)
        for at, (found, step) in enumerate(zip(group, _steps(group), strict=True)):
            if self.falls:
                depth = at / max(len(group) - 1, 1)
                usual = sum(_along(fall, depth) for fall in self.falls) / len(self.falls)
                step = _OWN * step + (1.0 - _OWN) * usual
            found.value = middle + width * step


def _along(fall: Sequence[float], depth: float) -> float:
    """Return the step at *depth* (0 the first entry, 1 the last), between two if need be."""
    at = depth * (len(fall) - 1)
    above = int(at)
    below = min(above + 1, len(fall) - 1)
    return fall[above] + (at - above) * (fall[below] - fall[above])


def _log_odds(score: float) -> float:
    inside = min(max(score, _CERTAIN), 1.0 - _CERTAIN)
    return math.log(inside / (1.0 - inside))


def _lend(pool: list[_Found]) -> None:
    """Let neighbouring turns that another store holds lend weight, as they do inside a store."""
    places = {place: found for found in pool if (place := place_of(found.entry)) is not None}
    if len(places) < 2:
        return
    least = min(found.value for found in pool)
    lent = {id(found): found.value - least for found in pool}
    for (session, turn), found in places.items():
        lean = _LEAN / (_LEAN + found.words)
        for away, share in _NEIGHBOURS.items():
            for other in (places.get((session, turn - away)), places.get((session, turn + away))):
                if other is not None and other.store != found.store:
                    found.value += share * lean * lent[id(other)]
