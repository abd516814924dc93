"""Recall over record files: first call, second call, after one edit; and Strands on the same files.

Run ``python tests/bench/bench_files.py`` for the table, or ``pytest -m bench
tests/bench/bench_files.py`` for the assertions. Strands' file store takes part when the package
``strands-agents`` is installed.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from memory_injection.files import create_memory_provider

SIZES = (1_000, 10_000)
ROUNDS = 3  # fresh providers; the best round of each kind counts, others share the machine
REPEATS = 5
QUERIES = ["where is word9 kept", "word14 or word31", "tell me of word77", "word8 word15 word90"]


@dataclass(frozen=True)
class Figures:
    """Seconds, for one number of files."""

    files: int
    first: float
    second: float
    after_edit: float
    strands_first: float | None
    strands_second: float | None

    @property
    def gain(self) -> float:
        """How many times faster the second call is than the first."""
        return self.first / self.second


def write_records(root: Path, count: int) -> None:
    """Write *count* records of about thirty words, spread as in natural text."""
    rng = random.Random(7)
    vocabulary = [f"word{n}" for n in range(20_000)]
    weights = [1 / (n + 1) for n in range(20_000)]
    folder = root / "records"
    folder.mkdir(parents=True)
    for n in range(count):
        words = " ".join(rng.choices(vocabulary, weights, k=30))
        (folder / f"note-{n:05}.md").write_text(
            f"---\nid: note-{n:05}\ntitle: Note {n}\nkind: note\nscope: project\ntags: [a, b]\n"
            f"created_at: '2026-01-01T00:00:00Z'\n---\n\n{words}\n",
            encoding="utf-8",
        )


def timed(work: Callable[[], object]) -> float:
    """Return the wall seconds of one call."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def measure(count: int) -> Figures:
    """Measure both stores on one folder of *count* files."""
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder)
        root = base / "memory"  # Strands reads BASE/memory/NAME: with the name "records", our files
        write_records(root, count)
        rounds = [_ours(root) for _ in range(ROUNDS)]
        theirs = _strands(base)
    return Figures(count, *(min(seconds) for seconds in zip(*rounds, strict=True)), *theirs)


def _ours(root: Path) -> tuple[float, float, float]:
    with create_memory_provider(root) as provider:
        first = timed(lambda: provider.search(QUERIES[0]))
        again = [timed(lambda n=n: provider.search(QUERIES[n % 4])) for n in range(REPEATS)]  # type: ignore[misc]
        edited = root / "records" / "note-00000.md"
        before = edited.read_text(encoding="utf-8")
        edited.write_text("edited by hand", encoding="utf-8")
        after_edit = timed(lambda: provider.search("edited by hand"))
        assert [e.id for e in provider.search("edited by hand")][:1] == ["note-00000"]
        edited.write_text(before, encoding="utf-8")
    return first, min(again), after_edit


def _strands(base: Path) -> tuple[float | None, float | None]:
    try:
        from strands.storage import LocalFileStorage
        from strands.vended_memory_stores.file_memory_store import FileMemoryStore
    except ImportError:
        return None, None
    store = FileMemoryStore(name="records", storage=LocalFileStorage(str(base)))

    async def run() -> tuple[float, float]:
        seconds = []
        for n in range(REPEATS + 1):
            start = time.perf_counter()
            found = await store.search(QUERIES[n % 4])
            seconds.append(time.perf_counter() - start)
            assert found, "the other store reads other files"
        return seconds[0], min(seconds[1:])

    return asyncio.run(run())


@pytest.mark.bench
@pytest.mark.parametrize("count", SIZES)
def test_the_second_call_is_twenty_times_faster_and_never_slower_than_the_peer(count: int) -> None:
    """Unchanged files are not read again; the peer reads every file every time."""
    figures = measure(count)
    print(f"\n{figures} second call {figures.gain:.0f} times faster")
    assert figures.gain >= 20
    if figures.strands_second is not None:
        assert figures.second < figures.strands_second


def main() -> None:
    """Print the table."""
    from rich.console import Console
    from rich.progress import track
    from rich.table import Table

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES))
    sizes = parser.parse_args().sizes
    table = Table("files", "first ms", "second ms", "gain", "after an edit ms",
                  "Strands first ms", "Strands again ms", "Strands / ours")  # fmt: skip
    for count in track(sizes, "measuring", transient=True):
        f = measure(count)
        ratio = "-" if f.strands_second is None else f"{f.strands_second / f.second:.1f}x"
        numbers = (f.first, f.second, f.after_edit, f.strands_first, f.strands_second)
        ms = ["-" if s is None else f"{s * 1000:.1f}" for s in numbers]
        table.add_row(f"{count:,}", ms[0], ms[1], f"{f.gain:.0f}x", *ms[2:], ratio)
    Console(width=110).print(table)


if __name__ == "__main__":
    main()
