"""Four processes write one folder while they are killed, again and again."""

from __future__ import annotations

import contextlib
import json
import os
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from memory_injection.files import create_memory_provider

WRITER = Path(__file__).with_name("crash_writer.py")
WRITERS = 4
# A quick run by default; a long one for those who ask.
KILLS_EACH = int(os.environ.get("MEMORY_INJECTION_KILLS", "3"))


def _run_and_kill(root: Path, number: int) -> list[dict[str, Any]]:
    """Start one writer after another, kill each amid its work; return all it acknowledged."""
    rng = random.Random(number)
    heard: list[dict[str, Any]] = []
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, str(WRITER), str(root), str(number)]
    for _ in range(KILLS_EACH):
        with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as process:
            assert process.stdout is not None
            lines = [process.stdout.readline() for _ in range(rng.randint(1, 25))]
            # Die at any moment of the next write, not only right after an acknowledgement.
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(rng.uniform(0, 0.05))
            process.kill()
            lines += process.stdout.read().splitlines(keepends=True)
        # A line that was torn by the kill acknowledges nothing.
        heard += [json.loads(line) for line in lines if line.endswith(b"\n")]
        assert process.returncode == -9
    return heard


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is POSIX")
def test_killed_writers_tear_lose_and_overwrite_nothing(root: Path) -> None:
    """Every acknowledged record is there whole; no two writers ever had one name."""
    with ThreadPoolExecutor(WRITERS) as pool:
        heard = [
            f for facts in pool.map(lambda n: _run_and_kill(root, n), range(WRITERS)) for f in facts
        ]
    acknowledged = [fact for fact in heard if "id" in fact]
    with create_memory_provider(root) as provider:
        found = {e.id: e for e in provider.list()}
        left = provider.skipped()
        assert all(path.startswith("records/.tmp-") for path in left), f"torn files: {left}"
        provider.add("The next write cleans up.")
        assert provider.skipped() == {}, "what killed writers left"
    assert len({fact["id"] for fact in acknowledged}) == len(acknowledged), "one name, two writers"
    for fact in acknowledged:
        text = found[fact["id"]].content
        assert text.removeprefix("Note\n") == fact["content"], "lost or overwritten"
    for fact in (fact for fact in heard if "own" in fact):
        title = (found[fact["own"]].metadata or {})["title"]
        assert int(title) >= fact["step"], "an acknowledged rewrite was undone"
    kinds = [sum(kind in fact for fact in heard) for kind in ("id", "lost", "own")]
    assert all(kinds), f"not every kind of write happened: {kinds}"
    print(f"\n{WRITERS} writers, {WRITERS * KILLS_EACH} kills: {kinds[0]} records acknowledged, "
          f"{kinds[1]} names lost to another writer, {kinds[2]} rewrites; {len(found)} files, "
          "0 torn, 0 lost, 0 overwritten")  # fmt: skip
