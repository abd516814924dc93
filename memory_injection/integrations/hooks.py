"""What every framework hook does to a model call: say whose memory, write it in, take the reply.

A hook runs in front of somebody's model call, so nothing in here is ever raised into it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from ..errors import ConfigurationError
from ..records import Scope

__all__ = ["ModelCallHook", "ScopeOf"]

logger = logging.getLogger("memory_injection.integrations")

ScopeOf: TypeAlias = "Scope | Mapping[str, str] | Callable[[Any], Scope | Mapping[str, str] | None]"
"""Whose memory: fixed, or read from what the framework tells about a call."""


class ModelCallHook:
    """Ties a manager to the model calls of one framework.

    Args:
        memory: the manager.
        api: the request shape of the framework's messages.
        scope: whose memory, or a callable over what the framework tells about a call (its context
            object) that returns it; ``memory.scope(...)`` around a run is laid over it.

    Raises:
        ConfigurationError: *memory* is no manager, or a scope with an empty id or unknown key.
    """

    def __init__(self, memory: Any, api: str, scope: ScopeOf | None) -> None:
        if not hasattr(memory, "ainject_request"):
            raise ConfigurationError(f"memory must be a MemoryManager, not {memory!r}")
        self.memory = memory
        self._api = api
        self._scope_of = scope if callable(scope) else _always(Scope.of(scope))

    def whose(self, about: Any) -> Scope:
        """Return whose memory a call uses; what the scope callable raises is raised."""
        scope: Scope = self.memory.current_scope(base=Scope.of(self._scope_of(about)))
        return scope

    async def written(self, body: Mapping[str, Any], about: Any) -> Mapping[str, Any]:
        """Return *body* with memory written in; *body* itself where that is not possible."""
        try:
            scope = Scope.of(self._scope_of(about))
            result = await self.memory.ainject_request(body, api=self._api, base_scope=scope)
        except Exception as error:
            # The kind alone: a message may quote what somebody said.
            logger.warning("a model call goes out without memory: %s", type(error).__name__)
            return body
        return result.request if isinstance(result.request, Mapping) else body

    def written_now(self, body: Mapping[str, Any], about: Any) -> Mapping[str, Any]:
        """Return *body* with memory written in, for a framework's sync hook."""
        try:
            scope = Scope.of(self._scope_of(about))
            result = self.memory.inject_request(body, api=self._api, base_scope=scope)
        except Exception as error:
            logger.warning("a model call goes out without memory: %s", type(error).__name__)
            return body
        return result.request if isinstance(result.request, Mapping) else body

    @property
    def captures(self) -> bool:
        """Tell whether any store learns from replies; if not, they need not be handed in."""
        return bool(self.memory.captures)

    def heard(self, body: Mapping[str, Any], reply: Any, about: Any) -> None:
        """Hand one finished model call to the stores that learn.

        Args:
            body: the request, with or without blocks in it.
            reply: the model's message in any shape that capture reads, or its text.
            about: the same as was given to :meth:`written`.
        """
        try:
            scope = Scope.of(self._scope_of(about))
            self.memory.capture_turn(body, reply, api=self._api, base_scope=scope)
        except Exception as error:
            logger.warning("a reply was not captured: %s", type(error).__name__)


def _always(scope: Scope) -> Callable[[Any], Scope]:
    return lambda about: scope
