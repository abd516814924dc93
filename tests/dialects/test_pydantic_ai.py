"""The Pydantic AI shape."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from memory_injection import MemoryManager
from memory_injection.dialects import detect
from memory_injection.dialects.pydantic_ai import PydanticAI
from memory_injection.errors import MissingDependencyError
from memory_injection.testing import FakeStore

BLOCK = '<memory>\n<entry source="notes">The cat is called Pamuk.</entry>\n</memory>'

dialect = PydanticAI()


def asked(*parts: Any) -> dict[str, Any]:
    return {"kind": "request", "parts": list(parts)}


def prompt(content: Any) -> dict[str, Any]:
    return {"part_kind": "user-prompt", "content": content}


SYSTEM = {"part_kind": "system-prompt", "content": "It is noon."}
RESULT = {"part_kind": "tool-return", "tool_call_id": "c1", "content": "rain"}


def test_a_block_goes_into_the_last_prompt_of_a_request():
    """Prompts of the system, tool results and earlier prompts beside it stay as they are."""
    message = asked(SYSTEM, RESULT, prompt("Hi"), prompt(["Look", {"kind": "cache-point"}]))
    written = dialect.append(message, BLOCK)
    assert written["parts"][:3] == message["parts"][:3]
    assert written["parts"][3]["content"] == ["Look", {"kind": "cache-point"}, BLOCK]
    assert dialect.remove(written, [BLOCK]) == message
    text = dialect.append(asked(SYSTEM, prompt("Hi")), BLOCK)
    assert text["parts"][1]["content"] == f"Hi\n\n{BLOCK}"
    assert dialect.remove(text, [BLOCK]) == asked(SYSTEM, prompt("Hi"))


def test_a_request_without_a_prompt_has_no_place_for_a_block():
    """Results and notes of the framework are no asks."""
    for message in (asked(RESULT), asked(SYSTEM), asked()):
        reading = dialect.read(message)
        assert not reading.ask
        assert not reading.writable
        assert dialect.append(message, BLOCK) is message
    assert dialect.read(asked(RESULT)).role == "tool"
    system = dialect.read(asked(SYSTEM))
    assert (system.role, system.texts) == ("system", ("It is noon.",))


def test_results_beside_a_prompt_are_an_ask_with_a_place():
    """A new turn may begin with what is left of the last one."""
    reading = dialect.read(asked(RESULT, prompt("And now?")))
    assert (reading.role, reading.ask, reading.writable) == ("user", True, True)
    assert reading.texts == ("And now?",)
    assert "rain" in reading.rest


def test_what_changes_from_call_to_call_is_not_read():
    """The system's prompts, times, ids of runs, reasoning and notes on settings."""
    bare = asked(prompt("Hi"))
    full = {
        **asked(SYSTEM, {**prompt("Hi"), "timestamp": "2030-01-01T00:00:00Z"}),
        "run_id": "r1",
        "instructions": "It is noon.",
    }
    assert dialect.read(full) == dialect.read(bare)
    noted = asked(prompt("Hi"), {"part_kind": "instruction-delta", "content": "It is one."})
    assert dialect.read(noted) == dialect.read(bare)


def test_texts_tagged_with_metadata_are_texts():
    """``TextContent`` is sent like a string; a block inside it is found."""
    tagged = {"kind": "text-content", "content": f"Hi\n\n{BLOCK}", "metadata": {"x": 1}}
    message = asked(prompt([tagged]))
    assert dialect.read(message).texts == (tagged["content"],)
    cleaned = dialect.remove(message, [BLOCK])
    assert cleaned["parts"][0]["content"] == [{**tagged, "content": "Hi"}]


def test_objects_and_stored_messages_read_the_same():
    """What ``ModelMessagesTypeAdapter`` dumps meets the ledger of the live conversation."""
    messages = pytest.importorskip("pydantic_ai.messages")
    live = [
        messages.ModelRequest(
            parts=[
                messages.SystemPromptPart("Be kind."),
                messages.UserPromptPart(
                    [
                        "Hi",
                        messages.ImageUrl("https://example.com/a.png"),
                        messages.BinaryContent(bytes(range(256)), media_type="image/png"),
                    ]
                ),
            ]
        ),
        messages.ModelResponse(
            parts=[
                messages.ThinkingPart("hm"),
                messages.ToolCallPart("weather", {"city": "Bergen"}, "c1"),
            ]
        ),
        messages.ModelRequest(parts=[messages.ToolReturnPart("weather", "rain", "c1")]),
        messages.ModelResponse(parts=[messages.TextPart("Rain.")]),
    ]
    stored = messages.ModelMessagesTypeAdapter.dump_python(live, mode="json")
    assert [dialect.read(m) for m in live] == [dialect.read(m) for m in stored]
    assert detect(live).name == detect(stored).name == "pydantic-ai"  # type: ignore[union-attr]
    written = dialect.append(live[0], BLOCK)
    assert type(written) is messages.ModelRequest
    assert written.parts[1].content[-1] == BLOCK
    assert BLOCK not in live[0].parts[1].content
    assert dialect.remove(written, [BLOCK]) == live[0]


def test_a_block_in_a_system_prompt_of_its_own():
    """``placement="system"``: one request before the ask, replaced in the next turn."""
    messages = pytest.importorskip("pydantic_ai.messages")
    store = FakeStore(lambda query, _: [f"About {query}"])
    injection = {"placement": "system", "min_relevance": None}
    with MemoryManager([store], injection=injection) as memory:
        history = [
            messages.ModelRequest(parts=[messages.SystemPromptPart("Be kind.")]),
            messages.ModelRequest(parts=[messages.UserPromptPart("the cat")]),
        ]
        first = memory.inject(history).messages
        assert [m.parts[0].part_kind for m in first] == [*["system-prompt"] * 2, "user-prompt"]
        assert "About the cat" in first[1].parts[0].content
        reply = messages.ModelResponse(parts=[messages.TextPart("Purr.")])
        more = messages.ModelRequest(parts=[messages.UserPromptPart("the dog")])
        second = memory.inject([*first, reply, more]).messages
    assert [message.kind for message in second] == ["request"] * 3 + ["response", "request"]
    assert "About the dog" in second[1].parts[0].content


def test_a_system_prompt_needs_the_package(monkeypatch: pytest.MonkeyPatch):
    """The error names what to install."""
    monkeypatch.setitem(sys.modules, "pydantic_ai.messages", None)
    with pytest.raises(MissingDependencyError, match=r"memory-injection\[pydantic-ai\]"):
        dialect.system("Be kind.")
