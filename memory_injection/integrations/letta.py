"""Letta as a store: the archival memory of agents, through ``Letta`` or ``AsyncLetta``."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from ..errors import StoreError
from ..records import MemoryEntry, Scope, read_time
from .services import ServiceStore, called, then

__all__ = ["LettaStore"]

_IDS = ("user", "session", "agent", "run")


class LettaStore(ServiceStore):
    """Searches and fills the archival memory (passages) of Letta agents.

    Whom a passage was written for stands in its tags (``user:ID``, ``session:ID``, ...); one
    without such tags is for everybody who may read that agent. Of the metadata of what is added,
    ``tags`` alone is kept.

    Args:
        client: the ``Letta`` or ``AsyncLetta``; its owner closes it.
        agent: the Letta agent's id, or a function from the caller's scope to it (None: there is
            none). An agent per user keeps one user's many passages from crowding out another's.
        name: the store's name.
        writable: whether the manager may add.
        timeout: seconds a recall may wait; None leaves it to the manager.

    Raises:
        ConfigurationError: *client* is no Letta client of version 1.
    """

    def __init__(
        self,
        client: Any,
        agent: str | Callable[[Scope], str | None],
        name: str = "letta",
        *,
        writable: bool = True,
        timeout: float | None = None,
    ) -> None:
        self._search = called(client, "passages", "search")
        self._create = called(client, "agents", "passages", "create")
        self._agent = agent
        super().__init__(
            name,
            is_async=inspect.iscoroutinefunction(self._search),
            writable=writable,
            timeout=timeout,
        )

    def _find(self, query: str, limit: int, scope: Scope) -> Any:
        agent = self._agent_of(scope)
        if agent is None:
            return []
        found = self._search(agent_id=agent, query=query, limit=limit)
        return then(found, _read)

    def _write(self, content: str, metadata: Mapping[str, Any], scope: Scope) -> Any:
        agent = self._agent_of(scope)
        if agent is None:
            raise StoreError(f"there is no Letta agent for {scope}", self.name)
        tags = [tag for tag in metadata.get("tags") or () if isinstance(tag, str)]
        tags += [f"{name}:{value}" for name, value in scope.ids().items()]
        done = self._create(agent, text=content, tags=tags)
        return then(done, _id)

    def _agent_of(self, scope: Scope) -> str | None:
        return self._agent(scope) if callable(self._agent) else self._agent


def _read(found: Any) -> list[MemoryEntry]:
    return [_entry(hit.passage, hit.score) for hit in found]


def _entry(passage: Any, score: float | None) -> MemoryEntry:
    tags = list(passage.tags or ())
    return MemoryEntry(
        content=passage.text,
        id=passage.id,
        score=score,
        created_at=read_time(passage.created_at),
        updated_at=read_time(passage.updated_at),
        metadata={**(passage.metadata or {}), "tags": tags},
        scope=_owner(tags),
    )


def _owner(tags: list[str]) -> Scope | None:
    pairs = (tag.partition(":") for tag in tags)
    ids = {name: value for name, _, value in pairs if name in _IDS and value.strip()}
    return Scope(**ids) if ids else None


def _id(passages: Any) -> str | None:
    found = passages[0].id if passages else None
    return found if isinstance(found, str) else None
