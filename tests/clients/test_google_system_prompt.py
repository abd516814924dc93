"""``placement="system"`` through google-genai's own arguments: the prompt lies in ``config``."""

from __future__ import annotations

import asyncio
import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest

from memory_injection import MemoryManager, wrap
from memory_injection.testing import FakeStore
from memory_injection.testing.server import RecordingServer, Reply, ToolCall

genai = pytest.importorskip("google.genai")
types = pytest.importorskip("google.genai.types")

# The SDK subclasses aiohttp's session.
pytestmark = pytest.mark.filterwarnings("ignore:Inheritance class:DeprecationWarning")

ASK = "What is the cat called?"
BLOCK = '<memory>\n<entry source="notes">The cat is called Pamuk.</entry>\n</memory>'
PROMPTS = {
    "text": "be brief",
    "content": types.Content(parts=[types.Part(text="be"), types.Part(text="brief")]),
    "content with a role": types.Content(role="system", parts=[types.Part(text="be brief")]),
    "part": types.Part(text="be brief"),
    "texts": ["be", "brief"],
    "parts": [types.Part(text="be"), types.Part(text="brief")],
    "dict": {"parts": [{"text": "be brief"}]},
    "dict of a part": {"text": "be brief"},
    "dicts": [{"text": "be"}, {"text": "brief"}],
}


def client_of(server: RecordingServer) -> Any:
    return genai.Client(api_key="k", http_options=types.HttpOptions(base_url=server.url))


@pytest.fixture
def notes() -> Iterator[MemoryManager]:
    store = FakeStore(["The cat is called Pamuk."], name="notes")
    with MemoryManager([store], injection={"placement": "system"}) as memory:
        yield memory


def sent(config: Any, memory: MemoryManager | None = None) -> Any:
    """Make one call; return its body."""
    with RecordingServer(["Pamuk"]) as server:
        client = client_of(server) if memory is None else wrap(client_of(server), memory)
        given = {} if config is None else {"config": config}
        client.models.generate_content(model="g", contents=ASK, **given)
        return server.bodies[0]


@pytest.mark.parametrize(
    ("config", "before"),
    [
        (None, ""),
        ({"system_instruction": "be brief"}, "be brief\n\n"),
        ({"systemInstruction": "be brief"}, "be brief\n\n"),
        (types.GenerateContentConfig(system_instruction="be brief"), "be brief\n\n"),
        (types.GenerateContentConfig(temperature=0.5), ""),
    ],
)
def test_the_system_prompt_carries_memory(config: Any, before: str, notes: MemoryManager) -> None:
    """A prompt that is a text, or none, becomes one text."""
    body = sent(config, notes)
    assert body["systemInstruction"]["parts"] == [{"text": before + BLOCK}]
    assert [part["text"] for part in body["contents"][0]["parts"]] == [ASK]


@pytest.mark.parametrize("form", sorted(set(PROMPTS) - {"text"}))
@pytest.mark.parametrize("typed", [False, True])
def test_a_prompt_of_parts_gets_one_more(form: str, typed: bool, notes: MemoryManager) -> None:
    """The rest of the body is the bare client's, and the caller's own is not changed."""
    prompt = copy.deepcopy(PROMPTS[form])
    config: Any = {"system_instruction": prompt}
    config = types.GenerateContentConfig(**config) if typed else config
    before = copy.deepcopy(config)
    body, bare = sent(config, notes), sent(before)
    assert body["systemInstruction"]["parts"].pop() == {"text": BLOCK}
    assert body == bare
    assert config == before


# A tool loop: the SDK calls the functions, and the model again


def garden(city: str) -> str:
    """Say how the garden is."""
    return f"dry in {city}"


LOOP = [
    Reply("Let me see the soil.", tool_calls=(ToolCall("garden", {"city": "Bursa"}),)),
    Reply("And the water.", tool_calls=(ToolCall("garden", {"city": "Bursa"}),)),
    "Water it.",
]


def looped(client: Any, way: str, config: Any) -> None:
    """Run one ask with automatic function calling."""
    asked = {"model": "g", "contents": "How is the garden?", "config": config}

    async def soon() -> None:
        async with client.aio as aio:
            await aio.models.generate_content(**asked)

    with client:
        if way == "sync":
            client.models.generate_content(**asked)
        elif way == "stream":
            list(client.models.generate_content_stream(**asked))
        elif way == "chat":
            client.chats.create(model="g", config=config).send_message(asked["contents"])
        else:
            asyncio.run(soon())


def spoken(body: Any) -> list[str]:
    """Return the texts of the body's contents."""
    return [p["text"] for content in body["contents"] for p in content["parts"] if "text" in p]


@pytest.mark.parametrize("way", ["sync", "stream", "chat", "async"])
@pytest.mark.parametrize("form", sorted(PROMPTS))
def test_every_step_of_a_tool_loop_has_the_prompt_and_what_was_found(way: str, form: str) -> None:
    """Blocks of the turn add up at the end of the prompt, and never in the contents."""
    store = FakeStore(lambda query, options: [f"on <{query}>"], name="notes")
    config = types.GenerateContentConfig(
        system_instruction=copy.deepcopy(PROMPTS[form]), tools=[garden]
    )
    before = copy.deepcopy(config.system_instruction)
    injection = {"placement": "system", "trigger": "everyTurn"}
    with MemoryManager([store], injection=injection) as memory, RecordingServer(LOOP) as server:
        looped(wrap(client_of(server), memory), way, config)
        bodies = server.bodies
    with RecordingServer(LOOP) as server:
        looped(client_of(server), way, config)
        bare = server.bodies
    asks = [spoken(body)[-1].strip() for body in bare]
    assert [body["contents"] for body in bodies] == [body["contents"] for body in bare]
    for number, body in enumerate(bodies, 1):
        said = "\n\n".join(part["text"] for part in body["systemInstruction"]["parts"])
        own = "\n\n".join(part["text"] for part in bare[0]["systemInstruction"]["parts"])
        blocks = [
            f'<memory>\n<entry source="notes">on &lt;{a}&gt;</entry>\n</memory>' for a in asks
        ]
        assert said == f"{own}\n\n" + "\n".join(blocks[:number])
    assert len(bodies) == len(bare) == 3
    assert config.system_instruction == before


def words(text: str) -> int:
    """Count a token for a word: figures that do not depend on what is installed."""
    return len(text.split())


def test_blocks_of_earlier_turns_leave_a_tool_loop_that_fills_the_window() -> None:
    """A request that the model refuses for its length has no use of a cached prefix."""

    def long(city: str) -> str:
        """Say all about the garden."""
        return "soil " * 270

    numbers = iter(range(100))
    store = FakeStore(lambda query, options: [f"fact {next(numbers)} " + "dry " * 30], name="notes")
    replies = ["Fine."] * 5 + [Reply(tool_calls=(ToolCall("long", {"city": "x"}),)), "Done."]
    config = types.GenerateContentConfig(tools=[long])
    limits = {"context_window": 800, "reserve": 0, "trigger": "everyTurn", "min_relevance": None}
    with (
        MemoryManager([store], injection=limits, counter=words) as memory,
        RecordingServer(replies) as server,
    ):
        client = wrap(client_of(server), memory)
        chat = client.chats.create(model="g", config=config)
        for number in range(6):
            chat.send_message(f"Tell me about bed {number}")
        *_, ask, step = server.bodies
    assert ["".join(spoken(ask)).count(f"fact {number} ") for number in range(6)] == [1] * 6
    assert "fact 0 " not in "".join(spoken(step))
    assert "fact 5 " in "".join(spoken(step))
    assert words(json.dumps(step["contents"])) <= 800
