"""The tools of one manager: its own two, and what its stores bring."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..records import Scope
from ..signatures import accepts
from ..tool_records import Tool, ToolRefused
from ..toolset import Toolset
from .add import add_tool
from .config import AddTool, SearchTool
from .own import read_tools
from .search import search_tool

__all__ = ["MemoryTools"]


class MemoryTools(Toolset):
    """The memory tools of one manager.

    What they can reach is what the scope can reach: the model names neither users nor sessions.

    Args:
        memory: the manager (``search``, ``asearch``, ``add``, ``aadd``, ``stores``,
            ``current_scope``).
        search: True, False, or settings for ``search_memory``.
        add: False, True, names of the stores it may write to, or settings for ``add_memory``.
        own: whether the stores' own tools (``get_tools()``) are offered too. One whose name is
            taken is offered as ``STORE_NAME``.
        scope: whose memory; laid over the manager's scope at the time of each call.

    Raises:
        ConfigurationError: an unknown store, an add tool with nothing to write to, or a store
            with a tool of no kind known.
    """

    def __init__(
        self,
        memory: Any,
        *,
        search: bool | SearchTool | Mapping[str, Any] = True,
        add: bool | Sequence[str] | AddTool | Mapping[str, Any] = False,
        own: bool = True,
        scope: Scope | Mapping[str, str] | None = None,
    ) -> None:
        """Build the tools; nothing is read or written."""
        reach = None if scope is None else Scope.of(scope)
        stores = list(memory.stores)
        tools: list[Tool] = []
        if search is not False:
            tools.append(search_tool(memory, stores, SearchTool.of(_settings(search)), reach))
        if add is not False:
            tools.append(add_tool(memory, stores, AddTool.of(_settings(add)), reach))
        for store in stores if own else ():
            for tool in _own_tools(store, lambda: memory.current_scope(reach)):
                taken = any(tool.name == other.name for other in tools)
                tools.append(_renamed(tool, store.name) if taken else tool)
        super().__init__(tools)


def _settings(given: Any) -> Any:
    if isinstance(given, Mapping):
        return dict(given)
    return {"stores": given} if isinstance(given, (list, tuple, set, frozenset)) else given


def _own_tools(store: Any, scope: Callable[[], Scope]) -> list[Tool]:
    get_tools = getattr(store, "get_tools", None)
    if not callable(get_tools):
        return []
    if not accepts(get_tools, "scope"):
        return read_tools(get_tools(), store.name)
    found = read_tools(get_tools(scope=scope()), store.name)
    return [_scoped(tool, store, scope) for tool in found]


def _scoped(tool: Tool, store: Any, scope: Callable[[], Scope]) -> Tool:
    """Return *tool*, asking the store anew at each call: tools outlive a ``with memory.scope``."""

    def current() -> Tool:
        found = read_tools(store.get_tools(scope=scope()), store.name)
        same = next((one for one in found if one.name == tool.name), None)
        if same is None:
            raise ToolRefused("unavailable", f"{tool.name} is not available here")
        return same

    def run(**arguments: Any) -> Any:
        return current().function(**arguments)

    async def arun(**arguments: Any) -> Any:
        tool = current()
        value = (tool.afunction or tool.function)(**arguments)
        return await value if inspect.isawaitable(value) else value

    return Tool(tool.name, tool.description, tool.parameters, run, arun)


def _renamed(tool: Tool, store: str) -> Tool:
    name = re.sub(r"[^A-Za-z0-9_-]", "_", f"{store}_{tool.name}")[:64]
    name = name if re.match("[A-Za-z_]", name) else f"_{name}"[:64]
    return Tool(name, tool.description, tool.parameters, tool.function, tool.afunction)
