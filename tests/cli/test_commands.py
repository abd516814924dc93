"""The guard around every command: exit codes, one clear line, never a traceback."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import click
import pytest

from memory_injection import __version__
from memory_injection.cli import commands as module
from memory_injection.cli.commands import app, main
from memory_injection.cli.output import clean, dump, shorten
from memory_injection.errors import InputError, MissingDependencyError, StoreError

from .conftest import Run


def test_version_and_help(run: Run) -> None:
    """``--version`` names the version; ``--help`` names every command with what it does."""
    assert run("--version").out.strip().endswith(__version__)
    text = run("--help").out
    for name in module.COMMANDS:
        assert name in text


def test_without_a_word_the_help_is_shown(run: Run) -> None:
    """The bare program shows its help and is content."""
    assert run() == run("--help")


@pytest.mark.parametrize("name", sorted(module.COMMANDS))
def test_every_command_has_help_with_examples(run: Run, name: str) -> None:
    """Each command's ``--help`` succeeds and shows an example of its use."""
    outcome = run(name, "--help")
    assert outcome.code == 0, outcome.err
    assert f"memory-injection {name}" in outcome.out


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["serach"], "'serach'"),
        (["search"], "QUERY"),
        (["search", "x", "--limit", "0"], "0 is not in the range"),
        (["search", "x", "--limit", "many"], "'many' is not a valid integer"),
        (["search", "x", "--nope"], "--nope"),
        (["list", "--user"], "--user"),
        (["list", "--user", ""], "scope user must be a non-blank string"),
        (["add", "x", "--meta", "team"], "'team' must be KEY=VALUE"),
        (["search", "  "], "QUERY must not be blank"),
        (["search", "x", "--store", "nowhere.db"], "'nowhere.db': there is no such file"),
        (["search", "x", "--store", "."], "'.' is a folder"),
        (["import", "nowhere.jsonl"], "nowhere.jsonl"),
        (["inject", "nowhere.json"], "nowhere.json"),
        (["forget"], "--everything"),
        (["forget", "a", "--everything"], "--everything"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_usage_is_one_line_and_exit_code_2(run: Run, words: list[str], named: str) -> None:
    """Wrong usage ends with code 2 and one line that names the value and the rule."""
    outcome = run(*words)
    assert outcome.code == 2
    assert named in outcome.line
    assert outcome.out == ""


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (InputError("limit = 0: at least 1"), 2, "limit = 0: at least 1"),
        (StoreError("notes: the file is corrupt"), 1, "notes: the file is corrupt"),
        (MissingDependencyError("openai", "openai", "demo"), 1, "memory-injection[openai]"),
        (sqlite3.OperationalError("database is locked"), 1, "database is locked"),
        (PermissionError(13, "Permission denied", "a.db"), 1, "a.db: Permission denied"),
        (RuntimeError("oh\nno"), 1, "internal error: RuntimeError: oh no"),
        (KeyboardInterrupt(), 130, "interrupted"),
        (click.Abort(), 130, "interrupted"),
        (click.ClickException("not here"), 1, "not here"),
        (BrokenPipeError(), 1, None),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else "",
)
def test_errors_become_a_code_and_a_line(
    run: Run, monkeypatch: pytest.MonkeyPatch, error: BaseException, code: int, line: str | None
) -> None:
    """Whatever a command raises becomes an exit code and at most one line."""

    def fail() -> None:
        raise error

    monkeypatch.setattr(app, "get_command", lambda *_: click.Command("x", callback=fail))
    monkeypatch.setattr(module, "_reader_went_away", lambda: 1)
    outcome = run("x")
    assert outcome.code == code
    if line is None:
        assert outcome.err == ""
    else:
        assert line in outcome.line


def test_debugging_shows_where(monkeypatch: pytest.MonkeyPatch) -> None:
    """``MEMORY_INJECTION_DEBUG=1`` lets the error out."""

    def fail() -> None:
        raise StoreError("gone")

    monkeypatch.setenv("MEMORY_INJECTION_DEBUG", "1")
    monkeypatch.setattr(app, "get_command", lambda *_: click.Command("x", callback=fail))
    with pytest.raises(StoreError):
        main(["x"])


def test_a_command_that_cannot_load_says_what_is_missing(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A command whose module cannot be imported says so, and does not stop the others."""
    monkeypatch.setitem(module.COMMANDS, "eval", ".nowhere:nothing")
    outcome = run("eval", "locomo", "--limit", "3")
    assert outcome.code == 1
    assert "eval is not available" in outcome.line
    assert run("--help").code == 0


def test_a_reader_that_goes_away_is_no_error(home: Path) -> None:
    """``memory-injection ... | head`` leaves nothing on stderr and ends with 1."""
    code = (
        "import sys, memory_injection.cli as cli, click\n"
        "def flood():\n    for _ in range(100_000): click.echo('x' * 100)\n"
        "cli.app.get_command = lambda *_: click.Command('x', callback=flood)\n"
        "sys.exit(cli.main(['x']))\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 1


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT to send to a process")
def test_ctrl_c_is_130(home: Path) -> None:
    """Ctrl-C ends with 130 and one line."""
    code = (
        "import sys, memory_injection.cli as cli, click\n"
        "def wait():\n    print('ready', flush=True)\n    sys.stdin.read()\n"
        "cli.app.get_command = lambda *_: click.Command('x', callback=wait)\n"
        "sys.exit(cli.main(['x']))\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.stderr.read().strip() == "memory-injection: interrupted"
    assert process.returncode == 130


def test_python_dash_m_is_the_same_program(home: Path) -> None:
    """``python -m memory_injection`` runs the command line."""
    done = subprocess.run(
        [sys.executable, "-m", "memory_injection", "--version"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.strip() == f"memory-injection, version {__version__}"


def test_stored_text_cannot_steer_the_terminal() -> None:
    """Escape sequences and lone surrogates are made visible; line breaks and letters stay."""
    assert clean("a\x1b[31mb\x9b2J\ud800 ğ\n") == "a\N{REPLACEMENT CHARACTER}[31mb" + (
        "\N{REPLACEMENT CHARACTER}2J? ğ\n"
    )
    assert shorten("a\n b\tc") == "a b c"
    assert shorten("x" * 50, 10) == "x" * 9 + "…"


def test_json_is_readable_and_always_utf8() -> None:
    """Text stays as it is in JSON, unless UTF-8 cannot carry it."""
    assert dump({"a": "ığü"}) == '{"a": "ığü"}'
    assert dump("\ud800") == '"\\ud800"'
