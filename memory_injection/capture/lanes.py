"""One store's way from turns to memory: in order, retried, bounded, in a thread of its own.

The thread is a daemon, starts with the first turn and ends when nothing is left to do.
"""

from __future__ import annotations

import logging
import random
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from ..records import Scope
from .config import EveryNTurns, EveryTurn, Trigger
from .delivery import Delivery
from .records import StoreCaptureStatus, TriggerContext, Turn
from .sinks import Batch

__all__ = ["Lane", "owns"]

logger = logging.getLogger("memory_injection.capture")

STALLED = 10.0
"""Seconds without any success after which a ``flush`` without a timeout gives a store up."""

FLUSH_RETRY = 1.0
"""Most seconds between two attempts while somebody waits in ``flush``."""


@dataclass(slots=True)
class _Conversation:
    turns: deque[Turn] = field(default_factory=deque)
    unseen: int = 0
    touched: float = 0.0


class Lane:
    """Takes turns for one store and sees them stored.

    Args:
        delivery: hands batches to the store.
        clock: seconds, monotonic; replaced in tests.
    """

    def __init__(self, delivery: Delivery, clock: Callable[[], float] = time.monotonic) -> None:
        """Start empty and without a thread."""
        self.delivery = delivery
        self._config = delivery.binding.config
        self._clock = clock
        self._failures = 0
        self._dropped = 0
        self.reset()

    def reset(self) -> None:
        """Forget what waits and the thread: a forked child has neither."""
        self._changed = threading.Condition()
        self._waiting: OrderedDict[Scope, _Conversation] = OrderedDict()
        self._due: deque[Batch] = deque()
        self._busy: Batch | None = None
        self._in_a_row = 0
        self._retry_at = 0.0
        self._last_error: str | None = None
        self._last_success = self._clock()
        self._flushing = 0
        self._closed = False
        self._thread: threading.Thread | None = None

    # -- from outside --------------------------------------------------------------------------

    def put(self, turn: Turn) -> None:
        """Take *turn*; never blocks. The oldest turn goes when too many wait."""
        with self._changed:
            if self._closed:
                self._dropped += 1
                return
            self._make_room()
            talk = self._waiting.setdefault(turn.scope, _Conversation())
            talk.turns.append(turn)
            talk.unseen += 1
            talk.touched = self._clock()
            self._wake()

    def amend(self, turn: Turn) -> None:
        """Put *turn* in the place of the same one told before, if that still waits."""
        with self._changed:
            talk = self._waiting.get(turn.scope)
            if talk is not None:
                talk.turns = deque(_amended(talk.turns, turn))
            for batch in self._due:
                if batch is not self._busy and not batch.begun:
                    batch.turns = tuple(_amended(batch.turns, turn))

    def begin_flush(self) -> None:
        """Make everything due, and try at once even if the store counts as down."""
        with self._changed:
            self._flushing += 1
            self._last_success = max(self._last_success, self._clock())
            for scope in list(self._waiting):
                self._make_due(scope)
            self._retry_at = 0.0
            self._wake()

    def end_flush(self, deadline: float | None) -> bool:
        """Wait until all is stored; tell whether it is.

        Gives up at *deadline* (on the lane's clock), or without one when the store has had no
        success for :data:`STALLED` seconds.
        """
        with self._changed:
            try:
                while self._due or self._busy is not None:
                    now = self._clock()
                    stalled = self._busy is None and now - self._last_success >= STALLED
                    if stalled if deadline is None else now >= deadline:
                        return False
                    left = 0.5 if deadline is None else deadline - now
                    self._changed.wait(min(left, 0.5))
                return True
            finally:
                self._flushing -= 1

    def forget(self, scope: Scope, wait: float) -> int:
        """Give up what waits for *scope*'s conversations; return how many turns.

        Waits at most *wait* seconds for one that is being written just now.
        """
        with self._changed:
            gone = [owner for owner in self._waiting if owns(scope, owner)]
            lost = sum(len(self._waiting.pop(owner).turns) for owner in gone)
            for batch in list(self._due):
                if owns(scope, batch.turns[0].scope) and batch is not self._busy:
                    self._due.remove(batch)
                    lost += len(batch.turns)
            busy = self._busy
            if busy is not None and owns(scope, busy.turns[0].scope):
                self._changed.wait_for(lambda: self._busy is not busy, wait)
                if busy in self._due:
                    self._due.remove(busy)
            return lost

    def close(self) -> int:
        """Take no more turns and let the thread end; return how many turns are given up."""
        with self._changed:
            lost = self._pending()
            self._dropped += lost
            self._closed = True
            self._waiting.clear()
            self._due.clear()
            self._changed.notify_all()
        return lost

    @property
    def troubled(self) -> bool:
        """Tell, without waiting for anything, whether there is something to warn about."""
        return self._in_a_row > 0 or self._dropped > 0

    def status(self) -> StoreCaptureStatus:
        """Return how the store keeps up."""
        with self._changed:
            down = self._in_a_row >= self._config.open_after
            wait = max(0.0, self._retry_at - self._clock()) if self._in_a_row else None
            return StoreCaptureStatus(
                name=self._name,
                state="open" if down else "retrying" if self._in_a_row else "ok",
                pending=self._pending(),
                delivered=self.delivery.tally.delivered,
                written=self.delivery.tally.written,
                failures=self._failures,
                dropped=self._dropped,
                rejected=self.delivery.tally.rejected,
                last_error=self._last_error,
                retry_in=wait,
            )

    # -- the thread ----------------------------------------------------------------------------

    @property
    def _name(self) -> str:
        return self.delivery.binding.name

    def _wake(self) -> None:
        self._changed.notify_all()
        if self._thread is None and not self._closed:
            thread = threading.Thread(
                target=self._serve, name=f"memory-capture-{self._name}", daemon=True
            )
            try:
                thread.start()
            except RuntimeError:  # the interpreter is going down
                return
            self._thread = thread

    def _serve(self) -> None:
        while True:
            with self._changed:
                job = self._next()
                if job is None:
                    self._thread = None
                    return
            job()

    def _next(self) -> Callable[[], None] | None:
        """Wait for the next thing to do; None when nothing is left. Called with the lock held."""
        while not self._closed:
            now = self._clock()
            for scope, talk in self._waiting.items():
                if talk.unseen:
                    return lambda scope=scope: self._look(scope)  # type: ignore[misc]
            wakes = self._make_quiet_due(now)
            if self._due:
                if now >= self._retry_at:
                    self._busy = self._due[0]
                    return self._deliver
                wakes.append(self._retry_at)
            if not wakes:
                # With quiet_seconds off, what waits for its trigger needs no thread to wait.
                return None
            self._changed.wait(max(0.001, min(wakes) - now))
        return None

    def _look(self, scope: Scope) -> None:
        """Ask the triggers about the turns of one conversation, one turn at a time."""
        with self._changed:
            talk = self._waiting.get(scope)
            if talk is None or not talk.unseen:
                return
            talk.unseen -= 1
            seen = list(talk.turns)[: len(talk.turns) - talk.unseen]
        if seen and seen[-1].complete and self._fires(seen):
            with self._changed:
                self._make_due(scope, len(seen))

    def _fires(self, turns: list[Turn]) -> bool:
        context = TriggerContext(
            turns=sum(turn.complete for turn in turns),
            messages=tuple(message.plain() for turn in turns for message in turn.messages),
            scope=turns[-1].scope,
            store=self._name,
        )
        # Every trigger is asked, since some count the turns they see.
        fired = [self._asks(trigger, context, turns[-1]) for trigger in self._config.triggers]
        return any(fired)

    def _asks(self, trigger: Trigger, context: TriggerContext, turn: Turn) -> bool:
        if isinstance(trigger, (EveryTurn, EveryNTurns)):
            return trigger(context)
        try:
            return bool(self.delivery.run(lambda: trigger(context), turn.context))
        except BaseException as error:
            logger.warning("store %s: a trigger failed: %s", self._name, type(error).__name__)
            with self._changed:
                self._failures += 1
                self._last_error = f"{type(error).__name__}: {error}"
            return False

    def _deliver(self) -> None:
        batch = self._busy
        assert batch is not None
        before = _left(batch)
        try:
            self.delivery.deliver(batch)
        # Whatever foreign code raises, the lane goes on: even SystemExit would end it for good.
        except BaseException as error:
            # A store that took something before it failed is shaky, not down.
            self._failed(error, progressed=_left(batch) < before)
        else:
            self._succeeded(batch)

    def _succeeded(self, batch: Batch) -> None:
        with self._changed:
            if self._due and self._due[0] is batch:
                self._due.popleft()
            if self._in_a_row >= self._config.open_after:
                logger.info("store %s: takes memories again", self._name)
            self._busy, self._in_a_row, self._retry_at = None, 0, 0.0
            self._last_error = None
            self._last_success = self._clock()
            self._changed.notify_all()

    def _failed(self, error: BaseException, progressed: bool) -> None:
        with self._changed:
            self._busy = None
            if self._closed:
                return
            self._failures += 1
            if progressed:
                self._in_a_row = 0
                self._last_success = self._clock()
            self._in_a_row += 1
            self._last_error = f"{type(error).__name__}: {error}"
            wait = self._retry_wait()
            self._retry_at = self._clock() + wait
            self._changed.notify_all()
            row, down = self._in_a_row, self._in_a_row == self._config.open_after
        if row == 1 or down:
            logger.warning(
                "store %s: %s, %s; next attempt in %.1f s",
                self._name, "keeps failing and counts as down" if down else "capture failed",
                type(error).__name__, wait,
            )  # fmt: skip

    def _retry_wait(self) -> float:
        """Return seconds until the next attempt: doubling, capped, with jitter of one half.

        Jitter keeps many processes from asking a backend that comes back all at once.
        """
        most = FLUSH_RETRY if self._flushing else self._config.retry_most
        doubled = self._config.retry_first * 2.0 ** min(self._in_a_row - 1, 40)
        return min(doubled, most) * random.uniform(0.5, 1.0)

    # -- what waits (the lock is held) ---------------------------------------------------------

    def _pending(self) -> int:
        return self._untriggered() + sum(len(batch.turns) for batch in self._due)

    def _make_room(self) -> None:
        """Hand over early what only waits for its trigger; drop the oldest if that is not enough.

        Many short conversations at once must not push each other out of a healthy store.
        """
        most = self._config.max_pending
        while self._waiting and self._untriggered() >= max(1, most // 2):
            self._make_due(next(iter(self._waiting)))
        while self._pending() >= most and self._drop_oldest():
            pass

    def _untriggered(self) -> int:
        return sum(len(talk.turns) for talk in self._waiting.values())

    def _make_due(self, scope: Scope, count: int | None = None) -> None:
        """Move the first *count* waiting turns of a conversation (None: all) to what is due."""
        talk = self._waiting.get(scope)
        if talk is None:
            return
        taken = [
            talk.turns.popleft() for _ in range(min(count or len(talk.turns), len(talk.turns)))
        ]
        talk.unseen = min(talk.unseen, len(talk.turns))
        if not talk.turns:
            del self._waiting[scope]
        size = self._config.batch_turns
        for at in range(0, len(taken), size):
            self._due.append(Batch(tuple(taken[at : at + size])))

    def _make_quiet_due(self, now: float) -> list[float]:
        """Move conversations gone quiet to what is due; return when the others will be."""
        quiet = self._config.quiet_seconds
        if quiet is None:
            return []
        for scope in [s for s, talk in self._waiting.items() if now - talk.touched >= quiet]:
            self._make_due(scope)
        return [talk.touched + quiet for talk in self._waiting.values()]

    def _drop_oldest(self) -> bool:
        idle = next((batch for batch in self._due if batch is not self._busy), None)
        if idle is None:
            return False
        lost = len(idle.turns) if idle.begun else 1
        idle.turns = idle.turns[lost:]
        if not idle.turns:
            self._due.remove(idle)
        before, self._dropped = self._dropped, self._dropped + lost
        # Said at 1, 2, 4, 8, ... drops, so that a long outage does not fill the log.
        if before.bit_length() != self._dropped.bit_length():
            logger.warning("store %s: queue full, %d turns dropped", self._name, self._dropped)
        return True


def owns(erased: Scope, scope: Scope) -> bool:
    """Tell whether erasing *erased* covers *scope*: every id given is the scope's own."""
    ids = scope.ids()
    return all(ids.get(name) == value for name, value in erased.ids().items())


def _amended(turns: Iterable[Turn], newer: Turn) -> Iterator[Turn]:
    numbers = [message.number for message in newer.messages]
    for turn in turns:
        same = turn.key == newer.key and turn.scope == newer.scope
        same = same and [message.number for message in turn.messages] == numbers
        yield turn.with_messages(newer.messages) if same else turn


def _left(batch: Batch) -> tuple[int, float]:
    """Return what is left of *batch*: turns, then entries (endless before they are extracted)."""
    entries = float("inf") if batch.entries is None else float(len(batch.entries))
    return len(batch.turns) - batch.done, entries
