"""LiteLLM: the module, its ``completion`` and ``acompletion`` functions, and its ``Router``."""

from __future__ import annotations

import inspect
import weakref
from types import ModuleType
from typing import Any, TypeVar

from .binding import Binding
from .calls import observe, remembering, twin_of
from .openai import CHAT
from .replies import Turn

__all__ = ["wrap_client"]

C = TypeVar("C")

_CALLS = ("completion", "acompletion")
_NAMES = ("model", "messages")
_MARK = "_memory_injection_original"


def wrap_client(client: C, binding: Binding) -> C:
    """Return *client* with memory in its completions.

    Args:
        client: the ``litellm`` module, one of its two functions, or a ``litellm.Router``. A
            wrapped module passes everything else, settings included, on to the module itself.
        binding: memory and scope.
    """
    bare: Any = getattr(client, _MARK, client)
    wrapped: Any
    if inspect.isfunction(bare):  # of a wrapped function too, which knows its original
        wrapped = remembering(bare, binding, CHAT, _NAMES, _watch)
        setattr(wrapped, _MARK, bare)
        return wrapped  # type: ignore[no-any-return]
    calls = {
        name: remembering(getattr(bare, name), binding, CHAT, _NAMES, _watch) for name in _CALLS
    }
    if isinstance(bare, ModuleType):
        return _Module(bare, calls)  # type: ignore[return-value]
    wrapped = twin_of(bare)
    vars(wrapped).update(calls, **{_MARK: bare})
    return wrapped  # type: ignore[no-any-return]


class _Module(ModuleType):
    """The module, with two of its functions replaced in this view of it alone."""

    def __init__(self, bare: ModuleType, calls: dict[str, Any]) -> None:
        super().__init__(bare.__name__, bare.__doc__)
        vars(self).update(calls, **{_MARK: bare})

    def __getattr__(self, name: str) -> Any:
        return getattr(vars(self)[_MARK], name)

    def __setattr__(self, name: str, value: object) -> None:
        setattr(vars(self)[_MARK], name, value)


def _watch(reply: Any, turn: Turn) -> Any:
    if not hasattr(reply, "completion_stream"):
        return observe(reply, turn)
    # LiteLLM's stream is an iterator of its own class; a subclass of it sees what it yields.
    kind = type(reply)
    reply.__class__ = type(kind.__name__, (_Watched, kind), {"__module__": kind.__module__})
    reply._memory_injection_turn = turn
    weakref.finalize(reply, turn.finish)
    return reply


class _Watched:
    """Mixed into the class of a stream."""

    _memory_injection_turn: Turn

    def __next__(self) -> Any:
        try:
            chunk = super().__next__()  # type: ignore[misc]
        except BaseException:
            self._memory_injection_turn.finish()
            raise
        self._memory_injection_turn.event(chunk)
        return chunk

    async def __anext__(self) -> Any:
        try:
            chunk = await super().__anext__()  # type: ignore[misc]
        except BaseException:
            self._memory_injection_turn.finish()
            raise
        self._memory_injection_turn.event(chunk)
        return chunk

    def close(self) -> Any:
        self._memory_injection_turn.finish()
        return super().close()  # type: ignore[misc]

    async def aclose(self) -> Any:
        self._memory_injection_turn.finish()
        return await super().aclose()  # type: ignore[misc]
