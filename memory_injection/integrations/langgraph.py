"""LangGraph: a ``BaseStore`` as one of our stores."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any
from uuid import uuid4

from ..arguments import checked_flag
from ..errors import ConfigurationError, InputError, StoreError
from ..records import MemoryEntry, Scope, SearchOptions
from ..stores.lexical import RELEVANCE_FLOOR
from ..stores.memory import InMemoryStore

__all__ = ["LangGraphStore"]

_FIELDS = ("content", "text", "memory", "data")
"""Where applications keep the text of a value; LangMem nests one ``content`` in another."""

_LIMIT = 10  # LangGraph's own default
_UNRANKED = 500
"""Items that are looked at in a store without an index, which answers in no order of relevance."""

_IDS = ("user", "session", "agent", "run")


class _Sweep:
    """Pages through what lies below a namespace, to delete what lies in it."""

    def __init__(self, store: str, namespace: tuple[str, ...]) -> None:
        self._store = store
        self._namespace = namespace
        self._seen: set[tuple[tuple[str, ...], str]] = set()
        self.erased = 0
        self.passed = 0

    def own(self, items: Sequence[Any]) -> list[str]:
        """Return the keys to delete of one page.

        Raises:
            StoreError: it brings nothing new: a deletion had no effect, or pages are not turned.
        """
        places = [(tuple(item.namespace), item.key) for item in items]
        new = set(places) - self._seen
        if not new:
            raise StoreError(
                f"{self._store}: what was deleted is still there; erase again to finish",
                self._store,
            )
        self._seen |= new
        keys = [key for namespace, key in places if namespace == self._namespace]
        self.erased += sum(namespace == self._namespace for namespace, _ in new)
        self.passed += len(places) - len(keys)
        return keys


class LangGraphStore:
    """Memories in a LangGraph store: ``MemoryManager([LangGraphStore(store)])``.

    Only items in the namespace itself are read, not those in namespaces below it. A store without
    an index (``InMemoryStore()``) cannot tell what fits a query; its items, the first 500, are
    ranked by their words instead.

    Args:
        store: a ``BaseStore`` of LangGraph, sync or async.
        namespace: labels; ``{user}``, ``{session}``, ``{agent}`` and ``{run}`` in them stand for
            the ids of the caller's scope. Where one is not given, nothing is found. LangGraph
            allows no dots in labels: in an id they are written ``%2E`` (and ``%`` ``%25``).
        name: the store's name.
        field: the key of the text in an item's value; when left out, the field that the store's
            index embeds, or the first of content, text, memory and data that holds a text, or the
            whole value as JSON.
        writable: whether memories may be added.

    Raises:
        ConfigurationError: *store* cannot be searched, or *namespace* is empty, holds a label
            that is no text, blank or dotted, or a placeholder that names no id.
    """

    def __init__(
        self,
        store: Any,
        *,
        namespace: Sequence[str] = ("memories", "{user}"),
        name: str = "langgraph",
        field: str | None = None,
        writable: bool = True,
    ) -> None:
        if not (callable(getattr(store, "search", None)) and callable(getattr(store, "put", None))):
            raise ConfigurationError(f"store must be a LangGraph BaseStore, not {store!r}")
        self.name = name
        self.writable = checked_flag("writable", writable)
        self._store = store
        self._labels = _checked(namespace)
        self._needed = {name for label in self._labels for name in _named(label)}
        index = getattr(store, "index_config", None)
        self._field = field or _embedded(index)
        self._indexed = bool(index)
        if not self._indexed:
            self.takes_context = True
            self.relevance_floor = RELEVANCE_FLOOR
            self.score_scale = "unit"

    def search(self, query: str, options: SearchOptions | None = None) -> Any:
        """Return the entries that fit *query*, best first; awaitable where the store is async."""
        given = options or SearchOptions()
        scope = given.get("scope") or Scope()
        namespace = self._namespace(scope)
        if namespace is None:
            return []

        def read(items: Sequence[Any]) -> list[MemoryEntry]:
            entries = self._entries(items, namespace, scope)
            return entries if self._indexed else _ranked(entries, query, given)

        if not self._indexed:
            return self._done("search", read, namespace, limit=_UNRANKED)
        limit = given.get("max_search_results", _LIMIT)
        return self._done("search", read, namespace, query=query, limit=limit)

    def add(
        self, content: str, metadata: Mapping[str, Any] | None = None, *, scope: Scope | None = None
    ) -> Any:
        """Write *content* as a new item; return its key, awaitable where the store is async.

        Raises:
            InputError: the scope lacks an id that the namespace needs.
        """
        namespace = self._namespace(scope or Scope())
        if namespace is None:
            lacking = ", ".join(sorted(self._needed - (scope or Scope()).ids().keys()))
            raise InputError(f"namespace {self._labels!r} needs a scope with {lacking}")
        key = uuid4().hex
        value = {**(metadata or {}), self._field or _FIELDS[0]: content}
        return self._done("put", lambda _: key, namespace, key, value)

    def erase(self, scope: Scope) -> Any:
        """Delete the items written for *scope*; return how many, awaitable where it is async.

        Raises:
            StoreError: the namespace holds ids that *scope* does not name, so that it cannot be
                told where those items are; nothing was deleted.
        """
        ids = scope.ids().keys()
        if not ids <= self._needed:
            return 0
        namespace = self._namespace(scope)
        if namespace is None:
            lacking = ", ".join(sorted(self._needed - ids))
            raise StoreError(f"erasing needs a scope with {lacking} as well", self.name)
        try:
            return self._erase(namespace)
        except NotImplementedError:
            return self._aerase(namespace)

    def _erase(self, namespace: tuple[str, ...]) -> int:
        sweep = _Sweep(self.name, namespace)
        while items := self._store.search(namespace, limit=_UNRANKED, offset=sweep.passed):
            for key in sweep.own(items):
                self._store.delete(namespace, key)
        return sweep.erased

    async def _aerase(self, namespace: tuple[str, ...]) -> int:
        sweep = _Sweep(self.name, namespace)
        while items := await self._store.asearch(namespace, limit=_UNRANKED, offset=sweep.passed):
            for key in sweep.own(items):
                await self._store.adelete(namespace, key)
        return sweep.erased

    def _done(self, method: str, then: Callable[[Any], Any], *given: Any, **named: Any) -> Any:
        """Call the store's *method*, or its async twin where that is all there is."""
        try:
            found = getattr(self._store, method)(*given, **named)
        except NotImplementedError:
            return _after(getattr(self._store, f"a{method}")(*given, **named), then)
        return then(found)

    def _namespace(self, scope: Scope) -> tuple[str, ...] | None:
        """Return the labels for *scope*; None if one needs an id that it lacks."""
        ids = {name: _escaped(value) for name, value in scope.ids().items()}
        if not self._needed <= ids.keys():
            return None
        return tuple(_filled(label, ids) for label in self._labels)

    def _entries(
        self, items: Sequence[Any], namespace: tuple[str, ...], scope: Scope
    ) -> list[MemoryEntry]:
        owner = Scope(**{n: value for n, value in scope.ids().items() if n in self._needed})
        return [
            MemoryEntry(
                content=text,
                id=item.key,
                score=getattr(item, "score", None),
                created_at=item.created_at,
                updated_at=item.updated_at,
                metadata=item.value,
                scope=owner,
            )
            for item in items
            if tuple(item.namespace) == namespace
            for text in [_text(item.value, self._field)]
            if text.strip()
        ]


async def _after(found: Any, then: Callable[[Any], Any]) -> Any:
    return then(await found)


def _ranked(
    entries: Sequence[MemoryEntry], query: str, options: SearchOptions
) -> list[MemoryEntry]:
    """Return those of *entries* whose words fit *query*, best first."""
    looked_up = SearchOptions(max_search_results=options.get("max_search_results", _LIMIT))
    if "context" in options:
        looked_up["context"] = options["context"]
    with InMemoryStore() as words:
        words.add_many([MemoryEntry(e.content, id=str(at)) for at, e in enumerate(entries)])
        found = words.search(query, looked_up)
    return [replace(entries[int(hit.id or 0)], score=hit.score) for hit in found]


def _checked(namespace: Sequence[str]) -> tuple[str, ...]:
    labels = (namespace,) if isinstance(namespace, str) else tuple(namespace)
    if not labels:
        raise ConfigurationError("namespace must hold at least one label")
    for label in labels:
        if not isinstance(label, str) or not label.strip() or "." in label:
            raise ConfigurationError(f"a label must be a text without dots, not {label!r}")
        if unknown := [name for name in _named(label) if name not in _IDS]:
            raise ConfigurationError(
                f"unknown id {unknown[0]!r} in label {label!r}: use user, session, agent or run"
            )
    return labels


def _named(label: str) -> list[str]:
    return re.findall(r"\{(\w*)\}", label)


def _filled(label: str, ids: Mapping[str, str]) -> str:
    return re.sub(r"\{(\w*)\}", lambda found: ids[found.group(1)], label)


def _escaped(value: str) -> str:
    return value.replace("%", "%25").replace(".", "%2E")


def _embedded(index: Any) -> str | None:
    """Return the one plain field that a store's *index* embeds, if there is one."""
    fields = list((index or {}).get("fields") or ())
    return fields[0] if len(fields) == 1 and str(fields[0]).isidentifier() else None


def _text(value: Mapping[str, Any], field: str | None) -> str:
    for name in (field,) if field else _FIELDS:
        held = value.get(name)
        if isinstance(held, str):
            return held
        if isinstance(held, Mapping):
            return _text(held, None)
    return "" if field else json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
