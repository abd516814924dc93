"""From files to records: which files are memory, and how each is read.

Three sources, nothing else: ``memory_summary.md`` (one record), ``MEMORY.md`` (one record a
section) and ``records/*.md`` (one record a file).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ..entries import read_time
from ..records import Scope
from .disk import UnreadableFileError
from .front_matter import FrontMatterError, owner_key, split
from .names import is_safe_id
from .record import FileRecord, owner_of
from .sections import Section, split_sections

__all__ = ["MEMORY", "RECORDS", "SUMMARY", "parse_file"]

SUMMARY = "memory_summary.md"
MEMORY = "MEMORY.md"
RECORDS = "records"

_OWN = frozenset(["id", "title", "kind", "scope", "tags", "source", "created_at", "updated_at"])
_NOT_SLUG = re.compile(r"[\W_]+")


def parse_file(path: str, text: str) -> list[FileRecord]:
    """Return the records in the file at *path* (relative to the root, forward slashes).

    Raises:
        UnreadableFileError: it is empty, or its front matter is broken.
    """
    try:
        front, body = split(text)
        values = dict(front.values) if front is not None else {}
        owner, label = owner_of(values)
    except (FrontMatterError, ValueError) as error:
        raise UnreadableFileError(str(error)) from None
    body = body.strip("\n").rstrip()
    if not body.strip():
        raise UnreadableFileError("it is empty")
    if path == MEMORY:
        return _sections(body, owner, label)
    if path == SUMMARY:
        return [FileRecord("memory_summary", body, path, label=label, owner=owner)]
    return [_record(path, body, values, owner, label)]


def _record(
    path: str, body: str, values: Mapping[str, Any], owner: Scope, label: str | None
) -> FileRecord:
    stem = path.rsplit("/", 1)[-1].removesuffix(".md")
    given = values.get("id")
    return FileRecord(
        id=given if isinstance(given, str) and is_safe_id(given) else stem,
        content=body,
        path=path,
        title=_word(values.get("title")) or "",
        kind=_word(values.get("kind")),
        label=label,
        owner=owner,
        tags=_tags(values.get("tags")),
        source=_word(values.get("source")),
        created_at=read_time(values.get("created_at")),
        updated_at=read_time(values.get("updated_at")),
        extra=_extra(values),
        writable=True,
    )


def _sections(body: str, owner: Scope, label: str | None) -> list[FileRecord]:
    records: list[FileRecord] = []
    taken: dict[str, int] = {}
    for section in split_sections(body):
        slug = _anchor(section)
        taken[slug] = taken.get(slug, 0) + 1
        number = taken[slug]
        ident = f"{MEMORY}#{slug}" if number == 1 else f"{MEMORY}#{slug}-{number}"
        records.append(
            FileRecord(ident, section.text, MEMORY, section.title, label=label, owner=owner)
        )
    return records


def _anchor(section: Section) -> str:
    words = (_NOT_SLUG.sub("-", name.casefold()).strip("-") for name in section.path)
    return "/".join(word or "section" for word in words) or "top"


def _extra(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the other keys; those that a writer put apart under ``extra`` with them."""
    rest = {key: value for key, value in values.items() if key not in _OWN}
    apart = rest.get("extra")
    if isinstance(apart, Mapping) and any(owner_key(str(key)) for key in apart):
        del rest["extra"]
        rest.update(apart)
    return rest


def _word(value: object) -> str | None:
    return " ".join(str(value).split()) or None if isinstance(value, (str, int, float)) else None


def _tags(value: object) -> tuple[str, ...]:
    """Read tags from a list or from one line of words with commas."""
    if isinstance(value, str):
        value = value.split(",")
    if not isinstance(value, list):
        return ()
    return tuple(dict.fromkeys(filter(None, map(_word, value))))
