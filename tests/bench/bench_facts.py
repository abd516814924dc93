"""Facts against bare SQLite, as ratios measured in one run.

Run with::

    python -m pytest tests/bench/bench_facts.py -m bench -s

``MEMORY_INJECTION_FACTS`` sets how many facts (default 100,000, over 100 users).
"""

from __future__ import annotations

import os
import random
import sqlite3
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from memory_injection.facts import Fact, FactStore, Source
from memory_injection.facts.backend import Space, Stored
from memory_injection.facts.model import moment
from memory_injection.facts.words import index_words

pytestmark = [pytest.mark.bench, pytest.mark.slow]

FACTS = int(os.environ.get("MEMORY_INJECTION_FACTS", "100000"))
USERS = 100
SHARED = 200
SOURCE = Source("r", "code")

_rng = random.Random(7)
VOCABULARY = [
    "".join(_rng.choice("abcdefghijklmnoprstuvyz") for _ in range(_rng.randint(3, 9)))
    for _ in range(8000)
]
# Zipf's law, flattened a little at the top: the commonest word is in one fact out of nine.
WEIGHTS = [1 / (rank + 20) for rank in range(len(VOCABULARY))]


def sentence(rng: random.Random) -> str:
    return " ".join(rng.choices(VOCABULARY, WEIGHTS, k=rng.randint(8, 22)))


def questions(rng: random.Random, count: int) -> list[str]:
    return [" ".join(rng.choices(VOCABULARY, WEIGHTS, k=rng.randint(1, 6))) for _ in range(count)]


def fill(store: FactStore, users: int, per_user: int) -> list[tuple[str, str]]:
    """Write facts in one transaction; return (user, text) of each."""
    rng, said = random.Random(11), []
    with store._backend.writing() as writer:
        for at in range(SHARED + users * per_user):
            text = sentence(rng)
            user = None if at < SHARED else f"u{(at - SHARED) % users}"
            path = "notes/" if user is None else f"users/{user}/"
            now = moment(at + 1)
            fact = Fact(f"m_{at:020d}", path, text, (), None, 1, now, now, SOURCE)
            writer.put(Stored(fact, Space("a", user)), index_words(text))
            said.append((user or "shared", text))
    return said


def ordinary(path: Path) -> sqlite3.Connection:
    """A connection with the store's durability."""
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = FULL")
    return db


def medians(rounds: int, **ways: Callable[[int], Any]) -> dict[str, float]:
    """Time each way in turn, *rounds* times; return the median of each in milliseconds."""
    taken: dict[str, list[float]] = {name: [] for name in ways}
    for at in range(rounds):
        for name, way in ways.items():
            start = time.perf_counter()
            way(at)
            taken[name].append((time.perf_counter() - start) * 1000)
    return {name: statistics.median(times) for name, times in taken.items()}


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[FactStore, Path]]:
    folder = tmp_path_factory.mktemp("facts")
    with FactStore(folder / "facts.db") as store:
        start = time.perf_counter()
        said = fill(store, USERS, FACTS // USERS)
        print(f"\n{len(said):,} facts written in bulk in {time.perf_counter() - start:.1f} s")
        with closing(ordinary(folder / "raw.db")) as db:
            db.execute("CREATE VIRTUAL TABLE raw USING fts5(scope, text)")
            db.execute("BEGIN")
            db.executemany("INSERT INTO raw VALUES (?, ?)", said)
            db.execute("COMMIT")
        yield store, folder


def test_search_in_a_users_folder(filled: tuple[FactStore, Path]) -> None:
    """At most twice raw FTS5 with the same words and the same scope."""
    store, folder = filled
    rng = random.Random(13)
    asked = questions(rng, 300)
    users = [f"u{rng.randrange(USERS)}" for _ in asked]
    runs = {user: store.open(agent="a", run="r", user=user) for user in users}
    with closing(ordinary(folder / "raw.db")) as db:

        def raw(at: int) -> list[Any]:
            words = " OR ".join(f'"{word}"*' for word in asked[at].split())
            return db.execute(
                "SELECT text FROM raw WHERE raw MATCH ? ORDER BY bm25(raw, 0, 1) LIMIT 5",
                (f"scope : {users[at]} AND text : ({words})",),
            ).fetchall()

        def own(at: int) -> list[Fact]:
            return runs[users[at]].search(asked[at], paths=["users/{user}/"])

        assert sum(bool(raw(at)) == bool(own(at)) for at in range(50)) == 50
        ms = medians(len(asked), raw=raw, own=own)
    print(f"search: own {ms['own']:.3f} ms, raw FTS5 {ms['raw']:.3f} ms, "
          f"ratio {ms['own'] / ms['raw']:.2f}")  # fmt: skip
    assert ms["own"] <= 2 * ms["raw"]


def test_remember(filled: tuple[FactStore, Path]) -> None:
    """At most twice a bare insert with the same durability."""
    store, folder = filled
    rng = random.Random(17)
    texts = [sentence(rng) for _ in range(400)]
    mem = store.open(agent="b", run="r", user="u1")
    with closing(ordinary(folder / "bare.db")) as db:
        db.execute("CREATE TABLE bare (row INTEGER PRIMARY KEY, id TEXT, path TEXT, text TEXT)")

        def bare(at: int) -> None:
            db.execute("INSERT INTO bare (id, path, text) VALUES (?, 'users/u1/', ?)",
                       (f"m_{at}", texts[at]))  # fmt: skip

        ms = medians(
            len(texts), bare=bare, own=lambda at: mem.remember(texts[at], path="users/{user}/")
        )
    print(f"remember: own {ms['own']:.3f} ms, bare insert {ms['bare']:.3f} ms, "
          f"ratio {ms['own'] / ms['bare']:.2f}")  # fmt: skip
    assert ms["own"] <= 2 * ms["bare"]


def test_root_search_does_not_grow(filled: tuple[FactStore, Path], tmp_path: Path) -> None:
    """A user's root search costs the same with 1,000 facts in the store as with all of them."""
    store, _ = filled
    asked = questions(random.Random(19), 400)
    many = store.open(agent="a", run="r", user="u0")
    with FactStore(tmp_path / "few.db") as small:
        few = small.open(agent="a", run="r", user="u0")
        with small._backend.writing() as writer, store._backend.reading() as reader:
            spaces = [Space("a"), Space("a", "u0")]
            for kept in reversed(reader.newest(spaces, None, (), limit=10**6)):
                writer.put(kept, index_words(kept.fact.text))
        assert [f.id for q in asked[:50] for f in many.search(q)] == [
            f.id for q in asked[:50] for f in few.search(q)
        ]
        ms = medians(
            len(asked),
            few=lambda at: few.search(asked[at]),
            many=lambda at: many.search(asked[at]),
        )
    print(f"root search: {ms['few']:.3f} ms among the user's own facts, {ms['many']:.3f} ms among "
          f"{FACTS:,}, ratio {ms['many'] / ms['few']:.2f}")  # fmt: skip
    assert ms["many"] <= 1.3 * ms["few"]


def test_shared_search_and_erasure(filled: tuple[FactStore, Path]) -> None:
    """Figures without a target: a listing, a context, erasing a user of the full file."""
    store, _ = filled
    mem = store.open(agent="a", run="r", user="u1")
    asked = questions(random.Random(23), 100)
    ms = medians(
        100,
        page=lambda _: mem.list(limit=50),
        context=lambda at: mem.context(asked[at]),
    )
    start = time.perf_counter()
    erased = store.erase_user("a", "u9")
    print(f"list of 50: {ms['page']:.3f} ms; context: {ms['context']:.3f} ms; "
          f"{erased} facts erased in {time.perf_counter() - start:.2f} s")  # fmt: skip
    assert erased == FACTS // USERS
