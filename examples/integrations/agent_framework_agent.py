"""Microsoft Agent Framework: an agent with a tool, memory in every model call, a clean session.

Needs the package: agent-framework-openai
"""

from __future__ import annotations

import asyncio
from typing import Any

from agent_framework import Agent
from agent_framework.openai import OpenAIChatCompletionClient
from openai import AsyncOpenAI

from memory_injection import MemoryManager, Scope
from memory_injection.integrations.agent_framework import MemoryContextProvider
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


async def remembering() -> MemoryManager:
    """Return a manager that knows something of two users."""
    memory = MemoryManager(stores=[InMemoryStore("notes")])
    await memory.aadd("Deniz's umbrella is red.", scope=Scope(user="deniz"))
    await memory.aadd("The train of Deniz leaves at 08:40.", scope=Scope(user="deniz"))
    await memory.aadd("Ada's umbrella is green.", scope=Scope(user="ada"))
    return memory


async def talk(memory: MemoryManager, user: str) -> tuple[list[Any], Any]:
    """Have two turns; return each request's messages, and the session at the end."""
    with RecordingServer(REPLIES) as server:
        # Where you would use the real provider, this is a local server with scripted replies.
        url = f"{server.url}/v1"
        async with AsyncOpenAI(base_url=url, api_key="none-needed") as openai:
            agent = Agent(
                client=OpenAIChatCompletionClient(model="gpt-4o", async_client=openai),
                instructions="You help.",
                tools=[weather],
                context_providers=[
                    MemoryContextProvider(memory, scope=lambda call: call.session.state["whose"])
                ],
            )
            session = agent.create_session()
            session.state["whose"] = {"user": user}
            for ask in ASKS:
                await agent.run(ask, session=session)
            return [body["messages"] for body in server.bodies], session


async def main() -> None:
    async with await remembering() as memory:
        requests, session = await talk(memory, "deniz")
        others, _ = await talk(memory, "ada")
    ask = requests[0][1]["content"]
    print(ask, end="\n\n")
    assert "umbrella is red" in ask
    assert [request[1]["content"] for request in requests] == [ask, ask, ask]
    print("ok: same block in every model call of a turn")
    for message in (message for request in requests for message in request):
        message.pop("name", None)
    assert_prefix_stable(requests)
    assert "08:40" in requests[2][-1]["content"]
    print("ok: second turn keeps the prefix, but for the name the framework gives the speaker")
    assert "<memory>" not in str(session.to_dict())
    print("ok: the framework's own history stays clean")
    assert "green" in others[0][1]["content"]
    assert "Deniz" not in str(others)
    print("ok: users are kept apart")


if __name__ == "__main__":
    asyncio.run(main())
