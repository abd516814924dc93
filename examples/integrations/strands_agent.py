"""Strands Agents: memory in every model call of an agent, and stores that go both ways.

Needs the package: strands-agents
"""

from __future__ import annotations

import asyncio
import tempfile
from typing import Any

import boto3
from strands import Agent, tool
from strands.memory import MemoryManager as StrandsManager
from strands.models import BedrockModel
from strands.storage import LocalFileStorage
from strands.vended_memory_stores.file_memory_store import FileMemoryStore
from strands.vended_memory_stores.test_memory_store import TestMemoryStore

from memory_injection import MemoryManager, Scope
from memory_injection.integrations.strands_agents import MemoryPlugin, StrandsStore
from memory_injection.stores import InMemoryStore
from memory_injection.testing import assert_prefix_stable
from memory_injection.testing.server import RecordingServer, Reply, ToolCall

REPLIES = [
    Reply(tool_calls=(ToolCall("weather", {"city": "Bergen"}),)),
    "Take the red umbrella.",
    "At 08:40.",
]
ASKS = ["Do I need my umbrella today?", "And when does my train leave?"]


@tool
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


def agent_with(memory: MemoryManager, server: RecordingServer) -> Agent:
    # Where you would use Bedrock, this is a local server with scripted replies.
    session = boto3.Session("any", "any", region_name="us-east-1")
    return Agent(
        model=BedrockModel(boto_session=session, endpoint_url=server.url, model_id="claude"),
        tools=[weather],
        plugins=[MemoryPlugin(memory, scope=lambda call: call.invocation_state["whose"])],
        callback_handler=None,
    )


def talk(memory: MemoryManager, user: str) -> tuple[list[Any], list[Any]]:
    """Have two turns; return each request's messages, and the agent's own at the end."""
    with RecordingServer(REPLIES) as server:
        agent = agent_with(memory, server)
        for ask in ASKS:
            agent(ask, invocation_state={"whose": {"user": user}})
        return [body["messages"] for body in server.bodies], agent.messages


async def talk_async(memory: MemoryManager, user: str) -> list[Any]:
    """Have the same two turns, async."""
    with RecordingServer(REPLIES) as server:
        agent = agent_with(memory, server)
        for ask in ASKS:
            await agent.invoke_async(ask, invocation_state={"whose": {"user": user}})
        return [body["messages"] for body in server.bodies]


async def stores_both_ways(folder: str) -> None:
    """Put the stores of Strands into our manager as they are, and one of ours into theirs."""
    theirs = [
        FileMemoryStore(name="files", writable=True, storage=LocalFileStorage(folder)),
        TestMemoryStore(name="test", persist=False),
    ]
    for store in theirs:
        async with MemoryManager(stores=[store]) as memory:
            await memory.aadd("The spare key hangs behind the blue clock.")
            ask = {"role": "user", "content": "Where does the spare key hang?"}
            assert (await memory.ainject([ask])).block is not None
    async with remembering() as memory:
        manager = StrandsManager(stores=[StrandsStore(memory, scope={"user": "deniz"})])
        found = await manager.search("Which umbrella is mine?")
        assert "umbrella is red" in found[0].content
        assert "green" not in str(found)


def main() -> None:
    with remembering() as memory:
        requests, history = talk(memory, "deniz")
        others, _ = talk(memory, "ada")
    ask = requests[0][0]["content"]
    print(ask[-1]["text"], end="\n\n")
    assert "umbrella is red" in ask[-1]["text"]
    assert [request[0]["content"] for request in requests] == [ask, ask, ask]
    print("ok: same block in every model call of a turn")
    assert_prefix_stable(requests)
    assert "08:40" in str(requests[2][-1])
    print("ok: second turn keeps the whole prefix")
    assert "<memory>" not in str(history)
    print("ok: the framework's own history stays clean")
    with remembering() as memory:
        assert asyncio.run(talk_async(memory, "deniz")) == requests
    print("ok: sync and async send the same")
    assert "green" in str(others[0][0])
    assert "Deniz" not in str(others)
    print("ok: users are kept apart")
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(stores_both_ways(folder))
    print("ok: its own stores plug in unmodified, ours into its manager")


if __name__ == "__main__":
    main()
