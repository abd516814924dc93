"""Classes of ours that must derive from a framework's own, without importing it beforehand."""

from __future__ import annotations

import importlib
from functools import lru_cache
from typing import Any, TypeVar, cast

__all__ = ["base_class", "joined"]

C = TypeVar("C")


def base_class(module: str, name: str) -> Any:
    """Return the class *name* of a framework's *module*.

    Raises:
        ImportError: the framework is not installed, or this version of it has no such class.
    """
    found = importlib.import_module(module)
    if not hasattr(found, name):
        raise ImportError(f"{module} has no {name}")
    return getattr(found, name)


def joined(own: type[C], base: Any) -> type[C]:
    """Return *own* as a class that derives from the framework's *base* as well."""
    if issubclass(own, base):
        return own
    made: type[C] = _joined(cast(Any, own), base)
    return made


@lru_cache(maxsize=64)
def _joined(own: Any, base: Any) -> Any:
    return type(base)(own.__name__, (own, base), {"__module__": own.__module__})
