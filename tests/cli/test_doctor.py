"""``doctor``: what is installed, which tokenizer counts, which store answers."""

from __future__ import annotations

import importlib
import importlib.metadata
from pathlib import Path

import pytest

from memory_injection import __version__
from memory_injection.counters import BytesCounter

from .conftest import Run

module = importlib.import_module("memory_injection.cli.doctor")


def test_doctor_before_anything_is_there(run: Run) -> None:
    """Without a file the doctor says where one would be, makes none, and is content."""
    outcome = run("doctor", "--json")
    assert outcome.code == 0
    found = outcome.json
    assert found["version"] == __version__
    assert found["store"]["status"] == "none"
    assert found["sqlite"]["fts5"]
    assert not Path(found["store"]["path"]).exists()


def test_doctor_with_a_store_that_answers(run: Run) -> None:
    """A store that answers is counted for the scope asked for."""
    run("add", "Shared.")
    run("add", "Mine.", "--user", "u1")
    assert run("doctor", "--json", "--user", "u1").json["store"]["entries"] == 2
    assert run("doctor", "--json", "--user", "u2").json["store"]["entries"] == 1


def test_doctor_with_a_broken_store(run: Run, home: Path) -> None:
    """A file that is no database is named, and the exit code is 1."""
    Path("broken.db").write_bytes(b"this is not a database, " * 100)
    outcome = run("doctor", "--store", "broken.db", "--json")
    assert outcome.code == 1
    assert outcome.json["store"]["status"] == "error"
    assert "broken.db" in outcome.json["store"]["detail"]


def test_doctor_names_the_counter_of_each_model(run: Run) -> None:
    """Each model gets the name of what counts its tokens, without the network."""
    counters = run("doctor", "--json", "--model", "my-own-model").json["tokenizers"]
    assert counters["gpt-4o"] in ("o200k_base", "utf8-bytes")
    assert "my-own-model" in counters


def test_doctor_reads_well(run: Run) -> None:
    """For a person it is two tables: what was found, and the extras with how to get them."""
    outcome = run("doctor")
    assert outcome.code == 0
    for word in ("memory-injection", __version__, "SQLite", "FTS5", "tokens of gpt-4o"):
        assert word in outcome.out


def test_doctor_says_how_to_get_what_is_missing(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """An extra that is not installed comes with its ``pip install`` line."""
    declared = [
        "click>=8.1",
        'click>=8.1; extra == "here"',
        'no-such-package>=1; extra == "gone"',
        'pytest>=8; extra == "test"',
    ]
    monkeypatch.setattr(importlib.metadata, "requires", lambda _: declared)
    assert run("doctor", "--json").json["extras"] == {
        "here": {"click": importlib.metadata.version("click")},
        "gone": {"no-such-package": None},
    }
    text = run("doctor").out
    assert "no-such-package is not installed" in text
    assert "pip install 'memory-injection[gone]'" in text.splitlines()


def test_the_install_lines_are_whole_on_a_narrow_terminal(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is there to be copied stands on a line of its own, however narrow the table."""
    declared = ['a-package-of-a-long-name>=1; extra == "an-extra-of-a-long-name"']
    monkeypatch.setattr(importlib.metadata, "requires", lambda _: declared)
    monkeypatch.setenv("COLUMNS", "40")
    lines = run("doctor").out.splitlines()
    assert "pip install 'memory-injection[an-extra-of-a-long-name]'" in lines


def test_doctor_waits_for_the_vocabulary(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is still being loaded is waited for, not reported as missing."""
    waits = []

    def counter(model: str, wait: float = 0.0) -> BytesCounter:
        waits.append(wait)
        return BytesCounter()

    monkeypatch.setattr(module, "counter_for", counter)
    assert run("doctor", "--json").code == 0
    assert min(waits) >= 10.0


def test_doctor_in_a_source_tree(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without an installed distribution there are no extras to speak of."""

    def missing(_: str) -> None:
        raise importlib.metadata.PackageNotFoundError

    monkeypatch.setattr(importlib.metadata, "requires", missing)
    assert run("doctor", "--json").json["extras"] == {}
