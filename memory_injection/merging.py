"""Merge policies: several stores' lists become one ranking."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .records import MemoryEntry

__all__ = ["fused", "registration"]

_RANK_CONSTANT = 2.0  # small, so that a good hit stays far above a poor one


def registration(
    results: Mapping[str, Sequence[MemoryEntry]], *, query: str, limit: int
) -> list[MemoryEntry]:
    """Concatenate in registration order, with no ranking across stores (the seed's rule)."""
    return [entry for entries in results.values() for entry in entries]


def fused(
    results: Mapping[str, Sequence[MemoryEntry]], *, query: str, limit: int
) -> list[MemoryEntry]:
    """Rank by reciprocal rank with a small constant; hits with a score of zero come last."""
    ranked = [
        (entry.score is not None and entry.score <= 0, -1.0 / (_RANK_CONSTANT + rank), order, entry)
        for order, entries in enumerate(results.values())
        for rank, entry in enumerate(entries)
    ]
    return [entry for *_, entry in sorted(ranked, key=lambda item: item[:3])]
