"""Reading entries: whatever a store returned, by attribute or by key, as a :class:`MemoryEntry`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import MAXYEAR, MINYEAR, datetime, timezone
from typing import Any

from .errors import ConfigurationError
from .records import UNREADABLE, MemoryEntry, Scope

__all__ = ["owner_of", "place_of", "read_entry", "read_time"]


def read_entry(found: object, store_name: str | None = None) -> MemoryEntry | None:
    """Read whatever a store returned as an entry, by attribute or by key.

    A plain string is an entry with only content. Returns None for what is not a memory (no
    textual content, blank content).

    Args:
        found: an object, a mapping or a string from a store.
        store_name: stamped on the entry, replacing what the store says.
    """
    if isinstance(found, MemoryEntry) and isinstance(found.content, str):
        if not found.content.strip():
            return None
        score = _score(found.score)
        if found.store_name == store_name and score is found.score:
            return found
        return MemoryEntry(
            found.content, store_name, found.id, score,
            found.created_at, found.updated_at, found.metadata, found.scope,
        )  # fmt: skip
    if isinstance(found, str):
        return MemoryEntry(found, store_name) if found.strip() else None
    content = _get(found, "content")
    if not isinstance(content, str) or not content.strip():
        return None
    if type(found) is dict and found.keys() <= _BARE:
        return MemoryEntry(content, store_name, score=_score(found.get("score")))
    metadata = _get(found, "metadata")
    metadata = metadata if isinstance(metadata, Mapping) else None
    ident = _get(found, "id")
    return MemoryEntry(
        content=content,
        store_name=store_name,
        id=None if ident is None else str(ident),
        score=_score(_first(found, metadata, "score")),
        created_at=read_time(_first(found, metadata, "created_at")),
        updated_at=read_time(_first(found, metadata, "updated_at")),
        metadata=metadata,
        scope=_owner(found, metadata),
    )


_BARE = frozenset({"content", "score"})


def place_of(entry: MemoryEntry) -> tuple[str, int] | None:
    """Return session and turn of an entry that is a turn of a conversation, else None."""
    data = entry.metadata or {}
    session, turn = data.get("session"), data.get("turn")
    if session is None or isinstance(turn, bool) or not isinstance(turn, int):
        return None
    return str(session), turn


def read_time(value: object) -> datetime | None:
    """Read a point in time: a datetime, an ISO 8601 string or seconds since 1970.

    Naive times are taken as UTC. Returns None for anything else, and for a time that falls before
    the first or after the last year there is in UTC.
    """
    try:
        if isinstance(value, datetime):
            moment = value
        elif isinstance(value, str):
            moment = datetime.fromisoformat(value.strip().replace("Z", "+00:00"))
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            moment = datetime.fromtimestamp(value, tz=timezone.utc)
        else:
            return None
        if moment.tzinfo is None:
            return moment.replace(tzinfo=timezone.utc)
        if moment.year in _EDGES:
            moment.astimezone(timezone.utc)
    except (ValueError, OverflowError, OSError):
        return None
    return moment


_EDGES = (MINYEAR, MAXYEAR)


def _get(found: object, name: str) -> Any:
    if type(found) is dict or isinstance(found, Mapping):
        return found.get(name)
    return getattr(found, name, None)


def _first(found: object, metadata: Mapping[str, Any] | None, name: str) -> Any:
    value = _get(found, name)
    if value is None and metadata is not None:
        value = metadata.get(name)
    return value


def _score(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return value if isinstance(value, float) and math.isfinite(value) else (
        number if math.isfinite(number) else None
    )  # fmt: skip


_FOREIGN_IDS = {
    "user_id": "user", "session_id": "session", "agent_id": "agent", "run_id": "run",
}  # fmt: skip
_OWNER_KEYS = frozenset(_FOREIGN_IDS) | {"scope"}
_OWN_KEYS = frozenset(_FOREIGN_IDS.values())


def _owner(found: object, metadata: Mapping[str, Any] | None) -> Scope | None:
    """Read whom a foreign entry was written for: ``scope``, or ``user_id``-style keys.

    ``user_id``, ``agent_id`` and ``run_id`` are the names mem0 and many services use. What is
    given but cannot be read for certain makes the entry nobody's, never everybody's. In
    *metadata* alone a ``scope`` that is a plain text is a label ("project"), not an owner.
    """
    if isinstance(found, dict) and not metadata and _OWNER_KEYS.isdisjoint(found):
        return None
    scope = _get(found, "scope")
    if scope is None and metadata is not None:
        scope = metadata.get("scope")
        scope = None if isinstance(scope, str) else scope
    if isinstance(scope, Scope):
        return scope
    if scope is None:
        return _scope_of({own: _first(found, metadata, name) for name, own in _FOREIGN_IDS.items()})
    if isinstance(scope, Mapping) and _OWN_KEYS.issuperset(scope):
        return _scope_of(scope)
    return UNREADABLE


def _scope_of(ids: Mapping[Any, Any]) -> Scope | None:
    given = {name: value for name, value in ids.items() if value is not None}
    if not given:
        return None
    if not all(isinstance(value, (str, int)) for value in given.values()):
        return UNREADABLE
    return owner_of({name: str(value) for name, value in given.items()})


def owner_of(ids: Mapping[str, str]) -> Scope:
    """Return the scope of the *ids* that a service tells; nobody's if one cannot be an id."""
    try:
        return Scope(**ids)
    except ConfigurationError:
        return UNREADABLE
