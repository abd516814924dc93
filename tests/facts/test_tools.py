"""Contract 7.8 and 6: what the model may do, and how it is told no."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from types import SimpleNamespace

import pytest

from memory_injection.errors import FactRefused, InputError
from memory_injection.facts import FactStore, Source, memory_tools


def openai_call(name, **arguments):
    """A tool call as OpenAI chat carries it."""
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"id": "call_1", "type": "function", "function": function}


@pytest.fixture
def ask(mem, mode):
    """Call a tool of ``mem`` and return its text."""
    import asyncio

    def ask(name, *, paths=None, tools=None, **arguments):
        tools = tools or mem.tools(paths=paths)
        call = openai_call(name, **arguments)
        answer = tools.call(call) if mode == "sync" else asyncio.run(tools.acall(call))
        assert (answer["role"], answer["tool_call_id"]) == ("tool", "call_1")
        return answer["content"]

    return ask


def test_definitions(mem):
    """Three tools, as a plain list for OpenAI chat and in each other shape on request."""
    tools = mem.tools()
    names = ["search_memory", "save_memory", "forget_memory"]
    assert [d["function"]["name"] for d in tools.definitions] == names
    assert all(d["type"] == "function" for d in tools.definitions)
    json.dumps(tools.definitions)
    for found in (
        tools.definitions("anthropic.messages"),
        tools.definitions_for("anthropic.messages"),
    ):
        assert [d["name"] for d in found] == names
        assert all(d["input_schema"]["type"] == "object" for d in found)
    assert tools.definitions() == tools.definitions
    with pytest.raises(InputError):
        tools.definitions_for("nonsense")


def test_save_is_written_by_the_model(mem, ask):
    """A save is recorded as the model's, in the run that made it."""
    said = json.loads(ask("save_memory", text="Prefers tea.", tags=["drink"], confidence=0.9))
    fact = mem.get(said["id"])
    assert said == {"id": fact.id, "path": "users/u1/", "version": 1}
    assert (fact.text, fact.tags, fact.confidence) == ("Prefers tea.", ("drink",), 0.9)
    assert fact.source == Source("r", "model")
    changed = json.loads(ask("save_memory", text="Prefers coffee.", replaces=fact.id))
    assert changed["version"] == 2
    assert [f.source.written_by for f in mem.history(fact.id)] == ["model", "model"]
    assert mem.get(fact.id).tags == ("drink",)


def test_search_answers_with_facts(mem, ask):
    """The text is JSON with what the model needs to go on."""
    fact = mem.remember("Prefers tea.", path="notes/", tags=["x"])
    mem.remember("Prefers coffee.")
    expected = {"id": fact.id, "text": "Prefers tea.", "path": "notes/", "tags": ["x"]}
    assert json.loads(ask("search_memory", query="tea")) == [expected]
    assert len(json.loads(ask("search_memory", query="", k=1))) == 1
    assert json.loads(ask("search_memory", query="prefers", tags=["x"])) == [expected]


def test_forget(mem, ask):
    """What the model forgets is gone."""
    fact = mem.remember("tea")
    assert fact.id in ask("forget_memory", id=fact.id)
    assert mem.list() == []


def test_tools_reach_only_the_given_paths(mem, ask):
    """Search, save, replace and forget stay below them."""
    outside = mem.remember("tea outside", path="notes/")
    inside = mem.remember("tea inside", path="users/{user}/x/")
    paths = ["users/{user}/", "drafts/"]
    found = json.loads(ask("search_memory", paths=paths, query="tea"))
    assert [f["id"] for f in found] == [inside.id]
    assert ask("forget_memory", paths=paths, id=outside.id).startswith("error: not_found: ")
    said = ask("save_memory", paths=paths, text="t", replaces=outside.id)
    assert said.startswith("error: not_found: ")
    said = ask("save_memory", paths=paths, text="t", path="notes/")
    assert said.startswith("error: outside: ")
    assert json.loads(ask("save_memory", paths=paths, text="t"))["path"] == "users/u1/"
    saved = json.loads(ask("save_memory", paths=paths, text="t", path="drafts/a"))
    assert saved["path"] == "drafts/a/"
    said = ask("save_memory", paths=paths, text="t", replaces=inside.id, path="drafts/")
    assert said.startswith("error: cannot_move: ")
    assert mem.get(outside.id) == outside


@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("save_memory", {"text": "t", "path": "users/u2/"}, "other_user"),
        ("save_memory", {"text": "t", "path": "../"}, "invalid"),
        ("save_memory", {"text": "t", "path": "a/{user}/"}, "invalid"),
        ("save_memory", {"text": " "}, "invalid"),
        ("save_memory", {"text": "x" * 4001}, "invalid"),
        ("save_memory", {"text": "x" * 70_000}, "too_large"),
        ("save_memory", {"text": "t", "replaces": "m_unknown"}, "not_found"),
        ("save_memory", {"text": "t", "key": "k"}, "invalid_arguments"),
        ("save_memory", {}, "invalid_arguments"),
        ("search_memory", {"query": 7}, "invalid_arguments"),
        ("search_memory", {"query": "t", "k": 0}, "invalid_arguments"),
        ("forget_memory", {"id": "m_unknown"}, "not_found"),
        ("drop_memory", {}, "unknown_tool"),
    ],
)
def test_a_refusal_is_text(mem, ask, name, arguments, code):
    """``error: <code>: <message>`` on one line, never an exception, and nothing is written."""
    said = ask(name, **arguments)
    assert said.startswith(f"error: {code}: ")
    assert "\n" not in said
    assert mem.list() == []


@pytest.mark.parametrize("arguments", ["", "{", "[]", "null", '"x"', "{}"])
def test_broken_arguments_are_text(mem, arguments):
    """So is whatever the model wrote in place of arguments."""
    call = {"id": "1", "type": "function",
            "function": {"name": "save_memory", "arguments": arguments}}  # fmt: skip
    assert mem.tools().call(call)["content"].startswith("error: invalid_arguments: ")


def test_a_broken_database_is_text(path):
    """A failure of the store does not end the agent loop either."""
    path.write_bytes(b"not a database at all" * 100)
    with FactStore(path) as store:
        tools = store.open(agent="a", run="r").tools()
        said = tools.call(openai_call("search_memory", query="t"))["content"]
    assert said.startswith("error: failed: ")
    assert "not a SQLite database" in said


def test_memory_full_is_text(path):
    """The cap reaches the model as its code."""
    with FactStore(path, max_facts_per_agent=1) as store:
        tools = store.open(agent="a", run="r").tools()
        tools.call(openai_call("save_memory", text="one"))
        said = tools.call(openai_call("save_memory", text="two"))["content"]
    assert said.startswith("error: memory_full: ")


def test_anthropic_calls_are_answered_in_kind(mem):
    """A ``tool_use`` block gets a ``tool_result``, marked when it is a refusal."""
    tools = mem.tools()
    use = {"type": "tool_use", "id": "toolu_1", "name": "save_memory", "input": {"text": "tea"}}
    (part,) = tools.call(use)["content"]
    assert (part["type"], part["tool_use_id"]) == ("tool_result", "toolu_1")
    assert "is_error" not in part
    (part,) = tools.call({**use, "input": {"text": "t", "path": "users/u2/"}})["content"]
    assert part["is_error"]
    assert part["content"].startswith("error: other_user: ")


def test_sdk_objects_are_read(mem):
    """The calls in a reply of the ``openai`` client are taken as they are."""
    chat = pytest.importorskip("openai.types.chat", reason="the package openai isn't installed")
    call = chat.ChatCompletionMessageFunctionToolCall.model_validate(
        openai_call("save_memory", text="tea")
    )
    assert json.loads(mem.tools().call(call)["content"])["version"] == 1


def test_what_is_no_tool_call_is_a_mistake_of_the_caller(mem):
    """It has no id to answer to."""
    with pytest.raises(InputError):
        mem.tools().call("search_memory")


@dataclass
class FunctionTool:
    """What of the Agents SDK's class is used, for where the package isn't installed."""

    name: str
    description: str
    params_json_schema: dict
    on_invoke_tool: object
    strict_json_schema: bool = True


@pytest.fixture(params=["agents", "fake"])
def agents(request, monkeypatch):
    """The Agents SDK, and a fake of the one class that matters."""
    if request.param == "agents":
        return pytest.importorskip("agents", reason="the package openai-agents isn't installed")
    fake = SimpleNamespace(FunctionTool=FunctionTool)
    monkeypatch.setitem(sys.modules, "agents", fake)
    return fake


async def test_openai_agents_tools(store, agents):
    """The Agents SDK gets ``FunctionTool`` objects whose calls answer with the same texts."""
    mem = store.open(agent="a", run="r", user="u1")
    tools = {tool.name: tool for tool in memory_tools(mem, paths=["users/{user}/"])}
    assert all(isinstance(tool, agents.FunctionTool) for tool in tools.values())
    assert list(tools) == ["search_memory", "save_memory", "forget_memory"]
    saved = json.loads(await tools["save_memory"].on_invoke_tool(None, '{"text": "Tea."}'))
    assert saved["path"] == "users/u1/"
    said = await tools["save_memory"].on_invoke_tool(None, '{"text": "t", "path": "users/u2/"}')
    assert said.startswith("error: other_user: ")
    found = json.loads(await tools["search_memory"].on_invoke_tool(None, '{"query": "tea"}'))
    assert [f["id"] for f in found] == [saved["id"]]
    assert mem.get(saved["id"]).source.written_by == "model"


def test_openai_agents_tools_need_the_package(store, monkeypatch):
    """Without it the error names the install line."""
    from memory_injection.errors import MissingDependencyError

    monkeypatch.setitem(sys.modules, "agents", None)
    with pytest.raises(MissingDependencyError, match=r"memory-injection\[openai-agents\]"):
        memory_tools(store.open(agent="a", run="r"))


def test_tools_of_a_folder_without_a_user_are_refused_at_once(open_run):
    """The mistake shows when the tools are made, not when the model calls them."""
    with pytest.raises(FactRefused, match="no_user"):
        open_run(None).tools(paths=["users/{user}/"])
