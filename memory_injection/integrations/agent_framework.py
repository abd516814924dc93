"""Microsoft Agent Framework: memory in every model call, as a context provider or as middleware."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from ..errors import MissingDependencyError
from .hooks import ModelCallHook, ScopeOf
from .joining import base_class, joined

__all__ = ["MemoryContextProvider", "MemoryMiddleware"]


class MemoryMiddleware:
    """A ``ChatMiddleware``: ``Agent(client=..., middleware=[MemoryMiddleware(memory)])``.

    It writes into the messages of each model call; the session's history stays clean, and the
    manager's ledger writes earlier blocks again where they stood, so that the calls of a
    conversation share their prefix.

    Args:
        memory: the manager.
        scope: whose memory, or a callable over the framework's ``ChatContext`` that returns it
            (``context.session`` is the agent's session). ``memory.scope(...)`` around a run is
            laid over it.

    Raises:
        MissingDependencyError: agent-framework-core is not installed.
        ConfigurationError: *memory* is no manager, or *scope* holds an empty id.
    """

    def __new__(cls, *_: Any, **__: Any) -> MemoryMiddleware:
        """Make an object that is the framework's ``ChatMiddleware`` too."""
        return object.__new__(joined(cls, _base("ChatMiddleware")))

    def __init__(self, memory: Any, *, scope: ScopeOf | None = None) -> None:
        super().__init__()
        self._hook = ModelCallHook(memory, "agent-framework", scope)

    async def process(self, context: Any, call_next: Callable[[], Awaitable[None]]) -> None:
        """Write memory in, make the call, hand over the reply; the framework calls this."""
        given = list(context.messages)
        body = await self._hook.written(_body(context, given), context)
        context.messages = _replacing(context, given, list(body["messages"]))
        hears = self._hook.captures
        if hears and context.stream:
            context.stream_result_hooks.append(lambda reply: self._heard(body, reply, context))
        await call_next()
        if hears and not context.stream:
            self._heard(body, context.result, context)

    def _heard(self, body: Any, response: Any, context: Any) -> Any:
        self._hook.heard(body, _reply(response), context)
        return response


class MemoryContextProvider:
    """A ``ContextProvider``: ``Agent(..., context_providers=[MemoryContextProvider(memory)])``.

    In ``before_run`` it adds :class:`MemoryMiddleware` to the run. Messages that a provider adds
    stand in one place in the first turn and in another in the second; what is written at the model
    call stays where it is.

    Args:
        memory: the manager.
        scope: as for :class:`MemoryMiddleware`.
        source_id: the provider's name in the framework.

    Raises:
        MissingDependencyError: agent-framework-core is not installed.
        ConfigurationError: *memory* is no manager, or *scope* holds an empty id.
    """

    source_id: str

    def __new__(cls, *_: Any, **__: Any) -> MemoryContextProvider:
        """Make an object that is the framework's ``ContextProvider`` too."""
        return object.__new__(joined(cls, _base("ContextProvider")))

    def __init__(
        self, memory: Any, *, scope: ScopeOf | None = None, source_id: str = "memory-injection"
    ) -> None:
        super().__init__(source_id)  # type: ignore[call-arg]
        self._middleware = MemoryMiddleware(memory, scope=scope)

    async def before_run(self, *, context: Any, **_: Any) -> None:
        """Put the middleware before the model calls of this run; the framework calls this."""
        context.extend_middleware(self.source_id, [self._middleware])


def _replacing(context: Any, given: list[Any], written: list[Any]) -> list[Any]:
    """Return *written*, having told the framework which message stands for which."""
    record = getattr(context, "record_message_replacement", None)
    if callable(record) and len(given) == len(written):
        for old, new in zip(given, written, strict=True):
            if old is not new:
                record(new, old)
    return written


def _body(context: Any, messages: list[Any]) -> dict[str, Any]:
    options = dict(context.options or {})
    model = options.get("model") or getattr(context.client, "model", None)
    beside = {name: options[name] for name in ("instructions", "tools") if name in options}
    return {**beside, "messages": messages, **({"model": model} if model else {})}


def _reply(response: Any) -> dict[str, Any]:
    """Return the framework's response as one assistant message that capture can read."""
    messages = getattr(response, "messages", None) or ()
    contents = [content for message in messages for content in message.contents]
    text = "".join(content.text or "" for content in contents if content.type == "text")
    calls = [
        {"id": call.call_id, "function": {"name": call.name, "arguments": call.arguments}}
        for call in contents
        if call.type == "function_call"
    ]
    reply: dict[str, Any] = {"role": "assistant", "content": text}
    return {**reply, "tool_calls": calls} if calls else reply


def _base(name: str) -> Any:
    try:
        return base_class("agent_framework", name)
    except ImportError:
        raise MissingDependencyError(
            "agent-framework-core", "agent-framework", "memory in Microsoft Agent Framework"
        ) from None
