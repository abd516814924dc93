"""Memory in plain files: a person can read and edit every one of them, and there is no database.

::

    .agent-memory/
        memory_summary.md     one memory
        MEMORY.md             one memory a section
        records/*.md          one memory a file

Nothing else below the root is read, and no link is followed.
"""

from __future__ import annotations

from ..rendering import RecalledContext
from .options import RecallOptions, RememberOptions
from .provider import FileMemoryProvider, create_memory_provider
from .record import FileRecord, MemoryDraft
from .search import BM25Engine, SearchEngine
from .turns import Turn, TurnOutcome

__all__ = [
    "BM25Engine",
    "FileMemoryProvider",
    "FileRecord",
    "MemoryDraft",
    "RecallOptions",
    "RecalledContext",
    "RememberOptions",
    "SearchEngine",
    "Turn",
    "TurnOutcome",
    "create_memory_provider",
]
