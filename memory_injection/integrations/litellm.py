"""LiteLLM: memory in every async call of the module, a ``Router`` or the proxy, as a callback.

For sync calls, wrap the module instead: ``memory_injection.wrap(litellm, memory)``.
"""

from __future__ import annotations

import contextvars
import uuid
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

from ..errors import MissingDependencyError
from .hooks import ModelCallHook, ScopeOf
from .joining import base_class, joined

__all__ = ["MemoryLogger"]

_APIS = {
    "acompletion": "openai.chat",
    "aresponses": "openai.responses",
    "anthropic_messages": "anthropic.messages",
}
"""Request shapes by LiteLLM's ``CallTypes``; other calls (embeddings, images) are left alone."""

_MOST_OPEN = 1000  # calls whose reply is waited for; one that failed leaves its request behind


class MemoryLogger:
    """A ``CustomLogger``: ``litellm.callbacks = [MemoryLogger(memory)]``.

    It writes into each request right before it is sent (``async_pre_call_deployment_hook``),
    retries and fallbacks included; the caller's messages are not changed.

    Args:
        memory: the manager.
        scope: whose memory, or a callable over the call's keyword arguments that returns it. What
            a client of the proxy puts into ``user`` is its own claim; who it is by its key is
            ``kwargs["metadata"]["user_api_key_user_id"]``. ``memory.scope(...)`` around a call is
            laid over it.

    Raises:
        MissingDependencyError: litellm is not installed.
        ConfigurationError: *memory* is no manager, or *scope* holds an empty id.
    """

    def __new__(cls, *_: Any, **__: Any) -> MemoryLogger:
        """Make an object that is LiteLLM's ``CustomLogger`` too."""
        return object.__new__(joined(cls, _base()))

    def __init__(self, memory: Any, *, scope: ScopeOf | None = None) -> None:
        super().__init__()
        # LiteLLM takes two loggers of one class for the same unless a text of theirs differs.
        self.key = uuid.uuid4().hex
        self._hooks = {call: ModelCallHook(memory, api, scope) for call, api in _APIS.items()}
        self._open: OrderedDict[str, tuple[ModelCallHook, Any, contextvars.Context]] = OrderedDict()

    async def async_pre_call_deployment_hook(
        self, kwargs: Mapping[str, Any], call_type: Any
    ) -> Mapping[str, Any] | None:
        """Return the request with memory in it; LiteLLM calls this."""
        hook = self._hooks.get(getattr(call_type, "value", call_type))
        if hook is None:
            return None
        call = kwargs.get("litellm_call_id")
        if hook.captures and isinstance(call, str):
            # LiteLLM tells of replies from a task of its own, which has lost the caller's context.
            self._open[call] = (hook, kwargs, contextvars.copy_context())
            if len(self._open) > _MOST_OPEN:
                self._open.popitem(last=False)
        return {**await hook.written(kwargs, kwargs)}

    async def async_log_success_event(
        self, kwargs: Mapping[str, Any], response_obj: Any, start_time: Any, end_time: Any
    ) -> None:
        """Hand a finished reply to the stores that learn; LiteLLM calls this."""
        opened = self._open.pop(str(kwargs.get("litellm_call_id")), None)
        if opened is not None:
            hook, request, context = opened
            context.run(hook.heard, request, response_obj, request)


def _base() -> Any:
    try:
        return base_class("litellm.integrations.custom_logger", "CustomLogger")
    except ImportError:
        raise MissingDependencyError("litellm", "litellm", "memory in LiteLLM calls") from None
