"""``search_memory``: the model looks something up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..errors import ConfigurationError, StoreErrors
from ..records import MemoryEntry, Scope
from ..rendering import render_block
from ..tool_records import Tool, ToolRefused
from .config import SearchTool, described, failed_stores, reached, schema

__all__ = ["search_tool"]

MAX_QUERY = 2000
"""Characters of a query; a model that sends more is told so."""

USUAL = 5
"""Results when the model does not say how many."""


def search_tool(
    memory: Any, stores: Sequence[Any], config: SearchTool, scope: Scope | None
) -> Tool:
    """Return the tool that searches *stores* of *memory* for *scope*.

    Raises:
        ConfigurationError: an unknown store in *config*, or none.
    """
    searched = reached(stores, config.stores, config.name)
    if not searched:
        raise ConfigurationError(f"{config.name} has no store to search")
    return Tool(
        config.name,
        described(config.description, searched),
        _parameters([store.name for store in searched], config),
        *_functions(memory, [store.name for store in searched], config, scope),
    )


def _parameters(names: Sequence[str], config: SearchTool) -> dict[str, Any]:
    usual = min(USUAL, config.max_results)
    return schema(
        names,
        query={
            "type": "string",
            "minLength": 1,
            "maxLength": MAX_QUERY,
            "description": "What to look for, in the words it was probably said in.",
        },
        max_results={
            "type": "integer",
            "minimum": 1,
            "maximum": config.max_results,
            "description": f"Most results; {usual} when left out.",
        },
    )


def _functions(
    memory: Any, names: Sequence[str], config: SearchTool, scope: Scope | None
) -> tuple[Any, Any]:
    def asked(query: str, max_results: int | None, stores: list[str] | None) -> dict[str, Any]:
        if not query.strip():
            raise ToolRefused("invalid_arguments", "query must not be blank")
        return {
            "stores": list(stores or names),
            "max_search_results": max_results or min(USUAL, config.max_results),
            "scope": scope,
        }

    def find(query: str, max_results: int | None = None, stores: list[str] | None = None) -> str:
        given = asked(query, max_results, stores)
        try:
            return _shown(memory.search(query, **given), config)
        except StoreErrors as error:
            raise _unavailable(error) from error

    async def afind(
        query: str, max_results: int | None = None, stores: list[str] | None = None
    ) -> str:
        given = asked(query, max_results, stores)
        try:
            return _shown(await memory.asearch(query, **given), config)
        except StoreErrors as error:
            raise _unavailable(error) from error

    return find, afind


def _shown(entries: Sequence[MemoryEntry], config: SearchTool) -> str:
    """Render results as an injected block is: escaped, with source and date."""
    if not entries:
        return "nothing found"
    return render_block([_cut(entry, config.entry_limit) for entry in entries], ("source", "date"))


def _cut(entry: MemoryEntry, limit: int) -> MemoryEntry:
    if len(entry.content) <= limit:
        return entry
    return replace(entry, content=entry.content[: limit - 1] + "…")


def _unavailable(error: StoreErrors) -> ToolRefused:
    names = ", ".join(failed_stores(error))
    return ToolRefused("unavailable", f"memory cannot be searched now ({names})")
