"""Reads a store's own tools, whatever framework they were written for, as :class:`Tool` records."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ..errors import ConfigurationError
from ..tool_records import Tool, ToolRefused

__all__ = ["read_tool", "read_tools"]


def read_tools(found: Any, store: str) -> list[Tool]:
    """Read what a store's ``get_tools()`` returned.

    Args:
        found: a list of tools or a toolset; None is none.
        store: name of the store, for the error.

    Raises:
        ConfigurationError: one of them is no tool of a kind known.
    """
    if found is None:
        return []
    if isinstance(found, (str, bytes, Mapping)) or not isinstance(found, Iterable):
        raise ConfigurationError(
            f"get_tools() of store {store!r} must return a list of tools, not {found!r}"
        )
    return [read_tool(one, store) for one in found]


def read_tool(found: Any, store: str) -> Tool:
    """Read one tool: a ``Tool``, a Strands ``AgentTool``, or a function with annotations.

    Raises:
        ConfigurationError: it is none of these.
    """
    if isinstance(found, Tool):
        return found
    spec = getattr(found, "tool_spec", None)
    if isinstance(spec, Mapping) and callable(getattr(found, "stream", None)):
        return _from_strands(found, spec)
    if inspect.isfunction(found) or inspect.ismethod(found):
        return _from_function(found)
    raise ConfigurationError(f"a tool of store {store!r} is of no kind known: {found!r}")


def _from_strands(found: Any, spec: Mapping[str, Any]) -> Tool:
    schema = spec.get("inputSchema") or {}
    parameters = schema.get("json", schema)

    async def run(**arguments: Any) -> str:
        use = {"toolUseId": "call", "name": spec["name"], "input": arguments}
        last: Any = None
        async for event in found.stream(use, {}):
            last = event
        return _strands_text(last)

    name = str(spec.get("name"))
    return Tool(name, str(spec.get("description", "")), {"type": "object", **parameters}, run)


def _strands_text(event: Any) -> str:
    """Return the text of the last event, a result or an event that holds one."""
    result = event.get("tool_result", event) if isinstance(event, Mapping) else {}
    parts = result.get("content") or ()
    text = "\n".join(str(part.get("text", part.get("json", ""))) for part in parts)
    if result.get("status") == "error":
        raise ToolRefused("failed", text or "the tool failed")
    return text


def _from_function(found: Callable[..., Any]) -> Tool:
    """Build the schema from the annotations, as pydantic reads them."""
    from pydantic import ConfigDict, create_model

    fields: dict[str, Any] = {}
    for name, parameter in inspect.signature(found, eval_str=True).parameters.items():
        kind = Any if parameter.annotation is parameter.empty else parameter.annotation
        fields[name] = (kind, ... if parameter.default is parameter.empty else parameter.default)
    model = create_model(found.__name__, __config__=ConfigDict(extra="forbid"), **fields)
    schema = {k: v for k, v in model.model_json_schema().items() if k != "title"}
    return Tool(found.__name__, inspect.getdoc(found) or "", schema, found)
