"""Search by an approximate index and exactly, over the same vectors in one run.

Run: ``python tests/bench/bench_vectors.py [SIZE ...] [--million]``, or ``pytest -m bench``.

Vectors are clustered as embeddings are: topics in a space of a few dozen dimensions, turned into
384, with noise. A question's vector lies near one entry's. Each entry's text holds a word of its
topic and twenty of no meaning. Recall@10 counts how many of the exact search's ten best the
approximate one gives: by the vectors alone, and for the whole ranking by words and vectors.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

np = pytest.importorskip("numpy", reason="numpy comes with the embeddings and light extras")

from memory_injection.records import Scope  # noqa: E402
from memory_injection.stores import VectorStore  # noqa: E402

SIZES = (10_000, 100_000, 300_000)
MILLION = 1_000_000
DIMENSION, INNER = 384, 48
TOPICS = 400
QUESTIONS = 60
RESULTS = 10
LEAST = 0.95  # recall@10
USER = Scope(user="u1")
BATCH = 20_000


class Clustered:
    """An embedder that needs no model: a text's first word is its number, which seeds its vector.

    "e17 ..." is entry 17, "q17 ..." a question near it.
    """

    name = "clustered"
    dimension = DIMENSION

    def __init__(self) -> None:
        rng = np.random.default_rng(0)
        self._topics = rng.normal(size=(TOPICS, INNER)).astype(np.float32)
        self._turn = rng.normal(size=(INNER, DIMENSION)).astype(np.float32)

    def embed(self, texts: Sequence[str], kind: str = "document") -> np.ndarray:
        return np.stack([self._vector(text) for text in texts])

    def _vector(self, text: str) -> np.ndarray:
        number = text.split(maxsplit=1)[0]
        if not number[1:].isdigit():  # the questions that measure a new model
            return np.random.default_rng(len(text)).normal(size=DIMENSION).astype(np.float32)
        rng = np.random.default_rng(int(number[1:]))
        inner = self._topics[topic(int(number[1:]))] + rng.normal(size=INNER)
        noise = 0.3 * np.sqrt(INNER) * rng.normal(size=DIMENSION)
        if number[0] == "q":
            asked = np.random.default_rng(int(number[1:]) + (1 << 40))
            inner = inner + 0.7 * asked.normal(size=INNER)
            noise = 0.3 * np.sqrt(INNER) * asked.normal(size=DIMENSION)
        vector: np.ndarray = (inner @ self._turn + noise).astype(np.float32)
        return vector


def topic(number: int) -> int:
    return (number * 2_654_435_761 >> 7) % TOPICS


def texts(first: int, count: int) -> Iterator[str]:
    for number in range(first, first + count):
        rng = np.random.default_rng(number)
        words = " ".join(f"w{word}" for word in rng.integers(0, 20_000, 20))
        yield f"e{number} t{topic(number)} {words}"


def filled(path: Path, size: int) -> float:
    """Write *size* entries and their vectors without an index; return the seconds."""
    start = time.perf_counter()
    with VectorStore(path, embedder=Clustered(), index="exact") as store:
        for first in range(0, size, BATCH):
            store.add_many(texts(first, min(BATCH, size - first)), scope=USER)
    return time.perf_counter() - start


def built(path: Path) -> tuple[float, float]:
    """Have the index built by the next write; return the seconds, by clock and processor."""
    start, busy = time.perf_counter(), time.process_time()
    with VectorStore(path, embedder=Clustered(), index="usearch") as store:
        store.add("e0 one more", scope=USER)
    return time.perf_counter() - start, time.process_time() - busy


def asked(path: Path, size: int, index: str, hybrid: bool) -> dict[str, Any]:
    """Ask the questions in this process; return the ids found, seconds, and MB held."""
    rng = np.random.default_rng(1)
    found: list[list[str | None]] = []
    times: list[float] = []
    busy: list[float] = []
    with VectorStore(path, embedder=Clustered(), index=index, hybrid=hybrid) as store:
        before = memory()
        for number in rng.integers(0, size, QUESTIONS).tolist():
            words = next(texts(number, 1)).split()[1:]
            text = f"q{number} {' '.join(rng.choice(words, 3))}"
            store._vectorizer.query([text])  # it is the search that is timed
            start, worked = time.perf_counter(), time.process_time()
            entries: Any = store.search(text, {"scope": USER, "max_search_results": RESULTS})
            times.append(time.perf_counter() - start)
            busy.append(time.process_time() - worked)
            found.append([entry.id for entry in entries])
        held = memory() - before
    return {
        "found": found,
        "first": times[0],
        "median": statistics.median(times[1:]),
        "busy": statistics.median(busy[1:]),
        "mb": held,
    }


def memory() -> float:
    """Return how many MB this process holds that are in no file (Linux; elsewhere its peak)."""
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text("utf-8").splitlines():
            if line.startswith("RssAnon"):
                return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def apart(path: Path, size: int, index: str, hybrid: bool) -> dict[str, Any]:
    """Ask the questions in a process of its own, so that what it holds can be told."""
    command = [sys.executable, __file__, "--ask", str(path), str(size), index, str(int(hybrid))]
    root = Path(__file__).parents[2]
    # One thread for products: on a busy machine several wait for each other.
    env = {**os.environ, "PYTHONPATH": str(root), "OPENBLAS_NUM_THREADS": "1"}
    told = subprocess.run(command, check=True, capture_output=True, env=env)
    answer: dict[str, Any] = json.loads(told.stdout)
    return answer


def recall(found: list[list[str]], right: list[list[str]]) -> float:
    return statistics.mean(
        len(set(one) & set(other)) / len(other) for one, other in zip(found, right, strict=True)
    )


def measure(size: int) -> float:
    """Fill, build, ask exactly and by the index; print a line each; return the least recall."""
    least = 1.0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "store.db"
        written = filled(path, size)
        seconds, busy = built(path)
        files = sum(file.stat().st_size for file in Path(f"{path}.vectors").iterdir()) / 1e6
        print(f"{size:>9} entries written in {written:.0f} s, index built in {seconds:.1f} s"
              f" ({busy:.1f} s of processors), {files:.0f} MB of files")  # fmt: skip
        for hybrid in (False, True):
            right = apart(path, size, "exact", hybrid)
            ours = apart(path, size, "usearch", hybrid)
            share = recall(ours["found"], right["found"])
            least = min(least, share)
            what = "words and vectors" if hybrid else "vectors"
            for name, one in (("exact", right), ("usearch", ours)):
                median, busy, first = (one[key] * 1e3 for key in ("median", "busy", "first"))
                print(
                    f"{size:>9} {what:<18} {name:<8} p50 {median:7.2f} ms"
                    f" ({busy:6.2f} ms of processors)  first {first:7.0f} ms  {one['mb']:6.0f} MB"
                    + (f"  recall@10 {share:.3f}" if one is ours else ""),
                    flush=True,
                )
    return least


@pytest.mark.bench
@pytest.mark.slow
def test_the_index_finds_what_the_exact_search_finds() -> None:
    """At every size nearly all of the exact search's ten best, by vectors and in the whole."""
    pytest.importorskip("usearch")
    for size in SIZES:
        assert measure(size) >= LEAST


if __name__ == "__main__":
    if sys.argv[1:2] == ["--ask"]:
        file, count, kind, both = sys.argv[2:]
        print(json.dumps(asked(Path(file), int(count), kind, both == "1")))
    else:
        sizes = [int(word) for word in sys.argv[1:] if word.isdigit()] or list(SIZES)
        for one in [*sizes, *([MILLION] if "--million" in sys.argv else [])]:
            measure(one)
