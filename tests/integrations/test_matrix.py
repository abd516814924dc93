"""The matrix of frameworks: what a run has to show, and that the page is in step with the table."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def matrix() -> Any:
    path = ROOT / "docs/reference/framework_matrix.py"
    spec = importlib.util.spec_from_file_location("framework_matrix", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # Dataclasses look their module up while it is being made.
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "framework_matrix", module)
        spec.loader.exec_module(module)
    return module


def _row(page: str, one: Any) -> list[str]:
    (row,) = [line for line in page.splitlines() if line.startswith(f"| {one.title} |")]
    return [cell.strip() for cell in row.strip("|").split("|")]


def test_every_framework_has_a_row_that_shows_all_it_claims(matrix: Any) -> None:
    """The page was written by runs of the examples that the table lists, and none failed."""
    page = matrix.PAGE.read_text(encoding="utf-8")
    assert page.startswith(matrix.HEAD)
    assert page.count("\n| ") - 2 == len(matrix.FRAMEWORKS)
    for one in matrix.FRAMEWORKS:
        _, through, version, _, checked, example = _row(page, one)
        assert through == one.through
        assert version.startswith(f"{one.package} ")
        assert set(checked.split("; ")) == set(one.claims)
        assert one.example in example


def test_every_example_with_a_framework_is_tried(matrix: Any) -> None:
    """What stands in the folder and what the table lists are the same."""
    folder = {path.name for path in (ROOT / "examples/integrations").glob("*.py")}
    assert {one.example for one in matrix.FRAMEWORKS} == folder


def test_a_run_must_print_all_claims_and_no_other(matrix: Any) -> None:
    """Less, more and a crash are errors that name what is wrong."""
    one = matrix.FRAMEWORKS[0]
    lines = [f"ok: {claim}" for claim in one.claims]
    well = matrix.judged(one, "\n".join(["hello", *lines]), "", 0, "1.0")
    assert (well.error, set(well.claims)) == (None, set(one.claims))
    less = matrix.judged(one, "\n".join(lines[1:]), "", 0, "1.0")
    assert one.claims[0] in less.error
    more = matrix.judged(one, "\n".join([*lines, "ok: it flies"]), "", 0, "1.0")
    assert "it flies" in more.error
    crash = matrix.judged(one, "\n".join(lines), "Traceback\nOSError: no", 1, "1.0")
    assert crash.error == "OSError: no"
    assert "**failed**: OSError: no" in crash.row(one)


def test_rows_of_frameworks_that_are_not_run_are_kept(
    matrix: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run of one framework rewrites its row alone; an unknown name is refused."""
    first, second = matrix.FRAMEWORKS[:2]
    shown = {one: matrix.Run("9.9", "3.11", one.claims, None) for one in (first, second)}
    monkeypatch.setattr(matrix, "PAGE", tmp_path / "page.md")
    monkeypatch.setattr(matrix, "build_wheel", lambda folder: folder)
    monkeypatch.setattr(matrix, "run", lambda one, wheel, folder: shown[one])
    assert matrix.main([second.package]) == 0
    assert matrix.main([first.package]) == 0
    rows = matrix.written_rows()
    assert list(rows) == [first.title, second.title]
    shown[first] = matrix.Run("10.0", "3.11", (), "OSError: no")
    assert matrix.main([first.package]) == 1
    assert "10.0" in matrix.written_rows()[first.title]
    assert matrix.written_rows()[second.title] == rows[second.title]
    with pytest.raises(SystemExit) as refused:
        matrix.main(["no-such-framework"])
    assert refused.value.code == 2
