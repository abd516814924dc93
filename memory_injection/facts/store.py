"""The store: many agents and users in one file, as an API of its own and as a memory store."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..arguments import checked_flag
from ..driving import run_now
from ..errors import ConfigurationError, InputError
from ..protocols import Ledger
from ..records import MemoryEntry, Scope, SearchOptions
from ..stores.forgetting import forget_blocks
from . import rules
from .backend import FactBackend, Stored
from .memory import Caps, FactMemory, Viewer
from .model import Fact, WrittenBy
from .paths import read_folder
from .rules import MAX_FACTS, Draft
from .run import FactRun
from .sqlite_backend import SQLiteBackend
from .twins import Closing, twin

__all__ = ["FactStore"]

RELEVANCE_FLOOR = 0.25
"""Scores below are noise to a manager: of LoCoMo's questions one in four about another dialogue
finds anything above, and 92 of 100 answers that are found at all stay."""

_LEFT_OUT: Any = object()  # None would be a look-up that found no agent: that is refused
_OWN_METADATA = ("path", "tags", "confidence", "key")


class FactStore(Closing):
    """Versioned facts of many agents and their end users, in one SQLite file.

    Nothing is opened before the first use (``initialize()`` opens it at once). Safe for several
    threads and processes; every write that was answered is on the disk. Also a memory store: give
    it to a ``MemoryManager`` and the scope decides what is seen. Usable as a context manager,
    sync and async.

    Args:
        path: the file, ``":memory:"``, or a backend of your own.
        name: the source shown in blocks and reports.
        description: what is in it, for the model's tools.
        agent: whose memory is meant when a scope names no agent.
        max_facts_per_agent: facts of one agent, its users' included.
        max_facts_per_user: facts in one end user's folder; None for no limit of its own.
        max_search_results: entries per search when a call does not say, 1-50.
        writable: whether ``add`` may be called by a manager.
        extraction: capture settings, as for every store.
        ledger: where injected blocks are kept: what is erased or forgotten of a user goes from
            there as well. None takes the ledger of the first manager that is given the store;
            managers that share a store reach all their blocks by sharing one ledger, too.
        wait: seconds to wait for a lock that another process holds.
        clock: seconds since 1970.

    Raises:
        ConfigurationError: a setting outside its rule.
    """

    relevance_floor = RELEVANCE_FLOOR

    def __init__(
        self,
        path: str | os.PathLike[str] | FactBackend,
        *,
        name: str = "facts",
        description: str | None = None,
        agent: str | None = None,
        max_facts_per_agent: int = MAX_FACTS,
        max_facts_per_user: int | None = None,
        max_search_results: int = 5,
        writable: bool = True,
        extraction: Any = None,
        ledger: Ledger | None = None,
        wait: float = 5.0,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Check the settings; the file is opened at the first use."""
        if not isinstance(name, str) or not name.strip():
            raise ConfigurationError(f"name must be a non-blank string, not {name!r}")
        _check_positive("max_facts_per_agent", max_facts_per_agent)
        if max_facts_per_user is not None:
            _check_positive("max_facts_per_user", max_facts_per_user)
        _check_positive("max_search_results", max_search_results)
        if isinstance(wait, bool) or not isinstance(wait, (int, float)) or not 0 <= wait < 1e6:
            raise ConfigurationError(f"wait must be a number of seconds from 0, not {wait!r}")
        self.name = name
        self.description = description
        self.max_search_results = min(max_search_results, 50)
        self.writable = checked_flag("writable", writable)
        self.extraction = extraction
        self._agent = Scope(agent=agent).agent or ""
        self.ledger = ledger
        self._caps = Caps(max_facts_per_agent, max_facts_per_user)
        self._clock = clock
        self._backend = _backend(path, wait)
        self._memory = FactMemory(self._backend, self._caps, clock, self._forgotten)

    def open(self, *, agent: str = _LEFT_OUT, run: str, user: str | None = None) -> FactRun:
        """Return the memory as one run of *agent* sees it, for the end user *user* or nobody.

        Left out, the agent is the store's own; in a store without one, the run sees and writes
        what is for no agent in particular, as a manager's ``add`` without an agent does.

        Raises:
            ConfigurationError: an id is empty, blank or no string.
        """
        whose = self._agent
        if agent is not _LEFT_OUT:
            _check_id("agent", agent)
            whose = agent
        _check_id("run", run)
        if user is not None:
            _check_id("user", user)
        return FactRun(self._memory, Viewer.of(whose, user, run), name=self.name)

    def erase_user(self, agent: str | None, user: str) -> int:
        """Erase one end user of *agent*: facts, old versions, index and idempotency rows.

        The file is rebuilt and the log emptied, so that no byte of the user's texts is left in
        them; blocks of the user in the store's ledger go as well. Erasing again is harmless.

        Args:
            agent: the agent; None for what was added for no agent in particular.
            user: the end user.

        Returns:
            How many facts were erased.

        Raises:
            StoreError: the database could not be written, or another process kept reading an
                older state; the rows are gone then, and erasing again cleans the files.
            ConfigurationError: an id is empty, blank or no string.
        """
        if agent is not None:
            _check_id("agent", agent)
        _check_id("user", user)
        erased = self._memory.erase(agent or "", user)
        self._forget_blocks(Scope(user=user), "the user's facts are erased")
        return erased

    def erase(self, scope: Scope | Mapping[str, str]) -> int:
        """Erase everything written for all of *scope*'s ids (and perhaps more).

        A user alone is erased with every agent. ``MemoryManager.erase`` calls this. As for
        :meth:`erase_user`, no byte is left in the files, and erasing again is harmless.

        Returns:
            How many facts were erased.

        Raises:
            InputError: *scope* names nobody.
            ConfigurationError: an id is empty, blank or no string.
            StoreError: as for :meth:`erase_user`.
        """
        who = Scope.of(scope)
        if not who.ids():
            raise InputError("erase needs a scope with at least one id: it would delete everything")
        erased = self._memory.erase(who.agent, who.user, who.session, who.run)
        # Blocks stand under the caller's scope, which need not have named the agent.
        blocks = who if who.user is None else Scope(user=who.user)
        self._forget_blocks(blocks, "the facts are erased")
        return erased

    def _forgotten(self, stored: Stored, texts: Sequence[str]) -> None:
        space = stored.space
        who = Scope(user=space.owner)
        if space.owner is None:
            who = Scope(session=space.session, run=space.run)
        self._forget_blocks(who, "the fact is forgotten", texts)

    def _forget_blocks(self, scope: Scope, done: str, texts: Sequence[str] = ()) -> None:
        forget_blocks(
            self.ledger, scope, self.name, done, texts=texts,
            wait=lambda work: run_now(work, timeout=30.0).unwrap(),
        )  # fmt: skip

    def sandbox(self) -> FactStore:
        """Return a private copy in memory: it sees everything, and what it writes stays in it."""
        return FactStore(
            self._backend.copy(),
            name=self.name,
            description=self.description,
            agent=self._agent or None,
            max_facts_per_agent=self._caps.per_agent,
            max_facts_per_user=self._caps.per_user,
            max_search_results=self.max_search_results,
            writable=self.writable,
            clock=self._clock,
        )

    def search(self, query: str, options: SearchOptions | None = None) -> list[MemoryEntry]:
        """Return the entries that ``options["scope"]`` may see, best first.

        A scope sees what was written for ids that are all its own: the shared facts of its
        agent, those of its user with that agent, and what was added for no agent in particular.

        The words match as in :meth:`FactRun.search`. As a whole question is asked, stop words do
        not count, and the score is the share of the question that the fact covers, about 0 to 1.

        Args:
            query: any string; a blank one lists the newest.
            options: ``scope``, and ``max_search_results`` (more than 50 is taken as 50).
        """
        given: Mapping[str, Any] = options or {}
        viewer = Viewer.of_scope(Scope.of(given.get("scope")), self._agent)
        limit = given.get("max_search_results") or self.max_search_results
        found = self._memory.recall(viewer, rules.read_query(query), limit=max(1, min(limit, 50)))
        return [_entry(stored, self.name, self._agent) for stored in found]

    def add(
        self,
        content: str,
        metadata: Mapping[str, Any] | None = None,
        *,
        scope: Scope | Mapping[str, str] | None = None,
    ) -> Fact:
        """Write one fact for exactly the ids of the scope; without any it is everybody's.

        With a user it goes into the user's folder. A session or a run in the scope restricts it
        to that session or run; leave them out for what is to be remembered longer.

        Args:
            content: 1-4000 characters.
            metadata: ``path``, ``tags``, ``confidence`` and ``key`` are taken as in
                :meth:`FactRun.remember`, ``written_by`` is ``"code"`` or ``"model"``; anything
                else is kept beside the fact, as JSON.
            scope: whom it is for.

        Raises:
            FactRefused: as for :meth:`FactRun.remember`.
        """
        who = Scope.of(scope)
        viewer = Viewer.of_scope(who, self._agent)
        given = dict(metadata or {})
        path, tags, confidence, key = (given.pop(name, None) for name in _OWN_METADATA)
        written_by: WrittenBy = "model" if given.pop("written_by", None) == "model" else "code"
        if path is None:
            path = "" if who.user is None else "users/{user}/"

        def read() -> Draft:
            return Draft(
                rules.read_text(content),
                read_folder(path, user=who.user),
                rules.read_tags(tags),
                rules.read_confidence(confidence),
                metadata=rules.read_metadata(given),
            )

        key = rules.read_key(key)
        return self._memory.write(viewer, read, key=key, written_by=written_by)

    def initialize(self) -> None:
        """Open the file now, so that trouble with it shows now.

        Raises:
            StoreError: it cannot be opened or is not a facts file.
        """
        with self._backend.reading():
            pass

    def close(self) -> None:
        """Close the file; later use raises ``StoreClosedError``. May be called twice."""
        self._backend.close()

    aerase_user = twin(erase_user)
    aerase = twin(erase)
    asandbox = twin(sandbox)
    asearch = twin(search)
    aadd = twin(add)
    ainitialize = twin(initialize)


def _backend(path: Any, wait: float) -> FactBackend:
    if isinstance(path, (str, os.PathLike)):
        named = os.fspath(path)
        if not isinstance(named, str) or not named or "\0" in named:
            raise ConfigurationError(f"path must name a file, not {named!r}")
        return SQLiteBackend(path, wait=wait)
    if all(callable(getattr(path, name, None)) for name in ("reading", "writing", "scrub")):
        backend: FactBackend = path
        return backend
    raise ConfigurationError(f"path must name a file or be a backend, not {path!r}")


def _check_positive(name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ConfigurationError(f"{name} must be a whole number of at least 1, not {value!r}")


def _check_id(name: str, value: object) -> None:
    """Refuse what would mean nobody, and what no database can hold."""
    if value is None:
        raise ConfigurationError(f"{name} must be a non-blank string, not None")
    Scope(**{name: value})  # type: ignore[arg-type]
    if rules.holds_no_text(str(value)):
        raise ConfigurationError(f"{name} {value!r} holds a NUL or a lone surrogate")


def _entry(stored: Stored, name: str, default_agent: str) -> MemoryEntry:
    fact, agent = stored.fact, stored.space.agent
    return MemoryEntry(
        content=fact.text,
        store_name=name,
        id=fact.id,
        score=fact.score,
        created_at=fact.created_at,
        updated_at=fact.updated_at,
        metadata={
            **(stored.metadata or {}),
            "path": fact.path,
            "tags": list(fact.tags),
            "confidence": fact.confidence,
            "version": fact.version,
            "run": fact.source.run_id,
            "written_by": fact.source.written_by,
        },
        scope=Scope(
            user=stored.space.owner,
            session=stored.space.session,
            # What a scope without an agent may see must not ask for one.
            agent=None if agent in ("", default_agent) else agent,
            run=stored.space.run,
        ),
    )
