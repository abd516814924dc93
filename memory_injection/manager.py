"""``MemoryManager``: what an application holds. One class, sync methods with async twins."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import TracebackType
from typing import Any

from . import counters, rendering
from .access import StoreAccess, bind_ledger, collected, registered
from .arguments import checked_flag, checked_seconds, checked_wait, refuse_class
from .asking import asked_body, asked_messages, left_alone
from .bodies import Asked
from .config import InjectionConfig
from .driving import run_now, run_soon
from .engine import Engine
from .errors import ConfigurationError
from .fanout import ask_now, ask_soon, run_all_now, run_all_soon
from .learning import Learning, capture_for
from .ledger import InMemoryLedger
from .protocols import Ledger, ReportHook, TokenCounter
from .records import InjectionResult, MemoryEntry, Scope, is_text
from .report_hooks import ReportHooks
from .telemetry import Telemetry

__all__ = ["MemoryManager"]


class MemoryManager(Learning):
    """Puts memories from several stores into chat-completion calls, and learns from them.

    Args:
        stores: the stores, at least one, with different names.
        injection: True for the defaults, False for none, or an ``InjectionConfig`` (or dict).
        name: tells this manager's blocks from another's in a shared ledger.
        ledger: where blocks stand; in memory by default. One that is given may serve several
            managers and is left open by :meth:`close`.
        counter: counts tokens for every model, an object with ``count(text)`` or a callable;
            None picks tiktoken's encoding by model name.
        write_timeout: seconds a write to a store may take.
        log_content: let memory text into logs and spans.
        extractor: draws memories from conversations for stores with ``extraction`` on that have
            neither an extractor of their own nor ``add_messages``.
        on_report: told of every injection once it is over, with its ``InjectionReport``: the
            calls of wrapped clients and frameworks, :meth:`get_context`, and those left alone. A
            callable or several, sync (run in another thread) or async. What one raises is logged,
            once; one that hangs is left behind at the deadline.

    Raises:
        ConfigurationError: no store, duplicate names, a store without what it needs, an unknown
            or wrong configuration value.
    """

    def __init__(
        self,
        stores: Iterable[Any],
        *,
        injection: bool | InjectionConfig | Mapping[str, Any] = True,
        name: str = "memory",
        ledger: Ledger | None = None,
        counter: TokenCounter | Callable[[str], int] | None = None,
        write_timeout: float = 30.0,
        log_content: bool = False,
        extractor: Any = None,
        on_report: ReportHook | Iterable[ReportHook] | None = None,
    ) -> None:
        self._handles = registered(stores)
        self.name = _checked_name(name)
        self._enabled = injection is not False
        self.injection = _config(injection)
        self._ledger: Ledger = _checked_ledger(ledger) if ledger is not None else InMemoryLedger()
        self._owns_ledger = ledger is None
        bind_ledger(self._handles, self._ledger)
        self._counter = counters.as_counter(counter)
        self._write_timeout = checked_seconds("write_timeout", write_timeout)
        self._telemetry = Telemetry(self.name, checked_flag("log_content", log_content))
        self._report_hooks = ReportHooks(on_report)
        self._engine = Engine(
            self._handles,
            self.injection,
            name=self.name,
            ledger=self._ledger,
            counter=self._counter,
            telemetry=self._telemetry,
        )
        refuse_class("extractor", extractor)
        self._access = StoreAccess(self._handles, self._engine.merge)
        self._capture = capture_for(
            self._handles, self.injection, self.name, self._ledger, extractor
        )
        self._closed = False
        if self._enabled:
            rendering.prepare()
            if self._counter is None:
                counters.preload()

    @property
    def ledger(self) -> Ledger:
        """Where earlier blocks stand; a store with a ``ledger`` of None was given it."""
        return self._ledger

    @property
    def stores(self) -> list[Any]:
        """The registered stores, in order."""
        return [handle.store for handle in self._handles]

    # Injection

    def inject(
        self,
        messages: Any,
        *,
        model: str | None = None,
        scope: Scope | Mapping[str, str] | None = None,
        api: str | None = None,
    ) -> InjectionResult:
        """Return *messages* with memory written in, and what happened.

        Nothing that happens in memory is raised: the messages then come back as they were, with
        the reason in the report. The messages given are never changed.

        Args:
            messages: a conversation in any known dialect: a list, any iterable, or a string
                where the API takes one.
            model: names the tokenizer and the window.
            scope: whose memory; laid over the scope set by :meth:`scope`.
            api: the dialect; detected when left out.

        Raises:
            ConfigurationError: an unknown *api*, or a scope with an empty id.
        """
        asked = asked_messages(messages, model, self.current_scope(scope), api)
        return self._ended(self._left_alone(asked) or self._engine.inject(asked))

    async def ainject(
        self,
        messages: Any,
        *,
        model: str | None = None,
        scope: Scope | Mapping[str, str] | None = None,
        api: str | None = None,
    ) -> InjectionResult:
        """Async twin of :meth:`inject`."""
        asked = asked_messages(messages, model, self.current_scope(scope), api)
        return await self._aended(self._left_alone(asked) or await self._engine.ainject(asked))

    def inject_request(
        self,
        body: Mapping[str, Any],
        *,
        api: str | None = None,
        model: str | None = None,
        scope: Scope | Mapping[str, str] | None = None,
        base_scope: Scope | None = None,
    ) -> InjectionResult:
        """Return a whole request *body* with memory written in, as ``result.request``.

        Args:
            body: ``messages``, ``input`` or ``contents`` beside ``model``, ``tools``, ...
            api: the dialect, e.g. ``"openai.chat"``; detected when left out.
            model: overrides the body's own.
            scope: whose memory; laid over the scope set by :meth:`scope`.
            base_scope: whose memory when nothing else says (a wrapped client's own scope).

        Raises:
            ConfigurationError: an unknown *api*, or a scope with an empty id.
        """
        asked = asked_body(body, model, self.current_scope(scope, base_scope), api)
        return self._ended(self._left_alone(asked) or self._engine.inject(asked))

    async def ainject_request(
        self,
        body: Mapping[str, Any],
        *,
        api: str | None = None,
        model: str | None = None,
        scope: Scope | Mapping[str, str] | None = None,
        base_scope: Scope | None = None,
    ) -> InjectionResult:
        """Async twin of :meth:`inject_request`."""
        asked = asked_body(body, model, self.current_scope(scope, base_scope), api)
        return await self._aended(self._left_alone(asked) or await self._engine.ainject(asked))

    def _left_alone(self, asked: Asked) -> InjectionResult | None:
        why = "closed" if self._closed else None if self._enabled else "injection=False"
        result = left_alone(asked, why)
        if result is not None:
            with self._telemetry.span() as span:
                self._telemetry.injected(span, result)
        return result

    # Searching and writing

    def search(
        self,
        query: str,
        *,
        stores: Sequence[str] | None = None,
        max_search_results: int | None = None,
        scope: Scope | Mapping[str, str] | None = None,
    ) -> list[MemoryEntry]:
        """Search all stores, or the named ones, at once; best first.

        Args:
            query: what to look for.
            stores: names of the stores to ask.
            max_search_results: most entries, per store and in all.
            scope: whose memory.

        Raises:
            UnknownStoreError: a name that is not registered; nothing was searched.
            InputError: *query* is not text or *max_search_results* is not positive.
            StoreErrors: every store asked failed.
        """
        search = self._access.search(query, stores, max_search_results, self.current_scope(scope))
        return search.merged(ask_now(search.asks, self.injection.timeout))

    async def asearch(
        self,
        query: str,
        *,
        stores: Sequence[str] | None = None,
        max_search_results: int | None = None,
        scope: Scope | Mapping[str, str] | None = None,
    ) -> list[MemoryEntry]:
        """Async twin of :meth:`search`."""
        search = self._access.search(query, stores, max_search_results, self.current_scope(scope))
        return search.merged(await ask_soon(search.asks, self.injection.timeout))

    def add(
        self,
        content: str,
        *,
        metadata: Mapping[str, Any] | None = None,
        stores: Sequence[str] | None = None,
        scope: Scope | Mapping[str, str] | None = None,
    ) -> dict[str, Any]:
        """Write *content* to every writable store, or to the named ones.

        Returns:
            What each store's ``add`` returned (usually the new id), by store name.

        Raises:
            UnknownStoreError: a name that is not registered; nothing was written.
            InputError: blank content, or no store that can be written to.
            StoreErrors: one or more stores failed, one member each; the others have it.
        """
        writes = self._access.add(content, metadata, stores, self.current_scope(scope))
        return collected("add", writes, run_all_now(writes, self._write_timeout))

    async def aadd(
        self,
        content: str,
        *,
        metadata: Mapping[str, Any] | None = None,
        stores: Sequence[str] | None = None,
        scope: Scope | Mapping[str, str] | None = None,
    ) -> dict[str, Any]:
        """Async twin of :meth:`add`."""
        writes = self._access.add(content, metadata, stores, self.current_scope(scope))
        return collected("add", writes, await run_all_soon(writes, self._write_timeout))

    def erase(self, scope: Scope | Mapping[str, str]) -> dict[str, Any]:
        """Erase everything written for *scope* from every store that can, and its blocks.

        That is what was written for all of the scope's ids, and perhaps for more: a user alone is
        erased with every agent, in every session and run; a user and an agent, with that agent
        alone. What was written for nobody, or for other ids only, stays.

        Returns:
            What each store's ``erase`` returned (usually a count), by store name.

        Raises:
            InputError: *scope* names nobody.
            StoreErrors: one or more stores failed; the others have erased it.
        """
        owner = Scope.of(scope)
        erasures = self._access.erase(owner)
        self._capture.forget(owner)
        done = run_all_now(erasures, self._write_timeout)
        run_now(lambda: self._ledger.forget(owner), self._write_timeout).unwrap()
        return collected("erase", erasures, done)

    async def aerase(self, scope: Scope | Mapping[str, str]) -> dict[str, Any]:
        """Async twin of :meth:`erase`."""
        owner = Scope.of(scope)
        erasures = self._access.erase(owner)
        await run_soon(lambda: self._capture.forget(owner), self._write_timeout, blocking=True)
        done = await run_all_soon(erasures, self._write_timeout)
        forgot = await run_soon(
            lambda: self._ledger.forget(owner), self._write_timeout, blocking=True
        )
        forgot.unwrap()
        return collected("erase", erasures, done)

    # The end

    def close(self, timeout: float | None = None) -> None:
        """Store what was captured, close the stores and the ledger.

        Later injections leave every call alone.

        Args:
            timeout: most seconds to wait for what was captured; see :meth:`flush`.

        Raises:
            InputError: *timeout* is no number of seconds from 0; nothing is closed.
            StoreErrors: one or more stores could not be closed; the others are.
        """
        if self._closed:
            return
        checked_wait(timeout)
        self._closed = True
        self._capture.close(timeout)
        closings = self._access.closings()
        done = run_all_now(closings, self._write_timeout)
        if self._owns_ledger:
            run_now(self._ledger.close, self._write_timeout).unwrap()
        collected("close", closings, done)

    async def aclose(self, timeout: float | None = None) -> None:
        """Async twin of :meth:`close`."""
        if self._closed:
            return
        checked_wait(timeout)
        self._closed = True
        await self._capture.aclose(timeout)
        closings = self._access.closings()
        done = await run_all_soon(closings, self._write_timeout)
        if self._owns_ledger:
            (await run_soon(self._ledger.close, self._write_timeout)).unwrap()
        collected("close", closings, done)

    def __enter__(self) -> MemoryManager:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    async def __aenter__(self) -> MemoryManager:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()


def _checked_name(name: object) -> str:
    if not isinstance(name, str) or not name.strip():
        raise ConfigurationError(f"name must be a non-blank string, not {name!r}")
    if not is_text(name):
        raise ConfigurationError(f"name {name!r} holds a lone surrogate, which no ledger can write")
    return name


def _checked_ledger(ledger: Any) -> Ledger:
    refuse_class("ledger", ledger)
    lacking = [
        m for m in ("get", "put", "drop", "forget") if not callable(getattr(ledger, m, None))
    ]
    if lacking:
        raise ConfigurationError(f"ledger {ledger!r} has no method {lacking[0]}()")
    if not isinstance(getattr(ledger, "in_process", None), bool):
        raise ConfigurationError(
            f"ledger {ledger!r} does not say in_process: True if its calls never block, else False"
        )
    checked: Ledger = ledger
    return checked


def _config(injection: object) -> InjectionConfig:
    if injection is None:
        raise ConfigurationError("injection = None: say True, False or an InjectionConfig")
    if isinstance(injection, bool):
        return InjectionConfig()
    return InjectionConfig.of(dict(injection) if isinstance(injection, Mapping) else injection)
