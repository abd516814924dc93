"""What a value *means*, free of how it is represented: the raw material of ``Reading.rest``."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Mapping
from enum import Enum
from hashlib import blake2b
from typing import Any

__all__ = ["field_of", "fields_of", "meaning_of", "written"]

LONG = 200
"""Characters above which a text stands as a digest, so that media never end up in a key whole."""

FULL = 2000
"""Characters above which a whole line of meanings stands as a digest: results can be tables."""

UNSAID = frozenset(
    {"annotations", "cache_control", "cachePoint", "encrypted_content", "logprobs", "signature"}
    | {"status", "thought_signature", "thoughtSignature"}
)
"""Fields that a server adds, or that move from call to call, without changing what is said."""

CARRIED = frozenset({"args", "arguments", "input", "json", "parameters", "response", "result"})
"""Fields that hold data of the caller's own, in which every name means something."""


_NOTHING: frozenset[str] = frozenset()
_canonical = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode


def field_of(value: Any, name: str) -> Any:
    """Return *value*'s field *name*, by key or by attribute; None where there is none."""
    # Asking the exact type first is several times cheaper, and nearly every message is a dict.
    if type(value) is dict or isinstance(value, Mapping):
        return value.get(name)
    return getattr(value, name, None)


def fields_of(value: Any) -> Mapping[str, Any] | None:
    """Return the fields of a mapping or an SDK object by name, or None for anything else."""
    if type(value) is dict or isinstance(value, Mapping):
        return value
    own = getattr(value, "__dict__", None)
    if not isinstance(own, dict) or isinstance(value, (type, Enum)):
        return None
    return {**own, **(getattr(value, "__pydantic_extra__", None) or {})}


def meaning_of(value: Any, unsaid: frozenset[str] = UNSAID) -> Any:
    """Return *value* as plain JSON data that is the same for a dict, an SDK object and a reload.

    Absent, null and empty are one; keys are ordered when written; bytes read as their base64
    text; long texts as their digest. Fields named in *unsaid* are left out, but never inside the
    arguments of a call or the result of a tool.
    """
    if type(value) is dict:
        return _object(value, unsaid)
    if isinstance(value, (list, tuple)):
        return [meaning_of(item, unsaid) for item in value]
    if isinstance(value, Enum):
        return meaning_of(value.value)
    if isinstance(value, str):
        return value if len(value) <= LONG else _digest(value)
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, (bytes, bytearray, memoryview)):
        return meaning_of(base64.b64encode(bytes(value)).decode("ascii"))
    fields = fields_of(value)
    return str(value) if fields is None else _object(fields, unsaid)


def written(meanings: Iterable[Any]) -> str:
    """Write *meanings* as one canonical line of JSON, or "" if there are none."""
    listed = list(meanings)
    if not listed:
        return ""
    line = _canonical(listed)
    return line if len(line) <= FULL else _digest(line)


def _object(fields: Mapping[str, Any], unsaid: frozenset[str]) -> dict[str, Any]:
    kept: dict[str, Any] = {}
    for name, item in fields.items():
        if item is None or name in unsaid:
            continue
        meaning = meaning_of(item, _NOTHING if name in CARRIED else unsaid)
        if meaning is not None and meaning not in ("", [], {}):
            kept[str(name)] = meaning
    return kept


def _digest(text: str) -> str:
    data = text.encode("utf-8", "surrogatepass")
    return f"blake2b:{len(text)}:{blake2b(data, digest_size=16).hexdigest()}"
