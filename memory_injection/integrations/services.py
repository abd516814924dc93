"""What the stores over a memory service have in common: a client, scopes, one kind of error.

A store here holds the service's own client, made by the caller; no service's package is imported.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
import re
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from ..arguments import checked_flag
from ..entries import owner_of
from ..errors import ConfigurationError, StoreError
from ..records import MemoryEntry, Scope, SearchOptions

__all__ = [
    "ErasingStore",
    "ServiceStore",
    "best_first",
    "called",
    "named",
    "scope_of_ids",
    "then",
    "together",
    "whose",
]

T = TypeVar("T")

_LIMIT = 10  # entries of one search when nobody says
_SPARE = 4  # times as many are asked for where the service cannot filter by the whole scope
_HALVES = re.compile("[\ud800-\udfff]")
_KEYS = {"user": "user_id", "session": "session_id", "agent": "agent_id", "run": "run_id"}


class ServiceStore(ABC):
    """Base of the stores over a service's client, sync or async.

    Its methods are coroutine functions where the client is async. Whatever a client
    raises comes out as ``StoreError``, the cause attached; the manager fails open on it.

    Attributes:
        name: the store's name.
        writable: whether the manager may add.
        timeout: seconds a recall may wait for the service; None leaves it to the manager.
    """

    def __init__(
        self, name: str, *, is_async: bool, writable: bool = True, timeout: float | None = None
    ) -> None:
        self.name = named(name)
        self.writable = checked_flag("writable", writable)
        self.timeout = timeout
        if is_async:
            # The manager runs coroutine functions on the caller's loop, the one the client is on.
            for method in {"search", "add", "erase"} & set(dir(self)):
                setattr(self, method, _coroutine(getattr(self, method)))

    def search(self, query: str, options: SearchOptions | None = None) -> Any:
        """Return the service's entries, best first, as far as the scope may read them.

        Raises:
            StoreError: the service failed.
        """
        options = options or {}
        limit = options.get("max_search_results") or _LIMIT
        scope = options.get("scope") or Scope()
        if not query.strip():
            return []
        asked = limit * _SPARE if scope.ids() else limit
        found = self._guarded("search", lambda: self._find(_sendable(query), asked, scope))
        return then(found, lambda entries: _readable(entries, scope, limit))

    def add(
        self,
        content: str,
        metadata: Mapping[str, Any] | None = None,
        *,
        scope: Scope | None = None,
    ) -> Any:
        """Write *content* for *scope*; return its id where the service tells it.

        Raises:
            StoreError: the service failed, or cannot keep what was written apart from others'.
        """
        text, owner = _sendable(content), scope or Scope()
        return self._guarded("add", lambda: self._write(text, metadata or {}, owner))

    @abstractmethod
    def _find(self, query: str, limit: int, scope: Scope) -> Any:
        """Return up to *limit* entries, or an awaitable of them."""

    @abstractmethod
    def _write(self, content: str, metadata: Mapping[str, Any], scope: Scope) -> Any:
        """Write, and return the new id or an awaitable of it."""

    def _guarded(self, what: str, work: Callable[[], Any]) -> Any:
        try:
            value = work()
        except Exception as error:
            raise self._failed(what, error) from error
        return self._guarded_later(what, value) if inspect.isawaitable(value) else value

    async def _guarded_later(self, what: str, value: Awaitable[Any]) -> Any:
        try:
            return await value
        except Exception as error:
            raise self._failed(what, error) from error

    def _failed(self, what: str, error: Exception) -> StoreError:
        if isinstance(error, StoreError):
            return error
        return StoreError(f"{what} failed: {type(error).__name__}: {error}", self.name)


class ErasingStore(ServiceStore):
    """Base of those whose service can list and delete what an owner has."""

    def erase(self, scope: Scope) -> Any:
        """Delete everything written for *scope*, of every id in it; return how many.

        Raises:
            StoreError: the service failed, or cannot list what this scope has.
        """
        owned = self._guarded("erase", lambda: self._owned(scope))
        return then(owned, self._deleted)

    def _deleted(self, idents: Sequence[str]) -> Any:
        if not idents:
            return 0
        done = self._guarded("erase", lambda: self._delete(idents))
        return then(done, lambda _: len(idents))

    @abstractmethod
    def _owned(self, scope: Scope) -> Any:
        """Return the ids of what was written for *scope*, or an awaitable of them."""

    @abstractmethod
    def _delete(self, idents: Sequence[str]) -> Any:
        """Delete these; maybe awaitable."""


def named(name: str) -> str:
    """Return *name*.

    Raises:
        ConfigurationError: it is blank or no text.
    """
    if not isinstance(name, str) or not name.strip():
        raise ConfigurationError(f"a store's name must be a non-blank string, not {name!r}")
    return name


def called(client: Any, *path: str) -> Callable[..., Any]:
    """Return the method at *path* of a service's *client*.

    Raises:
        ConfigurationError: the client has none: it is no such client, or of another version.
    """
    found = client
    for name in path:
        found = getattr(found, name, None)
    if not callable(found):
        raise ConfigurationError(f"client has no {'.'.join(path)}(), unlike {client!r}")
    return found  # type: ignore[no-any-return]


def whose(scope: Scope) -> dict[str, str]:
    """Return the ids of *scope* under the names that services use (``user_id``, ...)."""
    return {_KEYS[name]: value for name, value in scope.ids().items()}


def scope_of_ids(held: Mapping[str, Any]) -> Scope | None:
    """Read whom something was written for from keys like ``user_id``; None: for everybody."""
    ids = {name: str(held[key]) for name, key in _KEYS.items() if held.get(key)}
    return owner_of(ids) if ids else None


def then(value: Any, function: Callable[[Any], T]) -> Any:
    """Return *function* of *value*, or an awaitable of it where *value* is one."""
    return _then_later(value, function) if inspect.isawaitable(value) else function(value)


async def _then_later(value: Awaitable[Any], function: Callable[[Any], Any]) -> Any:
    result: Any = function(await value)
    return await result if inspect.isawaitable(result) else result


def together(values: Sequence[Any], function: Callable[[Sequence[Any]], T]) -> Any:
    """Return *function* of all *values*, or an awaitable of it where they are awaitables."""
    if any(map(inspect.isawaitable, values)):
        return _then_later(_gathered(values), function)
    return function(values)


async def _gathered(values: Sequence[Any]) -> Sequence[Any]:
    return await asyncio.gather(*values)


def best_first(lists: Iterable[Iterable[MemoryEntry]]) -> list[MemoryEntry]:
    """Return the entries of several answers of one service as one list, each once."""
    entries = {entry.id or entry.content: entry for found in lists for entry in found}
    return sorted(entries.values(), key=lambda entry: -(entry.score or 0.0))


def _sendable(text: str) -> str:
    """Return *text* with halves of characters replaced: UTF-8, and so JSON, cannot carry them."""
    return text if text.isascii() else _HALVES.sub("\ufffd", text)


def _readable(entries: Iterable[MemoryEntry], scope: Scope, limit: int) -> list[MemoryEntry]:
    own = [entry for entry in entries if entry.scope is None or scope.sees(entry.scope)]
    return own[:limit]


def _coroutine(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    async def awaited(*args: Any, **kwargs: Any) -> Any:
        value = method(*args, **kwargs)
        return await value if inspect.isawaitable(value) else value

    return awaited
