"""Strands Agents: memory in every model call of an agent, and our stores inside theirs.

Stores written for Strands need nothing from here: ``MemoryManager`` takes them as they are.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from ..errors import MissingDependencyError
from ..manager import MemoryManager
from ..records import Scope
from .hooks import ModelCallHook, ScopeOf

__all__ = ["MemoryPlugin", "StrandsStore"]

# The shape of ``agent.messages``; the models translate text blocks, whatever the provider is.
_API = "bedrock.converse"


class MemoryPlugin:
    """A Strands plugin: ``Agent(plugins=[MemoryPlugin(memory, scope={"user": "u1"})])``.

    It writes into each model call's copy of the conversation (``InvokeModelStage.Input``); the
    agent's own ``messages`` stay clean, and the manager's ledger writes earlier blocks again where
    they stood, so that the calls of a conversation share their prefix.

    Args:
        memory: the manager.
        scope: whose memory, or a callable over Strands' ``InvokeModelContext`` that returns it
            (``context.invocation_state`` holds what was given to the run). ``memory.scope(...)``
            around a run is laid over it.
        name: the plugin's name.

    Raises:
        MissingDependencyError: strands-agents is not installed.
        ConfigurationError: *memory* is no manager, or *scope* holds an empty id.
    """

    def __init__(
        self, memory: Any, *, scope: ScopeOf | None = None, name: str = "memory-injection"
    ) -> None:
        self._stage = _strands("strands.middleware").InvokeModelStage
        self._hook = ModelCallHook(memory, _API, scope)
        self.name = name
        self.hooks: list[Any] = []
        self.tools: list[Any] = []

    def init_agent(self, agent: Any) -> None:
        """Register with *agent*; Strands calls this."""
        agent.add_middleware(self._stage.Input, self._write)
        if self._hook.captures:
            # A wrapping handler alone sees the request beside the reply.
            agent.add_middleware(self._stage, self._hear)

    async def _write(self, context: Any) -> Any:
        body = await self._hook.written(_body(context), context)
        system = body.get("system")
        if isinstance(system, list) and not isinstance(context.system_prompt, list):
            system = "\n\n".join(part["text"] for part in system)
        return context.replace(messages=body["messages"], system_prompt=system)

    async def _hear(self, context: Any, call: Any) -> Any:
        async for event in call(context):
            stop = event.get("stop") if isinstance(event, Mapping) else None
            if stop is not None:
                self._hook.heard(_body(context), stop[1], context)
            yield event


class StrandsStore:
    """One of our stores (or a whole manager) as a store of Strands' own ``MemoryManager``.

    Args:
        store: a store, sync or async, or a ``MemoryManager``.
        scope: whose memory; Strands knows no scopes, so it is fixed here. A ``memory.scope(...)``
            around the run is laid over it where *store* is a manager.
        name: the store's name in Strands; the store's own when left out.
        description: told to the model by Strands' search tool.
        max_search_results: most entries of one search, where Strands does not say.
        extraction: Strands' setting, passed through.

    Raises:
        MissingDependencyError: strands-agents is not installed.
        ConfigurationError: *store* is no store, or *scope* holds an empty id.
    """

    def __init__(
        self,
        store: Any,
        *,
        scope: Scope | Mapping[str, str] | None = None,
        name: str | None = None,
        description: str | None = None,
        max_search_results: int | None = None,
        extraction: Any = None,
    ) -> None:
        self._entry = _strands("strands.memory.types").MemoryEntry
        managed = hasattr(store, "asearch") and hasattr(store, "stores")
        self._memory = store if managed else MemoryManager([store], injection=False)
        self._scope = Scope.of(scope)
        self.name: str = name or store.name
        self.description = description or getattr(store, "description", None)
        self.max_search_results = max_search_results
        self.writable = any(getattr(one, "writable", False) for one in self._memory.stores)
        self.extraction = extraction

    async def search(self, query: str, options: Mapping[str, Any] | None = None) -> list[Any]:
        """Return Strands entries, best first; the score is in their metadata.

        Raises:
            StoreErrors: the store failed; Strands' manager leaves it out and goes on.
        """
        limit = (options or {}).get("max_search_results") or self.max_search_results
        found = await self._memory.asearch(query, max_search_results=limit, scope=self._whose())
        return [
            self._entry(
                content=entry.content,
                metadata={
                    key: value
                    for key, value in {**(entry.metadata or {}), **_told(entry)}.items()
                    if value is not None
                },
            )
            for entry in found
        ]

    async def add(self, content: str, metadata: Mapping[str, Any] | None = None) -> Any:
        """Write *content* for the scope given at construction; return the new ids by store name.

        Raises:
            StoreErrors: the store failed.
            InputError: blank content, or a store that cannot be written to.
        """
        return await self._memory.aadd(content, metadata=metadata, scope=self._whose())

    def _whose(self) -> Scope:
        return self._memory.current_scope(None, self._scope)


def _told(entry: Any) -> dict[str, Any]:
    created = entry.created_at
    return {
        "id": entry.id,
        "score": entry.score,
        "created_at": created.isoformat() if created is not None else None,
    }


def _body(context: Any) -> dict[str, Any]:
    config = getattr(context.model, "config", None)
    model = config.get("model_id") if isinstance(config, Mapping) else None
    body = {
        "messages": context.messages,
        "system": context.system_prompt,
        "tools": context.tool_specs,
    }
    return {**body, "model": model} if isinstance(model, str) else body


def _strands(module: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError:
        raise MissingDependencyError(
            "strands-agents", "strands-agents", "memory in Strands agents"
        ) from None
