"""The tool loop for those who have no framework: every request shape, sync and async."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from memory_injection.errors import InputError
from memory_injection.tools import Tool, Toolset, arun_tool_loop, run_tool_loop

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
TOOLS = Toolset([Tool("weather", "Tells the weather.", SCHEMA, lambda city: f"rain in {city}")])
ARGS = {"city": "Oslo"}
NAMED = {"name": "weather"}


def chat_call(ident: str = "c1") -> dict[str, Any]:
    function = {"name": "weather", "arguments": json.dumps(ARGS)}
    return {"id": ident, "type": "function", "function": function}


CHAT_ASKS = {"role": "assistant", "content": None, "tool_calls": [chat_call(), chat_call("c2")]}
CHAT_SAYS = {"role": "assistant", "content": "Rain."}
SHAPES: dict[str, tuple[str, str, Any, Any]] = {
    "openai.chat": (
        "messages",
        "tools",
        {"choices": [{"message": CHAT_ASKS}]},
        {"choices": [{"message": CHAT_SAYS}]},
    ),
    "openai.responses": (
        "input",
        "tools",
        {
            "output": [
                {"type": "function_call", "call_id": i, **NAMED, "arguments": json.dumps(ARGS)}
                for i in ("c1", "c2")
            ]
        },
        {"output": [{"type": "message", "role": "assistant", "content": []}]},
    ),
    "anthropic.messages": (
        "messages",
        "tools",
        {
            "role": "assistant",
            "content": [
                {"type": "tool_use", "id": i, **NAMED, "input": ARGS} for i in ("c1", "c2")
            ],
        },
        {"role": "assistant", "content": [{"type": "text", "text": "Rain."}]},
    ),
    "gemini": (
        "contents",
        "config",
        {
            "candidates": [
                {
                    "content": {
                        "role": "model",
                        "parts": [
                            {"functionCall": {"id": i, "name": "weather", "args": ARGS}}
                            for i in ("c1", "c2")
                        ],
                    }
                }
            ]
        },
        {"candidates": [{"content": {"role": "model", "parts": [{"text": "Rain."}]}}]},
    ),
    "bedrock.converse": (
        "messages",
        "toolConfig",
        {
            "output": {
                "message": {
                    "role": "assistant",
                    "content": [
                        {"toolUse": {"toolUseId": i, "name": "weather", "input": ARGS}}
                        for i in ("c1", "c2")
                    ],
                }
            }
        },
        {"output": {"message": {"role": "assistant", "content": [{"text": "Rain."}]}}},
    ),
    "ollama": (
        "messages",
        "tools",
        {"message": {"role": "assistant", "content": "", "tool_calls": [
            {"function": {"name": "weather", "arguments": ARGS}} for _ in range(2)]}},
        {"message": CHAT_SAYS},
    ),
    "cohere": ("messages", "tools", {"message": CHAT_ASKS}, {"message": CHAT_SAYS}),
}  # fmt: skip


class Model:
    """Asks for tools *rounds* times, then answers; keeps what it was given."""

    def __init__(self, api: str, rounds: int = 1) -> None:
        self.field, self.holder, self.asks, self.says = SHAPES[api]
        self.rounds = rounds
        self.given: list[dict[str, Any]] = []

    def create(self, **given: Any) -> Any:
        self.given.append(given)
        return self.asks if len(self.given) <= self.rounds else self.says

    async def acreate(self, **given: Any) -> Any:
        return self.create(**given)


def opening(api: str) -> Any:
    if api == "gemini":
        return [{"role": "user", "parts": [{"text": "Weather?"}]}]
    if api == "bedrock.converse":
        return [{"role": "user", "content": [{"text": "Weather?"}]}]
    return "Weather?" if api == "openai.responses" else [{"role": "user", "content": "Weather?"}]


async def play(played: Model, api: str, is_async: bool, **options: Any) -> Any:
    if is_async:
        return await arun_tool_loop(played.acreate, opening(api), TOOLS, api=api, **options)
    return run_tool_loop(played.create, opening(api), TOOLS, api=api, **options)


@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize("api", sorted(SHAPES))
async def test_the_loop_runs_to_the_answer(api: str, is_async: bool) -> None:
    """Each call carries the one before whole, both results, and the tools where they belong."""
    model = Model(api, rounds=2)
    before = json.dumps(opening(api))
    done = await play(model, api, is_async, model="m")
    assert (done.rounds, done.finished, done.reply) == (3, True, model.says)
    first, second, third = (given[model.field] for given in model.given)
    assert second[: len(first)] == first
    assert third[: len(second)] == second
    assert json.dumps(second[len(first) :]).count("rain in Oslo") == 2
    assert all(given["model"] == "m" for given in model.given)
    assert "weather" in json.dumps(model.given[0][model.holder])
    assert done.messages[: len(third)] == third
    assert json.dumps(opening(api)) == before


@pytest.mark.parametrize("api", ["anthropic.messages", "bedrock.converse", "gemini"])
def test_results_that_travel_as_the_user_share_a_message(api: str) -> None:
    """Two calls of one answer are answered in one message, as these providers want."""
    model = Model(api)
    done = run_tool_loop(model.create, opening(api), TOOLS, api=api)
    assert [message["role"] for message in done.messages][2] == "user"
    assert len(done.messages) == 4


async def test_the_loop_stops_at_its_limit() -> None:
    """A model that never stops asking is stopped, and the caller can see it."""
    model = Model("openai.chat", rounds=99)
    done = run_tool_loop(model.create, opening("openai.chat"), TOOLS, 3)
    assert (done.rounds, done.finished, len(model.given)) == (3, False, 3)


async def test_the_callers_own_tools_stay() -> None:
    """Where tools travel inside another argument, what the caller put there is kept."""
    own = {"type": "function", "function": {"name": "own"}}
    bedrock = Model("bedrock.converse", rounds=0)
    config = {"tools": [own], "toolChoice": {"auto": {}}}
    run_tool_loop(bedrock.create, opening("bedrock.converse"), TOOLS, api="bedrock.converse",
                  toolConfig=config)  # fmt: skip
    given = bedrock.given[0]["toolConfig"]
    assert given["toolChoice"] == {"auto": {}}
    assert given["tools"][0] == own
    assert len(given["tools"]) == 2
    assert config == {"tools": [own], "toolChoice": {"auto": {}}}


def test_no_tools_means_no_tools_argument() -> None:
    """An empty toolset leaves the request as it is."""
    model = Model("openai.chat", rounds=0)
    run_tool_loop(model.create, opening("openai.chat"), Toolset([]), model="m")
    assert set(model.given[0]) == {"messages", "model"}


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"max_rounds": 0}, "max_rounds must be a whole number of at least 1, not 0"),
        ({"max_rounds": "8"}, "max_rounds must be a whole number of at least 1, not '8'"),
        ({"tools": 7}, "tools must be a toolset or several Tool, not 7"),
        ({"tools": [str]}, "tools must be a toolset or several Tool, not <class 'str'>"),
        ({"api": "x"}, "unknown api 'x'"),
    ],
)
async def test_wrong_arguments_are_refused_before_any_call(more: Any, message: str) -> None:
    """Nothing is sent when the loop cannot run."""
    model = Model("openai.chat")
    more = {"tools": TOOLS, **more}
    with pytest.raises(InputError, match=message):
        run_tool_loop(model.create, [], **more)
    with pytest.raises(InputError, match=message):
        await arun_tool_loop(model.acreate, [], **more)
    assert model.given == []


def test_a_text_is_no_list_of_messages() -> None:
    """Its letters would be sent as messages."""
    model = Model("openai.chat")
    with pytest.raises(InputError, match=r"messages: openai\.chat takes a list .* not str"):
        run_tool_loop(model.create, "What is the weather?", TOOLS)
    assert model.given == []


async def test_what_the_client_raises_comes_out() -> None:
    """An error of the provider is the caller's to handle."""

    def broken(**given: Any) -> Any:
        raise ConnectionError("net")

    with pytest.raises(ConnectionError):
        run_tool_loop(broken, opening("openai.chat"), TOOLS)
    with pytest.raises(ConnectionError):
        await arun_tool_loop(broken, opening("openai.chat"), TOOLS)


def test_a_stream_is_refused() -> None:
    """The loop reads whole replies; a stream would look like one that asks for nothing."""
    with pytest.raises(InputError, match="leave out stream=True"):
        run_tool_loop(lambda **_: None, [], TOOLS, stream=True)


async def test_tools_may_be_a_plain_list() -> None:
    """None at all, or several: what a toolset takes."""
    asked: list[dict[str, Any]] = []

    def create(**given: Any) -> Any:
        asked.append(given)
        done = any(message["role"] == "tool" for message in given["messages"])
        return {"choices": [{"message": CHAT_SAYS if done or "tools" not in given else CHAT_ASKS}]}

    talk = [{"role": "user", "content": "Weather?"}]
    assert run_tool_loop(create, talk, []).finished
    assert "tools" not in asked[0]
    assert (await arun_tool_loop(create, talk, list(TOOLS))).rounds == 2


def test_a_client_that_runs_out_is_no_end_of_the_loop() -> None:
    """What ``create`` raises is raised, even what ends iterators; it is not read as an answer."""
    empty: Any = iter(())

    def create(**_: Any) -> Any:
        return next(empty)

    with pytest.raises(StopIteration):
        run_tool_loop(create, [{"role": "user", "content": "Hi"}], TOOLS)
    with pytest.raises(RuntimeError, match="StopIteration"):
        asyncio.run(arun_tool_loop(create, [{"role": "user", "content": "Hi"}], TOOLS))
