"""Short runs of the soaks in ``tests/bench``; their own files say what each run checks."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[1] / "bench"
ROOT = Path(__file__).parents[2]


def soak(script, *options):
    """Run a soak; return what it told."""
    done = subprocess.run(
        [sys.executable, "-W", "error", str(BENCH / script), *map(str, options)],
        capture_output=True, text=True, timeout=600, cwd=ROOT,
    )  # fmt: skip
    assert done.stderr == ""
    told = json.loads(done.stdout)
    assert done.returncode == (0 if told["held"] else 1)
    return told


def check(told):
    assert (told["raised"], told["wrong"]) == (0, 0), told
    assert told["counters_add_up"], told
    assert told["logs_add_up"], told
    assert told["late"]["unexplained"] == 0, told


def test_two_thousand_injections_with_faults_at_every_seam():
    """Nothing raises, nothing is corrupted, every status is right, counters add up."""
    pytest.importorskip("opentelemetry.sdk")
    told = soak("soak.py", "--injections", 2000, "--rate", 0.02, "--think", 0.05)
    assert told["injections"] == 2000
    assert told["statuses"]["failed"] > 20
    check(told)


def test_processes_that_are_killed_lose_nothing():
    """For some seconds: every acknowledged write is there, every replay is byte for byte."""
    told = soak("soak_processes.py", "--seconds", 6, "--processes", 3)
    assert told["killed"] >= 2
    assert told["writes_acknowledged"] > 20
    assert told["held"], told


@pytest.mark.bench
def test_a_hundred_thousand_injections():
    """The same at scale, with flat memory, threads and file handles."""
    pytest.importorskip("opentelemetry.sdk")
    told = soak("soak.py", "--injections", 100_000)
    check(told)
    assert told["held"], told


@pytest.mark.bench
def test_processes_that_are_killed_for_a_minute():
    """Four processes, one killed every second."""
    told = soak("soak_processes.py", "--seconds", 60)
    assert told["killed"] >= 50
    assert told["held"], told
