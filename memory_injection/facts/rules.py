"""The rules of one call: what a text, tags, a key or a count may be. Pure; nothing is stored here.

Each ``read_*`` returns the value as it will be kept or raises :class:`FactRefused` (422) with the
argument, the value and the rule in one line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from .paths import Folder
from .refusals import MalformedFact, too_large

__all__ = [
    "MAX_BODY",
    "MAX_FACTS",
    "Draft",
    "check_body",
    "holds_no_text",
    "read_confidence",
    "read_count",
    "read_ident",
    "read_key",
    "read_metadata",
    "read_query",
    "read_tags",
    "read_text",
    "read_version",
]

MAX_TEXT = 4000
MAX_TAGS = 20
MAX_FACTS = 100_000
"""Facts per agent unless the store is told otherwise."""
MAX_BODY = 64 * 1024
"""Bytes of one request body over HTTP, or of one tool call's arguments."""

_TAG = re.compile(r"[A-Za-z0-9._:-]{1,50}")
_KEY = re.compile(r"[A-Za-z0-9._:-]{1,200}")
_NOT_TEXT = re.compile("[\0\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Draft:
    """A write whose arguments have passed the rules.

    Attributes:
        text: the text.
        folder: where to; None when the caller named none.
        tags: None when left out.
        confidence: None when left out.
        replaces: id of the fact to write a new version of.
        expected_version: the version the caller has read, or None.
        metadata: what is kept beside a new fact, or None; a new version keeps what there is.
    """

    text: str
    folder: Folder | None
    tags: tuple[str, ...] | None
    confidence: float | None
    replaces: str | None = None
    expected_version: int | None = None
    metadata: Mapping[str, Any] | None = None


def read_text(given: object) -> str:
    """Read a fact's text: 1-4000 characters, not only blanks, no NUL, no lone surrogate."""
    if not isinstance(given, str):
        raise MalformedFact(f"text must be a string, not {given!r:.80}")
    if not given.strip():
        raise MalformedFact(f"text {given!r:.80} is blank")
    if len(given) > MAX_TEXT:
        raise MalformedFact(f"text is {len(given)} characters; at most {MAX_TEXT} are kept")
    if holds_no_text(given):
        raise MalformedFact("text holds a NUL or a lone surrogate, which no text can")
    return given


def read_query(given: object) -> str:
    """Read what to look for: any string, also an empty one."""
    if not isinstance(given, str):
        raise MalformedFact(f"query must be a string, not {given!r:.80}")
    return given


def read_tags(given: object) -> tuple[str, ...] | None:
    """Read tags: at most 20 of 1-50 ``[A-Za-z0-9._:-]``, repeats dropped.

    None and the empty tuple, which is the default, mean "left out"; an empty list means "none".
    """
    if given is None or given == ():
        return None
    if (
        isinstance(given, (str, bytes))
        or not isinstance(given, Collection)
        or isinstance(given, Mapping)
    ):
        raise MalformedFact(f"tags must be a list of strings, not {given!r:.80}")
    if len(given) > MAX_TAGS:
        raise MalformedFact(f"{len(given)} tags are given; at most {MAX_TAGS} are kept")
    for tag in given:
        if not isinstance(tag, str) or not _TAG.fullmatch(tag):
            raise MalformedFact(f"tag {tag!r:.80} must be 1-50 of A-Z a-z 0-9 . _ : -")
    return tuple(dict.fromkeys(given))


def read_confidence(given: object) -> float | None:
    """Read a confidence: a finite number from 0 to 1, or None when nobody said."""
    if given is None:
        return None
    if isinstance(given, bool) or not isinstance(given, (int, float)):
        raise MalformedFact(f"confidence must be a number, not {given!r:.80}")
    if not 0 <= given <= 1:  # false for NaN too
        raise MalformedFact(f"confidence {given!r:.80} must lie from 0 to 1")
    return float(given)


def read_key(given: object) -> str | None:
    """Read an idempotency key: 1-200 of ``[A-Za-z0-9._:-]``, or None."""
    if given is None:
        return None
    if not isinstance(given, str) or not _KEY.fullmatch(given):
        raise MalformedFact(f"key {given!r:.80} must be 1-200 of A-Z a-z 0-9 . _ : -")
    return given


def read_ident(given: object) -> str:
    """Read a fact's id: a string; whether there is such a fact is another matter."""
    if not isinstance(given, str) or holds_no_text(given):
        raise MalformedFact(f"id must be the id of a fact, not {given!r:.80}")
    return given


def read_count(name: str, given: object, most: int) -> int:
    """Read how many results are wanted: a whole number from 1 to *most*."""
    if isinstance(given, bool) or not isinstance(given, int) or not 1 <= given <= most:
        raise MalformedFact(f"{name} = {given!r:.80} must be a whole number from 1 to {most}")
    return given


def read_version(given: object, replaces: object) -> int | None:
    """Read ``expected_version``: a whole number from 1, given only together with ``replaces``."""
    if given is None:
        return None
    if replaces is None:
        raise MalformedFact("expected_version is only for a write that replaces a fact")
    return read_count("expected_version", given, 2**62)


def read_metadata(given: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Read what is kept beside a fact: JSON-serialisable, at most 64 KiB; None if there is none.

    Raises:
        FactRefused: 422, or 413 ``too_large``.
    """
    if not given:
        return None
    try:
        size = len(json.dumps(given, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise MalformedFact(f"metadata must be JSON-serialisable: {error}") from None
    check_body(size)
    return given


def holds_no_text(given: str) -> bool:
    """Tell whether *given* holds a NUL or a lone surrogate, which no database keeps as text."""
    return _NOT_TEXT.search(given) is not None


def check_body(size: int) -> None:
    """Refuse a body of more than 64 KiB.

    Raises:
        FactRefused: 413 ``too_large``.
    """
    if size > MAX_BODY:
        raise too_large(size, MAX_BODY)
