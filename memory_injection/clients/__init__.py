"""``wrap``: a client of somebody's SDK, whose calls carry memory. One file per SDK."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from importlib import import_module
from typing import Any, TypeVar

from ..errors import ConfigurationError
from ..records import Scope
from .binding import bind
from .calls import AtCall

__all__ = ["wrap"]

C = TypeVar("C")

# Where the client's class (or the function, or the module) comes from, to the room that knows it.
_ROOMS = {
    "openai": ".openai",
    "anthropic": ".anthropic",
    "google.genai": ".google",
    "litellm": ".litellm",
    "botocore": ".bedrock",
    "ollama": ".ollama",
    "cohere": ".cohere",
}


def wrap(client: C, memory: Any, *, scope: Scope | Mapping[str, str] | None = None) -> C:
    """Return a client like *client* whose model calls carry memory.

    The original is not changed; both share their connections, so closing one closes both.
    Wrapping a wrapped client replaces memory and scope. Trouble in memory never fails a call.

    Args:
        client: a client object of a supported SDK (OpenAI, Anthropic, google-genai, Cohere,
            Ollama, boto3's Bedrock runtime), sync or async, or of a subclass of one; or the
            ``litellm`` module, its ``completion`` or ``acompletion``, or a ``litellm.Router``.
        memory: a ``MemoryManager``, or any object with ``get_context`` and/or ``observe``.
        scope: whose memory the calls may see; ``with memory.scope(...):`` overrides it per call.

    Raises:
        ConfigurationError: *client* is of no known SDK, *memory* can neither recall nor observe,
            or *scope* is not one.
    """
    room = _room(client)
    if room is None:
        raise ConfigurationError(
            f"cannot wrap {_name(client)}: wrap knows the clients of {', '.join(sorted(_ROOMS))}"
        )
    wrapped: C = import_module(room, __package__).wrap_client(client, bind(memory, scope))
    return wrapped


def _room(client: object) -> str | None:
    """Find the SDK by the modules that define the client's class and its bases."""
    if inspect.ismodule(client) or inspect.isfunction(client) or isinstance(client, AtCall):
        home = client.__name__ if inspect.ismodule(client) else client.__module__
        return _ROOMS["litellm"] if home.partition(".")[0] == "litellm" else None
    for base in type(client).__mro__:
        for sdk, room in _ROOMS.items():
            if f"{base.__module__}.".startswith(f"{sdk}."):
                return room
    return None


def _name(client: object) -> str:
    if isinstance(client, type):
        return f"the class {client.__name__}, only an object of it"
    kind = type(client)
    return f"{kind.__module__}.{kind.__qualname__}"
