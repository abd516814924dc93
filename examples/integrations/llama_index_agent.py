"""LlamaIndex: an agent with a tool and its own memory, ours in every model call.

Needs the package: llama-index-core
Needs the package: llama-index-llms-openai
"""

from __future__ import annotations

import asyncio
from typing import Any

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.memory import Memory
from llama_index.llms.openai import OpenAI
from openai import DefaultAsyncHttpxClient
from sqlalchemy.ext.asyncio import create_async_engine

from memory_injection import MemoryManager, Scope
from memory_injection.integrations.llama_index import with_memory
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
    """Have two turns; return each request's messages, and what the agent's memory kept."""
    engine = create_async_engine("sqlite+aiosqlite:///:memory:")
    kept = Memory.from_defaults(session_id=user, async_engine=engine)
    with RecordingServer(REPLIES) as server:
        async with DefaultAsyncHttpxClient() as client:
            bare = OpenAI(
                "gpt-4o",
                api_base=f"{server.url}/v1",
                api_key="none-needed",
                async_http_client=client,
            )
            llm = with_memory(bare, memory, scope=Scope(user=user))
            agent = FunctionAgent(tools=[weather], llm=llm, system_prompt="You help.")
            for ask in ASKS:
                await agent.run(ask, memory=kept)
        history = await kept.aget_all()
        await engine.dispose()
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
