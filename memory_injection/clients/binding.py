"""One client's tie to memory: what every wrapper does to a request before it goes out."""

from __future__ import annotations

import atexit
import contextlib
import functools
import logging
import weakref
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeGuard

from ..dialects.meaning import field_of
from ..dialects.rewriting import replaced
from ..errors import ConfigurationError
from ..records import Scope
from ..scoping import Scopes, scopes_as

__all__ = ["Binding", "bind", "settled"]

logger = logging.getLogger("memory_injection.clients")

_CONVERSATIONS = ("messages", "input", "contents")


@dataclass(frozen=True, slots=True)
class Binding:
    """A manager and the scope its wrapped client speaks for.

    The manager promises to fail open. A wrapper guards once more: an error of ours in front of
    somebody's model call must not become theirs.

    Attributes:
        memory: the manager.
        scope: whose memory; ``memory.scope(...)`` around a call is laid over it.
        scopes: what was set by ``memory.scope(...)`` when the call was made, if the SDK may send
            it later; None where it is sent at once.
    """

    memory: Any
    scope: Scope
    scopes: Scopes | None = None

    def held(self, scopes: Scopes) -> Binding:
        """Return this binding for one call, which keeps the *scopes* it was made under.

        What was held before stays: an SDK's helper may come to its inner calls later.
        """
        return self if self.scopes is not None else replace(self, scopes=scopes)

    def under(self) -> contextlib.AbstractContextManager[None]:
        """Lay the scopes of the call down for as long as memory works for it."""
        return contextlib.nullcontext() if self.scopes is None else scopes_as(self.scopes)

    @property
    def captures(self) -> bool:
        """Tell whether replies are wanted; if not, they are not looked at."""
        return bool(getattr(self.memory, "captures", False))

    def inject(self, body: Mapping[str, Any], api: str) -> Mapping[str, Any]:
        """Return *body* with memory in it; *body* itself if that is not possible."""
        try:
            with self.under():
                result = self.memory.inject_request(body, api=api, base_scope=self.scope)
            return _sent(result, body)
        except Exception as error:
            # The kind alone: a message may quote what somebody said.
            logger.warning("a %s call goes out without memory: %s", api, type(error).__name__)
            return body

    async def ainject(self, body: Mapping[str, Any], api: str) -> Mapping[str, Any]:
        """Return *body* with memory in it; *body* itself if that is not possible."""
        try:
            with self.under():
                result = await self.memory.ainject_request(body, api=api, base_scope=self.scope)
            return _sent(result, body)
        except Exception as error:
            logger.warning("a %s call goes out without memory: %s", api, type(error).__name__)
            return body

    def capture(self, body: Mapping[str, Any], reply: Mapping[str, Any], api: str) -> None:
        """Hand one model call to capture: the caller's own *body* and the assistant's message."""
        try:
            self.memory.capture_turn(request_body=body, reply=reply, api=api, base_scope=self.scope)
        except Exception as error:
            logger.warning("a %s reply was not captured: %s", api, type(error).__name__)


def bind(memory: Any, scope: Scope | Mapping[str, str] | None) -> Binding:
    """Tie *memory*, a manager or a plain provider, to *scope*.

    Raises:
        ConfigurationError: *memory* is neither, or *scope* holds an empty id or an unknown key.
    """
    if hasattr(memory, "inject_request"):
        return Binding(memory, Scope.of(scope))
    if hasattr(memory, "get_context") or hasattr(memory, "observe"):
        return Binding(_manager_of(memory), Scope.of(scope))
    raise ConfigurationError(
        f"memory must be a MemoryManager or have get_context or observe, not {memory!r}"
    )


_MANAGERS: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()


def _manager_of(provider: Any) -> Any:
    """Return the one manager of *provider*, for as long as a wrapped client uses it.

    It holds the provider, so the provider's ``id`` is taken while it lives.
    """
    manager = _MANAGERS.get(id(provider))
    if manager is None:
        from ..manager import MemoryManager
        from ..stores.provider import ProviderStore

        if _is_store(provider):
            manager = MemoryManager(stores=[provider])
        else:
            # The provider judges by itself what is worth saying, and on which ask.
            injection = {"min_relevance": None}
            manager = MemoryManager(stores=[ProviderStore(provider)], injection=injection)
        manager = _MANAGERS.setdefault(id(provider), manager)
        _flush_at_exit()
    return manager


@functools.cache
def _flush_at_exit() -> None:
    """Register once, and after capture has: what is registered last runs first."""
    atexit.register(_flush_all)


def _flush_all() -> None:
    """Nobody else holds these managers: what was observed last must not be lost at the end."""
    for manager in list(_MANAGERS.values()):
        manager.flush(5.0)


def _is_store(provider: Any) -> bool:
    """Tell whether *provider* is a store too: then its entries come one by one, not as a block."""
    return callable(getattr(provider, "search", None)) and isinstance(
        getattr(provider, "name", None), str
    )


def settled(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return *body* with its messages as a list, so that they can be read twice.

    What can be read once only is read here and sent from the list. Gemini also takes one content
    alone, which is the same as a list of it.
    """
    changed: dict[str, list[Any]] = {}
    for field in _CONVERSATIONS:
        given = body.get(field)
        if _is_series(given):
            changed[field] = list(given)
        elif field == "contents" and _is_alone(given):
            changed[field] = [given]
    return {**body, **changed} if changed else body


def _is_series(conversation: object) -> TypeGuard[Iterable[Any]]:
    """Tell an iterable of messages from a list, which is fine, and from what stands alone."""
    return (
        isinstance(conversation, Iterable)
        and not isinstance(conversation, (list, str, bytes))
        and not _is_alone(conversation)
    )


def _is_alone(content: object) -> bool:
    # SDK objects are pydantic models, which are iterable too, over their fields.
    return isinstance(content, Mapping) or hasattr(content, "model_fields_set")


def _sent(result: Any, body: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the body to send: earlier blocks stand in it, or are gone, whatever was found now."""
    request = result.request if isinstance(result.request, Mapping) else body
    added = "systemInstruction" in request and "systemInstruction" not in body
    return _in_config(request) if added and "contents" in body else request


def _in_config(request: Mapping[str, Any]) -> Mapping[str, Any]:
    """Move a system prompt of ours to where google-genai's arguments keep it: ``config``."""
    arguments = {name: value for name, value in request.items() if name != "systemInstruction"}
    text = "".join(part["text"] for part in request["systemInstruction"]["parts"])
    config = request.get("config")
    if config is None:
        return {**arguments, "config": {"system_instruction": text}}
    if isinstance(config, Mapping):
        name = "systemInstruction" if "systemInstruction" in config else "system_instruction"
        return {**arguments, "config": {**config, name: _joined(config.get(name), text)}}
    prompt = _joined(getattr(config, "system_instruction", None), text)
    return {**arguments, "config": config.model_copy(update={"system_instruction": prompt})}


def _joined(prompt: Any, text: str) -> Any:
    if not prompt:
        return text
    if isinstance(prompt, str):
        return prompt if text in prompt else f"{prompt}\n\n{text}"
    if isinstance(parts := field_of(prompt, "parts"), list):
        return replaced(prompt, "parts", [*parts, {"text": text}])
    return [*(prompt if isinstance(prompt, list) else [prompt]), text]
