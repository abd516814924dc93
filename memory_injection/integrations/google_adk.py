"""Google ADK: memory in every model call of every agent of an app, as a plugin."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from ..errors import MissingDependencyError
from ..records import Scope
from .hooks import ModelCallHook, ScopeOf
from .joining import base_class, joined

__all__ = ["MemoryPlugin"]

_MOST_OPEN = 1000  # calls whose reply is waited for; a run that was dropped leaves one behind


class MemoryPlugin:
    """A plugin: ``App(root_agent=..., plugins=[MemoryPlugin(memory)])``.

    It writes into each request's ``contents`` (``before_model_callback``); the session's events
    stay clean, and the manager's ledger writes earlier blocks again where they stood, so that the
    calls of a conversation share their prefix.

    Args:
        memory: the manager.
        scope: whose memory, or a callable over ADK's ``CallbackContext`` that returns it. When
            left out, it is the user and the session of the run. ``memory.scope(...)`` around a
            run is laid over it.
        name: the plugin's name in ADK.

    Raises:
        MissingDependencyError: google-adk is not installed.
        ConfigurationError: *memory* is no manager, or *scope* holds an empty id.
    """

    name: str

    def __new__(cls, *_: Any, **__: Any) -> MemoryPlugin:
        """Make an object that is ADK's ``BasePlugin`` too."""
        return object.__new__(joined(cls, _base()))

    def __init__(
        self, memory: Any, *, scope: ScopeOf | None = None, name: str = "memory_injection"
    ) -> None:
        super().__init__(name=name)  # type: ignore[call-arg]
        self._hook = ModelCallHook(memory, "gemini", _of_the_run if scope is None else scope)
        self._open: OrderedDict[tuple[Any, ...], Any] = OrderedDict()

    async def before_model_callback(self, *, callback_context: Any, llm_request: Any) -> None:
        """Write memory into the request; ADK calls this."""
        body = await self._hook.written(_body(llm_request), callback_context)
        llm_request.contents = body["contents"]
        prompt = body.get("systemInstruction")
        if prompt is not None:
            alone = not llm_request.config.system_instruction
            llm_request.config.system_instruction = _text(prompt) if alone else prompt
        if self._hook.captures:
            # ADK shows a reply without its request.
            self._open[_call(callback_context)] = body
            if len(self._open) > _MOST_OPEN:
                self._open.popitem(last=False)

    async def after_model_callback(self, *, callback_context: Any, llm_response: Any) -> None:
        """Hand a whole reply to the stores that learn; ADK calls this."""
        if getattr(llm_response, "partial", None):
            return
        body = self._open.pop(_call(callback_context), None)
        if body is not None and llm_response.content is not None:
            self._hook.heard(body, llm_response.content, callback_context)


def _of_the_run(context: Any) -> Scope:
    return Scope(user=context.user_id, session=context.session.id)


def _call(context: Any) -> tuple[Any, ...]:
    return context.invocation_id, context.agent_name


def _text(prompt: Any) -> str:
    return "".join(part["text"] for part in prompt["parts"])


def _body(request: Any) -> dict[str, Any]:
    config = request.config
    beside = {"systemInstruction": config.system_instruction, "tools": config.tools}
    given = {name: value for name, value in beside.items() if value}
    return {"contents": request.contents, "model": request.model, **given}


def _base() -> Any:
    try:
        return base_class("google.adk.plugins.base_plugin", "BasePlugin")
    except ImportError:
        raise MissingDependencyError(
            "google-adk", "google-adk", "memory in Google ADK agents"
        ) from None
