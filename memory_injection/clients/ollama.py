"""``ollama.Client`` and ``ollama.AsyncClient``: ``chat``."""

from __future__ import annotations

from typing import Any, TypeVar

from .binding import Binding
from .calls import remembering, twin_of
from .replies import Api, Draft, get

__all__ = ["CHAT", "wrap_client"]

C = TypeVar("C")


def wrap_client(client: C, binding: Binding) -> C:
    """Return a copy of *client* whose ``chat`` carries memory; ``generate`` is left alone."""
    twin: Any = twin_of(client)
    # A wrapped client has a chat of its own; the class has the bare one.
    vars(twin).pop("chat", None)
    twin.chat = remembering(twin.chat, binding, CHAT, ("model", "messages"))
    wrapped: C = twin
    return wrapped


def _reply(draft: Draft, reply: Any) -> None:
    message = get(reply, "message")
    draft.say(get(message, "content"))
    for call in get(message, "tool_calls") or ():
        function = get(call, "function")
        # Ollama gives its calls no ids: each one that arrives is another.
        draft.call(len(draft.calls), None, get(function, "name"), get(function, "arguments"))


CHAT = Api("ollama", _reply, _reply)
