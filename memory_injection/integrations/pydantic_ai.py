"""Pydantic AI: memory in every model request of an agent, as a capability."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..errors import MissingDependencyError
from .hooks import ModelCallHook, ScopeOf
from .joining import base_class, joined

__all__ = ["MemoryCapability"]


class MemoryCapability:
    """A capability: ``Agent(model, capabilities=[MemoryCapability(memory)])``.

    It writes into the messages of each request alone (``before_model_request``); the history that
    a run returns stays clean, and the manager's ledger writes earlier blocks again where they
    stood, so that the requests of a conversation share their prefix. Pydantic AI up to at least
    2.50 takes what a capability writes into the history; there the blocks stay in it.

    Args:
        memory: the manager.
        scope: whose memory, or a callable over Pydantic AI's ``RunContext`` that returns it
            (``context.deps`` holds what was given to the run). ``memory.scope(...)`` around a run
            is laid over it.

    Raises:
        MissingDependencyError: pydantic-ai (or pydantic-ai-slim) is not installed.
        ConfigurationError: *memory* is no manager, or *scope* holds an empty id.
    """

    def __new__(cls, *_: Any, **__: Any) -> MemoryCapability:
        """Make an object that is Pydantic AI's ``AbstractCapability`` too."""
        return object.__new__(joined(cls, _base()))

    def __init__(self, memory: Any, *, scope: ScopeOf | None = None) -> None:
        super().__init__()
        self._hook = ModelCallHook(memory, "pydantic-ai", scope)

    async def before_model_request(self, ctx: Any, request_context: Any) -> Any:
        """Return *request_context* with memory in its messages; Pydantic AI calls this."""
        body = await self._hook.written(_body(request_context), ctx)
        return replace(request_context, messages=body["messages"])

    async def after_model_request(self, ctx: Any, *, request_context: Any, response: Any) -> Any:
        """Hand *response* to the stores that learn and return it; Pydantic AI calls this."""
        if self._hook.captures:
            self._hook.heard(_body(request_context), _said(response), ctx)
        return response


def _body(context: Any) -> dict[str, Any]:
    parameters = context.model_request_parameters
    return {
        "messages": context.messages,
        "system": getattr(parameters, "instruction_parts", None),
        "tools": getattr(parameters, "function_tools", None),
        "model": getattr(context.model, "model_name", None),
    }


def _said(response: Any) -> dict[str, Any]:
    """Return a response in words that capture reads: its text, and the calls still to be run."""
    texts = [part.content for part in response.parts if part.part_kind == "text"]
    calls = [
        {"id": part.tool_call_id, "name": part.tool_name}
        for part in response.parts
        if part.part_kind == "tool-call"
    ]
    return {"role": "assistant", "content": "".join(texts), "tool_calls": calls}


def _base() -> Any:
    try:
        return base_class("pydantic_ai.capabilities", "AbstractCapability")
    except ImportError:
        raise MissingDependencyError(
            "pydantic-ai-slim", "pydantic-ai", "memory in Pydantic AI agents"
        ) from None
