"""mem0's own code, its vector store in a folder, embeddings from a local stand-in."""

from __future__ import annotations

import asyncio
import os
import re
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from memory_injection import ConfigurationError, MemoryManager, Scope, StoreError, StoreErrors
from memory_injection.integrations.mem0 import Mem0Store
from memory_injection.testing.services import FakeService

os.environ.setdefault("MEM0_TELEMETRY", "False")
mem0 = pytest.importorskip("mem0")

pytestmark = pytest.mark.filterwarnings("ignore")  # its own, and of its vector store

ADA, BEN = Scope(user="ada"), Scope(user="ben")
DIMENSION = 64


class Embeddings(FakeService):
    """OpenAI's embeddings, from word hashes."""

    def answer(self, method: str, path: str, body: Any) -> Any:
        texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
        rows = [
            {"object": "embedding", "index": n, "embedding": _of(t)} for n, t in enumerate(texts)
        ]
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        return {"object": "list", "model": "words", "data": rows, "usage": usage}


def _of(text: str) -> list[float]:
    vector = [0.01] * DIMENSION
    for word in re.findall(r"\w+", text.lower()):
        vector[zlib.crc32(word.encode()) % DIMENSION] += 1.0
    return vector


@pytest.fixture
def service() -> Iterator[Embeddings]:
    with Embeddings() as made:
        yield made


@pytest.fixture
def make(service: Embeddings, tmp_path: Path) -> Callable[[Any], Any]:
    """Return a function that makes a ``Memory`` or ``AsyncMemory`` in a new folder."""

    def configured(kind: Any) -> Any:
        openai = {"api_key": "any", "openai_base_url": f"{service.url}/v1"}
        qdrant = {"path": str(tmp_path / kind.__name__), "embedding_model_dims": DIMENSION}
        return kind.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": qdrant},
                "embedder": {
                    "provider": "openai",
                    "config": {**openai, "embedding_dims": DIMENSION},
                },
                "llm": {"provider": "openai", "config": openai},
                "history_db_path": str(tmp_path / f"{kind.__name__}.db"),
            }
        )

    return configured


def test_texts_are_kept_and_found_as_they_are(make: Any) -> None:
    """Content, id, score, times and metadata come back; no model is asked to rewrite them."""
    store = Mem0Store(make(mem0.Memory))
    ident = store.add("The zebra is out", {"mood": "good"}, scope=ADA)
    (found,) = store.search("zebra", {"scope": ADA})
    assert (found.content, found.id, found.scope) == ("The zebra is out", ident, ADA)
    assert found.score is not None
    assert 0 < found.score <= 1
    assert found.created_at is not None
    assert (found.metadata or {})["mood"] == "good"


def test_each_caller_sees_its_own(make: Any) -> None:
    """An entry is seen if every id it was written for is the caller's, the session included."""
    store = Mem0Store(make(mem0.Memory))
    owners = [ADA, BEN, Scope(user="ada", session="s1"), Scope(user="ada", agent="cook")]
    owners += [Scope(agent="cook"), Scope(run="r1")]
    for number, owner in enumerate(owners):
        store.add(f"zebra {number}", scope=owner)

    def seen(**ids: str) -> set[str]:
        found = store.search("zebra", {"scope": Scope(**ids), "max_search_results": 20})
        return {entry.content.removeprefix("zebra ") for entry in found}

    assert seen(user="ada") == {"0"}
    assert seen(user="ada", session="s1") == {"0", "2"}
    assert seen(user="ada", agent="cook") == {"0", "3", "4"}
    assert seen(user="ben", agent="cook", run="r1") == {"1", "4", "5"}
    assert seen(session="s1") == seen() == set()


def test_nothing_is_written_for_nobody(make: Any) -> None:
    """mem0 files memories under a user, an agent or a run."""
    store = Mem0Store(make(mem0.Memory))
    for scope in (Scope(), Scope(session="s1")):
        with pytest.raises(StoreError, match="user, an agent or a run"):
            store.add("zebra", scope=scope)


@pytest.mark.parametrize("kind", ["Memory", "AsyncMemory"])
async def test_a_user_is_erased(make: Any, kind: str) -> None:
    """Everything of the user goes, of every session; everybody else's stays."""
    store = Mem0Store(make(getattr(mem0, kind)))
    async with MemoryManager([store], injection=WAITS) as memory:
        for scope in (ADA, Scope(user="ada", session="s1"), BEN):
            await memory.aadd(f"zebra of {scope.ids()}", scope=scope)
        assert await memory.aerase(Scope(user="ada", session="s1")) == {"mem0": 1}
        assert await memory.aerase(ADA) == {"mem0": 1}
        assert await memory.asearch("zebra", scope=ADA) == []
        assert len(await memory.asearch("zebra", scope=BEN)) == 1
        with pytest.raises(StoreErrors, match="mem0"):
            await memory.aerase(Scope(session="s1"))


def test_sync_and_async_give_the_same(make: Any) -> None:
    """``Memory`` and ``AsyncMemory`` lead to the same messages."""
    ask = [{"role": "user", "content": "Is the zebra out?"}]

    async def later() -> Any:
        async with MemoryManager([Mem0Store(make(mem0.AsyncMemory))], injection=WAITS) as memory:
            await memory.aadd("The zebra is out", scope=ADA)
            return (await memory.ainject(ask, scope=ADA)).messages

    with MemoryManager([Mem0Store(make(mem0.Memory))], injection=WAITS) as memory:
        memory.add("The zebra is out", scope=ADA)
        messages = memory.inject(ask, scope=ADA).messages
    assert asyncio.run(later()) == messages != ask


WAITS = {"timeout": 30.0}


def test_a_failing_embedder_is_a_store_error(make: Any, service: Embeddings) -> None:
    """What mem0 raises is the cause."""
    memory = make(mem0.Memory)
    memory.embedding_model.client.max_retries = 0
    service.down = True
    with pytest.raises(StoreError, match="search failed"):
        Mem0Store(memory).search("zebra", {"scope": ADA})


def test_anything_else_is_refused() -> None:
    """The error names the method that a memory has."""
    with pytest.raises(ConfigurationError, match="search"):
        Mem0Store(object())
