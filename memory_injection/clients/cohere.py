"""``cohere.ClientV2`` and ``AsyncClientV2`` (and ``Client().v2``): ``chat`` and ``chat_stream``."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, TypeVar

from ..errors import ConfigurationError
from ..scoping import Scopes
from .binding import Binding
from .calls import AtCall, observe, remembering, twin_of, watched
from .replies import Api, Draft, Turn, get

__all__ = ["CHAT", "wrap_client"]

C = TypeVar("C")

_MARK = "_memory_injection_original"


def wrap_client(client: C, binding: Binding) -> C:
    """Return a copy of *client* whose v2 chats carry memory; the v1 chat is left alone.

    Raises:
        ConfigurationError: a client without the v2 chat.
    """
    bare: Any = getattr(client, _MARK, client)
    twin: Any = twin_of(bare)
    setattr(twin, _MARK, bare)
    if _speaks_v2(bare):
        _tie(twin, bare, binding)
    elif _speaks_v2(getattr(bare, "v2", None)):
        twin._v2 = wrap_client(bare.v2, binding)
    else:
        raise ConfigurationError(f"cannot wrap cohere.{type(client).__name__}: it has no v2 chat")
    wrapped: C = twin
    return wrapped


def _speaks_v2(client: object) -> bool:
    return any(base.__name__ in ("V2Client", "AsyncV2Client") for base in type(client).__mro__)


def _tie(twin: Any, bare: Any, binding: Binding) -> None:
    # The client's own methods are tied to it when it is built (argument checks of the SDK), so
    # the wrappers go around the original's.
    for name in ("chat", "chat_stream"):
        kind = getattr(type(bare), name)
        setattr(twin, name, remembering(getattr(bare, name), binding, CHAT, like=kind))
    if hasattr(bare, "with_raw_response"):  # since 5.14
        raw = twin_of(bare.with_raw_response)
        raw.chat = remembering(raw.chat, binding, CHAT, watch=_watch_data)
        raw.chat_stream = _raw_stream(raw.chat_stream, binding)
        twin._raw_client = raw


def _watch_data(reply: Any, turn: Turn) -> Any:
    turn.whole(reply.data)
    return reply


def _raw_stream(call: Callable[..., Any], binding: Binding) -> Callable[..., Any]:
    """Do for the raw client's context manager what ``remembering`` does for methods."""

    def begin(held: Binding, body: dict[str, Any]) -> Turn | None:
        return Turn(held, CHAT, body) if held.captures else None

    @contextlib.contextmanager
    def chat_stream(scopes: Scopes, **body: Any) -> Iterator[Any]:
        held = binding.held(scopes)
        turn = begin(held, body)
        with call(**held.inject(body, CHAT.name)) as reply:
            if turn is not None:
                reply._data = watched(observe, reply.data, turn)
            yield reply

    @contextlib.asynccontextmanager
    async def achat_stream(scopes: Scopes, **body: Any) -> AsyncIterator[Any]:
        held = binding.held(scopes)
        turn = begin(held, body)
        async with call(**await held.ainject(body, CHAT.name)) as reply:
            if turn is not None:
                reply._data = watched(observe, reply.data, turn)
            yield reply

    streams_async = inspect.isasyncgenfunction(inspect.unwrap(call))
    return AtCall(call, achat_stream if streams_async else chat_stream)


def _whole(draft: Draft, reply: Any) -> None:
    message = get(reply, "message")
    for part in get(message, "content") or ():
        draft.say(get(part, "text"))
    for call in get(message, "tool_calls") or ():
        _call(draft, get(call, "id"), call)


def _event(draft: Draft, event: Any) -> None:
    message = get(get(event, "delta"), "message")
    kind = get(event, "type")
    if kind == "content-delta":
        draft.say(get(get(message, "content"), "text"))
    elif kind == "tool-call-start":
        _call(draft, get(event, "index"), get(message, "tool_calls"))
    elif kind == "tool-call-delta":
        function = get(get(message, "tool_calls"), "function")
        draft.argue(get(event, "index"), get(function, "arguments"))


def _call(draft: Draft, key: object, call: Any) -> None:
    function = get(call, "function")
    draft.call(key, get(call, "id"), get(function, "name"), get(function, "arguments"))


CHAT = Api("cohere", _whole, _event)
