"""The provider's own tools: what a model may do with the files."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from ..errors import InputError, StoreError
from ..records import MemoryEntry, Scope
from ..tool_records import Tool, ToolRefused
from ..toolset import Toolset
from .record import MAX_CONTENT, MAX_TAGS, MAX_TITLE, FileRecord, MemoryDraft, RecordChange
from .store import FileStore, durable

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["build_tools"]

_SHOWN = 4000  # characters of one record in a search result
_ID = {"type": "string", "minLength": 1, "maxLength": 200}
_TEXT = {"type": "string", "minLength": 1, "maxLength": MAX_CONTENT}
_WORD = {"type": "string", "maxLength": MAX_TITLE}
_TAGS = {"type": "array", "items": _WORD, "maxItems": MAX_TAGS}


def _schema(required: str, **properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": [required],
        "additionalProperties": False,
    }


_SEARCH = _schema(
    "query",
    query={**_TEXT, "maxLength": 4000, "description": "Words to look for."},
    limit={"type": "integer", "minimum": 1, "maximum": 20, "description": "Most results; 5."},
)
_WRITE = _schema(
    "content",
    content={**_TEXT, "description": "The memory, complete in itself."},
    title={**_WORD, "description": "One line that names it."},
    kind={**_WORD, "description": "What sort of memory, e.g. preference, fact, decision."},
    tags={**_TAGS, "description": "Words to file it under."},
    id={**_ID, "description": "Id of a memory to replace; leave out for a new one."},
)
_FORGET = _schema("id", id={**_ID, "description": "Id of the memory, from memory_search."})


def build_tools(
    store: FileStore, scope: Scope, writable: bool, *, change_shared: bool = False
) -> Toolset:
    """Return the tools that reach what *scope* reaches; only the search if not *writable*.

    A memory the scope may not see is answered like one that does not exist. Unless
    *change_shared*, a scope with a user changes that user's own memories alone: what one user's
    conversation talks the model into must not reach the others.
    """
    guarded = scope.user is not None and not change_shared
    tools = [
        _tool(
            "memory_search",
            "Search long-term memory. Returns the best matching memories with their ids.",
            _SEARCH,
            lambda query, limit=5: _search(store, scope, query, limit),
        )
    ]
    if writable:
        tools += [
            _tool(
                "memory_write",
                "Save one memory for later conversations, or replace one by its id.",
                _WRITE,
                lambda content, id=None, **more: _write(store, scope, content, id, more, guarded),
            ),
            _tool(
                "memory_forget",
                "Delete one memory by its id.",
                _FORGET,
                lambda id: _forget(store, scope, id, guarded),
            ),
        ]
    return Toolset(tools)


def _tool(name: str, description: str, schema: dict[str, Any], run: Callable[..., Any]) -> Tool:
    def refusing(**arguments: Any) -> Any:
        try:
            return run(**arguments)
        except InputError as error:
            raise ToolRefused("invalid_arguments", str(error)) from None
        except StoreError as error:
            raise ToolRefused("store_error", str(error)) from None

    async def arefusing(**arguments: Any) -> Any:
        return await asyncio.to_thread(refusing, **arguments)

    return Tool(name, description, schema, refusing, arefusing)


def _search(store: FileStore, scope: Scope, query: str, limit: int) -> Any:
    found = store.search(query, {"max_search_results": limit, "scope": scope})
    return {"results": [_shown(entry) for entry in found]}


def _write(
    store: FileStore,
    scope: Scope,
    content: str,
    ident: str | None,
    more: dict[str, Any],
    guarded: bool,
) -> Any:
    if ident is None:
        draft = MemoryDraft.of({"content": content, **more})
        owner, origin = durable(scope)
        return {"saved": store.write(draft, owner, source="tool", extra=origin).id}
    record = _own(store, scope, ident, guarded)
    # JSON has lists, a change keeps tuples.
    if "tags" in more:
        more["tags"] = tuple(more["tags"])
    if not store.change(record, RecordChange(content=content, **more), scope):
        raise ToolRefused("not_found", f"no memory {ident!r}")
    return {"saved": record.id}


def _forget(store: FileStore, scope: Scope, ident: str, guarded: bool) -> Any:
    if not store.delete(_own(store, scope, ident, guarded)):
        raise ToolRefused("not_found", f"no memory {ident!r}")
    return {"forgotten": ident}


def _own(store: FileStore, scope: Scope, ident: str, guarded: bool) -> FileRecord:
    record = store.find(ident, scope)
    if record is None:
        raise ToolRefused("not_found", f"no memory {ident!r}")
    if not record.writable:
        raise ToolRefused("read_only", f"{ident!r} is part of {record.path}, kept by hand")
    if guarded and record.owner.user is None:
        raise ToolRefused("read_only", f"{ident!r} is shared with everybody; save one of your own")
    return record


def _shown(entry: MemoryEntry) -> dict[str, Any]:
    metadata = entry.metadata or {}
    content = entry.content
    moment = entry.updated_at or entry.created_at
    facts = {
        "id": entry.id,
        "content": content if len(content) <= _SHOWN else content[: _SHOWN - 1] + "…",
        "kind": metadata.get("kind"),
        "tags": metadata.get("tags"),
        "date": None if moment is None else moment.date().isoformat(),
    }
    return {key: value for key, value in facts.items() if value is not None}
