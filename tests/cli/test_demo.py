"""``demo``: the main job, offline, and what it says about itself."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from memory_injection.cli.demo import shared_prefix
from memory_injection.cli.demo_script import FACTS

from .conftest import Run


@pytest.fixture
def openai() -> Any:
    """The real client, or a skip."""
    return pytest.importorskip("openai")


def _blocks(found: dict[str, Any]) -> list[str]:
    return [call["block"] or "" for call in found["calls"]]


@pytest.mark.usefixtures("openai")
def test_the_second_run_remembers_the_first(run: Run) -> None:
    """The first run starts with nothing; the second knows from its first call on."""
    first = run("demo", "--json").json
    assert first["remembered_from_earlier_runs"] == 0
    assert first["calls"][0]["report"]["reason"] == "nothing_found"
    assert "I do not know" in first["calls"][0]["reply"]

    second = run("demo", "--json").json
    assert second["remembered_from_earlier_runs"] == len(FACTS)
    assert second["calls"][0]["report"]["status"] == "injected"
    assert FACTS[0] in second["calls"][0]["block"]
    assert "Walnuts" in second["calls"][0]["reply"]

    assert run("demo", "--fresh", "--json").json["remembered_from_earlier_runs"] == 0


@pytest.mark.usefixtures("openai")
def test_fresh_forgets_the_demos_own_memories_alone(run: Run, tmp_path: Path) -> None:
    """A file that holds more than the demo loses nothing else, and a foreign one nothing at all."""
    store = str(tmp_path / "mine.db")
    run("add", "The spare key hangs behind the clock.", "--store", store, "--user", "u1")
    run("demo", "--store", store, "--json")
    found = run("demo", "--fresh", "--store", store, "--json")
    assert found.json["remembered_from_earlier_runs"] == 0
    assert "spare key" in run("list", "--store", store, "--user", "u1").out
    foreign = tmp_path / "thesis.txt"
    foreign.write_text("a year of work, and some more of it" * 100)
    assert run("demo", "--fresh", "--store", str(foreign)).code == 1
    assert foreign.exists()


@pytest.mark.usefixtures("openai")
def test_a_tool_call_keeps_the_block_and_the_prefix(run: Run) -> None:
    """Around the tool call the block is the same, and each request starts with the one before."""
    calls = run("demo", "--json").json["calls"]
    dinner = [call for call in calls if call["conversation"] == "dinner"]
    asked, answered, later = dinner
    assert asked["tools"] == ["look_in_fridge"]
    assert asked["report"]["status"] == "injected"
    assert answered["report"]["status"] == "replayed"
    assert answered["block"] == asked["block"]
    assert "walnuts out" in answered["reply"]
    assert [call["prefix"]["percent"] for call in (answered, later)] == [100.0, 100.0]
    assert FACTS[2] in later["block"]
    assert later["reply"] == "At 08:40."
    assert FACTS[0] not in later["block"]


@pytest.mark.usefixtures("openai")
def test_the_demo_reads_well(run: Run, home: Path) -> None:
    """For a person it shows who said what, what was injected, the prefix, and where it is kept."""
    outcome = run("demo", "--store", "here.db")
    assert outcome.code == 0
    for word in ("you", "memory", "prefix", "model", "tool", FACTS[0], "100 %", "here.db"):
        assert word in outcome.out
    assert Path("here.db").exists()


def test_without_openai_the_line_to_install_it_is_named(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the openai package the demo names the extra that brings it."""
    monkeypatch.setitem(sys.modules, "openai", None)
    outcome = run("demo")
    assert outcome.code == 1
    assert "pip install 'memory-injection[openai]'" in outcome.line


def test_the_shared_prefix_is_measured_in_bytes() -> None:
    """The prefix ends at the first byte that differs."""
    prefix = shared_prefix("ağaç".encode(), "ağız".encode())
    assert (prefix.kept, prefix.of) == (3, 6)
    assert shared_prefix(b"abc", b"abcdef").percent == 100.0
