"""Chroma in process as a store, with vectors of an embedder of your own.

Needs the package: chromadb
"""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Sequence

import chromadb
from chromadb.config import Settings

from memory_injection import MemoryManager, Scope
from memory_injection.integrations.chroma import ChromaStore

DENIZ, ADA = Scope(user="deniz"), Scope(user="ada")
ASK = [{"role": "user", "content": "Which umbrella is mine?"}]


class WordHashes:
    """An embedder without a model: each word adds to one of 256 numbers."""

    name = "word-hashes"
    dimension = 256

    def embed(self, texts: Sequence[str], kind: str = "document") -> list[list[float]]:
        """Return one vector per text."""
        vectors = [[0.0] * self.dimension for _ in texts]
        for vector, text in zip(vectors, texts, strict=True):
            for word in text.lower().replace("?", "").replace(".", "").split():
                vector[zlib.crc32(word.encode()) % self.dimension] += 1.0
        return vectors


def main() -> None:
    client = chromadb.EphemeralClient(settings=Settings(anonymized_telemetry=False))
    # Without embedding_function=None, Chroma downloads a model when it is first used.
    collection = client.create_collection(
        "notes", embedding_function=None, configuration={"hnsw": {"space": "cosine"}}
    )
    with MemoryManager(stores=[ChromaStore(collection, embedder=WordHashes())]) as memory:
        memory.add("The umbrella of Deniz is red.", scope=DENIZ)
        memory.add("The umbrella of Ada is green.", scope=ADA)
        memory.add("Umbrella stands are by the door.")
        assert collection.count() == 3
        print("ok: what is added lands in it")

        result = memory.inject(ASK, scope=DENIZ)
        print(result.messages[-1]["content"], end="\n\n")
        assert "Deniz is red" in result.block.text
        assert all(entry.score is not None for entry in result.block.entries)
        print("ok: its memories reach the model")
        assert asyncio.run(memory.ainject(ASK, scope=DENIZ)).messages == result.messages
        print("ok: sync and async send the same")
        assert "green" not in str(memory.search("umbrella", scope=DENIZ))
        assert "red" not in str(memory.search("umbrella", scope=ADA))
        assert [e.content for e in memory.search("umbrella")] == [
            "Umbrella stands are by the door."
        ]
        print("ok: users are kept apart")
        client.delete_collection("notes")
        result = memory.inject(ASK, scope=Scope(user="deniz", session="new"))
        assert result.messages == ASK
        assert result.report.stores[0].status == "error"
        print("ok: the call goes out when it fails")


if __name__ == "__main__":
    main()
