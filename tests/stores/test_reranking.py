"""A reranker sees more than is asked for, in time or not at all, and only entries count."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
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
    ("most", "wanted", "shown"),
    [(None, 1, 20), (None, 25, 25), (31, 1, 31), (5, 3, 5), (2, 3, 2), (1, 25, 1)],
)
def test_it_sees_as_many_as_it_reads(most: int | None, wanted: int, shown: int) -> None:
    """What was asked for is cut off afterwards."""
    golden = Golden() if most is None else Golden(most=most)
    found = filled(reranker=golden).search("Where is the cat?", {"max_search_results": wanted})
    assert golden.seen == [shown]
    assert len(found) == wanted  # type: ignore[arg-type]


def test_what_it_is_not_shown_stands_behind() -> None:
    """In the store's order."""

    class Backwards:
        most = 2

        def __call__(self, query: str, found: Sequence[MemoryEntry]) -> list[MemoryEntry]:
            return [*found][::-1]

    wanted: Any = {"max_search_results": 4}
    plain: Any = filled().search("Where is the cat?", wanted)
    turned: Any = filled(reranker=Backwards()).search("Where is the cat?", wanted)
    contents = [entry.content for entry in plain]
    assert [entry.content for entry in turned] == [contents[1], contents[0], *contents[2:]]


FOREIGN = MemoryEntry("injected", store_name="vectors")


@pytest.mark.parametrize(
    "answer",
    [
        lambda found: [FOREIGN],
        lambda found: [*found, FOREIGN],
        lambda found: [found[0]] * 5,
        lambda found: [*found, replace(found[0], score=0.9)],
        lambda found: [replace(found[0], content="changed"), *found[1:]],
        lambda found: [replace(found[0], id="other"), *found[1:]],
    ],
)
def test_entries_that_it_was_not_given_are_not_believed(answer: Any) -> None:
    """Nor one of them twice: the order stays, and the search says why."""
    same = filled(reranker=lambda query, found: found)
    plain: Any = same.search("Where is the cat?", {"max_search_results": 5})
    store = filled(reranker=lambda query, found: answer(found))
    found: Any = store.search("Where is the cat?", {"max_search_results": 5})
    assert [entry.content for entry in found] == [entry.content for entry in plain]
    assert "not given" in found.problem


def test_it_may_leave_entries_out_and_change_their_scores() -> None:
    store = filled(reranker=lambda query, found: (replace(one, score=0.9) for one in found[:2]))
    found: Any = store.search("Where is the cat?")
    assert [entry.score for entry in found] == [0.9, 0.9]
    assert found.problem is None


class Unreadable(Exception):
    """Its message cannot be had."""

    def __str__(self) -> str:
        raise ValueError("no text")


class UnreadableExit(Unreadable, SystemExit):
    """The same, from what wants to leave the process."""


@pytest.mark.parametrize("error", [Unreadable, UnreadableExit])
def test_an_error_that_cannot_be_read_is_one_as_any_other(error: type[BaseException]) -> None:
    def fail(query: str, found: Sequence[MemoryEntry]) -> Any:
        raise error

    found: Any = filled(reranker=fail).search("Where is the cat?")
    assert len(found) == 10
    assert error.__name__ in found.problem


@pytest.mark.parametrize("most", [0, -1, 2.5, "2", True])
def test_how_many_it_reads_is_a_whole_number_from_1(most: Any) -> None:
    with pytest.raises(ConfigurationError, match="most"):
        filled(reranker=Golden(most=most))


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
