"""Takes calls and observations without blocking, and sees what was said stored in each store."""

from __future__ import annotations

import asyncio
import atexit
import logging
import os
import threading
import time
import weakref
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Mapping
from contextvars import Context, copy_context
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from ..arguments import checked_wait
from ..dialects import detect, detect_body, dialect_named
from ..driving import on_worker
from ..errors import InputError
from ..protocols import Dialect
from ..records import Scope
from .bindings import bind
from .book import KEPT, TurnBook
from .cleaning import Cleaner, leave_as_is
from .delivery import Delivery, Prepare, under_capture
from .hearing import hear, kept_by_server
from .lanes import Lane, owns
from .records import CaptureStatus, Turn
from .replies import Reply, read_reply

__all__ = ["Capture"]

logger = logging.getLogger("memory_injection.capture")

MAX_WAITING = 10_000
"""Calls that may wait to be looked at; each takes well under a millisecond."""


@dataclass(frozen=True, slots=True)
class _Call:
    conversation: Any
    api: str | None
    reply: Reply | None
    scope: Scope
    context: Context
    at: float


@dataclass(frozen=True, slots=True)
class _Observation:
    role: str
    text: str
    scope: Scope
    context: Context


class Capture:
    """From conversations to the stores that learn.

    Nothing here blocks or raises for run-time trouble: calls are looked at in one daemon thread,
    and each store is written to in another. Threads end when there is nothing to do; what waits
    when the process ends without ``close`` is lost.

    Args:
        stores: all stores; those with ``extraction`` on take part.
        cleaner: given a scope, returns what takes injected blocks out of a text.
        extractor: for stores with neither an extractor of their own nor ``add_messages``.
        prepare: given a store and the work of one call to it, returns work that makes the store
            ready (``initialize``) first.
        clock: seconds that only go forward; replaced in tests.

    Raises:
        ConfigurationError: a store with extraction on lacks what it needs.
    """

    def __init__(
        self,
        stores: Iterable[Any],
        *,
        cleaner: Cleaner = leave_as_is,
        extractor: Any = None,
        prepare: Prepare | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Bind the stores; no thread is started."""
        self._clock = clock
        self.id = uuid4().hex
        self._cleaner = cleaner
        self._lanes = tuple(
            Lane(Delivery(binding, cleaner, self.id, prepare))
            for binding in bind(stores, extractor)
        )
        self._unreadable = self._overflow = 0
        self._closed = False
        self._after_fork()
        _ALL.add(self)

    @property
    def captures(self) -> bool:
        """Tell whether any store learns: if not, replies need not be looked at."""
        return bool(self._lanes) and not self._closed

    def capture_turn(
        self,
        request_body: Mapping[str, Any] | None = None,
        reply: Any = None,
        *,
        messages: Any = None,
        api: str | None = None,
        scope: Scope | None = None,
    ) -> None:
        """Take one model call; returns at once.

        Every call of a turn may be handed in: the steps of a tool loop, retries and regenerates
        of one turn are one turn, stored once, with the final answer.

        Args:
            request_body: the whole request, with or without injected blocks in it; read now, not
                changed, not kept longer than needed.
            reply: the response, the assistant's message or its text, or what of it arrived; None
                if nothing did.
            messages: the conversation alone, instead of a body.
            api: the request shape; None detects it, a name nobody has is a ConfigurationError.
            scope: whose conversation it is. Memories are written for its user and agent.
        """
        if api is not None:
            dialect_named(api)
        if self._closed and self._lanes:
            logger.warning("a call was not captured: capture is closed")
        if not self.captures or under_capture.get():
            return
        body = messages if request_body is None else request_body
        try:
            kept, answer = _kept(body), None if reply is None else read_reply(reply)
        except Exception as error:
            self._unread(error)
            return
        self._take(_Call(kept, api, answer, scope or Scope(), copy_context(), self._clock()))

    def observe(self, role: str, text: str, *, scope: Scope | None = None) -> None:
        """Take one message of a turn, the user's first, then the assistant's; returns at once.

        Raises:
            InputError: *role* is neither ``"user"`` nor ``"assistant"``, or *text* is no string.
        """
        if role not in ("user", "assistant"):
            raise InputError(f"role must be 'user' or 'assistant', not {role!r}")
        if not isinstance(text, str):
            raise InputError(f"text must be a string, not {text!r}")
        if self.captures and not under_capture.get():
            self._take(_Observation(role, text, scope or Scope(), copy_context()))

    def flush(self, timeout: float | None = None) -> bool:
        """Wait until everything said so far is stored; tell whether it is.

        Turns whose answer is not in are stored with what was said in them.

        Args:
            timeout: most seconds to wait. None waits as long as stores make progress: one without
                any success for ten seconds is given up, and keeps its turns for later.

        Raises:
            InputError: *timeout* is no number of seconds from 0.
        """
        wait = checked_wait(timeout)
        deadline = None if wait is None else time.monotonic() + wait
        if not self._settle(deadline):
            return False
        self._tell(self._book.close_all)
        for lane in self._lanes:
            lane.begin_flush()
        # Every lane is waited for, also after one has failed: each holds a flush of its own.
        stored = [lane.end_flush(deadline) for lane in self._lanes]
        return all(stored)

    async def aflush(self, timeout: float | None = None) -> bool:
        """Wait as :meth:`flush` does, without blocking the event loop."""
        return await self._elsewhere(lambda: self.flush(timeout))

    def close(self, timeout: float | None = None) -> bool:
        """Flush, then take nothing more; tell whether everything was stored. May be repeated.

        Raises:
            InputError: *timeout* is no number of seconds from 0.
        """
        if self._closed:
            return True
        stored = self.flush(timeout)
        self._end("closed")
        return stored

    async def aclose(self, timeout: float | None = None) -> bool:
        """Close as :meth:`close` does, without blocking the event loop."""
        return await self._elsewhere(lambda: self.close(timeout))

    def forget(self, scope: Scope, wait: float = 5.0) -> int:
        """Give up what of *scope*'s conversations is not stored yet; return how many turns.

        Part of erasing somebody: what waits must not be written after the erasure.

        Args:
            scope: whose; every id given must be the conversation's own.
            wait: seconds to wait for a write that is under way.
        """
        with self._changed:
            kept = [item for item in self._calls if not owns(scope, item.scope)]
            self._calls.clear()
            self._calls.extend(kept)
            self._changed.wait_for(lambda: not self._looking, wait)
            self._book.forget(lambda other: owns(scope, other))
        return sum([lane.forget(scope, wait) for lane in self._lanes])

    @property
    def warnings(self) -> tuple[str, ...]:
        """Return one line per trouble; cheap when there is none."""
        troubled = self._overflow or any(lane.troubled for lane in self._lanes)
        return self.status().warnings if troubled else ()

    def status(self) -> CaptureStatus:
        """Return how each store keeps up: names and counts, no text."""
        with self._changed:
            return CaptureStatus(
                stores=tuple(lane.status() for lane in self._lanes),
                waiting=len(self._calls) + self._looking,
                open_turns=self._book.open_turns,
                duplicates=self._book.duplicates,
                unreadable=self._unreadable,
                overflow=self._overflow,
            )

    # ------------------------------------------------------------------------------------------

    def _after_fork(self) -> None:
        """Start empty: a forked child has no threads, and the parent stores what waits."""
        self._changed = threading.Condition()
        self._calls: deque[_Call | _Observation] = deque()
        self._looking = 0
        self._thread: threading.Thread | None = None
        self._book = TurnBook(self.id)
        self._ends: OrderedDict[tuple[Scope, str], str] = OrderedDict()
        for lane in self._lanes:
            lane.reset()

    async def _elsewhere(self, work: Callable[[], bool]) -> bool:
        done = await asyncio.wrap_future(on_worker(work))
        return bool(done.unwrap())

    def _end(self, how: str) -> None:
        """Take nothing more, and say what is lost."""
        self._closed = True
        with self._changed:
            lost = len(self._calls) + self._looking + self._book.open_turns
            self._calls.clear()
        lost += sum([lane.close() for lane in self._lanes])
        if lost:
            logger.warning("capture %s with %d turns not stored", how, lost)

    def _take(self, item: _Call | _Observation) -> None:
        with self._changed:
            if len(self._calls) >= MAX_WAITING:
                before, self._overflow = self._overflow, self._overflow + 1
                if before.bit_length() != self._overflow.bit_length():  # at 1, 2, 4, 8, ...
                    logger.warning("%d calls were not captured: too many wait", self._overflow)
                return
            self._calls.append(item)
            if self._thread is None:
                thread = threading.Thread(target=self._serve, name="memory-capture", daemon=True)
                try:
                    thread.start()
                except RuntimeError:  # the interpreter is going down
                    return
                self._thread = thread

    def _serve(self) -> None:
        while True:
            with self._changed:
                self._looking = 0
                self._changed.notify_all()
                if not self._calls:
                    self._thread = None
                    return
                item = self._calls.popleft()
                self._looking = 1
            self._look(item)

    def _look(self, item: _Call | _Observation) -> None:
        try:
            if isinstance(item, _Observation):
                text = self._cleaner(item.scope)(item.text).strip()
                self._tell(lambda: self._book.observe(item.scope, item.role, text, item.context))
            else:
                self._hear(item)
        except Exception as error:
            self._unread(error)

    def _unread(self, error: Exception) -> None:
        with self._changed:
            self._unreadable += 1
        # Our own words hold no memory text; a foreign error's may.
        why = f": {error}" if isinstance(error, InputError) else ""
        logger.warning("a call could not be captured: %s%s", type(error).__name__, why)

    def _hear(self, call: _Call) -> None:
        dialect = _dialect(call.conversation, call.api)
        if dialect is None:
            raise InputError("unknown request shape")
        body = call.conversation
        conversation = body.get(dialect.field) if isinstance(body, Mapping) else body
        clean = self._cleaner(call.scope)
        heard = hear(
            dialect.open(conversation),
            dialect,
            clean,
            self._seed(call),
        )
        reply = call.reply
        if reply is not None:
            reply = Reply(clean(reply.text).strip(), reply.calls_tools)
        self._tell(lambda: self._book.hear(call.scope, heard, reply, call.context, call.at))
        if reply is not None and not reply.calls_tools:
            self._ended(call, heard.key)

    def _seed(self, call: _Call) -> bytes:
        """Return what a conversation goes on from where the server keeps it (OpenAI Responses).

        Each request holds the new messages only, so that "yes" twice would look like a retry.
        """
        previous, thread = kept_by_server(call.conversation)
        if previous:
            return previous.encode()
        return f"{thread}:{self._ends.get((call.scope, thread), '')}".encode() if thread else b""

    def _ended(self, call: _Call, key: str) -> None:
        thread = kept_by_server(call.conversation)[1]
        if thread and key:
            self._ends[call.scope, thread] = key
            self._ends.move_to_end((call.scope, thread))
            if len(self._ends) > KEPT:
                self._ends.popitem(last=False)

    def _tell(self, turns: Callable[[], Iterable[tuple[Turn, bool]]]) -> None:
        """Let the book speak and give each lane what it says, one speaker at a time."""
        with self._changed:
            for turn, amends in turns():
                for lane in self._lanes:
                    if amends:
                        lane.amend(turn)
                    else:
                        lane.put(turn)

    def _settle(self, deadline: float | None) -> bool:
        with self._changed:
            left = None if deadline is None else max(0.0, deadline - time.monotonic())
            return self._changed.wait_for(lambda: not self._calls and not self._looking, left)


_ALL: weakref.WeakSet[Capture] = weakref.WeakSet()


def _end_all() -> None:
    for capture in list(_ALL):
        if capture.captures:
            capture._end("ended without close()")


atexit.register(_end_all)


def _reset_all() -> None:
    for capture in list(_ALL):
        capture._after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reset_all)


def _kept(body: Any) -> Any:
    """Copy the lists of a request, which the caller may append to right after the call."""
    if isinstance(body, Mapping):
        return {
            key: list(value) if isinstance(value, list) else value for key, value in body.items()
        }
    return list(body) if isinstance(body, (list, tuple)) else body


def _dialect(body: Any, api: str | None) -> Dialect | None:
    if api is not None:
        return dialect_named(api)
    return detect_body(body) if isinstance(body, Mapping) else detect(body)
