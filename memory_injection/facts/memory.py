"""The operations on facts, against the backend Protocol: who may do what, and what comes first.

Order of the checks in a write: the idempotency key (a replay beats every other check), the
arguments, what the write is about (``not_found``, ``version_conflict``), where it goes
(``cannot_move``), the caps.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import product

from ..errors import FactRefused
from ..records import Scope
from . import refusals
from .backend import FactBackend, Reader, Reply, Space, Stored, Writer
from .model import Fact, FactPage, Source, WrittenBy, moment, write_cursor
from .paths import ROOT, Folder
from .ranking import best
from .rules import MAX_FACTS, Draft
from .words import content_words, index_words, query_words

__all__ = ["Caps", "FactMemory", "Viewer"]

BACKGROUND = 100
"""Facts imagined beside those kept when a question is asked: in a memory of three facts every word
would count as common."""


@dataclass(frozen=True, slots=True)
class Caps:
    """How much is kept.

    Attributes:
        per_agent: facts of one agent, its users' included.
        per_user: facts in one end user's folder; None for no limit of its own.
    """

    per_agent: int = MAX_FACTS
    per_user: int | None = None


@dataclass(frozen=True, slots=True)
class Viewer:
    """Who is looking, and how far.

    Attributes:
        home: where new facts go; those in the user's folder to the same place of the user's own.
        user: the end user, or None.
        run: the run, named in the source of what it writes.
        spaces: what can be seen at all.
        reach: the folders that can be read, replaced and forgotten in; the root means everything
            the spaces hold.
    """

    home: Space
    user: str | None
    run: str | None
    spaces: tuple[Space, ...]
    reach: tuple[Folder, ...] = (ROOT,)

    @classmethod
    def of(cls, agent: str, user: str | None, run: str | None) -> Viewer:
        """Return the view of one run: the agent's shared facts and the user's own."""
        spaces = product((agent,), _with_none(user), (None,), _with_none(run))
        return cls(Space(agent), user, run, tuple(Space(*ids) for ids in spaces))

    @classmethod
    def of_scope(cls, scope: Scope, agent: str) -> Viewer:
        """Return the view of a store's caller, who is *agent* unless the scope names another.

        Everything is seen that was written for ids which are all the caller's own.
        """
        agent = scope.agent or agent
        spaces = product(
            dict.fromkeys((agent, "")),
            _with_none(scope.user),
            _with_none(scope.session),
            _with_none(scope.run),
        )
        home = Space(agent, None, scope.session, scope.run)
        return cls(home, scope.user, scope.run, tuple(Space(*ids) for ids in spaces))

    @property
    def agent(self) -> str:
        """Return whose memory new facts go to."""
        return self.home.agent

    def reply(self, key: str) -> Reply:
        """Return what the idempotency *key* stands for when this viewer writes with it."""
        return Reply(self.agent, self.user, self.home.session, self.run, key)

    def narrowed(self, *reach: Folder) -> Viewer:
        """Return the same viewer, seeing only below these folders."""
        return replace(self, reach=reach)

    def sees(self, stored: Stored) -> bool:
        """Tell whether a fact is there for this viewer."""
        return stored.space in self.spaces and self.reaches(stored.folder)

    def reaches(self, folder: Folder) -> bool:
        """Tell whether *folder* lies below one that can be reached."""
        return any(own.holds(folder) for own in self.reach)


class FactMemory:
    """The rules over a backend.

    Args:
        backend: where facts are kept.
        caps: how many.
        clock: seconds since 1970; replaced in tests.
        on_forget: told of each fact that was forgotten, once it is gone, and of what its versions
            said.
    """

    def __init__(
        self,
        backend: FactBackend,
        caps: Caps,
        clock: Callable[[], float] = time.time,
        on_forget: Callable[[Stored, Sequence[str]], None] = lambda stored, texts: None,
    ) -> None:
        """Keep the backend, the caps and the clock."""
        self.backend = backend
        self._caps = caps
        self._clock = clock
        self._on_forget = on_forget

    def write(
        self,
        viewer: Viewer,
        read: Callable[[], Draft],
        *,
        key: str | None = None,
        written_by: WrittenBy = "code",
    ) -> Fact:
        """Write a new fact, or a new version of the one the draft replaces.

        Args:
            viewer: who writes.
            read: returns the draft, or refuses the caller's arguments; a *key* that was written
                with before answers all the same.
            key: the idempotency key, checked, or None.
            written_by: whether code or the model wrote it.

        Raises:
            FactRefused: what *read* raises, 404 ``not_found``, 409 ``version_conflict``,
                ``cannot_move`` or ``memory_full``, 403 ``outside``; nothing has changed.
            StoreError: the database could not be written; nothing has changed.
        """
        source = Source(viewer.run, written_by)
        to = None if key is None else viewer.reply(key)
        try:
            draft = read()
        except FactRefused:
            known = None if to is None else self._replay(to)
            if known is None:
                raise
            return known
        words = index_words(draft.text)
        with self.backend.writing() as writer:
            known = None if to is None else writer.reply(to)
            if known is not None:
                return known
            old = self._replaced(writer, viewer, draft)
            new = self._next(writer, viewer, draft, source, old)
            if old is None:
                self._check_caps(writer, new.space)
                new = replace(new, metadata=draft.metadata)
            writer.put(new, words, old)
            if to is not None:
                writer.keep_reply(to, new.fact)
        return new.fact

    def _replay(self, to: Reply) -> Fact | None:
        with self.backend.reading() as reader:
            return reader.reply(to)

    def _replaced(self, reader: Reader, viewer: Viewer, draft: Draft) -> Stored | None:
        if draft.replaces is None:
            return None
        old = self._visible(reader, viewer, draft.replaces)
        if draft.expected_version not in (None, old.fact.version):
            raise refusals.version_conflict(
                old.fact.id, draft.expected_version or 0, old.fact.version
            )
        return old

    def _next(
        self, writer: Writer, viewer: Viewer, draft: Draft, source: Source, old: Stored | None
    ) -> Stored:
        folder = _destination(viewer, draft, old)
        # Strictly later than the agent's last write, whatever the clocks of several processes
        # say: "newest" is the order of writing.
        now = moment(max(int(self._clock() * 1_000_000), writer.latest(viewer.agent) + 1))
        if old is None:
            fact = _first_version(draft, folder, source, now)
            return Stored(fact, replace(viewer.home, owner=folder.owner))
        return replace(old, fact=_next_version(old.fact, draft, folder, source, now))

    def _check_caps(self, reader: Reader, space: Space) -> None:
        if reader.count(space.agent) >= self._caps.per_agent:
            raise refusals.memory_full("this agent's memory", self._caps.per_agent)
        most = self._caps.per_user
        if most is None or space.owner is None:
            return
        if reader.held(space.agent, space.owner) >= most:
            raise refusals.memory_full("this user's folder", most)

    def search(
        self,
        viewer: Viewer,
        query: str,
        *,
        limit: int,
        tags: Sequence[str] = (),
        folders: Sequence[Folder] | None = None,
    ) -> list[Stored]:
        """Return the best facts, each with its score; the newest, without, for a blank query."""
        folders = _filter(viewer, folders)
        with self.backend.reading() as reader:
            if not query.strip():
                return reader.newest(viewer.spaces, folders, tags, limit=limit)
            filtered = tags or folders is not None
            allowed = reader.rows_in(viewer.spaces, folders, tags) if filtered else None
            return _ranked(reader, viewer, query_words(query), limit=limit, allowed=allowed)

    def recall(self, viewer: Viewer, question: str, *, limit: int) -> list[Stored]:
        """Return what speaks of *question*, each with the share of it that is covered.

        A whole question is asked here, not words somebody chose: stop words do not count, and a
        question of nothing else finds nothing. A blank one finds the newest, as in ``search``.
        """
        if not question.strip():
            return self.search(viewer, question, limit=limit)
        words = content_words(question)
        with self.backend.reading() as reader:
            return _ranked(reader, viewer, words, limit=limit, background=BACKGROUND)

    def page(
        self,
        viewer: Viewer,
        *,
        limit: int,
        tags: Sequence[str] = (),
        folder: Folder | None = None,
        after: tuple[int, str] | None = None,
    ) -> FactPage:
        """Return one page of facts, newest first."""
        folders = _filter(viewer, None if folder is None else [folder])
        with self.backend.reading() as reader:
            found = reader.newest(viewer.spaces, folders, tags, limit=limit + 1, after=after)
        facts = [stored.fact for stored in found]
        more = len(facts) > limit
        return FactPage(facts[:limit], write_cursor(facts[limit - 1]) if more else None)

    def get(self, viewer: Viewer, ident: str) -> Fact:
        """Return the current version.

        Raises:
            FactRefused: 404 ``not_found``.
        """
        with self.backend.reading() as reader:
            return self._visible(reader, viewer, ident).fact

    def history(self, viewer: Viewer, ident: str) -> list[Fact]:
        """Return every version, oldest first.

        Raises:
            FactRefused: 404 ``not_found``.
        """
        with self.backend.reading() as reader:
            current = self._visible(reader, viewer, ident)
            return [*reader.earlier(ident), current.fact]

    def forget(self, viewer: Viewer, ident: str) -> None:
        """Remove a fact with every version.

        Raises:
            FactRefused: 404 ``not_found``.
        """
        with self.backend.writing() as writer:
            stored = self._visible(writer, viewer, ident)
            versions = [*writer.earlier(ident), stored.fact]
            writer.remove(stored)
        self._on_forget(stored, [fact.text for fact in versions])

    def erase(
        self,
        agent: str | None,
        user: str | None,
        session: str | None = None,
        run: str | None = None,
    ) -> int:
        """Remove everything written for these ids, from the files too; return how many facts."""
        with self.backend.writing() as writer:
            erased = writer.erase(agent, user, session, run)
        self.backend.scrub()
        return erased

    def _visible(self, reader: Reader, viewer: Viewer, ident: str) -> Stored:
        stored = reader.find(ident)
        if stored is None or not viewer.sees(stored):
            raise refusals.not_found(ident)
        return stored


def _destination(viewer: Viewer, draft: Draft, old: Stored | None) -> Folder:
    folder = draft.folder or (viewer.reach[0] if old is None else old.folder)
    if old is not None and folder.owner != old.space.owner:
        raise refusals.cannot_move()
    if not viewer.reaches(folder):
        raise refusals.outside(folder.path)
    if folder.path == "users/":
        raise refusals.MalformedFact(
            "path 'users/' holds the users' folders and no facts: use users/{user}/"
        )
    return folder


def _first_version(draft: Draft, folder: Folder, source: Source, now: datetime) -> Fact:
    return Fact(
        id=f"m_{secrets.token_hex(10)}",
        path=folder.path,
        text=draft.text,
        tags=draft.tags or (),
        confidence=draft.confidence,
        version=1,
        created_at=now,
        updated_at=now,
        source=source,
    )


def _next_version(old: Fact, draft: Draft, folder: Folder, source: Source, now: datetime) -> Fact:
    return replace(
        old,
        path=folder.path,
        text=draft.text,
        tags=old.tags if draft.tags is None else draft.tags,
        confidence=old.confidence if draft.confidence is None else draft.confidence,
        version=old.version + 1,
        updated_at=now,
        source=source,
    )


def _ranked(
    reader: Reader,
    viewer: Viewer,
    words: Sequence[str],
    *,
    limit: int,
    allowed: Collection[int] | None = None,
    background: int | None = None,
) -> list[Stored]:
    facts, total = reader.totals(viewer.spaces)
    hits = best(
        (reader.postings(viewer.spaces, word) for word in words),
        facts=facts,
        words=total,
        limit=limit,
        allowed=allowed,
        background=background,
    )
    found = reader.load([row for row, _ in hits])
    return [
        replace(stored, fact=stored.fact.scored(score))
        for stored, (_, score) in zip(found, hits, strict=True)
    ]


def _with_none(given: str | None) -> tuple[str | None, ...]:
    return (None,) if given is None else (None, given)


def _filter(viewer: Viewer, folders: Sequence[Folder] | None) -> tuple[Folder, ...] | None:
    """Return the folders to look in, None for everywhere."""
    wanted = viewer.reach if folders is None else tuple(folders)
    return None if any(folder.path == "" for folder in wanted) else wanted
