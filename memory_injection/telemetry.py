"""Logs always, OpenTelemetry spans and counters when it is installed.

Both carry names, counts and lengths, never memory text, unless ``log_content`` is switched on.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import lru_cache
from types import TracebackType
from typing import Any

from .records import InjectionResult

__all__ = ["ATTRIBUTES", "CONTENT", "COUNTERS", "EVENT", "SPAN", "Telemetry"]

_LOG = logging.getLogger("memory_injection")
_NAME = "memory_injection"
SPAN = "memory.inject"
"""The span around one injection; that of a call left alone is short."""
ATTRIBUTES = {
    "manager": "name of the manager",
    "status": "`injected`, `replayed`, `skipped` or `failed`, as in the report",
    "reason": "why there is no new block",
    "stage": "the step that failed, also where that was survived",
    "error": "type of what failed, without its message",
    "warnings": "how many warnings the report holds",
    "entries": "memories in the new block",
    "dropped": "memories left out",
    "tokens": "of the block standing in the latest user message",
    "replayed": "earlier blocks in the request",
    "seconds": "of the whole injection",
    "stores": "each store as `name:status:hits`, joined by commas",
    "model": "the model asked for",
    "dialect": "the request shape",
}
"""What a log line says of one injection; a span has it with ``memory.`` before each name."""
CONTENT = {
    "query": "what was searched for",
    "block": "the text of the block",
    "detail": "the message of what failed",
}
"""What is added under ``log_content=True``: it holds what people said, or memory text."""
EVENT = ("memory.store", ("name", "status", "hits", "seconds"))
"""One event of the span per store asked, and what each says as ``memory.store.<name>``."""
COUNTERS = {
    "memory.injections": ("", "Injections by status", ("memory.manager", "memory.status")),
    "memory.tokens": ("{token}", "Tokens of new blocks", ("memory.manager",)),
}
"""Counters by name: unit, meaning and attributes."""

_NO_SPAN: AbstractContextManager[Any] = nullcontext()


class Telemetry:
    """Where one manager tells what it did."""

    def __init__(self, manager: str, log_content: bool = False) -> None:
        """Speak for the manager called *manager*; memory text only with *log_content*."""
        self._manager = manager
        self._log_content = log_content

    def span(self) -> AbstractContextManager[Any]:
        """Open a span around one injection; None where nobody listens to OpenTelemetry."""
        tracer = _tracer()
        if tracer is None:
            return _NO_SPAN
        return _Span(
            lambda: tracer.start_as_current_span(SPAN, attributes={"memory.manager": self._manager})
        )

    def injected(self, span: Any, result: InjectionResult) -> None:
        """Tell of one injection; a logger or exporter that fails does not fail the call."""
        try:
            self._tell(span, result)
        except Exception as error:
            _complain(error)

    def _tell(self, span: Any, result: InjectionResult) -> None:
        report = result.report
        if span is not None and span.is_recording():
            self._fill(span, result)
        self._count(result)
        level = logging.WARNING if report.status == "failed" or report.warnings else logging.DEBUG
        if not _LOG.isEnabledFor(level):
            return
        told = self._told(result)
        text = " ".join(f"{name}={value}" for name, value in told.items() if value is not None)
        _LOG.log(level, "injection %s", text, extra={"memory": told})

    def _told(self, result: InjectionResult) -> dict[str, Any]:
        report = result.report
        told: dict[str, Any] = {
            "manager": self._manager,
            "status": report.status,
            "reason": report.reason,
            "stage": report.stage,
            "error": _kind(report.error),
            "warnings": len(report.warnings) or None,
            "entries": len(report.entries),
            "dropped": len(report.dropped),
            "tokens": report.tokens,
            "replayed": report.replayed_blocks,
            "seconds": round(report.seconds, 4),
            "stores": ",".join(f"{s.name}:{s.status}:{s.hits}" for s in report.stores) or None,
            "model": report.model,
            "dialect": report.dialect,
        }
        if self._log_content:
            told["query"] = report.query
            told["block"] = result.block.text if result.block else None
            told["detail"] = report.error
        return told

    def _fill(self, span: Any, result: InjectionResult) -> None:
        for name, value in self._told(result).items():
            if value is not None:
                span.set_attribute(f"memory.{name}", value)
        for store in result.report.stores:
            event, told = EVENT
            span.add_event(event, {f"{event}.{name}": getattr(store, name) for name in told})

    def _count(self, result: InjectionResult) -> None:
        counters = _counters()
        if counters is None:
            return
        injections, tokens = counters
        report = result.report
        injections.add(1, {"memory.manager": self._manager, "memory.status": report.status})
        if report.status == "injected":
            tokens.add(report.tokens, {"memory.manager": self._manager})


class _Span(AbstractContextManager[Any]):
    """A span whose own trouble (a processor, a sampler) stays inside it."""

    def __init__(self, open_span: Callable[[], AbstractContextManager[Any]]) -> None:
        self._open = open_span
        self._opened: AbstractContextManager[Any] | None = None

    def __enter__(self) -> Any:
        try:
            opened = self._open()
            span = opened.__enter__()
        except Exception as error:
            _complain(error)
            return None
        self._opened = opened
        return span

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._opened is None:
            return
        try:
            self._opened.__exit__(kind, error, trace)
        except Exception as trouble:
            _complain(trouble)


def _complain(error: Exception) -> None:
    with suppress(Exception):  # it may be the logger itself that fails
        _LOG.warning("telemetry_failed error=%s", type(error).__name__)


def _kind(error: str | None) -> str | None:
    """Return the type of an error alone: its message may quote memory text."""
    return error.partition(":")[0] if error else None


def _tracer() -> Any:
    """Return a tracer if somebody listens: an SDK is installed and set up."""
    trace = _opentelemetry()
    if trace is None or isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider):
        return None
    return trace.get_tracer(_NAME)


@lru_cache(maxsize=1)
def _opentelemetry() -> Any:
    try:
        from opentelemetry import trace
    except ImportError:
        return None
    return trace


@lru_cache(maxsize=1)
def _counters() -> tuple[Any, Any] | None:
    try:
        from opentelemetry import metrics
    except ImportError:
        return None
    meter = metrics.get_meter(_NAME)
    injections, tokens = (
        meter.create_counter(name, unit=unit, description=meaning)
        for name, (unit, meaning, _) in COUNTERS.items()
    )
    return injections, tokens
