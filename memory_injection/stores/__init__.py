"""Built-in stores. Each lives in its own file; nothing heavy is imported before it is used."""

from __future__ import annotations

import importlib
import importlib.util
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .memory import InMemoryStore
    from .sqlite import SQLiteStore

__all__ = ["InMemoryStore", "ProviderStore", "SQLiteStore", "VectorStore"]

if importlib.util.find_spec("numpy") is None:
    # What cannot be imported must not make ``import *`` fail; by name it says what to install.
    __all__.remove("VectorStore")

_HOMES = {
    "InMemoryStore": ".memory",
    "ProviderStore": ".provider",
    "SQLiteStore": ".sqlite",
    "VectorStore": ".vector",
}


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(home, __name__), name)


def __dir__() -> list[str]:
    return sorted(_HOMES)
