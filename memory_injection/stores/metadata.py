"""Metadata as JSON text: what people pass besides JSON's own types, and what is refused."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Set
from contextlib import suppress
from datetime import date, time, timedelta
from decimal import Decimal
from enum import Enum
from pathlib import PurePath
from typing import Any
from uuid import UUID

from ..errors import InputError

__all__ = ["as_json", "in_order"]

_AS_TEXT = (date, time, timedelta, UUID, Decimal, PurePath)  # a datetime is a date
_KEYS = (str, int, float, type(None))  # JSON writes them all as texts


def as_json(metadata: Mapping[str, Any]) -> str:
    """Return *metadata* as JSON.

    Times, dates, UUIDs, decimals and paths become what ``str`` makes of them; sets sorted lists;
    members of an enum their values; scalars of numpy Python's own; other mappings objects.

    Raises:
        InputError: a value JSON cannot hold (an object, bytes, NaN, infinity), a key that is no
            text or number, or something that holds itself; the message says where it is.
    """
    try:
        return _encoder.encode(dict(metadata))
    except (TypeError, ValueError, RecursionError) as error:
        where = _fault(metadata, "metadata", ())
        raise InputError(where or f"metadata cannot be written as JSON: {error}") from None


def in_order(metadata: Mapping[str, Any], text: str) -> str:
    """Return the same JSON for *metadata* in any order of its keys, or its *text* as it is."""
    with suppress(TypeError):  # keys that cannot be put in order
        return _sorting.encode(dict(metadata))
    return text


def _plain(value: object) -> object:
    """Return what stands for *value*, which is of no type of JSON's."""
    if isinstance(value, _AS_TEXT):
        return str(value)
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Set):
        try:
            return sorted(value)
        except TypeError:
            return sorted(value, key=lambda one: (type(one).__name__, str(one)))
    if hasattr(value, "dtype") and getattr(value, "shape", None) == ():
        return value.item()  # type: ignore[attr-defined]
    raise TypeError(f"no JSON for {type(value).__name__}")


_COMMA = (",", ":")
_encoder = json.JSONEncoder(default=_plain, separators=_COMMA, allow_nan=False)
_sorting = json.JSONEncoder(default=_plain, separators=_COMMA, allow_nan=False, sort_keys=True)


def _fault(value: Any, where: str, above: tuple[int, ...]) -> str | None:
    """Return where in *value* something stands that cannot be written, and what; None if not."""
    if id(value) in above:
        return f"{where} holds itself, which JSON cannot"
    above = (*above, id(value))
    if isinstance(value, Mapping):
        for key, one in value.items():
            if not isinstance(key, _KEYS):
                return f"{where} has the key {_short(key)}, which JSON cannot hold: use a text"
            if found := _fault(one, f"{where}[{_short(key)}]", above):
                return found
    elif isinstance(value, (list, tuple)):
        for at, one in enumerate(value):
            if found := _fault(one, f"{where}[{at}]", above):
                return found
    elif isinstance(value, float) and not math.isfinite(value):
        return f"{where} is {value}, which JSON cannot hold"
    elif not isinstance(value, (str, int, float, type(None))):
        try:
            plain = _plain(value)
        except Exception:
            return f"{where} is of type {type(value).__name__}, which JSON cannot hold"
        return _fault(plain, where, above)
    return None


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
