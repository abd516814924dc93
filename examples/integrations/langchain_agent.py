"""LangChain: an agent with a tool, memory in every model call, a clean state.

Needs the package: langchain
Needs the package: langchain-openai
"""

from __future__ import annotations

import asyncio
from typing import Any

from langchain.agents import create_agent
from langchain_core.messages import HumanMessage
from langchain_openai import ChatOpenAI
from openai import DefaultAsyncHttpxClient

from memory_injection import MemoryManager, Scope
from memory_injection.integrations.langchain import MemoryMiddleware
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


def agent_with(memory: MemoryManager, user: str, url: str, **clients: Any) -> Any:
    return create_agent(
        ChatOpenAI(model="gpt-4o", base_url=f"{url}/v1", api_key="none-needed", **clients),
        tools=[weather],
        middleware=[MemoryMiddleware(memory, scope=Scope(user=user))],
        system_prompt="You help.",
    )


def talk(memory: MemoryManager, user: str) -> tuple[list[Any], list[Any]]:
    """Have two turns; return each request's messages, and the agent's own at the end."""
    with RecordingServer(REPLIES) as server:
        agent = agent_with(memory, user, server.url)
        history: list[Any] = []
        for ask in ASKS:
            history = agent.invoke({"messages": [*history, HumanMessage(ask)]})["messages"]
        return [body["messages"] for body in server.bodies], history


async def talk_async(memory: MemoryManager, user: str) -> tuple[list[Any], list[Any]]:
    """Have the same two turns, async."""
    with RecordingServer(REPLIES) as server:
        async with DefaultAsyncHttpxClient() as client:
            agent = agent_with(memory, user, server.url, http_async_client=client)
            history: list[Any] = []
            for ask in ASKS:
                state = await agent.ainvoke({"messages": [*history, HumanMessage(ask)]})
                history = state["messages"]
        return [body["messages"] for body in server.bodies], history


def main() -> None:
    with remembering() as memory:
        requests, history = talk(memory, "deniz")
        others, _ = talk(memory, "ada")
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
    with remembering() as memory:
        assert asyncio.run(talk_async(memory, "deniz"))[0] == requests
    print("ok: sync and async send the same")
    assert "green" in others[0][1]["content"]
    assert "Deniz" not in str(others)
    print("ok: users are kept apart")


if __name__ == "__main__":
    main()
