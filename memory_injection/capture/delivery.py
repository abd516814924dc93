"""Hands one batch of turns to one store: filter, extract, write; picks up where it failed."""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextvars import Context, ContextVar
from dataclasses import dataclass, field
from typing import Any

from ..driving import run_now
from ..errors import FactRefused, InputError
from ..records import MemoryEntry, Scope, read_entry
from .bindings import Binding, accepts, called_with
from .config import MessageFilter
from .records import AddMessagesContext, Message, Turn

__all__ = ["Batch", "Delivery", "under_capture"]

logger = logging.getLogger("memory_injection.capture")

under_capture: ContextVar[bool] = ContextVar("memory_injection_under_capture", default=False)
"""True inside an extractor or a store's write: what a model says there is not captured again."""


MARKS = 10_000
"""Conversations whose high-water mark is kept; a number is never given twice, so losing one
costs nothing but the guard."""


@dataclass(slots=True, eq=False)
class Batch:
    """Turns of one conversation on their way to a store.

    Attributes:
        turns: what is handed over; all of one scope.
        entries: what the extractor made of them and is not written yet; None before it ran. Kept
            over retries, so that a failing write does not ask the model again.
    """

    turns: tuple[Turn, ...]
    entries: list[MemoryEntry] | None = None


@dataclass(slots=True)
class Delivery:
    """Hands batches to the store of one binding.

    Attributes:
        binding: the store and its settings.
        clean: given a text and the caller's scope, returns it without injected blocks.
        capture_id: unique to this capture; with a sequence number it recognises a duplicate.
        delivered: messages handed over so far.
        written: entries written so far.
        rejected: entries nobody could store.
        marks: per conversation, the number of the last message handed over.
    """

    binding: Binding
    clean: Callable[[str, Scope], str]
    capture_id: str
    delivered: int = 0
    written: int = 0
    rejected: int = 0
    marks: OrderedDict[Scope, int] = field(default_factory=OrderedDict)

    def deliver(self, batch: Batch) -> None:
        """Hand *batch* over.

        Raises:
            Exception: whatever the extractor or the store raised; deliver it again later.
        """
        said = list(self._kept(batch))
        if not said:
            return
        if self.binding.config.extractor is None:
            self._add_messages(batch, said)
        else:
            self._add_entries(batch, [message for _, message in said])
        self.delivered += len(said)
        self._mark(said[-1])

    def run(self, work: Callable[[], Any], context: Context) -> Any:
        """Run foreign code, sync or async, in the caller's *context* and within the timeout.

        Raises:
            Exception: what *work* raised, or TimeoutError.
        """
        # A context cannot be entered twice at a time; the copy also keeps the mark to ourselves.
        inside = context.copy()
        inside.run(under_capture.set, True)
        return inside.run(run_now, work, self.binding.config.timeout, True).unwrap()

    def _kept(self, batch: Batch) -> Iterator[tuple[Turn, Message]]:
        keep = self.binding.config.filter
        for turn in batch.turns:
            mark = self.marks.get(turn.scope, -1)
            for message in turn.messages:
                new = message.number > mark and message.text
                if new and self._keeps(keep, message, turn):
                    yield turn, message

    def _mark(self, last: tuple[Turn, Message]) -> None:
        turn, message = last
        self.marks[turn.scope] = message.number
        self.marks.move_to_end(turn.scope)
        while len(self.marks) > MARKS:
            self.marks.popitem(last=False)

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
            self.rejected += 1
            return False

    def _add_messages(self, batch: Batch, said: list[tuple[Turn, Message]]) -> None:
        last = batch.turns[-1]
        context = AddMessagesContext(
            sequence_numbers=[message.number for _, message in said],
            turn_keys=[turn.key for turn, _ in said],
            scope=last.owner,
            session=last.scope.session,
            capture_id=self.capture_id,
        )
        add = self.binding.store.add_messages
        blocks = [message.blocks() for _, message in said]
        self.run(lambda: called_with(add, blocks, context), last.context)

    def _add_entries(self, batch: Batch, messages: list[Message]) -> None:
        if batch.entries is None:
            batch.entries = self._extracted(batch, messages)
        numbers = messages[0].number, messages[-1].number
        while batch.entries:
            self._add(batch.entries[0], batch.turns[-1], numbers)
            del batch.entries[0]

    def _extracted(self, batch: Batch, messages: list[Message]) -> list[MemoryEntry]:
        extractor = self.binding.config.extractor
        if callable(extractor):
            plain = [message.plain() for message in messages]
            found = self.run(lambda: extractor(plain), batch.turns[-1].context)
        else:
            blocks = [message.blocks() for message in messages]
            found = self.run(lambda: extractor.extract(blocks), batch.turns[-1].context)
        entries: dict[str, MemoryEntry] = {}
        for one in _listed(found):
            entry = read_entry(one)
            content = (
                "" if entry is None else self.clean(entry.content, batch.turns[-1].scope).strip()
            )
            if entry is None or not content:
                self.rejected += 1
            else:
                entries.setdefault(content, entry)
        return [MemoryEntry(content, metadata=e.metadata) for content, e in entries.items()]

    def _add(self, entry: MemoryEntry, turn: Turn, numbers: tuple[int, int]) -> None:
        add = self.binding.store.add
        metadata = {
            **(entry.metadata or {}),
            "turn_key": turn.key,
            "sequence_first": numbers[0],
            "sequence_last": numbers[1],
            "capture_id": self.capture_id,
        }
        if turn.scope.session is not None:
            metadata.setdefault("session", turn.scope.session)
        keywords: dict[str, Any] = {}
        if accepts(add, "scope"):
            keywords["scope"] = turn.owner
        elif turn.owner.ids():
            metadata["scope"] = turn.owner.ids()
        try:
            self.run(lambda: add(entry.content, metadata=metadata, **keywords), turn.context)
        except (InputError, FactRefused) as error:
            # The store says this text can never go in: asking again would hold up all others.
            self.rejected += 1
            logger.warning(
                "store %s refused an extracted entry of %d characters: %s",
                self.binding.name, len(entry.content), type(error).__name__,
            )  # fmt: skip
        else:
            self.written += 1


def _listed(found: Any) -> Iterable[Any]:
    """Return what an extractor gave as entries: one alone, several, or none."""
    if found is None:
        return ()
    if isinstance(found, (str, Mapping)) or getattr(found, "content", None) is not None:
        return (found,)
    return found if isinstance(found, Iterable) else (None,)
