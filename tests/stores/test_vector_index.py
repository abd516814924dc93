"""usearch as vector index: the same answers as the exact search, whatever becomes of its files."""

from __future__ import annotations

import asyncio
import logging
import os
import random
import sqlite3
import subprocess
import sys
import threading
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

np = pytest.importorskip("numpy", reason="numpy comes with the embeddings and light extras")
pytest.importorskip("usearch", reason="the ann extra is not installed")

import memory_injection  # noqa: E402
from memory_injection.errors import StoreError  # noqa: E402
from memory_injection.records import Scope  # noqa: E402
from memory_injection.stores import (  # noqa: E402
    SQLiteStore,
    VectorStore,
    index_files,
    segment_writer,
    segments,
    usearch_index,
    vector_index,
)
from memory_injection.stores.matrices import Matrices  # noqa: E402
from memory_injection.stores.usearch_index import Approximate  # noqa: E402
from memory_injection.stores.vectors import find_model  # noqa: E402
from memory_injection.testing.stores import StoreConformance  # noqa: E402

ANN, BOB = Scope(user="ann"), Scope(user="bob")
DIMENSION = 24


class Words:
    """An embedder that needs no model: the sum of its words' directions."""

    dimension = DIMENSION

    def __init__(self, name: str = "words") -> None:
        self.name = name
        self.trouble: Exception | None = None
        self._known: dict[str, Any] = {}

    def embed(self, texts: Sequence[str], kind: str = "document") -> Any:
        if self.trouble is not None:
            raise self.trouble
        return [sum(self._of(word) for word in text.lower().split()) for text in texts]

    def _of(self, word: str) -> Any:
        if word not in self._known:
            rng = np.random.default_rng(zlib.crc32((self.name + word).encode()))
            self._known[word] = rng.normal(size=DIMENSION)
        return self._known[word]


class LaterWords(Words):
    """The same, async."""

    async def embed(self, texts: Sequence[str], kind: str = "document") -> Any:
        await asyncio.sleep(0)
        return super().embed(texts, kind)


def texts(count: int, seed: int = 1) -> list[str]:
    rng = random.Random(seed)
    vocabulary = [f"{a}{b}ex" for b in "aeiou" for a in "bcdfgklmpr"]
    return [f"{' '.join(rng.choices(vocabulary, k=5))} n{seed}x{n}" for n in range(count)]


ASKED = "bamex caex daex doex fuex"


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Segments of 150 vectors, written when 40 are missing; looked after at every write."""
    monkeypatch.setattr(segment_writer, "_FULL", 150)
    monkeypatch.setattr(segment_writer, "_BEHIND", 40)
    monkeypatch.setattr(segment_writer, "_READ", 64)
    monkeypatch.setattr(usearch_index, "_OFTEN", 1)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


def opened(path: Path, index: str = "usearch", **options: Any) -> VectorStore:
    return VectorStore(path, embedder=options.pop("embedder", None) or Words(), index=index,
                       **options)  # fmt: skip


@pytest.fixture
def store(path: Path) -> Iterator[VectorStore]:
    with opened(path) as made:
        yield made


def found(store: VectorStore, query: str = ASKED, scope: Scope | None = None) -> list[str]:
    result: Any = store.search(query, {"scope": scope or Scope()})
    return [entry.content for entry in result]


def rows(path: Path) -> list[tuple[int, int]]:
    """Return the registered segments' owners and entries."""
    with closing(sqlite3.connect(path)) as conn:
        sql = "SELECT scope, entries FROM memory_segments ORDER BY scope, upto"
        return conn.execute(sql).fetchall()


def files(path: Path) -> list[Path]:
    return sorted(Path(f"{path}.vectors").glob("*.usearch"))


def held(store: VectorStore) -> int:
    """Return how many entries the largest matrix in memory has."""
    index = store._index
    assert isinstance(index, Approximate)
    return max((len(m.ids) for m in index._exact.matrices._kept.values()), default=0)


class TestApproximateConformance(StoreConformance):
    """The suite every store passes."""

    @pytest.fixture
    def make_store(self, tmp_path: Path) -> Iterator[object]:
        made: list[VectorStore] = []

        def make(**options: Any) -> VectorStore:
            made.append(opened(tmp_path / f"{len(made)}.db", **options))
            return made[-1]

        yield make
        for one in made:
            one.close()


@pytest.mark.parametrize("hybrid", [True, False])
def test_both_indexes_give_the_same_answers(path: Path, hybrid: bool) -> None:
    """What is ranked is picked; how, and with which scores, is the same."""
    sources = texts(700)
    with opened(path, hybrid=hybrid) as store, opened(path, "exact", hybrid=hybrid) as other:
        store.add_many(sources)
        assert [entries for _, entries in rows(path)] == [150, 150, 150, 150, 100]
        for text in random.Random(3).sample(sources, 20):
            asked = " ".join(text.split()[:4])
            ours: Any = store.search(asked)
            theirs: Any = other.search(asked)
            assert len({e.id for e in ours} & {e.id for e in theirs}) >= 9
            assert ours[0].score == pytest.approx(theirs[0].score, abs=0.02)
        assert held(store) == 0


def test_nothing_is_loaded_that_the_index_answers(
    store: VectorStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No matrix of everything is made: only what is newer than the index."""
    monkeypatch.setattr(Matrices, "of_view", lambda *_: pytest.fail("searched exactly"))
    store.add_many(texts(400))
    store.add_many(texts(7, seed=2))
    assert len(found(store)) == 10
    assert held(store) == 7


def test_what_is_newer_than_the_index_is_found(path: Path, store: VectorStore) -> None:
    """Entries that it does not hold yet are compared exactly; it is not touched for a few."""
    store.add_many(texts(200))
    before = files(path)
    store.add(f"{ASKED} again")
    assert files(path) == before
    assert found(store)[0] == f"{ASKED} again"


def test_an_index_far_behind_is_brought_up(path: Path, store: VectorStore) -> None:
    """The last segment goes on until it is full; another store on the file sees all of it."""
    store.add_many(texts(120))
    with opened(path, writable=False) as reader:
        assert len(found(reader)) == 10
        store.add_many([f"{ASKED} {n}" for n in range(80)])
        assert [entries for _, entries in rows(path)] == [150, 50]
        assert all(text.startswith(ASKED) for text in found(reader))
        assert held(reader) == 0


def test_what_is_replaced_or_forgotten_is_not_found(store: VectorStore) -> None:
    """The table is the truth: what is not in it does not come back, whatever the index says."""
    store.add_many({"id": f"e{n}", "content": text} for n, text in enumerate(texts(300)))
    result: Any = store.search(ASKED)
    first, second = (entry.id for entry in result[:2])
    store.add("nothing of it", id=first)
    assert store.forget(second)
    again: Any = store.search(ASKED)
    assert len(again) == 10
    assert not {first, second} & {entry.id for entry in again}


def test_a_segment_full_of_gaps_is_written_anew(path: Path, store: VectorStore) -> None:
    """Vectors of forgotten entries do not stay for ever."""
    ids: Any = store.add_many(texts(300))
    for ident in ids[:30]:
        store.forget(ident)
    store.add("one more")
    assert [entries for _, entries in rows(path)] == [120, 150]
    for ident in ids[30:150]:
        store.forget(ident)
    store.add("and one more")
    assert [entries for _, entries in rows(path)] == [150]
    assert len(found(store)) == 10


@pytest.mark.parametrize("harm", ["cut", "changed", "lost", "folder", "swapped"])
def test_a_damaged_index_costs_time_only(
    path: Path, harm: str, caplog: pytest.LogCaptureFixture
) -> None:
    """The exact search answers, the log says so once, and the next write makes the index whole."""
    with opened(path) as store:
        store.add_many(texts(300))
    with opened(path, "exact") as store:
        right = found(store)
    first, second = files(path)
    if harm == "cut":
        first.write_bytes(first.read_bytes()[:900])
    elif harm == "changed":
        first.write_bytes(first.read_bytes()[:-50] + b"\xff" * 50)
    elif harm == "swapped":
        first.write_bytes(second.read_bytes())
    else:
        for file in [first] if harm == "lost" else [first, second]:
            file.unlink()
    with opened(path) as store, caplog.at_level(logging.WARNING):
        assert found(store) == right
        assert found(store) == right
        assert held(store) == 300
        assert len([r for r in caplog.records if "search is exact" in r.message]) == 1
        store.add("zebra crossing")
        assert [entries for _, entries in rows(path)] == [150, 150]
        assert found(store, "zebra crossing")[0] == "zebra crossing"
        assert held(store) == 1


def test_a_file_that_a_writer_has_just_replaced_is_no_trouble(
    path: Path, store: VectorStore, caplog: pytest.LogCaptureFixture
) -> None:
    """Between the look into the table and the opening another process may write it anew."""
    store.add_many(texts(100))
    shelf = store._index._shelf  # type: ignore[attr-defined]
    gone = segments.Segment(file="gone.usearch", owner=1, upto=9, entries=9, size=9, checksum=9)
    with store._database.read() as session, caplog.at_level(logging.WARNING):
        model = find_model(session.conn, "words", DIMENSION)
        assert model is not None
        assert shelf.open(session, gone, model) is None
    assert not caplog.records


def test_a_file_that_usearch_refuses_costs_time_only(path: Path, store: VectorStore) -> None:
    """A file of another version or model is as good as none, even if its checksum is right."""
    store.add_many(texts(100))
    (file,) = files(path)
    file.write_bytes(b"\x00" * 5_000)
    with closing(sqlite3.connect(path)) as conn:
        sql = "UPDATE memory_segments SET size = 5000, checksum = ?"
        conn.execute(sql, (zlib.crc32(b"\x00" * 5_000),))
        conn.commit()
    with opened(path) as other:
        assert len(found(other)) == 10
        assert held(other) == 100
        other.add("one more")
        assert rows(path) == [(1, 100)]
        assert len(found(other)) == 10
        assert held(other) == 1


def test_a_base_that_turns_out_damaged_is_written_anew(path: Path, store: VectorStore) -> None:
    """A writer that goes on from a segment finds out what no reader has found yet."""
    store.add_many(texts(100))
    (file,) = files(path)
    file.write_bytes(file.read_bytes()[:-9] + b"\xff" * 9)
    store.add_many(texts(60, seed=2))
    assert rows(path) == [(1, 150)]
    with opened(path) as other:
        assert len(found(other)) == 10
        assert held(other) == 10


def test_another_models_index_is_not_used(path: Path) -> None:
    """Its vectors are out of use, its index with them; embedding anew replaces both."""
    with opened(path) as store:
        store.add_many(texts(200))
    with opened(path, embedder=Words("other")) as store:
        assert found(store) != []
        assert store.reembed() == 200
        assert [entries for _, entries in rows(path)] == [150, 50]
        with opened(path, "exact", embedder=Words("other")) as exact:
            assert set(found(store)) == set(found(exact))
        assert held(store) == 0
    with closing(sqlite3.connect(path)) as conn:
        assert conn.execute("SELECT DISTINCT model FROM memory_segments").fetchall() == [(2,)]


def test_a_vector_missing_in_the_middle_ends_the_index_there(path: Path) -> None:
    """A segment written anew ends before it, those after it go, and both come back with it."""
    with opened(path) as store:
        store.add_many(texts(300))
        files(path)[0].unlink()
        files(path)[0].unlink()
        with store._database.write() as session:
            session.conn.execute("DELETE FROM memory_vectors WHERE id = 50")
        with store._database.read() as session:
            model = find_model(session.conn, "words", DIMENSION)
        assert model is not None
        assert len(found(store)) == 10
        store._index.written(store._database, model, 1)
        assert [entries for _, entries in rows(path)] == [49]
        store.add("one more")
        assert [entries for _, entries in rows(path)] == [150, 150]
        assert len(found(store)) == 10
        assert held(store) == 1


def test_more_segments_than_are_kept_open_are_all_searched(
    store: VectorStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bound on open files costs time only."""
    store.add_many(texts(450))
    right = found(store)
    monkeypatch.setattr(segments, "_OPEN", 1)
    store._index.close()
    assert found(store) == right
    assert held(store) == 0


def test_a_locked_index_is_left_to_who_holds_it(path: Path, store: VectorStore) -> None:
    """Writing goes on, the exact search finds, and a later write brings the index up."""
    folder = Path(f"{path}.vectors")
    folder.mkdir()
    with FileLock(str(folder / "lock")):
        store.add_many(texts(200))
        assert rows(path) == []
        assert len(found(store)) == 10
    store.add("one more")
    assert [entries for _, entries in rows(path)] == [150, 51]


@pytest.mark.parametrize("by", ["usearch", "exact", "plain"])
def test_an_erasure_leaves_nothing_in_the_index(path: Path, by: str) -> None:
    """Whoever erases: the files go, and come back without the erased at the next write."""
    with opened(path) as store:
        store.add_many([f"zanzibar {text}" for text in texts(100)], scope=ANN)
        store.add_many(texts(100, seed=2), scope=BOB)
        assert len(rows(path)) == 2
    with opened(path) as reader:
        assert len(found(reader, scope=ANN)) == 10
        with SQLiteStore(path) if by == "plain" else opened(path, by) as store:
            assert store.erase(ANN) == 100
            assert [file.name for file in Path(f"{path}.vectors").iterdir()] == ["lock"]
            assert rows(path) == []
        assert found(reader, scope=ANN) == []
        assert len(found(reader, scope=BOB)) == 10
    with opened(path) as store:
        store.add("one more", scope=BOB)
        assert [entries for _, entries in rows(path)] == [101]


def test_an_erasure_waits_for_work_on_the_index(path: Path) -> None:
    """Too short a wait: one line, and nothing was erased."""
    with opened(path, busy_timeout=0.05) as store:
        store.add_many(texts(50), scope=ANN)
        with (
            FileLock(f"{path}.vectors/lock"),
            pytest.raises(StoreError, match="nothing was erased"),
        ):
            store.erase(ANN)
        assert store.count(scope=ANN) == 50
        assert len(rows(path)) == 1


def test_an_index_that_cannot_be_removed_stops_an_erasure(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line, and nothing was erased: an erasure that leaves vectors behind is none."""

    def fail(*_: object) -> None:
        raise PermissionError("in use")

    with opened(path) as store:
        store.add_many(texts(50), scope=ANN)
        monkeypatch.setattr(index_files, "sweep", fail)
        with pytest.raises(StoreError, match="nothing was erased: in use"):
            store.erase(ANN)
        assert store.count(scope=ANN) == 50


def test_nobody_sees_another_owners_entries(path: Path, store: VectorStore) -> None:
    """Each owner has an index of its own; what is written for nobody is everybody's."""
    store.add_many([f"{text} ann" for text in texts(200)], scope=ANN)
    store.add_many([f"{text} bob" for text in texts(200)], scope=BOB)
    store.add_many([f"{text} all" for text in texts(200)])
    assert len({owner for owner, _ in rows(path)}) == 3
    for scope, own in ((ANN, "ann"), (BOB, "bob"), (None, "all")):
        ends = {text.split()[-1] for text in found(store, scope=scope)}
        assert ends <= {own, "all"}
        assert own in ends


def test_an_index_that_gives_another_owners_entries_gives_nothing(
    path: Path, store: VectorStore
) -> None:
    """Even a registry that names the wrong file shows nobody what is not theirs."""
    store.add_many([f"{text} ann" for text in texts(100)], scope=ANN)
    store.add_many([f"{text} bob" for text in texts(100)], scope=BOB)
    with closing(sqlite3.connect(path)) as conn:
        conn.execute("UPDATE memory_segments SET scope = 3 - scope")
        conn.commit()
    for scope, own in ((ANN, "ann"), (BOB, "bob")):
        assert {text.split()[-1] for text in found(store, scope=scope)} <= {own}
        with opened(path) as fresh:
            assert {text.split()[-1] for text in found(fresh, scope=scope)} <= {own}


def test_small_and_large_scopes_stand_in_one_ranking(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By itself an index is for large scopes alone; a caller's small ones are ranked beside."""
    monkeypatch.setattr(vector_index, "LARGE", 150)
    with opened(path, "auto") as store:
        store.add_many(texts(150), scope=ANN)
        assert rows(path) == []
        store.add_many(texts(100, seed=2), scope=ANN)
        store.add_many([f"{ASKED} {n}" for n in range(3)])
        assert [entries for _, entries in rows(path)] == [150, 100]
        assert {text[: len(ASKED)] for text in found(store, scope=ANN)[:3]} == {ASKED}
        assert held(store) == 3
        with opened(path, "exact") as exact:
            ours, theirs = found(store, scope=ANN), found(exact, scope=ANN)
        assert len(set(ours) & set(theirs)) >= 9


def test_a_turn_is_found_through_the_turns_around_it(store: VectorStore) -> None:
    """Neighbours are brought along although the index does not pick them."""
    store.add_many(texts(400))
    talk = ["hello there", ASKED, "Yes", "bye now"]
    for turn, text in enumerate(talk):
        store.add(text, {"speaker": "ab"[turn % 2], "session": "1", "turn": turn})
    store.add_many(texts(400, seed=2))
    assert held(store) == 0
    assert found(store)[0] == ASKED
    assert {"hello there", "Yes"} & set(found(store))


def test_what_waits_for_its_vector_is_found_when_it_has_one(path: Path) -> None:
    """An index ends before the first entry without a vector: nothing falls through."""
    model = Words()
    with opened(path, embedder=model) as store:
        store.add_many(texts(100))
        model.trouble = OSError("no connection")
        store.add(f"{ASKED} late")
        store.add_many(texts(100, seed=2))
        assert [entries for _, entries in rows(path)] == [100]
        model.trouble = None
        assert store.reembed() == 101
        assert [entries for _, entries in rows(path)] == [150, 51]
        assert found(store)[0] == f"{ASKED} late"


def test_a_file_of_before_there_was_an_index_is_taken_over(path: Path) -> None:
    """Read-only it is searched exactly; the first write adds what is missing."""
    with opened(path, "exact") as store:
        store.add_many(texts(200))
        right = found(store)
    with closing(sqlite3.connect(path)) as conn:
        conn.execute("DROP TABLE memory_segments")
        conn.execute("DROP INDEX memory_owned")
    with opened(path, writable=False) as store:
        assert found(store) == right
        assert held(store) == 200
    with opened(path) as store:
        store.add("one more")
        assert [entries for _, entries in rows(path)] == [150, 51]


def test_it_survives_reopening(path: Path) -> None:
    """A store opened again goes on with the files that are there."""
    with opened(path) as store:
        store.add_many(texts(200))
        before, right = files(path), found(store)
    with opened(path, writable=False) as store:
        assert found(store) == right
        assert held(store) == 0
    assert files(path) == before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_searches_on_its_own(store: VectorStore) -> None:
    """Locks that a thread of the parent held are no hindrance."""
    store.add_many(texts(200))
    right = found(store)
    index = store._index
    assert isinstance(index, Approximate)
    with index._shelf._lock:
        child = os.fork()
        if child == 0:
            os._exit(0 if found(store) == right else 1)
        _, status = os.waitpid(child, 0)
    assert status == 0
    assert found(store) == right


def test_threads_search_while_the_index_grows(store: VectorStore) -> None:
    """Every search is answered in full, whatever is being written."""
    store.add_many(texts(150))
    short: list[int] = []
    done = threading.Event()

    def search() -> None:
        while not done.is_set():
            count = len(found(store))
            if count != 10:
                short.append(count)

    threads = [threading.Thread(target=search) for _ in range(3)]
    for thread in threads:
        thread.start()
    for seed in range(2, 8):
        store.add_many(texts(60, seed=seed))
    done.set()
    for thread in threads:
        thread.join()
    assert short == []


async def test_with_an_async_embedder_the_loop_goes_on(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The index is written on another thread, since that may take minutes."""
    on: list[threading.Thread] = []
    original = Approximate.written

    def written(self: Approximate, *given: Any) -> None:
        on.append(threading.current_thread())
        original(self, *given)

    monkeypatch.setattr(Approximate, "written", written)
    with opened(path, embedder=LaterWords()) as store:
        await store.add_many(texts(200))  # type: ignore[misc]
        assert [entries for _, entries in rows(path)] == [150, 50]
        assert len(await store.search(ASKED)) == 10  # type: ignore[misc]
    assert on
    assert threading.main_thread() not in on


def test_a_failing_index_is_not_the_writers_trouble(
    store: VectorStore, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """What was written is written; the log says what went wrong; the next write tries again."""

    def fail(*_: object) -> None:
        raise OSError("no space left")

    with monkeypatch.context() as patched:
        patched.setattr(usearch_index, "follow", fail)
        store.add_many(texts(50))
    assert "no space left" in caplog.text
    assert store.count() == 50
    store.add("one more")
    assert rows(Path(store.path)) == [(1, 51)]


_WRITER = """
import sys
sys.path.insert(0, sys.argv[3])
from test_vector_index import ASKED, Words, opened, segment_writer, texts, usearch_index
segment_writer._FULL, segment_writer._BEHIND, usearch_index._OFTEN = 150, 20, 1
path, seed = sys.argv[1], int(sys.argv[2])
with opened(path, busy_timeout=60) as store:
    for start in range(4):
        ids = store.add_many(texts(25, seed=10 * seed + start))
        assert len(store.search(ASKED)) >= 9  # the other may forget one meanwhile
        assert store.forget(ids[0])
"""


@pytest.mark.slow
def test_several_processes_share_one_index(path: Path, store: VectorStore) -> None:
    """Two write, search and forget at once; nobody fails, and nothing is missing afterwards."""
    store.add_many(texts(50))
    root = str(Path(memory_injection.__file__).parents[1])
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", _WRITER, str(path), seed, str(Path(__file__).parent)],
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": root},
        )
        for seed in ("2", "3")
    ]
    for writer in writers:
        _, told = writer.communicate(timeout=120)
        assert (writer.returncode, told) == (0, b""), told.decode()
    store.add_many(texts(60, seed=99))
    with opened(path, "exact") as exact:
        assert store.count() == 50 + 2 * 96 + 60
        assert len(set(found(store)) & set(found(exact))) >= 9
    assert held(store) < 40
