"""Long-term memory for chat-completion calls: recall, pack, inject, learn.

::

    from memory_injection import MemoryManager, Scope, wrap
    from memory_injection.stores import SQLiteStore

    memory = MemoryManager(stores=[SQLiteStore("memory.db")])
    client = wrap(OpenAI(), memory, scope=Scope(user="u1"))

Names are loaded when first used, so importing this package costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ._version import __version__

if TYPE_CHECKING:
    from .capture import EveryNTurns, EveryTurn, ExtractionConfig, ModelExtractor
    from .clients import wrap
    from .config import InjectionConfig
    from .errors import (
        ConfigurationError,
        FactRefused,
        InputError,
        InvocationEnded,
        MemoryInjectionError,
        MissingDependencyError,
        StoreClosedError,
        StoreError,
        StoreErrors,
        UnknownStoreError,
    )
    from .ledger import InMemoryLedger
    from .manager import MemoryManager
    from .protocols import (
        AgentMemoryProvider,
        Dialect,
        Embedder,
        Extractor,
        Ledger,
        MemoryStore,
        MergePolicy,
        ReportHook,
        Reranker,
        TokenCounter,
    )
    from .records import (
        FormatContext,
        InjectedBlock,
        InjectionContext,
        InjectionResult,
        MemoryEntry,
        QueryContext,
        Scope,
        SearchOptions,
        SearchResult,
    )
    from .report import InjectionReport
    from .sqlite_ledger import SQLiteLedger
    from .tools import run_tool_loop

_HOMES = {
    "capture": ("EveryNTurns", "EveryTurn", "ExtractionConfig", "ModelExtractor"),
    "clients": ("wrap",),
    "config": ("InjectionConfig",),
    "errors": (
        "ConfigurationError", "FactRefused", "InputError", "InvocationEnded",
        "MemoryInjectionError", "MissingDependencyError", "StoreClosedError", "StoreError",
        "StoreErrors", "UnknownStoreError",
    ),
    "ledger": ("InMemoryLedger",),
    "manager": ("MemoryManager",),
    "protocols": (
        "AgentMemoryProvider", "Dialect", "Embedder", "Extractor", "Ledger", "MemoryStore",
        "MergePolicy", "ReportHook", "Reranker", "TokenCounter",
    ),
    "records": (
        "FormatContext", "InjectedBlock", "InjectionContext", "InjectionResult", "MemoryEntry",
        "QueryContext", "Scope", "SearchOptions", "SearchResult",
    ),
    "report": ("InjectionReport",),
    "sqlite_ledger": ("SQLiteLedger",),
    "tools": ("run_tool_loop",),
}  # fmt: skip
_HOME = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "AgentMemoryProvider",
    "ConfigurationError",
    "Dialect",
    "Embedder",
    "EveryNTurns",
    "EveryTurn",
    "ExtractionConfig",
    "Extractor",
    "FactRefused",
    "FormatContext",
    "InMemoryLedger",
    "InjectedBlock",
    "InjectionConfig",
    "InjectionContext",
    "InjectionReport",
    "InjectionResult",
    "InputError",
    "InvocationEnded",
    "Ledger",
    "MemoryEntry",
    "MemoryInjectionError",
    "MemoryManager",
    "MemoryStore",
    "MergePolicy",
    "MissingDependencyError",
    "ModelExtractor",
    "QueryContext",
    "ReportHook",
    "Reranker",
    "SQLiteLedger",
    "Scope",
    "SearchOptions",
    "SearchResult",
    "StoreClosedError",
    "StoreError",
    "StoreErrors",
    "TokenCounter",
    "UnknownStoreError",
    "__version__",
    "run_tool_loop",
    "wrap",
]


def __getattr__(name: str) -> Any:
    """Load a public name from the module it lives in."""
    module = _HOME.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f".{module}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names, loaded or not."""
    return sorted(__all__)
