"""OpenAI Agents SDK: an agent with a tool and a session, memory in every model call.

Needs the package: openai-agents
"""

from __future__ import annotations

import asyncio
from typing import Any

from agents import (
    Agent,
    OpenAIResponsesModel,
    RunConfig,
    Runner,
    SQLiteSession,
    function_tool,
    set_tracing_disabled,
)
from openai import AsyncOpenAI

from memory_injection import MemoryManager, Scope
from memory_injection.integrations.openai_agents import MemoryInputFilter
from memory_injection.stores import InMemoryStore
from memory_injection.testing import assert_prefix_stable
from memory_injection.testing.server import RecordingServer, Reply, ToolCall

REPLIES = [
    Reply(tool_calls=(ToolCall("weather", {"city": "Bergen"}),)),
    "Take the red umbrella.",
    "At 08:40.",
]
ASKS = ["Do I need my umbrella today?", "And when does my train leave?"]


@function_tool
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
    """Have two turns in a session; return each request's input, and what the session kept."""
    config = RunConfig(
        call_model_input_filter=MemoryInputFilter(
            memory, scope=lambda data: Scope(user=data.context)
        )
    )
    session = SQLiteSession(user)
    with RecordingServer(REPLIES) as server:
        async with AsyncOpenAI(base_url=f"{server.url}/v1", api_key="none-needed") as client:
            model = OpenAIResponsesModel("gpt-4o", client)
            agent = Agent(name="helper", instructions="You help.", model=model, tools=[weather])
            for ask in ASKS:
                await Runner.run(agent, ask, context=user, session=session, run_config=config)
        kept = await session.get_items()
        session.close()
        return [body["input"] for body in server.bodies], list(kept)


def main() -> None:
    set_tracing_disabled(True)
    with remembering() as memory:
        requests, history = asyncio.run(talk(memory, "deniz"))
        others, _ = asyncio.run(talk(memory, "ada"))
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
    main()
