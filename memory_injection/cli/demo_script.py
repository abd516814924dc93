"""What is said in the demo: the asks, the facts, the tool, and a stand-in for the model.

The stand-in knows nothing but the request it is sent, so whatever it knows about the user came in
with the memory.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..testing.server import RecordedRequest, Reply, ToolCall

__all__ = ["FACTS", "FRIDGE", "SYSTEM", "TOOLS", "Conversation", "answer", "conversations"]

SYSTEM = (
    "You are a kitchen companion. Answer in one or two sentences, use what you know about the "
    "user, look into the fridge before you suggest a dish, and say so when you do not know."
)
FACTS = (
    "The user never cooks with walnuts, being allergic to them.",
    "The user cooks in one pan and has no oven.",
    "The user's train to work leaves at 08:40.",
)
FRIDGE = "eggs, spinach, feta, walnuts"
TOOLS: list[dict[str, Any]] = [
    {
        "type": "function",
        "function": {
            "name": "look_in_fridge",
            "description": "List what is in the user's fridge.",
            "parameters": {"type": "object", "properties": {}},
        },
    }
]


@dataclass(frozen=True, slots=True)
class Conversation:
    """One conversation: its title, its session id and what the user asks in it.

    Attributes:
        tells: the user says :data:`FACTS` in it, which the program saves at its end.
    """

    title: str
    session: str
    asks: tuple[str, ...]
    tells: bool = False


def conversations(*, remembers: bool) -> Sequence[Conversation]:
    """Return the demo's conversations; an earlier run's facts need not be told again."""
    hello = "Hello! What do I never cook with?"
    tell = "Walnuts, I am allergic. One pan, no oven. My train leaves at 08:40."
    first = (
        Conversation("The first thing said in this run", "hello", (hello,))
        if remembers
        else Conversation("A first conversation", "hello", (hello, tell), tells=True)
    )
    asks = ("What can I cook?", "Good. And when does my train leave for work?")
    return (first, Conversation("A new conversation, with an empty history", "dinner", asks))


def answer(request: RecordedRequest) -> Reply:
    """Answer as a model would that knows only what stands in *request*."""
    body: Mapping[str, Any] = request.body
    messages = body["messages"]
    seen = "\n".join(str(message.get("content") or "") for message in messages)
    known = [fact for fact in FACTS if f">{fact}<" in seen]
    last = messages[-1]
    if last["role"] == "tool":
        return Reply(_dish(str(last["content"]), known))
    ask = re.split(r"\n\n<memory>", str(last["content"]))[0]
    if ask == "What can I cook?":
        return Reply(tool_calls=(ToolCall("look_in_fridge"),))
    if "train" in ask and ask.endswith("?"):
        return Reply("At 08:40." if FACTS[2] in known else "I do not know.")
    if "never cook" in ask:
        return Reply(
            "Walnuts: you are allergic to them."
            if FACTS[0] in known
            else "I do not know: nothing about it has reached me."
        )
    return Reply("Noted.")


def _dish(fridge: str, known: Sequence[str]) -> str:
    foods = fridge.split(", ")
    if FACTS[0] in known:
        foods = [food for food in foods if food != "walnuts"]
    pan = " in your one pan" if FACTS[1] in known else " from the oven"
    spared = " I left the walnuts out." if FACTS[0] in known and "walnuts" in fridge else ""
    return f"A {', '.join(foods[1:])} omelette{pan}.{spared}"
