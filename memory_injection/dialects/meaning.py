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

UNSAID = frozenset(
    {"annotations", "cache_control", "cachePoint", "encrypted_content", "logprobs", "signature"}
    | {"status", "thought_signature", "thoughtSignature"}
)
"""Fields that a server adds, or that move from call to call, without changing what is said."""

CARRIED = frozenset({"args", "arguments", "input", "json", "parameters", "response", "result"})
"""Fields that hold data of the caller's own, in which every name means something."""


def field_of(value: Any, name: str) -> Any:
    """Return *value*'s field *name*, by key or by attribute; None where there is none."""
    if isinstance(value, Mapping):
        return value.get(name)
    return getattr(value, name, None)


def fields_of(value: Any) -> Mapping[str, Any] | None:
    """Return the fields of a mapping or an SDK object by name, or None for anything else."""
    if isinstance(value, Mapping):
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
    if isinstance(value, Enum):
        return meaning_of(value.value)
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, str):
        return value if len(value) <= LONG else _digest(value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return meaning_of(base64.b64encode(bytes(value)).decode("ascii"))
    if isinstance(value, (list, tuple)):
        return [meaning_of(item, unsaid) for item in value]
    fields = fields_of(value)
    return str(value) if fields is None else _object(fields, unsaid)


def written(meanings: Iterable[Any]) -> str:
    """Write *meanings* as one canonical line of JSON, or "" if there are none."""
    listed = list(meanings)
    return json.dumps(listed, sort_keys=True, separators=(",", ":")) if listed else ""


def _object(fields: Mapping[str, Any], unsaid: frozenset[str]) -> dict[str, Any]:
    pairs = (
        (str(name), meaning_of(item, frozenset() if name in CARRIED else unsaid))
        for name, item in fields.items()
        if name not in unsaid
    )
    return {name: item for name, item in pairs if item is not None and item not in ("", [], {})}


def _digest(text: str) -> str:
    data = text.encode("utf-8", "surrogatepass")
    return f"blake2b:{len(text)}:{blake2b(data, digest_size=16).hexdigest()}"
