"""The fault table as tests: one per seam, all faults, sync and async."""

from __future__ import annotations

import pytest

from memory_injection import MemoryManager
from memory_injection.testing import FakeStore

from .fault_table import ASK, cases, run

CASES = list(cases())


@pytest.fixture(autouse=True, scope="module")
def _warm():
    """Load the vocabulary, as an application's start does."""
    MemoryManager([FakeStore()]).close()


@pytest.mark.parametrize("way", ["sync", "async"])
@pytest.mark.parametrize("case", CASES, ids=[f"{seam}: {fault}" for seam, fault, _ in CASES])
def test_the_call_goes_through(case, way):
    """The request goes out whole and in time, and the report names the stage."""
    row = run(*case, way)
    for _ in range(2):
        if row.trouble.startswith("took"):  # a busy machine is late by chance, a fault every time
            row = run(*case, way)
    assert row.trouble == "", row


def test_ctrl_c_passes_through():
    """Only ``KeyboardInterrupt`` and the caller's own cancellation reach the caller."""

    def interrupted(query, options):
        raise KeyboardInterrupt

    with MemoryManager([FakeStore(interrupted)]) as memory, pytest.raises(KeyboardInterrupt):
        memory.inject(ASK)


def test_nothing_secret_in_logs(caplog):
    """Logs carry the type of an error, never its text, nor memory text."""

    def broken(query, options):
        raise ValueError("secret words")

    with caplog.at_level("DEBUG", "memory_injection"), MemoryManager([FakeStore(broken)]) as memory:
        report = memory.inject(ASK).report
    assert "secret words" in report.error
    assert "status=failed" in caplog.text
    assert "secret" not in caplog.text
    assert "weather" not in caplog.text
