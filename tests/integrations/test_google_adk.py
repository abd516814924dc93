"""Google ADK apps with our plugin, against the bare app on the same local server."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import pytest

from memory_injection import ConfigurationError, MemoryManager, Scope
from memory_injection.integrations.google_adk import MemoryPlugin
from memory_injection.testing import FakeStore
from memory_injection.testing.server import RecordingServer, Reply, ToolCall

from .diary import ASK, REPLIES, Diary, block, manager

pytest.importorskip("google.adk")

pytestmark = pytest.mark.filterwarnings("ignore")  # ADK's own, in many places


def weather(city: str) -> str:
    """Say what the weather will be."""
    return f"rain in {city}"


def app(client: Any, plugins: list[Any], tools: Any = (weather,), **options: Any) -> Any:
    from google.adk.agents import LlmAgent
    from google.adk.apps import App
    from google.adk.models import Gemini

    model = Gemini(model="gemini-2.5-flash", client=client)
    return App(
        name="memory",
        root_agent=LlmAgent(name="helper", model=model, tools=list(tools), **options),
        plugins=plugins,
    )


async def run(*plugins: Any, streaming: bool = False) -> list[Any]:
    """Have one turn as the user ``deniz``; return each request's contents."""
    return [body["contents"] for body in await bodies(*plugins, streaming=streaming)]


async def bodies(
    *plugins: Any,
    streaming: bool = False,
    replies: Any = REPLIES,
    asks: Sequence[str] = (ASK,),
    **options: Any,
) -> list[Any]:
    """Have a turn for each of *asks* as the user ``deniz``; return each request."""
    from google.adk.agents.run_config import RunConfig, StreamingMode
    from google.adk.runners import InMemoryRunner
    from google.genai import Client, types

    mode = StreamingMode.SSE if streaming else StreamingMode.NONE
    with RecordingServer(replies) as server:
        client = Client(api_key="any", http_options=types.HttpOptions(base_url=server.url))
        async with client.aio, InMemoryRunner(app=app(client, list(plugins), **options)) as runner:
            session = await runner.session_service.create_session(
                app_name="memory", user_id="deniz", session_id="s1"
            )
            for ask in asks:
                async for _ in runner.run_async(
                    user_id="deniz",
                    session_id=session.id,
                    new_message=types.UserContent(ask),
                    run_config=RunConfig(streaming_mode=mode),
                ):
                    pass
        return server.bodies


def texts(requests: list[Any]) -> list[str]:
    return [request[0]["parts"][-1]["text"] for request in requests]


async def test_both_calls_of_a_turn_carry_the_same_block() -> None:
    """The block stands in the user's content; the scope is the run's user and session."""
    diary = Diary()
    async with manager(diary) as memory:
        requests = await run(MemoryPlugin(memory))
    assert texts(requests) == [block("deniz")] * 2
    assert diary.asked == [Scope(user="deniz", session="s1")]


async def test_what_surrounds_the_block_is_the_bare_apps() -> None:
    """Without the block, the requests are those of an app without memory."""
    async with manager(Diary()) as memory:
        requests = await run(MemoryPlugin(memory))
    for request in requests:
        del request[0]["parts"][-1]
    assert requests == await run()


PROMPTS: dict[str, dict[str, Any]] = {
    "none": {},
    "text": {"instruction": "Be brief."},
    "static text": {"static_instruction": "Be brief."},
    "static content": {"static_instruction": {"role": "user", "parts": [{"text": "Be brief."}]}},
}


@pytest.mark.parametrize("form", sorted(PROMPTS))
async def test_the_system_prompt_carries_the_block(form: str) -> None:
    """With ``placement="system"``, at its end, in both calls; the rest is the bare app's."""
    async with manager(Diary(), placement="system") as memory:
        requests = await bodies(MemoryPlugin(memory), **PROMPTS[form])
    bare = await bodies(**PROMPTS[form])
    for request, plain in zip(requests, bare, strict=True):
        own = prompt_of(plain)
        assert prompt_of(request) == f"{own}\n\n{block('deniz')}".lstrip("\n")
        assert request["contents"] == plain["contents"]


def prompt_of(request: Any) -> str:
    parts = request.get("systemInstruction", {}).get("parts", [])
    return "".join(part["text"] for part in parts)


@pytest.mark.parametrize("kind", ["content", "dict", "parts"])
async def test_a_prompt_of_another_plugins_keeps_its_form(kind: str) -> None:
    """A plugin before ours may put any of the SDK's forms there, media among the parts."""
    from google.adk.plugins.base_plugin import BasePlugin
    from google.genai import types

    picture = {"inline_data": {"mime_type": "image/png", "data": b"abc"}}
    plain = {"role": "user", "parts": [{"text": "Be brief."}, picture]}
    content = types.Content.model_validate(plain)
    prompt = {"content": content, "dict": plain, "parts": list(content.parts or ())}[kind]

    class Other(BasePlugin):
        async def before_model_callback(self, *, callback_context: Any, llm_request: Any) -> None:
            llm_request.config.system_instruction = copy.deepcopy(prompt)

    async with manager(Diary(), placement="system") as memory:
        requests = await bodies(Other(name="other"), MemoryPlugin(memory))
    bare = await bodies(Other(name="other"))
    for request, alone in zip(requests, bare, strict=True):
        assert request["systemInstruction"]["parts"].pop() == {"text": block("deniz")}
        assert request["systemInstruction"] == alone["systemInstruction"]


async def test_every_step_finds_something_for_the_system_prompt() -> None:
    """Under ``everyTurn`` the turn's blocks add up in it; the next turn begins anew."""
    store = FakeStore(lambda query, options: [f"on <{query}>"], name="notes")
    steps = [Reply("Let me look.", tool_calls=(ToolCall("weather", {"city": "Bergen"}),)), "Take."]
    injection = {"placement": "system", "trigger": "everyTurn", "follow_up": "off"}
    asks, replies = ("Umbrella?", "And boots?"), [*steps, "Fine."]
    async with MemoryManager([store], injection=injection) as memory:
        requests = await bodies(MemoryPlugin(memory), replies=replies, asks=asks)
    own = prompt_of((await bodies(replies=replies, asks=asks))[0])
    on = '<memory>\n<entry source="notes">on &lt;{}&gt;</entry>\n</memory>'.format
    assert [prompt_of(request).removeprefix(own).strip() for request in requests] == [
        on("Umbrella?"),
        f"{on('Umbrella?')}\n{on('Let me look.')}",
        on("And boots?"),
    ]
    assert "<memory>" not in str([request["contents"] for request in requests])


async def test_blocks_of_earlier_turns_leave_a_loop_that_fills_the_window() -> None:
    """What a tool said takes the place of the oldest, and the turn's own block stays."""

    def almanac() -> str:
        """Read all of it."""
        return "rain " * 480

    numbers = iter(range(100))
    store = FakeStore(lambda query, options: [f"fact {next(numbers)}" + " dry" * 40], name="notes")
    limits = {"context_window": 900, "reserve": 0, "min_relevance": None}
    replies = ["Fine."] * 4 + [Reply(tool_calls=(ToolCall("almanac", {}),)), "Done."]
    asks = [f"Tell me about day {number}" for number in range(5)]
    async with MemoryManager([store], injection=limits, counter=words) as memory:
        plugin = MemoryPlugin(memory)
        *_, ask, step = await bodies(plugin, replies=replies, asks=asks, tools=[almanac])
    assert [f"fact {number} " in str(ask) for number in range(5)] == [True] * 5
    assert "fact 0 " not in str(step)
    assert "fact 4 " in str(step)


def words(text: str) -> int:
    """Count a token for a word."""
    return len(text.split())


@pytest.mark.parametrize("trouble", ["store", "scope"])
async def test_trouble_in_memory_leaves_the_call_alone(trouble: str) -> None:
    """A store or a scope function that raises: the requests are the bare app's."""

    def scope(context: Any) -> Any:
        return {"user": context.state["nobody said"]}

    async with manager(Diary(fails=trouble == "store")) as memory:
        plugin = MemoryPlugin(memory, scope=scope if trouble == "scope" else None)
        assert await run(plugin) == await run()


async def test_the_scope_can_be_set_otherwise() -> None:
    """A scope of the plugin's replaces the run's; ``memory.scope`` is laid over both."""
    async with manager(Diary()) as memory:
        requests = await run(MemoryPlugin(memory, scope=lambda context: {"user": "ada"}))
        assert texts(requests) == [block("ada")] * 2
        with memory.scope(user="ben"):
            assert texts(await run(MemoryPlugin(memory))) == [block("ben")] * 2


@pytest.mark.parametrize("streaming", [False, True])
async def test_a_turn_is_learned_once(streaming: bool) -> None:
    """Both model calls are one turn: the ask, free of the block, and the final answer."""
    diary = Diary()
    async with manager(diary) as memory:
        await run(MemoryPlugin(memory), streaming=streaming)
        assert await memory.aflush(20)
    assert diary.told == [("user", ASK), ("assistant", "Take it.")]


def test_the_plugin_needs_a_manager() -> None:
    """Anything else is refused at construction."""
    with pytest.raises(ConfigurationError, match="MemoryManager"):
        MemoryPlugin(Diary())
