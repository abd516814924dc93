"""What a ledger keeps: one record per block written."""

from __future__ import annotations

from dataclasses import dataclass

from .arguments import checked_count
from .errors import ConfigurationError
from .records import Scope

__all__ = ["LedgerRecord", "Shown", "Space", "check_bounds", "gives_way"]


@dataclass(frozen=True, slots=True)
class Space:
    """Where records live: one manager and one scope never meet another."""

    manager: str
    scope: Scope


@dataclass(frozen=True, slots=True)
class Shown:
    """One memory a block shows; what duplicates are recognised by."""

    source: str | None
    content: str


@dataclass(frozen=True, slots=True)
class LedgerRecord:
    """One block and where it stands.

    Attributes:
        anchor: key of the conversation up to and including the message it stands in.
        step: key of the whole conversation when it was written; equal to *anchor* unless it was
            written further on in a tool loop.
        text: the exact bytes, as text.
        shown: the memories in it.
        tokens: its size.
        written_at: seconds since 1970.
        dropped: step keys at which ``carry_budget`` stopped carrying it; in a conversation that
            holds one of them the block is not written again.
        counter: name of the token counter that weighed it; "" if unknown. With another one (the
            model was changed) it is weighed anew.
    """

    anchor: bytes
    step: bytes
    text: str
    shown: tuple[Shown, ...] = ()
    tokens: int = 0
    written_at: float = 0.0
    dropped: tuple[bytes, ...] = ()
    counter: str = ""


def gives_way(
    standing: LedgerRecord, replaces: LedgerRecord | None, now: float, max_age: float
) -> bool:
    """Tell whether a new record takes the place of the *standing* one.

    It does if that is too old to count, or is the very record the caller means to replace.
    """
    if standing.written_at < now - max_age:
        return True
    return replaces is not None and (standing.text, standing.written_at) == (
        replaces.text,
        replaces.written_at,
    )


def check_bounds(*, max_age: float, **counts: int) -> None:
    """Check the bounds of a ledger.

    Raises:
        ConfigurationError: one is not above 0: it would silently keep nothing. Or a count of
            records is no whole number.
    """
    for name, value in {**counts, "max_age": max_age}.items():
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not value > 0:
            raise ConfigurationError(f"{name} must be above 0, not {value!r}")
    for name, value in counts.items():
        checked_count(name, value)
