"""The file provider behind a manager: drafts of a turn are found on the next one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from memory_injection import MemoryManager
from memory_injection.files import create_memory_provider

from .fakes import ANNA, assistant, user


def test_drafts_of_a_turn_are_recalled_on_the_next(tmp_path: Path) -> None:
    """extract_turn gets the whole turn through capture; one bad draft costs only itself."""
    seen = []

    def extract(turn: Any) -> list[Any]:
        seen.append((turn.input, turn.output, turn.scope))
        return [
            {"title": "Cat", "content": "The cat is called Pamuk."},
            {"title": "Bad", "content": ""},
            {"title": "Home", "content": "Home is in Bergen."},
        ]

    provider = create_memory_provider(tmp_path, remember={"extract_turn": extract})
    with MemoryManager([provider]) as memory:
        ask = [user("My cat is called Pamuk and I live in Bergen.")]
        memory.capture_turn({"messages": ask}, assistant("Noted."), scope=ANNA)
        assert memory.flush(10)
        assert seen == [("My cat is called Pamuk and I live in Bergen.", "Noted.", ANNA)]
        found = memory.inject([user("What is the name of my cat?")], scope=ANNA)
        assert found.block is not None
        assert "Pamuk" in found.block.text
        call = {"function": {"name": "memory_search", "arguments": {"query": "Bergen"}}}
        with memory.scope(user="anna", agent="helper"):
            assert "Bergen" in memory.tools().call(call)["content"]


def test_without_an_extractor_nothing_is_captured(tmp_path: Path) -> None:
    """A provider that would write nothing takes no part."""
    with MemoryManager([create_memory_provider(tmp_path)]) as memory:
        assert not memory.captures
