"""Checks the arguments a model gave against the part of JSON Schema that tools here use."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from .errors import MemoryInjectionError

__all__ = ["Refusal", "read_arguments"]

_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
    "array": (list, tuple),
    "object": (Mapping,),
    "null": (type(None),),
}


class Refusal(MemoryInjectionError):
    """The arguments break the schema; ``message`` names the argument, the value and the rule."""

    code = "invalid_arguments"

    def __init__(self, message: str) -> None:
        """Keep the *message*; ``str()`` reads ``invalid_arguments: message``."""
        self.message = message
        super().__init__(f"{self.code}: {message}")


def read_arguments(schema: Mapping[str, Any], given: object) -> dict[str, Any]:
    """Return the keyword arguments in *given*, checked against *schema*.

    Models send ``null`` for an optional argument they leave out and ``5.0`` for 5: both are read
    as what was meant.

    Args:
        schema: a JSON schema of type object. Read: ``properties``, ``required``,
            ``additionalProperties: false``, ``type``, ``enum``, ``minLength``, ``maxLength``,
            ``minimum``, ``maximum``, ``items``, ``minItems``, ``maxItems``.
        given: a mapping, its JSON text, or None / "" for no arguments.

    Raises:
        Refusal: *given* is no JSON object or breaks the schema.
    """
    arguments = _decode(given)
    known: Mapping[str, Any] = schema.get("properties") or {}
    required = schema.get("required") or ()
    if schema.get("additionalProperties") is False:
        for name in arguments:
            if name not in known:
                raise Refusal(f"no argument {name!r}: use {', '.join(known) or 'none'}")
    kept = {k: v for k, v in arguments.items() if v is not None or k in required}
    for name in required:
        if name not in kept:
            raise Refusal(f"argument {name!r} is missing")
    return {
        str(name): _check(value, known[name], name) if name in known else value
        for name, value in kept.items()
    }


def _decode(given: object) -> Mapping[str, Any]:
    if given is None or given == "":
        return {}
    if isinstance(given, (str, bytes)):
        try:
            given = json.loads(given)
        except (ValueError, RecursionError):
            raise Refusal("the arguments are not valid JSON") from None
    if not isinstance(given, Mapping):
        raise Refusal(f"the arguments must be a JSON object, not {_shown(given)}")
    return given


def _check(value: Any, schema: Mapping[str, Any], name: str) -> Any:
    value = _typed(value, schema, name)
    allowed = schema.get("enum")
    if allowed is not None and value not in allowed:
        raise Refusal(f"{name} = {_shown(value)}: must be one of {', '.join(map(str, allowed))}")
    if isinstance(value, str):
        _bounds(len(value), schema, name, "minLength", "maxLength", " characters")
    elif isinstance(value, (list, tuple)):
        _bounds(len(value), schema, name, "minItems", "maxItems", " items")
        items = schema.get("items") or {}
        return [_check(item, items, f"{name}[{at}]") for at, item in enumerate(value)]
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        _bounds(value, schema, name, "minimum", "maximum", "")
    return value


def _typed(value: Any, schema: Mapping[str, Any], name: str) -> Any:
    kinds = schema.get("type")
    if kinds is None:
        return value
    kinds = [kinds] if isinstance(kinds, str) else list(kinds)
    if "integer" in kinds and isinstance(value, float) and value.is_integer():
        value = int(value)
    for kind in kinds:
        fits = isinstance(value, _TYPES.get(kind, (object,)))
        if fits and (kind == "boolean" or not isinstance(value, bool)):
            return value
    raise Refusal(f"{name} = {_shown(value)}: must be of type {' or '.join(kinds)}")


def _bounds(
    size: float, schema: Mapping[str, Any], name: str, low: str, high: str, unit: str
) -> None:
    least, most = schema.get(low), schema.get(high)
    if least is not None and not size >= least:
        raise Refusal(f"{name}: {size}{unit} is below the least, {least}")
    if most is not None and not size <= most:
        raise Refusal(f"{name}: {size}{unit} is above the most, {most}")


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
