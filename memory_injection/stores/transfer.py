"""JSON lines: one entry a line, for moving memories between stores and for backups."""

from __future__ import annotations

import json
import os
import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from ..errors import InputError, MemoryInjectionError, StoreError
from ..records import Scope
from .drafts import Draft, draft_of, moment
from .writing import Written

__all__ = ["BrokenLine", "ImportReport", "Source", "Target", "export", "import_lines"]

_BATCH = 1_000
# Characters that some readers take for the end of a line, and those that UTF-8 cannot encode.
_ESCAPED = re.compile("[\x85\u2028\u2029\ud800-\udfff]")


class _Writer(Protocol):
    def write(self, text: str, /) -> Any: ...


Target: TypeAlias = "str | os.PathLike[str] | _Writer"
Source: TypeAlias = "str | os.PathLike[str] | Iterable[str]"


@dataclass(frozen=True, slots=True)
class BrokenLine:
    """A line that could not be read: its *number* from 1 and the *reason*."""

    number: int
    reason: str


@dataclass(slots=True)
class ImportReport:
    """What an import did.

    Attributes:
        added: entries that were new.
        updated: entries whose id was known and whose text or metadata differed.
        unchanged: entries that were there already.
        broken: lines that could not be read.
    """

    added: int = 0
    updated: int = 0
    unchanged: int = 0
    broken: list[BrokenLine] = field(default_factory=list)


def export(conn: sqlite3.Connection, owners: Sequence[tuple[int, str]], target: Target) -> int:
    """Write the entries of *owners* (row number and key) to *target*, oldest first."""
    keys = dict(owners)
    count = 0
    with _opened(target) as file:
        for row in conn.execute(
            "SELECT external, content, metadata, scope, created, updated FROM memory_entries"
            " ORDER BY id"
        ):
            key = keys.get(row[3])
            if key is None:
                continue
            entry: dict[str, Any] = {"id": row[0], "content": row[1]}
            if row[2]:
                entry["metadata"] = json.loads(row[2], parse_constant=_nothing)
            if key != "{}":
                entry["scope"] = json.loads(key)
            entry["created_at"] = moment(row[4]).isoformat()
            entry["updated_at"] = moment(row[5]).isoformat()
            line = json.dumps(entry, ensure_ascii=False)
            file.write(_ESCAPED.sub(_escape, line) + "\n")
            count += 1
    return count


def _escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"


def import_lines(
    source: Source,
    write: Callable[[Sequence[Draft]], Written],
    scope: Scope,
    progress: Callable[[int], None] | None = None,
) -> ImportReport:
    """Read *source* line by line and *write* it batch by batch."""
    report = ImportReport()
    batch: list[Draft] = []

    def flush(number: int) -> None:
        done = write(batch)
        report.added += done.added
        report.updated += done.updated
        report.unchanged += done.unchanged
        batch.clear()
        if progress is not None:
            progress(number)

    number = 0
    for number, line in enumerate(_lines(source), 1):
        if not line.strip():
            continue
        try:
            batch.append(_read(line, scope))
        except (MemoryInjectionError, ValueError, TypeError, RecursionError) as error:
            report.broken.append(BrokenLine(number, _reason(error)))
        if len(batch) >= _BATCH:
            flush(number)
    flush(number)
    return report


def _read(line: str, scope: Scope) -> Draft:
    entry = json.loads(line, parse_constant=_nothing)
    if not isinstance(entry, dict):
        raise InputError("a line must hold one JSON object")
    return draft_of(entry, scope)


def _nothing(name: str) -> None:
    """Read the NaN and Infinity of earlier versions' files, which are no JSON."""


def _reason(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"not JSON: {error.msg} at column {error.colno}"
    return str(error)


def _lines(source: Source) -> Iterator[str]:
    if not isinstance(source, (str, os.PathLike)):
        yield from source
        return
    try:
        # A byte that is no UTF-8 breaks its own line only.
        with open(source, encoding="utf-8-sig", errors="surrogateescape") as file:
            yield from file
    except OSError as error:
        raise StoreError(f"cannot read {os.fspath(source)!r}: {error.strerror}") from error


@contextmanager
def _opened(target: Target) -> Iterator[_Writer]:
    if not isinstance(target, (str, os.PathLike)):
        yield target
        return
    try:
        with open(target, "w", encoding="utf-8") as file:
            yield file
    except OSError as error:
        raise StoreError(f"cannot write {os.fspath(target)!r}: {error.strerror}") from error
