"""mem0 (open source) as a store: ``mem0.Memory`` or ``mem0.AsyncMemory``."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..entries import read_time
from ..errors import StoreError
from ..records import MemoryEntry, Scope
from .services import ErasingStore, best_first, called, scope_of_ids, then, together, whose

__all__ = ["Mem0Store"]

_OWNERS = ("user_id", "agent_id", "run_id")  # what mem0 files memories under

_ALL = 1_000_000  # memories of one owner that an erasure looks at


class Mem0Store(ErasingStore):
    """Searches and fills a mem0 memory.

    mem0 files every memory under a user, an agent or a run: a scope with none of them finds
    nothing and cannot be written for. A session stands in the metadata.

    mem0 reports its use unless ``MEM0_TELEMETRY=False`` is set before it is imported.

    Args:
        memory: the ``Memory`` or ``AsyncMemory``; its owner closes it.
        name: the store's name.
        infer: let mem0's model draw facts from what is added; False keeps texts as they are.
        threshold: mem0's own floor of the score, 0 to 1.
        writable: whether the manager may add.
        timeout: seconds a recall may wait; None leaves it to the manager.

    Raises:
        ConfigurationError: *memory* has no ``search`` or ``add``.
    """

    def __init__(
        self,
        memory: Any,
        name: str = "mem0",
        *,
        infer: bool = False,
        threshold: float = 0.1,
        writable: bool = True,
        timeout: float | None = None,
    ) -> None:
        self._search = called(memory, "search")
        self._add = called(memory, "add")
        self._get_all = called(memory, "get_all")
        self._delete_one = called(memory, "delete")
        self._infer = infer
        self._threshold = threshold
        super().__init__(
            name,
            is_async=inspect.iscoroutinefunction(self._search),
            writable=writable,
            timeout=timeout,
        )

    def _find(self, query: str, limit: int, scope: Scope) -> Any:
        ids = whose(scope)
        # One search per id: a filter by all of them would miss what was written for one alone.
        found = [
            self._search(query, top_k=limit, filters={name: ids[name]}, threshold=self._threshold)
            for name in _OWNERS
            if name in ids
        ]
        return together(found, lambda answers: best_first(map(_read, answers)))

    def _write(self, content: str, metadata: Mapping[str, Any], scope: Scope) -> Any:
        ids = whose(scope)
        session = {"session_id": ids.pop("session_id")} if "session_id" in ids else {}
        if not ids:
            raise StoreError("mem0 keeps memories of a user, an agent or a run only", self.name)
        done = self._add(
            content, metadata={**metadata, **session} or None, infer=self._infer, **ids
        )
        return then(done, _id)

    def _owned(self, scope: Scope) -> Any:
        ids = whose(scope)
        owner = next((name for name in _OWNERS if name in ids), None)
        if owner is None:
            raise StoreError("mem0 lists memories of a user, an agent or a run only", self.name)
        found = self._get_all(filters={owner: ids[owner]}, top_k=_ALL, show_expired=True)
        return then(found, lambda got: _owned_by(ids, _read(got)))

    def _delete(self, idents: Sequence[str]) -> Any:
        return together([self._delete_one(ident) for ident in idents], len)


def _owned_by(ids: Mapping[str, str], entries: Iterable[MemoryEntry]) -> list[str]:
    return [
        entry.id
        for entry in entries
        if entry.id and ids.items() <= whose(entry.scope or Scope()).items()
    ]


def _read(found: Any) -> list[MemoryEntry]:
    return [
        MemoryEntry(
            content=item["memory"],
            id=item.get("id"),
            score=item.get("score"),
            created_at=read_time(item.get("created_at")),
            updated_at=read_time(item.get("updated_at")),
            metadata=item.get("metadata"),
            scope=scope_of_ids({**(item.get("metadata") or {}), **item}),
        )
        for item in found["results"]
    ]


def _id(done: Any) -> str | None:
    results = done.get("results") if isinstance(done, Mapping) else None
    return results[0].get("id") if results else None
