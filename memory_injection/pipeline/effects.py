"""What a step may ask of its driver, and how a step ends early."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeVar

from ..records import MemoryEntry
from ..report import DroppedEntry, Reason, Stage, StoreReport

__all__ = ["Call", "Effect", "Retrieve", "Skip", "StageFailed", "Step", "StoreAnswer", "Trace"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Call:
    """Ask the driver to call *function* with *args* and send back its (awaited) result.

    Attributes:
        stage: named in the report if it fails.
        blocking: True if a sync function may block; it then runs in a worker thread under the
            deadline instead of in the caller's thread.
        share: share of the remaining time it may take, 0..1.
    """

    stage: Stage
    function: Callable[..., Any]
    args: tuple[Any, ...] = ()
    blocking: bool = False
    share: float = 1.0


@dataclass(frozen=True, slots=True)
class Retrieve:
    """Ask the driver to search every store at once; it sends back one answer per store.

    Attributes:
        query: what to search for; None asks for pinned entries only.
        context: the turns before a short ask, "" if there are none to add.
    """

    query: str | None
    context: str = ""


Effect: TypeAlias = "Call | Retrieve"
Step: TypeAlias = Generator[Effect, Any, T]


@dataclass(frozen=True, slots=True)
class StoreAnswer:
    """What one store gave: entries best first, pinned ones apart."""

    report: StoreReport
    entries: tuple[MemoryEntry, ...] = ()
    pinned: tuple[MemoryEntry, ...] = ()


class StageFailed(Exception):
    """A step could not do its work; the request goes out without a new block."""

    def __init__(self, stage: Stage, error: BaseException) -> None:
        """Keep the *stage* and the *error*."""
        self.stage = stage
        self.error = error
        super().__init__(stage)

    def describe(self) -> str:
        """Return ``Type: message`` on one line, bounded."""
        return describe(self.error)


class Skip(Exception):
    """A step decided that there is no new block, and why."""

    def __init__(self, reason: Reason, detail: str | None = None) -> None:
        """Keep the *reason* and one line of *detail* for a person."""
        self.reason: Reason = reason
        self.detail = detail
        super().__init__(reason)


def describe(error: BaseException) -> str:
    """Return ``Type: first line of the message``, at most 300 characters."""
    try:
        message = str(error)[:1000]
    except Exception:
        message = "(its message cannot be read)"
    lines = message.splitlines()
    return f"{type(error).__name__}: {lines[0] if lines else ''}"[:300].rstrip(": ")


@dataclass(slots=True)
class Trace:
    """What is noted on the way, for the report."""

    query: str | None = None
    stores: tuple[StoreReport, ...] = ()
    dropped: list[DroppedEntry] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    counter: str | None = None
    budget: int | None = None
    failed: StageFailed | None = None

    def survive(self, failure: StageFailed) -> None:
        """Note a failure that the call goes on after."""
        self.failed = self.failed or failure
        self.warnings.append(f"{failure.stage}: {failure.describe()}")
