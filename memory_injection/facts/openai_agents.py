"""The memory tools as OpenAI Agents SDK ``FunctionTool`` objects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..errors import MissingDependencyError

if TYPE_CHECKING:
    from .run import FactRun
    from .tools import FactTools

__all__ = ["memory_tools"]


def memory_tools(run: FactRun, *, paths: Sequence[str] | None = None) -> list[Any]:
    """Return the three memory tools of *run* as ``agents.FunctionTool`` objects.

    Args:
        run: whose memory.
        paths: folders the model may reach; None is everything the run sees.

    Raises:
        MissingDependencyError: the package ``openai-agents`` is not installed.
        FactRefused: a path the run may not reach.
    """
    try:
        from agents import FunctionTool
    except ImportError:
        raise MissingDependencyError(
            "openai-agents", "openai-agents", "memory tools for the OpenAI Agents SDK"
        ) from None
    tools = run.tools(paths=paths)
    return [
        FunctionTool(
            name=tool.name,
            description=tool.description,
            params_json_schema=dict(tool.parameters),
            on_invoke_tool=_invoke(tools, tool.name),
            # Strict schemas have no optional arguments.
            strict_json_schema=False,
        )
        for tool in tools
    ]


def _invoke(tools: FactTools, name: str) -> Any:
    async def invoke(context: Any, arguments: str) -> str:
        return await tools.answer(name, arguments)

    return invoke
