"""``add_memory``: the model remembers something."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any

from ..driving import Done, on_worker
from ..errors import ConfigurationError, StoreErrors
from ..records import Scope
from ..tool_records import Tool, ToolRefused
from .config import AddTool, described, failed_stores, reached, schema

__all__ = ["add_tool"]

_NOT_TEXT = re.compile("[\0\ud800-\udfff]")

logger = logging.getLogger("memory_injection.tools")


def add_tool(memory: Any, stores: Sequence[Any], config: AddTool, scope: Scope | None) -> Tool:
    """Return the tool that writes to *stores* of *memory* for *scope*.

    Raises:
        ConfigurationError: an unknown store in *config*, or nothing that can be written to.
    """
    written = _written(stores, config)
    names = [store.name for store in written]
    content = {
        "type": "string",
        "minLength": 1,
        "maxLength": config.max_length,
        "description": "The fact to remember.",
    }
    return Tool(
        config.name,
        described(config.description, written),
        schema(names, content=content),
        *_functions(memory, names, config, scope),
    )


def _written(stores: Sequence[Any], config: AddTool) -> list[Any]:
    wanted = reached(stores, config.stores, config.name)
    writable = [store for store in wanted if _is_writable(store)]
    if config.stores is not None and len(writable) < len(wanted):
        names = [store.name for store in wanted if store not in writable]
        raise ConfigurationError(f"{config.name}: store {names[0]!r} is not writable")
    if not writable:
        raise ConfigurationError(f"{config.name} has no writable store to add to")
    return writable


def _is_writable(store: Any) -> bool:
    return bool(getattr(store, "writable", False)) and callable(getattr(store, "add", None))


def _functions(
    memory: Any, names: Sequence[str], config: AddTool, scope: Scope | None
) -> tuple[Any, Any]:
    def given(content: str, stores: list[str] | None) -> dict[str, Any]:
        if not content.strip():
            raise ToolRefused("invalid_arguments", "content must not be blank")
        if _NOT_TEXT.search(content):
            raise ToolRefused("invalid_arguments", "content holds a NUL or a lone surrogate")
        chosen = list(stores or names)
        return {"metadata": {"written_by": "model"}, "stores": chosen, "scope": scope}

    def keep(content: str, stores: list[str] | None = None) -> str:
        where = given(content, stores)
        if not config.wait:
            on_worker(lambda: memory.add(content, **where)).add_done_callback(_note)
            return "accepted"
        try:
            memory.add(content, **where)
        except StoreErrors as error:
            raise _unwritten(error) from error
        return f"stored in {', '.join(where['stores'])}"

    async def akeep(content: str, stores: list[str] | None = None) -> str:
        if not config.wait:
            return keep(content, stores)
        where = given(content, stores)
        try:
            await memory.aadd(content, **where)
        except StoreErrors as error:
            raise _unwritten(error) from error
        return f"stored in {', '.join(where['stores'])}"

    return keep, akeep


def _unwritten(error: StoreErrors) -> ToolRefused:
    names = ", ".join(failed_stores(error))
    return ToolRefused("not_stored", f"it could not be stored in {names}")


def _note(future: Future[Done]) -> None:
    error = future.result().error
    if error is not None:
        logger.warning("a memory the model added was not stored: %s", type(error).__name__)
