"""Running the command line inside the test's own process."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import memory_injection
from memory_injection.cli import main


@dataclass(frozen=True)
class Outcome:
    """What one command came to: exit code, stdout and stderr."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Return stdout read as JSON."""
        return json.loads(self.out)

    @property
    def line(self) -> str:
        """Return stderr, which must be exactly one line and no traceback."""
        (line,) = self.err.strip().splitlines()
        assert line.startswith("memory-injection: ")
        return line


Run = Callable[..., Outcome]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder that is home and working folder, with no store named by the environment."""
    # Programs started from here find the package that this process has, wherever they start.
    monkeypatch.setenv("PYTHONPATH", str(Path(memory_injection.__file__).absolute().parents[1]))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.delenv("MEMORY_INJECTION_DB", raising=False)
    monkeypatch.delenv("MEMORY_INJECTION_DEBUG", raising=False)
    return tmp_path


@pytest.fixture
def run(home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run one command: ``run("search", "train", stdin=b"")``."""

    def call(*words: str, stdin: bytes = b"") -> Outcome:
        capsys.readouterr()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
        code = main(list(words))
        captured = capsys.readouterr()
        return Outcome(code, captured.out, captured.err)

    return call
