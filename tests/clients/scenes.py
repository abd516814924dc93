"""What several SDKs' tests play and expect."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from pydantic import BaseModel

from memory_injection.testing.server import Reply, ToolCall

CALL = Reply("Let me see.", tool_calls=(ToolCall("look", {"city": "Bursa"}),))


def captured(ident: str | None = "call_1_0") -> dict[str, Any]:
    """Return what capture is handed when the model answers :data:`CALL`."""
    function = {"name": "look", "arguments": '{"city": "Bursa"}'}
    return {
        "role": "assistant",
        "content": "Let me see.",
        "tool_calls": [{"id": ident, "type": "function", "function": function}],
    }


def seen(thing: Any, unstable: set[str] | None = None) -> Any:
    """Reduce what a caller sees to its type and its content, less what no two runs share."""
    if isinstance(thing, BaseModel):
        return type(thing), thing.model_dump(exclude=unstable, warnings=False)
    return type(thing), thing


async def cancelled(
    opening: Callable[[], Awaitable[Any]], text: Callable[[Any], str] = str
) -> tuple[Any, list[str]]:
    """Cancel a task that waits for a stream's second piece; return the stream and what it read."""
    streams: list[Any] = []
    read: list[str] = []
    first = asyncio.Event()

    async def task() -> None:
        streams.append(await opening())
        async for event in streams[0]:
            read.append(text(event))
            first.set()

    running = asyncio.create_task(task())
    await asyncio.wait_for(first.wait(), 20)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    return streams[0], read


async def cancelled_and_closed(opening: Callable[[], Awaitable[Any]]) -> bool:
    """Tell whether cancelling the reader closed the stream's response."""
    stream, _ = await cancelled(opening)
    closed = bool(stream.response.is_closed)
    await stream.close()
    return closed
