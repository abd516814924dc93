"""Search by the store, by raw FTS5, by bm25s and by raw tantivy, over the same texts in one run.

Run: ``python tests/bench/bench_engines.py [SIZE ...] [--scopes SIZE]``, or ``pytest -m bench``.
Each engine gets the same six-word questions and gives its ten best; raw ones rank by BM25 and
nothing else. ``--scopes SIZE`` spreads the texts over a thousand users.
"""

from __future__ import annotations

import importlib
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from memory_injection.records import Scope
from memory_injection.stores import SQLiteStore
from memory_injection.stores.database import Session
from memory_injection.stores.questions import Search
from memory_injection.stores.recall import Recall

sys.path.insert(0, str(Path(__file__).parent))
from bench_sqlite_store import p95, questions, texts, timed  # a script's neighbour

SIZES = (1_000, 10_000, 100_000)
RESULTS = 10
USERS = 1_000
LIMIT = 2.0  # times the fastest engine, at 100,000 entries

Ask = Callable[[str, int], int]
"""Asks one question of one user (by number); returns how many were found."""


@contextmanager
def store(folder: Path, sources: list[str], users: int) -> Iterator[dict[str, Ask]]:
    with SQLiteStore(folder / "store.db") as opened:
        for start in range(0, len(sources), 20_000):
            opened.add_many(
                {"content": text, "scope": Scope(user=f"u{(start + at) % users}")}
                for at, text in enumerate(sources[start : start + 20_000])
            )

        def ask(asked: str, user: int) -> int:
            options = {"max_search_results": RESULTS, "scope": Scope(user=f"u{user}")}
            return len(opened.search(asked, options))

        yield {"store": ask, "its engine": _engine_alone(opened, ask)}


def _engine_alone(opened: SQLiteStore, whole: Ask) -> Ask:
    """Return what asks the store's engine for what a search would, without ranking it."""
    wanted: dict[str, tuple[Search, int]] = {}
    original = Recall._candidates

    def ask(asked: str, user: int) -> int:
        if asked not in wanted:

            def spy(self: Recall, session: Session, search: Search, depth: int) -> object:
                wanted[asked] = search, depth
                return original(self, session, search, depth)

            Recall._candidates = spy  # type: ignore[method-assign, assignment]
            try:
                whole(asked, user)
            finally:
                Recall._candidates = original  # type: ignore[method-assign]
        with opened._database.read() as session:
            return len(opened._engine.best(session, *wanted[asked]))

    return ask


@contextmanager
def raw_fts5(folder: Path, sources: list[str], users: int) -> Iterator[dict[str, Ask]]:
    with closing(sqlite3.connect(folder / "raw.db", isolation_level=None)) as conn:
        conn.execute("PRAGMA journal_mode=WAL")
        conn.execute("CREATE VIRTUAL TABLE t USING fts5(scope, body)")
        conn.execute("BEGIN")
        conn.executemany(
            "INSERT INTO t (scope, body) VALUES (?, ?)",
            ((f"u{at % users}", text) for at, text in enumerate(sources)),
        )
        conn.execute("COMMIT")
        sql = f"SELECT rowid, rank FROM t WHERE t MATCH ? ORDER BY rank LIMIT {RESULTS}"

        def ask(asked: str, user: int) -> int:
            words = " OR ".join(f'"{word}"' for word in asked.split())
            match = f"scope : u{user} AND body : ({words})" if users > 1 else f"body : ({words})"
            return len(conn.execute(sql, (match,)).fetchall())

        yield {"raw FTS5": ask}


@contextmanager
def bm25s(folder: Path, sources: list[str], users: int) -> Iterator[dict[str, Ask]]:
    module: Any = importlib.import_module("bm25s")
    index = module.BM25()
    index.index(module.tokenize(sources, show_progress=False), show_progress=False)

    def ask(asked: str, user: int) -> int:
        cut = module.tokenize([asked], show_progress=False)
        found, _ = index.retrieve(cut, k=min(RESULTS, len(sources)), show_progress=False)
        return len(found[0])

    yield {"bm25s": ask}


@contextmanager
def raw_tantivy(folder: Path, sources: list[str], users: int) -> Iterator[dict[str, Ask]]:
    module: Any = importlib.import_module("tantivy")
    fields = module.SchemaBuilder()
    fields.add_text_field("scope", tokenizer_name="raw", index_option="basic")
    fields.add_text_field("body", index_option="freq")
    (folder / "tantivy").mkdir()
    index = module.Index(fields.build(), str(folder / "tantivy"))
    writer = index.writer(64_000_000, 1)
    for at, text in enumerate(sources):
        writer.add_document(module.Document(scope=[f"u{at % users}"], body=[text]))
    writer.commit()
    writer.wait_merging_threads()
    index.config_reader("manual")
    index.reload()
    searcher, schema, query = index.searcher(), index.schema, module.Query

    def ask(asked: str, user: int) -> int:
        should, must = module.Occur.Should, module.Occur.Must
        words = [query.term_query(schema, "body", word, index_option="freq")
                 for word in asked.split()]  # fmt: skip
        wanted = query.boolean_query([(should, word) for word in words])
        if users > 1:
            own = query.const_score_query(query.term_query(schema, "scope", f"u{user}"), 0.0)
            wanted = query.boolean_query([(must, wanted), (must, own)])
        return len(searcher.search(wanted, limit=RESULTS, count=False).hits)

    yield {"raw tantivy": ask}


def measure(size: int, users: int = 1) -> dict[str, float]:
    """Fill each engine, ask each the same, print medians; return them in milliseconds."""
    sources = texts(size)
    rounds = 100 if size <= SIZES[-1] else 30
    asked = questions(sources, rounds)
    whose = [at % users for at in range(rounds)]
    found: dict[str, float] = {}
    for engine in (store, raw_fts5, bm25s, raw_tantivy):
        if engine is bm25s and users > 1:
            continue  # one index over everybody: it cannot tell whose a text is
        with tempfile.TemporaryDirectory() as folder:
            start = time.perf_counter()
            with engine(Path(folder), sources, users) as asks:
                filled = time.perf_counter() - start
                for name, ask in asks.items():
                    times = timed(lambda n, ask=ask: ask(asked[n], whose[n]), rounds)  # type: ignore[misc]
                    found[name] = statistics.median(times) * 1e3
                    print(
                        f"{size:>9} {users:>6} {name:<12} p50 {found[name]:8.3f} ms"
                        f"  p95 {p95(times) * 1e3:8.3f} ms  filled in {filled:7.1f} s",
                        flush=True,
                    )
    return found


@pytest.mark.bench
@pytest.mark.slow
def test_the_engine_in_use_is_near_the_fastest() -> None:
    """At 100,000 entries in one scope the store's engine takes at most twice the fastest's time."""
    for package in ("bm25s", "tantivy"):
        pytest.importorskip(package)
    for size in SIZES:
        found = measure(size)
    assert found["its engine"] <= LIMIT * min(found.values())


if __name__ == "__main__":
    spread = "--scopes" in sys.argv
    sizes = [int(word) for word in sys.argv[1:] if word.isdigit()] or list(SIZES)
    for one in sizes:
        measure(one, USERS if spread else 1)
