"""A recalled context: entries packed into one block that fits its budget."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence

from ..errors import InputError
from ..forks import Lock
from ..protocols import TokenCounter
from ..records import MemoryEntry, Scope
from ..rendering import RecalledContext, render_block

__all__ = ["TurnMemory", "check_budget", "pack"]

_TURNS = 1024  # conversations whose current turn is remembered; the oldest go first


def pack(
    entries: Sequence[MemoryEntry], budget: int, counter: TokenCounter
) -> RecalledContext | None:
    """Show as many of *entries*, in order, as fit *budget* together; None if none fits.

    One that does not fit is passed over and the next is tried. The whole block is counted each
    time, tags included, because token counts do not add up.
    """
    shown: list[MemoryEntry] = []
    best: RecalledContext | None = None
    for entry in entries:
        # Rendered afresh each time: escaping makes the size of a text hard to foresee.
        text = render_block([*shown, entry])
        tokens = counter.count(text)
        if tokens <= budget:
            shown.append(entry)
            best = RecalledContext(text, tuple(shown), tokens)
    return best


def check_budget(value: object, default: int) -> int:
    """Return the budget asked for, or *default* for None.

    Raises:
        InputError: not a whole number, or negative.
    """
    if value is None:
        return default
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise InputError(f"token_budget must be a whole number from 0, not {value!r}")
    return value


class TurnMemory:
    """What was recalled in each conversation's current turn, so that a tool loop sees it again.

    Between ``start`` and ``end`` of a turn the same ask gets the same bytes, whatever happens to
    the files meanwhile: the request keeps its prefix.
    """

    def __init__(self) -> None:
        """Start with no turn open."""
        self._open: OrderedDict[Scope, dict[tuple[str, int], RecalledContext | None]] = (
            OrderedDict()
        )
        self._lock = Lock()

    def start(self, scope: Scope) -> None:
        """Open a new turn of this scope, forgetting the one before."""
        with self._lock:
            self._open.pop(scope, None)
            self._open[scope] = {}
            while len(self._open) > _TURNS:
                self._open.popitem(last=False)

    def end(self, scope: Scope) -> None:
        """Close the scope's turn."""
        with self._lock:
            self._open.pop(scope, None)

    def drop(self, concerns: Callable[[Scope], bool]) -> None:
        """Forget the open turns of the scopes that *concerns* names."""
        with self._lock:
            for scope in [scope for scope in self._open if concerns(scope)]:
                del self._open[scope]

    def get(self, scope: Scope, key: tuple[str, int]) -> tuple[bool, RecalledContext | None]:
        """Return whether the open turn has recalled *key*, and what."""
        with self._lock:
            found = self._open.get(scope, {})
            return key in found, found.get(key)

    def put(self, scope: Scope, key: tuple[str, int], context: RecalledContext | None) -> None:
        """Keep *context* for the rest of the turn, if one is open."""
        with self._lock:
            if scope in self._open:
                self._open[scope][key] = context
