"""The figures: hand-worked cases, and what holds for any ranking."""

from __future__ import annotations

import io
import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_injection.errors import InputError, MissingDependencyError
from memory_injection.evaluation import plotting
from memory_injection.evaluation.metrics import (
    Outcome,
    block_figures,
    figures,
    interval,
    intervals,
    percentile,
)  # fmt: skip
from memory_injection.evaluation.plotting import BUDGETS, bars, by_budget, draw, format_of
from memory_injection.evaluation.silence import auc, kept_at, threshold_for


def outcome(found: str, gold: str, **rest: object) -> Outcome:
    return Outcome(frozenset(gold), tuple(found), 0.01, **rest)  # type: ignore[arg-type]


def test_recall_is_the_share_of_gold_among_the_first_k() -> None:
    """Two of three gold entries in the first five."""
    one = outcome("axbyz", "abc")
    assert (one.recall(1), one.recall(5)) == (1 / 3, 2 / 3)


def test_ndcg_has_binary_gains() -> None:
    """First place 1, third place 1/log2(4); the ideal has both on top."""
    found = outcome("axb", "ab").ndcg(10)
    assert found == pytest.approx((1 + 0.5) / (1 + 1 / math.log2(3)))


def test_the_keys_are_the_ones_programs_read() -> None:
    """``n`` first, latency last."""
    found = figures([outcome("ab", "b"), outcome("ab", "z")])
    assert list(found) == [
        "n", "R@1", "R@5", "R@10", "R@20", "any@5", "nDCG@10", "p50_ms", "p95_ms",
    ]  # fmt: skip
    assert (found["n"], found["R@1"], found["R@5"], found["any@5"]) == (2, 0.0, 0.5, 0.5)
    assert found["p50_ms"] == 10.0


def test_no_question_gives_zeros() -> None:
    """Nothing asked, nothing divided."""
    assert figures([])["R@10"] == 0.0
    assert interval([]) == (0.0, 0.0)
    assert percentile([], 50) == 0.0


def test_entries_are_packed_in_order_and_what_does_not_fit_is_skipped() -> None:
    """As the block is packed: try the next one."""
    one = outcome("abc", "ac", packed=(("a", 200), ("b", 400), ("c", 50)))
    assert one.recall_within(256) == 1.0
    assert one.recall_within(100) == 0.5
    assert by_budget([one])[256] == 1.0
    assert by_budget([])[256] == 0.0


def test_a_larger_budget_can_show_less() -> None:
    """A long entry that fits now takes the place of several short ones."""
    one = outcome("abc", "bc", packed=(("a", 1400), ("b", 600), ("c", 100)))
    assert (one.recall_within(1024), one.recall_within(1536)) == (1.0, 0.5)


def test_a_block_is_measured_over_all_questions() -> None:
    """A question without a block has nothing of the evidence, and counts."""
    asked = [
        outcome("ab", "ab", block=("a", "x", "y"), block_tokens=90),
        outcome("ab", "a", block=()),
        outcome("ab", "a", block=("a",), block_tokens=30),
    ]
    assert block_figures(asked) == {"recall": 0.5, "empty": 0.3333, "entries": 1.33, "tokens": 40.0}
    assert block_figures([outcome("ab", "a")]) == block_figures([]) == {}


@settings(deadline=None)  # a busy machine is no failure
@given(
    st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=8),
    st.sets(st.sampled_from("abcdefgh"), min_size=1),
)
def test_figures_stay_between_0_and_1_and_recall_grows(found: list[str], gold: set[str]) -> None:
    """For any ranking."""
    each = outcome("".join(found), "".join(gold))
    recalls = [each.recall(k) for k in (1, 5, 10, 20)]
    assert recalls == sorted(recalls)
    assert all(0 <= value <= 1 for value in (*recalls, each.ndcg(10)))


@settings(deadline=None)  # a busy machine is no failure
@given(st.lists(st.floats(0, 1), min_size=1, max_size=60))
def test_an_interval_holds_the_mean_and_is_the_same_each_time(values: list[float]) -> None:
    """Fixed seed; the mean lies inside, up to rounding."""
    low, high = interval(values)
    assert (low, high) == interval(values)
    assert low - 1e-3 <= sum(values) / len(values) <= high + 1e-3 or len(values) < 8


def test_every_metric_has_an_interval() -> None:
    """The same keys as the figures, but for n and latency."""
    assert set(intervals([outcome("a", "a")])) == {
        "R@1", "R@5", "R@10", "R@20", "any@5", "nDCG@10",
    }  # fmt: skip


def test_kept_counts_answerable_scores_above_the_tenth_false_one() -> None:
    """Of ten off-topic scores one may pass; ties do not."""
    off_topic = [n / 10 for n in range(10)]
    assert threshold_for(off_topic) == 0.8
    assert kept_at([0.95, 0.85, 0.8, 0.1], off_topic) == 0.5
    assert kept_at([], off_topic) == 0.0
    assert kept_at([0.1], []) == 1.0


def test_auc_counts_ties_half() -> None:
    """Certain, impossible, undecided."""
    assert auc([2.0, 3.0], [0.0, 1.0]) == 1.0
    assert auc([0.0], [1.0]) == 0.0
    assert auc([1.0], [1.0]) == 0.5
    assert auc([], [1.0]) == 0.0


def test_bars_are_as_long_as_the_recall() -> None:
    """Full width is a recall of one."""
    lines = bars(dict.fromkeys(BUDGETS, 0.0) | {256: 1.0, 512: 0.5}).splitlines()
    assert lines[0].count("█") == 40
    assert lines[1].count("█") == 20
    assert lines[1].endswith("0.500")
    assert "█" not in lines[2]


def test_a_plot_is_written_as_png_or_svg() -> None:
    """The suffix says which."""
    pytest.importorskip("matplotlib", reason="matplotlib draws the file")
    for name, start in (("x.svg", b"<?xml"), ("x.PNG", b"\x89PNG")):
        drawn = io.BytesIO()
        draw({256: 0.5, 512: 0.6}, drawn, format_of(Path(name)), "recall")
        assert drawn.getvalue().startswith(start)


def test_a_plot_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without matplotlib: one line."""

    def missing(name: str) -> object:
        raise ImportError(name)

    with pytest.raises(InputError, match=r"\.png or \.svg"):
        format_of(Path("x.txt"))
    monkeypatch.setattr(plotting.importlib, "import_module", missing)
    with pytest.raises(MissingDependencyError, match="matplotlib"):
        format_of(Path("x.png"))
