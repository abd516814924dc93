"""Chroma as a store: a collection of a client in process, on disk or on a server."""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from hashlib import blake2b
from typing import Any

from ..entries import read_time
from ..errors import ConfigurationError
from ..protocols import Embedder
from ..records import MemoryEntry, Scope
from .services import ErasingStore, called, scope_of_ids, then, whose

__all__ = ["ChromaStore"]

_KEYS = ("user_id", "session_id", "agent_id", "run_id")
_OWNED = "memory_injection_owned"  # Chroma cannot ask for a key that is absent; it can for this


class ChromaStore(ErasingStore):
    """Searches and fills a Chroma collection.

    Whom a document was written for stands in its metadata (``user_id``, ``session_id``,
    ``agent_id``, ``run_id``); documents that others put there without these are shared.

    Args:
        collection: a ``Collection``, or the ``AsyncCollection`` of an async client.
        name: the store's name; the collection's own when left out.
        embedder: turns texts into vectors, sync; None leaves it to the collection's own embedding
            function. Make the collection with ``embedding_function=None`` to be sure that Chroma
            downloads no model.
        writable: whether the manager may add.
        timeout: seconds a recall may wait; None leaves it to the manager.

    Raises:
        ConfigurationError: *collection* is none, or *embedder* is async.
    """

    def __init__(
        self,
        collection: Any,
        name: str | None = None,
        *,
        embedder: Embedder | None = None,
        writable: bool = True,
        timeout: float | None = None,
    ) -> None:
        self._query = called(collection, "query")
        self._upsert = called(collection, "upsert")
        self._get = called(collection, "get")
        self._delete_ids = called(collection, "delete")
        if embedder is not None and inspect.iscoroutinefunction(embedder.embed):
            raise ConfigurationError("ChromaStore needs an embedder with a sync embed()")
        self._embedder = embedder
        self._is_l2 = _space(collection) == "l2"
        super().__init__(
            collection.name if name is None else name,
            is_async=inspect.iscoroutinefunction(self._query),
            writable=writable,
            timeout=timeout,
        )

    def _find(self, query: str, limit: int, scope: Scope) -> Any:
        asked: dict[str, Any] = {"query_texts": [query]}
        if self._embedder is not None:
            asked = {"query_embeddings": self._vectors(query, "query")}
        found = self._query(
            **asked,
            n_results=limit,
            where=_readable_by(scope),
            include=["documents", "metadatas", "distances"],
        )
        return then(found, self._entries)

    def _write(self, content: str, metadata: Mapping[str, Any], scope: Scope) -> Any:
        owner = whose(scope)
        # The same text for the same owner is one document, however often it is written.
        mark = json.dumps([owner, content], sort_keys=True).encode("utf-8", "surrogatepass")
        ident = f"m_{blake2b(mark, digest_size=16).hexdigest()}"
        now = datetime.now(timezone.utc).isoformat()
        ids = {key: owner.get(key, "") for key in _KEYS}
        held = {"created_at": now, **_plain(metadata), **ids, _OWNED: True}
        vectors = {}
        if self._embedder is not None:
            vectors = {"embeddings": self._vectors(content, "document")}
        done = self._upsert(ids=[ident], documents=[content], metadatas=[held], **vectors)
        return then(done, lambda _: ident)

    def _owned(self, scope: Scope) -> Any:
        own = [{key: value} for key, value in whose(scope).items()]
        found = self._get(where={"$and": own} if len(own) > 1 else own[0], include=[])
        return then(found, lambda got: got["ids"])

    def _delete(self, idents: Sequence[str]) -> Any:
        return self._delete_ids(ids=list(idents))

    def _vectors(self, text: str, kind: Any) -> list[list[float]]:
        vectors: Any = self._embedder.embed([text], kind)  # type: ignore[union-attr]
        return [[float(number) for number in vector] for vector in vectors]

    def _entries(self, found: Mapping[str, Any]) -> list[MemoryEntry]:
        rows = zip(
            found["ids"][0],
            found["documents"][0],
            found["metadatas"][0],
            found["distances"][0],
            strict=True,
        )
        return [
            self._entry(ident, text, held or {}, distance)
            for ident, text, held, distance in rows
            if text
        ]

    def _entry(
        self, ident: str, text: str, held: Mapping[str, Any], distance: float
    ) -> MemoryEntry:
        own = {*_KEYS, _OWNED}
        return MemoryEntry(
            content=text,
            id=ident,
            # Of the three spaces, l2 alone is unbounded; the others are 1 - similarity.
            score=1.0 / (1.0 + distance) if self._is_l2 else 1.0 - distance,
            created_at=read_time(held.get("created_at")),
            metadata={key: value for key, value in held.items() if key not in own},
            scope=scope_of_ids(held),
        )


def _readable_by(scope: Scope) -> dict[str, Any]:
    """Return Chroma's filter for what was written for nobody or for ids that are all *scope*'s."""
    ids = whose(scope)
    own = [{key: {"$in": ["", ids[key]] if key in ids else [""]}} for key in _KEYS]
    return {"$or": [{_OWNED: {"$ne": True}}, {"$and": own}]}


def _space(collection: Any) -> str:
    """Return the collection's distance: ``l2`` (Chroma's default), ``cosine`` or ``ip``."""
    held = getattr(collection, "configuration_json", None) or {}
    index = held.get("hnsw") or held.get("spann") or {}
    old = (getattr(collection, "metadata", None) or {}).get("hnsw:space")
    return str(index.get("space") or old or "l2")


def _plain(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return *metadata* as Chroma keeps it: texts, numbers and booleans, the rest as JSON."""
    kinds = (str, int, float, bool)
    return {
        str(key): value if isinstance(value, kinds) else json.dumps(value, default=str)
        for key, value in metadata.items()
        if value is not None
    }
