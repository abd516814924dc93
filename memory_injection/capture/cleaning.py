"""Takes the blocks of one manager out of a text, and leaves everything a person wrote."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TypeAlias

from ..records import Scope
from ..rendering import find_blocks, parse_block, strip_blocks

__all__ = ["Cleaner", "block_cleaner", "leave_as_is"]

Cleaner: TypeAlias = Callable[[Scope], Callable[[str], str]]
"""Given a caller's scope, returns what takes injected blocks out of a text."""


def leave_as_is(scope: Scope) -> Callable[[str], str]:
    """Return a function that changes nothing: for conversations nothing is injected into."""
    return str


def block_cleaner(
    stores: Collection[str], sourced: bool, known: Callable[[Scope], Sequence[str]]
) -> Cleaner:
    """Return a cleaner for blocks that name one of *stores* as the source of every entry.

    A text that only looks like a block, because somebody writes about memory tags, stays: its
    entries name no store, or another's.

    Args:
        stores: names of the manager's stores.
        sourced: whether the manager's blocks name their source at all; if not, the shape alone
            decides.
        known: the blocks of a scope that shape cannot tell (a custom format), by exact text.
    """

    def cleaner(scope: Scope) -> Callable[[str], str]:
        exact = tuple(known(scope))

        def clean(text: str) -> str:
            blocks = [block for block in find_blocks(text) if _is_own(block)]
            blocks += [block for block in exact if block in text]
            return strip_blocks(text, blocks) if blocks else text

        return clean

    def _is_own(block: str) -> bool:
        shown = parse_block(block)
        return not sourced or all(one.source in stores for one in shown)

    return cleaner
