"""Letta as a store: the archival memory of agents, through ``Letta`` or ``AsyncLetta``."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import partial
from itertools import chain, combinations
from typing import Any
from urllib.parse import parse_qsl, urlencode

from ..entries import owner_of, read_time
from ..errors import StoreError
from ..records import UNREADABLE, MemoryEntry, Scope
from .services import ServiceStore, best_first, called, then, together

__all__ = ["LettaStore"]

_IDS = ("user", "session", "agent", "run")
_OWNER = "owner:"


class LettaStore(ServiceStore):
    """Searches and fills the archival memory (passages) of Letta agents.

    Whom a passage was written for stands in a tag of its own (``owner:user=ID&session=ID``).
    Passages without one, such as those the Letta agent wrote itself, are for everybody who may
    read that agent. Of the metadata of what is added, ``tags`` alone is kept.

    Args:
        client: the ``Letta`` or ``AsyncLetta``; its owner closes it.
        agent: the Letta agent's id, or a function from the caller's scope to it (None: there is
            none).
        name: the store's name.
        untagged: read passages without an owner too, for which a recall asks a second time.
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
        untagged: bool = True,
        writable: bool = True,
        timeout: float | None = None,
    ) -> None:
        self._search = called(client, "passages", "search")
        self._create = called(client, "agents", "passages", "create")
        self._agent = agent
        self._untagged = untagged
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
        ask = partial(self._search, agent_id=agent, query=query, limit=limit)
        found = [ask(tags=_owners_seen_by(scope), tag_match_mode="any")]
        if self._untagged:
            found.append(ask())
        return together(found, lambda answers: best_first(map(_read, answers)))

    def _write(self, content: str, metadata: Mapping[str, Any], scope: Scope) -> Any:
        agent = self._agent_of(scope)
        if agent is None:
            raise StoreError(f"there is no Letta agent for {scope}", self.name)
        tags = [tag for tag in metadata.get("tags") or () if isinstance(tag, str)]
        tags = [tag for tag in tags if not tag.startswith(_OWNER)] + [_owner_tag(scope.ids())]
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
        metadata={
            **(passage.metadata or {}),
            "tags": [tag for tag in tags if not tag.startswith(_OWNER)],
        },
        scope=_owner(tags),
    )


def _owner_tag(ids: Mapping[str, str]) -> str:
    return f"{_OWNER}{urlencode(sorted(ids.items()))}"


def _owners_seen_by(scope: Scope) -> list[str]:
    """Return the tag of every owner that *scope* sees: of each subset of its ids."""
    ids = list(scope.ids().items())
    subsets = chain.from_iterable(combinations(ids, size) for size in range(len(ids) + 1))
    return [_owner_tag(dict(subset)) for subset in subsets]


def _owner(tags: list[str]) -> Scope | None:
    """Return whom the tags name: nobody's (never everybody's) if one of them cannot be read."""
    held = [tag.removeprefix(_OWNER) for tag in tags if tag.startswith(_OWNER)]
    if not any(held):
        return None
    if len(held) > 1:
        return UNREADABLE
    ids = dict(parse_qsl(held[0], keep_blank_values=True))
    return owner_of(ids) if ids and ids.keys() <= set(_IDS) else UNREADABLE


def _id(passages: Any) -> str | None:
    found = passages[0].id if passages else None
    return found if isinstance(found, str) else None
