"""Every example runs, offline, from start to end."""

from __future__ import annotations

import importlib.metadata
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import memory_injection

ROOT = Path(__file__).parents[1]
IMPORTABLE = str(Path(memory_injection.__file__).absolute().parents[1])
EXAMPLES = sorted((ROOT / "examples").rglob("*.py"))
DATA = Path(os.environ.get("MEMORY_INJECTION_DATA", ROOT.parent / "shared" / "data"))

# Examples that need more than nothing: their arguments.
ARGUMENTS = {"locomo_chat": [str(DATA / "locomo"), "--limit", "25"]}


def _missing(example: Path) -> str | None:
    """Name what an example needs and this environment lacks: packages it says, or data."""
    text = example.read_text(encoding="utf-8")
    for package in re.findall(r"(?m)^Needs the package: ([\w-]+)", text):
        if not list(importlib.metadata.distributions(name=package)):
            return f"the package {package} isn't installed"
    paths = [Path(word) for word in ARGUMENTS.get(example.stem, []) if word.startswith(os.sep)]
    return next((f"no data at {path.name}" for path in paths if not path.exists()), None)


@pytest.mark.parametrize(
    "example",
    [
        pytest.param(path, marks=pytest.mark.skipif(bool(why), reason=why or ""))
        for path in EXAMPLES
        for why in [_missing(path)]
    ],
    ids=lambda path: path.stem,
)
def test_example_runs(example: Path, tmp_path: Path) -> None:
    """The example ends well, says something, warns of nothing and leaves nothing but its files."""
    warnings = ["-W", "error"]
    if example.parent.name == "integrations":
        warnings += ["-W", "ignore::DeprecationWarning"]  # frameworks deprecate each other's names
    done = subprocess.run(
        [sys.executable, *warnings, str(example), *ARGUMENTS.get(example.stem, [])],
        capture_output=True, text=True, cwd=tmp_path, timeout=300,
        env={**os.environ, "PYTHONPATH": IMPORTABLE},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
    assert "Warning" not in done.stderr


def test_the_readme_names_every_example() -> None:
    """``examples/README.md`` lists exactly the files that are there."""
    text = (ROOT / "examples/README.md").read_text(encoding="utf-8")
    named = set(re.findall(r"\]\(([\w/]+\.py)\)", text))
    assert named == {path.relative_to(ROOT / "examples").as_posix() for path in EXAMPLES}
