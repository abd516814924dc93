"""Copies of messages with one field changed, and blocks taken out of texts."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Mapping
from typing import Any

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
    setattr(changed, name, content)
    return changed


def without_block(text: str, block: str) -> str | None:
    """Return *text* without the last whole occurrence of *block*, or None if it holds none.

    The separator before the block goes with it. A block of several lines is found anywhere; a
    block of one line only where it stands on lines of its own, so that a short custom format
    never cuts into what the user wrote.
    """
    at = text.rfind(block) if block else -1
    while at >= 0:
        end = at + len(block)
        if "\n" in block or _on_its_own(text, at, end):
            return text[: _start(text, at)] + text[end:]
        # Searching up to end - 1 finds occurrences that overlap this one, too.
        at = text.rfind(block, 0, end - 1)
    return None


def _on_its_own(text: str, at: int, end: int) -> bool:
    return (at == 0 or text[at - 1] == "\n") and (end == len(text) or text[end] == "\n")


def _start(text: str, at: int) -> int:
    """Return where the separator before position *at* begins: a history may be joined by less."""
    for separator in (SEPARATOR, "\n", " "):
        if text.endswith(separator, 0, at):
            return at - len(separator)
    return at
