"""Merging several stores' lists: order kept, levels shared, nothing lost."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_injection.errors import ConfigurationError
from memory_injection.merging import FusedMerge, merge_policy, registration
from memory_injection.records import MemoryEntry

QUESTION = "Where did Melis adopt her kitten?"
ANSWER = "Melis adopted the kitten from the shelter in Bornova"
NOISE = ["The invoice is due on Monday", "We painted the fence green", "Rain again all week"]


def entry(text: str, score: float | None = None, **metadata: Any) -> MemoryEntry:
    return MemoryEntry(text, score=score, metadata=metadata or None)


def texts(entries: list[MemoryEntry]) -> list[str]:
    return [found.content for found in entries]


def fused(results: dict[str, list[MemoryEntry]], **options: Any) -> list[str]:
    return texts(FusedMerge(**options)(results, query=QUESTION, limit=5))


def test_registration_concatenates_in_registration_order() -> None:
    """The literal rule: no ranking across stores."""
    lists = {"a": [entry("1", 0.1)], "b": [entry("2", 0.9), entry("3", 0.8)]}
    assert texts(registration(lists, query="", limit=5)) == ["1", "2", "3"]


def test_one_list_keeps_its_order() -> None:
    """With a single store that answers there is nothing to merge."""
    own = [entry("1", 0.1), entry("2", 0.9)]
    assert fused({"a": own, "b": []}) == ["1", "2"]
    assert fused({}) == []


@pytest.mark.parametrize("scale", [1.0, 1000.0, 1e-6])
def test_the_scale_of_a_store_does_not_matter(scale: float) -> None:
    """The answer comes first although another store's scores are a thousand times larger."""
    found = {
        "a": [entry(text, 900.0 - at) for at, text in enumerate(NOISE)],
        "b": [entry(ANSWER, 0.9 * scale), entry("Melis likes tea", 0.3 * scale)],
    }
    assert fused(found)[0] == ANSWER


def test_stores_without_scores_take_part_by_rank() -> None:
    """No score is no handicap."""
    found = {"a": [entry(text, 9.0 - at) for at, text in enumerate(NOISE)], "b": [entry(ANSWER)]}
    assert fused(found)[0] == ANSWER


def test_rising_scores_are_read_as_an_order() -> None:
    """A store that returns distances, best first, keeps its order."""
    merged = fused({"a": [entry("x", 0.1), entry("y", 0.5), entry("z", 0.9)], "b": [entry("w")]})
    assert [text for text in merged if text != "w"] == ["x", "y", "z"]


def test_hits_scored_zero_come_last() -> None:
    """A score of zero means the store saw no evidence."""
    found = {"a": [entry("b one", 2.0), entry(ANSWER, 0.0)], "b": [entry("other", 1.0)]}
    assert fused(found)[-1] == ANSWER


def test_zero_is_an_ordinary_score_where_scores_go_below_it() -> None:
    """On a scale with negative values zero says nothing special."""
    found = {"a": [entry(ANSWER, 0.0), entry("b", -2.0)], "b": [entry("other", 1.0)]}
    assert fused(found)[0] == ANSWER


def test_calibrated_stores_are_compared_as_they_are() -> None:
    """Probabilities need no yardstick, and the better list goes first."""
    found = {"a": [entry("p", 0.4), entry("q", 0.2)], "b": [entry("r", 0.9), entry("s", 0.3)]}
    assert fused(found, calibrated={"a", "b"}) == ["r", "p", "s", "q"]


def test_calibrated_stores_show_where_the_others_belong() -> None:
    """A store of unknown scale that holds the question's words is put among the best."""
    found = {
        "unit": [entry("Melis has a kitten", 0.8), entry(NOISE[0], 0.1)],
        "other": [entry(ANSWER, 41.0), entry(NOISE[1], 40.0)],
    }
    assert set(fused(found, calibrated={"unit"})[:2]) == {"Melis has a kitten", ANSWER}


BENDS = {
    "as it is": lambda score: score,
    "logarithm": math.log,
    "power": lambda score: score**12,
    "exponential": lambda score: math.exp(60.0 * score),
}


@pytest.mark.parametrize("bend", BENDS.values(), ids=BENDS)
def test_a_bent_scale_does_not_push_good_entries_down(bend: Callable[[float], float]) -> None:
    """A store's second hit counts, however small its scale makes it look beside the first."""
    known = [
        entry("Melis has a kitten", 0.9),
        entry("Her kitten sleeps a lot", 0.8),
        entry(NOISE[1], 0.3),
        entry(NOISE[2], 0.2),
    ]
    other = [
        entry("Melis adopted it in Bornova", bend(0.9)),
        entry("The kitten is from a shelter", bend(0.8)),
        entry(NOISE[0], bend(0.3)),
        entry("Nothing on television", bend(0.2)),
    ]
    merged = fused({"unit": known, "other": other}, calibrated={"unit"})
    assert merged[:3] == [other[0].content, other[1].content, known[0].content]


@pytest.mark.parametrize("scores", [(0.9, 0.8, 0.7, 0.6), (0.95, 0.9, 0.5, 0.2)])
def test_a_list_without_the_questions_words_goes_behind_the_calibrated(
    scores: tuple[float, ...],
) -> None:
    """A store that found nothing of use takes no place from one that did."""
    found = ["Melis has a kitten", "Melis went to adopt it", "Her kitten sleeps", "Where is it?"]
    known = [entry(text, score) for text, score in zip(found, scores, strict=True)]
    other = [entry(text, 9.0 - at) for at, text in enumerate(NOISE)]
    merged = fused({"unit": known, "other": other}, calibrated={"unit"})
    assert merged == [*found, *NOISE]


def test_a_weight_lifts_a_store() -> None:
    """Of two equal lists the heavier one goes first."""
    found = {"a": [entry("Melis one", 0.5)], "b": [entry("Melis two", 0.5)]}
    assert fused(found, weights={"b": 2.0})[0] == "Melis two"
    assert fused(found, weights={"a": 2.0})[0] == "Melis one"


@pytest.mark.parametrize("weight", [0, -1, math.inf, math.nan, "2"])
def test_a_weight_must_be_a_positive_number(weight: Any) -> None:
    """The message names the store."""
    with pytest.raises(ConfigurationError, match="'notes'"):
        FusedMerge(weights={"notes": weight})


def test_a_neighbouring_turn_in_another_store_lends_weight() -> None:
    """A conversation dealt over stores is still found through its neighbours."""
    found = {
        "a": [entry(ANSWER, 0.9, session="1", turn=4), entry(NOISE[2], 0.2, session="9", turn=1)],
        "b": [
            entry(NOISE[0], 0.5, session="8", turn=1),
            entry("Yes, there!", 0.4, session="1", turn=5),
        ],
    }
    assert fused(found)[:2] == [ANSWER, "Yes, there!"]


def test_names_and_callables_are_read_as_policies() -> None:
    """``InjectionConfig.merge`` takes any of the three."""
    assert isinstance(merge_policy("fused"), FusedMerge)
    assert merge_policy("registration") is registration
    assert merge_policy(registration) is registration
    with pytest.raises(ConfigurationError, match="rank"):
        merge_policy("rank")


SCORES = st.none() | st.floats(allow_nan=False, allow_infinity=False)
ENTRIES = st.builds(
    MemoryEntry,
    st.text(min_size=1, max_size=40),
    score=SCORES,
    metadata=st.none()
    | st.fixed_dictionaries({"session": st.just("1"), "turn": st.integers(0, 9)}),
)
RESULTS = st.dictionaries(st.sampled_from("abcd"), st.lists(ENTRIES, max_size=6))


@settings(deadline=None)  # a busy machine is no failure
@given(RESULTS, st.text(max_size=60), st.sets(st.sampled_from("abcd")))
def test_nothing_is_lost_invented_or_changed(
    results: dict[str, list[MemoryEntry]], query: str, calibrated: set[str]
) -> None:
    """Any lists, any scores: the merge is a permutation of what came in."""
    before = {name: list(entries) for name, entries in results.items()}
    merged = FusedMerge(calibrated=calibrated)(results, query=query, limit=5)
    expected = [found for entries in results.values() for found in entries]
    assert sorted(map(id, merged)) == sorted(map(id, expected))
    assert results == before


@settings(deadline=None)  # a busy machine is no failure
@given(st.lists(st.integers(1, 5), min_size=2, max_size=3), st.sampled_from([8.0, 1e300, 1e-300]))
def test_rescaling_one_store_changes_nothing(sizes: list[int], factor: float) -> None:
    """Ranking is the same on any linear scale of an uncalibrated store."""

    def lists(scale: float) -> dict[str, list[MemoryEntry]]:
        return {
            f"store{at}": [
                entry(f"Melis {at} {n}", (5.0 - n) * (scale if at == 0 else 1.0))
                for n in range(size)
            ]
            for at, size in enumerate(sizes)
        }

    plain, scaled = (FusedMerge()(lists(x), query=QUESTION, limit=5) for x in (1.0, factor))
    assert texts(scaled) == texts(plain)


def test_the_yardstick_hears_who_speaks() -> None:
    """On an unknown scale, turns by the speaker asked about, or by the asker, count for more."""
    for question, one, other in (
        ("What did Melis buy?", "Melis", "Deniz"),
        ("What did I buy?", "user", "assistant"),
    ):
        lists = {
            "a": [entry("bought a kayak, buy more", 9.0, speaker=other)],
            "b": [entry("bought a kayak, buy more", 1.0, speaker=one)],
        }
        merged = FusedMerge()(lists, query=question, limit=5)
        assert [found.score for found in merged] == [1.0, 9.0]
