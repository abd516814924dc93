"""Two lines around an OpenAI client, and what the model receives.

Needs the package: openai
"""

from __future__ import annotations

from openai import OpenAI

from memory_injection import MemoryManager, Scope, wrap
from memory_injection.stores import SQLiteStore
from memory_injection.testing.server import RecordingServer


def main() -> None:
    # Where you would use the real provider, this is a local server with a scripted reply.
    with RecordingServer(["You are."]) as server:
        bare = OpenAI(base_url=f"{server.url}/v1", api_key="none-needed")

        memory = MemoryManager(stores=[SQLiteStore("memory.db", name="notes")], injection=True)
        client = wrap(bare, memory, scope=Scope(user="u1"))

        memory.add("The user is allergic to walnuts.", scope=Scope(user="u1"))
        reply = client.chat.completions.create(
            model="gpt-4o",
            messages=[{"role": "user", "content": "Am I allergic to walnuts?"}],
        )
        print("The model received:\n")
        print(server.bodies[0]["messages"][-1]["content"])
        print("\nIt answered:", reply.choices[0].message.content)
        client.close()
        memory.close()


if __name__ == "__main__":
    main()
