"""Tell the caller's own callables of every report, and let nothing of theirs reach the call."""

from __future__ import annotations

import asyncio
import inspect
import logging
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from concurrent.futures import wait as wait_futures
from contextlib import suppress
from contextvars import ContextVar
from typing import Any

from .arguments import refuse_class
from .circuits import Circuit, Held, Place
from .driving import Done, as_awaitable, attempt, on_loop, on_worker, passes_through
from .errors import ConfigurationError
from .protocols import ReportHook
from .report import InjectionReport

__all__ = ["ReportHooks"]

_LOG = logging.getLogger("memory_injection")
_GRACE = 0.02  # seconds that a hook gets when the deadline has passed
_INSIDE: ContextVar[bool] = ContextVar("memory_injection_inside_report_hook", default=False)


class ReportHooks:
    """What is to be told of every injection: ``on_report``.

    All are told at once, each beside the call, and waited for until the deadline. One that raises
    is logged, by the kind of error, once; one that hangs is left behind, and left alone for a
    while when it does so again and again. What a hook itself injects is not told.

    Args:
        given: None, a callable or several.

    Raises:
        ConfigurationError: something that cannot be called.
    """

    def __init__(self, given: ReportHook | Iterable[ReportHook] | None) -> None:
        self._hooks = [_Hook(hook) for hook in _listed(given)]

    def tell(self, report: InjectionReport, timeout: float) -> None:
        """Hand *report* to every hook; wait at most *timeout* seconds for them."""
        running: dict[Future[Done], tuple[_Hook, Place]] = {}
        for hook, place in self._started():
            held = Held(hook.work(report), place)
            future = on_loop(held) if hook.is_async else on_worker(held)
            future.add_done_callback(held.ended)
            running[future] = (hook, place)
        if running:
            try:
                wait_futures(running, timeout=max(timeout, _GRACE))
            except BaseException:  # Ctrl-C
                _withdraw(running)
                raise
            _end(running)

    async def atell(self, report: InjectionReport, timeout: float) -> None:
        """Async twin of :meth:`tell`; async hooks run on the caller's own loop."""
        running: dict[asyncio.Future[Done], tuple[_Hook, Place]] = {}
        for hook, place in self._started():
            held = Held(hook.work(report), place)
            if hook.is_async:
                future: asyncio.Future[Done] = asyncio.ensure_future(attempt(held))
                future.add_done_callback(held.ended)
            else:
                job = on_worker(held)
                job.add_done_callback(held.ended)
                future = as_awaitable(job)
            running[future] = (hook, place)
        if running:
            try:
                await asyncio.wait(running, timeout=max(timeout, _GRACE))
            except BaseException:  # the caller's own cancellation
                _withdraw(running)
                raise
            _end(running)

    def _started(self) -> list[tuple[_Hook, Place]]:
        if _INSIDE.get():
            return []
        now = time.monotonic()
        return [(hook, place) for hook in self._hooks if (place := hook.enter(now)) is not None]


class _Hook:
    """One callable, its circuit, and what of its trouble has been told."""

    def __init__(self, hook: Callable[..., Any]) -> None:
        self._hook = hook
        self._told: set[str] = set()
        self._circuit = Circuit()
        called = getattr(type(hook), "__call__", None)  # noqa: B004 (what calling it runs)
        self.is_async = inspect.iscoroutinefunction(hook) or inspect.iscoroutinefunction(called)

    def enter(self, now: float) -> Place | None:
        """Take a place for one call; None if it hangs too often."""
        admitted = self._circuit.enter(now)
        if isinstance(admitted, str):
            self.complain(admitted)
            return None
        return admitted

    def work(self, report: InjectionReport) -> Callable[[], Any]:
        """Return the call, to be made in a context of its own."""

        def call() -> Any:
            _INSIDE.set(True)
            return self._hook(report)

        return call

    def complain(self, trouble: str) -> None:
        """Log *trouble*, unless that has been logged before."""
        kind = trouble.partition(" after")[0]
        if kind not in self._told:
            self._told.add(kind)
            name = getattr(self._hook, "__qualname__", type(self._hook).__qualname__)
            with suppress(Exception):  # it may be the logger itself that fails
                _LOG.warning("report_hook_failed hook=%s error=%s", name, trouble)


def _withdraw(running: Mapping[Any, tuple[_Hook, Place]]) -> None:
    """Note that nobody waits for the hooks any more."""
    for future, (_, place) in running.items():
        place.note(None, time.monotonic())
        future.cancel()


def _end(running: Mapping[Any, tuple[_Hook, Place]]) -> None:
    """Note how each call came out and leave behind what has not ended.

    Raises:
        KeyboardInterrupt: a hook raised it.
    """
    now = time.monotonic()
    interrupted: BaseException | None = None
    for future, (hook, place) in running.items():
        error = future.result().error if future.done() and not future.cancelled() else None
        place.note(future.done(), now)
        if not future.done():
            future.cancel()
            hook.complain("TimeoutError")
        elif error is not None and passes_through(error):
            interrupted = error
        elif error is not None:
            # The kind alone: a message may quote what somebody said.
            hook.complain(type(error).__name__)
    if interrupted is not None:
        raise interrupted


def _listed(given: Any) -> list[Callable[..., Any]]:
    if given is None:
        return []
    several = isinstance(given, Iterable) and not isinstance(given, (str, bytes, Mapping))
    hooks = [given] if callable(given) or not several else list(given)
    for hook in hooks:
        refuse_class("on_report", hook)
    wrong = next((hook for hook in hooks if not callable(hook)), None)
    if wrong is not None:
        raise ConfigurationError(
            f"on_report must be a callable over the report, or several, not {wrong!r}"
        )
    return hooks
