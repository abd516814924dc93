"""Answers of every provider read the same: the text, and whether tools are called."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from memory_injection.capture.replies import Reply, read_reply

CALL = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
SHAPES: dict[str, tuple[Any, Any]] = {
    "openai.chat": (
        {"choices": [{"message": {"role": "assistant", "content": "Hi"}}]},
        {"choices": [{"message": {"role": "assistant", "content": None, "tool_calls": [CALL]}}]},
    ),
    "openai.responses": (
        {
            "output": [
                {"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]},
                {
                    "type": "message",
                    "role": "assistant",
                    "content": [{"type": "output_text", "text": "Hi"}],
                },
            ]
        },
        {"output": [{"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}]},
    ),
    "anthropic": (
        {"content": [{"type": "thinking", "text": "hm"}, {"type": "text", "text": "Hi"}]},
        {"content": [{"type": "tool_use", "id": "c", "name": "f", "input": {}}]},
    ),
    "gemini": (
        {"candidates": [{"content": {"parts": [{"text": "hm", "thought": True}, {"text": "Hi"}]}}]},
        {"candidates": [{"content": {"parts": [{"functionCall": {"name": "f", "args": {}}}]}}]},
    ),
    "bedrock": (
        {"output": {"message": {"role": "assistant", "content": [{"text": "Hi"}]}}},
        {"output": {"message": {"content": [{"toolUse": {"toolUseId": "c", "name": "f"}}]}}},
    ),
    "ollama": (
        {"message": {"role": "assistant", "content": "Hi"}},
        {"message": {"role": "assistant", "content": "", "tool_calls": [CALL]}},
    ),
    "cohere": (
        {"message": {"role": "assistant", "content": [{"type": "text", "text": "Hi"}]}},
        {"message": {"role": "assistant", "tool_plan": "hm", "tool_calls": [CALL]}},
    ),
    "message": (
        {"role": "assistant", "content": "Hi"},
        {"role": "assistant", "content": "", "tool_calls": [CALL]},
    ),
    "text": ("Hi", None),
}


def as_object(value: Any) -> Any:
    """Turn a dict into the kind of object an SDK gives."""
    if isinstance(value, dict):
        return SimpleNamespace(**{key: as_object(item) for key, item in value.items()})
    return [as_object(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("shape", [lambda value: value, as_object], ids=["dict", "object"])
@pytest.mark.parametrize("provider", SHAPES)
def test_text_and_tool_calls_are_read(provider: str, shape: Any) -> None:
    """The words count, thoughts do not, and a tool call means that the turn goes on."""
    said, called = SHAPES[provider]
    assert read_reply(shape(said)) == Reply("Hi", False)
    if called is not None:
        assert read_reply(shape(called)) == Reply("", True)


@pytest.mark.parametrize("given", [None, 5, object(), {}, [], {"choices": []}, b"x"])
def test_what_is_no_answer_is_empty(given: Any) -> None:
    """Rubbish is an answer without text."""
    assert read_reply(given) == Reply()
