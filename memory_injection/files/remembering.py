"""Turn capture: drafts from a finished turn become records with ``source: turn_end``."""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections import OrderedDict
from collections.abc import AsyncIterable, Callable
from typing import Any

from ..driving import on_loop
from ..errors import InputError, StoreError
from ..forks import Lock
from ..records import MemoryEntry, Scope
from .record import MAX_CONTENT, MemoryDraft
from .store import FileStore, durable
from .turns import ExtractionError, Turn, TurnOutcome, caller_for, drafts_in

__all__ = ["Rememberer"]

_LOG = logging.getLogger("memory_injection.files")
_SOURCE = "turn_end"
_PENDING = 1024  # scopes whose user text waits for its reply; the oldest go first


class Rememberer:
    """Runs ``extract_turn`` and writes what it returns; without one it writes nothing."""

    def __init__(self, store: FileStore, extract: Callable[..., Any] | None) -> None:
        """Write to *store* what *extract* finds."""
        self._store = store
        self._extract = None if extract is None else caller_for(extract)
        self._heard: OrderedDict[Scope, str] = OrderedDict()
        self._lock = Lock()

    def hear(self, role: str, text: str, scope: Scope) -> Turn | None:
        """Keep what a user says until the reply to it completes the turn; return the turn then.

        Raises:
            InputError: a role other than user and assistant, or the text is not a text.
        """
        if role not in ("user", "assistant"):
            raise InputError(f"role must be 'user' or 'assistant', not {role!r:.80}")
        if not isinstance(text, str):
            raise InputError(f"text must be a text, not {text!r:.80}")
        with self._lock:
            said = self._heard.pop(scope, "")
            if role == "user":
                # What goes unanswered is kept up to a record's length, the newest of it.
                self._heard[scope] = (f"{said}\n\n{text}" if said else text)[-MAX_CONTENT:]
                while len(self._heard) > _PENDING:
                    self._heard.popitem(last=False)
                return None
        messages = ({"role": "user", "content": said}, {"role": "assistant", "content": text})
        return Turn(said, text, messages if said else messages[1:], scope)

    def drop(self, concerns: Callable[[Scope], bool]) -> None:
        """Forget what the scopes that *concerns* names said and got no reply to."""
        with self._lock:
            for scope in [scope for scope in self._heard if concerns(scope)]:
                del self._heard[scope]

    def remember(self, turn: Turn) -> TurnOutcome:
        """Extract and write; an async extractor runs on the library's background loop."""
        if self._extract is None:
            return TurnOutcome()
        try:
            found = self._extract(turn)
            if inspect.isawaitable(found) or isinstance(found, AsyncIterable):
                found = on_loop(lambda: _settled(found)).result().unwrap()
        except Exception as error:
            found = [error]
        return self._write(turn, found)

    async def aremember(self, turn: Turn) -> TurnOutcome:
        """Extract and write; an async extractor runs on the caller's loop, another in a thread."""
        if self._extract is None:
            return TurnOutcome()
        try:
            # Called in a thread, since one that is not async may take its time; awaited here.
            found = await _settled(await asyncio.to_thread(self._extract, turn))
        except Exception as error:
            found = [error]
        return await asyncio.to_thread(self._write, turn, found)

    def _write(self, turn: Turn, found: object) -> TurnOutcome:
        owner, origin = durable(turn.scope)
        written: list[MemoryEntry] = []
        problems: list[str] = []
        known, failed = 0, False
        for draft in drafts_in(found):
            try:
                # One way out for every kind of bad draft: unreadable, refused, not written.
                if isinstance(draft, InputError):
                    raise draft
                if self._is_known(draft, owner):
                    known += 1
                    continue
                record = self._store.write(draft, owner, source=_SOURCE, extra=origin)
                written.append(record.entry(self._store.name))
            except (InputError, StoreError) as error:
                problems.append(f"{type(error).__name__}: {error}")
                failed = failed or isinstance(error, (StoreError, ExtractionError))
                _LOG.warning("draft_refused error=%s", type(error).__name__)
        return TurnOutcome(tuple(written), known, tuple(problems), failed)

    def _is_known(self, draft: MemoryDraft, default: Scope) -> bool:
        owner, _ = draft.owner(default)
        # Looked up among what the owner sees, compared with what is the owner's own: a shared
        # record saying the same does not replace a private one.
        return any(
            record.owner == owner
            and record.content == draft.content
            and (record.title == draft.title or not draft.title)
            for record in self._store.visible(owner)
        )


async def _settled(found: Any) -> Any:
    if inspect.isawaitable(found):
        found = await found
    if not isinstance(found, AsyncIterable):
        return found
    drafts: list[Any] = []
    try:
        async for draft in found:
            drafts.append(draft)  # noqa: PERF401 (what came before a failure is kept)
    except Exception as error:
        drafts.append(error)
    return drafts
