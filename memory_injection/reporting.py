"""From the outcome of a flow to the report the caller sees."""

from __future__ import annotations

from .pipeline.effects import describe
from .pipeline.flow import Outcome
from .records import InjectedBlock, MemoryEntry, Scope
from .report import EntryReport, InjectionReport, Reason, Stage, Status

__all__ = ["failed_report", "report_of", "skipped_report"]


def report_of(
    outcome: Outcome, *, seconds: float, model: str | None, dialect: str, scope: Scope
) -> InjectionReport:
    """Return the report of a flow that ran to its end."""
    trace, standing, failure = outcome.trace, outcome.standing, outcome.failure
    troubled = failure or trace.failed
    return InjectionReport(
        status=_status(outcome),
        reason=outcome.skip.reason if outcome.skip else None,
        detail=outcome.skip.detail if outcome.skip else None,
        stage=troubled.stage if troubled else None,
        error=troubled.describe() if troubled else None,
        warnings=tuple(trace.warnings),
        query=trace.query,
        stores=trace.stores,
        entries=_entries(outcome.block) if outcome.fresh else (),
        dropped=tuple(trace.dropped),
        tokens=outcome.block.tokens if outcome.block else 0,
        token_budget=trace.budget,
        counter=trace.counter,
        replayed_blocks=standing.blocks,
        carried_tokens=standing.carried + standing.met,
        seconds=seconds,
        model=model,
        dialect=dialect,
        scope=scope.ids(),
    )


def _status(outcome: Outcome) -> Status:
    if outcome.fresh:
        return "injected"
    if outcome.failure is not None:
        return "failed"
    return "replayed" if outcome.standing.blocks else "skipped"


def _entries(block: InjectedBlock | None) -> tuple[EntryReport, ...]:
    return tuple(map(_entry, block.entries)) if block else ()


def _entry(entry: MemoryEntry) -> EntryReport:
    return EntryReport(
        store=entry.store_name, id=entry.id, score=entry.score, length=len(entry.content)
    )


def skipped_report(
    reason: Reason, detail: str, *, seconds: float, model: str | None, scope: Scope
) -> InjectionReport:
    """Return the report of a call that was left alone."""
    return InjectionReport(
        status="skipped", reason=reason, detail=detail, seconds=seconds, model=model,
        scope=scope.ids(),
    )  # fmt: skip


def failed_report(
    stage: Stage, error: BaseException, *, seconds: float, model: str | None, scope: Scope
) -> InjectionReport:
    """Return the report of a call that went out as it came because something broke."""
    return InjectionReport(
        status="failed", stage=stage, error=describe(error), seconds=seconds, model=model,
        scope=scope.ids(),
    )  # fmt: skip
