"""Wrapping single methods: the way in for SDKs whose calls do not meet in one place."""

from __future__ import annotations

import functools
import inspect
import logging
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from typing import Any, NoReturn, TypeVar

from ..scoping import Scopes, scopes_now
from .binding import Binding, settled
from .replies import Api, Turn
from .taps import Tap

__all__ = [
    "AtCall", "Observer", "observe", "refuse_pickling", "remembering", "shallow", "twin_of",
    "watched",
]  # fmt: skip

logger = logging.getLogger("memory_injection.clients")

C = TypeVar("C")

Observer = Callable[[Any, Turn], Any]


def twin_of(client: C) -> C:
    """Return a shallow copy that shares everything with *client*.

    ``copy.copy`` is not used: it asks the half-made copy for attributes, and clients that look
    attributes up in themselves (botocore's) never come back from that.
    """
    twin = object.__new__(type(client))
    vars(twin).update({"_memory_injection_twin": _Unpicklable(), **vars(client)})
    return twin


def shallow(thing: C) -> C:
    """Stand in for ``__copy__`` where ``__reduce_ex__`` refuses."""
    copied = object.__new__(type(thing))
    vars(copied).update(vars(thing))
    return copied


class _Unpicklable:
    """Says why a wrapped client cannot be pickled, before one of its locks says something else."""

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        refuse_pickling(self, protocol)


def refuse_pickling(client: object, protocol: object) -> NoReturn:
    """Stand in for ``__reduce_ex__``, where pickle would first stumble over something else.

    Raises:
        TypeError: always.
    """
    raise TypeError(
        "a client wrapped with memory cannot be pickled or copied deeply: "
        "do that with the bare client and wrap the copy"
    )


class AtCall(functools.partial):  # type: ignore[type-arg]
    """Calls *act* with the scopes of the moment first, and passes for *call* otherwise.

    What an SDK hands out may run later (a coroutine, a generator, a context manager), under
    scopes that are not those of the call. A subclass of ``partial``, because :mod:`inspect` looks
    through one for what kind of function it is.
    """

    _act: Callable[..., Any]

    def __new__(cls, call: Callable[..., Any], act: Callable[..., Any], kind: Any = None) -> AtCall:
        """Make a stand-in for *call* that calls ``act(scopes, ...)``.

        Args:
            call: gives name, signature and docstring.
            act: does the work.
            kind: the function whose kind (plain, async, generator) this is of; *act* by default.
        """
        made = super().__new__(cls, kind or act)
        functools.update_wrapper(made, call)
        made._act = act
        return made

    __reduce_ex__ = refuse_pickling

    def __copy__(self) -> AtCall:
        """Return itself, as copying a function does."""
        return self

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Note the scopes and call."""
        return self._act(scopes_now(), *args, **kwargs)


def watched(watch: Observer, reply: Any, turn: Turn | None) -> Any:
    """Return what *watch* hands on of *reply*; *reply* itself where there is nobody to tell.

    A reply that is not made as the SDK makes it (a test's double, say) is not read along with.
    """
    if turn is None:
        return reply
    try:
        return watch(reply, turn)
    except Exception as error:
        logger.warning("a reply was not captured: %s", type(error).__name__)
        return reply


def observe(reply: Any, turn: Turn) -> Any:
    """Read along with *reply*, a whole answer or a generator of events; return what to hand on."""
    if inspect.isgenerator(reply):
        return Tap(turn.event, turn.finish).through(reply)
    if inspect.isasyncgen(reply):
        return Tap(turn.event, turn.finish).athrough(reply)
    turn.whole(reply)
    return reply


def remembering(
    call: Callable[..., Any],
    binding: Binding,
    api: Api,
    names: tuple[str, ...] = (),
    watch: Observer = observe,
    like: Callable[..., Any] | None = None,
) -> Callable[..., Any]:
    """Return *call* with memory in its arguments, of the same kind: plain, async or generator.

    Args:
        call: takes the fields of a request body as keyword arguments.
        binding: memory and scope.
        api: what is spoken there.
        names: the fields that may also be given by position, in order.
        watch: reads along with a reply when capture is on; returns what the caller gets.
        like: the function whose kind counts, where *call* only passes on what that one returns.
    """
    like = like or call
    if inspect.isasyncgenfunction(like):
        return _async_generator(call, binding, api, names)
    if inspect.isgeneratorfunction(like):
        return _generator(call, binding, api, names)
    if inspect.iscoroutinefunction(like):
        return _coroutine(call, binding, api, names, watch)
    return _plain(call, binding, api, names, watch)


def _plain(
    call: Callable[..., Any], binding: Binding, api: Api, names: tuple[str, ...], watch: Observer
) -> Callable[..., Any]:
    @functools.wraps(call)
    def remembered(*args: Any, **kwargs: Any) -> Any:
        body = _body(names, args, kwargs)
        if body is None:
            return call(*args, **kwargs)
        turn = _turn(binding, api, body)
        reply = call(**binding.inject(body, api.name))
        return watched(watch, reply, turn)

    return remembered


def _coroutine(
    call: Callable[..., Any], binding: Binding, api: Api, names: tuple[str, ...], watch: Observer
) -> Callable[..., Any]:
    async def remembered(scopes: Scopes, *args: Any, **kwargs: Any) -> Any:
        body, held = _body(names, args, kwargs), binding.held(scopes)
        if body is None:
            return await call(*args, **kwargs)
        turn = _turn(held, api, body)
        reply = await call(**await held.ainject(body, api.name))
        return watched(watch, reply, turn)

    return AtCall(call, remembered)


def _generator(
    call: Callable[..., Any], binding: Binding, api: Api, names: tuple[str, ...]
) -> Callable[..., Iterator[Any]]:
    def remembered(scopes: Scopes, *args: Any, **kwargs: Any) -> Iterator[Any]:
        body, held = _body(names, args, kwargs), binding.held(scopes)
        if body is None:
            yield from call(*args, **kwargs)
            return
        turn = _turn(held, api, body)
        events = call(**held.inject(body, api.name))
        yield from watched(observe, events, turn)

    return AtCall(call, remembered)


def _async_generator(
    call: Callable[..., Any], binding: Binding, api: Api, names: tuple[str, ...]
) -> Callable[..., AsyncIterator[Any]]:
    async def remembered(scopes: Scopes, *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        body, held = _body(names, args, kwargs), binding.held(scopes)
        turn = None if body is None else _turn(held, api, body)
        if body is None:
            events = call(*args, **kwargs)
        else:
            events = call(**await held.ainject(body, api.name))
        events = watched(observe, events, turn)
        try:
            async for event in events:
                yield event
        finally:
            await events.aclose()

    return AtCall(call, remembered)


def _body(
    names: tuple[str, ...], args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> Mapping[str, Any] | None:
    """Return the arguments as a request body; None if the call itself has to complain of them."""
    given = dict(zip(names, args, strict=False))
    if len(args) > len(names) or given.keys() & kwargs.keys():
        return None
    return settled({**given, **kwargs})


def _turn(binding: Binding, api: Api, body: Mapping[str, Any]) -> Turn | None:
    return Turn(binding, api, body) if binding.captures else None
