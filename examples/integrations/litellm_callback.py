"""LiteLLM: memory in every async call, as a callback; a tool loop, and a second turn.

Needs the package: litellm
"""

from __future__ import annotations

import asyncio
import os
import warnings
from typing import Any

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # no download when it is imported

warnings.filterwarnings("ignore", module="pydantic|litellm")  # LiteLLM's own, while it loads

import litellm

from memory_injection import MemoryManager, Scope
from memory_injection.integrations.litellm import MemoryLogger
from memory_injection.stores import InMemoryStore
from memory_injection.testing import assert_prefix_stable
from memory_injection.testing.server import RecordingServer, Reply, ToolCall

REPLIES = [
    Reply(tool_calls=(ToolCall("weather", {"city": "Bergen"}),)),
    "Take the red umbrella.",
    "At 08:40.",
]
ASKS = ["Do I need my umbrella today?", "And when does my train leave?"]
WEATHER = {"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}}


async def remembering() -> MemoryManager:
    """Return a manager that knows something of two users."""
    memory = MemoryManager(stores=[InMemoryStore("notes")])
    await memory.aadd("Deniz's umbrella is red.", scope=Scope(user="deniz"))
    await memory.aadd("The train of Deniz leaves at 08:40.", scope=Scope(user="deniz"))
    await memory.aadd("Ada's umbrella is green.", scope=Scope(user="ada"))
    return memory


async def talk(user: str) -> tuple[list[Any], list[Any]]:
    """Have two turns; return each request's messages, and the caller's own at the end."""
    with RecordingServer(REPLIES) as server:
        # Where you would name a real model, this is a local server with scripted replies.
        options = {"model": "openai/gpt-4o", "api_base": f"{server.url}/v1", "api_key": "any"}
        history: list[Any] = []
        for ask in ASKS:
            history.append({"role": "user", "content": ask})
            while history[-1]["role"] != "assistant" or history[-1].get("tool_calls"):
                reply = await litellm.acompletion(
                    messages=history, tools=[WEATHER], user=user, max_retries=0, **options
                )
                said = reply.choices[0].message.model_dump(exclude_none=True)
                history.append(said)
                history += [
                    {"role": "tool", "tool_call_id": call["id"], "content": "rain until noon"}
                    for call in said.get("tool_calls", ())
                ]
        return [body["messages"] for body in server.bodies], history


async def main() -> None:
    async with await remembering() as memory:
        litellm.callbacks = [MemoryLogger(memory, scope=lambda call: {"user": call["user"]})]
        requests, history = await talk("deniz")
        others, _ = await talk("ada")
        await litellm.close_litellm_async_clients()
    ask = requests[0][0]["content"]
    print(ask, end="\n\n")
    assert "umbrella is red" in ask
    assert [request[0]["content"] for request in requests] == [ask, ask, ask]
    print("ok: same block in every model call of a turn")
    assert_prefix_stable(requests)
    assert "08:40" in requests[2][-1]["content"]
    print("ok: second turn keeps the whole prefix")
    assert "<memory>" not in str(history)
    print("ok: the framework's own history stays clean")
    assert "green" in others[0][0]["content"]
    assert "Deniz" not in str(others)
    print("ok: users are kept apart")


if __name__ == "__main__":
    asyncio.run(main())
