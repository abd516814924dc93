"""The half of the manager that learns and lends itself out: capture, context, tools."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from .bodies import Asked
from .capture import Capture, CaptureStatus
from .capture.cleaning import block_cleaner
from .capture.delivery import under_capture
from .config import InjectionConfig
from .driving import run_now
from .engine import Engine
from .errors import InputError
from .handles import StoreHandle
from .ledger import InMemoryLedger
from .ledger_records import Space
from .protocols import Ledger, TokenCounter
from .records import InjectionResult, Scope
from .rendering import RecalledContext
from .report_hooks import ReportHooks
from .scoping import Scoped
from .telemetry import Telemetry

if TYPE_CHECKING:
    from .tools import AddTool, MemoryTools, SearchTool

__all__ = ["Learning", "capture_for"]

logger = logging.getLogger("memory_injection")


class Learning(Scoped):
    """Base of :class:`MemoryManager`: what of it is not injection, search or writing."""

    injection: InjectionConfig
    name: str
    _capture: Capture
    _counter: TokenCounter | None
    _handles: list[StoreHandle]
    _report_hooks: ReportHooks
    _telemetry: Telemetry

    # Capture

    @property
    def captures(self) -> bool:
        """Tell whether any store learns from conversations (``extraction``)."""
        return self._capture.captures

    def capture_turn(
        self,
        request_body: Mapping[str, Any] | None = None,
        reply: Any = None,
        *,
        messages: Any = None,
        api: str | None = None,
        scope: Scope | Mapping[str, str] | None = None,
        base_scope: Scope | None = None,
    ) -> None:
        """Hand one model call to the stores that learn; returns at once.

        Every call of a turn may be handed in: the steps of a tool loop, retries and regenerates
        are one turn, stored once, with the final answer. A wrapped client does this by itself.

        Args:
            request_body: the whole request, with or without blocks in it; not changed.
            reply: the response, the assistant's message or its text, or what of it arrived.
            messages: the conversation alone, instead of a body.
            api: the request shape; detected when left out.
            scope: whose conversation; laid over the scope set by :meth:`scope`. Memories are
                written for its user and agent; the session goes into their metadata.
            base_scope: whose when nothing else says (a wrapped client's own scope).

        Raises:
            ConfigurationError: an unknown *api*, or a scope with an empty id.
        """
        owner = self.current_scope(scope, base_scope)
        self._capture.capture_turn(request_body, reply, messages=messages, api=api, scope=owner)

    def observe(
        self, role: str, text: str, *, scope: Scope | Mapping[str, str] | None = None
    ) -> None:
        """Take one message of a turn, the user's first, then the assistant's; returns at once.

        Raises:
            InputError: *role* is neither ``"user"`` nor ``"assistant"``, or *text* is no string.
        """
        self._capture.observe(role, text, scope=self.current_scope(scope))

    async def aobserve(
        self, role: str, text: str, *, scope: Scope | Mapping[str, str] | None = None
    ) -> None:
        """Async twin of :meth:`observe`."""
        self.observe(role, text, scope=scope)

    def flush(self, timeout: float | None = None) -> bool:
        """Wait until everything said so far is stored; tell whether it is.

        Args:
            timeout: most seconds to wait; None waits as long as the stores make progress.

        Raises:
            InputError: *timeout* is no number of seconds from 0.
        """
        return self._capture.flush(timeout)

    async def aflush(self, timeout: float | None = None) -> bool:
        """Async twin of :meth:`flush`."""
        return await self._capture.aflush(timeout)

    def capture_status(self) -> CaptureStatus:
        """Return how each store that learns keeps up: names and counts, no text."""
        return self._capture.status()

    def _ended(self, result: InjectionResult) -> InjectionResult:
        """Return the *result* of one injection for the caller, with ``on_report`` told of it."""
        result = self._noted(result)
        self._report_hooks.tell(result.report, self._time_left(result))
        return result

    async def _aended(self, result: InjectionResult) -> InjectionResult:
        """Async twin of :meth:`_ended`."""
        result = self._noted(result)
        await self._report_hooks.atell(result.report, self._time_left(result))
        return result

    def _time_left(self, result: InjectionResult) -> float:
        return self.injection.timeout - result.report.seconds

    def _noted(self, result: InjectionResult) -> InjectionResult:
        """Return *result* with what is wrong with capture in its report."""
        warnings = self._capture.warnings
        if not warnings:
            return result
        told = (*result.report.warnings, *warnings)
        return replace(result, report=replace(result.report, warnings=told))

    # Context for frameworks that ask for it

    def get_context(
        self,
        text: str,
        token_budget: int | None = None,
        *,
        scope: Scope | Mapping[str, str] | None = None,
    ) -> RecalledContext | None:
        """Return what memory holds on *text* as one block, or None.

        Args:
            text: the user's words.
            token_budget: most tokens of the block, tags included; None for the configured one.
            scope: whose memory.

        Raises:
            InputError: *text* is no string, or the budget is not a whole number above 0.
        """
        found = self._recall(token_budget).inject(self._ask(text, scope))
        return _context(self._ended(found))

    async def aget_context(
        self,
        text: str,
        token_budget: int | None = None,
        *,
        scope: Scope | Mapping[str, str] | None = None,
    ) -> RecalledContext | None:
        """Async twin of :meth:`get_context`."""
        found = await self._recall(token_budget).ainject(self._ask(text, scope))
        return _context(await self._aended(found))

    def _recall(self, token_budget: int | None) -> Engine:
        """Return an engine for one recall outside any conversation: nothing is in view yet."""
        if token_budget is not None and (
            isinstance(token_budget, bool) or not isinstance(token_budget, int) or token_budget < 1
        ):
            raise InputError(f"token_budget must be a whole number above 0, not {token_budget!r}")
        budget = self.injection.token_budget if token_budget is None else token_budget
        config = self.injection.model_copy(
            update={"token_budget": budget, "trigger": "userTurn", "placement": "user"}
        )
        return Engine(
            self._handles,
            config,
            name=self.name,
            ledger=InMemoryLedger(),
            counter=self._counter,
            telemetry=self._telemetry,
        )

    def _ask(self, text: str, scope: Scope | Mapping[str, str] | None) -> Asked:
        if not isinstance(text, str):
            raise InputError(f"text must be a string, not {text!r}")
        return Asked([{"role": "user", "content": text}], None, None, self.current_scope(scope))

    # Tools for the model

    def tools(
        self,
        *,
        search: bool | SearchTool | Mapping[str, Any] = True,
        add: bool | Sequence[str] | AddTool | Mapping[str, Any] = False,
        own: bool = True,
        scope: Scope | Mapping[str, str] | None = None,
    ) -> MemoryTools:
        """Return the tools a model may be given: ``search_memory`` and, if wished, ``add_memory``.

        Args:
            search: True, False, or settings (``SearchTool`` or a dict of its fields).
            add: False, True, names of the stores it may write to, or settings (``AddTool``).
            own: whether the stores' own tools are offered too.
            scope: whose memory; laid over the scope set by :meth:`scope` at each call.

        Raises:
            ConfigurationError: an unknown store, or an add tool with nothing to write to.
        """
        from .tools import MemoryTools

        return MemoryTools(self, search=search, add=add, own=own, scope=scope)


def capture_for(
    handles: Sequence[StoreHandle],
    injection: InjectionConfig,
    name: str,
    ledger: Ledger,
    extractor: Any = None,
) -> Capture:
    """Return the capture of one manager.

    Raises:
        ConfigurationError: a store with extraction on lacks what it needs.
    """
    prepared = {id(handle.store): handle.prepared for handle in handles}
    return Capture(
        [handle.store for handle in handles],
        cleaner=block_cleaner(
            {handle.name for handle in handles},
            "source" in injection.attributes,
            _known_blocks(injection, name, ledger),
        ),
        extractor=extractor,
        prepare=lambda store, work: prepared[id(store)](work),
    )


def _known_blocks(
    injection: InjectionConfig, name: str, ledger: Ledger
) -> Callable[[Scope], Sequence[str]]:
    """Return how to find the blocks of a scope by exact text; needed for custom formats alone."""
    texts = getattr(ledger, "texts", None)
    if injection.format is None or texts is None:
        return lambda scope: ()
    return lambda scope: run_now(lambda: texts(Space(name, scope)), 5.0).value or ()


def _context(result: InjectionResult) -> RecalledContext | None:
    block = result.block
    return None if block is None else RecalledContext(block.text, block.entries, block.tokens)


def inside_capture() -> bool:
    """Tell whether this code runs for capture: its own model calls carry no memory."""
    return under_capture.get()
