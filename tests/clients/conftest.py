from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Iterator, Mapping
from types import SimpleNamespace
from typing import Any

import pytest

from memory_injection.clients import wrap
from memory_injection.dialects.registry import dialect_named
from memory_injection.records import Scope
from memory_injection.testing.server import RecordingServer


class FakeMemory:
    """Appends a block to the last user ask, as a manager would, and keeps what it is told."""

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
        return SimpleNamespace(
            request={**body, field: _with_block(body[field], block, api)},
            report=SimpleNamespace(status="injected"),
        )

    async def ainject_request(self, body: Mapping[str, Any], *, api: str, base_scope: Scope) -> Any:
        await asyncio.sleep(0)
        return self.inject_request(body, api=api, base_scope=base_scope)

    def capture_turn(self, **turn: Any) -> None:
        self.turns.append(turn)


def _with_block(conversation: Any, block: str, api: str) -> Any:
    dialect = dialect_named(api)
    messages = dialect.open(conversation)
    last = max(n for n, message in enumerate(messages) if dialect.read(message).ask)
    messages[last] = dialect.append(messages[last], block)
    return dialect.close(messages, conversation)


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


async def outcome(scene: Callable[[Any], Any], client: Any) -> Any:
    """Return what the caller sees: the scene's value, or the exception's type and text."""
    try:
        seen = scene(client)
        return await seen if inspect.isawaitable(seen) else seen
    except Exception as error:
        return type(error), str(error)


@pytest.fixture
def compare(serve: Any) -> Callable[..., Any]:
    """Play one scene with the bare client and with the wrapped one, each on its own server."""

    async def run(
        make: Callable[[RecordingServer], Any], scene: Any, script: Any, memory: FakeMemory
    ) -> tuple[RecordingServer, RecordingServer]:
        plain, remembered = serve(script), serve(script)
        expected = await outcome(scene, make(plain))
        got = await outcome(scene, wrap(make(remembered), memory, scope={"user": "u"}))
        assert got == expected
        return plain, remembered

    return run
