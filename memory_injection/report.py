"""What happened in one injection and why, as JSON-serialisable values."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, fields
from typing import Any, Literal

__all__ = ["DroppedEntry", "EntryReport", "InjectionReport", "StoreReport"]

Status = Literal["injected", "replayed", "skipped", "failed"]
Reason = Literal[
    "trigger",
    "no_query",
    "nothing_found",
    "below_floor",
    "all_duplicates",
    "budget",
    "disabled",
    "unknown_shape",
    "no_user_message",
]
Stage = Literal[
    "read", "trigger", "query", "retrieve", "merge", "hook", "counter", "format", "ledger", "write"
]
StoreStatus = Literal["ok", "empty", "timeout", "error", "open"]
DropReason = Literal["scope", "below_floor", "shown", "duplicate", "max_entries", "budget"]


def _plain(value: Any) -> Any:
    if isinstance(value, _Record):
        return value.to_dict()
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return dict(value) if isinstance(value, dict) else value


class _Record:
    """A value that turns into JSON."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the record as JSON-serialisable values, every field by name."""
        return {f.name: _plain(getattr(self, f.name)) for f in fields(self)}  # type: ignore[arg-type]

    def to_json(self) -> str:
        """Return the record as one line of JSON."""
        line = json.dumps(self.to_dict(), ensure_ascii=False)
        # A lone surrogate cannot be sent anywhere; escaped, it is JSON all the same.
        return line.encode("utf-8", "backslashreplace").decode()


@dataclass(frozen=True, slots=True)
class StoreReport(_Record):
    """How one store answered.

    Attributes:
        name: the store.
        status: ``ok``, ``empty``, ``timeout``, ``error`` or ``open`` (its circuit is open, or too
            many of its calls are still running: it was not asked).
        hits: entries it returned.
        seconds: wall time until it answered or was given up.
        error: ``Type: message`` when it failed.
        problem: what the store says was wrong with its answer to this call, e.g. that it searched
            by words alone; None if it says nothing.
    """

    name: str
    status: StoreStatus
    hits: int = 0
    seconds: float = 0.0
    error: str | None = None
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class EntryReport(_Record):
    """One entry that went into the block: names and sizes, no text.

    Attributes:
        store: the store it came from.
        id: the store's own id.
        score: on the store's own scale.
        length: characters of its text.
    """

    store: str | None = None
    id: str | None = None
    score: float | None = None
    length: int = 0


@dataclass(frozen=True, slots=True)
class DroppedEntry(EntryReport):
    """One entry that was left out, and why.

    Attributes:
        reason: ``scope`` (written for somebody else), ``below_floor`` (noise), ``shown`` (already
            in view), ``duplicate`` (equal or near-equal to another entry), ``max_entries`` (past
            the cap) or ``budget`` (did not fit).
    """

    reason: DropReason = "duplicate"


@dataclass(frozen=True, slots=True)
class InjectionReport(_Record):
    """What happened in one injection and why.

    Attributes:
        status: ``injected`` (a new block), ``replayed`` (only earlier blocks), ``skipped`` (no
            block; see ``reason``) or ``failed`` (see ``stage`` and ``error``).
        reason: why there is no new block, for ``skipped`` and ``replayed``.
        detail: one line for a person, e.g. which rule of the trigger said no.
        stage: the step that failed, also when the failure was survived.
        error: ``Type: message`` of what failed.
        warnings: trouble that was survived (a callback that failed and was replaced, ...).
        query: the query searched with.
        stores: one line per store asked.
        entries: what went into the new block.
        dropped: what was left out, with reasons.
        tokens: tokens of the block standing in the latest user message.
        token_budget: the budget that applied, after window and reserve.
        counter: the token counter used, e.g. ``"o200k_base"``.
        replayed_blocks: earlier blocks written again or found in place.
        carried_tokens: tokens of all earlier blocks in the request.
        seconds: wall time of the whole injection.
        model: the model asked for.
        dialect: the request shape.
        scope: the caller's ids.
    """

    status: Status
    reason: Reason | None = None
    detail: str | None = None
    stage: Stage | None = None
    error: str | None = None
    warnings: tuple[str, ...] = ()
    query: str | None = None
    stores: tuple[StoreReport, ...] = ()
    entries: tuple[EntryReport, ...] = ()
    dropped: tuple[DroppedEntry, ...] = ()
    tokens: int = 0
    token_budget: int | None = None
    counter: str | None = None
    replayed_blocks: int = 0
    carried_tokens: int = 0
    seconds: float = 0.0
    model: str | None = None
    dialect: str | None = None
    scope: dict[str, str] = field(default_factory=dict)

    def model_dump(self, **_: Any) -> dict[str, Any]:
        """Return :meth:`to_dict`, under the name that pydantic users look for."""
        return self.to_dict()

    def model_dump_json(self, **_: Any) -> str:
        """Return :meth:`to_json`, under the name that pydantic users look for."""
        return self.to_json()
