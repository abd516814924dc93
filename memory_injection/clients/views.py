"""Views of a client's resources (``client.chat.completions``) that note when a call is made."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from ..scoping import Scopes, scopes_now
from .calls import AtCall, refuse_pickling, shallow

__all__ = ["Ground", "View"]


class Ground:
    """What the views of one client stand on.

    Args:
        for_one_call: makes a client like the viewed one that keeps the scopes it is given.
    """

    def __init__(self, for_one_call: Callable[[Scopes], Any]) -> None:
        """Keep the maker; nothing is made before it is needed."""
        self.for_one_call = for_one_call

    @functools.cached_property
    def shape(self) -> Any:
        """Return a client to look names up in; no call goes through it."""
        return self.for_one_call(scopes_now())


class View:
    """Looks like the resource at *path*, and resolves the path anew for every call.

    Nothing of the resource is made before an attribute is asked for: some take the SDK a second
    to import. What a caller sets on a view stays on it and goes first.
    """

    def __init__(self, ground: Ground, path: tuple[str, ...]) -> None:
        """View the resource that is reached from the client by the names of *path*."""
        self._memory_injection_ground = ground
        self._memory_injection_path = path

    __reduce_ex__ = refuse_pickling
    __copy__ = shallow

    def __getattr__(self, name: str) -> Any:
        """Return a method that notes the scopes, a view of an inner resource, or the value."""
        if name.startswith(("_memory_injection_", "__")):
            raise AttributeError(name)
        ground, path = self._memory_injection_ground, self._memory_injection_path
        resource = _at(ground.shape, path)
        value = getattr(resource, name)
        if name.startswith("_"):
            return value
        if inspect.isroutine(value):
            return _call(ground, (*path, name), value)
        if _package(value) != _package(resource):
            return value
        view = vars(self)[name] = View(ground, (*path, name))
        return view

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        """Pass for the resource with ``isinstance``."""
        return type(_at(self._memory_injection_ground.shape, self._memory_injection_path))

    def __dir__(self) -> list[str]:
        """Return the resource's names."""
        return dir(_at(self._memory_injection_ground.shape, self._memory_injection_path))


def _call(ground: Ground, path: tuple[str, ...], method: Any) -> AtCall:
    def act(scopes: Scopes, *args: Any, **kwargs: Any) -> Any:
        return _at(ground.for_one_call(scopes), path)(*args, **kwargs)

    return AtCall(method, act, method)


def _at(client: Any, path: tuple[str, ...]) -> Any:
    return functools.reduce(getattr, path, client)


def _package(thing: object) -> str:
    return type(thing).__module__.partition(".")[0]
