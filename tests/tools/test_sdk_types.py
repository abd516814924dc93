"""Definitions, calls and results are what the providers' own SDKs say they are."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import TypeAdapter

from memory_injection import MemoryManager
from memory_injection.stores import InMemoryStore


@pytest.fixture
def tools() -> Any:
    with MemoryManager([InMemoryStore("notes"), InMemoryStore("facts")]) as memory:
        yield memory.tools(add=True)


def fits(kind: Any, value: Any) -> None:
    """Check *value* against a type of an SDK; a TypedDict refuses keys it does not know."""
    TypeAdapter(kind, config=None).validate_python(value)
    known = getattr(kind, "__annotations__", {})
    assert not known or set(value) <= set(known)


def test_openai_chat(tools: Any) -> None:
    """Chat Completions takes the definitions, and its own call objects are answered."""
    chat = pytest.importorskip("openai.types.chat")
    for definition in tools.definitions("openai.chat"):
        fits(chat.ChatCompletionFunctionToolParam, definition)
    call = chat.ChatCompletionMessageFunctionToolCall.model_validate(
        {"id": "c", "type": "function",
         "function": {"name": "search_memory", "arguments": '{"query": "tea"}'}}
    )  # fmt: skip
    message = tools.call(call)
    fits(chat.ChatCompletionToolMessageParam, message)
    assert message["content"] == "nothing found"


def test_openai_responses(tools: Any) -> None:
    """The Responses API takes the definitions, and its own call items are answered."""
    responses = pytest.importorskip("openai.types.responses")
    items = pytest.importorskip("openai.types.responses.response_input_item_param")
    for definition in tools.definitions("openai.responses"):
        fits(responses.FunctionToolParam, definition)
    call = responses.ResponseFunctionToolCall(
        type="function_call", call_id="c", name="search_memory", arguments='{"query": "tea"}'
    )
    message = tools.call(call)
    fits(items.FunctionCallOutput, message)
    assert message["output"] == "nothing found"


def test_anthropic(tools: Any) -> None:
    """Messages takes the definitions, and its own tool_use blocks are answered."""
    types = pytest.importorskip("anthropic.types")
    for definition in tools.definitions("anthropic.messages"):
        fits(types.ToolParam, definition)
    call = types.ToolUseBlock.model_validate(
        {"type": "tool_use", "id": "c", "name": "search_memory", "input": {"query": ""}}
    )
    message = tools.call(call)
    fits(types.MessageParam, message)
    (part,) = message["content"]
    fits(types.ToolResultBlockParam, part)
    assert part["is_error"] is True


def test_gemini(tools: Any) -> None:
    """google-genai takes the definitions, and its own function calls are answered."""
    types = pytest.importorskip("google.genai.types")
    (declared,) = tools.definitions("gemini")
    assert len(types.Tool.model_validate(declared).function_declarations) == 2
    call = types.FunctionCall(name="search_memory", args={"query": "tea"})
    message = types.Content.model_validate(tools.call(call))
    assert message.parts[0].function_response.response == {"output": "nothing found"}


def test_ollama(tools: Any) -> None:
    """The ollama client takes the definitions, and its own tool calls are answered."""
    ollama = pytest.importorskip("ollama")
    for definition in tools.definitions("ollama"):
        ollama.Tool.model_validate(definition)
    call = ollama.Message.ToolCall.model_validate(
        {"function": {"name": "search_memory", "arguments": {"query": "tea"}}}
    )
    message = ollama.Message.model_validate(tools.call(call))
    assert message.content == "nothing found"
    assert message.tool_name == "search_memory"


def test_langchain(tools: Any) -> None:
    """LangChain reads the answer as the ToolMessage of the call."""
    messages = pytest.importorskip("langchain_core.messages")
    call = messages.ToolCall(name="search_memory", args={"query": "tea"}, id="c", type="tool_call")
    (read,) = messages.convert_to_messages([tools.call(call)])
    assert isinstance(read, messages.ToolMessage)
    assert (read.tool_call_id, read.content) == ("c", "nothing found")
