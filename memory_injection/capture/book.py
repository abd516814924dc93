"""Which turns there are: what makes a tool loop, a retry or a regenerate one turn, said once.

Pure bookkeeping, without threads or clocks.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextvars import Context
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import count

from ..records import Scope
from .hearing import Heard, Said
from .records import Message, Turn
from .replies import Reply

__all__ = ["KEPT", "TurnBook"]

KEPT = 10_000
"""Turns remembered, over all scopes: as far back as a retry or a regenerate is recognised."""


@dataclass(slots=True, eq=False)
class _Known:
    scope: Scope
    key: str
    context: Context
    asks: tuple[Said, ...] = ()
    steps: tuple[Message, ...] = ()
    steps_told: int = 0
    turn: Turn | None = None
    open: bool = True


@dataclass(slots=True)
class _Observed:
    context: Context
    texts: list[str] = field(default_factory=list)


class TurnBook:
    """Turns calls and observations into turns, each message of them once.

    Args:
        seed: makes the keys of observed turns unique; those of calls come from the conversation.
        kept: how many turns are remembered.
    """

    def __init__(self, seed: str, kept: int = KEPT) -> None:
        """Start with no turn known."""
        self._seed = seed
        self._kept = kept
        self._numbers = count()
        self._known: OrderedDict[tuple[Scope, str], _Known] = OrderedDict()
        self._told: OrderedDict[tuple[Scope, str], None] = OrderedDict()
        self._observed: OrderedDict[Scope, _Observed] = OrderedDict()
        self.duplicates = 0

    @property
    def open_turns(self) -> int:
        """Return how many turns hold something said that is not handed over yet."""
        return sum(known.open for known in self._known.values()) + len(self._observed)

    def hear(
        self, scope: Scope, heard: Heard, reply: Reply | None, context: Context
    ) -> Iterator[tuple[Turn, bool]]:
        """Take one call; yield the turns it completes, and whether each amends one told before.

        Args:
            scope: the caller's ids.
            heard: the conversation of the call.
            reply: what the model answered; None if nothing came.
            context: the caller's context variables.
        """
        known = self._find(scope, heard)
        if known is None:
            if not heard.asks:
                return
            yield from self._close_earlier(scope, heard)
            known = _Known(scope, heard.key, context, heard.asks)
            self._known[scope, heard.key] = known
        else:
            self.duplicates += 1
            self._known.move_to_end((scope, known.key))
        if len(heard.steps) > len(known.steps):
            known.steps = heard.steps
        if reply is not None and not reply.calls_tools:
            yield from self._finish(known, reply, context)
        yield from self._forget()

    def observe(
        self, scope: Scope, role: str, text: str, context: Context
    ) -> Iterator[tuple[Turn, bool]]:
        """Take one message of a conversation told piece by piece; the assistant's ends a turn."""
        talk = self._observed.setdefault(scope, _Observed(context))
        self._observed.move_to_end(scope)
        if role == "user":
            talk.texts.append(text)
            while len(self._observed) > self._kept:
                oldest = next(iter(self._observed))
                yield self._observed_turn(oldest, None, complete=False), False
        else:
            yield self._observed_turn(scope, text, complete=True), False

    def close_all(self) -> Iterator[tuple[Turn, bool]]:
        """Yield what was said in turns whose answer is not in; they stay known."""
        for known in list(self._known.values()):
            yield from self._close(known)
        for scope in list(self._observed):
            yield self._observed_turn(scope, None, complete=False), False

    def forget(self, covers: Callable[[Scope], bool]) -> None:
        """Forget the turns of every scope that *covers* says is erased."""
        for place in [place for place in self._known if covers(place[0])]:
            del self._known[place]
        for said in [said for said in self._told if covers(said[0])]:
            del self._told[said]
        for scope in [scope for scope in self._observed if covers(scope)]:
            del self._observed[scope]

    def _find(self, scope: Scope, heard: Heard) -> _Known | None:
        exact = self._known.get((scope, heard.key))
        if exact is not None or (heard.asks and not heard.goes_on):
            return exact
        # A further step of a tool loop whose history was trimmed, or is kept by the server.
        words = heard.asks[-1].text if heard.asks else None
        for known in reversed(self._known.values()):
            if known.open and known.scope == scope and words in (None, known.asks[-1].text):
                return known
        return None

    def _close_earlier(self, scope: Scope, heard: Heard) -> Iterator[tuple[Turn, bool]]:
        for key in heard.earlier:
            known = self._known.get((scope, key))
            if known is not None:
                yield from self._close(known)

    def _close(self, known: _Known) -> Iterator[tuple[Turn, bool]]:
        if known.open:
            known.open = False
            messages = self._said(known)
            if messages:
                yield self._turn(known, messages, complete=False), False

    def _finish(self, known: _Known, reply: Reply, context: Context) -> Iterator[tuple[Turn, bool]]:
        if known.turn is not None:
            yield from self._amend(known, reply)
            return
        known.open = False
        known.context = context
        messages = self._said(known)
        if reply.text:
            messages += (self._numbered("assistant", reply.text),)
        known.turn = self._turn(known, messages, complete=True)
        yield known.turn, False

    def _amend(self, known: _Known, reply: Reply) -> Iterator[tuple[Turn, bool]]:
        assert known.turn is not None
        messages = known.turn.messages
        last = messages[-1] if messages else None
        if last is None or last.role != "assistant" or not reply.text or last.text == reply.text:
            return
        newer = Message("assistant", reply.text, number=last.number)
        known.turn = known.turn.with_messages((*messages[:-1], newer))
        yield known.turn, True

    def _said(self, known: _Known) -> tuple[Message, ...]:
        """Return what of a turn nobody was told yet, the final answer aside."""
        asks = [said for said in known.asks if (known.scope, said.key) not in self._told]
        self._told.update(((known.scope, said.key), None) for said in asks)
        steps, known.steps_told = known.steps[known.steps_told :], len(known.steps)
        return (
            *(self._numbered("user", said.text) for said in asks if said.text),
            *(Message(m.role, m.text, m.kind, next(self._numbers)) for m in steps),
        )

    def _turn(self, known: _Known, messages: tuple[Message, ...], complete: bool) -> Turn:
        return Turn(known.key, known.scope, messages, complete, known.context)

    def _numbered(self, role: str, text: str) -> Message:
        return Message(role, text, number=next(self._numbers))

    def _observed_turn(self, scope: Scope, answer: str | None, complete: bool) -> Turn:
        talk = self._observed.pop(scope)
        said = [self._numbered("user", text) for text in talk.texts if text]
        if answer:
            said.append(self._numbered("assistant", answer))
        key = blake2b(f"{self._seed}:{next(self._numbers)}".encode(), digest_size=16).hexdigest()
        return Turn(key, scope, tuple(said), complete, talk.context)

    def _forget(self) -> Iterator[tuple[Turn, bool]]:
        while len(self._known) > self._kept:
            yield from self._close(self._known.popitem(last=False)[1])
        while len(self._told) > 2 * self._kept:
            self._told.popitem(last=False)
