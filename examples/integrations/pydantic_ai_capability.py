"""Pydantic AI: an agent with a tool, memory in every request, a clean history.

Needs the package: pydantic-ai-slim
Needs the package: openai
"""

from __future__ import annotations

import asyncio
from typing import Any

from openai import AsyncOpenAI
from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

from memory_injection import MemoryManager, Scope
from memory_injection.integrations.pydantic_ai import MemoryCapability
from memory_injection.stores import InMemoryStore
from memory_injection.testing import assert_prefix_stable
from memory_injection.testing.server import RecordingServer, Reply, ToolCall

REPLIES = [
    Reply(tool_calls=(ToolCall("weather", {"city": "Bergen"}),)),
    "Take the red umbrella.",
    "At 08:40.",
]
ASKS = ["Do I need my umbrella today?", "And when does my train leave?"]


def weather(city: str) -> str:
    """Say what the weather will be."""
    return f"rain in {city} until noon"


def remembering() -> MemoryManager:
    """Return a manager that knows something of two users."""
    memory = MemoryManager(stores=[InMemoryStore("notes")])
    memory.add("Deniz's umbrella is red.", scope=Scope(user="deniz"))
    memory.add("The train of Deniz leaves at 08:40.", scope=Scope(user="deniz"))
    memory.add("Ada's umbrella is green.", scope=Scope(user="ada"))
    return memory


async def talk(memory: MemoryManager, user: str) -> tuple[list[Any], list[Any]]:
    """Have two turns; return each request's messages, and the agent's own at the end."""
    capability = MemoryCapability(memory, scope=lambda context: Scope(user=context.deps))
    with RecordingServer(REPLIES) as server:
        async with AsyncOpenAI(base_url=f"{server.url}/v1", api_key="none-needed") as client:
            model = OpenAIChatModel("gpt-4o", provider=OpenAIProvider(openai_client=client))
            agent = Agent(
                model,
                deps_type=str,
                tools=[weather],
                capabilities=[capability],
                instructions="You help.",
            )
            history: list[Any] = []
            for ask in ASKS:
                done = await agent.run(ask, deps=user, message_history=history)
                history = done.all_messages()
        return [body["messages"] for body in server.bodies], history


def main() -> None:
    with remembering() as memory:
        requests, history = asyncio.run(talk(memory, "deniz"))
        others, _ = asyncio.run(talk(memory, "ada"))
    ask = requests[0][1]["content"]
    print(ask, end="\n\n")
    assert "umbrella is red" in ask
    assert [request[1]["content"] for request in requests] == [ask, ask, ask]
    print("ok: same block in every model call of a turn")
    assert_prefix_stable(requests)
    assert "08:40" in requests[2][-1]["content"]
    print("ok: second turn keeps the whole prefix")
    assert "<memory>" not in str(history)
    print("ok: the framework's own history stays clean")
    assert "green" in others[0][1]["content"]
    assert "Deniz" not in str(others)
    print("ok: users are kept apart")


if __name__ == "__main__":
    main()
