"""One run's view of the memory: the API that agent code and tools use."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, TypeAlias

from ..errors import InvocationEnded
from ..records import MemoryEntry
from ..rendering import render_block
from . import rules
from .memory import FactMemory, Viewer
from .model import Fact, FactPage, WrittenBy, read_cursor
from .paths import ROOT, Folder, read_folder, read_folders, user_segment
from .rules import Draft
from .twins import Closing, twin

if TYPE_CHECKING:
    from .tools import FactTools

__all__ = ["FactRun", "RunState"]

# Inside the class the name `list` is the method.
FactList: TypeAlias = list[Fact]


class RunState:
    """Whether a run still goes on; shared by all handles of it."""

    __slots__ = ("ended",)

    def __init__(self) -> None:
        """Begin."""
        self.ended = False


class FactRun(Closing):
    """The memory as one run of one agent sees it, for one end user or for nobody.

    Made by :meth:`FactStore.open`. It sees the agent's shared facts and the folder of its own end
    user; facts of other users and other agents are not there. Every method has an ``a``-prefixed
    async twin. Usable as a context manager, sync and async.

    Every method raises :class:`InvocationEnded` after ``close()``, :class:`FactRefused` when the
    rules do not allow the call (nothing has changed then), and :class:`StoreError` when the
    database cannot answer.
    """

    def __init__(
        self,
        memory: FactMemory,
        viewer: Viewer,
        *,
        name: str = "facts",
        base: Folder = ROOT,
        state: RunState | None = None,
    ) -> None:
        """Look at *memory* as *viewer*, below *base*; *name* is the source in blocks."""
        self._memory = memory
        self._viewer = viewer
        self._name = name
        self._base = base
        self._state = state or RunState()

    @property
    def path(self) -> str:
        """Return the folder this handle works below, ``""`` for the root."""
        return self._base.path

    @property
    def ended(self) -> bool:
        """Tell whether the run was closed."""
        return self._state.ended

    def at(self, path: str) -> FactRun:
        """Return a handle on the same run whose paths start at *path*, and which sees only below.

        Closing either ends the run.
        """
        self._check_open()
        folder = self._folder(path)
        return FactRun(
            self._memory,
            self._viewer.narrowed(folder),
            name=self._name,
            base=folder,
            state=self._state,
        )

    def remember(
        self,
        text: str,
        *,
        path: str | None = None,
        tags: Collection[str] = (),
        confidence: float | None = None,
        key: str | None = None,
        replaces: str | None = None,
        expected_version: int | None = None,
    ) -> Fact:
        """Write a fact, or a new version of one.

        Args:
            text: 1-4000 characters, not only blanks.
            path: the folder; left out, this handle's own, or for a new version where it was.
            tags: at most 20 of 1-50 ``[A-Za-z0-9._:-]``. A new version keeps the tags when they
                are left out; an empty list takes them off.
            confidence: 0 to 1; a new version keeps it when left out.
            key: 1-200 of ``[A-Za-z0-9._:-]``; makes the write idempotent: the same key in the
                same run answers what was written the first time, before any other check.
            replaces: id of the fact to write a new version of.
            expected_version: the version you have read; refused if it is no longer current.

        Returns:
            The fact as written.

        Raises:
            FactRefused: 422 ``invalid``, 404 ``not_found``, 403 ``other_user``, 409 ``no_user``,
                ``version_conflict``, ``cannot_move`` or ``memory_full``.
        """
        return self.write(
            "code", text, path=path, tags=tags, confidence=confidence, key=key,
            replaces=replaces, expected_version=expected_version,
        )  # fmt: skip

    def write(
        self,
        written_by: WrittenBy,
        text: str,
        *,
        path: str | None = None,
        tags: Collection[str] = (),
        confidence: float | None = None,
        key: str | None = None,
        replaces: str | None = None,
        expected_version: int | None = None,
    ) -> Fact:
        """Do what :meth:`remember` does, on behalf of ``"code"`` or ``"model"``."""
        self._check_open()

        def read() -> Draft:
            return Draft(
                rules.read_text(text),
                None if path is None else self._folder(path),
                rules.read_tags(tags),
                rules.read_confidence(confidence),
                None if replaces is None else rules.read_ident(replaces),
                rules.read_version(expected_version, replaces),
            )

        key = rules.read_key(key)
        return self._memory.write(self._viewer, read, key=key, written_by=written_by)

    def search(
        self,
        query: str,
        *,
        k: int = 5,
        tags: Collection[str] = (),
        paths: Sequence[str] | None = None,
    ) -> FactList:
        """Return the *k* facts that fit best, each with its score, newest first on ties.

        The words of *query* are OR-ed and each matches every word it begins, whatever the case;
        there are no operators. A blank query lists the newest, without scores.

        Args:
            query: any string.
            k: 1-50.
            tags: all of them must be on the fact.
            paths: folders to look in, a list; None is everything this handle sees.

        Raises:
            FactRefused: 422 ``invalid``, 403 ``other_user``, 409 ``no_user``.
        """
        self._check_open()
        found = self._memory.search(
            self._viewer,
            rules.read_query(query),
            limit=rules.read_count("k", k, 50),
            tags=rules.read_tags(tags) or (),
            folders=self._folders(paths),
        )
        return [stored.fact for stored in found]

    def list(
        self,
        *,
        path: str | None = None,
        tags: Collection[str] = (),
        limit: int = 50,
        cursor: str | None = None,
    ) -> FactPage:
        """Return facts, last updated first, a page at a time.

        Args:
            path: only below this folder.
            tags: all of them must be on the fact.
            limit: 1-200.
            cursor: ``next_cursor`` of the page before. Facts written meanwhile do not shift it.

        Raises:
            FactRefused: 422 ``invalid``, 403 ``other_user``, 409 ``no_user``.
        """
        self._check_open()
        return self._memory.page(
            self._viewer,
            limit=rules.read_count("limit", limit, 200),
            tags=rules.read_tags(tags) or (),
            folder=None if path is None else self._folder(path),
            after=read_cursor(cursor),
        )

    def get(self, id: str) -> Fact:
        """Return the current version of a fact.

        Raises:
            FactRefused: 404 ``not_found``, also for a fact of another user or agent.
        """
        self._check_open()
        return self._memory.get(self._viewer, rules.read_ident(id))

    def history(self, id: str) -> FactList:
        """Return every version of a fact, oldest first; the last is the current one.

        Raises:
            FactRefused: 404 ``not_found``.
        """
        self._check_open()
        return self._memory.history(self._viewer, rules.read_ident(id))

    def forget(self, id: str) -> None:
        """Remove a fact with all its versions.

        Raises:
            FactRefused: 404 ``not_found``.
        """
        self._check_open()
        self._memory.forget(self._viewer, rules.read_ident(id))

    def context(self, question: str, *, paths: Sequence[str] | None = None, k: int = 5) -> str:
        """Return the facts that fit *question* as one ``<memory>`` block, ``""`` if none does.

        A fact's text cannot close the block or open a tag.

        Args:
            question: any string.
            paths: folders to look in, a list; None is everything this handle sees.
            k: most facts, 1-50.

        Raises:
            FactRefused: 422 ``invalid``, 403 ``other_user``, 409 ``no_user``.
        """
        found = self.search(question, k=k, paths=paths)
        if not found:
            return ""
        return render_block([MemoryEntry(fact.text, self._name, fact.id) for fact in found])

    def tools(self, *, paths: Sequence[str] | None = None) -> FactTools:
        """Return ``search_memory``, ``save_memory`` and ``forget_memory`` for the model.

        Args:
            paths: folders the model may reach, a list; None is everything this handle sees. A
                fact saved without a path goes to the first; without *paths*, to the end user's
                folder where the run has one, so that nobody's secrets become everybody's.

        Raises:
            FactRefused: 422 ``invalid``, 403 ``other_user``, 409 ``no_user``.
        """
        from .tools import FactTools

        self._check_open()
        return FactTools(self, self._folders(paths))

    def narrowed(self, reach: Sequence[Folder]) -> FactRun:
        """Return a handle with the same paths that reaches only *reach*."""
        return FactRun(
            self._memory,
            self._viewer.narrowed(*reach),
            name=self._name,
            base=self._base,
            state=self._state,
        )

    def written(self, folder: Folder) -> str:
        """Return how a caller of this handle writes *folder*; ``"/"`` is where it starts."""
        user = self._viewer.user
        path = folder.path.removeprefix(self._base.path)
        own = None if user is None or self._base != ROOT else f"users/{user_segment(user)}/"
        if own is not None and path.startswith(own):
            path = "users/{user}/" + path.removeprefix(own)
        return path or "/"

    @property
    def usual_folder(self) -> str:
        """Return where the model's facts go when it names no folder: its user's own, if any."""
        if self._viewer.user is None or self._viewer.reach != (ROOT,):
            return self.written(self._viewer.reach[0])
        return "users/{user}/"

    def close(self) -> None:
        """End the run: every handle of it raises :class:`InvocationEnded` from now on."""
        self._state.ended = True

    def _check_open(self) -> None:
        if self._state.ended:
            raise InvocationEnded("this run has ended: its memory can no longer be used")

    def _folder(self, path: object) -> Folder:
        return read_folder(path, user=self._viewer.user, base=self._base)

    def _folders(self, paths: object) -> tuple[Folder, ...] | None:
        return read_folders(paths, user=self._viewer.user, base=self._base)

    aremember = twin(remember)
    awrite = twin(write)
    asearch = twin(search)
    alist = twin(list)
    aget = twin(get)
    ahistory = twin(history)
    aforget = twin(forget)
    acontext = twin(context)
