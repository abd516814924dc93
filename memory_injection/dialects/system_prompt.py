"""Blocks in a system prompt that the API keeps outside the conversation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..rendering import block_at, find_blocks
from .meaning import field_of
from .rewriting import SEPARATOR, replaced

__all__ = ["rewritten"]


def rewritten(
    prompt: Any, text: str, part: Callable[[str], Any], alone: Any, known: Sequence[str] = ()
) -> Any:
    """Return *prompt* with *text* at its end, in the place of earlier blocks there.

    Args:
        prompt: None, a text, a list of parts, or a mapping or an SDK object with ``parts``.
        text: what to write; "" takes earlier blocks out.
        part: makes a text part.
        alone: makes the whole prompt when there was none.
        known: texts of earlier blocks in a custom format.
    """
    known = sorted(known, key=len, reverse=True)  # a longer one may end like a shorter one
    if isinstance(prompt, str):
        return SEPARATOR.join(filter(None, (_before_blocks(prompt, known), text)))
    if isinstance(parts := field_of(prompt, "parts"), (list, tuple)):
        return replaced(prompt, "parts", _parts(parts, text, part, known))
    if isinstance(prompt, (list, tuple)) and prompt:
        return _parts(prompt, text, part, known)
    return alone(text) if text and not prompt else prompt


def _parts(parts: Any, text: str, part: Callable[[str], Any], known: Sequence[str]) -> list[Any]:
    kept = [item for item in parts if not _is_block(item, known)]
    return [*kept, part(text)] if text else kept


def _is_block(item: Any, known: Sequence[str]) -> bool:
    held = item if isinstance(item, str) else field_of(item, "text")
    return isinstance(held, str) and held != "" and not _before_blocks(held, known)


def _before_blocks(text: str, known: Sequence[str]) -> str:
    """Return *text* without the blocks at its end and what sets them apart."""
    blocks = [*known, *find_blocks(text)]
    while True:
        last = next((b for b in blocks if text.endswith(b) and _is_whole(text, b)), None)
        if last is None:
            return text
        text = text.removesuffix(last)
        cut = SEPARATOR if text.endswith(SEPARATOR) else "\n"
        text = text.removesuffix(cut)


def _is_whole(text: str, block: str) -> bool:
    return block_at(text, block) == len(text) - len(block)
