"""google-genai's ``Client``: ``models.generate_content(_stream)``, chats, and the ``aio`` side."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from ..errors import ConfigurationError
from ..scoping import Scopes
from .binding import Binding
from .calls import AtCall, refuse_pickling, remembering, shallow, twin_of
from .replies import Api, Draft, get

__all__ = ["GEMINI", "wrap_client"]

C = TypeVar("C")

# The two methods every model call ends in, also each step of automatic function calling; the
# public ones around them record a history that has to stay the caller's own.
_CALLS = ("_generate_content", "_generate_content_stream")
_PUBLIC = ("generate_content", "generate_content_stream")


def wrap_client(client: C, binding: Binding) -> C:
    """Return a copy of *client* whose models, chats and ``aio`` models carry memory.

    Raises:
        ConfigurationError: a version of the SDK with another inner shape.
    """
    twin: Any = _twin(client)
    try:
        twin._models = _models(twin._models, binding)
        twin._aio = _twin(twin._aio)
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
        kept = {
            "__del__": _keep, "_memory_injection": True, "__module__": kind.__module__,
            "chats": property(functools.partial(_chats, kind)),
            "__reduce_ex__": refuse_pickling, "__copy__": shallow,
        }  # fmt: skip
        twin.__class__ = type(kind.__name__, (kind,), kept)
        twin._memory_injection_original = client
    return twin


def _keep(_: object) -> None:
    """Close nothing: the original does."""


def _models(models: Any, binding: Binding) -> Any:
    """Copy *models*, with memory in its model calls, under the scopes of the public call."""
    twin = _remembering_models(models, binding)
    twin._memory_injection_held = lambda scopes: _remembering_models(twin, binding.held(scopes))
    for name in _PUBLIC:
        setattr(
            twin, name, _at_call(twin, name, lambda scopes: twin._memory_injection_held(scopes))
        )
    return twin


def _remembering_models(models: Any, binding: Binding) -> Any:
    twin = twin_of(models)
    for name in (*_CALLS, *_PUBLIC):
        vars(twin).pop(name, None)
    for name in _CALLS:
        setattr(twin, name, remembering(getattr(twin, name), binding, GEMINI))
    return twin


def _chats(kind: Any, client: Any) -> Any:
    """Return *client*'s chats, whose sessions note the scopes when a message is sent."""
    chats = kind.chats.fget(client)
    create = chats.create

    @functools.wraps(create)
    def created(*args: Any, **kwargs: Any) -> Any:
        chat = create(*args, **kwargs)

        def held(scopes: Scopes) -> Any:
            # A copy shares the history's lists, which the SDK extends in place.
            twin = twin_of(chat)
            twin._modules = chat._modules._memory_injection_held(scopes)
            return twin

        for name in ("send_message", "send_message_stream"):
            setattr(chat, name, _at_call(chat, name, held))
        return chat

    chats.create = created
    return chats


def _at_call(thing: Any, name: str, held: Callable[[Scopes], Any]) -> AtCall:
    """Return the method *name* of *thing*, to run on what *held* makes for the call's scopes."""
    method = getattr(type(thing), name)

    def act(scopes: Scopes, *args: Any, **kwargs: Any) -> Any:
        return method(held(scopes), *args, **kwargs)

    return AtCall(getattr(thing, name), act, method)


def _reply(draft: Draft, reply: Any) -> None:
    for candidate in (get(reply, "candidates") or ())[:1]:
        for part in get(get(candidate, "content"), "parts") or ():
            if not get(part, "thought"):
                draft.say(get(part, "text"))
            if call := get(part, "function_call"):
                # A streamed call arrives whole, and often without an id.
                draft.call(len(draft.calls), get(call, "id"), get(call, "name"), get(call, "args"))


GEMINI = Api("gemini", _reply, _reply)
