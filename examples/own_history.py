"""You keep your own clean history; the bytes sent stay a prefix of each other all the same.

A user turn with a tool call is two model calls. The block stands in both, in the same place, and
memory is searched once. In the next turn it is still there, although the history never held it.

Needs the package: openai
"""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

from openai import OpenAI

from memory_injection import MemoryManager, wrap
from memory_injection.stores import InMemoryStore
from memory_injection.testing.server import RecordingServer, Reply, ToolCall

TOOLS: list[Any] = [
    {
        "type": "function",
        "function": {"name": "weather", "parameters": {"type": "object", "properties": {}}},
    }
]
REPLIES = [
    Reply(tool_calls=(ToolCall("weather"),)),
    "Take the red umbrella.",
    "At 08:40.",
]


def sent(server: RecordingServer) -> list[str]:
    """Return each request's messages as text, the way they went over the wire."""
    return [
        "\n".join(json.dumps(message) for message in body["messages"]) for body in server.bodies
    ]


def main() -> None:
    with RecordingServer(REPLIES) as server, MemoryManager(stores=[InMemoryStore()]) as memory:
        memory.add("The user's umbrella is red and hangs by the door.")
        memory.add("The user's train leaves at 08:40.")
        client = wrap(OpenAI(base_url=f"{server.url}/v1", api_key="none-needed"), memory)

        history: list[Any] = [{"role": "user", "content": "Do I need my umbrella today?"}]
        first = client.chat.completions.create(model="gpt-4o", messages=history, tools=TOOLS)
        history.append(first.choices[0].message)
        history += [
            {"role": "tool", "tool_call_id": call.id, "content": "rain until noon"}
            for call in first.choices[0].message.tool_calls or []
        ]
        second = client.chat.completions.create(model="gpt-4o", messages=history, tools=TOOLS)
        history.append(second.choices[0].message)
        history.append({"role": "user", "content": "And when does my train leave?"})
        client.chat.completions.create(model="gpt-4o", messages=history, tools=TOOLS)
        client.close()

        requests = sent(server)
        for number, (before, after) in enumerate(pairwise(requests), 2):
            assert after.startswith(before)
            print(f"call {number}: keeps all {len(before)} characters of call {number - 1}")
        print(f"blocks in call 3: {requests[2].count('<memory>')}")
        assert requests[2].count("<memory>") == 2
        assert "<memory>" not in str(history)


if __name__ == "__main__":
    main()
