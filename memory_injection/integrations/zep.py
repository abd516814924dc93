"""Zep as a store: ``zep_cloud.Zep`` or ``zep_cloud.AsyncZep``, version 4."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timezone
from typing import Any

from ..entries import read_time
from ..errors import StoreError
from ..records import MemoryEntry, Scope
from .services import ServiceStore, called, then

__all__ = ["ZepStore"]

_MOST_KEYS = 10  # of an episode's metadata, Zep's own limit


class ZepStore(ServiceStore):
    """Searches the facts (edges) of Zep graphs, and adds episodes that Zep draws facts from.

    Facts that Zep knows to be outdated are left out. A fact drawn from an episode carries no
    owner: what keeps users apart is the graph.

    Args:
        client: the ``Zep`` or ``AsyncZep``; its owner closes it.
        name: the store's name.
        graph: the graph's UUID (shared by everybody), or a function from the caller's scope to
            it, None for "there is none". When left out, the user's id is the UUID of the user's
            graph, and nothing is written for a scope narrower than a user.
        reranker: Zep's ``reranker`` of a search, e.g. ``"cross_encoder"``; None is Zep's default.
        writable: whether the manager may add.
        timeout: seconds a recall may wait; None leaves it to the manager.

    Raises:
        ConfigurationError: *client* is no Zep client of version 4.
    """

    def __init__(
        self,
        client: Any,
        name: str = "zep",
        *,
        graph: str | Callable[[Scope], str | None] | None = None,
        reranker: str | None = None,
        writable: bool = True,
        timeout: float | None = None,
    ) -> None:
        self._search = called(client, "graph", "search_edges")
        self._add = called(client, "graph", "episode", "add")
        self._graph = graph
        self._options = {"reranker": reranker} if reranker is not None else {}
        super().__init__(
            name,
            is_async=inspect.iscoroutinefunction(self._search),
            writable=writable,
            timeout=timeout,
        )

    def _find(self, query: str, limit: int, scope: Scope) -> Any:
        graph = self._graph_of(scope)
        if graph is None:
            return []
        found = self._search(graph, query=query, page_size=limit, **self._options)
        return then(found, _read)

    def _write(self, content: str, metadata: Mapping[str, Any], scope: Scope) -> Any:
        graph = self._graph_of(scope)
        if graph is None:
            raise StoreError(f"there is no graph for {scope}", self.name)
        narrower = scope.ids().keys() - ({"user"} if self._graph is None else set())
        if narrower and not callable(self._graph):
            raise StoreError(
                f"this graph is read beyond one {sorted(narrower)[0]}: give graph= a function that "
                "returns a graph per scope",
                self.name,
            )
        done = self._add(graph, data=content, type="text", metadata=_plain(metadata) or None)
        return then(done, _id)

    def _graph_of(self, scope: Scope) -> str | None:
        if callable(self._graph):
            return self._graph(scope)
        return scope.user if self._graph is None else self._graph


def _read(page: Any) -> list[MemoryEntry]:
    now = datetime.now(timezone.utc)
    return [_entry(edge) for edge in _edges(page) if edge.fact and not _is_outdated(edge, now)]


def _edges(page: Any) -> Iterable[Any]:
    # The first page holds the best; iterating the pager would fetch the others.
    return getattr(page, "items", None) or ()


def _is_outdated(edge: Any, now: datetime) -> bool:
    ends = (read_time(end) for end in (edge.invalid_at, edge.expired_at))
    return any(end is not None and end <= now for end in ends)


def _entry(edge: Any) -> MemoryEntry:
    relevance = getattr(edge, "relevance", None)
    return MemoryEntry(
        content=edge.fact,
        id=edge.uuid_,
        score=edge.score if relevance is None else relevance,
        created_at=read_time(edge.valid_at or edge.created_at),
        metadata={"name": edge.name} if edge.name else None,
    )


def _plain(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return what Zep takes of *metadata*: ten keys, plain values."""
    kinds = (str, int, float, bool)
    plain = {key: value for key, value in metadata.items() if isinstance(value, kinds)}
    return dict(list(plain.items())[:_MOST_KEYS])


def _id(done: Any) -> str | None:
    episode = getattr(done, "episode", done)
    found = getattr(episode, "uuid_", None)
    return found if isinstance(found, str) else None
