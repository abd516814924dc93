"""Which dialects there are: the entry points ``memory_injection.dialects``, ours and others'."""

from __future__ import annotations

import importlib
import logging
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache, partial
from importlib.metadata import entry_points
from typing import Any

from ..errors import ConfigurationError
from ..protocols import Dialect

__all__ = ["GROUP", "detect", "detect_body", "dialect_named", "dialect_names"]

GROUP = "memory_injection.dialects"

log = logging.getLogger(__name__)


def dialect_names() -> list[str]:
    """Return the names of all dialects that can be asked for, sorted."""
    return list(_doors())


def dialect_named(name: str) -> Dialect:
    """Return the dialect called *name*, e.g. ``"openai.chat"``.

    Raises:
        ConfigurationError: no dialect has this name, or the package that brings it is broken.
    """
    if not isinstance(name, str) or name not in _doors():
        known = ", ".join(dialect_names())
        raise ConfigurationError(f"unknown dialect {name!r}; known are {known}")
    found = _loaded(name)
    if isinstance(found, Exception):
        raise ConfigurationError(f"dialect {name!r} cannot be loaded: {found}") from found
    return found


def detect(messages: Sequence[Any]) -> Dialect | None:
    """Return the dialect that is surest of *messages* (a list, or a bare string), or None."""
    return _surest(lambda dialect: dialect.detect(messages))


def detect_body(body: Mapping[str, Any]) -> Dialect | None:
    """Return the dialect that is surest of the request *body*, or None."""
    return _surest(lambda dialect: dialect.detect_body(body))


def _surest(certainty: Callable[[Dialect], float]) -> Dialect | None:
    best, surest = None, 0.0
    for name in _doors():
        dialect = _loaded(name)
        if isinstance(dialect, Exception):
            continue
        try:
            score = certainty(dialect)
        except Exception as error:
            # What makes a dialect stumble is not its shape.
            log.debug("dialect %s cannot read this: %s", name, type(error).__name__)
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
    found = found if "openai.chat" in found else {**_shipped(), **found}
    return dict(sorted(found.items()))


def _shipped() -> dict[str, Callable[[], Any]]:
    """Find the built-in dialects in a source checkout, where no entry point is installed."""
    package = importlib.import_module(__package__ or GROUP)
    shipped: dict[str, Callable[[], Any]] = {}
    for info in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        try:
            module = importlib.import_module(info.name)
        except Exception as error:
            log.warning("%s cannot be imported: %s", info.name, type(error).__name__)
            continue
        for exported in getattr(module, "__all__", ()):
            value = getattr(module, exported)
            name = getattr(value, "name", None)
            if isinstance(value, type) and isinstance(name, str):
                shipped[name] = partial(_itself, value)
    return shipped


def _itself(value: Any) -> Any:
    return value


@cache
def _loaded(name: str) -> Dialect | Exception:
    """Return the one instance of a dialect, which holds no state, or why there is none.

    One broken plug-in must not take the others with it, nor be tried again on every call.
    """
    try:
        dialect: Dialect = _doors()[name]()()
    except Exception as error:
        log.warning("dialect %s cannot be loaded and is left out: %s", name, type(error).__name__)
        return error
    return dialect
