"""Every extension point, as a Protocol. Nothing here is to be inherited from.

Where a method may be sync or async the annotation says ``MaybeAwaitable``: return the value, or an
awaitable of it; the manager bridges.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, Literal, Protocol, TypeAlias, TypeVar, runtime_checkable

from .ledger_records import LedgerRecord, Space
from .reading import Reading
from .records import MemoryEntry, Scope, SearchOptions
from .report import InjectionReport

__all__ = [
    "AgentMemoryProvider",
    "Dialect",
    "Embedder",
    "Extractor",
    "Ledger",
    "MaybeAwaitable",
    "MemoryStore",
    "MergePolicy",
    "ReportHook",
    "Reranker",
    "TokenCounter",
]

T = TypeVar("T")
MaybeAwaitable: TypeAlias = "T | Awaitable[T]"


@runtime_checkable
class MemoryStore(Protocol):
    """Keeps memories and finds them again.

    The shape is the one Strands Agents uses, so stores written for it plug in unmodified. Only
    ``name`` and ``search`` are required. Optional attributes and methods the manager looks for:

    - ``description: str``, ``writable: bool``, ``extraction: bool | ExtractionConfig``
    - ``max_search_results: int``, what ``options`` ask for in a search that does not say (10)
    - ``timeout: float`` seconds, a deadline shorter than the manager's
    - ``max_concurrency: int`` searches that may run at once (64 if sync, a thread each, 512 if
      async); a search past it is not begun, and the report says ``open``
    - ``relevance_floor: float``, on the store's own scale: what scores below it is noise
    - ``score_scale: "unit"``, when scores are calibrated to 0..1 and comparable between stores
    - ``takes_context: bool``, when ``options["context"]`` is read
    - ``add(content, metadata=None)``, also taking ``scope=`` where the store keeps scopes
    - ``add_messages(messages, context=None)``
    - ``pinned(options=None)``: entries shown whatever the query
    - ``initialize()``, ``get_tools()``, ``close()``
    - ``erase(scope)``: erases what was written for all of the scope's ids (and perhaps more)
    - ``ledger: Ledger | None``: a store that erases by itself says None here; the first manager
      sets its own, so that ``store.ledger.forget(scope)`` also takes the blocks that show it
    """

    name: str

    def search(
        self, query: str, options: SearchOptions | None = None
    ) -> MaybeAwaitable[Sequence[Any]]:
        """Return the entries that fit *query*, best first.

        A list with a ``problem`` (see ``records.SearchResult``) has it in the report.
        """
        ...


class TokenCounter(Protocol):
    """Counts tokens the way one model does. Must be pure and must not touch the network."""

    name: str

    def count(self, text: str) -> int:
        """Return the number of tokens of *text*."""
        ...


class Dialect(Protocol):
    """One shape of chat request: how to read its messages and where a block goes.

    Every method is pure: nothing given is ever changed; new values share what did not change.

    Attributes:
        name: e.g. ``"openai.chat"``.
        field: key of the conversation in a request body, e.g. ``"messages"``.
        merges_tool_results: True where tool results travel in user messages (Anthropic, Bedrock),
            so that a message holding only results can still carry a block.
        takes_system: the conversation may hold system messages.

    Optional: ``continues(body) -> tuple[str, bool]``, for an API that keeps earlier messages: the
    id of what *body* goes on from ("" if from nothing), and whether it names one state of it.
    """

    name: str
    field: str
    merges_tool_results: bool
    takes_system: bool

    def detect(self, messages: Sequence[Any]) -> float:
        """Return how sure the dialect is that *messages* are its own: 0 no, 1 certainly."""
        ...

    def detect_body(self, body: Mapping[str, Any]) -> float:
        """Return how sure the dialect is that *body* is a request of its own, 0..1."""
        ...

    def open(self, conversation: Any) -> list[Any]:
        """Return the conversation as a new list of messages (a bare string as one item)."""
        ...

    def close(self, messages: list[Any], original: Any) -> Any:
        """Return *messages* in the outer shape of *original* (a bare string stays one)."""
        ...

    def read(self, message: Any) -> Reading:
        """Return what one message says. May raise on rubbish; the manager fails open."""
        ...

    def append(self, message: Any, block: str) -> Any:
        """Return a copy of *message* with *block* after everything it holds."""
        ...

    def remove(self, message: Any, blocks: Sequence[str]) -> Any:
        """Return a copy of *message* without these blocks, exactly as ``append`` wrote them."""
        ...

    def system(self, text: str) -> Any:
        """Return a new system message holding *text* (``placement="system"``)."""
        ...

    def with_system(
        self, body: dict[str, Any], text: str, known: Sequence[str] = ()
    ) -> dict[str, Any]:
        """Return *body* with *text* at the end of its system prompt, replacing an earlier block.

        "" takes that out. Earlier blocks are those of the default shape and the *known* texts.
        Called only where ``takes_system`` is False. A prompt that is nothing a block could be
        written into is left as it is; the call then counts as failed.
        """
        ...


class Ledger(Protocol):
    """Remembers which block stands in which message of which conversation.

    Keys are digests of conversation prefixes (see ``docs/explanation/ledger.md``). Methods may be
    sync or async. ``in_process = True`` promises that calls neither block nor touch the disk.

    Optional: ``forget_shown(shown: Shown) -> int`` erases every record, of any space, whose block
    shows that memory. A ledger without it loses all its blocks when a store forgets something that
    was written for nobody.
    """

    in_process: bool

    def get(
        self, space: Space, keys: Collection[bytes]
    ) -> MaybeAwaitable[Mapping[bytes, Sequence[LedgerRecord]]]:
        """Return the records at *keys* that are not too old, in the order they were written."""
        ...

    def put(
        self, space: Space, record: LedgerRecord, replaces: LedgerRecord | None = None
    ) -> MaybeAwaitable[LedgerRecord]:
        """Write *record* unless one stands at the same anchor and step; return what stands there.

        *replaces* is the outdated record to swap out; if another call has swapped it already,
        that call's record wins and is returned.
        """
        ...

    def drop(
        self, space: Space, records: Sequence[LedgerRecord], at: bytes
    ) -> MaybeAwaitable[None]:
        """Mark *records* as no longer carried from step *at* on."""
        ...

    def forget(self, scope: Scope) -> MaybeAwaitable[int]:
        """Erase every record of the spaces written for all of *scope*'s ids (and perhaps more).

        Returns how many.
        """
        ...

    def close(self) -> MaybeAwaitable[None]:
        """Release what is held."""
        ...


class MergePolicy(Protocol):
    """Turns several stores' lists into one ranking, best first. Pure; must not drop silently."""

    def __call__(
        self, results: Mapping[str, Sequence[MemoryEntry]], *, query: str, limit: int
    ) -> Sequence[MemoryEntry]:
        """Merge *results* (store name to its entries, best first, in registration order).

        *limit* is how many entries the block may show; more may be returned.
        """
        ...


class ReportHook(Protocol):
    """Told of every injection once it is over: ``MemoryManager(on_report=...)``.

    What it returns is ignored and what it raises is logged; neither reaches the call.
    """

    def __call__(self, report: InjectionReport, /) -> MaybeAwaitable[object]:
        """Take the *report*."""
        ...


class Embedder(Protocol):
    """Turns texts into vectors.

    Attributes:
        name: model name, recorded beside the vectors so that two models are never mixed.
        dimension: length of each vector, or None until the first call.
    """

    name: str
    dimension: int | None

    def embed(
        self, texts: Sequence[str], kind: Literal["query", "document"] = "document"
    ) -> MaybeAwaitable[Sequence[Sequence[float]]]:
        """Return one vector per text."""
        ...


class Reranker(Protocol):
    """Orders candidates anew, e.g. with a cross-encoder."""

    def __call__(
        self, query: str, entries: Sequence[MemoryEntry]
    ) -> MaybeAwaitable[Sequence[MemoryEntry]]:
        """Return *entries*, best first; entries left out are dropped."""
        ...


class Extractor(Protocol):
    """Draws memories from messages: plain mappings with ``role`` and ``content`` texts."""

    def __call__(
        self, messages: Sequence[Mapping[str, Any]]
    ) -> MaybeAwaitable[Iterable[Any] | None]:
        """Return entries (strings, mappings or objects with ``content``), or None."""
        ...


class AgentMemoryProvider(Protocol):
    """The hook pair of agent frameworks; either method may be missing, either may be sync.

    - ``get_context(text, *, token_budget=None)``: None, or something with ``context_text``
    - ``observe(role, text)``: role is ``"user"`` or ``"assistant"``; the result is ignored
    """


Trigger: TypeAlias = Callable[[Any], "MaybeAwaitable[bool]"]
