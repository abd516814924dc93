"""Blocks in a system prompt that the API keeps outside the conversation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..rendering import find_blocks
from .meaning import field_of
from .rewriting import replaced

__all__ = ["rewritten"]


def rewritten(prompt: Any, text: str, part: Callable[[str], Any], alone: Any) -> Any:
    """Return *prompt* with *text* at its end, in the place of an earlier block there.

    Args:
        prompt: None, a text, a list of parts, or a mapping or an SDK object with ``parts``.
        text: what to write; "" takes an earlier block out.
        part: makes a text part.
        alone: makes the whole prompt when there was none.
    """
    if isinstance(prompt, str):
        for block in find_blocks(prompt):
            prompt = prompt.removesuffix(block).removesuffix("\n\n")
        return "\n\n".join(filter(None, (prompt, text)))
    if isinstance(parts := field_of(prompt, "parts"), (list, tuple)):
        return replaced(prompt, "parts", _parts(parts, text, part))
    if isinstance(prompt, (list, tuple)) and prompt:
        return _parts(prompt, text, part)
    return alone(text) if text and not prompt else prompt


def _parts(parts: Any, text: str, part: Callable[[str], Any]) -> list[Any]:
    kept = [item for item in parts if not _is_block(item)]
    return [*kept, part(text)] if text else kept


def _is_block(item: Any) -> bool:
    held = item if isinstance(item, str) else field_of(item, "text")
    return isinstance(held, str) and "\n".join(find_blocks(held)) == held != ""
