"""The model searches and adds to memory itself, in a tool loop, for one user.

Needs the package: openai
"""

from __future__ import annotations

from openai import OpenAI

from memory_injection import MemoryManager, Scope, wrap
from memory_injection.stores import InMemoryStore
from memory_injection.testing.server import RecordingServer, Reply, ToolCall
from memory_injection.tools import run_tool_loop

# What a model might do: look something up, get an argument wrong, remember, answer.
SCRIPT = [
    Reply(tool_calls=(ToolCall("search_memory", {"query": "allergic"}),)),
    Reply(tool_calls=(ToolCall("add_memory", {"fact": "Deniz wants to bake."}),)),
    Reply(tool_calls=(ToolCall("add_memory", {"content": "Deniz wants to bake a cake."}),)),
    Reply("Leave out the walnuts: you are allergic to them."),
]


def main() -> None:
    with (
        RecordingServer(SCRIPT) as server,
        OpenAI(base_url=f"{server.url}/v1", api_key="none-needed") as bare,
        MemoryManager(stores=[InMemoryStore("notes")]) as memory,
    ):
        memory.add("Deniz is allergic to walnuts.", scope=Scope(user="deniz"))
        memory.add("Ada is allergic to dust.", scope=Scope(user="ada"))
        client = wrap(bare, memory)

        with memory.scope(user="deniz"):
            done = run_tool_loop(
                client.chat.completions.create,
                [{"role": "user", "content": "Help me with the recipe, please."}],
                memory.tools(add=True),
                model="gpt-4o",
            )
        for message in done.messages:
            if isinstance(message, dict) and message["role"] == "tool":
                print(f"tool      {message['content']!r}")
        print(f"assistant {done.reply.choices[0].message.content!r}")
        found = memory.search("cake", scope=Scope(user="deniz"))
        print(f"remembered for Deniz: {[entry.content for entry in found]}")
        assert "Ada" not in str(server.bodies)


if __name__ == "__main__":
    main()
