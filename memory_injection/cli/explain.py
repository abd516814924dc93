"""A report as tables for a person."""

from __future__ import annotations

from collections.abc import Iterator

from ..records import InjectedBlock
from ..report import EntryReport, InjectionReport
from .output import clean, show_table

__all__ = ["explain", "headline"]


def headline(report: InjectionReport) -> str:
    """Return the report's outcome in a line, e.g. ``skipped: nothing found``."""
    if report.status == "failed":
        return f"failed at {report.stage}: {report.error}"
    reason = (report.reason or "").replace("_", " ")
    detail = f" ({report.detail})" if report.detail else ""
    return f"{report.status}: {reason}{detail}" if reason else f"{report.status}{detail}"


def explain(report: InjectionReport, block: InjectedBlock | None) -> None:
    """Draw *report* on stderr: the outcome, the stores, what went in and what was left out."""
    show_table(["what", "value"], list(_facts(report)), title="memory", err=True)
    if report.stores:
        stores = [
            (
                s.name,
                s.status,
                str(s.hits),
                f"{s.seconds * 1000:.1f} ms",
                s.error or s.problem or "",
            )
            for s in report.stores
        ]
        show_table(["store", "status", ">hits", ">time", "trouble"], stores, err=True)
    rows = list(_entries(report, block))
    if rows:
        show_table(["entry", "store", ">score", "outcome", "text"], rows, err=True)


def _facts(report: InjectionReport) -> Iterator[tuple[str, str]]:
    budget = "" if report.token_budget is None else f" of {report.token_budget}"
    counter = f" ({report.counter})" if report.counter else ""
    yield "outcome", headline(report)
    yield "query", report.query or "-"
    yield "shape", report.dialect or "-"
    yield "model", report.model or "-"
    yield "scope", ", ".join(f"{k}={v}" for k, v in report.scope.items()) or "shared entries only"
    yield "tokens", f"{report.tokens}{budget}{counter}"
    if report.replayed_blocks:
        yield "earlier blocks", f"{report.replayed_blocks}, {report.carried_tokens} tokens"
    yield "time", f"{report.seconds * 1000:.1f} ms"
    for warning in report.warnings:
        yield "warning", warning


def _entries(
    report: InjectionReport, block: InjectedBlock | None
) -> Iterator[tuple[str, str, str, str, str]]:
    texts = [entry.content for entry in block.entries] if block else []
    shown = texts if len(texts) == len(report.entries) else [""] * len(report.entries)
    for entry, text in zip(report.entries, shown, strict=True):
        yield (*_where(entry), "injected", clean(text))
    for dropped in report.dropped:
        yield (*_where(dropped), dropped.reason.replace("_", " "), f"{dropped.length} characters")


def _where(entry: EntryReport) -> tuple[str, str, str]:
    score = "-" if entry.score is None else f"{entry.score:.3f}"
    return entry.id or "-", entry.store or "-", score
