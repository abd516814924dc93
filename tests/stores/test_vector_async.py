"""What a store with an async embedder or reranker returns is always an awaitable."""

from __future__ import annotations

import asyncio
import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import pytest

pytest.importorskip("numpy")

from memory_injection.embedders import CallableEmbedder, OpenAIEmbedder
from memory_injection.records import Scope
from memory_injection.stores import VectorStore


async def embed(texts: Sequence[str]) -> list[list[float]]:
    return [[float(len(text)), 2.0] for text in texts]


async def down(texts: Sequence[str]) -> list[list[float]]:
    raise RuntimeError("down")


class Called:
    async def __call__(self, texts: Sequence[str]) -> list[list[float]]:
        return await embed(texts)


class Embedder:
    name = "async"
    dimension = None

    async def embed(self, texts: Sequence[str], kind: str = "document") -> list[list[float]]:
        return await embed(texts)


class Client:
    """Shaped like ``openai.AsyncOpenAI``."""

    def __init__(self) -> None:
        self.embeddings = self

    async def create(self, *, input: list[str], model: str) -> dict[str, Any]:
        rows = enumerate(await embed(input))
        return {"data": [{"index": at, "embedding": row} for at, row in rows]}


EMBEDDERS = [
    embed, down, Called(), Embedder(), functools.partial(embed),
    CallableEmbedder(embed), OpenAIEmbedder("m", client=Client()),
]  # fmt: skip
CALLS: dict[str, Callable[[VectorStore], Any]] = {
    "search of an empty store": lambda store: store.search("cat"),
    "blank search": lambda store: store.search("  "),
    "search for nothing": lambda store: store.search("cat", {"max_search_results": 0}),
    "search of a user without entries": lambda store: store.search(
        "cat", {"scope": Scope(user="nobody")}
    ),
    "add": lambda store: store.add("The cat naps", scope=Scope(user="u")),
    "add_many of nothing": lambda store: store.add_many([]),
    "add_messages of nothing": lambda store: store.add_messages([]),
    "import_lines of nothing": lambda store: store.import_lines([]),
    "reembed with nothing to do": lambda store: store.reembed(),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("embedder", EMBEDDERS)
def test_every_call_can_be_awaited(embedder: Any, call: str) -> None:
    """Also where there is nothing to embed, and nobody has called the embedder yet."""

    async def main() -> None:
        answer = CALLS[call](VectorStore(embedder=embedder))
        assert inspect.isawaitable(answer)
        await answer

    asyncio.run(main())


def test_a_search_by_words_alone_can_be_awaited() -> None:
    async def main() -> None:
        store = VectorStore(embedder=down)
        await store.add("The cat naps")  # type: ignore[misc]
        found = await store.search("cat")  # type: ignore[misc]
        assert [entry.content for entry in found] == ["The cat naps"]
        assert "down" in str(found.problem)

    asyncio.run(main())


def test_an_async_embedder_that_hides_it_shows_it_at_its_first_answer() -> None:
    async def main() -> None:
        store = VectorStore(embedder=lambda texts: embed(texts))
        await store.add("The cat naps")  # type: ignore[misc]
        blank = store.search(" ")
        assert inspect.isawaitable(blank)
        await blank

    asyncio.run(main())


def test_an_async_reranker_makes_searches_awaitable_and_writes_not() -> None:
    async def rerank(query: str, entries: Sequence[Any]) -> list[Any]:
        return list(entries)

    async def main() -> None:
        store = VectorStore(embedder=lambda texts: [[1.0, 2.0] for _ in texts], reranker=rerank)
        assert store.add_many([]) == []
        assert not await store.search("cat")  # type: ignore[misc]

    asyncio.run(main())
