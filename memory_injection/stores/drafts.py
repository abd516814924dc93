"""Drafts: what a caller hands in, read, checked and made ready to be written."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import datetime, timedelta, timezone
from functools import lru_cache
from hashlib import blake2b
from typing import Any, NamedTuple

from ..entries import read_time
from ..errors import InputError
from ..records import MemoryEntry, Scope
from ..text import read_day
from .metadata import as_json, in_order

__all__ = ["Draft", "clean", "day_of", "draft", "draft_of", "moment", "scope_key", "stamp"]

_SURROGATE = re.compile("[\ud800-\udfff]")
_TIMES = ("created_at", "date", "timestamp", "date_time", "time")
_LARGEST_TURN = 1 << 40


_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_MICROSECOND = timedelta(microseconds=1)
_NOBODY = Scope()


class Draft(NamedTuple):
    """An entry about to be written.

    Attributes:
        content: the text, free of lone surrogates.
        external: the caller's id, or one made from everything that makes the entry what it is.
        owner: whom it is written for, as :func:`scope_key` spells it.
        metadata: JSON text, or None.
        created: when it was said, if known, in microseconds since 1970.
        updated: when it last changed, if known, in microseconds since 1970.
        speaker: who said it.
        session: the conversation it belongs to, if it is a turn of one.
        turn: its position there; None is "after the last".
        pinned: shown whatever the query.
    """

    content: str
    external: str
    owner: str
    metadata: str | None
    created: int | None
    updated: int | None
    speaker: str | None
    session: str | None
    turn: int | None
    pinned: bool


def clean(text: str) -> str:
    """Return *text* as UTF-8 can carry it: each lone surrogate becomes U+FFFD."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def stamp(moment: datetime) -> int:
    """Return *moment* as it is stored: microseconds since 1970."""
    return (moment - _EPOCH) // _MICROSECOND


def moment(stored: int) -> datetime:
    """Return the time that :func:`stamp` wrote, in UTC."""
    return _EPOCH + timedelta(microseconds=stored)


def day_of(stored: int) -> int:
    """Return the UTC day of a stored time, as a proleptic ordinal."""
    return _EPOCH_DAY + stored // _DAY


_EPOCH_DAY = _EPOCH.toordinal()
_DAY = 86_400_000_000


@lru_cache(maxsize=4_096)
def scope_key(scope: Scope) -> str:
    """Return the one spelling of *scope* that its rows are kept under."""
    return json.dumps(scope.ids(), sort_keys=True, separators=(",", ":"))


def draft(
    content: str,
    metadata: Mapping[str, Any] | None = None,
    *,
    scope: Scope | None = None,
    id: str | None = None,
    created_at: datetime | str | None = None,
    updated_at: datetime | str | None = None,
) -> Draft:
    """Check and read one entry.

    Without an id one is made from scope, content, metadata and time: writing the same thing twice
    is writing it once.

    Raises:
        InputError: blank content, metadata that is no mapping or cannot be JSON, an empty id, a
            time that cannot be read.
    """
    if not isinstance(content, str) or not content.strip():
        raise InputError(f"content must be a text that is not blank, not {_short(content)}")
    if metadata is not None and not isinstance(metadata, Mapping):
        raise InputError(f"metadata must be a mapping, not {_short(metadata)}")
    if id is not None and (not isinstance(id, str) or not id.strip()):
        raise InputError(f"id must be a text that is not blank, not {_short(id)}")
    scope = scope or _NOBODY
    content = clean(content)
    text = as_json(metadata) if metadata else None
    created = None if created_at is None else _time("created_at", created_at)
    updated = None if updated_at is None else _time("updated_at", updated_at)
    owner = scope_key(scope)
    external = clean(id) if id is not None else _digest(owner, content, metadata, text, created)
    if not metadata:
        return Draft(content, external, owner, None, created, updated, None, None, None, False)
    meta = metadata
    session, turn = _text(meta.get("session")), _turn(meta.get("turn"))
    if session is None and turn is not None:
        session = scope.session or ""
    return Draft(
        content=content,
        external=external,
        owner=owner,
        metadata=text,
        created=created or _said_at(meta),
        updated=updated,
        speaker=_text(meta.get("speaker")) or _text(meta.get("role")),
        session=session,
        turn=turn,
        pinned=meta.get("pinned") is True,
    )


def draft_of(item: object, scope: Scope | None = None) -> Draft:
    """Read a draft from a string, a mapping or a :class:`MemoryEntry`.

    Args:
        item: a text, or something with ``content`` and optionally ``id``, ``metadata``,
            ``scope``, ``created_at``, ``updated_at``.
        scope: whom it is for where *item* does not say.

    Raises:
        InputError: as for :func:`draft`.
    """
    if isinstance(item, str):
        return draft(item, scope=scope)
    if isinstance(item, MemoryEntry):
        item = {name: getattr(item, name) for name in _FIELDS}
    if not isinstance(item, Mapping):
        raise InputError(f"an entry must be a text or a mapping with content, not {_short(item)}")
    found = {name: item[name] for name in _FIELDS if item.get(name) is not None}
    owner = found.pop("scope", scope)
    return draft(found.pop("content", ""), scope=Scope.of(owner), **found)


_FIELDS = ("content", "id", "metadata", "scope", "created_at", "updated_at")


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _time(name: str, value: object) -> int:
    moment = read_time(value)
    if moment is None:
        raise InputError(f"{name} must be a datetime or an ISO 8601 text, not {_short(value)}")
    return stamp(moment)


def _said_at(meta: Mapping[str, Any]) -> int | None:
    for name in _TIMES:
        value = meta.get(name)
        if value is None:
            continue
        moment = read_time(value)
        if moment is None and isinstance(value, str):
            day = read_day(value[:100])
            moment = datetime(day.year, day.month, day.day, tzinfo=timezone.utc) if day else None
        if moment is not None:
            return stamp(moment)
    return None


def _text(value: object) -> str | None:
    if value is None or isinstance(value, bool):
        return None
    return clean(str(value)).strip() or None


def _turn(value: object) -> int | None:
    try:
        number = int(value)  # type: ignore[call-overload]
    except (TypeError, ValueError, OverflowError):
        return None
    return number if 0 <= number < _LARGEST_TURN else None


def _digest(
    owner: str,
    content: str,
    metadata: Mapping[str, Any] | None,
    text: str | None,
    created: int | None,
) -> str:
    """Return an id made of everything; the same whatever the order of *metadata* (JSON: *text*)."""
    if metadata and text and len(metadata) > 1:
        text = in_order(metadata, text)
    whole = f"{owner}\x00{content}\x00{text}\x00{created}"
    return f"m_{blake2b(whole.encode(), digest_size=12).hexdigest()}"
