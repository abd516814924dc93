"""A store as the manager holds it: what it can do, its circuit, and one way to call it."""

from __future__ import annotations

import asyncio
import inspect
import logging
import os
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from itertools import islice
from typing import Any

from .arguments import checked_count, checked_flag, checked_seconds
from .circuits import Circuit
from .driving import Done, as_awaitable, attempt, on_loop, on_worker
from .entries import read_entry
from .errors import ConfigurationError
from .forks import Lock
from .pipeline.effects import StoreAnswer
from .pipeline.request import StoreTraits
from .records import MemoryEntry, Scope, SearchOptions
from .report import StoreReport, StoreStatus

__all__ = ["StoreHandle", "check_store"]

_LOG = logging.getLogger("memory_injection.stores")
_MOST_THREADS = 64
_MOST_TASKS = 512
_MOST_PROBLEM = 500  # characters
_USUAL_LIMIT = 10  # entries of one search where neither the caller nor the store says
_MOST_ENTRIES = 1000  # of one answer that are looked at; a block shows a handful


class StoreHandle:
    """One registered store."""

    def __init__(self, store: Any, circuit: Circuit | None = None) -> None:
        check_store(store)
        self.store = store
        self.name: str = store.name
        self.is_async = inspect.iscoroutinefunction(store.search)
        self.circuit = circuit or Circuit(limit=_limit(store, self.is_async))
        timeout = getattr(store, "timeout", None)
        self.timeout = None if timeout is None else checked_seconds(_of(store, "timeout"), timeout)
        self.takes_context = _flag(store, "takes_context")
        self.writable = _flag(store, "writable")
        self.description: str | None = getattr(store, "description", None)
        most = getattr(store, "max_search_results", None)
        self.usual_limit = (
            _USUAL_LIMIT if most is None else checked_count(_of(store, "max_search_results"), most)
        )
        floor = getattr(store, "relevance_floor", None)
        self.traits = StoreTraits(
            floor=float(floor) if isinstance(floor, (int, float)) else None,
            unit_scores=getattr(store, "score_scale", None) == "unit",
        )
        self.pins = callable(getattr(store, "pinned", None))
        self._takes_options = _accepts(store.search, "options", 2)
        self._pins_takes_options = self.pins and _accepts(store.pinned, "options", 1)
        self._initialiser = _Initialiser(getattr(store, "initialize", None), self.is_async)

    def search(
        self, query: str | None, options: SearchOptions, pins: bool = True
    ) -> Callable[[], Any]:
        """Return the work of one search; its value is what :meth:`answer` takes, maybe awaitable.

        What the store gives is read here as well: reading a lazy answer is part of the search.

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
        pinned = self._guarded(lambda: self._pinned(options)) if pins else ()
        if inspect.isawaitable(found) or inspect.isawaitable(pinned):
            return self._read_soon(found, pinned)
        return self._read(found), self._read(pinned), _problem(found)

    def _guarded(self, work: Callable[[], Any]) -> Any:
        """Pinned entries that cannot be had must not cost the ones that were found."""
        try:
            return work()
        except Exception as error:
            return self._without_pins(error)

    def _without_pins(self, error: Exception) -> tuple[()]:
        _LOG.warning("pinned entries failed store=%s error=%s", self.name, type(error).__name__)
        return ()

    def _pinned(self, options: SearchOptions) -> Any:
        pinned = self.store.pinned
        given = (options,) if self._pins_takes_options else ()
        if self.is_async and not inspect.iscoroutinefunction(pinned):
            return _off_the_loop(lambda: pinned(*given))
        return pinned(*given)

    async def _read_soon(self, found: Any, pinned: Any) -> tuple[Any, Any, str | None]:
        found = await found if inspect.isawaitable(found) else found
        pinned = await self._soon(pinned) if inspect.isawaitable(pinned) else pinned
        return self._read(found), self._read(pinned), _problem(found)

    async def _soon(self, pinned: Any) -> Any:
        try:
            return await pinned
        except Exception as error:
            return self._without_pins(error)

    def _with_context(self, query: str, options: SearchOptions) -> str:
        """A store that cannot weigh the turns before gets them in the query itself."""
        context = options.get("context")
        return query if self.takes_context or not context else f"{query}\n{context}"

    def prepared(self, work: Callable[[], Any]) -> Callable[[], Any]:
        """Return *work*, made to initialise the store first if that has not been done."""
        return self._initialiser.before(work)

    def answer(self, value: Any, seconds: float) -> StoreAnswer:
        """Return the answer that a search's *value* is."""
        entries, pinned, problem = value
        hits = len(entries) + len(pinned)
        report = StoreReport(
            name=self.name, status="ok" if hits else "empty", hits=hits, seconds=seconds,
            problem=problem,
        )  # fmt: skip
        return StoreAnswer(report, tuple(entries), tuple(pinned))

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


def _problem(found: Any) -> str | None:
    """Return what a store says was wrong with an answer, see ``records.SearchResult``."""
    problem = getattr(found, "problem", None)
    return problem[:_MOST_PROBLEM] if isinstance(problem, str) and problem.strip() else None


async def _off_the_loop(work: Callable[[], Any]) -> Any:
    """Run a sync method of an async store where it cannot hold up the event loop."""
    return (await as_awaitable(on_worker(work))).unwrap()


class _Initialiser:
    """Initialises a store once, before its first use; after a failure the next use tries again.

    It goes on when the call that began it has been given up, so that a store which takes longer
    than a deadline is ready for a later call.
    """

    def __init__(self, initialise: Any, is_async: bool) -> None:
        self._initialise = initialise
        self._is_async = is_async
        self._ready: Future[Done] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[None] | None = None
        self._lock = Lock()
        self._pid = os.getpid()

    def before(self, work: Callable[[], Any]) -> Callable[[], Any]:
        """Return *work*, made to initialise the store first."""
        return (lambda: self._first(work)) if callable(self._initialise) else work

    def _first(self, work: Callable[[], Any]) -> Any:
        with self._lock:
            ready = self._ready
            owner = ready is None or self._is_lost(ready)
            if owner:
                ready = self._ready = Future()
                self._pid = os.getpid()
        assert ready is not None
        if owner:
            self._begin(ready)
        if self._is_async and not ready.done():
            return _after(ready, work)
        ready.result().unwrap()
        return work()

    def _is_lost(self, ready: Future[Done]) -> bool:
        """Tell whether it was begun on an event loop that has been closed, or before a fork."""
        closed = self._loop is not None and self._loop.is_closed()
        return not ready.done() and (closed or self._pid != os.getpid())

    def _begin(self, ready: Future[Done]) -> None:
        initialise = self._initialise
        if not inspect.iscoroutinefunction(initialise):
            if self._is_async:  # a sync method of an async store may block
                on_worker(initialise).add_done_callback(lambda f: self._ended(ready, f.result()))
            else:
                self._now(ready)
            return
        try:
            self._loop = asyncio.get_running_loop()
        except RuntimeError:
            on_loop(initialise).add_done_callback(lambda f: self._ended(ready, f.result()))
        else:
            self._task = self._loop.create_task(self._soon(ready))

    def _now(self, ready: Future[Done]) -> None:
        try:
            value = self._initialise()
        except BaseException as error:
            self._ended(ready, Done(error=error))
            return
        if inspect.isawaitable(value):
            on_loop(lambda: value).add_done_callback(lambda f: self._ended(ready, f.result()))
        else:
            self._ended(ready, Done())

    async def _soon(self, ready: Future[Done]) -> None:
        self._ended(ready, await attempt(self._initialise))

    def _ended(self, ready: Future[Done], done: Done) -> None:
        if done.error is not None:
            self._ready = None
        ready.set_result(done)


async def _after(ready: Future[Done], work: Callable[[], Any]) -> Any:
    (await as_awaitable(ready)).unwrap()
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
    if isinstance(store, type):
        raise ConfigurationError(
            f"{store.__name__} is a class: pass a store, {store.__name__}(...)"
        )
    if isinstance(store, (str, bytes)):
        raise ConfigurationError(f"{store!r} is not a store: pass e.g. SQLiteStore({store!r})")
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


def _limit(store: Any, is_async: bool) -> int:
    """Return how many searches may run at once: a hung one keeps a thread, a task ends."""
    given = getattr(store, "max_concurrency", None)
    if given is None:
        return _MOST_TASKS if is_async else _MOST_THREADS
    return checked_count(_of(store, "max_concurrency"), given)


def _flag(store: Any, name: str) -> bool:
    given = getattr(store, name, None)
    return given is not None and checked_flag(_of(store, name), given)


def _of(store: Any, name: str) -> str:
    return f"store {store.name!r}: {name}"


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
