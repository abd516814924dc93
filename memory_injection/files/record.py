"""One memory as it stands in a file, and the draft of one that is not written yet."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any

from ..errors import InputError
from ..records import MemoryEntry, Scope
from .disk import line_feeds
from .front_matter import owner_key

__all__ = ["FileRecord", "MemoryDraft", "RecordChange", "owner_of"]

_OWNER_KEYS = ("user", "session", "agent", "run")
_ORIGIN_KEYS = ("session", "run")  # what captured memories carry besides their owner
_SEVERAL = re.compile(r"[,;]|\s\S+:")
MAX_CONTENT = 100_000  # characters of one record; a longer text is a document, not a memory
MAX_TITLE = 200
MAX_TAGS = 50


@dataclass(frozen=True, eq=False)
class FileRecord:
    """One memory read from a file. Compared by identity: the same object is the same reading.

    Attributes:
        id: record id (file stem or the front matter's ``id``), or for sections
            ``MEMORY.md#heading-path``.
        content: the text, without front matter.
        path: the file, relative to the root, with forward slashes.
        title: title or heading path; "" if there is none.
        kind: free word, e.g. ``"preference"``; None if not given.
        label: free ``scope`` label, e.g. ``"project"``; None if not given.
        owner: whom it was written for; ``Scope()`` is everybody.
        tags: free words.
        source: what wrote it, e.g. ``"turn_end"`` or ``"tool"``; None if not given.
        created_at, updated_at: from the front matter; None where it says nothing (a file's own
            times change with every copy, so they count for nothing).
        extra: the front matter's other keys.
        writable: it is a file of its own in ``records/``.
    """

    id: str
    content: str
    path: str
    title: str = ""
    kind: str | None = None
    label: str | None = None
    owner: Scope = field(default_factory=Scope)
    tags: tuple[str, ...] = ()
    source: str | None = None
    created_at: datetime | None = None
    updated_at: datetime | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)
    writable: bool = False

    @property
    def text(self) -> str:
        """Return what is shown to a model: the title, unless the text opens with it, then it."""
        if not self.title or not self.content:
            return self.content or self.title
        # A body often opens with its title as a heading or in bold.
        opening = self.content.lstrip("#* ")[: len(self.title) + 1].casefold()
        repeats = re.fullmatch(rf"{re.escape(self.title.casefold())}\W?", opening)
        return self.content if repeats else f"{self.title}\n{self.content}"

    def entry(self, store_name: str, score: float | None = None) -> MemoryEntry:
        """Return the record as a store's search result."""
        facts: dict[str, Any] = {
            **self.extra,
            "path": self.path,
            "title": self.title or None,
            "kind": self.kind,
            "scope": self.label,
            "tags": list(self.tags) or None,
            "source": self.source,
        }
        return MemoryEntry(
            content=self.text,
            store_name=store_name,
            id=self.id,
            score=score,
            created_at=self.created_at,
            updated_at=self.updated_at,
            metadata={key: value for key, value in facts.items() if value is not None},
            scope=self.owner if self.owner.ids() else None,
        )


@dataclass(frozen=True, slots=True)
class MemoryDraft:
    """A memory to be written.

    Attributes:
        content: the text; 1-100,000 characters, not only blanks, no NUL or lone surrogate.
        title: one line of at most 200 characters; "" for none.
        kind: a free word.
        scope: a free label such as ``"project"``, which restricts nothing; or a ``Scope`` or a
            mapping of ids, which says whom it is written for.
        tags: free words, at most 50; a text with commas is read as several.

    Raises:
        InputError: a field breaks its rule; the message names the field, the value and the rule.
    """

    content: str
    title: str = ""
    kind: str | None = None
    scope: str | Scope | Mapping[str, str] | None = None
    tags: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Check and normalise every field."""
        put = object.__setattr__
        # Frozen, so that a draft checked once stays right; hence the way round __setattr__.
        put(self, "content", _content(self.content))
        put(self, "title", _line("title", self.title or "", MAX_TITLE))
        put(self, "kind", _line("kind", self.kind, MAX_TITLE) or None if self.kind else None)
        put(self, "tags", _tags(self.tags))
        if isinstance(self.scope, str):
            put(self, "scope", _line("scope", self.scope, MAX_TITLE) or None)
        elif self.scope is not None and not isinstance(self.scope, (Scope, Mapping)):
            raise InputError(f"scope must be a label, a Scope or a mapping, not {self.scope!r:.80}")

    @classmethod
    def of(cls, value: object) -> MemoryDraft:
        """Read a draft from a draft, a text, a mapping or an object with these attributes.

        Raises:
            InputError: it has no content, an unknown key, or a field breaks its rule.
        """
        if isinstance(value, cls):
            return value
        if isinstance(value, str):
            return cls(value)
        names = [f.name for f in fields(cls)]
        if isinstance(value, Mapping):
            unknown = sorted(set(map(str, value)) - set(names))
            if unknown:
                raise InputError(f"a draft has no field {unknown[0]!r}: use {', '.join(names)}")
            given = dict(value)
        else:
            given = {name: getattr(value, name) for name in names if hasattr(value, name)}
        if "content" not in given:
            raise InputError(f"a draft needs content, and {value!r:.80} has none")
        return cls(**{k: v for k, v in given.items() if v is not None or k == "content"})

    def owner(self, default: Scope) -> tuple[Scope, str | None]:
        """Return whom it is written for and its label; a label leaves the owner to *default*."""
        if self.scope is None or isinstance(self.scope, str):
            return default, self.scope
        try:
            return Scope.of(self.scope), None
        except ValueError as error:
            raise InputError(str(error)) from None


@dataclass(frozen=True, slots=True)
class RecordChange:
    """What to change in a record; a field left None stays as it is, ``""`` or ``()`` empties it.

    Raises:
        InputError: a field breaks its rule (see ``MemoryDraft``).
    """

    content: str | None = None
    title: str | None = None
    kind: str | None = None
    tags: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        """Check and normalise through the rules of a draft."""
        draft = MemoryDraft(
            "-" if self.content is None else self.content,
            title=self.title or "",
            kind=self.kind,
            tags=self.tags or (),
        )
        if self.content is not None:
            object.__setattr__(self, "content", draft.content)
        for name in ("title", "kind", "tags"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, getattr(draft, name))

    def keys(self) -> dict[str, Any]:
        """Return the front matter keys to set; None removes one."""
        found: dict[str, Any] = {}
        if self.title is not None:
            found["title"] = self.title or None
        if self.kind is not None:
            found["kind"] = self.kind or None
        if self.tags is not None:
            found["tags"] = list(self.tags) or None
        return found


def owner_of(values: Mapping[str, Any]) -> tuple[Scope, str | None]:
    """Read from a front matter whom the file is for, and its free label.

    ``scope`` as a text is a label (``project``), unless it reads ``user:ID`` (or ``session:``,
    ``agent:``, ``run:``). A mapping holds ids and optionally ``label``. ``user_id`` and its like,
    the names other memory services use, restrict as well, and so do ``user`` and ``agent``;
    ``session`` and ``run`` alone say where a memory came from. Other spellings of these keys mean
    the same. What cannot be read for certain is an error, so that a typing mistake never shows
    one user's file to another.

    Raises:
        ValueError: an unknown key or prefix, an empty id, or two that contradict each other.
    """
    label: str | None = None
    ids: list[tuple[str, str]] = []
    for key, value in values.items():
        known = owner_key(key)
        if known == "scope":
            label, found = _scope(value)
            ids += found
        elif known is not None and known not in _ORIGIN_KEYS:
            ids.append((known.removesuffix("_id"), _id_text(key, value)))
    owner: dict[str, str] = {}
    for name, value in ids:
        if owner.setdefault(name, value) != value:
            raise ValueError(f"it is for {name} {owner[name]!r:.80} and for {value!r:.80}")
    return Scope.of(owner), label


def _scope(scope: object) -> tuple[str | None, list[tuple[str, str]]]:
    """Read the value of ``scope``: its label and its ids."""
    if scope is None or scope == {}:
        raise ValueError("scope is empty: leave it out for everybody, or name an id")
    if isinstance(scope, list):
        if scope:  # an empty list says nothing, a full one might mean several owners
            raise ValueError(f"scope must be a label or a mapping of ids, not {scope!r:.80}")
        return None, []
    if isinstance(scope, Mapping):
        return _scope_mapping(scope)
    name, colon, value = str(scope).partition(":")
    if not colon:
        return str(scope).strip() or None, []
    known = owner_key(name)
    if known in (None, "scope"):
        raise ValueError(
            f"scope {scope!r:.80} begins with no known id: write user:ID, or {{label: ...}}"
        )
    if _SEVERAL.search(value):
        raise ValueError(f"scope {scope!r:.80} may mean several ids: write a mapping of ids")
    return None, [(str(known).removesuffix("_id"), _id_text(name, value))]


def _scope_mapping(scope: Mapping[Any, Any]) -> tuple[str | None, list[tuple[str, str]]]:
    label: str | None = None
    ids: list[tuple[str, str]] = []
    for key, value in scope.items():
        known = owner_key(str(key))
        if str(key).strip().casefold() == "label":
            label = None if value is None else str(value)
        elif known is None or known == "scope":
            raise ValueError(f"unknown scope id {key!r:.80}: use {', '.join(_OWNER_KEYS)}")
        else:
            ids.append((known.removesuffix("_id"), _id_text(str(key), value)))
    return label, ids


def _id_text(key: str, value: object) -> str:
    if isinstance(value, (dict, list, bool)):
        raise ValueError(f"scope {key} must be one id, not {value!r:.80}")
    text = "" if value is None else str(value).strip()
    if not text:
        raise ValueError(f"{key} must be a non-blank id: leave it out for everybody")
    return text


def _content(value: object) -> str:
    if not isinstance(value, str):
        raise InputError(f"content must be a text, not {value!r:.80}")
    text = line_feeds(value).strip()
    if not text:
        raise InputError("content must not be blank")
    if len(text) > MAX_CONTENT:
        raise InputError(f"content has {len(text)} characters; at most {MAX_CONTENT} are kept")
    _refuse_unwritable("content", text)
    return text


def _line(name: str, value: object, limit: int) -> str:
    if not isinstance(value, str):
        raise InputError(f"{name} must be a text, not {value!r:.80}")
    text = " ".join(value.split())
    if len(text) > limit:
        raise InputError(f"{name} has {len(text)} characters; at most {limit} are kept")
    _refuse_unwritable(name, text)
    return text


def _tags(value: object) -> tuple[str, ...]:
    if isinstance(value, str):  # models write "a, b"; so do people, in front matter
        value = value.split(",")
    if not isinstance(value, Iterable) or isinstance(value, (bytes, Mapping)):
        raise InputError(f"tags must be a list of texts, not {value!r:.80}")
    tags = tuple(dict.fromkeys(filter(None, (_line("tag", tag, MAX_TITLE) for tag in value))))
    if len(tags) > MAX_TAGS:
        raise InputError(f"{len(tags)} tags given; at most {MAX_TAGS} are kept")
    return tags


def _refuse_unwritable(name: str, text: str) -> None:
    if "\x00" in text:
        raise InputError(f"{name} must not hold NUL")
    if any("\ud800" <= char <= "\udfff" for char in text):
        raise InputError(f"{name} must not hold a lone surrogate")
