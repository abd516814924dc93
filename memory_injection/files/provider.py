"""The file memory provider: a store, a provider of context, turn hooks and tools in one."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..arguments import checked_flag
from ..counters import counter_for
from ..driving import run_now
from ..errors import ConfigurationError, StoreError
from ..protocols import Ledger, TokenCounter
from ..records import MemoryEntry, Scope, SearchOptions
from ..rendering import RecalledContext
from ..stores.forgetting import forget_blocks
from .context import TurnMemory, check_budget, pack
from .options import RecallOptions, RememberOptions, checked_root
from .record import FileRecord, RecordChange
from .remembering import Rememberer
from .store import FileStore, is_within, scope_of
from .turns import Turn, TurnOutcome

if TYPE_CHECKING:
    from ..toolset import Toolset

__all__ = ["FileMemoryProvider", "create_memory_provider"]


def create_memory_provider(
    root: str | os.PathLike[str] = ".agent-memory",
    *,
    recall: RecallOptions | Mapping[str, Any] | None = None,
    remember: RememberOptions | Mapping[str, Any] | None = None,
    name: str = "files",
    writable: bool = True,
    counter: TokenCounter | None = None,
    clock: Callable[[], datetime] | None = None,
) -> FileMemoryProvider:
    """Return a memory provider over the plain files below *root*.

    Nothing is read or written before the first call; folders are made at the first write.

    Args:
        root: the folder; need not exist.
        recall: how files are searched: ``RecallOptions`` or a mapping of its fields.
        remember: what is kept of a turn: ``RememberOptions`` or a mapping of its fields.
        name: the store's name, shown as the source of its entries.
        writable: False offers no writing at all: no ``add``, no writing tools.
        counter: counts tokens for ``get_context``; None for the default model's tokenizer.
        clock: gives the time records are stamped with, timezone-aware; None for the real one.

    Raises:
        ConfigurationError: *root* is empty, holds NUL or is a file; an option breaks its rule.
    """
    return FileMemoryProvider(
        root, recall=recall, remember=remember, name=name, writable=writable,
        counter=counter, clock=clock,
    )  # fmt: skip


class FileMemoryProvider:
    """Memory in plain files that a person can read and edit.

    A ``MemoryStore`` (``search``, ``add``), an ``AgentMemoryProvider`` (``get_context``,
    ``observe``), turn hooks (``on_turn_start``, ``on_turn_end``) and tools (``get_tools``).
    Every method that touches files has an async twin with an ``a`` in front. Safe to use from
    several threads; several processes may share a root.

    Attributes:
        name: the store's name.
        description: what a model is told about it.
        writable: whether ``add`` and the writing tools may be used.
        max_search_results: most entries of one search unless the call says otherwise.
        captures_turns: whether turns are wanted: only with ``extract_turn``.
        ledger: where injected blocks are kept: what is forgotten or erased goes from there as well.
            None takes the ledger of the first manager that is given the provider.
    """

    ledger: Ledger | None = None

    def __init__(
        self,
        root: str | os.PathLike[str] = ".agent-memory",
        *,
        recall: RecallOptions | Mapping[str, Any] | None = None,
        remember: RememberOptions | Mapping[str, Any] | None = None,
        name: str = "files",
        writable: bool = True,
        counter: TokenCounter | None = None,
        clock: Callable[[], datetime] | None = None,
    ) -> None:
        """See :func:`create_memory_provider`."""
        if not isinstance(name, str) or not name.strip():
            raise ConfigurationError(f"name must be a non-blank text, not {name!r}")
        options = RecallOptions.of(recall)
        self.name = name
        self.description = "Notes kept as plain files: a summary, MEMORY.md and single records."
        self.writable = checked_flag("writable", writable)
        self.max_search_results = options.max_results
        self._options = options
        self._counter = counter
        clock = clock or (lambda: datetime.now(timezone.utc))
        self._store = FileStore(checked_root(root), name, options, clock, self._forgotten)
        remembering = RememberOptions.of(remember)
        extract = remembering.extract_turn if writable else None
        self._change_shared = remembering.change_shared
        self.captures_turns = extract is not None
        self._remember = Rememberer(self._store, extract)
        self._turns = TurnMemory()

    @property
    def root(self) -> Path:
        """Return the folder the files are in."""
        return self._store.root

    def search(self, query: str, options: SearchOptions | None = None) -> list[MemoryEntry]:
        """Return the entries that share words with *query*, best first.

        Args:
            query: the words to look for.
            options: ``max_search_results`` and ``scope``, whose memory may be read.

        Raises:
            InputError: the query is not a text, or an option breaks its rule.
            StoreError: the root cannot be read, or the provider is closed.
        """
        return self._store.search(query, options)

    def list(self, *, scope: Scope | Mapping[str, str] | None = None) -> list[MemoryEntry]:
        """Return every entry *scope* may see, in order of path."""
        return self._store.list(scope_of(scope))

    def get(
        self, ident: str, *, scope: Scope | Mapping[str, str] | None = None
    ) -> MemoryEntry | None:
        """Return the entry with this id, None if *scope* sees none.

        Raises:
            InputError: the id is not one a record could have (a path, NUL, ...).
        """
        found = self._store.find(ident, scope_of(scope))
        return None if found is None else found.entry(self.name)

    def add(
        self,
        content: str,
        metadata: Mapping[str, Any] | None = None,
        *,
        scope: Scope | Mapping[str, str] | None = None,
    ) -> str:
        """Write a new record and return its id.

        Args:
            content: the text.
            metadata: ``title``, ``kind``, ``tags``, ``scope`` (a label), ``source``, ``id``,
                ``created_at`` and ``updated_at`` become front matter; other keys are kept in it.
            scope: whom it is written for; None for everybody.

        Raises:
            InputError: a value breaks its rule, or the id is taken.
            StoreError: the provider is read-only or closed, or the disk refused.
        """
        self._check_writable()
        draft, source, ident, extra = self._store.draft_from(content, metadata)
        return self._store.write(draft, scope_of(scope), source=source, ident=ident, extra=extra).id

    def update(
        self,
        ident: str,
        *,
        content: str | None = None,
        title: str | None = None,
        kind: str | None = None,
        tags: Sequence[str] | None = None,
        scope: Scope | Mapping[str, str] | None = None,
    ) -> bool:
        """Rewrite a record; what is left None stays, and so do keys the library does not know.

        Returns False if *scope* sees no such record.

        Raises:
            InputError: a value breaks its rule, or the entry is part of ``MEMORY.md`` or the
                summary, which are kept by hand.
            StoreError: the provider is read-only or closed, or the disk refused.
        """
        self._check_writable()
        change = RecordChange(content, title, kind, None if tags is None else tuple(tags))
        found = self._store.find(ident, scope_of(scope))
        return found is not None and self._store.change(found, change, scope_of(scope))

    def forget(self, ident: str, *, scope: Scope | Mapping[str, str] | None = None) -> bool:
        """Delete a record's file; False if *scope* sees no such record.

        No block of the ``ledger``, and no context of a turn that is going on, shows it any more.

        Raises:
            InputError: the id is not one a record could have, or it is not a record.
            StoreError: the provider is read-only or closed, or the disk refused; or the ledger
                did, and the file is gone.
        """
        self._check_writable()
        found = self._store.find(ident, scope_of(scope))
        return found is not None and self._store.delete(found)

    def erase(self, scope: Scope | Mapping[str, str]) -> int:
        """Delete every file written for all of *scope*'s ids (and perhaps more); return how many.

        A file that is skipped says nothing about whose it is and stays; see :meth:`skipped`.

        Raises:
            InputError: *scope* names nobody.
            StoreError: the provider is read-only or closed, or the disk refused.
        """
        self._check_writable()
        owner = scope_of(scope)
        erased = self._store.erase(owner)
        self._turns.drop(lambda found: is_within(found, owner))
        self._remember.drop(lambda found: is_within(found, owner))
        self._forget_blocks(owner, "the files are erased")
        return erased

    def _forgotten(self, record: FileRecord) -> None:
        """Take a record that is gone from what was recalled of it."""
        self._turns.drop(lambda reader: reader.sees(record.owner))
        self._forget_blocks(record.owner, "the file is deleted", [record.text])

    def _forget_blocks(self, owner: Scope, done: str, texts: Sequence[str] = ()) -> None:
        forget_blocks(
            self.ledger, owner, self.name, done, texts=texts,
            wait=lambda work: run_now(work, timeout=30.0).unwrap(),
        )  # fmt: skip

    def skipped(self) -> dict[str, str]:
        """Return the files in the root that are not read, by path, each with its reason."""
        return self._store.skipped()

    def get_context(
        self,
        text: str,
        token_budget: int | None = None,
        *,
        scope: Scope | Mapping[str, str] | None = None,
    ) -> RecalledContext | None:
        """Return what the files hold on *text* as one block, or None.

        Args:
            text: the user's words.
            token_budget: most tokens of the block, tags included; None for the options' own.
            scope: whose memory may be read.

        Raises:
            InputError: the text is not a text, or the budget is not a whole number.
            StoreError: the root cannot be read, or the provider is closed.
        """
        reader = scope_of(scope)
        budget = check_budget(token_budget, self._options.token_budget)
        # Found nothing is remembered as well, or a tool loop would change its mind half-way.
        key = (text, budget)
        known, context = self._turns.get(reader, key)
        if not known:
            found = self.search(text, {"scope": reader})
            context = pack(found, budget, self._counter or counter_for(None))
            self._turns.put(reader, key, context)
        return context

    def observe(
        self, role: str, text: str, *, scope: Scope | Mapping[str, str] | None = None
    ) -> TurnOutcome | None:
        """Take note of what was said; a reply completes the turn and hands it to capture.

        Args:
            role: ``"user"`` or ``"assistant"``.
            text: what was said.
            scope: whose conversation it is.

        Raises:
            InputError: another role, or the text is not a text.
        """
        turn = self._remember.hear(role, text, scope_of(scope))
        return None if turn is None else self.on_turn_end(turn)

    def on_turn_start(self, turn: object = None, /, **given: Any) -> None:
        """Begin a turn: its ask is recalled once and stays the same to the turn's end."""
        self._turns.start(Turn.of(turn, **given).scope)

    def on_turn_end(self, turn: object = None, /, **given: Any) -> TurnOutcome:
        """Hand the whole turn to ``extract_turn`` and write the drafts it returns.

        Without ``extract_turn`` nothing is written. A draft that breaks a rule costs only
        itself, and an extractor that fails costs only its own turn; both are logged and named
        in the outcome.

        Args:
            turn: a ``Turn``, a mapping or an object with its fields.
            given: or the fields as keywords: ``input``, ``output``, ``messages``, ``scope``.

        Raises:
            InputError: a field breaks its rule.
        """
        whole = Turn.of(turn, **given)
        self._turns.end(whole.scope)
        return self._remember.remember(whole)

    def get_tools(self, scope: Scope | Mapping[str, str] | None = None) -> Toolset:
        """Return ``memory_search``, ``memory_write`` and ``memory_forget`` for one scope.

        The toolset gives ``definitions(dialect)`` and answers ``call(tool_call)``. With a user in
        the scope, shared memories can be read and not changed (``RememberOptions.change_shared``).
        """
        from .toolbox import build_tools

        return build_tools(
            self._store, scope_of(scope), self.writable, change_shared=self._change_shared
        )

    def close(self) -> None:
        """Refuse further use; may be called twice."""
        self._store.close()

    def __enter__(self) -> FileMemoryProvider:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> FileMemoryProvider:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def asearch(
        self, query: str, options: SearchOptions | None = None
    ) -> Sequence[MemoryEntry]:
        """See :meth:`search`."""
        return await asyncio.to_thread(self.search, query, options)

    async def aadd(
        self, content: str, metadata: Mapping[str, Any] | None = None, **given: Any
    ) -> str:
        """See :meth:`add`."""
        return await asyncio.to_thread(self.add, content, metadata, **given)

    async def alist(self, **given: Any) -> Sequence[MemoryEntry]:
        """See :meth:`list`."""
        return await asyncio.to_thread(self.list, **given)

    async def aget(self, ident: str, **given: Any) -> MemoryEntry | None:
        """See :meth:`get`."""
        return await asyncio.to_thread(self.get, ident, **given)

    async def aupdate(self, ident: str, **given: Any) -> bool:
        """See :meth:`update`."""
        return await asyncio.to_thread(self.update, ident, **given)

    async def aforget(self, ident: str, **given: Any) -> bool:
        """See :meth:`forget`."""
        return await asyncio.to_thread(self.forget, ident, **given)

    async def aerase(self, scope: Scope | Mapping[str, str]) -> int:
        """See :meth:`erase`."""
        return await asyncio.to_thread(self.erase, scope)

    async def aget_context(
        self, text: str, token_budget: int | None = None, **given: Any
    ) -> RecalledContext | None:
        """See :meth:`get_context`."""
        return await asyncio.to_thread(self.get_context, text, token_budget, **given)

    async def aobserve(
        self, role: str, text: str, *, scope: Scope | Mapping[str, str] | None = None
    ) -> TurnOutcome | None:
        """See :meth:`observe`; an async ``extract_turn`` runs on the caller's loop."""
        turn = self._remember.hear(role, text, scope_of(scope))
        return None if turn is None else await self.aon_turn_end(turn)

    async def aon_turn_start(self, turn: object = None, /, **given: Any) -> None:
        """See :meth:`on_turn_start`."""
        self.on_turn_start(turn, **given)

    async def aon_turn_end(self, turn: object = None, /, **given: Any) -> TurnOutcome:
        """See :meth:`on_turn_end`; an async ``extract_turn`` runs on the caller's loop."""
        whole = Turn.of(turn, **given)
        self._turns.end(whole.scope)
        return await self._remember.aremember(whole)

    async def aclose(self) -> None:
        """See :meth:`close`."""
        await asyncio.to_thread(self.close)

    def _check_writable(self) -> None:
        if not self.writable:
            raise StoreError(f"the store {self.name!r} is read-only", self.name)
