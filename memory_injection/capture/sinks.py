"""The ways into a store: entries, raw messages, or whole turns."""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from contextvars import Context
from dataclasses import dataclass
from typing import Any, Protocol

from ..entries import read_entry
from ..errors import FactRefused, InputError, StoreError
from ..records import MemoryEntry
from ..signatures import accepts
from .bindings import Binding, called_with
from .cleaning import Cleaner
from .records import AddMessagesContext, Message, Turn

__all__ = ["Batch", "Run", "Said", "Sink", "Tally", "sink_for"]

logger = logging.getLogger("memory_injection.capture")

Said = list[tuple[Turn, Message]]


class Run(Protocol):
    """Runs foreign code, sync or async, in a context and within a timeout."""

    def __call__(self, work: Callable[[], Any], context: Context) -> Any:
        """Return what *work* gives; raise what it raises, or TimeoutError."""
        ...


@dataclass(slots=True, eq=False)
class Batch:
    """Turns of one conversation on their way to a store.

    Attributes:
        turns: what is handed over; all of one scope.
        entries: what the extractor made of them and is not written yet; None before it ran. Kept
            over retries, so that a failing write does not ask the model again.
        done: turns handed over already, for sinks that take one turn at a time.
    """

    turns: tuple[Turn, ...]
    entries: list[MemoryEntry] | None = None
    done: int = 0

    @property
    def begun(self) -> bool:
        """Tell whether something of it may have reached the store."""
        return self.entries is not None or self.done > 0


@dataclass(slots=True)
class Tally:
    """Counts of one store since construction.

    Attributes:
        delivered: messages handed over.
        written: entries written.
        rejected: entries nobody could store.
    """

    delivered: int = 0
    written: int = 0
    rejected: int = 0


@dataclass(slots=True)
class Sink(ABC):
    """One way into the store of *binding*; subclasses say how.

    Attributes:
        binding: the store and its settings.
        run: runs foreign code.
        write: runs a method of the store, once the store is ready.
        cleaner: given a scope, returns what takes injected blocks out of a text.
        capture_id: unique to this capture.
        tally: what is counted.
    """

    binding: Binding
    run: Run
    write: Run
    cleaner: Cleaner
    capture_id: str
    tally: Tally

    @abstractmethod
    def take(self, batch: Batch, said: Said) -> None:
        """Hand *said*, what of *batch* passed the filter, to the store.

        Raises:
            Exception: whatever foreign code raised; take it again later.
        """


class Messages(Sink):
    """Raw messages into ``add_messages``."""

    def take(self, batch: Batch, said: Said) -> None:
        """Hand all messages over at once, with their numbers."""
        last = batch.turns[-1]
        context = AddMessagesContext(
            sequence_numbers=[message.number for _, message in said],
            turn_keys=[turn.key for turn, _ in said],
            scope=last.owner,
            session=last.scope.session,
            capture_id=self.capture_id,
            positions=[message.place for _, message in said],
        )
        add = self.binding.store.add_messages
        blocks = [{**message.blocks(), "id": turn.ident(message)} for turn, message in said]
        keywords = {"scope": last.owner} if accepts(add, "scope") else {}
        self.write(lambda: called_with(add, blocks, context, **keywords), last.context)


class Entries(Sink):
    """What the extractor finds, into ``add``."""

    def take(self, batch: Batch, said: Said) -> None:
        """Extract once, then write entry by entry; a retry goes on where it stopped."""
        messages = [message for _, message in said]
        if batch.entries is None:
            batch.entries = self._extracted(batch, messages)
        numbers = messages[0].number, messages[-1].number
        while batch.entries:
            self._add(batch.entries[0], batch.turns[-1], numbers)
            del batch.entries[0]

    def _extracted(self, batch: Batch, messages: list[Message]) -> list[MemoryEntry]:
        extractor, last = self.binding.config.extractor, batch.turns[-1]
        if callable(extractor):
            plain = [message.plain() for message in messages]
            found = self.run(lambda: extractor(plain), last.context)
        else:
            blocks = [message.blocks() for message in messages]
            found = self.run(lambda: extractor.extract(blocks), last.context)
        clean, entries = self.cleaner(last.scope), dict[str, MemoryEntry]()
        for one in _listed(found):
            entry = read_entry(one)
            content = "" if entry is None else clean(entry.content).strip()
            if entry is None or not content:
                self.tally.rejected += 1
            else:
                entries.setdefault(content, entry)
        return [MemoryEntry(content, metadata=e.metadata) for content, e in entries.items()]

    def _add(self, entry: MemoryEntry, turn: Turn, numbers: tuple[int, int]) -> None:
        add, owner = self.binding.store.add, turn.owner
        metadata = self._metadata(entry, turn, numbers)
        keywords: dict[str, Any] = {}
        if accepts(add, "scope"):
            keywords["scope"] = owner
        elif owner.ids():
            # A store without scopes must still not show one user's memory to another.
            metadata["scope"] = owner.ids()
        try:
            self.write(lambda: add(entry.content, metadata, **keywords), turn.context)
        except (InputError, FactRefused) as error:
            # The store says this text can never go in: asking again would hold up all others.
            self.tally.rejected += 1
            logger.warning(
                "store %s refused an extracted entry of %d characters: %s",
                self.binding.name, len(entry.content), type(error).__name__,
            )  # fmt: skip
        else:
            self.tally.written += 1

    def _metadata(self, entry: MemoryEntry, turn: Turn, numbers: tuple[int, int]) -> dict[str, Any]:
        said = {} if turn.scope.session is None else {"session": turn.scope.session}
        return {
            **said,
            **(entry.metadata or {}),
            "turn_key": turn.key,
            "sequence_first": numbers[0],
            "sequence_last": numbers[1],
            "capture_id": self.capture_id,
        }


class Turns(Sink):
    """Whole turns into ``on_turn_end``: ``input``, ``output``, ``messages``, ``scope``."""

    def take(self, batch: Batch, said: Said) -> None:
        """Hand over one turn after the other; a retry goes on where it stopped."""
        hook = self.binding.store.on_turn_end
        for turn in batch.turns[batch.done :]:
            messages = [message for of, message in said if of is turn]
            if messages:
                given = {
                    "input": _said_by("user", messages),
                    "output": _said_by("assistant", messages),
                    "messages": [message.plain() for message in messages],
                    "scope": turn.scope,
                }
                outcome = self.write(lambda given=given: hook(given), turn.context)  # type: ignore[misc]
                if getattr(outcome, "failed", False) is True:
                    # A hook that does not raise says so in what it returns.
                    raise StoreError("on_turn_end could not keep the turn", self.binding.name)
            batch.done += 1


_SINKS: dict[str, type[Sink]] = {
    "messages": Messages,
    "entries": Entries,
    "turns": Turns,
}


def sink_for(binding: Binding, **parts: Any) -> Sink:
    """Return the way into *binding*'s store."""
    return _SINKS[binding.sink](binding, **parts)


def _said_by(role: str, messages: Iterable[Message]) -> str:
    return "\n\n".join(m.text for m in messages if m.role == role and m.kind == "text")


def _listed(found: Any) -> Iterable[Any]:
    """Return what an extractor gave as entries: one alone, several, or none."""
    if found is None:
        return ()
    if isinstance(found, (str, Mapping)) or getattr(found, "content", None) is not None:
        return (found,)
    return found if isinstance(found, Iterable) else (None,)
