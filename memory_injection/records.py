"""The values that travel through the library: immutable, cheap, JSON-friendly.

A *store* keeps memories; an *entry* is one retrieved memory; a *block* is the text written into
the conversation; a *scope* says whose memory may be read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypedDict

from .errors import ConfigurationError

if TYPE_CHECKING:
    from .report import InjectionReport

__all__ = [
    "FormatContext",
    "InjectedBlock",
    "InjectionContext",
    "InjectionResult",
    "MemoryEntry",
    "QueryContext",
    "Scope",
    "SearchOptions",
    "SearchResult",
    "is_text",
]


@dataclass(frozen=True, slots=True)
class Scope:
    """Whose memory: up to four ids, each a non-blank text or None ("not given").

    An entry is visible to a caller if every id it was written for is the caller's own; an entry
    written for nobody (``Scope()``) is shared. There is no default user.

    Erasing a scope goes the other way: it takes what was written for all of its ids, and perhaps
    for more. ``Scope(user="u1")`` is the user with every agent and in every session and run.

    Attributes:
        user: the end user the memory is of.
        session: one conversation; what is written for it is seen in no other.
        agent: the agent, assistant or application that remembers.
        run: one run of an agent, e.g. one task or one invocation.

    Raises:
        ConfigurationError: an id is empty, blank or not a string, or holds a lone surrogate, which
            no file and no request can carry (the escapes of a JSON body may bring one).
    """

    user: str | None = None
    session: str | None = None
    agent: str | None = None
    run: str | None = None

    def __post_init__(self) -> None:
        """Refuse ids that would silently mean "everybody", and those that cannot be written."""
        for name in ("user", "session", "agent", "run"):
            value = getattr(self, name)
            if value is None:
                continue
            if not isinstance(value, str) or not value.strip():
                raise ConfigurationError(
                    f"scope {name} must be a non-blank string or left out, not {value!r}"
                )
            if not is_text(value):
                raise ConfigurationError(
                    f"scope {name} {value!r} holds a lone surrogate, which no store can write:"
                    " give it as text that UTF-8 can encode"
                )

    def sees(self, owner: Scope) -> bool:
        """Tell whether a caller with this scope may read an entry written for *owner*."""
        if owner is UNREADABLE:
            return False
        return (
            (owner.user is None or owner.user == self.user)
            and (owner.session is None or owner.session == self.session)
            and (owner.agent is None or owner.agent == self.agent)
            and (owner.run is None or owner.run == self.run)
        )

    def ids(self) -> dict[str, str]:
        """Return the given ids only, by name."""
        named = zip(_IDS, (self.user, self.session, self.agent, self.run), strict=True)
        return {name: value for name, value in named if value is not None}

    def over(self, base: Scope) -> Scope:
        """Lay this scope over *base*: ids not given here are inherited.

        Naming another user starts afresh: nothing of *base* is inherited, so that one user's
        session id never ends up beside another user's id.
        """
        if self.user is not None and self.user != base.user:
            return self
        return Scope(**{**base.ids(), **self.ids()})

    @classmethod
    def of(cls, value: Scope | Mapping[str, str] | None) -> Scope:
        """Read a scope from a scope, a mapping of ids or None.

        Raises:
            ConfigurationError: an unknown key, or an id that is empty.
        """
        if value is None:
            return cls()
        if isinstance(value, Scope):
            return value
        if not isinstance(value, Mapping):
            raise ConfigurationError(f"scope must be a Scope or a mapping of ids, not {value!r}")
        unknown = sorted(set(map(str, value)) - {f.name for f in fields(cls)})
        if unknown:
            raise ConfigurationError(
                f"unknown scope id {unknown[0]!r}: use user, session, agent or run"
            )
        return cls(**value)


def is_text(value: str) -> bool:
    """Tell whether UTF-8 can encode *value*: it holds no lone surrogate."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


UNREADABLE = Scope(user="\ufffd unreadable")
"""The owner of an entry whose own scope cannot be read for certain: nobody sees it."""


class SearchOptions(TypedDict, total=False):
    """What a store's ``search`` may be told besides the query.

    Keys:
        max_search_results: most entries to return.
        scope: whose memory may be read; a store that keeps scopes filters by it.
        context: text of the turns before a short ask, for stores with ``takes_context = True``;
            it should weigh less than the query.
    """

    max_search_results: int
    scope: Scope
    context: str


@dataclass(frozen=True, slots=True)
class MemoryEntry:
    """One retrieved memory.

    Attributes:
        content: the text.
        store_name: the store it came from; stamped by the manager.
        id: the store's own id for it.
        score: higher is better, on the store's own scale; None means no score.
        created_at: when it was first written (or said), timezone-aware.
        updated_at: when it last changed, timezone-aware.
        metadata: anything else. Turns of a conversation carry ``speaker``, ``session`` and
            ``turn`` (position in the session, an int).
        scope: whom it was written for; None is the same as ``Scope()``: everybody.
    """

    content: str
    store_name: str | None = None
    id: str | None = None
    score: float | None = None
    created_at: datetime | None = None
    updated_at: datetime | None = None
    metadata: Mapping[str, Any] | None = field(default=None, hash=False)
    scope: Scope | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-serialisable dict without the fields that are None."""
        found = {f.name: getattr(self, f.name) for f in fields(self)}
        for name in ("created_at", "updated_at"):
            if found[name] is not None:
                found[name] = found[name].isoformat()
        if found["scope"] is not None:
            found["scope"] = found["scope"].ids()
        if found["metadata"] is not None:
            found["metadata"] = dict(found["metadata"])
        return {name: value for name, value in found.items() if value is not None}


_IDS = ("user", "session", "agent", "run")


class SearchResult(list[MemoryEntry]):
    """Entries found, best first, and what was wrong with this search although it was answered.

    A store may return any sequence; one with a ``problem`` has that in its line of the report.

    Attributes:
        problem: one line without memory text, e.g. that the embedder failed and words alone were
            searched; None if all went well.
    """

    def __init__(self, entries: Iterable[MemoryEntry] = (), *, problem: str | None = None) -> None:
        """Take *entries*, best first, and the *problem*."""
        super().__init__(entries)
        self.problem = problem


@dataclass(frozen=True, slots=True)
class InjectedBlock:
    """A block as it stands in a message.

    Attributes:
        text: the exact text written, tags included.
        entries: the memories it shows, in order.
        tokens: its size in tokens of the model asked for.
    """

    text: str
    entries: tuple[MemoryEntry, ...] = ()
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class InjectionResult:
    """What one injection gives back.

    Attributes:
        messages: same dialect and shape as the input, with blocks written in.
        block: the block standing in the latest user message after this call, or None.
        report: what happened and why.
        request: the whole new request body (``inject_request`` only).
    """

    messages: Any
    block: InjectedBlock | None
    report: InjectionReport
    request: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class InjectionContext:
    """What a trigger predicate sees.

    Attributes:
        messages: the conversation as the caller gave it; not to be changed.
        is_user_turn: the latest message is a fresh user ask (a tool result is not one).
        text: text of the latest user ask, free of blocks; "" if there is none.
        model: the model asked for, if known.
        scope: the caller's scope.
        dialect: name of the request shape, e.g. ``"openai.chat"``.
    """

    messages: Sequence[Any]
    is_user_turn: bool
    text: str = ""
    model: str | None = None
    scope: Scope = field(default_factory=Scope)
    dialect: str | None = None


@dataclass(frozen=True, slots=True)
class QueryContext:
    """What a query callback sees: the conversation with our blocks taken out.

    Attributes:
        messages: the conversation, free of blocks; not to be changed.
        is_user_turn: the latest message is a fresh user ask.
        text: what the adaptive query would be.
        model: the model asked for, if known.
        scope: the caller's scope.
        dialect: name of the request shape.
    """

    messages: Sequence[Any]
    is_user_turn: bool = True
    text: str = ""
    model: str | None = None
    scope: Scope = field(default_factory=Scope)
    dialect: str | None = None


@dataclass(frozen=True, slots=True)
class FormatContext:
    """What a format callback sees.

    Attributes:
        entries: the memories to render, best first, none of them already in view.
        token_budget: most tokens the rendered text may have.
        model: the model asked for, if known.
        scope: the caller's scope.
    """

    entries: Sequence[MemoryEntry]
    token_budget: int = 0
    model: str | None = None
    scope: Scope = field(default_factory=Scope)
