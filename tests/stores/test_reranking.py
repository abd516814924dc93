"""A reranker sees more than is asked for, in time or not at all, and only entries count."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

pytest.importorskip("numpy")

from memory_injection import MemoryManager
from memory_injection.errors import ConfigurationError
from memory_injection.records import MemoryEntry
from memory_injection.stores import VectorStore

ASK = [{"role": "user", "content": "Where is the cat?"}]


def embed(texts: Sequence[str]) -> list[list[float]]:
    return [[float(word in text.lower()) for word in ("cat", "dog")] + [0.1] for text in texts]


def filled(**options: Any) -> VectorStore:
    store = VectorStore(embedder=embed, **options)
    store.add_many(
        [f"The cat naps in room {room}, cat cat" for room in range(30)]
        + ["GOLD: a long note that mentions a cat among many words which thin it out"]
    )
    return store


class Golden:
    """Puts the golden entry first."""

    def __init__(self, **given: Any) -> None:
        self.seen: list[int] = []
        for name, value in given.items():
            setattr(self, name, value)

    def __call__(self, query: str, found: Sequence[MemoryEntry]) -> list[MemoryEntry]:
        self.seen.append(len(found))
        return sorted(found, key=lambda entry: "GOLD" not in entry.content)


@pytest.mark.parametrize(
    ("most", "wanted", "shown"), [(None, 1, 20), (None, 25, 25), (31, 1, 31), (5, 3, 5)]
)
def test_it_sees_as_many_as_it_reads(most: int | None, wanted: int, shown: int) -> None:
    """What was asked for is cut off afterwards."""
    golden = Golden() if most is None else Golden(most=most)
    found = filled(reranker=golden).search("Where is the cat?", {"max_search_results": wanted})
    assert golden.seen == [shown]
    assert len(found) == wanted  # type: ignore[arg-type]


def test_a_block_of_one_entry_shows_the_rerankers_first() -> None:
    manager = MemoryManager(stores=[filled(reranker=Golden(most=31))], injection={"max_entries": 1})
    block = manager.inject(ASK).block
    assert block is not None
    assert "GOLD" in block.text


def test_scores_do_not_depend_on_whether_there_is_a_reranker() -> None:
    plain = filled().search("Where is the cat?", {"max_search_results": 5})
    same = filled(reranker=lambda query, found: found).search(
        "Where is the cat?", {"max_search_results": 5}
    )
    assert [e.score for e in plain] == [e.score for e in same]  # type: ignore[union-attr]


@pytest.fixture
def gate() -> Iterator[threading.Event]:
    event = threading.Event()
    yield event
    event.set()


def test_one_that_hangs_is_not_waited_for(gate: threading.Event) -> None:
    """The order stays as it was, and the report says why."""

    def hang(query: str, found: Sequence[MemoryEntry]) -> list[MemoryEntry]:
        gate.wait(20)
        return []

    manager = MemoryManager(stores=[filled(reranker=hang, rerank_timeout=0.1)])
    result = manager.inject(ASK)
    assert result.block is not None
    assert result.report.stores[0].problem == "the reranker did not answer within 0.1 s"


async def test_an_async_one_that_hangs_is_not_waited_for() -> None:
    async def hang(query: str, found: Sequence[MemoryEntry]) -> list[MemoryEntry]:
        await asyncio.sleep(20)
        return []

    found = await filled(reranker=hang, rerank_timeout=0.1).search("cat")  # type: ignore[misc]
    assert len(found) == 10
    assert found.problem == "the reranker did not answer within 0.1 s"


@pytest.mark.parametrize("answer", [["x"], "abc", None, 3, [None]])
def test_what_is_not_entries_is_ignored_and_named(answer: Any) -> None:
    found = filled(reranker=lambda query, found: answer).search("cat")
    assert len(found) == 10  # type: ignore[arg-type]
    assert "the reranker failed: TypeError" in str(found.problem)  # type: ignore[union-attr]


def test_what_the_words_found_is_ordered_too() -> None:
    def down(texts: Sequence[str]) -> Any:
        raise RuntimeError("down")

    store = VectorStore(embedder=down, reranker=lambda query, found: found[::-1])
    store.add_many(["The cat naps, cat", "A cat among many other words of a note"])
    found = store.search("cat")
    assert found[0].content.startswith("A cat")  # type: ignore[index]
    assert "down" in str(found.problem)  # type: ignore[union-attr]


@pytest.mark.parametrize("timeout", [0, -1, "1", True])
def test_a_deadline_that_cannot_be_met_is_refused(timeout: Any) -> None:
    with pytest.raises(ConfigurationError, match="rerank_timeout"):
        VectorStore(embedder=embed, rerank_timeout=timeout)
