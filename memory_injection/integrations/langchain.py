"""LangChain: memory in every model call of an agent, as agent middleware."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from ..errors import MissingDependencyError
from .hooks import ModelCallHook, ScopeOf
from .joining import base_class, joined

__all__ = ["MemoryMiddleware"]


class MemoryMiddleware:
    """Middleware: ``create_agent(model, middleware=[MemoryMiddleware(memory)])``.

    It writes into each model call's request (``wrap_model_call``); the agent's state, and with it
    any checkpoint, stays clean, and the manager's ledger writes earlier blocks again where they
    stood, so that the calls of a conversation share their prefix.

    Args:
        memory: the manager.
        scope: whose memory, or a callable over LangChain's ``ModelRequest`` that returns it
            (``request.runtime.context`` holds what was given to the run).
            ``memory.scope(...)`` around a run is laid over it.

    Raises:
        MissingDependencyError: langchain 1.0 or later is not installed.
        ConfigurationError: *memory* is no manager, or *scope* holds an empty id.
    """

    def __new__(cls, *_: Any, **__: Any) -> MemoryMiddleware:
        """Make an object that is LangChain's ``AgentMiddleware`` too."""
        return object.__new__(joined(cls, _base()))

    def __init__(self, memory: Any, *, scope: ScopeOf | None = None) -> None:
        super().__init__()
        self._hook = ModelCallHook(memory, "langchain", scope)

    def wrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        """Pass *request* on with memory in its messages; LangChain calls this."""
        body = self._hook.written_now(_body(request), request)
        response = handler(request.override(messages=body["messages"]))
        self._hear(request, response)
        return response

    async def awrap_model_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        """Async twin of :meth:`wrap_model_call`."""
        body = await self._hook.written(_body(request), request)
        response = await handler(request.override(messages=body["messages"]))
        self._hear(request, response)
        return response

    def _hear(self, request: Any, response: Any) -> None:
        # Structured output adds tool messages of LangChain's own after the model's.
        said = getattr(response, "result", None) or [response]
        if self._hook.captures:
            self._hook.heard(_body(request), said[0], request)


def _body(request: Any) -> dict[str, Any]:
    model = getattr(request.model, "model_name", None) or getattr(request.model, "model", None)
    body = {
        "messages": request.messages,
        "system": request.system_prompt,
        "tools": request.tools,
    }
    return {**body, "model": model} if isinstance(model, str) else body


def _base() -> Any:
    try:
        return base_class("langchain.agents.middleware", "AgentMiddleware")
    except ImportError:
        raise MissingDependencyError(
            "langchain", "langchain", "memory in LangChain agents"
        ) from None
