"""The arithmetic of hybrid ranking: weights follow the lists' own peaks."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

np = pytest.importorskip("numpy", reason="numpy comes with the embeddings and light extras")

from memory_injection.stores import lexical  # noqa: E402
from memory_injection.stores.hybrid import (  # noqa: E402
    Evidence,
    Level,
    by_words,
    calibrated,
    chance,
    fuse,
    lifts,
    standard,
    weights,
)
from memory_injection.stores.questions import View  # noqa: E402
from memory_injection.stores.vectorizing import run, scale_of  # noqa: E402
from memory_injection.stores.vectors import Model, Scale  # noqa: E402
from memory_injection.stores.wording import in_first_person  # noqa: E402

NOISE = np.random.default_rng(1)


def spiked(at: int, height: float, count: int = 200) -> np.ndarray:
    values = NOISE.normal(size=count)
    values[at] = height
    return standard(values)


def evidence(words: np.ndarray, cosines: np.ndarray, **rest: object) -> Evidence:
    return Evidence(words, cosines, np.zeros(len(words)), **rest)  # type: ignore[arg-type]


def test_a_list_without_a_peak_gets_little_weight() -> None:
    """Cosines that look like noise hardly count beside words that point somewhere."""
    flat = standard(np.sin(np.arange(200.0)))
    assert weights(spiked(3, 12.0), flat)[1] < weights(spiked(3, 12.0), spiked(5, 6.0))[1]


def test_words_that_are_everywhere_count_less() -> None:
    """The weight of the words grows with their peak: long documents flatten it."""
    assert weights(spiked(3, 4.0), spiked(5, 6.0))[0] < weights(spiked(3, 12.0), spiked(5, 6.0))[0]


def test_without_words_the_vectors_decide() -> None:
    """A question that matches no word is answered by meaning, however flat."""
    nothing = np.zeros(5)
    assert weights(nothing, standard(np.array([0.1, 0.2, 0.1, 0.1, 0.1]))) == (0.0, 1.0)


def test_with_neither_nothing_is_said() -> None:
    """No words, no vectors: every value is zero."""
    assert not fuse(evidence(np.zeros(3), np.full(3, np.nan))).any()


def test_an_entry_without_a_vector_can_still_win_by_words() -> None:
    """Entries that wait for their vector take part at the mean."""
    words, cosines = np.zeros(50), np.sin(np.arange(50.0))
    words[2], cosines[2] = 9.0, np.nan
    assert int(np.argmax(fuse(evidence(words, cosines)))) == 2


def test_a_neighbour_lends_the_more_the_shorter_the_turn_is() -> None:
    """A short turn leans on what stands beside it, a long one speaks for itself."""
    words = np.array([9.0, 0.0, 0.0, 0.0, 0.0])
    near = {1: np.array([-1, 0, -1, -1, -1]), -1: np.array([-1, -1, -1, 0, -1])}
    lengths = np.array([5.0, 5.0, 5.0, 500.0, 5.0])
    values = fuse(Evidence(words, np.full(5, np.nan), lengths, near))
    assert values[1] > values[3] > values[2]


def test_lifts_are_steps_for_speakers_and_days() -> None:
    """A speaker's factor and a day asked about raise their entries by fixed steps."""
    speakers, days = np.array([1, 2, -1]), np.array([10, 20, 30])
    assert lifts(speakers, days, {}, ()) is None
    found = lifts(speakers, days, {2: 2.0}, [(25, 35)])
    assert found is not None
    assert found[1] > 0 == found[0]
    assert found[2] > 0


def test_scores_keep_the_order_and_follow_the_evidence() -> None:
    """Order from the ranking, level from words found and meaning."""
    strong = calibrated([3.0, 2.0, 1.0], [0.8, 0.5, 0.1], [0.9, 0.6, 0.2], 200)
    weak = calibrated([3.0, 2.0, 1.0], [0.05, 0.0, 0.0], [0.1, 0.1, 0.1], 200)
    assert strong == sorted(strong, reverse=True)
    assert strong[0] > 0.9 > 0.2 > weak[0]


def test_the_words_floor_is_this_scales_even_odds() -> None:
    """A lexical score at its own floor is at the floor here."""
    assert by_words(lexical.RELEVANCE_FLOOR) == pytest.approx(0.5)
    assert calibrated([1.0], [lexical.RELEVANCE_FLOOR], [math.nan], 9) == [pytest.approx(0.5)]


def test_chance_is_the_peak_of_noise() -> None:
    """Among more draws a higher peak is nothing special."""
    assert chance(1) == 1.0
    assert chance(10) < chance(100) < chance(10_000) < 4.0


FLOATS = st.floats(-1e6, 1e6) | st.just(math.nan)


@settings(deadline=None)  # a busy machine is no failure
@given(st.lists(st.tuples(st.floats(0, 1e6), FLOATS), min_size=1, max_size=30))
def test_any_evidence_gives_finite_values(pairs: list[tuple[float, float]]) -> None:
    """Equal, missing, huge: the ranking never breaks."""
    words, cosines = (np.array(column) for column in zip(*pairs, strict=True))
    values = fuse(evidence(words, cosines))
    assert np.isfinite(values).all()
    best = sorted(values, reverse=True)
    scores = calibrated([float(v) for v in best], [0.1] * len(best), [0.2] * len(best), len(best))
    assert scores == sorted(scores, reverse=True)


def test_the_ends_of_a_models_scale_come_from_questions_and_answers() -> None:
    """A question with its own answer, and with the others'."""
    vectors = np.array([[1, 0], [0, 1]], dtype=np.float32)
    assert scale_of(vectors, vectors) == Scale(0.0, 1.0, 0.0)


def test_the_same_evidence_is_worth_less_in_a_larger_memory() -> None:
    """The best of many looks better by chance."""
    small, large = (calibrated([1.0], [0.2], [0.3], n)[0] for n in (5, 5000))
    assert small > 0.5 > large


VIEW = View.of((), [(1, "Caroline"), (2, "Ayşe Yılmaz"), (3, "Will"), (4, "user")])


@pytest.mark.parametrize(
    ("question", "put"),
    [
        ("When did Caroline go to Rome?", "When did I go to Rome?"),
        ("What is Caroline's dog called?", "What is my dog called?"),
        ("What is caroline’s dog called?", "What is my dog called?"),
        ("what did caroline research?", "what did I research?"),
        ("Where will Will stay?", "Where will I stay?"),
        ("where will will stay?", "where will will stay?"),
        ("Did Ayşe Yılmaz call?", "Did I call?"),
        ("Ayşe'nin kedisi nerede yaşıyor?", "kedisi nerede yaşıyor?"),
        ("Who is Caroline?", "Who is Caroline?"),
        ("Caroline", "Caroline"),
        ("What did the user buy?", "What did the user buy?"),
        ("", ""),
    ],
)
def test_names_of_speakers_become_pronouns(question: str, put: str) -> None:
    """The memory is worded in the first person; roles and stop words are no names."""
    assert in_first_person(question, VIEW) == put


def test_a_memory_without_speakers_leaves_the_question_alone() -> None:
    """Nothing to replace."""
    assert in_first_person("Did Caroline call?", View.of((), [])) == "Did Caroline call?"


async def test_steps_run_sync_until_something_must_be_awaited() -> None:
    """One generator, two drivers; errors of awaited values reach it."""

    def steps() -> object:
        got = yield 1
        try:
            got += yield later()
        except ValueError:
            got += 100
        return got

    async def later() -> int:
        raise ValueError

    found = run(steps())  # type: ignore[arg-type]
    assert await found == 101  # type: ignore[misc]

    def plain() -> object:
        return (yield 7)

    assert run(plain()) == 7  # type: ignore[arg-type]


def test_levels_of_parts_make_the_level_of_the_whole() -> None:
    """Means and deviations of parts, pooled by size; zeros that are not written down count."""
    values = NOISE.normal(2.0, 3.0, size=500)
    pooled = Level.pooled([Level.of(values[:100]), Level.of(values[100:]), Level.of(values[:0])])
    assert pooled.entries == 500
    assert (pooled.mean, pooled.spread) == pytest.approx((values.mean(), values.std()))
    padded = np.concatenate([values, np.zeros(700)])
    filled = Level.filled(values, 1200)
    assert (filled.mean, filled.spread) == pytest.approx((padded.mean(), padded.std()))
    assert Level.pooled([]).spread == 0.0
    assert not standard(np.full(7, 0.1), Level.filled(np.full(7, 0.1), 7)).any()


def test_a_part_is_ranked_as_it_would_be_in_the_whole() -> None:
    """With the level of all, the entries picked get the values they have among all."""
    words, cosines = np.zeros(400), NOISE.normal(size=400)
    words[[3, 50, 90]] = 4.0, 2.0, 1.0
    cosines[50] = 5.0
    whole = fuse(evidence(words, cosines))
    picked = [3, 50, 90, 200]
    part = fuse(evidence(words[picked], cosines[picked], level=Level.of(cosines), entries=400))
    assert part == pytest.approx(whole[picked])


ENGLISH, TURKISH = Scale(0.1, 0.6, 0.08), Scale(0.4, 0.6, 0.17)
MINI = Model(1, "mini", 384, ENGLISH, {"en": ENGLISH, "tr": TURKISH, "de": Scale(0.2, 0.5, 0.05)})


def test_a_language_has_a_scale_of_its_own() -> None:
    """What is unrelated is measured there; what stands out by less is no more evidence."""
    assert MINI.scaled(0.6, ("en", "en")) == pytest.approx(1.0)
    assert MINI.scaled(0.2, ("de", "de")) == pytest.approx(0.0)
    assert MINI.scaled(0.5, ("de", None)) == pytest.approx(0.6)


def test_in_a_language_where_answers_do_not_stand_out_cosines_say_nothing() -> None:
    """Half as sharp as in its best language is the least; of two languages both must be known."""
    assert not MINI.understands("tr")
    assert MINI.understands("en", "de", None, "xx")
    assert math.isnan(MINI.scaled(0.9, ("tr", "tr")))
    assert math.isnan(MINI.scaled(0.9, ("en", "tr")))


def test_where_no_language_can_be_told_the_memory_is_the_background() -> None:
    """An all-high background is no evidence; one that is lower than English changes nothing."""
    assert MINI.scaled(0.6, (None, "xx"), 0.6) == pytest.approx(0.0)
    assert MINI.scaled(0.6, (None, None), 0.05) == pytest.approx(1.0)
    assert MINI.scaled(0.6, ("en", "en"), 0.6) == pytest.approx(1.0)


def test_a_model_understands_the_language_it_is_best_in_however_bad_it_is() -> None:
    """Any function is an embedder; one that fits no pair has its say as before."""
    odd = Scale(0.9, 0.8, 0.1)
    assert Model(1, "odd", 2, odd, {"en": odd}).understands("en")


def test_entries_without_a_cosine_leave_the_others_scores_alone() -> None:
    """They are not compared: their odds are no part of the list's level and spread."""
    alone = calibrated([3.0, 2.0, 1.0], [0.1, 0.0, 0.0], [0.4, 0.2, 0.1], 30)
    nan = math.nan
    mixed = calibrated(
        [3.0, 2.9, 2.0, 1.5, 1.0], [0.1, 0.0, 0.0, 0.5, 0.0], [0.4, nan, 0.2, nan, 0.1], 30
    )
    assert [mixed[at] for at in (0, 2, 4)] == alone
    assert [mixed[1], mixed[3]] == [by_words(0.0), min(by_words(0.5), alone[1])]


def test_an_entry_without_a_cosine_stands_first_on_its_words() -> None:
    """What comes before it bounds what its words are worth, and nothing does here."""
    assert calibrated([3.0, 2.0], [0.5, 0.1], [math.nan, 0.4], 30)[0] == by_words(0.5)


def test_the_vectors_peak_is_measured_among_those_that_have_one() -> None:
    """Entries without one are no draws of its noise."""
    meaning = np.array([2.0, -1.0, -1.0, 0.0, 0.0, 0.0])
    words = np.array([0.5, 0.0, 0.0, 0.0, 0.0, 0.0])
    assert weights(words, meaning, 6, 3)[1] > weights(words, meaning, 600, 600)[1]
