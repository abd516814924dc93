"""What travels from a conversation to a store, and what is told about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextvars import Context
from dataclasses import asdict, dataclass, field, replace
from hashlib import blake2b
from typing import Any, Literal, TypeAlias

from ..records import Scope

__all__ = [
    "AddMessagesContext",
    "CaptureStatus",
    "Kind",
    "Message",
    "StoreCaptureStatus",
    "TriggerContext",
    "Turn",
]

Kind: TypeAlias = Literal["text", "tool"]
State: TypeAlias = Literal["ok", "retrying", "open"]


@dataclass(frozen=True, slots=True)
class Message:
    """One message as it was said, free of injected blocks.

    Attributes:
        role: ``"user"``, ``"assistant"`` or ``"tool"``.
        text: what was said; for tool traffic, the call or the result in canonical form.
        kind: ``"tool"`` for tool calls and their results.
        number: its place in what this process captured; grows, has gaps, never repeats.
        place: its position among what was said in its conversation; -1 for tool traffic.
    """

    role: str
    text: str
    kind: Kind = "text"
    number: int = -1
    place: int = -1

    def plain(self) -> dict[str, str]:
        """Return the shape extractors get: ``role`` and ``content`` texts."""
        return {"role": self.role, "content": self.text}

    def blocks(self) -> dict[str, Any]:
        """Return the shape ``add_messages`` gets: ``role`` and a list of text blocks.

        It is Bedrock Converse's and Strands', whose stores read nothing else; a tool result
        travels as ``"user"`` there.
        """
        role = "assistant" if self.role == "assistant" else "user"
        return {"role": role, "content": [{"text": self.text}]}


@dataclass(frozen=True, slots=True)
class Turn:
    """One user ask and everything until the next, as handed to the stores.

    Attributes:
        key: hex digest of the clean conversation up to the ask: the same turn, called again in
            a tool loop, a retry or a regenerate, has the same key.
        scope: the caller's ids, session included.
        messages: what was said, in order.
        complete: the final answer is in.
        context: the caller's context variables.
    """

    key: str
    scope: Scope
    messages: tuple[Message, ...] = ()
    complete: bool = True
    context: Context = field(default_factory=Context, repr=False, compare=False)

    @property
    def owner(self) -> Scope:
        """Return whom its memories are written for: the user and the agent.

        Memory outlives a session and a run, so those two stay out; the session is kept in the
        metadata.
        """
        return Scope(user=self.scope.user, agent=self.scope.agent)

    def ident(self, message: Message) -> str:
        """Return an id for *message* of this turn: the same in every process and every retry.

        Two owners saying the same never share one.
        """
        place = [m.role for m in self.messages[: self.messages.index(message)]].count(message.role)
        parts = (*sorted(self.scope.ids().items()), self.key, message.role, place)
        return blake2b(repr(parts).encode("utf-8", "replace"), digest_size=16).hexdigest()

    def with_messages(self, messages: tuple[Message, ...]) -> Turn:
        """Return the same turn saying *messages*."""
        return replace(self, messages=messages)


@dataclass(frozen=True)
class AddMessagesContext(Mapping[str, Any]):
    """What ``add_messages`` is told besides the messages; read by attribute or by key.

    The lists run parallel to the messages.

    Attributes:
        sequence_numbers: one per message, growing, with gaps where messages were filtered out. A
            retried batch carries the same numbers, so ``(capture_id, number)`` recognises a
            duplicate.
        turn_keys: the turn each message belongs to, the same in every process.
        scope: whom the memories are for (user and agent).
        session: the session it was said in, if any.
        capture_id: unique to this process' capture; numbers start again with each.
        positions: one per message: its position in its conversation, -1 for tool traffic.
    """

    sequence_numbers: list[int] | None = None
    turn_keys: list[str] | None = None
    scope: Scope = field(default_factory=Scope)
    session: str | None = None
    capture_id: str = ""
    positions: list[int] | None = None

    def __getitem__(self, name: str) -> Any:
        """Return a field by its name."""
        if name not in self.__dataclass_fields__:
            raise KeyError(name)
        return getattr(self, name)

    def __iter__(self) -> Iterator[str]:
        return iter(self.__dataclass_fields__)

    def __len__(self) -> int:
        return len(self.__dataclass_fields__)


@dataclass(frozen=True, slots=True)
class TriggerContext:
    """What a trigger sees: what of one conversation waits for one store.

    Attributes:
        turns: complete turns waiting, the newest included; at least 1.
        messages: the waiting messages, ``role`` and ``content`` texts, oldest first.
        scope: the caller's ids.
        store: name of the store.
    """

    turns: int
    messages: tuple[Mapping[str, str], ...]
    scope: Scope
    store: str


@dataclass(frozen=True, slots=True)
class StoreCaptureStatus:
    """How one store keeps up. Counts since construction unless said otherwise.

    Attributes:
        name: the store.
        state: ``ok``; ``retrying`` after a failure; ``open`` when it kept failing and is only
            probed now and then.
        pending: turns waiting or under way now.
        delivered: messages handed over.
        written: entries the extractor's facts became.
        failures: attempts that failed.
        dropped: turns given up because the queue was full.
        rejected: entries nobody could store: unreadable, or refused by the store as bad input.
        last_error: ``Type: message`` of the latest failure; None once it works again.
        retry_in: seconds until the next attempt; None when none is planned.
    """

    name: str
    state: State = "ok"
    pending: int = 0
    delivered: int = 0
    written: int = 0
    failures: int = 0
    dropped: int = 0
    rejected: int = 0
    last_error: str | None = None
    retry_in: float | None = None


@dataclass(frozen=True, slots=True)
class CaptureStatus:
    """How capture keeps up.

    Attributes:
        stores: one line per store with extraction on.
        waiting: calls not looked at yet.
        open_turns: turns whose final answer is not in.
        duplicates: calls that brought nothing new (retries, regenerates, steps of a tool loop).
        unreadable: calls whose shape could not be read.
        overflow: calls given up because too many waited to be looked at.
    """

    stores: tuple[StoreCaptureStatus, ...] = ()
    waiting: int = 0
    open_turns: int = 0
    duplicates: int = 0
    unreadable: int = 0
    overflow: int = 0

    @property
    def pending(self) -> int:
        """Return how much is not stored yet: calls, open turns and turns per store."""
        return self.waiting + self.open_turns + sum(store.pending for store in self.stores)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Return one line per trouble, without any memory text."""
        given_up = f"capture: {self.overflow} calls given up, for too many waited to be looked at"
        stores = (
            f"capture: store {store.name!r} is {store.state}, {store.pending} turns wait, "
            f"{store.dropped} dropped"
            for store in self.stores
            if store.state != "ok" or store.dropped
        )
        return (*stores, given_up) if self.overflow else tuple(stores)

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-serialisable values."""
        return asdict(self)
