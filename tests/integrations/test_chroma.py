"""Chroma in process, with vectors of word hashes."""

from __future__ import annotations

import asyncio
import re
import socket
import subprocess
import sys
import time
import uuid
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from memory_injection import ConfigurationError, MemoryManager, Scope, StoreError
from memory_injection.integrations.chroma import ChromaStore
from memory_injection.testing.stores import StoreConformance

chromadb = pytest.importorskip("chromadb")

ADA = Scope(user="ada")


class WordHashes:
    """An embedder without a model."""

    name = "word-hashes"
    dimension = 256

    def embed(self, texts: Sequence[str], kind: str = "document") -> list[list[float]]:
        vectors = [[0.001] * self.dimension for _ in texts]
        for vector, text in zip(vectors, texts, strict=True):
            for word in re.findall(r"\w+", text.lower()):
                data = word.encode("utf-8", "replace")
                vector[zlib.crc32(data) % self.dimension] += 1.0
        return vectors


@pytest.fixture(scope="module")
def client() -> Any:
    settings = chromadb.config.Settings(anonymized_telemetry=False)
    return chromadb.EphemeralClient(settings=settings)


@pytest.fixture
def collection(client: Any) -> Callable[..., Any]:
    """Return a function that makes an empty collection of a given space."""

    def make(space: str = "cosine") -> Any:
        return client.create_collection(
            f"c{uuid.uuid4().hex}",
            embedding_function=None,
            configuration={"hnsw": {"space": space}},
        )

    return make


class TestChromaStore(StoreConformance):
    """A collection with scopes in its metadata."""

    @pytest.fixture
    def make_store(self, collection: Callable[..., Any]) -> Callable[[], Any]:
        return lambda: ChromaStore(collection(), "chroma", embedder=WordHashes())


@pytest.mark.parametrize(("space", "equal"), [("cosine", 1.0), ("l2", 1.0), ("ip", None)])
def test_scores_rise_with_likeness(collection: Any, space: str, equal: float | None) -> None:
    """In every space, the equal text has the highest score; 1 where the space is bounded."""
    store = ChromaStore(collection(space), embedder=WordHashes())
    for text in ("red blue", "red green", "black white"):
        store.add(text)
    found = store.search("red blue")
    scores = [entry.score for entry in found]
    assert found[0].content == "red blue"
    assert scores == sorted(scores, reverse=True)
    assert equal is None or scores[0] == pytest.approx(equal, abs=1e-5)


def test_what_others_put_there_is_shared_unless_it_names_a_user(collection: Any) -> None:
    """Documents without ids are everybody's; a ``user_id`` in the metadata is respected."""
    held = collection()
    vectors = WordHashes().embed(["zebra one", "zebra two", "zebra three"])
    held.add(
        ids=["1", "2", "3"],
        documents=["zebra one", "zebra two", "zebra three"],
        embeddings=vectors,
        metadatas=[{"source": "web"}, {"user_id": "ada"}, {"user_id": "ben"}],
    )
    store = ChromaStore(held, embedder=WordHashes())
    seen = {entry.content for entry in store.search("zebra", {"scope": ADA})}
    assert seen == {"zebra one", "zebra two"}


def test_metadata_comes_back(collection: Any) -> None:
    """Plain values as they are, others as JSON, a given time as the entry's."""
    store = ChromaStore(collection(), embedder=WordHashes())
    store.add("zebra", {"n": 1, "tags": ["a"], "none": None, "created_at": "2024-05-06T00:00:00Z"})
    (found,) = store.search("zebra")
    assert dict(found.metadata or {}) == {
        "n": 1, "tags": '["a"]', "created_at": "2024-05-06T00:00:00Z"
    }  # fmt: skip
    assert found.created_at is not None
    assert found.created_at.year == 2024


def test_a_user_is_erased(collection: Any) -> None:
    """Everything of the user goes, of every session; everybody else's stays."""
    held = collection()
    with MemoryManager([ChromaStore(held, "chroma", embedder=WordHashes())]) as memory:
        for scope in (ADA, Scope(user="ada", session="s1"), Scope(user="ben"), Scope()):
            memory.add(f"zebra of {scope.ids()}", scope=scope)
        assert memory.erase(Scope(user="ada", session="s1")) == {"chroma": 1}
        assert memory.erase(ADA) == {"chroma": 1}
        assert memory.erase(ADA) == {"chroma": 0}
    assert held.count() == 2


def test_the_collections_own_function_is_used_without_an_embedder(client: Any) -> None:
    """Then Chroma makes the vectors."""

    class Own(chromadb.EmbeddingFunction):
        def __init__(self) -> None:
            """Chroma warns of classes without one."""

        @staticmethod
        def name() -> str:
            return "own"

        @staticmethod
        def build_from_config(config: Any) -> Any:
            return Own()

        def get_config(self) -> dict[str, Any]:
            return {}

        def __call__(self, input: Any) -> Any:
            return WordHashes().embed(list(input))

    held = client.create_collection(f"c{uuid.uuid4().hex}", embedding_function=Own())
    with MemoryManager([ChromaStore(held, "chroma")]) as memory:
        memory.add("The zebra is out", scope=ADA)
        assert memory.inject([{"role": "user", "content": "Is the zebra out?"}], scope=ADA).block


@pytest.fixture
def port(tmp_path: Path) -> Iterator[int]:
    """Run Chroma's own server; return its port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        number = free.getsockname()[1]
    command = Path(sys.executable).with_name("chroma")
    if not command.exists():
        pytest.skip("Chroma's own server is not installed")
    arguments = [str(command), "run", "--path", str(tmp_path), "--port", str(number)]
    with subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as made:
        yield number
        made.terminate()


async def connected(port: int) -> Any:
    """Return an async client, once the server is up."""
    until = time.monotonic() + 30
    while True:
        try:
            return await chromadb.AsyncHttpClient(host="127.0.0.1", port=port)
        except Exception:
            if time.monotonic() > until:
                raise
            await asyncio.sleep(0.1)


@pytest.mark.filterwarnings("ignore")  # the client leaves its connections to the collector
async def test_an_async_client_of_a_server_works_the_same(port: int) -> None:
    """Adding, recalling, keeping apart and erasing, over Chroma's own server."""
    client = await connected(port)
    held = await client.create_collection("notes", embedding_function=None)
    ask = [{"role": "user", "content": "Is the zebra out?"}]
    async with MemoryManager([ChromaStore(held, embedder=WordHashes())]) as memory:
        await memory.aadd("The zebra is out", scope=ADA)
        assert (await memory.ainject(ask, scope=ADA)).block is not None
        assert (await memory.ainject(ask, scope=Scope(user="ben"))).messages == ask
        assert await memory.aerase(ADA) == {"notes": 1}


def test_a_collection_that_is_gone_is_a_store_error(client: Any, collection: Any) -> None:
    """What Chroma raises is the cause."""
    held = collection()
    store = ChromaStore(held, embedder=WordHashes())
    client.delete_collection(held.name)
    with pytest.raises(StoreError, match="search failed"):
        store.search("zebra")


def test_an_async_embedder_is_refused(collection: Any) -> None:
    """Chroma's calls are made in one go."""

    class Later(WordHashes):
        async def embed(self, texts: Any, kind: str = "document") -> Any:
            return super().embed(texts, kind)

    with pytest.raises(ConfigurationError, match="sync"):
        ChromaStore(collection(), embedder=Later())


def test_anything_else_is_refused() -> None:
    """The error names the method that a collection has."""
    with pytest.raises(ConfigurationError, match="query"):
        ChromaStore(object())
