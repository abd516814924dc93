"""Tantivy as engine: the same answers as FTS5, whatever becomes of its index."""

from __future__ import annotations

import importlib.util
import json
import logging
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

import memory_injection
from memory_injection.errors import ConfigurationError, MissingDependencyError, StoreError
from memory_injection.records import Scope
from memory_injection.stores import (
    InMemoryStore,
    SQLiteStore,
    engines,
    index_files,
    tantivy_engine,
)
from memory_injection.stores.engines import FTS5
from memory_injection.stores.tantivy_engine import Tantivy
from memory_injection.testing.stores import StoreConformance

HAS_TANTIVY = importlib.util.find_spec("tantivy") is not None
needs_tantivy = pytest.mark.skipif(not HAS_TANTIVY, reason="the fast extra is not installed")
ADA = Scope(user="ada")


def texts(count: int, seed: int = 1) -> list[str]:
    """Make texts in which every question has more matches than are ranked."""
    rng = random.Random(seed)
    vocabulary = [f"{a}{b}ex" for b in "aeiou" for a in "bcdfgklmpr"]
    weights = range(50, 0, -1)
    return [f"{' '.join(rng.choices(vocabulary, weights, k=12))} n{n}" for n in range(count)]


def found(store: SQLiteStore, query: str, scope: Scope | None = None) -> list[str]:
    return [e.content for e in store.search(query, {"scope": scope or Scope()})]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest.fixture
def store(path: Path) -> Iterator[SQLiteStore]:
    with SQLiteStore(path, engine="tantivy") as made:
        yield made


def indexed(path: Path) -> bool:
    return (Path(f"{path}.tantivy") / "state.json").exists()


def documents(path: Path) -> int:
    """Return how many rows the index holds."""
    tantivy = pytest.importorskip("tantivy")
    folder = Path(f"{path}.tantivy")
    build = json.loads((folder / "state.json").read_text())["build"]
    return int(tantivy.Index.open(str(folder / build)).searcher().num_docs)


@needs_tantivy
class TestTantivyConformance(StoreConformance):
    """The suite every store passes."""

    @pytest.fixture
    def make_store(self, tmp_path: Path) -> Iterator[object]:
        made: list[SQLiteStore] = []

        def make(**options: object) -> SQLiteStore:
            file = tmp_path / f"{len(made)}.db"
            made.append(SQLiteStore(file, engine="tantivy", **options))  # type: ignore[arg-type]
            return made[-1]

        yield make
        for one in made:
            one.close()


@needs_tantivy
def test_both_engines_give_the_same_answers(path: Path, store: SQLiteStore) -> None:
    """Candidates come from elsewhere; what is ranked, and how, is the same."""
    rng = random.Random(7)
    vocabulary = [f"w{rng.randrange(16**5):05x}" for _ in range(3_000)]
    weights = [1 / (rank + 10) for rank in range(len(vocabulary))]
    sources = [" ".join(rng.choices(vocabulary, weights, k=25)) for _ in range(3_000)]
    store.add_many(sources)
    assert documents(path) == 3_000
    with SQLiteStore(path, engine="fts5") as other:
        for text in rng.sample(sources, 40):
            asked = " ".join(rng.sample(text.split(), 6))
            ours, theirs = found(store, asked), found(other, asked)
            assert ours[0] == theirs[0] == text
            assert len(set(ours) & set(theirs)) >= 8


@needs_tantivy
def test_the_index_finds_without_fts5(store: SQLiteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is the index that answers, not what stands in for it."""
    store.add_many(texts(500))
    monkeypatch.setattr(FTS5, "best", lambda *_, **__: [])
    assert len(found(store, "baex caex daex")) == 10


@needs_tantivy
def test_what_is_newer_than_the_index_is_found(path: Path, store: SQLiteStore) -> None:
    """Rows that the index does not hold yet come from FTS5."""
    store.add_many(texts(500))
    before = (Path(f"{path}.tantivy") / "state.json").read_text()
    store.add("baex caex daex faex gaex")
    assert (Path(f"{path}.tantivy") / "state.json").read_text() == before
    assert found(store, "baex caex daex faex gaex")[0] == "baex caex daex faex gaex"


@needs_tantivy
def test_an_index_far_behind_is_brought_up(
    path: Path, store: SQLiteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The writer that leaves it behind brings it up; other processes' stores see that."""
    store.add_many(texts(300))
    with SQLiteStore(path, engine="tantivy", writable=False) as reader:
        assert len(found(reader, "baex caex daex")) == 10
        monkeypatch.setattr(tantivy_engine, "_BEHIND", 100)
        store.add_many([f"{text} again" for text in texts(300, seed=2)])
        monkeypatch.setattr(FTS5, "best", lambda *_, **__: [])
        assert any("again" in text for text in found(reader, "baex caex daex"))


@needs_tantivy
def test_what_is_replaced_or_forgotten_is_not_found(
    store: SQLiteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither while the index is behind nor after; the new version is."""
    store.add_many({"id": f"e{n}", "content": text} for n, text in enumerate(texts(500)))
    query = "baex caex daex faex"
    first, second = (e.id for e in store.search(query)[:2])
    store.add("nothing of it", id=first)
    assert first not in [e.id for e in store.search(query)]
    assert store.search("nothing of it")[0].id == first
    assert second is not None
    assert store.forget(second)
    with store._database.read() as session:
        left = session.conn.execute("SELECT count(*) FROM memory_removed").fetchone()[0]
    assert left == 0
    monkeypatch.setattr(FTS5, "best", lambda *_, **__: [])
    assert not {first, second} & {e.id for e in store.search(query)}


@needs_tantivy
@pytest.mark.parametrize("engine", ["tantivy", "fts5"])
def test_an_erasure_leaves_nothing_in_the_index(path: Path, engine: str) -> None:
    """Whoever erases: the index goes, and comes back without it at the next write."""
    with SQLiteStore(path, engine="tantivy") as store:
        store.add_many([f"zanzibar {text}" for text in texts(300)], scope=ADA)
        store.add_many(texts(300))
    with SQLiteStore(path, engine=engine) as store:
        assert store.erase(ADA) == 300
        assert [file.name for file in Path(f"{path}.tantivy").rglob("*")] == ["lock"]
        assert len(found(store, "baex caex daex")) == 10
    with SQLiteStore(path, engine="tantivy") as store:
        store.add("one more")
        assert documents(path) == 301
        assert not any("zanzibar" in text for text in found(store, "zanzibar baex", ADA))


@needs_tantivy
def test_an_erasure_waits_for_work_on_the_index(path: Path) -> None:
    """Too short a wait: one line, and nothing was erased."""
    with SQLiteStore(path, engine="tantivy", busy_timeout=0.05) as store:
        store.add_many(texts(100), scope=ADA)
        with (
            FileLock(f"{path}.tantivy/lock"),
            pytest.raises(StoreError, match="nothing was erased"),
        ):
            store.erase(ADA)
        assert store.count(scope=ADA) == 100
        assert indexed(path)


@needs_tantivy
def test_a_locked_index_is_left_to_who_holds_it(path: Path, store: SQLiteStore) -> None:
    """Writing goes on, and FTS5 finds."""
    folder = Path(f"{path}.tantivy")
    folder.mkdir()
    with FileLock(str(folder / "lock")):
        store.add_many(texts(300))
        assert not indexed(path)
        assert len(found(store, "baex caex daex")) == 10
    store.add("one more")
    assert indexed(path)


@needs_tantivy
@pytest.mark.parametrize("harm", ["state", "segments", "folder"])
def test_a_damaged_index_costs_time_only(
    path: Path, harm: str, caplog: pytest.LogCaptureFixture
) -> None:
    """FTS5 answers, and a lost one is built anew."""
    with SQLiteStore(path, engine="tantivy") as store:
        store.add_many(texts(300))
    with SQLiteStore(path, engine="fts5") as store:
        right = found(store, "baex caex daex")
    folder = Path(f"{path}.tantivy")
    if harm == "state":
        (folder / "state.json").write_text('{"build": 5')
    for file in [f for f in folder.rglob("*") if f.is_file() and f.parent != folder]:
        if harm == "segments":
            file.write_bytes(b"\x00" * 16)
        elif harm == "folder":
            file.unlink()
    with SQLiteStore(path, engine="tantivy") as store, caplog.at_level(logging.WARNING):
        assert found(store, "baex caex daex") == right
        assert harm == "state" or "FTS5 answers" in caplog.text
        store.add("zebra crossing", scope=ADA)
        assert found(store, "zebra crossing", ADA)[0] == "zebra crossing"
        assert documents(path) == 301


@needs_tantivy
def test_an_index_of_older_stems_is_built_anew(path: Path) -> None:
    """FTS5 answers until the next write; then the index follows the present rules."""
    with SQLiteStore(path, engine="tantivy") as store:
        store.add_many(texts(300))
    with SQLiteStore(path, engine="fts5") as store:
        right = found(store, "baex caex daex")
    state = Path(f"{path}.tantivy") / "state.json"
    old = json.loads(state.read_text())
    del old["analysis"]
    state.write_text(json.dumps(old))
    with SQLiteStore(path, engine="tantivy") as store:
        assert found(store, "baex caex daex") == right
        store.add("zebra crossing")
        assert documents(path) == 301
    assert json.loads(state.read_text())["build"] != old["build"]


@needs_tantivy
def test_a_writer_that_was_cut_off_leaves_no_doubles(
    path: Path, store: SQLiteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows above the recorded one are written again, not twice."""
    state = Path(f"{path}.tantivy") / "state.json"
    store.add_many(texts(300))
    before = state.read_text()
    monkeypatch.setattr(tantivy_engine, "_BEHIND", 1)
    store.add_many(texts(300, seed=2))
    state.write_text(before)
    store.add("the last")
    assert documents(path) == store.count() == 601


_WRITER = """
import sys
from memory_injection.stores import SQLiteStore, tantivy_engine
tantivy_engine._BEHIND = 40
path, name = sys.argv[1:]
with SQLiteStore(path, engine="tantivy", busy_timeout=60) as store:
    for start in range(0, 200, 20):
        ids = store.add_many([f"baex caex {name} number{start + at}" for at in range(20)])
        assert len(store.search("baex caex daex")) == 10
        assert store.forget(ids[0])
"""


@needs_tantivy
@pytest.mark.slow
def test_several_processes_share_one_index(
    path: Path, store: SQLiteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three write, search and forget at once; nobody fails, and the index tells what is there."""
    store.initialize()
    command = [sys.executable, "-c", _WRITER, str(path)]
    root = str(Path(memory_injection.__file__).parents[1])
    writers = [
        subprocess.Popen(
            [*command, name], stderr=subprocess.PIPE, env={**os.environ, "PYTHONPATH": root}
        )
        for name in ("ann", "ben", "cat")
    ]
    for writer in writers:
        _, told = writer.communicate(timeout=120)
        assert (writer.returncode, told) == (0, b"")
    monkeypatch.setattr(tantivy_engine, "_BEHIND", 1)
    store.add("one more")
    assert documents(path) == store.count() == 571


@needs_tantivy
def test_nothing_in_a_question_is_an_operator(store: SQLiteStore) -> None:
    """The query is built from words: tantivy's parser never sees what a user writes."""
    store.add_many(texts(300))
    for asked in ('") OR terms:* baex', "baex AND NOT caex^2", "it's [a TO z] baex~3 +-"):
        assert found(store, asked)


@needs_tantivy
def test_small_scopes_have_no_index_by_themselves(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By itself there is one when a scope has become large, and it is used there alone."""
    monkeypatch.setattr(engines, "LARGE", 400)
    with SQLiteStore(path) as store:
        store.add_many(texts(300), scope=Scope(user="bob"))
        store.add_many(texts(200), scope=ADA)
        assert not Path(f"{path}.tantivy").exists()
        store.add_many(texts(300, seed=2), scope=ADA)
        assert indexed(path)
        monkeypatch.setattr(FTS5, "best", lambda *_, **__: [])
        assert len(found(store, "baex caex daex", ADA)) == 10
        assert found(store, "baex caex daex", Scope(user="bob")) == []


def test_an_engine_that_cannot_be_had_is_refused(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A wrong name, no file, not installed: at construction, in one line."""
    with pytest.raises(ConfigurationError, match="'lucene'"):
        SQLiteStore(path, engine="lucene")
    with pytest.raises(ConfigurationError, match="needs a file"):
        InMemoryStore(engine="tantivy")
    monkeypatch.setattr(engines.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingDependencyError, match=r"memory-injection\[fast\]"):
        SQLiteStore(path, engine="tantivy")
    with SQLiteStore(path) as store:
        assert isinstance(store._engine, FTS5)


def test_a_failing_index_is_not_the_writers_trouble(
    path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """What was written is written; the log says what went wrong."""

    def fail(*_: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(Tantivy, "_bring_up", fail)
    engine = Tantivy(str(path), 1, "notes")
    with SQLiteStore(path, "notes", engine="fts5") as store:
        store.add("kept")
        engine.written(store._database, 1)
        assert store.count() == 1
    assert "no space left" in caplog.text


@needs_tantivy
@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="needs Linux")
def test_an_erasure_lets_go_of_the_index_that_is_open(path: Path) -> None:
    """A file that is removed and still open is on the disk all the same."""

    def held() -> list[str]:
        maps = Path("/proc/self/maps").read_text("utf-8").splitlines()
        return [line for line in maps if f"{path}.tantivy" in line]

    with SQLiteStore(path, engine="tantivy") as store:
        store.add_many(texts(300), scope=ADA)
        store.add("zebra")
        assert found(store, "baex caex daex", ADA)
        assert held()
        assert store.erase(ADA) == 300
        assert not held()
        assert found(store, "zebra") == ["zebra"]


@needs_tantivy
def test_an_index_that_stays_on_the_disk_stops_an_erasure(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another system does not remove what is open somewhere, and says nothing here."""
    with SQLiteStore(path, engine="tantivy") as store:
        store.add_many(texts(100), scope=ADA)
        with monkeypatch.context() as patched:
            patched.setattr(index_files.shutil, "rmtree", lambda *_, **__: None)
            with pytest.raises(StoreError, match=r"nothing was erased: .* is still there"):
                store.erase(ADA)
        assert store.count(scope=ADA) == 100
        assert store.erase(ADA) == 100


@needs_tantivy
def test_an_index_brought_up_meanwhile_brings_nothing_back(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process has forgotten an entry and the note of it, between our look-ups."""
    with SQLiteStore(path, engine="tantivy") as store, SQLiteStore(path, engine="tantivy") as other:
        ids = store.add_many([f"zebra {text}" for text in texts(400)])
        shown = [entry.id for entry in store.search("zebra baex caex")]
        original = tantivy_engine._Reader.best

        def meanwhile(self: Any, tokens: Any, depth: int) -> Any:
            hits = original(self, tokens, depth)
            monkeypatch.undo()
            assert other.forget(str(shown[0]))
            return hits

        monkeypatch.setattr(tantivy_engine._Reader, "best", meanwhile)
        after = [entry.id for entry in store.search("zebra baex caex")]
        assert len(ids) == 400
        assert shown[0] not in after
        assert len(after) == 10
