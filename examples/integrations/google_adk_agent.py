"""Google ADK: an agent with a tool, memory in every model call, a clean session.

Needs the package: google-adk
"""

from __future__ import annotations

import asyncio
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.models import Gemini
from google.adk.runners import InMemoryRunner
from google.genai import Client, types

from memory_injection import MemoryManager, Scope
from memory_injection.integrations.google_adk import MemoryPlugin
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


def app_with(memory: MemoryManager, client: Client) -> App:
    agent = LlmAgent(
        name="helper",
        model=Gemini(model="gemini-2.5-flash", client=client),
        instruction="You help.",
        tools=[weather],
    )
    return App(name="memory", root_agent=agent, plugins=[MemoryPlugin(memory)])


async def talk(memory: MemoryManager, user: str) -> tuple[list[Any], list[Any]]:
    """Have two turns; return each request's contents, and the session's events at the end."""
    with RecordingServer(REPLIES) as server:
        # Where you would use the real provider, this is a local server with scripted replies.
        client = Client(api_key="any", http_options=types.HttpOptions(base_url=server.url))
        async with client.aio, InMemoryRunner(app=app_with(memory, client)) as runner:
            sessions = runner.session_service
            session = await sessions.create_session(app_name="memory", user_id=user)
            for ask in ASKS:
                message = types.UserContent(ask)
                async for _ in runner.run_async(
                    user_id=user, session_id=session.id, new_message=message
                ):
                    pass
            kept = await sessions.get_session(
                app_name="memory", user_id=user, session_id=session.id
            )
            return [body["contents"] for body in server.bodies], kept.events


async def main() -> None:
    async with await remembering() as memory:
        requests, events = await talk(memory, "deniz")
        others, _ = await talk(memory, "ada")
    ask = requests[0][0]["parts"]
    print(ask[-1]["text"], end="\n\n")
    assert "umbrella is red" in ask[-1]["text"]
    assert [request[0]["parts"] for request in requests] == [ask, ask, ask]
    print("ok: same block in every model call of a turn")
    assert_prefix_stable(requests)
    assert "08:40" in str(requests[2][-1])
    print("ok: second turn keeps the whole prefix")
    assert "<memory>" not in str(events)
    print("ok: the framework's own history stays clean")
    assert "green" in str(others[0][0])
    assert "Deniz" not in str(others)
    print("ok: users are kept apart")


if __name__ == "__main__":
    asyncio.run(main())
