"""The provider's own tools: a model searches, saves and forgets; refusals come back as text."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memory_injection.files import FileMemoryProvider

Put = Callable[..., Path]
Call = Callable[..., Any]


def _openai(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"id": "c1", "type": "function", "function": function}


@pytest.fixture(params=["sync", "async"])
def call(request: pytest.FixtureRequest, provider: FileMemoryProvider) -> Call:
    """Call a tool in the OpenAI shape, either way; returns the text of the tool message."""

    def run(name: str, scope: dict[str, str] | None = None, /, **arguments: Any) -> str:
        tools = provider.get_tools(scope)
        asked = _openai(name, arguments)
        message = tools.call(asked) if request.param == "sync" else asyncio.run(tools.acall(asked))
        assert (message["role"], message["tool_call_id"]) == ("tool", "c1")
        return str(message["content"])

    return run


def test_the_tools_are_declared_in_each_shape(provider: FileMemoryProvider) -> None:
    """Names and JSON schemas, as OpenAI and Anthropic take them."""
    tools = provider.get_tools()
    assert [t.name for t in tools] == ["memory_search", "memory_write", "memory_forget"]
    for declared in tools.definitions("openai.chat"):
        schema = declared["function"]["parameters"]
        assert declared["type"] == schema.get("title", "function")
        assert schema["type"] == "object"
        assert set(schema["required"]) <= set(schema["properties"])
    for declared in tools.definitions("anthropic.messages"):
        assert declared["input_schema"]["additionalProperties"] is False


def test_a_model_saves_finds_replaces_and_forgets(call: Call, provider: FileMemoryProvider) -> None:
    """The ids it is given work in the other tools."""
    saved = json.loads(
        call("memory_write", content="Green tea", title="Drink", tags=["tea"], kind="fact")
    )
    ident = saved["saved"]
    (found,) = json.loads(call("memory_search", query="tea"))["results"]
    assert found.pop("date")
    assert found == {"id": ident, "content": "Drink\nGreen tea", "kind": "fact", "tags": ["tea"]}
    entry = provider.get(ident)
    assert entry is not None
    assert (entry.metadata or {})["source"] == "tool"
    assert json.loads(call("memory_write", id=ident, content="Black tea", tags=[])) == saved
    (found,) = json.loads(call("memory_search", query="tea", limit=3))["results"]
    assert (found["content"], found.get("tags")) == ("Drink\nBlack tea", None)
    assert json.loads(call("memory_forget", id=ident)) == {"forgotten": ident}
    assert json.loads(call("memory_search", query="tea")) == {"results": []}


def test_the_answer_has_the_shape_of_the_call(provider: FileMemoryProvider) -> None:
    """Anthropic's tool use is answered with a tool result."""
    asked = {"type": "tool_use", "id": "t1", "name": "memory_forget", "input": {"id": "none"}}
    message = provider.get_tools().call(asked)
    assert message == {
        "role": "user",
        "content": [
            {
                "type": "tool_result",
                "tool_use_id": "t1",
                "content": "error: not_found: no memory 'none'",
                "is_error": True,
            }
        ],
    }


@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("memory_search", {}, "invalid_arguments"),
        ("memory_search", {"query": 3}, "invalid_arguments"),
        ("memory_search", {"query": "x", "limit": 0}, "invalid_arguments"),
        ("memory_search", {"query": "x", "other": 1}, "invalid_arguments"),
        ("memory_write", {"content": "  "}, "invalid_arguments"),
        ("memory_write", {"content": "x\x00"}, "invalid_arguments"),
        ("memory_write", {"content": "x", "id": "../SECRET"}, "invalid_arguments"),
        ("memory_write", {"content": "x", "id": "unknown"}, "not_found"),
        ("memory_write", {"content": "x", "id": "MEMORY.md#zebra"}, "read_only"),
        ("memory_forget", {"id": "/etc/passwd"}, "invalid_arguments"),
        ("memory_forget", {"id": "memory_summary"}, "read_only"),
        ("memory_forget", {"id": "unknown"}, "not_found"),
        ("memory_erase", {}, "unknown_tool"),
    ],
)
def test_a_refusal_is_text_for_the_model(
    call: Call, put: Put, name: str, arguments: dict[str, Any], code: str
) -> None:
    """``error: <code>: <message>`` on one line, nothing raised, nothing written."""
    put("MEMORY.md", "# Zebra\n")
    put("memory_summary.md", "zebra")
    answer = call(name, **arguments)
    assert answer.startswith(f"error: {code}: ")
    assert "\n" not in answer


def test_a_store_failure_is_text_too(call: Call, provider: FileMemoryProvider) -> None:
    """A disk that refuses is told to the model."""
    provider.close()
    assert call("memory_search", query="x").startswith("error: store_error: ")


def test_tools_reach_what_their_scope_reaches(call: Call) -> None:
    """Another user's memory is not found, not replaced, not forgotten."""
    mine, theirs = {"user": "u1", "session": "s1"}, {"user": "u2"}
    ident = json.loads(call("memory_write", mine, content="zebra"))["saved"]
    assert json.loads(call("memory_search", theirs, query="zebra"))["results"] == []
    for name, more in (("memory_write", {"content": "lion"}), ("memory_forget", {})):
        assert call(name, theirs, id=ident, **more) == f"error: not_found: no memory {ident!r}"
    later = {"user": "u1", "session": "s2"}
    assert len(json.loads(call("memory_search", later, query="zebra"))["results"]) == 1


def test_a_memory_that_goes_between_look_and_deed_is_not_found(
    call: Call, provider: FileMemoryProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process may be quicker."""
    ident = provider.add("zebra")
    record = provider._store.find(ident, _everybody())
    provider.forget(ident)
    monkeypatch.setattr(provider._store, "find", lambda ident, scope: record)
    for name, more in (("memory_write", {"content": "lion"}), ("memory_forget", {})):
        assert call(name, id=ident, **more) == f"error: not_found: no memory {ident!r}"


def test_a_long_memory_is_cut_in_a_search_result(call: Call, provider: FileMemoryProvider) -> None:
    """A tool result is read by a model with a window."""
    provider.add("zebra " * 2000)
    (found,) = json.loads(call("memory_search", query="zebra"))["results"]
    assert len(found["content"]) == 4000
    assert found["content"].endswith("…")


def _everybody() -> Any:
    from memory_injection.records import Scope

    return Scope()
