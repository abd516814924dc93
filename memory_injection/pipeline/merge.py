"""Several stores' lists become one ranking, by the policy in force and the caller's hook."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..merging import registration
from ..records import MemoryEntry
from .effects import Call, StageFailed, Step, Trace
from .query import Query
from .request import Request
from .retrieve import Found

__all__ = ["rank"]


def rank(request: Request, query: Query, found: Found, trace: Trace) -> Step[list[MemoryEntry]]:
    """Return all candidates, pinned first, then best first.

    A policy or hook that fails or gives rubbish is survived: the lists are then concatenated in
    registration order, or the hook's work is left out.
    """
    ranked = yield from _merged(request, query, found, trace)
    candidates = [*found.pinned, *ranked]
    if request.config.on_entries is None:
        return candidates
    try:
        chosen = yield Call("hook", request.config.on_entries, (tuple(candidates),))
        return _entries(chosen, "hook", candidates)
    except StageFailed as failure:
        trace.survive(failure)
        return candidates


def _merged(request: Request, query: Query, found: Found, trace: Trace) -> Step[list[MemoryEntry]]:
    results = {name: tuple(entries) for name, entries in found.results.items() if entries}
    if len(results) < 2 and isinstance(request.config.merge, str):
        return [entry for entries in results.values() for entry in entries]
    everything = [entry for entries in results.values() for entry in entries]
    limit = request.config.max_entries

    def merge() -> Any:
        return request.merge(results, query=query.text or "", limit=limit)

    try:
        merged = yield Call("merge", merge)
        return _entries(merged, "merge", everything)
    except StageFailed as failure:
        trace.survive(failure)
        return list(registration(results, query=query.text or "", limit=limit))


def _entries(value: object, stage: str, known: Sequence[MemoryEntry]) -> list[MemoryEntry]:
    """Accept a policy's answer only if it is made of entries that were given to it."""
    given = set(map(id, known))
    if isinstance(value, Sequence) and not isinstance(value, str):
        # The same object again says nothing, and a policy gone wrong may give it a million times.
        entries = list({id(entry): entry for entry in value}.values())
        if all(isinstance(entry, MemoryEntry) for entry in entries) and len(entries) <= len(known):
            # A policy may rebuild entries with new scores, but must not invent memories.
            texts = {(entry.store_name, entry.content) for entry in known}
            fresh = [e for e in entries if id(e) not in given]
            if all((entry.store_name, entry.content) in texts for entry in fresh):
                return entries
    raise StageFailed(
        "merge" if stage == "merge" else "hook",
        TypeError(f"{stage} must return a list of the entries it was given, each once at most"),
    )
