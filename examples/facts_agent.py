"""An agent with memory tools: it saves, is refused another user's folder, and is remembered.

Needs the package: openai
"""

from __future__ import annotations

from openai import OpenAI

from memory_injection import MemoryManager, Scope, wrap
from memory_injection.facts import FactStore
from memory_injection.testing.server import RecordingServer, Reply, ToolCall

# What a model might ask for; the last tool call reaches for a folder that is not this user's.
SCRIPT = [
    Reply(
        tool_calls=(
            ToolCall("save_memory", {"text": "Ayşe Yılmaz prefers invoices by e-mail."}),
            ToolCall("save_memory", {"text": "Just looking.", "path": "users/u_8/"}),
        )
    ),
    "I'll keep that in mind.",
    "By e-mail, as you prefer.",
]


def ask(client: OpenAI, text: str, facts: FactStore) -> None:
    with facts.open(agent="support", run="r_1", user="u_7") as memory:
        tools = memory.tools(paths=["users/{user}/"])
        messages: list = [{"role": "user", "content": text}]
        while True:
            reply = client.chat.completions.create(
                model="gpt-4o", messages=messages, tools=tools.definitions
            )
            message = reply.choices[0].message
            messages.append(message)
            if not message.tool_calls:
                print("The model:", message.content)
                return
            for call in message.tool_calls:
                answer = tools.call(call)
                messages.append(answer)
                print(f"  {call.function.name} -> {answer['content']}")


def main() -> None:
    # Where you would use the real provider, this is a local server with scripted replies.
    with RecordingServer(SCRIPT) as server, FactStore("facts.db") as facts:
        bare = OpenAI(base_url=f"{server.url}/v1", api_key="none-needed")
        ask(bare, "Please send my invoices by e-mail.", facts)

        # The next conversation: the same store feeds injection, for this user and agent only.
        memory = MemoryManager(stores=[facts], injection=True)
        client = wrap(bare, memory, scope=Scope(user="u_7", agent="support"))
        client.chat.completions.create(
            model="gpt-4o",
            messages=[{"role": "user", "content": "How will I get my next invoice?"}],
        )
        print("\nNext conversation, the model received:\n")
        print(server.bodies[-1]["messages"][-1]["content"])
        bare.close()
        memory.close()


if __name__ == "__main__":
    main()
