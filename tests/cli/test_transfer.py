"""``import`` and ``export``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memory_injection.cli import bars

from .conftest import Run


def test_a_round_trip_changes_nothing(run: Run) -> None:
    """What is exported and imported into another file is the same, twice over."""
    run("add", "Shared ğ.", "--meta", "team=core")
    run("add", "Mine.", "--user", "u1", "--session", "s1")
    assert run("export", "all.jsonl", "--everybody", "--json").json == {
        "file": "all.jsonl",
        "exported": 2,
    }
    first = run("import", "all.jsonl", "--store", "other.db", "--json").json
    second = run("import", "all.jsonl", "--store", "other.db", "--json").json
    assert (first["added"], second["added"], second["unchanged"]) == (2, 0, 2)
    run("export", "again.jsonl", "--everybody", "--store", "other.db")
    assert Path("again.jsonl").read_bytes() == Path("all.jsonl").read_bytes()


def test_export_writes_what_the_scope_may_read(run: Run) -> None:
    """Without ``--everybody`` only the shared entries and the scope's own come out."""
    run("add", "Shared.")
    run("add", "Mine.", "--user", "u1")
    run("add", "Theirs.", "--user", "u2")
    lines = run("export", "--user", "u1").out.splitlines()
    assert [json.loads(line)["content"] for line in lines] == ["Shared.", "Mine."]


def test_a_broken_line_is_named_and_the_rest_goes_in(run: Run) -> None:
    """Broken lines are named with number and reason; the exit code is 1; the rest is there."""
    Path("in.jsonl").write_bytes(
        b'\xef\xbb\xbf{"content": "one"}\n{"content": \n\n[1]\n{"content": "two"}\n{"text": "x"}\n'
    )
    outcome = run("import", "in.jsonl")
    assert outcome.code == 1
    assert "2 added, 0 updated, 0 unchanged, 3 broken" in outcome.out
    assert [f"line {n}" in outcome.err for n in (1, 2, 3, 4, 5, 6)] == [
        False, True, False, True, False, True,
    ]  # fmt: skip
    assert {entry["content"] for entry in run("list", "--json").json} == {"one", "two"}


def test_only_so_many_broken_lines_are_named(run: Run) -> None:
    """A file that is rubbish throughout does not flood the screen; JSON names every line."""
    Path("in.jsonl").write_text("rubbish\n" * 50, encoding="utf-8")
    outcome = run("import", "in.jsonl")
    assert outcome.err.count("\n") == 21
    assert "30 more broken lines" in outcome.err
    assert len(run("import", "in.jsonl", "--json").json["broken"]) == 50


def test_a_line_that_names_nobody_is_the_scopes(run: Run) -> None:
    """``--user`` says whose a line is that has no scope of its own."""
    lines = b'{"content": "a"}\n{"content": "b", "scope": {"user": "u2"}}\n'
    assert run("import", "-", "--user", "u1", stdin=lines).code == 0
    assert [e["content"] for e in run("list", "--user", "u1", "--json").json] == ["a"]
    assert [e["content"] for e in run("list", "--user", "u2", "--json").json] == ["b"]


def test_progress_is_shown_to_a_person(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal a bar counts the lines; in a pipe there is none."""
    Path("in.jsonl").write_text('{"content": "a"}\n{"content": "b"}\n', encoding="utf-8")
    assert run("import", "in.jsonl").err == ""
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    with bars.bar("importing", 2, quiet=False) as progress:
        assert progress is not None
        progress(2)
    with bars.bar("importing", 2, quiet=True) as progress:
        assert progress is None


def test_a_failed_export_leaves_the_old_file(run: Run) -> None:
    """When the store cannot be read, the file that was there stays and no partial one is left."""
    Path("out.jsonl").write_text("old", encoding="utf-8")
    Path("broken.db").write_bytes(b"this is not a database, " * 100)
    assert run("export", "out.jsonl", "--store", "broken.db").code == 1
    assert Path("out.jsonl").read_text(encoding="utf-8") == "old"
    assert not list(Path().glob("*.partial*"))
