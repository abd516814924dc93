"""A chat that learns: facts of Monday's conversation are in Tuesday's first request.

Needs the package: openai
"""

from __future__ import annotations

import json

from openai import OpenAI

from memory_injection import MemoryManager, Scope, wrap
from memory_injection.capture import EveryTurn, ExtractionConfig, ModelExtractor
from memory_injection.stores import SQLiteStore
from memory_injection.testing.server import RecordedRequest, RecordingServer

MONDAY = ["My name is Deniz and I am allergic to walnuts.", "I am moving to Bergen in May."]
FACTS = {
    "walnuts": "Deniz is allergic to walnuts.",
    "Bergen": "Deniz is moving to Bergen in May.",
}


def model(request: RecordedRequest) -> str:
    """Stand in for both models: the one that chats and the one that extracts."""
    messages = request.body["messages"]
    if messages[0]["role"] == "system":
        told = messages[-1]["content"]
        return json.dumps({"facts": [fact for word, fact in FACTS.items() if word in told]})
    return "I will keep that in mind."


def main() -> None:
    with RecordingServer(model) as server:
        chatting = OpenAI(base_url=f"{server.url}/v1", api_key="none-needed")
        extracting = OpenAI(base_url=f"{server.url}/v1", api_key="none-needed")
        learned = ExtractionConfig(
            triggers=EveryTurn(), extractor=ModelExtractor(extracting, "gpt-4o-mini")
        )
        store = SQLiteStore("learned.db", name="learned", extraction=learned)
        with chatting, extracting, MemoryManager(stores=[store]) as memory:
            client = wrap(chatting, memory)
            history = []
            with memory.scope(user="deniz", session="monday"):
                for text in MONDAY:
                    history.append({"role": "user", "content": text})
                    reply = client.chat.completions.create(model="gpt-4o", messages=history)
                    answer = reply.choices[0].message.content or ""
                    history.append({"role": "assistant", "content": answer})
            # A server needs no flush: what waits is written in the background.
            memory.flush()
            print("Learned on Monday:")
            for entry in memory.search("Deniz", scope=Scope(user="deniz")):
                print(f"  {entry.content}")

            with memory.scope(user="deniz", session="tuesday"):
                ask = [{"role": "user", "content": "Is walnut cake a good idea for Deniz?"}]
                client.chat.completions.create(model="gpt-4o", messages=ask)
            memory.flush()
            chats = [b for b in server.bodies if b["messages"][0]["role"] != "system"]
            print("\nTuesday's first request:")
            print(chats[-1]["messages"][-1]["content"])
            state = memory.capture_status().stores[0]
            print(
                f"\nCapture: {state.state}, {state.written} facts written, {state.pending} waiting"
            )


if __name__ == "__main__":
    main()
