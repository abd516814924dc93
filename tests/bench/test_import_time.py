"""What ``import memory_injection`` costs."""

from __future__ import annotations

import statistics
import subprocess
import sys

import pytest

ROUNDS = 9
TIMED = "import time; start = time.perf_counter(); {}; print(time.perf_counter() - start)"


def _seconds(statement: str) -> float:
    done = subprocess.run(
        [sys.executable, "-c", TIMED.format(statement)], capture_output=True, text=True, check=True
    )
    return float(done.stdout)


@pytest.mark.bench
def test_import_costs_little_above_pydantic(capsys: pytest.CaptureFixture[str]) -> None:
    """``import memory_injection`` takes at most 150 ms more than ``import pydantic``."""
    pairs = [
        (_seconds("import pydantic, pydantic.main"), _seconds("import memory_injection"))
        for _ in range(ROUNDS)
    ]
    bare, whole = (1000 * statistics.median(column) for column in zip(*pairs, strict=True))
    with capsys.disabled():
        print(f"\nimport pydantic {bare:.0f} ms, import memory_injection {whole:.0f} ms "
              f"(+{whole - bare:.0f} ms, {whole / bare:.2f} x)")  # fmt: skip
    assert whole - bare <= 150
