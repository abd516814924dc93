"""LangGraph: what its ``BaseStore`` holds reaches the model, in a graph with a tool.

Needs the package: langgraph
"""

from __future__ import annotations

import asyncio
import itertools
from typing import Any

from langchain_core.messages import AIMessage, HumanMessage, ToolMessage, convert_to_openai_messages
from langchain_core.runnables import RunnableLambda
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.store.memory import InMemoryStore

from memory_injection import MemoryManager, Scope
from memory_injection.integrations.langgraph import LangGraphStore
from memory_injection.testing import assert_prefix_stable

CALL = {"name": "weather", "args": {"city": "Bergen"}, "id": "call_1"}
ANSWERS = [
    AIMessage("", tool_calls=[CALL]),
    AIMessage("Take the red umbrella."),
    AIMessage("At 08:40."),
]
ASKS = ["Do I need my umbrella today?", "And when does my train leave?"]


class Model:
    """Stands in for a model: answers from a script and keeps what it was sent."""

    def __init__(self) -> None:
        self.sent: list[Any] = []
        self.answers = iter(ANSWERS)

    def __call__(self, messages: list[Any]) -> AIMessage:
        self.sent.append(convert_to_openai_messages(messages))
        return next(self.answers)


def graph_with(memory: MemoryManager, model: Model, store: InMemoryStore) -> Any:
    """Build a graph whose model node writes memory into its request and not into its state."""

    def call(state: MessagesState) -> dict[str, Any]:
        return {"messages": [model(memory.inject(state["messages"]).messages)]}

    async def acall(state: MessagesState) -> dict[str, Any]:
        return {"messages": [model((await memory.ainject(state["messages"])).messages)]}

    def weather(state: MessagesState) -> dict[str, Any]:
        return {"messages": [ToolMessage("rain until noon", tool_call_id="call_1")]}

    def next_step(state: MessagesState) -> str:
        return "weather" if state["messages"][-1].tool_calls else END

    builder = StateGraph(MessagesState)
    builder.add_node("model", RunnableLambda(call, acall))
    builder.add_node("weather", weather)
    builder.add_edge(START, "model")
    builder.add_conditional_edges("model", next_step, ["weather", END])
    builder.add_edge("weather", "model")
    return builder.compile(store=store)


def talk(store: InMemoryStore, user: str) -> tuple[list[Any], list[Any]]:
    """Have two turns; return what the model was sent at each call, and the state at the end."""
    model, history = Model(), []
    with MemoryManager([LangGraphStore(store)]) as memory, memory.scope(user=user):
        graph = graph_with(memory, model, store)
        for ask in ASKS:
            history = graph.invoke({"messages": [*history, HumanMessage(ask)]})["messages"]
    return model.sent, history


async def talk_async(store: InMemoryStore, user: str) -> tuple[list[Any], list[Any]]:
    """Have the same two turns, async."""
    model, history = Model(), []
    async with MemoryManager([LangGraphStore(store)]) as memory:
        graph = graph_with(memory, model, store)
        with memory.scope(user=user):
            for ask in ASKS:
                state = await graph.ainvoke({"messages": [*history, HumanMessage(ask)]})
                history = state["messages"]
    return model.sent, history


def main() -> None:
    store = InMemoryStore()
    number = itertools.count()
    for user, text in [
        ("deniz", "Deniz's umbrella is red."),
        ("deniz", "The train of Deniz leaves at 08:40."),
        ("ada", "Ada's umbrella is green."),
    ]:
        store.put(("memories", user), f"memory-{next(number)}", {"text": text})

    requests, history = talk(store, "deniz")
    ask = requests[0][0]["content"]
    print(ask, end="\n\n")
    assert "umbrella is red" in ask
    print("ok: its memories reach the model")
    assert [request[0]["content"] for request in requests] == [ask, ask, ask]
    print("ok: same block in every model call of a turn")
    assert_prefix_stable(requests)
    assert "08:40" in requests[2][-1]["content"]
    print("ok: second turn keeps the whole prefix")
    assert "<memory>" not in str(history)
    print("ok: the framework's own history stays clean")
    assert asyncio.run(talk_async(store, "deniz"))[0] == requests
    print("ok: sync and async send the same")
    others, _ = talk(store, "ada")
    assert "green" in others[0][0]["content"]
    assert "Deniz" not in str(others)
    print("ok: users are kept apart")
    with MemoryManager([LangGraphStore(store)]) as memory:
        memory.add("Deniz moves to Oslo.", scope=Scope(user="deniz"))
    kept = [item.value for item in store.search(("memories", "deniz"))]
    assert {"content": "Deniz moves to Oslo."} in kept
    print("ok: what is added lands in it")


if __name__ == "__main__":
    main()
