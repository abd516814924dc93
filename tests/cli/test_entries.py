"""``add``, ``search``, ``list`` and ``forget``."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from memory_injection.cli.options import default_store

from .conftest import Run


def test_what_was_added_is_found_and_listed(run: Run) -> None:
    """An added entry has an id, is found by its words and stands in the list."""
    ident = run("add", "The user's train leaves at 08:40.", "--user", "u1", "--json").json["id"]
    (found,) = run("search", "when does the train leave?", "--user", "u1", "--json").json
    assert found["id"] == ident
    assert found["content"] == "The user's train leaves at 08:40."
    assert found["scope"] == {"user": "u1"}
    assert found["score"] > 0
    assert [entry["id"] for entry in run("list", "--user", "u1", "--json").json] == [ident]


def test_a_scope_sees_its_own_and_what_is_shared(run: Run) -> None:
    """Nobody sees another user's entries; everybody sees those written for nobody."""
    run("add", "Shared train table.")
    run("add", "Private train note.", "--user", "u1")
    assert len(run("list", "--user", "u1", "--json").json) == 2
    assert len(run("list", "--user", "u2", "--json").json) == 1
    assert len(run("search", "train", "--json").json) == 1


def test_text_and_metadata(run: Run) -> None:
    """``-`` reads the text from stdin; ``--meta`` becomes metadata."""
    assert (
        run("add", "-", "--meta", "team=core", "--meta", "a=b=c", stdin="Öğle\n".encode()).code == 0
    )
    (entry,) = run("list", "--json").json
    assert entry["content"] == "Öğle"
    assert entry["metadata"] == {"team": "core", "a": "b=c"}


def test_tables_for_a_person(run: Run) -> None:
    """Without ``--json`` entries are a table, and control characters cannot act."""
    run("add", "A \x1b[31mred [bold]word[/bold] on trains.", "--user", "u1")
    outcome = run("list", "--user", "u1")
    assert "[bold]word[/bold]" in outcome.out
    assert "\x1b[31m" not in outcome.out
    assert "user=u1" in outcome.out
    assert "score" in run("search", "trains", "--user", "u1").out
    assert run("search", "elephant", "--user", "u1").err == "nothing found\n"


def test_an_id_can_be_copied_from_a_narrow_terminal(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long the text, the id stands on one line."""
    ident = run("add", "A long text. " * 20).out.strip()
    monkeypatch.setenv("COLUMNS", "60")
    assert ident in run("list").out


def test_limits(run: Run) -> None:
    """``--limit`` bounds what comes, newest first in a list."""
    for number in range(3):
        run("add", f"Note {number} on trains")
    assert [e["content"] for e in run("list", "--limit", "2", "--json").json] == [
        "Note 2 on trains",
        "Note 1 on trains",
    ]
    assert len(run("search", "trains", "--limit", "1", "--json").json) == 1


def test_forget_by_id_reaches_only_what_the_scope_sees(run: Run) -> None:
    """An id of another user is not there: code 1, nothing erased."""
    ident = run("add", "Mine.", "--user", "u1").out.strip()
    refused = run("forget", ident, "--user", "u2")
    assert refused.code == 1
    assert "1 of 1 ids are not in this scope" in refused.line
    assert run("forget", ident, "--user", "u1").out == "1 forgotten\n"
    assert run("list", "--user", "u1", "--json").json == []


def test_forget_everything_asks_first(run: Run) -> None:
    """``--everything`` erases one user's entries after a yes, and keeps the others'."""
    run("add", "Mine.", "--user", "u1")
    run("add", "Theirs.", "--user", "u2")
    refused = run("forget", "--everything", "--user", "u1", stdin=b"y\n")
    assert refused.code == 2
    assert "give --yes" in refused.line
    assert len(run("list", "--user", "u1", "--json").json) == 1
    assert run("forget", "--everything", "--user", "u1", "--yes", "--json").json == {"forgotten": 1}
    assert run("list", "--user", "u1", "--json").json == []
    assert len(run("list", "--user", "u2", "--json").json) == 1


def test_forget_takes_ids_or_everything(run: Run) -> None:
    """Both at once is refused as such, and so is neither."""
    both = run("forget", "some-id", "--everything", "--user", "u1", "--yes")
    assert (both.code, "not both" in both.line) == (2, True)
    assert run("forget", "--user", "u1").code == 2


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a terminal of POSIX")
@pytest.mark.parametrize(("answer", "left"), [(b"n\n", 1), (b"y\n", 0)])
def test_on_a_terminal_the_answer_counts(run: Run, answer: bytes, left: int) -> None:
    """Where somebody can answer, erasing is asked for and a no erases nothing."""
    run("add", "Mine.", "--user", "u1")
    ours, theirs = os.openpty()
    try:
        os.write(ours, answer)
        words = [sys.executable, "-m", "memory_injection", "forget", "--everything", "--user", "u1"]
        done = subprocess.run(words, stdin=theirs, capture_output=True, timeout=60, check=False)
    finally:
        os.close(ours)
        os.close(theirs)
    assert b"Erase every entry" in done.stderr
    assert len(run("list", "--user", "u1", "--json").json) == left


def test_forget_everything_needs_somebody(run: Run) -> None:
    """``--everything`` of nobody in particular is refused."""
    run("add", "Shared.")
    outcome = run("forget", "--everything", "--yes")
    assert outcome.code == 2
    assert "--user" in outcome.line


def test_blank_text_is_refused(run: Run) -> None:
    """Blank text is a usage error that names the rule."""
    outcome = run("add", "  ")
    assert outcome.code == 2
    assert "blank" in outcome.line


def test_where_the_memory_is(run: Run, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """``--store`` wins over ``MEMORY_INJECTION_DB``, which wins over the data folder."""
    assert default_store().name == "memory.db"
    assert run("add", "a").code == 0
    assert default_store().exists()
    monkeypatch.setenv("MEMORY_INJECTION_DB", str(home / "named.db"))
    run("add", "b")
    run("add", "c", "--store", str(home / "given.db"))
    assert (home / "named.db").exists()
    assert (home / "given.db").exists()
    assert [e["content"] for e in run("list", "--json").json] == ["b"]


@pytest.mark.parametrize("words", [["search", "x"], ["list"], ["add", "x"], ["export"]])
def test_a_corrupt_file_is_one_line(run: Run, words: list[str]) -> None:
    """A file that is no database: code 1, one line with its name, the file left as it was."""
    rubbish = b"this is not a database, " * 100
    Path("broken.db").write_bytes(rubbish)
    outcome = run(*words, "--store", "broken.db", stdin=b"{}")
    assert outcome.code == 1
    assert "broken.db" in outcome.line
    assert Path("broken.db").read_bytes() == rubbish


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs POSIX file rights")
def test_a_file_that_cannot_be_written_is_one_line(run: Run, home: Path) -> None:
    """A store in a place that takes no file: one line with the name."""
    Path("file").write_text("not a folder", encoding="utf-8")
    outcome = run("add", "x", "--store", "file/memory.db")
    assert outcome.code == 2
    assert "file" in outcome.line


def test_a_locked_file_is_one_line(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that another process keeps locked: code 1 and one line, nothing half-written."""
    import memory_injection.stores.sqlite as module

    class Impatient(module.SQLiteStore):
        def __init__(self, path: Path, *, writable: bool) -> None:
            super().__init__(path, writable=writable, busy_timeout=0.05)

    run("add", "before", "--store", "busy.db")
    monkeypatch.setattr(module, "SQLiteStore", Impatient)
    other = sqlite3.connect("busy.db", isolation_level=None)
    try:
        other.execute("BEGIN IMMEDIATE")
        outcome = run("add", "during", "--store", "busy.db")
        assert outcome.code == 1
        assert "busy.db" in outcome.line
    finally:
        other.close()
    assert [e["content"] for e in run("list", "--store", "busy.db", "--json").json] == ["before"]
