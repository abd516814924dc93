"""A toolset defines its tools and answers their calls in every request shape."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest

from memory_injection.errors import ConfigurationError, FactRefused, InputError
from memory_injection.tool_records import MAX_RESULT, Tool, ToolRefused, result_text
from memory_injection.tool_shapes import DIALECTS, read_calls
from memory_injection.toolset import Toolset

SCHEMA = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "minLength": 1, "maxLength": 40},
        "days": {"type": "integer", "minimum": 1, "maximum": 7},
        "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 2},
        "unit": {"type": "string", "enum": ["C", "F"]},
    },
    "required": ["city"],
    "additionalProperties": False,
}


def weather(city: str, days: int = 1, tags: list[str] | None = None, unit: str = "C") -> Any:
    return {"city": city, "days": days, "tags": tags, "unit": unit}


def weather_set(function: Any = weather, afunction: Any = None) -> Toolset:
    return Toolset([Tool("weather", "Tells the weather.", SCHEMA, function, afunction)])


class Thing:
    """An SDK object: attributes instead of keys."""

    def __init__(self, **values: Any) -> None:
        self.__dict__.update(values)


ARGS = {"city": "Oslo"}
CALLS = {
    "openai.chat": {
        "id": "c1",
        "type": "function",
        "function": {"name": "weather", "arguments": json.dumps(ARGS)},
    },
    "openai.responses": {
        "type": "function_call",
        "call_id": "c1",
        "name": "weather",
        "arguments": json.dumps(ARGS),
    },
    "anthropic.messages": {"type": "tool_use", "id": "c1", "name": "weather", "input": ARGS},
    "gemini": {"functionCall": {"id": "c1", "name": "weather", "args": ARGS}},
    "bedrock.converse": {"toolUse": {"toolUseId": "c1", "name": "weather", "input": ARGS}},
    "ollama": {"function": {"name": "weather", "arguments": ARGS}},
    "cohere": {
        "id": "c1",
        "type": "function",
        "function": {"name": "weather", "arguments": json.dumps(ARGS)},
    },
    "langchain": {"type": "tool_call", "id": "c1", "name": "weather", "args": ARGS},
}
SAID = '{"city":"Oslo","days":1,"tags":null,"unit":"C"}'
ANSWERS = {
    "openai.chat": {"role": "tool", "tool_call_id": "c1", "content": SAID},
    "openai.responses": {"type": "function_call_output", "call_id": "c1", "output": SAID},
    "anthropic.messages": {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "c1", "content": SAID}],
    },
    "gemini": {
        "role": "user",
        "parts": [
            {"functionResponse": {"id": "c1", "name": "weather", "response": {"output": SAID}}}
        ],
    },
    "bedrock.converse": {
        "role": "user",
        "content": [
            {"toolResult": {"toolUseId": "c1", "content": [{"text": SAID}], "status": "success"}}
        ],
    },
    "ollama": {"role": "tool", "tool_name": "weather", "content": SAID},
    "cohere": {"role": "tool", "tool_call_id": "c1", "content": SAID},
    "langchain": {"role": "tool", "tool_call_id": "c1", "name": "weather", "content": SAID},
}


def as_object(value: Any) -> Any:
    """Turn nested dicts into objects, except arguments, which SDKs keep as dicts."""
    if isinstance(value, dict):
        return Thing(
            **{k: v if k in ("args", "input", "arguments") else as_object(v)
               for k, v in value.items()}
        )  # fmt: skip
    return value


@pytest.mark.parametrize("shape", [dict, as_object], ids=["dict", "object"])
@pytest.mark.parametrize("dialect", sorted(DIALECTS))
async def test_a_call_is_answered_in_its_own_shape(dialect: str, shape: Any) -> None:
    """The message for a call has the shape the call came in, sync and async alike."""
    tools, call = weather_set(), shape(CALLS[dialect])
    assert tools.call(call) == ANSWERS[dialect]
    assert await tools.acall(call) == ANSWERS[dialect]


@pytest.mark.parametrize("dialect", sorted(DIALECTS))
def test_definitions_hold_name_description_and_schema(dialect: str) -> None:
    """Every request shape is told the name, the description and the arguments."""
    written = json.dumps(weather_set().definitions(dialect))
    assert all(word in written for word in ("weather", "Tells the weather.", "city", "required"))


def test_definitions_follow_each_provider() -> None:
    """The outer keys are the ones each provider documents."""
    tools = weather_set()
    assert set(tools.definitions("openai.chat")[0]) == {"type", "function"}
    assert tools.definitions("openai.responses")[0]["strict"] is False
    assert tools.definitions("anthropic.messages")[0]["input_schema"] == SCHEMA
    assert tools.definitions("bedrock.converse")[0]["toolSpec"]["inputSchema"] == {"json": SCHEMA}
    declared = tools.definitions("gemini")[0]["functionDeclarations"][0]
    assert "additionalProperties" not in json.dumps(declared)


def test_an_unknown_dialect_is_named() -> None:
    """A dialect nobody knows is a mistake of the caller, said in one line."""
    with pytest.raises(InputError, match=r"unknown dialect 'morse': use one of openai.chat"):
        weather_set().definitions("morse")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("{not json", "the arguments are not valid JSON"),
        ("[1]", "the arguments must be a JSON object, not [1]"),
        ("{}", "argument 'city' is missing"),
        ({"city": None}, "city = None: must be of type string"),
        ({"city": 5}, "city = 5: must be of type string"),
        ({"city": ""}, "city: 0 characters is below the least, 1"),
        ({"city": "a", "days": 9}, "days: 9 is above the most, 7"),
        ({"city": "a", "days": True}, "days = True: must be of type integer"),
        ({"city": "a", "tags": ["b", 1]}, "tags[1] = 1: must be of type string"),
        ({"city": "a", "tags": ["b"] * 3}, "tags: 3 items is above the most, 2"),
        ({"city": "a", "unit": "K"}, "unit = 'K': must be one of C, F"),
        ({"town": "a"}, "no argument 'town': use city, days, tags, unit"),
    ],
)  # fmt: skip
async def test_wrong_arguments_come_back_as_text(arguments: Any, message: str) -> None:
    """Whatever is wrong with the arguments, the model reads which one and why."""
    call = {"id": "c", "type": "function", "function": {"name": "weather", "arguments": arguments}}
    expected = f"error: invalid_arguments: {message}"
    assert weather_set().call(call)["content"] == expected
    assert (await weather_set().acall(call))["content"] == expected


def test_arguments_are_read_as_meant() -> None:
    """A null for an optional argument counts as left out, and 3.0 as 3."""
    call = {"function": {"name": "weather", "arguments": {"city": "a", "days": 3.0, "unit": None}}}
    assert json.loads(weather_set().call(call)["content"])["days"] == 3


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (ToolRefused("no_user", "name a user"), "error: no_user: name a user"),
        (FactRefused("not_found", 404, "no such fact"), "error: not_found: no such fact"),
        (InputError("k must be 1-50"), "error: failed: k must be 1-50"),
        (OSError("/secret/path"), "error: failed: the tool could not answer (OSError)"),
        (ToolRefused("x", "two\nlines"), "error: x: two lines"),
    ],
)
async def test_a_refusal_or_failure_is_text(error: Exception, text: str) -> None:
    """What a tool raises reaches the model as one line, and a foreign error keeps its secrets."""

    def refuse(**_: Any) -> None:
        raise error

    tools = weather_set(refuse)
    assert tools.call(CALLS["openai.chat"])["content"] == text
    assert (await tools.acall(CALLS["openai.chat"]))["content"] == text


def test_errors_are_marked_where_the_shape_can() -> None:
    """Anthropic, Bedrock and Gemini have a place that says the tool failed."""

    def refuse(**_: Any) -> None:
        raise ToolRefused("no", "no")

    tools = weather_set(refuse)
    assert tools.call(CALLS["anthropic.messages"])["content"][0]["is_error"] is True
    assert tools.call(CALLS["bedrock.converse"])["content"][0]["toolResult"]["status"] == "error"
    part = tools.call(CALLS["gemini"])["parts"][0]["functionResponse"]
    assert part["response"] == {"error": "error: no: no"}


def test_an_unknown_tool_is_text_too() -> None:
    """A model that makes up a tool is told which ones there are."""
    call = {"type": "tool_use", "id": "1", "name": "fly", "input": {}}
    part = weather_set().call(call)["content"][0]
    assert part["content"] == "error: unknown_tool: no tool 'fly'; there is: weather"


def test_what_is_no_tool_call_is_refused() -> None:
    """A caller who hands over something else learns it at once."""
    with pytest.raises(InputError, match="not a tool call"):
        weather_set().call({"role": "user", "content": "hello"})


async def test_async_tools_answer_both_ways() -> None:
    """A tool that is only async is run to its end by ``call`` as well."""

    async def later(city: str) -> str:
        return f"sunny in {city}"

    tools = weather_set(later)
    assert tools.call(CALLS["ollama"])["content"] == "sunny in Oslo"
    assert (await tools.acall(CALLS["ollama"]))["content"] == "sunny in Oslo"


async def test_acall_prefers_the_async_twin() -> None:
    """With both twins given, each way uses its own."""

    async def twin(city: str) -> str:
        return "async"

    tools = weather_set(lambda city: "sync", twin)
    assert tools.call(CALLS["ollama"])["content"] == "sync"
    assert (await tools.acall(CALLS["ollama"]))["content"] == "async"


def test_a_result_is_bounded() -> None:
    """A huge result is cut to the cap and says so."""
    text = result_text("x" * (3 * MAX_RESULT))
    assert len(text) == MAX_RESULT
    assert text.endswith(f"[cut: {3 * MAX_RESULT} characters, {MAX_RESULT} shown]")


def test_tool_calls_are_found_in_replies() -> None:
    """The calls of a reply are found in the reply of each provider."""
    chat, block = CALLS["openai.chat"], CALLS["anthropic.messages"]
    assert read_calls({"choices": [{"message": {"tool_calls": [chat]}}]}) == [chat]
    assert read_calls({"message": {"role": "assistant", "tool_calls": [chat]}}) == [chat]
    assert read_calls({"content": [{"type": "text", "text": "so"}, block]}) == [block]
    part = CALLS["gemini"]
    assert read_calls({"candidates": [{"content": {"parts": [{"text": "a"}, part]}}]}) == [part]
    item = CALLS["openai.responses"]
    assert read_calls({"output": [{"type": "reasoning"}, item]}) == [item]
    use = CALLS["bedrock.converse"]
    assert read_calls({"output": {"message": {"content": [use]}}}) == [use]
    assert read_calls({"role": "assistant", "content": "done"}) == []


@pytest.mark.parametrize(
    ("name", "schema", "function", "message"),
    [
        ("two words", SCHEMA, weather, "tool name must be 1-64"),
        ("w", {"type": "string"}, weather, "must be a JSON schema of type 'object'"),
        ("w", SCHEMA, None, "function of tool 'w' must be callable"),
    ],
)
def test_a_wrong_tool_fails_when_built(name: str, schema: Any, function: Any, message: str) -> None:
    """What a provider would answer with a 400 is found at construction."""
    with pytest.raises(ConfigurationError, match=message):
        Tool(name, "", schema, function)


def test_two_tools_of_one_name_are_refused() -> None:
    """A name stands for one tool."""
    tool = Tool("w", "", SCHEMA, weather)
    with pytest.raises(ConfigurationError, match="two tools are named 'w'"):
        Toolset([tool, tool])


def test_logs_carry_no_text(caplog: pytest.LogCaptureFixture) -> None:
    """A failing tool is logged by name and kind of error, without what was asked."""

    def fail(**_: Any) -> None:
        raise OSError("Oslo is secret")

    with caplog.at_level(logging.WARNING):
        weather_set(fail).call(CALLS["openai.chat"])
    assert "tool weather failed: OSError" in caplog.text
    assert "Oslo" not in caplog.text
