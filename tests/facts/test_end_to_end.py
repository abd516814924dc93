"""An agent loop with the real ``openai`` client on a local server, and the next conversation."""

from __future__ import annotations

import json

import pytest

from memory_injection import MemoryManager, Scope
from memory_injection.clients import wrap
from memory_injection.facts import FactStore
from memory_injection.testing.server import RecordingServer, Reply, ToolCall

openai = pytest.importorskip("openai", reason="the package openai isn't installed")

SAVE = Reply(
    tool_calls=(
        ToolCall("save_memory", {"text": "Ayşe drinks green tea.", "tags": ["drink"]}),
        ToolCall("save_memory", {"text": "Prefers invoices by e-mail."}),
        ToolCall("save_memory", {"text": "spying", "path": "users/u2/"}),
    )
)


def scripted(request):
    """A model that saves, is refused, searches, forgets what it found, and says so."""
    messages = request.body["messages"]
    said = [m["content"] for m in messages if m["role"] == "tool"]
    if not said:
        return SAVE
    if len(said) == 3:
        return Reply(tool_calls=(ToolCall("search_memory", {"query": "INVOICE"}),))
    if len(said) == 4:
        (found,) = json.loads(said[3])
        return Reply(tool_calls=(ToolCall("forget_memory", {"id": found["id"]}),))
    return "Noted."


def loop(client, tools, text):
    """The agent loop of the documentation; return the whole conversation."""
    messages = [{"role": "user", "content": text}]
    while True:
        message = (
            client.chat.completions.create(
                model="gpt-4o", messages=messages, tools=tools.definitions
            )
            .choices[0]
            .message
        )
        messages.append(message.model_dump(exclude_none=True))
        if not message.tool_calls:
            return messages
        messages += [tools.call(call) for call in message.tool_calls]


def test_the_model_saves_and_the_next_conversation_remembers(path):
    """It saves, is refused another user's folder, searches, forgets; then recall works."""
    with RecordingServer(scripted) as server, FactStore(path) as facts:
        client = openai.OpenAI(base_url=f"{server.url}/v1", api_key="any")
        with client, facts.open(agent="support", run="r_1", user="u1") as memory:
            messages = loop(client, memory.tools(paths=["users/{user}/"]), "Remember my tea.")
            (kept,) = memory.list()
        answers = [m["content"] for m in messages if m["role"] == "tool"]
        assert json.loads(answers[0]) == {"id": kept.id, "path": "users/u1/", "version": 1}
        assert answers[2].startswith("error: other_user: ")
        assert answers[4].startswith("forgotten: ")
        assert messages[-1]["content"] == "Noted."
        assert (kept.text, kept.source.written_by) == ("Ayşe drinks green tea.", "model")
        assert [d["function"]["name"] for d in server.bodies[0]["tools"]] == [
            "search_memory", "save_memory", "forget_memory",
        ]  # fmt: skip
        next_conversation(facts, kept)


def next_conversation(facts, kept):
    """The same store feeds injection: for its user, and for nobody else."""
    asked = [{"role": "user", "content": "Which tea does Ayşe drink?"}]
    with RecordingServer(["Green."]) as server, MemoryManager([facts], injection=True) as memory:
        for user in ("u1", "u2"):
            with openai.OpenAI(base_url=f"{server.url}/v1", api_key="any") as plain:
                client = wrap(plain, memory, scope=Scope(user=user, agent="support"))
                client.chat.completions.create(model="gpt-4o", messages=asked)
        mine, hers = (body["messages"][-1]["content"] for body in server.bodies)
    assert mine == (
        f'{asked[0]["content"]}\n\n<memory>\n<entry source="facts">{kept.text}</entry>\n</memory>'
    )
    assert hers == asked[0]["content"]


def test_context_in_a_system_prompt(store):
    """The block of ``context`` goes where the caller wants it."""
    mem = store.open(agent="a", run="r", user="u1")
    mem.remember("Prefers tea.", path="users/{user}/")
    system = "You are a support agent.\n\n" + mem.context("tea?", paths=["users/{user}/"])
    assert system.endswith('<memory>\n<entry source="facts">Prefers tea.</entry>\n</memory>')


def test_a_resumed_run_saves_once(path):
    """A run that starts again with the same key after a restart writes nothing twice."""
    saved = set()
    for _ in range(2):
        with FactStore(path) as facts, facts.open(agent="a", run="r_9", user="u1") as memory:
            notes = memory.at("users/{user}/")
            saved.add(notes.remember("Wants a call back.", tags=["note"], key="note").id)
            assert [f.text for f in notes.search("call", k=5)] == ["Wants a call back."]
    assert len(saved) == 1
