"""Wrapping the SDKs that Stainless generates (OpenAI's and Anthropic's).

Every call of such a client (``create``, ``parse``, ``stream``, the raw and streaming response
variants, the beta aliases) ends in one method, ``client.request(cast_to, options, ...)``, outside
the retry loop. The wrapper is a copy of the client whose ``request`` puts memory into the body
first. The copy keeps its exact type: the SDKs compare types to decide how to authenticate.

Some calls are sent later than they are made: ``stream`` and the streaming responses when their
context manager is entered, coroutines when they are awaited. So a resource of the copy
(``client.chat``) is a view, and a call through it runs on a copy made for that one call, which
keeps the scopes of the moment.
"""

from __future__ import annotations

import copy
import functools
import inspect
import logging
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from ..errors import ConfigurationError
from ..scoping import Scopes
from .binding import Binding, settled
from .calls import AtCall, twin_of
from .replies import Api, Turn
from .taps import Tap
from .views import Ground, View

__all__ = ["wrap_stainless"]

C = TypeVar("C")

logger = logging.getLogger("memory_injection.clients")

# What a wrapped client has of its own, and where it keeps what others had put there before.
_ROOTS = ("chat", "responses", "messages", "beta", "with_raw_response", "with_streaming_response")
_OURS = ("request", "copy", "with_options", *_ROOTS)
_MARK = "_memory_injection_patched"


def wrap_stainless(client: C, binding: Binding, apis: Mapping[str, Api]) -> C:
    """Return a copy of *client* whose calls to the paths of *apis* carry memory.

    Args:
        client: a sync or async client; it is not changed. HTTP connections are shared.
        binding: memory and scope; wrapping a wrapped client replaces them.
        apis: the last segments of a request path, e.g. ``"chat/completions"``, to what is
            spoken there.

    Raises:
        ConfigurationError: the client does not have the inner shape that all known versions of
            the SDKs share.
    """
    _check(client)
    twin = _twin(client)
    _tie(twin, binding, apis)
    return twin


def _check(client: object) -> None:
    kind = type(client)
    try:
        parameters = list(inspect.signature(kind.request).parameters)  # type: ignore[attr-defined]
    except (AttributeError, TypeError, ValueError):
        parameters = []
    if parameters[1:3] != ["cast_to", "options"] or not hasattr(kind, "copy"):
        raise ConfigurationError(
            f"cannot wrap {kind.__module__}.{kind.__qualname__}: this version of the SDK has no "
            "request(cast_to, options) to put memory in"
        )


def _twin(client: C) -> C:
    """Copy *client*; whatever points back at the original is left behind or built anew."""
    twin = twin_of(client)
    own = vars(twin)
    if (patched := own.pop(_MARK, None)) is not None:
        for name in _OURS:
            own.pop(name, None)
        own.update(patched)
    cached = _cached(type(client))
    for name, value in list(own.items()):
        if name in cached:
            del own[name]
        elif getattr(value, "_client", None) is client:
            # Before 2025 the SDKs made every resource in __init__, each with the client.
            own[name] = type(value)(twin)
    for name in ("with_raw_response", "with_streaming_response"):
        if name in own:
            own[name] = type(own[name])(twin)
    # Built once in __init__ around the original's own methods (Anthropic's middleware).
    if own.get("_middleware_chain") is not None:
        own["_middleware_chain"] = twin._build_middleware_chain()  # type: ignore[attr-defined]
    return twin


def _cached(kind: type) -> set[str]:
    return {
        name
        for base in kind.__mro__
        for name, value in vars(base).items()
        if isinstance(value, functools.cached_property)
    }


def _tie(client: Any, binding: Binding, apis: Mapping[str, Api]) -> None:
    own = vars(client)
    patched = {name: own[name] for name in _OURS if name in own}
    bare_copy, send = client.copy, client.request

    def copied(*args: Any, **kwargs: Any) -> Any:
        twin = bare_copy(*args, **kwargs)
        _tie(twin, binding, apis)
        return twin

    client.copy = client.with_options = copied
    request = _arequest if inspect.iscoroutinefunction(send) else _request
    client.request = request(send, binding, apis)
    setattr(client, _MARK, patched)
    if binding.scopes is None:
        _view_roots(client, binding, apis)


def _view_roots(client: Any, binding: Binding, apis: Mapping[str, Api]) -> None:
    def for_one_call(scopes: Scopes) -> Any:
        twin = _twin(client)
        _tie(twin, binding.held(scopes), apis)
        return twin

    ground = Ground(for_one_call)
    for name in _ROOTS:
        if name in vars(client) or name in _cached(type(client)):
            vars(client)[name] = View(ground, (name,))


def _request(
    send: Callable[..., Any], binding: Binding, apis: Mapping[str, Api]
) -> Callable[..., Any]:
    def request(cast_to: Any, options: Any, *args: Any, **kwargs: Any) -> Any:
        api = _api_of(options, apis)
        if api is None:
            return send(cast_to, options, *args, **kwargs)
        body = _body(options)
        turn = Turn(binding, api, body) if binding.captures else None
        options = _with(options, binding.inject(body, api.name))
        reply = send(cast_to, options, *args, **kwargs)
        if turn is not None:
            _observe(reply, turn)
        return reply

    return request


def _arequest(
    send: Callable[..., Any], binding: Binding, apis: Mapping[str, Api]
) -> Callable[..., Any]:
    async def request(scopes: Scopes, cast_to: Any, options: Any, *args: Any, **kwargs: Any) -> Any:
        api, held = _api_of(options, apis), binding.held(scopes)
        if api is None:
            return await send(cast_to, options, *args, **kwargs)
        body = _body(options)
        turn = Turn(held, api, body) if held.captures else None
        options = _with(options, await held.ainject(body, api.name))
        reply = await send(cast_to, options, *args, **kwargs)
        if turn is not None:
            _observe(reply, turn)
        return reply

    return AtCall(send, request)


def _api_of(options: Any, apis: Mapping[str, Api]) -> Api | None:
    if str(options.method).lower() != "post" or not isinstance(options.json_data, Mapping):
        return None
    path = "/" + str(options.url).split("?")[0].strip("/")
    return next((api for end, api in apis.items() if path.endswith("/" + end)), None)


def _body(options: Any) -> Mapping[str, Any]:
    """Return the body as it will be sent: ``extra_body`` lies over the arguments."""
    return settled({**options.json_data, **(options.extra_json or {})})


def _with(options: Any, body: Mapping[str, Any]) -> Any:
    """Return a copy of *options* that sends *body*, each field where it came from."""
    plain, extra = options.json_data, options.extra_json or {}
    in_plain = {k: v for k, v in body.items() if k not in extra and plain.get(k) is not v}
    in_extra = {k: v for k, v in body.items() if k in extra and extra[k] is not v}
    options = copy.copy(options)
    if in_plain:
        options.json_data = {**plain, **in_plain}
    if in_extra:
        options.extra_json = {**extra, **in_extra}
    return options


def _observe(reply: Any, turn: Turn) -> None:
    """Read along with *reply*, whatever kind of answer it is."""
    response = getattr(reply, "http_response", None)
    try:
        if response is not None:
            _observe_raw(response, turn)
        elif hasattr(reply, "_iterator"):
            _observe_stream(reply, turn)
        else:
            turn.whole(reply)
    except Exception as error:
        logger.warning("a reply was not captured: %s", type(error).__name__)


def _observe_stream(stream: Any, turn: Turn) -> None:
    tap = Tap(turn.event, turn.finish)
    events = stream._iterator
    through = tap.athrough if hasattr(events, "__anext__") else tap.through
    stream._iterator = through(events)
    tap.on_close(stream.response)


def _observe_raw(response: Any, turn: Turn) -> None:
    streamed = "event-stream" in str(response.headers.get("content-type", ""))
    if response.is_stream_consumed:
        turn.received(response.content, streamed)
        return
    pieces: list[bytes] = []
    Tap(pieces.append, lambda: turn.received(b"".join(pieces), streamed)).on_bytes(response)
