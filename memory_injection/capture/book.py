"""Which turns there are: what makes a tool loop, a retry or a regenerate one turn, said once.

Pure bookkeeping, without threads or clocks.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextvars import Context
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from itertools import count

from ..records import Scope
from .hearing import Heard, Said
from .records import Message, Turn
from .replies import Reply

__all__ = ["KEPT", "TurnBook"]

KEPT = 10_000
"""Turns remembered, over all scopes: as far back as a retry or a regenerate is recognised."""

KEPT_TEXT = 32_000_000
"""Characters that the turns remembered may hold, and those that are observed piece by piece: whole
documents are pasted into a chat."""

SAME_TURN = 300.0
"""Seconds after its last call in which a turn that is over may be called again: a retry or a
regenerate. Later, the same words open another conversation. As long as an injected block is used
again (``InjectionConfig.reuse_seconds``)."""


_NOBODYS = Context()
"""Stands in a turn that was told: it stays known for long, and must not keep alive what its caller
has in context variables (a request, a session, a span)."""


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
    place: str = ""
    at: float = 0.0
    end: int = 0
    followed: bool = False
    size: int = 0

    def weigh(self) -> int:
        """Return how many characters it holds more than when it was weighed before."""
        # What its turn repeats are the same texts; only the answer is held there alone.
        answer = self.turn.messages[-1:] if self.turn is not None else ()
        said = [one.text for one in self.asks] + [one.text for one in (*self.steps, *answer)]
        before, self.size = self.size, sum(map(len, said))
        return self.size - before


@dataclass(slots=True)
class _Observed:
    context: Context
    texts: list[str] = field(default_factory=list)

    @property
    def size(self) -> int:
        return sum(map(len, self.texts))


class TurnBook:
    """Turns calls and observations into turns, each message of them once.

    Args:
        seed: makes the keys of observed turns unique; those of calls come from the conversation.
        kept: how many turns are remembered.
        same_turn: seconds in which a turn that is over may be called again.
        kept_text: how many characters of theirs; the latest turn is remembered however long.
    """

    def __init__(
        self,
        seed: str,
        kept: int = KEPT,
        same_turn: float = SAME_TURN,
        kept_text: int = KEPT_TEXT,
    ) -> None:
        """Start with no turn known."""
        self._seed = seed
        self._kept = kept
        self._kept_text = kept_text
        self._same_turn = same_turn
        self._held = self._overheard = 0  # characters of the turns known, and of those observed
        self._numbers = count()
        self._known: OrderedDict[tuple[Scope, str], _Known] = OrderedDict()
        self._told: OrderedDict[tuple[Scope, str], None] = OrderedDict()
        self._observed: OrderedDict[Scope, _Observed] = OrderedDict()
        self._places: OrderedDict[Scope, int] = OrderedDict()
        self.duplicates = 0

    @property
    def open_turns(self) -> int:
        """Return how many turns hold something said that is not handed over yet."""
        return sum(known.open for known in self._known.values()) + len(self._observed)

    def hear(
        self,
        scope: Scope,
        heard: Heard,
        reply: Reply | None,
        context: Context,
        now: float = 0.0,
    ) -> Iterator[tuple[Turn, bool]]:
        """Take one call; yield the turns it completes, and whether each amends one told before.

        Args:
            scope: the caller's ids.
            heard: the conversation of the call.
            reply: what the model answered; None if nothing came.
            context: the caller's context variables.
            now: when the call was made, in seconds of any clock that only goes forward.
        """
        known = self._find(scope, heard, now)
        if known is None:
            if not heard.asks:
                return
            yield from self._close_earlier(scope, heard)
            known = self._begun(scope, heard, context)
        else:
            self.duplicates += 1
            self._known.move_to_end((scope, known.place))
        known.at, known.end = now, heard.end
        if len(heard.steps) > len(known.steps):
            known.steps = heard.steps
        if reply is not None and not reply.calls_tools:
            yield from self._finish(known, reply, context)
        self._held += known.weigh()
        yield from self._forget()

    def observe(
        self, scope: Scope, role: str, text: str, context: Context
    ) -> Iterator[tuple[Turn, bool]]:
        """Take one message of a conversation told piece by piece; the assistant's ends a turn."""
        talk = self._observed.setdefault(scope, _Observed(context))
        self._observed.move_to_end(scope)
        if role == "user":
            talk.texts.append(text)
            self._overheard += len(text)
            while len(self._observed) > self._kept or self._overheard > self._kept_text:
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
            self._held -= self._known.pop(place).size
        for said in [said for said in self._told if covers(said[0])]:
            del self._told[said]
        for scope in [scope for scope in self._observed if covers(scope)]:
            self._overheard -= self._observed.pop(scope).size
        for scope in [scope for scope in self._places if covers(scope)]:
            del self._places[scope]

    def _begun(self, scope: Scope, heard: Heard, context: Context) -> _Known:
        key = heard.key
        if (same := self._known.pop((scope, key), None)) is not None:
            self._held -= same.size
            # The same words again, in another conversation: said anew, under a key of its own.
            for said in heard.asks:
                self._told.pop((scope, said.key), None)
            key = self._new_key()
        known = _Known(scope, key, context, heard.asks, place=heard.key)
        self._known[scope, heard.key] = known
        return known

    def _find(self, scope: Scope, heard: Heard, now: float) -> _Known | None:
        exact = self._known.get((scope, heard.key))
        if exact is not None and not heard.goes_on and self._is_over(exact, now):
            return None
        if exact is not None or (heard.asks and not heard.goes_on):
            return exact
        # A further step of a tool loop whose history was trimmed, or is kept by the server.
        words = heard.asks[-1].text if heard.asks else None
        for known in reversed(self._known.values()):
            if known.open and known.scope == scope and words in (None, known.asks[-1].text):
                return known
        return None

    def _is_over(self, known: _Known, now: float) -> bool:
        """Tell whether nobody can mean this turn any more by beginning with its words again."""
        if known.open:
            return False
        return known.followed or now - known.at > self._same_turn

    def _close_earlier(self, scope: Scope, heard: Heard) -> Iterator[tuple[Turn, bool]]:
        for key in heard.earlier:
            known = self._known.get((scope, key))
            if known is not None:
                known.followed = True
                yield from self._close(known)

    def _close(self, known: _Known) -> Iterator[tuple[Turn, bool]]:
        if known.open:
            known.open = False
            messages = self._said(known)
            turn = self._turn(known, messages, complete=False)
            known.context = _NOBODYS
            if messages:
                yield turn, False

    def _finish(self, known: _Known, reply: Reply, context: Context) -> Iterator[tuple[Turn, bool]]:
        if known.turn is not None:
            yield from self._amend(known, reply)
            return
        known.open = False
        known.context = _NOBODYS
        messages = self._said(known)
        if reply.text:
            place = self._placed(known.scope, known.end)
            messages += (self._numbered("assistant", reply.text, place),)
        known.turn = self._turn(known, messages, complete=True)
        yield replace(known.turn, context=context), False

    def _amend(self, known: _Known, reply: Reply) -> Iterator[tuple[Turn, bool]]:
        assert known.turn is not None
        messages = known.turn.messages
        last = messages[-1] if messages else None
        if last is None or last.role != "assistant" or not reply.text or last.text == reply.text:
            return
        newer = Message("assistant", reply.text, number=last.number, place=last.place)
        known.turn = known.turn.with_messages((*messages[:-1], newer))
        yield known.turn, True

    def _said(self, known: _Known) -> tuple[Message, ...]:
        """Return what of a turn nobody was told yet, the final answer aside."""
        asks = [said for said in known.asks if (known.scope, said.key) not in self._told]
        self._told.update(((known.scope, said.key), None) for said in asks)
        steps, known.steps_told = known.steps[known.steps_told :], len(known.steps)
        scope = known.scope
        return (
            *(
                self._numbered("user", said.text, self._placed(scope, said.place))
                for said in asks
                if said.text
            ),
            *(
                Message(
                    m.role, m.text, m.kind, next(self._numbers),
                    m.place if m.place < 0 else self._placed(scope, m.place),
                )
                for m in steps
            ),
        )  # fmt: skip

    def _turn(self, known: _Known, messages: tuple[Message, ...], complete: bool) -> Turn:
        return Turn(known.key, known.scope, messages, complete, known.context)

    def _numbered(self, role: str, text: str, place: int) -> Message:
        return Message(role, text, number=next(self._numbers), place=place)

    def _placed(self, scope: Scope, place: int, counted: bool = False) -> int:
        """Return the position *place*, or in a session the next one if that is taken.

        A history that was trimmed, or that the server keeps, would start again at 0.
        """
        if scope.session is None and not counted:
            return place
        place = max(place, self._places.pop(scope, 0))
        self._places[scope] = place + 1
        while len(self._places) > self._kept:
            self._places.popitem(last=False)
        return place

    def _new_key(self) -> str:
        digest = blake2b(f"{self._seed}:{next(self._numbers)}".encode(), digest_size=16)
        return digest.hexdigest()

    def _observed_turn(self, scope: Scope, answer: str | None, complete: bool) -> Turn:
        talk = self._observed.pop(scope)
        self._overheard -= talk.size
        spoken = [("user", text) for text in talk.texts if text]
        if answer:
            spoken.append(("assistant", answer))
        said = [self._numbered(*one, self._placed(scope, 0, counted=True)) for one in spoken]
        return Turn(self._new_key(), scope, tuple(said), complete, talk.context)

    def _forget(self) -> Iterator[tuple[Turn, bool]]:
        while len(self._known) > self._kept or (
            self._held > self._kept_text and len(self._known) > 1
        ):
            oldest = self._known.popitem(last=False)[1]
            self._held -= oldest.size
            yield from self._close(oldest)
        while len(self._told) > 2 * self._kept:
            self._told.popitem(last=False)
