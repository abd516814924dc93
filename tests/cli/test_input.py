"""What the command line is given: streams, paths, words that are not there."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from memory_injection.cli.options import data_folder, default_store

from .conftest import Run


@pytest.mark.parametrize("name", ["eval", "facts"])
def test_a_group_without_a_command_shows_its_help(run: Run, name: str) -> None:
    """A group alone is its ``--help``, as for the bare program: stdout, exit code 0."""
    assert run(name) == run(name, "--help")


@pytest.mark.parametrize("words", [["list"], ["add", "x"], ["facts", "list"], ["demo"]])
def test_an_empty_store_is_named_as_given(run: Run, words: list[str]) -> None:
    """``--store ""`` is refused as the empty value it is, not as the folder here."""
    outcome = run(*words, "--store", "")
    assert outcome.code == 2
    assert "'' names no file" in outcome.line


@pytest.mark.parametrize(
    "words", [["add", "x"], ["import", __file__], ["facts", "remember", "x"], ["demo"]]
)
def test_a_folder_that_is_not_there_is_named(run: Run, home: Path, words: list[str]) -> None:
    """Only the program's own folder is made; another one missing is an error everywhere."""
    outcome = run(*words, "--store", str(home / "no" / "such.db"))
    assert outcome.code == 2
    assert f"the folder {str(home / 'no')!r} does not exist" in outcome.line
    assert not (home / "no").exists()


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="XDG is for the others")
def test_the_default_is_in_the_data_folder(
    run: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``$XDG_DATA_HOME``, or ``~/.local/share`` where it is unset or relative; made when needed."""
    assert data_folder() == home / "data" / "memory-injection"
    assert run("add", "x").code == 0
    assert default_store().exists()
    for value in ("", "relative/path"):
        monkeypatch.setenv("XDG_DATA_HOME", value)
        assert default_store() == home / ".local/share/memory-injection/memory.db"


@pytest.mark.parametrize("words", [["add", "-"], ["facts", "remember", "-"], ["inject"]])
def test_bytes_that_are_no_text_are_refused(run: Run, words: list[str]) -> None:
    """Undecodable input is refused with its place, and nothing is written."""
    run("add", "kept")
    outcome = run(*words, stdin=b"caf\xe9")
    assert outcome.code == 2
    assert "<stdin>: not UTF-8 at byte 3" in outcome.line
    assert len(run("list", "--json").json) == 1


def test_broken_lines_of_stdin_are_named(run: Run) -> None:
    """A line of standard input is named as one."""
    outcome = run("import", "-", stdin=b"no json\n")
    assert outcome.code == 1
    assert "<stdin> line 1" in outcome.line


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("words", [["export"], ["list"], ["list", "--json"]])
def test_a_full_disk_behind_stdout_is_named(run: Run, words: list[str]) -> None:
    """What cannot be written to stdout is one line that says so."""
    run("add", "x")
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "memory_injection", *words],
            stdout=full, stderr=subprocess.PIPE, timeout=60, check=False,
        )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.decode().strip() == "memory-injection: <stdout>: No space left on device"


def test_a_users_folder_needs_a_user(run: Run) -> None:
    """A fact for ``users/{user}/`` without a user is told which option names one."""
    outcome = run("facts", "remember", "Prefers tea.", "--path", "users/{user}/")
    assert outcome.code == 1
    assert "--user" in outcome.line


def test_inject_says_when_it_does_not_know_the_body(run: Run) -> None:
    """An unknown body comes back as it was, with a line on stderr; the report says it itself."""
    run("add", "x")
    outcome = run("inject", stdin=b'{"prompt": "hello"}')
    assert (outcome.code, outcome.json) == (0, {"prompt": "hello"})
    assert "without memory" in outcome.line
    assert run("inject", "--json", stdin=b'{"prompt": "hello"}').err == ""
    text = run("inject", "--api", "openai.chat", stdin=b'{"messages": "just text"}')
    assert text.json == {"messages": "just text"}


def test_the_demo_says_why_a_file_cannot_hold_memory(run: Run) -> None:
    """A file that is no database is named with the reason."""
    pytest.importorskip("openai")
    Path("notes.py").write_text("print()\n" * 200, encoding="utf-8")
    outcome = run("demo", "--store", "notes.py")
    assert outcome.code == 1
    assert "not a SQLite database" in outcome.line
