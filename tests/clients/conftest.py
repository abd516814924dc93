from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from types import SimpleNamespace
from typing import Any

import pytest

from memory_injection.records import Scope
from memory_injection.testing.server import RecordingServer


class FakeMemory:
    """Appends a block to the last user message, as a manager would, and keeps what it is told."""

    def __init__(self, *, captures: bool = False, fails: bool = False) -> None:
        self.captures = captures
        self.fails = fails
        self.seen: list[tuple[str, Scope]] = []
        self.turns: list[dict[str, Any]] = []

    def inject_request(self, body: Mapping[str, Any], *, api: str, base_scope: Scope) -> Any:
        self.seen.append((api, base_scope))
        if self.fails:
            raise RuntimeError("memory is broken")
        field = next(name for name in ("messages", "input", "contents") if name in body)
        block = f"<memory>{base_scope.user}</memory>"
        return SimpleNamespace(request={**body, field: _with_block(body[field], block)})

    async def ainject_request(self, body: Mapping[str, Any], *, api: str, base_scope: Scope) -> Any:
        await asyncio.sleep(0)
        return self.inject_request(body, api=api, base_scope=base_scope)

    def capture_turn(self, **turn: Any) -> None:
        self.turns.append(turn)


def _with_block(conversation: Any, block: str) -> Any:
    if isinstance(conversation, str):
        return f"{conversation}\n\n{block}"
    messages = list(conversation)
    field = "parts" if "parts" in messages[-1] else "content"
    said = messages[-1][field]
    new = f"{said}\n\n{block}" if isinstance(said, str) else [*said, {"text": block}]
    messages[-1] = {**messages[-1], field: new}
    return messages


@pytest.fixture
def fake_memory() -> type[FakeMemory]:
    return FakeMemory


@pytest.fixture
def serve() -> Iterator[Callable[[Any], RecordingServer]]:
    """Start a recording server for a script; all are closed at the end."""
    servers: list[RecordingServer] = []

    def start(script: Any) -> RecordingServer:
        servers.append(RecordingServer(script))
        return servers[-1]

    yield start
    for server in servers:
        server.close()
