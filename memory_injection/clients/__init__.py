"""``wrap``: a client of somebody's SDK, whose calls carry memory. One file per SDK."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, TypeVar

from ..errors import ConfigurationError
from ..records import Scope
from .binding import bind

__all__ = ["wrap"]

C = TypeVar("C")

_ROOMS = {"openai": ".openai", "anthropic": ".anthropic"}


def wrap(client: C, memory: Any, *, scope: Scope | Mapping[str, str] | None = None) -> C:
    """Return a client like *client* whose model calls carry memory.

    The original is not changed; both share their connections, so closing one closes both.
    Wrapping a wrapped client replaces memory and scope. Trouble in memory never fails a call.

    Args:
        client: a client object of a supported SDK, sync or async, or of a subclass of one.
        memory: a ``MemoryManager``, or any object with ``get_context`` and/or ``observe``.
        scope: whose memory the calls may see; ``with memory.scope(...):`` overrides it per call.

    Raises:
        ConfigurationError: *client* is of no known SDK, *memory* can neither recall nor observe,
            or *scope* is not one.
    """
    room = _room(client)
    if room is None:
        kind = type(client)
        raise ConfigurationError(
            f"cannot wrap {kind.__module__}.{kind.__qualname__}: "
            f"wrap knows the clients of {', '.join(sorted(_ROOMS))}"
        )
    wrapped: C = import_module(room, __package__).wrap_client(client, bind(memory, scope))
    return wrapped


def _room(client: object) -> str | None:
    """Find the SDK by the module that defines the client's class or one of its bases."""
    roots = (base.__module__.partition(".")[0] for base in type(client).__mro__)
    return next((_ROOMS[root] for root in roots if root in _ROOMS), None)
