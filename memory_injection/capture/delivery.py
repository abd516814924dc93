"""Hands one batch of turns to one store: what passes the filter, once, past the mark."""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextvars import Context, ContextVar
from typing import Any, TypeAlias

from ..driving import run_now
from ..records import Scope
from .bindings import Binding
from .cleaning import Cleaner
from .config import MessageFilter
from .records import Message, Turn
from .sinks import Batch, Tally, sink_for

__all__ = ["Delivery", "Prepare", "under_capture"]

logger = logging.getLogger("memory_injection.capture")

under_capture: ContextVar[bool] = ContextVar("memory_injection_under_capture", default=False)
"""True inside an extractor or a store's write: what a model says there is not captured again."""

MARKS = 10_000
"""Conversations whose high-water mark is kept; a number is never given twice, so losing one
costs nothing but the guard."""

Prepare: TypeAlias = Callable[[Any, Callable[[], Any]], Callable[[], Any]]


class Delivery:
    """Hands batches to the store of one binding.

    Args:
        binding: the store and its settings.
        cleaner: given a scope, returns what takes injected blocks out of a text.
        capture_id: unique to this capture; with a sequence number it recognises a duplicate.
        prepare: given a store and the work of one call to it, returns work that makes the store
            ready first.

    Attributes:
        tally: what is counted.
        marks: per conversation, the number of the last message handed over.
    """

    def __init__(
        self,
        binding: Binding,
        cleaner: Cleaner,
        capture_id: str,
        prepare: Prepare | None = None,
    ) -> None:
        """Choose the way into the store."""
        self.binding = binding
        self.tally = Tally()
        self.marks: OrderedDict[Scope, int] = OrderedDict()
        self._prepare = prepare
        self._sink = sink_for(
            binding, run=self.run, write=self._write, cleaner=cleaner, capture_id=capture_id,
            tally=self.tally,
        )  # fmt: skip

    def deliver(self, batch: Batch) -> None:
        """Hand *batch* over.

        Raises:
            Exception: whatever the extractor or the store raised; deliver it again later.
        """
        said = list(self._kept(batch))
        if said:
            self._sink.take(batch, said)
            self.tally.delivered += len(said)
            self._mark(*said[-1])

    def run(self, work: Callable[[], Any], context: Context) -> Any:
        """Run foreign code, sync or async, in the caller's *context* and within the timeout.

        Raises:
            Exception: what *work* raised, or TimeoutError.
        """
        # A context cannot be entered twice at a time; the copy also keeps the mark to ourselves.
        inside = context.copy()
        inside.run(under_capture.set, True)
        return inside.run(run_now, work, self.binding.config.timeout, True).unwrap()

    def _write(self, work: Callable[[], Any], context: Context) -> Any:
        prepare = self._prepare
        return self.run(work if prepare is None else prepare(self.binding.store, work), context)

    def _kept(self, batch: Batch) -> Iterator[tuple[Turn, Message]]:
        keep = self.binding.config.filter
        for turn in batch.turns:
            mark = self.marks.get(turn.scope, -1)
            for message in turn.messages:
                new = message.number > mark and message.text
                if new and self._keeps(keep, message, turn):
                    yield turn, message

    def _keeps(self, keep: Any, message: Message, turn: Turn) -> bool:
        if isinstance(keep, MessageFilter):
            return keep.keeps(message)
        try:
            return bool(self.run(lambda: keep(message.plain()), turn.context))
        except Exception as error:
            # A filter guards what may be stored: when it cannot say, nothing is.
            logger.warning(
                "store %s: the filter failed, a message is left out: %s",
                self.binding.name, type(error).__name__,
            )  # fmt: skip
            self.tally.rejected += 1
            return False

    def _mark(self, turn: Turn, message: Message) -> None:
        self.marks[turn.scope] = message.number
        self.marks.move_to_end(turn.scope)
        while len(self.marks) > MARKS:
            self.marks.popitem(last=False)
