"""Who embeds what: one call at a time what was left behind, each its own; and vectors' length."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

np = pytest.importorskip("numpy", reason="numpy comes with the embeddings and light extras")

from memory_injection.embedders import CallableEmbedder  # noqa: E402
from memory_injection.errors import ConfigurationError, StoreError  # noqa: E402
from memory_injection.stores import VectorStore, turns  # noqa: E402
from memory_injection.stores.locks import locked  # noqa: E402
from memory_injection.stores.vectorizing import EmbeddingFailed  # noqa: E402


class Counting:
    """Counts what it embeds, and waits for a gate at texts that begin with "note"."""

    def __init__(self, name: str = "counting", length: int = 3) -> None:
        self.name = name
        self.dimension: int | None = None
        self.length = length
        self.texts: list[str] = []
        self.gate = threading.Event()
        self.gate.set()
        self.begun = threading.Event()

    def embed(self, texts: Sequence[str], kind: str = "document") -> Any:
        self.texts.extend(texts)
        if texts[0].startswith("note"):
            self.begun.set()
            self.gate.wait(10)
        return [[1.0] * (self.length - 1) + [len(text) / 99] for text in texts]


NOTES = [f"note {n}" for n in range(600)]


def _filled(path: Path) -> None:
    with VectorStore(path, embedder=Counting("old")) as store:
        store.add_many(NOTES)


_PROCESS = """
import sys, time
from memory_injection.stores import VectorStore
from memory_injection.embedders import CallableEmbedder

def embed(texts):
    time.sleep(0.2)
    return [[1.0, len(text) / 99] for text in texts]

name, path = sys.argv[1:]
with VectorStore(path, embedder=CallableEmbedder(embed, name=name)) as store:
    print("ready", flush=True)
    sys.stdin.readline()
    print(store.reembed())
"""


@pytest.mark.parametrize("names", [("new", "new"), ("one", "other")])
def test_two_processes_embed_nothing_twice(tmp_path: Path, names: tuple[str, str]) -> None:
    """To one model: the second has nothing to do. To two: one does all after the other."""
    _filled(tmp_path / "m.db")
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", _PROCESS, name, str(tmp_path / "m.db")],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )
        for name in names
    ]  # fmt: skip
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    did = sorted(int(process.communicate(timeout=60)[0]) for process in processes)
    assert did == ([0, 600] if names[0] == names[1] else [600, 600])


def test_a_write_meanwhile_embeds_its_own_entries(tmp_path: Path) -> None:
    """And does not wait for what another call is at."""
    path = tmp_path / "m.db"
    _filled(path)
    slow, quick = Counting(), Counting()
    slow.gate.clear()
    with VectorStore(path, embedder=slow) as one, VectorStore(path, embedder=quick) as other:
        working = threading.Thread(target=one.reembed)
        working.start()
        assert slow.begun.wait(10)
        other.add("a text of its own")
        assert [text for text in quick.texts if text in {*NOTES}] == []
        assert quick.texts[0] == "a text of its own"
        assert other.waiting() == 600
        slow.gate.set()
        working.join(30)
        assert other.waiting() == 0
        assert other.reembed() == 0


def test_without_locks_the_work_is_done_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Perhaps twice, on a file system that has none."""
    _filled(tmp_path / "m.db")

    def refuse(*given: Any) -> Any:
        raise StoreError("no locks")

    monkeypatch.setattr(turns, "locked", refuse)
    with VectorStore(tmp_path / "m.db", embedder=Counting()) as store:
        assert store.reembed() == 600


def test_a_reembed_that_is_broken_off_gives_its_turn_back(tmp_path: Path) -> None:
    """By what its progress raises, and by a cancelled task."""
    path = tmp_path / "m.db"
    _filled(path)

    def leave(done: int, total: int) -> None:
        raise KeyboardInterrupt

    class Later(Counting):
        async def embed(self, texts: Sequence[str], kind: str = "document") -> Any:
            await asyncio.sleep(0 if self.gate.is_set() else 60)
            return Counting.embed(self, texts, kind)

    async def cancelled() -> int:
        model = Later()
        with VectorStore(path, embedder=model) as store:
            model.gate.clear()
            task = asyncio.ensure_future(store.reembed())  # type: ignore[arg-type]
            await asyncio.sleep(0.05)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            return store.waiting()

    with VectorStore(path, embedder=Counting()) as store:
        with pytest.raises(KeyboardInterrupt):
            store.reembed(leave)
        assert store.waiting() == 600 - 256
        assert asyncio.run(cancelled()) == 600 - 256
        with locked(Path(f"{store.path}.embedding"), 0):
            pass
        assert store.reembed() == 600 - 256


def test_what_was_left_behind_is_asked_for_after_a_writes_own() -> None:
    """However many wait, what was just written is embedded first."""
    model = Counting()
    with VectorStore(embedder=model) as store:
        store.add("first")
        model.name = "another"
        model.texts.clear()
        store.add("second")
        own = [text for text in model.texts if text in {"first", "second"}]
        assert own == ["second", "second", "first"] or own == ["second", "first"]
        assert store.waiting() == 0


# The length of the vectors


def test_a_dimension_that_is_not_the_vectors_length_is_named_with_it() -> None:
    """On a write, on ``reembed``, on a search; nothing is embedded again and again."""
    embedder = CallableEmbedder(lambda texts: [[1.0, 2.0]] * len(texts), dimension=3)
    with VectorStore(embedder=embedder) as store:
        store.add_many(["a", "b", "c"])
        assert "vectors of 2 numbers, its dimension is 3" in (store.problem or "")
        assert store.waiting() == 3
        with pytest.raises(EmbeddingFailed, match="vectors of 2 numbers, its dimension is 3"):
            store.reembed()
        assert store.search("a").problem is not None  # type: ignore[union-attr]


@pytest.mark.parametrize("dimension", [0, -1, 2.0, "3", True])
def test_a_dimension_is_a_whole_number_from_1(dimension: Any) -> None:
    with pytest.raises(ConfigurationError, match="dimension"):
        CallableEmbedder(lambda texts: texts, dimension=dimension)


@pytest.mark.parametrize("says", [True, False])
def test_the_same_name_with_another_length_is_all_to_be_done_again(
    tmp_path: Path, says: bool
) -> None:
    """``reembed`` finds out how long the vectors are, where the embedder does not say."""
    path = tmp_path / "m.db"
    with VectorStore(path, embedder=Counting(length=3)) as store:
        store.add_many(NOTES)
    longer = Counting(length=5)
    longer.dimension = 5 if says else None
    with VectorStore(path, embedder=longer) as store:
        if says:
            assert store.waiting() == 600
        else:
            store.search("note 3")
            assert store.waiting() == 600
        steps: list[tuple[int, int]] = []
        assert store.reembed(lambda done, total: steps.append((done, total))) == 600
        assert steps[-1] == (600, 600)
        assert store.waiting() == 0
        assert store.search("note 3").problem is None  # type: ignore[union-attr]


def test_without_being_asked_before_reembed_finds_out_by_itself(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    _filled(path)
    with VectorStore(path, embedder=Counting("old", length=5)) as store:
        assert store.reembed() == 600


def test_a_write_with_vectors_of_another_length_embeds_the_earlier_ones_too(
    tmp_path: Path,
) -> None:
    path = tmp_path / "m.db"
    _filled(path)
    with VectorStore(path, embedder=Counting("old", length=5)) as store:
        store.add("one more")
        assert store.waiting() == 0
