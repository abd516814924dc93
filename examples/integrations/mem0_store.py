"""mem0 (open source) as a store: its own vector store in a folder, its own code, no telemetry.

Needs the package: mem0ai
"""

from __future__ import annotations

import asyncio
import os
import re
import tempfile
import warnings
import zlib
from typing import Any

FOLDER = tempfile.TemporaryDirectory()
os.environ["MEM0_TELEMETRY"] = "False"  # before mem0 is imported, or it reports its use
os.environ["MEM0_DIR"] = FOLDER.name
warnings.filterwarnings("ignore", module="qdrant_client|mem0")  # its own

from mem0 import AsyncMemory, Memory

from memory_injection import MemoryManager, Scope
from memory_injection.integrations.mem0 import Mem0Store
from memory_injection.testing.services import FakeService

DENIZ, ADA = Scope(user="deniz"), Scope(user="ada")
ASK = [{"role": "user", "content": "Which umbrella is mine?"}]
DIMENSION = 64


class FakeEmbeddings(FakeService):
    """Where you would use an embedding model, this adds up a vector from the words."""

    def answer(self, method: str, path: str, body: Any) -> Any:
        texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
        rows = [{"object": "embedding", "index": n, "embedding": v} for n, v in vectors(texts)]
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        return {"object": "list", "model": "words", "data": rows, "usage": usage}


def vectors(texts: list[str]) -> list[tuple[int, list[float]]]:
    found = [[0.01] * DIMENSION for _ in texts]
    for vector, text in zip(found, texts, strict=True):
        for word in re.findall(r"\w+", text.lower()):
            vector[zlib.crc32(word.encode()) % DIMENSION] += 1.0
    return list(enumerate(found))


def config(url: str, folder: str) -> dict[str, Any]:
    """Return mem0's settings: everything in *folder*, embeddings from *url*."""
    qdrant = {"path": f"{FOLDER.name}/{folder}", "embedding_model_dims": DIMENSION}
    openai = {"api_key": "none-needed", "openai_base_url": f"{url}/v1"}
    return {
        "vector_store": {"provider": "qdrant", "config": qdrant},
        "embedder": {"provider": "openai", "config": {**openai, "embedding_dims": DIMENSION}},
        "llm": {"provider": "openai", "config": openai},
        "history_db_path": f"{FOLDER.name}/{folder}.db",
    }


def fill_and_ask(service: FakeEmbeddings) -> list[dict[str, str]]:
    """Write for two users and ask for one; return the messages that a model would get."""
    mem0 = Memory.from_config(config(service.url, "sync"))
    with MemoryManager(stores=[Mem0Store(mem0)], injection={"timeout": 10.0}) as memory:
        memory.add("The umbrella of Deniz is red.", scope=DENIZ)
        memory.add("The umbrella of Ada is green.", scope=ADA)
        assert len(mem0.get_all(filters={"user_id": "deniz"})["results"]) == 1
        print("ok: what is added lands in it")

        result = memory.inject(ASK, scope=DENIZ)
        print(result.messages[-1]["content"], end="\n\n")
        assert "Deniz is red" in result.block.text
        assert result.block.entries[0].score is not None
        print("ok: its memories reach the model")
        assert "green" not in str(memory.search("umbrella", scope=DENIZ))
        assert "red" not in str(memory.search("umbrella", scope=ADA))
        assert memory.search("umbrella") == []
        print("ok: users are kept apart")
        service.down = True
        result_without = memory.inject(ASK, scope=ADA)
        assert result_without.messages == ASK
        assert result_without.report.stores[0].status in ("error", "timeout")
        print("ok: the call goes out when it fails")
        service.down = False
    return result.messages


async def fill_and_ask_async(service: FakeEmbeddings) -> list[dict[str, str]]:
    """Do the same with mem0's async memory."""
    mem0 = AsyncMemory.from_config(config(service.url, "async"))
    async with MemoryManager(stores=[Mem0Store(mem0)], injection={"timeout": 10.0}) as memory:
        await memory.aadd("The umbrella of Deniz is red.", scope=DENIZ)
        await memory.aadd("The umbrella of Ada is green.", scope=ADA)
        return (await memory.ainject(ASK, scope=DENIZ)).messages


def main() -> None:
    with FOLDER, FakeEmbeddings() as service:
        messages = fill_and_ask(service)
        assert asyncio.run(fill_and_ask_async(service)) == messages
        print("ok: sync and async send the same")


if __name__ == "__main__":
    main()
