"""A report as tables for a person."""

from __future__ import annotations

import pytest

from memory_injection.cli.explain import explain, headline
from memory_injection.records import InjectedBlock, MemoryEntry
from memory_injection.report import DroppedEntry, EntryReport, InjectionReport, StoreReport


@pytest.mark.parametrize(
    ("report", "line"),
    [
        (InjectionReport(status="injected"), "injected"),
        (InjectionReport(status="skipped", reason="no_query"), "skipped: no query"),
        (
            InjectionReport(status="skipped", reason="trigger", detail="a predicate said no"),
            "skipped: trigger (a predicate said no)",
        ),
        (
            InjectionReport(status="failed", stage="retrieve", error="OSError: gone"),
            "failed at retrieve: OSError: gone",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_headline_tells_the_outcomes_apart(report: InjectionReport, line: str) -> None:
    """Status, reason, detail, stage and error make one line."""
    assert headline(report) == line


def test_everything_in_a_report_is_shown(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Outcome, stores, entries with their text, what was left out, and warnings: on stderr."""
    monkeypatch.setenv("COLUMNS", "200")
    report = InjectionReport(
        status="injected",
        warnings=("the trigger raised",),
        query="train?",
        stores=(
            StoreReport(name="notes", status="error", error="OSError: gone"),
            StoreReport(name="wiki", status="ok", problem="by words alone"),
        ),
        entries=(EntryReport(store="notes", id="a1", score=0.5, length=5),),
        dropped=(DroppedEntry(store="wiki", length=7, reason="below_floor"),),
        tokens=12,
        token_budget=99,
        counter="o200k_base",
        replayed_blocks=2,
        carried_tokens=40,
        scope={"user": "u1"},
    )
    explain(report, InjectedBlock("<memory>", (MemoryEntry("08:40"),), 12))
    captured = capsys.readouterr()
    assert captured.out == ""
    for word in (
        "the trigger raised", "train?", "OSError: gone", "by words alone", "a1", "0.500", "08:40",
        "below floor", "7 characters", "12 of 99 (o200k_base)", "2, 40 tokens", "user=u1",
    ):  # fmt: skip
        assert word in captured.err


def test_a_report_without_stores_or_entries_is_one_table(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """When nothing was asked, only the outcome is drawn."""
    explain(InjectionReport(status="skipped", reason="trigger"), None)
    text = capsys.readouterr().err
    assert "shared entries only" in text
    assert "store" not in text
