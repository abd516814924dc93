"""A store as the manager holds it: what it can do, its circuit, and one way to call it."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Awaitable, Callable, Iterable, Mapping
from concurrent.futures import Future
from itertools import islice
from typing import Any

from .circuits import Circuit
from .errors import ConfigurationError
from .pipeline.effects import StoreAnswer, describe
from .pipeline.request import StoreTraits
from .records import MemoryEntry, Scope, SearchOptions, read_entry
from .report import StoreReport, StoreStatus

__all__ = ["StoreHandle", "check_store"]

_MOST_ENTRIES = 1000  # of one answer that are looked at; a block shows a handful


class StoreHandle:
    """One registered store."""

    def __init__(self, store: Any, circuit: Circuit | None = None) -> None:
        check_store(store)
        self.store = store
        self.name: str = store.name
        self.circuit = circuit or Circuit()
        self.timeout: float | None = _positive(getattr(store, "timeout", None))
        self.takes_context = bool(getattr(store, "takes_context", False))
        self.writable = bool(getattr(store, "writable", False))
        self.description: str | None = getattr(store, "description", None)
        floor = getattr(store, "relevance_floor", None)
        self.traits = StoreTraits(
            floor=float(floor) if isinstance(floor, (int, float)) else None,
            unit_scores=getattr(store, "score_scale", None) == "unit",
        )
        self.pins = callable(getattr(store, "pinned", None))
        self.is_async = inspect.iscoroutinefunction(store.search)
        self._takes_options = _accepts(store.search, "options", 2)
        self._pins_takes_options = self.pins and _accepts(store.pinned, "options", 1)
        self._initialise = getattr(store, "initialize", None)
        self._ready: Future[None] | None = None
        self._lock = threading.Lock()

    def search(
        self, query: str | None, options: SearchOptions, pins: bool = True
    ) -> Callable[[], Any]:
        """Return the work of one search; its value is ``(entries, pinned)``, maybe awaitable.

        *query* None asks for pinned entries only; *pins* False leaves them out.
        """
        pins = pins and self.pins
        return self.prepared(lambda: self._search(query, options, pins))

    def add(
        self, content: str, metadata: Mapping[str, Any] | None, scope: Scope
    ) -> Callable[[], Any]:
        """Return the work of one write."""
        store = self.store
        return self.prepared(lambda: _add(store, content, metadata, scope))

    def erase(self, scope: Scope) -> Callable[[], Any]:
        """Return the work of erasing everything written for *scope*."""
        return self.prepared(lambda: self.store.erase(scope))

    def close(self) -> Any:
        """Close the store, if it can be closed; maybe awaitable."""
        close = getattr(self.store, "close", None)
        return close() if callable(close) else None

    def _search(self, query: str | None, options: SearchOptions, pins: bool) -> Any:
        found: Any = ()
        if query is not None:
            asked = self._with_context(query, options)
            given: Any = (options,) if self._takes_options else ()
            found = self.store.search(asked, *given)
        pinned: Any = ()
        if pins:
            pinned = self.store.pinned(options) if self._pins_takes_options else self.store.pinned()
        if inspect.isawaitable(found) or inspect.isawaitable(pinned):
            return _both(found, pinned)
        return found, pinned

    def _with_context(self, query: str, options: SearchOptions) -> str:
        """A store that cannot weigh the turns before gets them in the query itself."""
        context = options.get("context")
        return query if self.takes_context or not context else f"{query}\n{context}"

    def prepared(self, work: Callable[[], Any]) -> Callable[[], Any]:
        """Return *work*, made to initialise the store first if that has not been done."""
        if not callable(self._initialise):
            return work
        return lambda: self._initialised(work)

    def _initialised(self, work: Callable[[], Any]) -> Any:
        with self._lock:
            ready, owner = self._ready, self._ready is None
            if ready is None:
                ready = self._ready = Future()
        if not owner:
            if ready.done() and ready.exception() is None:
                return work()
            if self.is_async:
                return _after_future(ready, work)
            ready.result()
            return work()
        try:
            value = self._initialise()  # type: ignore[misc]
        except BaseException as error:
            self._failed(ready, error)
            raise
        if inspect.isawaitable(value):
            return self._after(value, ready, work)
        ready.set_result(None)
        return work()

    async def _after(
        self, value: Awaitable[Any], ready: Future[None], work: Callable[[], Any]
    ) -> Any:
        try:
            await value
        except BaseException as error:
            self._failed(ready, error)
            raise
        ready.set_result(None)
        result = work()
        return await result if inspect.isawaitable(result) else result

    def _failed(self, ready: Future[None], error: BaseException) -> None:
        self._ready = None  # the next call tries again
        ready.set_exception(error)

    def answer(self, value: Any, seconds: float) -> StoreAnswer:
        """Read what a search gave; rubbish is an error of the store."""
        try:
            found, pinned = value
            entries = self._read(found)
            fixed = self._read(pinned)
        except Exception as error:
            return self.failure("error", seconds, describe(error))
        hits = len(entries) + len(fixed)
        report = StoreReport(
            name=self.name, status="ok" if hits else "empty", hits=hits, seconds=seconds, error=None
        )
        return StoreAnswer(report, tuple(entries), tuple(fixed))

    def _read(self, found: Any) -> list[MemoryEntry]:
        if found is None or isinstance(found, (str, bytes, Mapping)):
            raise TypeError(f"search must return a list of entries, not {type(found).__name__}")
        if not isinstance(found, Iterable):
            raise TypeError(f"search must return a list of entries, not {type(found).__name__}")
        name = self.name
        read = (read_entry(item, name) for item in islice(found, _MOST_ENTRIES))
        return [entry for entry in read if entry is not None]

    def failure(self, status: StoreStatus, seconds: float, error: str | None) -> StoreAnswer:
        """Return the answer of a store that did not give one."""
        return StoreAnswer(
            StoreReport(name=self.name, status=status, hits=0, seconds=seconds, error=error)
        )


async def _both(found: Any, pinned: Any) -> tuple[Any, Any]:
    return (
        await found if inspect.isawaitable(found) else found,
        await pinned if inspect.isawaitable(pinned) else pinned,
    )


async def _after_future(ready: Future[None], work: Callable[[], Any]) -> Any:
    import asyncio

    await asyncio.wrap_future(ready)
    result = work()
    return await result if inspect.isawaitable(result) else result


def _add(store: Any, content: str, metadata: Mapping[str, Any] | None, scope: Scope) -> Any:
    if _accepts(store.add, "scope", None):
        return store.add(content, metadata, scope=scope)
    if scope.ids():
        # A store without scopes must still not show one user's memory to another.
        metadata = {**(metadata or {}), "scope": scope.ids()}
    return store.add(content, metadata)


def check_store(store: Any) -> None:
    """Check that *store* has what a store needs.

    Raises:
        ConfigurationError: no usable name, no ``search``, or writable without a write method.
    """
    kind = type(store).__name__
    name = getattr(store, "name", None)
    if not isinstance(name, str) or not name.strip():
        raise ConfigurationError(f"{kind} has no usable name: a store needs a non-blank str `name`")
    if not callable(getattr(store, "search", None)):
        raise ConfigurationError(f"store {name!r} has no search(query, options) method")
    writes = [m for m in ("add", "add_messages") if callable(getattr(store, m, None))]
    if getattr(store, "writable", False) and not writes:
        raise ConfigurationError(
            f"store {name!r} is writable but has neither add() nor add_messages()"
        )


def _positive(value: Any) -> float | None:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return float(value) if is_number and value > 0 else None


def _accepts(function: Any, name: str, position: int | None) -> bool:
    """Tell whether *function* takes *name*, or at least *position* positional arguments."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return position is not None
    positional = 0
    for parameter in parameters:
        if parameter.name == name and parameter.kind is not parameter.POSITIONAL_ONLY:
            return True
        if parameter.kind is parameter.VAR_KEYWORD and position is None:
            return True
        if parameter.kind is parameter.VAR_POSITIONAL:
            positional += 100
        elif parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            positional += 1
    return position is not None and positional >= position
