"""Fit the best entries into the token budget and render the block."""

from __future__ import annotations

from collections.abc import Sequence

from ..protocols import TokenCounter
from ..records import FormatContext, InjectedBlock, MemoryEntry
from ..rendering import legal_text, render_block
from .effects import Call, Skip, StageFailed, Step, Trace
from .request import Request
from .retrieve import dropped_entry
from .standing import Standing
from .weighing import JOINT, guarded_counter, room_left, surely_above

__all__ = ["fit"]

# A token of the vocabularies in use covers at most 128 bytes, so a longer text cannot fit and
# need not be counted.
_BYTES_PER_TOKEN = 128


def fit(
    request: Request, standing: Standing, entries: Sequence[MemoryEntry], trace: Trace
) -> Step[InjectedBlock]:
    """Return the rendered block, never above the budget.

    Everything is tried at once; if that is too much, entry by entry: one that does not fit is
    skipped and the next is tried. What is compared with the budget is always the count of the
    whole rendered block, since counts of parts do not add up.

    Raises:
        Skip: nothing fits.
        StageFailed: the format callback failed.
    """
    if standing.counter is None:
        standing.counter = yield from guarded_counter(request, trace)
    counter = standing.counter
    budget = _budget(request, standing, counter)
    trace.counter, trace.budget = counter.name, budget
    packer = _Packer(request, counter, budget)
    block = yield from packer.attempt(entries)
    if block is None:
        block = yield from _one_by_one(packer, entries, trace)
    if not block.entries:
        raise Skip("budget", f"no entry fits into {budget} tokens")
    return block


def _one_by_one(
    packer: _Packer, entries: Sequence[MemoryEntry], trace: Trace
) -> Step[InjectedBlock]:
    block = InjectedBlock("")
    for entry in entries:
        grown = None
        if packer.may_fit(block, entry):
            grown = yield from packer.attempt([*block.entries, entry])
        if grown is None:
            trace.dropped.append(dropped_entry(entry, "budget"))
        else:
            block = grown
    return block


class _Packer:
    """Renders and counts candidates against one budget."""

    def __init__(self, request: Request, counter: TokenCounter, budget: int) -> None:
        self._request = request
        self._counter = counter
        self._budget = budget

    def may_fit(self, block: InjectedBlock, entry: MemoryEntry) -> bool:
        """Tell whether *entry* could fit beside *block*, without rendering."""
        if len(entry.content) > self._budget * _BYTES_PER_TOKEN:
            return False
        if surely_above(entry.content, self._budget + JOINT, self._counter):
            return False
        cost = self._counter.count(entry.content)
        return block.tokens + cost - JOINT <= self._budget

    def attempt(self, entries: Sequence[MemoryEntry]) -> Step[InjectedBlock | None]:
        """Return the block showing exactly *entries*, or None if it is above the budget."""
        limit = self._budget * _BYTES_PER_TOKEN
        if sum(len(entry.content) for entry in entries) > limit:
            return None
        text = yield from self._render(entries)
        if len(text) > limit or surely_above(text, self._budget, self._counter):
            return None
        tokens = self._counter.count(text)
        return InjectedBlock(text, tuple(entries), tokens) if tokens <= self._budget else None

    def _render(self, entries: Sequence[MemoryEntry]) -> Step[str]:
        request = self._request
        if request.config.format is None:
            return render_block(entries, request.config.attributes)
        context = FormatContext(tuple(entries), self._budget, request.model, request.scope)
        text = yield Call("format", request.config.format, (context,))
        if not isinstance(text, str) or not text.strip():
            kind = "blank text" if isinstance(text, str) else type(text).__name__
            raise StageFailed("format", TypeError(f"a format returns text, not {kind}"))
        # What is too long to fit is not worth cleaning; the caller of this drops it.
        return text if len(text) > self._budget * _BYTES_PER_TOKEN else legal_text(text)


def _budget(request: Request, standing: Standing, counter: TokenCounter) -> int:
    """Return the tokens a new block may have: the budget, or what the window leaves."""
    budget = request.config.token_budget
    room = room_left(request, counter, budget + standing.carried, standing.apart)
    return budget if room is None else max(0, min(budget, room - standing.carried))
