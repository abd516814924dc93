"""Speed of the default store against raw FTS5 on the same file, with the same MATCH.

Run: ``python tests/bench/bench_sqlite_store.py [--million]``, or ``pytest -m bench``.
Ratios, not times, are what to look at: they hold on any machine.
"""

from __future__ import annotations

import random
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from memory_injection.records import Scope
from memory_injection.stores import SQLiteStore
from memory_injection.stores.database import Session
from memory_injection.stores.questions import Search
from memory_injection.stores.recall import Recall

LIMITS = {1_000: 2.0, 10_000: 1.5, 100_000: 1.5}
SLOWEST_IMPORT = 6.0  # times bare FTS5: words are cut and stemmed in Python, there in C
RESULTS = 10


def texts(count: int, seed: int = 1) -> list[str]:
    """Make short texts whose words are as unequally common as in language (Zipf)."""
    rng = random.Random(seed)
    vocabulary = [f"w{rng.randrange(16**6):06x}" for _ in range(50_000)]
    weights = [1.0 / (rank + 10) for rank in range(len(vocabulary))]
    words = rng.choices(vocabulary, weights, k=count * 30)
    return [" ".join(words[i : i + 30]) for i in range(0, len(words), 30)]


def questions(sources: list[str], count: int, seed: int = 2) -> list[str]:
    """Make six-word questions out of the texts themselves."""
    rng = random.Random(seed)
    return [" ".join(rng.sample(rng.choice(sources).split(), 6)) for _ in range(count)]


def matches_of(store: SQLiteStore, asked: list[str], scope: Scope | None) -> list[str]:
    """Return the MATCH expression that the store uses for each question."""
    seen: list[str] = []
    original = Recall._candidates

    def spy(self: Recall, session: Session, wanted: Search, depth: int) -> object:
        seen.append(" OR ".join(f'"{one}"' for one in wanted.tokens))
        return original(self, session, wanted, depth)

    Recall._candidates = spy  # type: ignore[method-assign, assignment]
    try:
        for question in asked:
            store.search(question, {"scope": scope or Scope()})
    finally:
        Recall._candidates = original  # type: ignore[method-assign]
    return seen


def timed(work: Callable[[int], object], count: int, rounds: int = 3) -> list[float]:
    """Return the best of *rounds* times, in seconds, of each call."""
    best = [float("inf")] * count
    for _ in range(rounds):
        for number in range(count):
            start = time.perf_counter()
            work(number)
            best[number] = min(best[number], time.perf_counter() - start)
    return best


def p95(times: list[float]) -> float:
    return sorted(times)[int(len(times) * 0.95)]


def import_speed(folder: Path, sources: list[str]) -> tuple[float, float]:
    """Return seconds for a bulk import by the store, and for bare FTS5 inserts of the same."""
    start = time.perf_counter()
    with SQLiteStore(folder / "import.db") as store:
        store.add_many(sources)
    ours = time.perf_counter() - start
    start = time.perf_counter()
    conn = sqlite3.connect(folder / "bare.db", isolation_level=None)
    conn.execute("PRAGMA journal_mode=WAL")
    conn.execute("PRAGMA synchronous=NORMAL")
    conn.execute("CREATE VIRTUAL TABLE t USING fts5(body)")
    conn.execute("BEGIN")
    conn.executemany("INSERT INTO t (body) VALUES (?)", [(text,) for text in sources])
    conn.execute("COMMIT")
    conn.close()
    return ours, time.perf_counter() - start


def search_speed(path: Path, asked: list[str], scope: Scope | None = None) -> dict[str, float]:
    """Time store and raw FTS5 in turn on one file; return medians and their ratio."""
    with SQLiteStore(path) as store:
        matches = matches_of(store, asked, scope)
        conn = sqlite3.connect(path)
        conn.execute("PRAGMA cache_size=-16000")
        sql = "SELECT rowid, rank FROM memory_lexicon WHERE memory_lexicon MATCH ? ORDER BY rank"
        sql += f" LIMIT {RESULTS}"
        options = {"max_search_results": RESULTS, "scope": scope or Scope()}
        raw = timed(lambda n: conn.execute(sql, (matches[n],)).fetchall(), len(matches))
        ours = timed(lambda n: store.search(asked[n], options), len(asked))
        conn.close()
    return {
        "raw_ms": statistics.median(raw) * 1e3,
        "store_ms": statistics.median(ours) * 1e3,
        "store_p95_ms": p95(ours) * 1e3,
        "ratio": statistics.median(ours) / statistics.median(raw),
    }


def measure(sizes: list[int], folder: Path) -> dict[int, dict[str, float]]:
    """Fill a store of each size in one scope, and print and return what was measured."""
    found: dict[int, dict[str, float]] = {}
    print(f"{'entries':>9} {'raw ms':>8} {'store ms':>9} {'p95 ms':>8} {'ratio':>6}  import/bare")
    for size in sizes:
        sources = texts(size)
        path = folder / f"{size}.db"
        with SQLiteStore(path) as store:
            for start in range(0, size, 10_000):
                store.add_many(sources[start : start + 10_000])
        row = search_speed(path, questions(sources, 100 if size > 50_000 else 300))
        ours, bare = import_speed(folder, sources[:20_000])
        row["import_ratio"] = ours / bare
        for name in ("import.db", "bare.db"):
            (folder / name).unlink()
        found[size] = row
        print(
            f"{size:>9} {row['raw_ms']:8.3f} {row['store_ms']:9.3f} {row['store_p95_ms']:8.3f}"
            f" {row['ratio']:6.2f}  {row['import_ratio']:.2f}"
        )
    return found


@pytest.mark.bench
@pytest.mark.slow
def test_search_stays_near_raw_fts5(tmp_path: Path) -> None:
    """Search costs at most 2 times raw FTS5 at 1,000 entries and 1.5 times from 10,000."""
    for size, row in measure(list(LIMITS), tmp_path).items():
        assert row["ratio"] <= LIMITS[size]
        assert row["import_ratio"] <= SLOWEST_IMPORT


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        measure([*LIMITS, *([1_000_000] if "--million" in sys.argv else [])], Path(place))
