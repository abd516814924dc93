"""The store for tests, demos and short-lived agents: nothing touches the disk."""

from __future__ import annotations

from typing import Any

from .database import MEMORY
from .sqlite import SQLiteStore

__all__ = ["InMemoryStore"]


class InMemoryStore(SQLiteStore):
    """Memories that live as long as this object; same search and same scores as SQLiteStore.

    It is a private in-memory SQLite database, so that there is one ranking and not two.

    Args:
        name: shown as the entry's source.
        writable: False refuses additions.
        **options: what :class:`~memory_injection.stores.SQLiteStore` takes besides ``path``.
    """

    def __init__(self, name: str = "memory", writable: bool = True, **options: Any) -> None:
        super().__init__(MEMORY, name, writable, **options)
