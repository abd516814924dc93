"""The values that travel through the library: immutable, cheap, JSON-friendly.

A *store* keeps memories; an *entry* is one retrieved memory; a *block* is the text written into
the conversation; a *scope* says whose memory may be read.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime, timezone
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
    "read_entry",
    "read_time",
]


@dataclass(frozen=True, slots=True)
class Scope:
    """Whose memory: up to four ids, each a non-blank string or None ("not given").

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
        ConfigurationError: an id is empty, blank or not a string.
    """

    user: str | None = None
    session: str | None = None
    agent: str | None = None
    run: str | None = None

    def __post_init__(self) -> None:
        """Refuse ids that would silently mean "everybody"."""
        for name in ("user", "session", "agent", "run"):
            value = getattr(self, name)
            if value is None:
                continue
            if not isinstance(value, str) or not value.strip():
                raise ConfigurationError(
                    f"scope {name} must be a non-blank string or left out, not {value!r}"
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
_OWN_KEYS = frozenset(_IDS)


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


def read_entry(found: object, store_name: str | None = None) -> MemoryEntry | None:
    """Read whatever a store returned as an entry, by attribute or by key.

    A plain string is an entry with only content. Returns None for what is not a memory (no
    textual content, blank content).

    Args:
        found: an object, a mapping or a string from a store.
        store_name: stamped on the entry, replacing what the store says.
    """
    if isinstance(found, MemoryEntry) and isinstance(found.content, str):
        if not found.content.strip():
            return None
        score = _score(found.score)
        if found.store_name == store_name and score is found.score:
            return found
        return MemoryEntry(
            found.content, store_name, found.id, score,
            found.created_at, found.updated_at, found.metadata, found.scope,
        )  # fmt: skip
    if isinstance(found, str):
        return MemoryEntry(found, store_name) if found.strip() else None
    content = _get(found, "content")
    if not isinstance(content, str) or not content.strip():
        return None
    if type(found) is dict and found.keys() <= _BARE:
        return MemoryEntry(content, store_name, score=_score(found.get("score")))
    metadata = _get(found, "metadata")
    metadata = metadata if isinstance(metadata, Mapping) else None
    ident = _get(found, "id")
    return MemoryEntry(
        content=content,
        store_name=store_name,
        id=None if ident is None else str(ident),
        score=_score(_first(found, metadata, "score")),
        created_at=read_time(_first(found, metadata, "created_at")),
        updated_at=read_time(_first(found, metadata, "updated_at")),
        metadata=metadata,
        scope=_owner(found, metadata),
    )


_BARE = frozenset({"content", "score"})


def read_time(value: object) -> datetime | None:
    """Read a point in time: a datetime, an ISO 8601 string or seconds since 1970.

    Naive times are taken as UTC. Returns None for anything else.
    """
    try:
        if isinstance(value, datetime):
            moment = value
        elif isinstance(value, str):
            moment = datetime.fromisoformat(value.strip().replace("Z", "+00:00"))
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            moment = datetime.fromtimestamp(value, tz=timezone.utc)
        else:
            return None
    except (ValueError, OverflowError, OSError):
        return None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=timezone.utc)


def _get(found: object, name: str) -> Any:
    if type(found) is dict or isinstance(found, Mapping):
        return found.get(name)
    return getattr(found, name, None)


def _first(found: object, metadata: Mapping[str, Any] | None, name: str) -> Any:
    value = _get(found, name)
    if value is None and metadata is not None:
        value = metadata.get(name)
    return value


def _score(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return value if isinstance(value, float) and math.isfinite(value) else (
        number if math.isfinite(number) else None
    )  # fmt: skip


_FOREIGN_IDS = {
    "user_id": "user", "session_id": "session", "agent_id": "agent", "run_id": "run",
}  # fmt: skip
_OWNER_KEYS = frozenset(_FOREIGN_IDS) | {"scope"}


def _owner(found: object, metadata: Mapping[str, Any] | None) -> Scope | None:
    """Read whom a foreign entry was written for: ``scope``, or ``user_id``-style keys.

    ``user_id``, ``agent_id`` and ``run_id`` are the names mem0 and many services use. What is
    given but cannot be read for certain makes the entry nobody's, never everybody's. In
    *metadata* alone a ``scope`` that is a plain text is a label ("project"), not an owner.
    """
    if isinstance(found, dict) and not metadata and _OWNER_KEYS.isdisjoint(found):
        return None
    scope = _get(found, "scope")
    if scope is None and metadata is not None:
        scope = metadata.get("scope")
        scope = None if isinstance(scope, str) else scope
    if isinstance(scope, Scope):
        return scope
    if scope is None:
        return _scope_of({own: _first(found, metadata, name) for name, own in _FOREIGN_IDS.items()})
    if isinstance(scope, Mapping) and _OWN_KEYS.issuperset(scope):
        return _scope_of(scope)
    return UNREADABLE


def _scope_of(ids: Mapping[Any, Any]) -> Scope | None:
    given = {name: value for name, value in ids.items() if value is not None}
    if not given:
        return None
    if all(isinstance(v, (str, int)) and str(v).strip() for v in given.values()):
        return Scope(**{name: str(value) for name, value in given.items()})
    return UNREADABLE


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
