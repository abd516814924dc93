"""google-genai's ``Client``: ``models.generate_content(_stream)``, chats, and the ``aio`` side."""

from __future__ import annotations

from typing import Any, TypeVar

from ..errors import ConfigurationError
from .binding import Binding
from .calls import remembering, twin_of
from .replies import Api, Draft, get

__all__ = ["GEMINI", "wrap_client"]

C = TypeVar("C")

# The two methods every model call ends in, also each step of automatic function calling; the
# public ones around them record a history that has to stay the caller's own.
_CALLS = ("_generate_content", "_generate_content_stream")


def wrap_client(client: C, binding: Binding) -> C:
    """Return a copy of *client* whose models, chats and ``aio`` models carry memory.

    Raises:
        ConfigurationError: a version of the SDK with another inner shape.
    """
    twin: Any = _twin(client)
    try:
        twin._models = _models(twin._models, binding)
        twin._aio = twin_of(twin._aio)
        twin._aio._models = _models(twin._aio._models, binding)
    except AttributeError as error:
        raise ConfigurationError(
            f"cannot wrap google.genai.{type(client).__name__}: this version of the SDK has no "
            f"{error.name}"
        ) from None
    wrapped: C = twin
    return wrapped


def _twin(client: Any) -> Any:
    """Copy *client* so that neither it nor the copy closes the shared connections when dropped.

    The SDK's client closes itself in ``__del__``. The copy's class leaves that to the original,
    which the copy keeps alive.
    """
    twin = twin_of(client)
    kind = type(client)
    if not getattr(kind, "_memory_injection", False):
        kept = {"__del__": _keep, "_memory_injection": True, "__module__": kind.__module__}
        twin.__class__ = type(kind.__name__, (kind,), kept)
        twin._memory_injection_original = client
    return twin


def _keep(_: object) -> None:
    """Close nothing: the original does."""


def _models(models: Any, binding: Binding) -> Any:
    twin = twin_of(models)
    for name in _CALLS:
        vars(twin).pop(name, None)
        setattr(twin, name, remembering(getattr(twin, name), binding, GEMINI))
    return twin


def _reply(draft: Draft, reply: Any) -> None:
    for candidate in (get(reply, "candidates") or ())[:1]:
        for part in get(get(candidate, "content"), "parts") or ():
            if not get(part, "thought"):
                draft.say(get(part, "text"))
            if call := get(part, "function_call"):
                # A streamed call arrives whole, and often without an id.
                draft.call(len(draft.calls), get(call, "id"), get(call, "name"), get(call, "args"))


GEMINI = Api("gemini", _reply, _reply)
