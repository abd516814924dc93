"""The stores as a manager reaches them outside an injection: search, write, erase, close."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .driving import Done, run_now
from .errors import ConfigurationError, InputError, StoreError, StoreErrors, UnknownStoreError
from .fanout import Ask
from .handles import StoreHandle
from .pipeline.effects import StoreAnswer, describe
from .protocols import Ledger, MergePolicy
from .records import MemoryEntry, Scope, SearchOptions

__all__ = ["Search", "StoreAccess", "Work", "bind_ledger", "collected", "registered"]

Work = tuple[StoreHandle, Callable[[], Any]]


def registered(stores: Iterable[Any]) -> list[StoreHandle]:
    """Return a handle per store.

    Raises:
        ConfigurationError: no store, two of one name, or a store without what it needs.
    """
    if isinstance(stores, (str, bytes, Mapping)) or not isinstance(stores, Iterable):
        raise ConfigurationError(f"stores must be a list of stores, not {stores!r}")
    handles = [StoreHandle(store) for store in stores]
    if not handles:
        raise ConfigurationError("a manager needs at least one store")
    names = [handle.name for handle in handles]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ConfigurationError(f"two stores are called {twice!r}: store names must be different")
    return handles


def bind_ledger(handles: Sequence[StoreHandle], ledger: Ledger) -> None:
    """Give *ledger* to every store that asks for one: its attribute ``ledger`` is None.

    A sync store gets an async ledger with methods that it can call.
    """
    for handle in handles:
        if getattr(handle.store, "ledger", ledger) is None:
            later = inspect.iscoroutinefunction(ledger.forget) and not handle.is_async
            handle.store.ledger = _Waiting(ledger) if later else ledger


class _Waiting:
    """An async ledger as a sync store can use it: what it forgets is waited for."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def forget(self, scope: Scope) -> Any:
        return run_now(lambda: self._ledger.forget(scope), _FORGETTING).unwrap()

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._ledger, name)
        if name != "forget_shown":
            return found
        return lambda shown: run_now(lambda: found(shown), _FORGETTING).unwrap()


_FORGETTING = 30.0  # seconds


@dataclass(frozen=True, slots=True)
class Search:
    """One search over several stores."""

    asks: list[Ask]
    query: str
    limit: int | None
    scope: Scope
    merge: MergePolicy

    def merged(self, answers: Sequence[StoreAnswer]) -> list[MemoryEntry]:
        """Return the answers as one ranking.

        Raises:
            StoreErrors: every store failed.
        """
        failed = [answer.report for answer in answers if answer.report.status not in _ANSWERED]
        if answers and len(failed) == len(answers):
            errors = [StoreError(f"{r.name}: {r.error or r.status}", r.name) for r in failed]
            raise StoreErrors("search failed in every store: " + _names(errors), errors)
        results = {answer.report.name: self._own(answer) for answer in answers}
        merged = self.merge(results, query=self.query, limit=self.limit or len(answers) * 10)
        return list(merged)[: self.limit]

    def _own(self, answer: StoreAnswer) -> list[MemoryEntry]:
        sees = self.scope.sees
        return [entry for entry in answer.entries if entry.scope is None or sees(entry.scope)]


_ANSWERED = ("ok", "empty")


class StoreAccess:
    """Makes the work of each operation; the manager runs it, sync or async."""

    def __init__(self, handles: Sequence[StoreHandle], merge: MergePolicy) -> None:
        self._handles = handles
        self._merge = merge

    def search(
        self, query: str, stores: Sequence[str] | None, limit: int | None, scope: Scope
    ) -> Search:
        """Return a search to be run; arguments are checked before any store is asked."""
        if not isinstance(query, str):
            raise InputError(f"query must be text, not {query!r}")
        if limit is not None and (type(limit) is not int or limit < 1):
            raise InputError(f"max_search_results must be a positive int, not {limit!r}")
        asks = []
        for handle in self._named(stores):
            options = SearchOptions(max_search_results=limit or handle.usual_limit)
            if scope.ids():
                options["scope"] = scope
            asks.append(Ask(handle, handle.search(query, options, pins=False)))
        return Search(asks, query, limit, scope, self._merge)

    def add(
        self,
        content: str,
        metadata: Mapping[str, Any] | None,
        stores: Sequence[str] | None,
        scope: Scope,
    ) -> list[Work]:
        """Return the writes to be run."""
        if not isinstance(content, str) or not content.strip():
            raise InputError(f"content must be non-blank text, not {content!r}")
        if metadata is not None and not isinstance(metadata, Mapping):
            raise InputError(f"metadata must be a mapping, not {metadata!r}")
        named = self._named(stores)
        if not named:
            raise InputError(f"stores must name a store to write to, not {stores!r}")
        chosen = [h for h in named if h.writable and callable(getattr(h.store, "add", None))]
        if not chosen or (stores is not None and len(chosen) < len(named)):
            refused = [handle.name for handle in named if handle not in chosen]
            raise InputError(
                f"no writing to {', '.join(map(repr, refused))}: not writable (a store that is has "
                "the attribute writable = True and a method add)"
            )
        return [(handle, handle.add(content, metadata, scope)) for handle in chosen]

    def erase(self, scope: Scope) -> list[Work]:
        """Return the erasures to be run."""
        if not scope.ids():
            raise InputError("erasing needs a scope that names somebody, e.g. Scope(user='u1')")
        able = [h for h in self._handles if callable(getattr(h.store, "erase", None))]
        return [(handle, handle.erase(scope)) for handle in able]

    def closings(self) -> list[Work]:
        """Return the closing of every store."""
        return [(handle, handle.close) for handle in self._handles]

    def _named(self, stores: Sequence[str] | None) -> Sequence[StoreHandle]:
        if stores is None:
            return self._handles
        if isinstance(stores, str):
            raise InputError(f"stores must be a list of names, not the string {stores!r}")
        names = list(stores) if isinstance(stores, Iterable) else [stores]
        if not all(isinstance(name, str) for name in names):
            raise InputError(f"stores must be a list of names, not {stores!r}")
        known = {handle.name: handle for handle in self._handles}
        unknown = next((name for name in names if name not in known), None)
        if unknown is not None:
            raise UnknownStoreError(f"no store is called {unknown!r}: there is {', '.join(known)}")
        return [known[name] for name in dict.fromkeys(names)]


def collected(operation: str, works: Sequence[Work], done: Sequence[Done]) -> dict[str, Any]:
    """Return each store's value by name.

    Raises:
        StoreErrors: one or more failed; one member each, the cause attached.
    """
    values: dict[str, Any] = {}
    errors: list[StoreError] = []
    for (handle, _), ended in zip(works, done, strict=True):
        if ended.error is None:
            values[handle.name] = ended.value
            continue
        error = StoreError(f"{handle.name}: {describe(ended.error)}", handle.name)
        error.__cause__ = ended.error
        errors.append(error)
    if errors:
        raise StoreErrors(f"{operation} failed in {_names(errors)}", errors)
    return values


def _names(errors: Sequence[StoreError]) -> str:
    return ", ".join(repr(error.store) for error in errors)
