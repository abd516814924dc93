"""OpenAI Agents SDK: memory in every model call of a run, and replies for the stores that learn."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from weakref import WeakKeyDictionary

from ..errors import MissingDependencyError
from .hooks import ModelCallHook, ScopeOf
from .joining import base_class, joined

__all__ = ["MemoryHooks", "MemoryInputFilter"]

_API = "openai.responses"


class MemoryInputFilter:
    """An input filter: ``RunConfig(call_model_input_filter=MemoryInputFilter(memory))``.

    It writes into what one model call is sent; the run's items and the session stay clean, and
    the manager's ledger writes earlier blocks again where they stood, so that the calls of a
    conversation share their prefix. It serves Chat Completions models as well: the SDK keeps all
    conversations as Responses items.

    Args:
        memory: the manager.
        scope: whose memory, or a callable over the SDK's ``CallModelData`` that returns it
            (``data.context`` holds what was given to the run). ``memory.scope(...)`` around a run
            is laid over it.

    Raises:
        ConfigurationError: *memory* is no manager, or *scope* holds an empty id.
    """

    def __init__(self, memory: Any, *, scope: ScopeOf | None = None) -> None:
        self._hook = ModelCallHook(memory, _API, scope)

    async def __call__(self, data: Any) -> Any:
        """Return the SDK's ``ModelInputData`` with memory in its input."""
        body = await self._hook.written(_body(data.model_data.input, data.agent), data)
        return replace(data.model_data, input=body["input"])


class MemoryHooks:
    """Run hooks that hand replies to the stores that learn: ``Runner.run(hooks=...)``.

    Needed only where a store has ``extraction`` on: the input filter does not see replies.

    Args:
        memory: the manager.
        scope: whose conversation, or a callable over the SDK's ``RunContextWrapper`` that returns
            it.

    Raises:
        MissingDependencyError: openai-agents is not installed.
        ConfigurationError: *memory* is no manager, or *scope* holds an empty id.
    """

    def __new__(cls, *_: Any, **__: Any) -> MemoryHooks:
        """Make an object that is the SDK's ``RunHooks`` too."""
        return object.__new__(joined(cls, _base()))

    def __init__(self, memory: Any, *, scope: ScopeOf | None = None) -> None:
        super().__init__()
        self._hook = ModelCallHook(memory, _API, scope)
        self._sent: WeakKeyDictionary[Any, list[Any]] = WeakKeyDictionary()

    async def on_llm_start(
        self, context: Any, agent: Any, system_prompt: str | None, input_items: list[Any]
    ) -> None:
        """Note what a run's model call was sent; the SDK calls this."""
        if self._hook.captures:
            self._sent[context] = list(input_items)

    async def on_llm_end(self, context: Any, agent: Any, response: Any) -> None:
        """Hand in the call and its reply; the SDK calls this."""
        sent = self._sent.pop(context, None)
        if sent is not None:
            self._hook.heard(_body(sent, agent), response.output, context)


def _body(items: list[Any], agent: Any) -> dict[str, Any]:
    model = getattr(agent.model, "model", agent.model)
    body: dict[str, Any] = {
        "input": items,
        "tools": [getattr(tool, "name", "") for tool in agent.tools],
    }
    return {**body, "model": model} if isinstance(model, str) else body


def _base() -> Any:
    try:
        return base_class("agents.lifecycle", "RunHooksBase")
    except ImportError:
        raise MissingDependencyError(
            "openai-agents", "openai-agents", "memory in OpenAI Agents runs"
        ) from None
