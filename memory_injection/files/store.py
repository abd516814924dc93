"""The files as a store: search, read, add, change, forget, each within the caller's scope."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timezone
from itertools import islice
from pathlib import Path
from typing import Any

from ..entries import read_time
from ..errors import ConfigurationError, InputError, StoreClosedError, StoreError
from ..records import MemoryEntry, Scope, SearchOptions
from .catalogue import Catalogue
from .disk import UnreadableFileError
from .front_matter import FrontMatter, FrontMatterError, compose, owner_key, split
from .names import check_id, new_id
from .options import RecallOptions
from .reader import RECORDS, parse_file
from .record import FileRecord, MemoryDraft, RecordChange, owner_of
from .search import BM25Engine
from .writer import RecordFiles

__all__ = ["FileStore", "durable", "is_within", "scope_of"]

_LOG = logging.getLogger("memory_injection.files")
_QUERY_LIMIT = 10_000  # characters; more words than that only cost time
_DRAFT_KEYS = ("title", "kind", "scope", "tags")
_NEW_ID_TRIES = 8
_VIEWS = 256  # scopes


class FileStore:
    """Records in plain files under one root."""

    def __init__(
        self,
        root: Path,
        name: str,
        options: RecallOptions,
        clock: Callable[[], datetime],
        on_delete: Callable[[FileRecord], None],
    ) -> None:
        """Read and write below *root*; nothing is touched before the first call.

        *on_delete* is told of each record that was deleted, once it is gone.
        """
        self.root = root
        self.name = name
        self._options = options
        self._clock = clock
        self._on_delete = on_delete
        self._catalogue = Catalogue(root, options.max_file_bytes)
        self._files = RecordFiles(root)
        engine = options.engine
        if engine is None:
            engine = BM25Engine(options.tokenizer, options.stop_words)
        self._rank: Callable[..., Iterable[Any]] = getattr(engine, "search", engine)
        # What each scope sees of the records as last read: the same tuple while nothing changes.
        self._views: tuple[Sequence[FileRecord], dict[Scope, tuple[FileRecord, ...]]] = ((), {})
        self._closed = False

    def close(self) -> None:
        """Refuse further use. Nothing is held open."""
        self._closed = True

    def search(self, query: str, options: SearchOptions | None = None) -> list[MemoryEntry]:
        """Return the entries that fit *query*, best first, of those the scope may see."""
        if not isinstance(query, str):
            raise InputError(f"query must be a text, not {query!r:.80}")
        limit, scope = self._read_options(options)
        visible = self.visible(scope)
        if not query.strip() or not visible:
            return []
        hits = self._ranked(query[:_QUERY_LIMIT], visible, limit)
        return [record.entry(self.name, score) for record, score in hits]

    def _ranked(
        self, query: str, visible: Sequence[FileRecord], limit: int
    ) -> Sequence[tuple[FileRecord, Any]]:
        try:
            return tuple(islice(_checked(self._rank(query, visible, limit), visible), limit))
        except Exception as error:  # a tokenizer or an engine of the user's own
            reason = f"the tokenizer or the engine failed: {type(error).__name__}: {error}"
            raise StoreError(reason, self.name) from error

    def list(self, scope: Scope) -> list[MemoryEntry]:
        """Return every entry the scope may see, in order of path."""
        return [record.entry(self.name) for record in self.visible(scope)]

    def find(self, ident: str, scope: Scope) -> FileRecord | None:
        """Return the record with this id, or None if the scope sees none.

        Raises:
            InputError: the id could not be the name of a record.
        """
        found = next((r for r in self.visible(scope) if r.id == ident), None)
        # Looked up first, checked afterwards: ids of sections hold characters record ids must not.
        if found is None:
            check_id(ident)
        return found

    def visible(self, scope: Scope) -> Sequence[FileRecord]:
        """Return the records the scope may see, in order of path."""
        records = self._read()
        of, by_scope = self._views
        if of is not records:
            by_scope = {}
            self._views = records, by_scope
        view = by_scope.get(scope)
        if view is None:
            if len(by_scope) >= _VIEWS:
                by_scope.clear()
            view = by_scope[scope] = tuple(r for r in records if scope.sees(r.owner))
        return view

    def skipped(self) -> dict[str, str]:
        """Return the files that are not read, each with its reason."""
        self._open()
        return self._catalogue.skipped()

    def write(
        self,
        draft: MemoryDraft,
        scope: Scope,
        *,
        source: str | None = None,
        ident: str | None = None,
        extra: Mapping[str, Any] | None = None,
    ) -> FileRecord:
        """Write *draft* as a new record and return it as recall will read it.

        Raises:
            InputError: the id is taken or not safe, or the file could not be read back: *extra* has
                no YAML form or is too long, or the whole is longer than ``max_file_bytes``.
            StoreError: the disk refused.
        """
        self._open()
        owner, label = draft.owner(scope)
        values = self._front(draft, owner, label, source)
        values.update(_apart(extra or {}))
        _check_owner(values, owner)
        # A made-up id may be taken, once in four thousand million times; a given one is an error.
        for _ in range(_NEW_ID_TRIES):
            chosen = ident if ident is not None else new_id(draft.title or draft.content)
            record, text = self._composed(f"{RECORDS}/{chosen}.md", {"id": chosen, **values}, draft)
            try:
                self._files.create(chosen, text)
            except InputError:
                if ident is not None:
                    raise
                continue
            return record
        raise StoreError(f"no free record id was found in {_NEW_ID_TRIES} tries", self.name)

    def _composed(
        self, path: str, values: Mapping[str, Any], draft: MemoryDraft
    ) -> tuple[FileRecord, str]:
        try:
            text = compose(FrontMatter().rewritten(values), draft.content)
            return self._readable(path, text), text
        except (FrontMatterError, UnreadableFileError) as error:
            raise InputError(f"the memory could not be read back: {error}") from None

    def _readable(self, path: str, text: str) -> FileRecord:
        """Read *text* as recall will once it stands at *path*: what recall skips is not written."""
        size = len(text.encode("utf-8"))
        if size > self._options.max_file_bytes:
            limit = self._options.max_file_bytes
            raise UnreadableFileError(f"it is larger than {limit} bytes ({size})")
        return parse_file(path, text)[0]

    def change(self, record: FileRecord, change: RecordChange, scope: Scope) -> bool:
        """Rewrite a record, keeping what *change* does not name; False if it is gone.

        Raises:
            InputError: it is not a record file, it is somebody else's by now, or it would become
                too large to be read.
            StoreError: the file is broken by now, or the disk refused.
        """
        self._open()
        if not record.writable:
            raise InputError(f"{record.id!r} is part of {record.path}: edit that file")

        def rewritten(text: str) -> str:
            try:
                front, body = split(text)
                now = parse_file(record.path, text)[0]
            except (FrontMatterError, UnreadableFileError) as error:
                raise StoreError(f"{record.path} was left as it is: {error}", self.name) from None
            # The catalogue may be a moment old; whose file it is now is what counts.
            if not scope.sees(now.owner):
                raise InputError(f"no record {record.id!r}")
            keys = {**change.keys(), "updated_at": _stamp(self._clock())}
            kept = body.strip("\n") if change.content is None else change.content
            try:
                changed = compose((front or FrontMatter()).rewritten(keys), kept)
                self._readable(record.path, changed)
            except (FrontMatterError, UnreadableFileError) as error:
                raise InputError(f"the memory could not be read back: {error}") from None
            return changed

        return self._files.rewrite(record.path, rewritten, self._options.max_file_bytes)

    def delete(self, record: FileRecord) -> bool:
        """Delete a record's file; False if it is gone already.

        Raises:
            InputError: it is not a record file.
            StoreError: the disk refused.
        """
        self._open()
        if not record.writable:
            raise InputError(f"{record.id!r} is part of {record.path}: edit that file")
        gone = self._files.delete(record.path)
        if gone:
            self._on_delete(record)
        return gone

    def erase(self, owner: Scope) -> int:
        """Delete every file written for all of *owner*'s ids (and perhaps more); return how many.

        Raises:
            InputError: *owner* names nobody.
            StoreError: the root cannot be read or the disk refused; the call can be repeated.
        """
        if not owner.ids():
            raise InputError("erase needs a scope with at least one id: it would delete everything")
        paths = {record.path for record in self._read() if is_within(record.owner, owner)}
        # What a killed writer left has no owner that could be read, and may be this one's.
        self._files.sweep()
        return sum(self._files.delete(path) for path in sorted(paths))

    def draft_from(
        self, content: str, metadata: Mapping[str, Any] | None
    ) -> tuple[MemoryDraft, str | None, str | None, dict[str, Any]]:
        """Split metadata into a draft, a source, an id and the keys kept as they are."""
        if metadata is not None and not isinstance(metadata, Mapping):
            raise InputError(f"metadata must be a mapping, not {metadata!r:.80}")
        rest = {str(key): value for key, value in (metadata or {}).items() if value is not None}
        given = {key: rest.pop(key) for key in _DRAFT_KEYS if key in rest}
        rest.pop("path", None)  # an entry's metadata says where it was; a new record is elsewhere
        ident, source = rest.pop("id", None), rest.pop("source", None)
        for key in ("created_at", "updated_at"):
            if key in rest:
                rest[key] = _given_time(key, rest[key])
        return MemoryDraft.of({"content": content, **given}), _text(source), ident, rest

    def _front(
        self, draft: MemoryDraft, owner: Scope, label: str | None, source: str | None
    ) -> dict[str, Any]:
        ids = owner.ids()
        # A label with a colon would be read back as an id, and make the memory somebody's.
        mapped = bool(ids) or ":" in (label or "")
        scope: Any = {**({"label": label} if label else {}), **ids} if mapped else label
        now = _stamp(self._clock())
        return {
            "title": draft.title or None,
            "kind": draft.kind,
            "scope": scope,
            "tags": list(draft.tags) or None,
            "source": source,
            "created_at": now,
            "updated_at": now,
        }

    def _read_options(self, options: Mapping[str, Any] | None) -> tuple[int, Scope]:
        given = options or {}
        limit = given.get("max_search_results")
        if limit is None:
            limit = self._options.max_results
        if not isinstance(limit, int) or isinstance(limit, bool) or limit < 1:
            raise InputError(f"max_search_results must be a whole number from 1, not {limit!r}")
        return limit, scope_of(given.get("scope"))

    def _read(self) -> Sequence[FileRecord]:
        self._open()
        try:
            return self._catalogue.records()
        except OSError as error:
            reason = f"{self.root} cannot be read: {error.strerror or error}"
            raise StoreError(reason, self.name) from error

    def _open(self) -> None:
        if self._closed:
            raise StoreClosedError(f"the store {self.name!r} is closed", self.name)


def scope_of(value: object) -> Scope:
    """Read a call's scope.

    Raises:
        InputError: it is not a scope, or an id is empty.
    """
    try:
        return Scope.of(value)  # type: ignore[arg-type]
    except ConfigurationError as error:
        raise InputError(str(error)) from None


def is_within(found: Scope, owner: Scope) -> bool:
    """Tell whether *found* carries every id of *owner*."""
    ids = found.ids()
    return all(ids.get(name) == value for name, value in owner.ids().items())


def durable(scope: Scope) -> tuple[Scope, dict[str, str]]:
    """Return whom a memory of *scope* is for, and where it came from.

    A memory outlives the session and the run it was made in, so it belongs to user and agent;
    the rest stays readable in the front matter.
    """
    origin = {name: value for name, value in scope.ids().items() if name in ("session", "run")}
    return Scope(user=scope.user, agent=scope.agent), origin


def _checked(
    hits: Iterable[Any], visible: Sequence[FileRecord]
) -> Iterable[tuple[FileRecord, Any]]:
    """Read what an engine returned; whatever is not one of the records it was given is dropped."""
    own = set(map(id, visible))
    for hit in hits:
        record, score = hit if isinstance(hit, tuple) and len(hit) == 2 else (hit, None)
        if id(record) not in own:
            _LOG.warning("engine_result_dropped type=%s", type(record).__name__)
            continue
        yield record, score


def _apart(extra: Mapping[str, Any]) -> dict[str, Any]:
    """Return *extra* with the keys that would read as an owner in a mapping of their own."""
    named = {key: value for key, value in extra.items() if owner_key(key) in ("user", "agent")}
    rest = {key: value for key, value in extra.items() if key not in named}
    if not named:
        return rest
    apart = rest.get("extra", {})
    if not isinstance(apart, Mapping):
        raise InputError(f"metadata extra beside {next(iter(named))!r} must be a mapping")
    return {**rest, "extra": {**apart, **named}}


def _check_owner(values: Mapping[str, Any], owner: Scope) -> None:
    """Refuse metadata that would make the record somebody else's when it is read."""
    given = {key: value for key, value in values.items() if value is not None}
    try:
        found, _ = owner_of(given)
    except ValueError as error:
        raise InputError(f"metadata: {error}") from None
    if not is_within(found, owner):
        raise InputError(f"metadata says the record is for {found}, and the scope for {owner}")


def _stamp(moment: datetime) -> str:
    return moment.astimezone(timezone.utc).isoformat(timespec="microseconds").replace("+00:00", "Z")


def _given_time(key: str, value: object) -> str:
    moment = read_time(value)
    try:
        if moment is not None:
            return _stamp(moment)
    except OverflowError:  # the year 1 or 9999, and in UTC another
        pass
    raise InputError(f"{key} must be a time (ISO 8601), not {value!r:.80}")


def _text(value: object) -> str | None:
    return None if value is None else " ".join(str(value).split()) or None
