"""Which dialects there are: the entry points ``memory_injection.dialects``, ours and others'."""

from __future__ import annotations

import importlib
import logging
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from importlib.metadata import entry_points
from typing import Any

from ..errors import ConfigurationError
from ..protocols import Dialect

__all__ = ["GROUP", "detect", "detect_body", "dialect_named", "dialect_names"]

GROUP = "memory_injection.dialects"

log = logging.getLogger(__name__)


def dialect_names() -> list[str]:
    """Return the names of all dialects that can be asked for, sorted."""
    return sorted(_doors())


def dialect_named(name: str) -> Dialect:
    """Return the dialect called *name*, e.g. ``"openai.chat"``.

    Raises:
        ConfigurationError: no dialect has this name, or the package that brings it is broken.
    """
    door = _doors().get(name) if isinstance(name, str) else None
    if door is None:
        raise ConfigurationError(
            f"unknown dialect {name!r}; known are {', '.join(dialect_names())}"
        )
    try:
        return _opened(name, door)
    except Exception as error:
        raise ConfigurationError(f"dialect {name!r} cannot be loaded: {error}") from error


def detect(messages: Sequence[Any]) -> Dialect | None:
    """Return the dialect that is surest of *messages* (a list, or a bare string), or None."""
    return _surest(lambda dialect: dialect.detect(messages))


def detect_body(body: Mapping[str, Any]) -> Dialect | None:
    """Return the dialect that is surest of the request *body*, or None."""
    return _surest(lambda dialect: dialect.detect_body(body))


def _surest(certainty: Callable[[Dialect], float]) -> Dialect | None:
    best, surest = None, 0.0
    for name in dialect_names():
        try:
            dialect = dialect_named(name)
            score = certainty(dialect)
        except Exception as error:
            # One broken plug-in must not take the others with it.
            log.warning("dialect %s is left out of detection: %s", name, type(error).__name__)
            continue
        if score > surest:
            best, surest = dialect, score
    return best


@lru_cache(maxsize=1)
def _doors() -> dict[str, Callable[[], Any]]:
    """Return how to load each dialect's class, by name; nothing is imported yet."""
    found: dict[str, Callable[[], Any]] = {
        point.name: point.load for point in entry_points(group=GROUP)
    }
    return found if "openai.chat" in found else {**_shipped(), **found}


def _shipped() -> dict[str, Callable[[], Any]]:
    """Find the built-in dialects in a source checkout, where no entry point is installed."""
    package = importlib.import_module(__package__ or GROUP)
    shipped: dict[str, Callable[[], Any]] = {}
    for info in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        module = importlib.import_module(info.name)
        for exported in getattr(module, "__all__", ()):
            value = getattr(module, exported)
            name = getattr(value, "name", None)
            if isinstance(value, type) and isinstance(name, str):
                shipped[name] = partial(_itself, value)
    return shipped


def _itself(value: Any) -> Any:
    return value


_instances: dict[str, Dialect] = {}


def _opened(name: str, door: Callable[[], Any]) -> Dialect:
    """Return the one instance of a dialect: it holds no state, so callers may share it."""
    if name not in _instances:
        _instances[name] = door()()
    return _instances[name]
