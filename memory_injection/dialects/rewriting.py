"""Copies of messages with one field changed, and blocks taken out of texts."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Mapping
from typing import Any

from ..rendering import block_at

__all__ = ["SEPARATOR", "replaced", "without_block"]

SEPARATOR = "\n\n"
"""What stands between a text and the block appended to it."""


def replaced(value: Any, name: str, content: Any) -> Any:
    """Return a shallow copy of *value* (a mapping or an SDK object) with one field changed.

    A mapping of whatever kind becomes a dict: many cannot be changed, or share with their copy.
    """
    if isinstance(value, Mapping):
        return {**value, name: content}
    if hasattr(value, "model_copy"):
        return value.model_copy(update={name: content})
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.replace(value, **{name: content})
    changed = copy.copy(value)
    try:
        setattr(changed, name, content)
    except AttributeError:  # frozen: only this copy, which nobody else has seen
        object.__setattr__(changed, name, content)
    return changed


def without_block(text: str, block: str) -> str | None:
    """Return *text* without the last whole occurrence of *block*, or None if it holds none.

    The separator before the block goes with it.
    """
    at = block_at(text, block)
    return None if at < 0 else text[: _start(text, at)] + text[at + len(block) :]


def _start(text: str, at: int) -> int:
    """Return where the separator before position *at* begins: a history may be joined by less."""
    for separator in (SEPARATOR, "\n", " "):
        if text.endswith(separator, 0, at):
            return at - len(separator)
    return at
