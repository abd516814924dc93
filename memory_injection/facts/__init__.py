"""Facts: versioned memory in per-user folders, for many agents in one file.

::

    with FactStore("facts.db") as facts, facts.open(agent="support", run="r_1", user="u_7") as mem:
        fact = mem.remember("Prefers tea.", path="users/{user}/", tags=["drink"])
        mem.search("tea")[0].text
"""

from __future__ import annotations

from .backend import FactBackend
from .model import Fact, FactPage, Source
from .openai_agents import memory_tools
from .refusals import MalformedFact
from .run import FactRun
from .store import FactStore
from .tools import FactTools

__all__ = [
    "Fact",
    "FactBackend",
    "FactPage",
    "FactRun",
    "FactStore",
    "FactTools",
    "MalformedFact",
    "Source",
    "memory_tools",
]
