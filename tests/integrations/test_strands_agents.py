"""Strands agents with our plugin, against the bare agent on the same local server."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Iterator
from typing import Any

import pytest

from memory_injection import ConfigurationError, MemoryManager, Scope
from memory_injection.integrations.strands_agents import MemoryPlugin, StrandsStore
from memory_injection.stores import InMemoryStore
from memory_injection.testing import AsyncFakeStore, FakeStore
from memory_injection.testing.server import RecordingServer, Reply, ToolCall

from .diary import ASK, REPLIES, Diary, block, manager

strands = pytest.importorskip("strands")
boto3 = pytest.importorskip("boto3")
memory_of_strands = pytest.importorskip("strands.memory")

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # Strands' and botocore's


@pytest.fixture
def server() -> Iterator[RecordingServer]:
    with RecordingServer(REPLIES) as made:
        yield made


def weather(city: str) -> str:
    """Say what the weather will be."""
    return f"rain in {city}"


def agent(server: RecordingServer, *plugins: Any, **options: Any) -> Any:
    from strands.models import BedrockModel

    session = boto3.Session("any", "any", region_name="us-east-1")
    return strands.Agent(
        model=BedrockModel(boto_session=session, endpoint_url=server.url, model_id="claude"),
        tools=[strands.tool(weather)],
        plugins=list(plugins),
        callback_handler=None,
        **options,
    )


def run(server: RecordingServer, *plugins: Any, **options: Any) -> list[Any]:
    agent(server, *plugins)(ASK, **options)
    return [body["messages"] for body in server.bodies]


def texts(requests: list[Any]) -> list[str]:
    return [request[0]["content"][-1]["text"] for request in requests]


def test_both_calls_of_a_turn_carry_the_same_block(server: RecordingServer) -> None:
    """The block stands in the user's message, before and after the tool; recall happens once."""
    diary = Diary()
    with manager(diary) as memory:
        requests = run(server, MemoryPlugin(memory, scope={"user": "deniz"}))
    assert texts(requests) == [block("deniz")] * 2
    assert diary.asked == [Scope(user="deniz")]


def test_what_surrounds_the_block_is_the_bare_agents(server: RecordingServer) -> None:
    """Without the block, the requests are those of an agent without memory."""
    with manager(Diary()) as memory:
        requests = run(server, MemoryPlugin(memory, scope={"user": "deniz"}))
    with RecordingServer(REPLIES) as other:
        bare = run(other)
    for request in requests:
        del request[0]["content"][-1]
    assert requests == bare


PROMPTS = {
    "none": None,
    "text": "Be brief.",
    "blocks": [{"text": "Be brief."}, {"cachePoint": {"type": "default"}}],
}


@pytest.mark.parametrize("form", sorted(PROMPTS))
def test_the_system_prompt_carries_the_block(server: RecordingServer, form: str) -> None:
    """With ``placement="system"``, at its end, in both calls; the agent's own stays as it was."""
    prompt = copy.deepcopy(PROMPTS[form])
    with manager(Diary(), placement="system") as memory:
        made = agent(server, MemoryPlugin(memory, scope={"user": "deniz"}), system_prompt=prompt)
        kept = copy.deepcopy((made.system_prompt, made.system_prompt_content))
        made(ASK)
        assert (made.system_prompt, made.system_prompt_content) == kept
    with RecordingServer(REPLIES) as other:
        agent(other, system_prompt=copy.deepcopy(PROMPTS[form]))(ASK)
    assert [b["messages"] for b in server.bodies] == [b["messages"] for b in other.bodies]
    expected = [*other.bodies[0].get("system", []), {"text": block("deniz")}]
    assert [body["system"] for body in server.bodies] == [expected] * 2


def test_every_step_finds_something_for_the_system_prompt() -> None:
    """Under ``everyTurn`` the turn's blocks add up in it; the next turn begins anew."""
    store = FakeStore(lambda query, options: [f"on <{query}>"], name="notes")
    steps = [Reply("Let me look.", tool_calls=(ToolCall("weather", {"city": "Bergen"}),)), "Take."]
    injection = {"placement": "system", "trigger": "everyTurn", "follow_up": "off"}
    with (
        MemoryManager([store], injection=injection) as memory,
        RecordingServer([*steps, "Fine."]) as server,
    ):
        made = agent(server, MemoryPlugin(memory), system_prompt="Be brief.")
        made("Umbrella?")
        made("And boots?")
        systems = [[part["text"] for part in body["system"]] for body in server.bodies]
        said = str([body["messages"] for body in server.bodies])
    on = '<memory>\n<entry source="notes">on &lt;{}&gt;</entry>\n</memory>'.format
    assert systems == [
        ["Be brief.", on("Umbrella?")],
        ["Be brief.", f"{on('Umbrella?')}\n{on('Let me look.')}"],
        ["Be brief.", on("And boots?")],
    ]
    assert "<memory>" not in said


def test_blocks_of_earlier_turns_leave_a_loop_that_fills_the_window() -> None:
    """What a tool said takes the place of the oldest, and the turn's own block stays."""

    def almanac() -> str:
        """Read all of it."""
        return "rain " * 280

    numbers = iter(range(100))
    store = FakeStore(lambda query, options: [f"fact {next(numbers)}" + " dry" * 40], name="notes")
    limits = {"context_window": 900, "reserve": 0, "min_relevance": None}
    replies = ["Fine."] * 4 + [Reply(tool_calls=(ToolCall("almanac", {}),)), "Done."]
    with (
        MemoryManager([store], injection=limits, counter=lambda text: len(text.split())) as memory,
        RecordingServer(replies) as server,
    ):
        made = agent(server, MemoryPlugin(memory))
        made.tool_registry.register_tool(strands.tool(almanac))
        for number in range(5):
            made(f"Tell me about day {number}")
        *_, ask, step = server.bodies
    assert [f"fact {number} " in str(ask) for number in range(5)] == [True] * 5
    assert "fact 0 " not in str(step)
    assert "fact 4 " in str(step)


@pytest.mark.parametrize("trouble", ["store", "scope"])
def test_trouble_in_memory_leaves_the_call_alone(server: RecordingServer, trouble: str) -> None:
    """A store or a scope function that raises: the requests are the bare agent's."""

    def scope(call: Any) -> Any:
        return {"user": call.invocation_state["nobody said"]} if trouble == "scope" else None

    with manager(Diary(fails=trouble == "store")) as memory:
        requests = run(server, MemoryPlugin(memory, scope=scope))
    with RecordingServer(REPLIES) as other:
        assert requests == run(other)


def test_the_scope_around_a_run_is_laid_over_the_plugins(server: RecordingServer) -> None:
    """``memory.scope`` reaches the model call through Strands' own threads."""
    with manager(Diary()) as memory, memory.scope(user="ada"):
        requests = run(server, MemoryPlugin(memory, scope={"user": "deniz"}))
    assert texts(requests) == [block("ada")] * 2


def test_a_run_tells_whose_memory(server: RecordingServer) -> None:
    """A scope function reads what was given to the run."""
    with manager(Diary()) as memory:
        plugin = MemoryPlugin(memory, scope=lambda call: call.invocation_state["whose"])
        requests = run(server, plugin, invocation_state={"whose": {"user": "ada"}})
    assert texts(requests) == [block("ada")] * 2


def test_a_turn_is_learned_once(server: RecordingServer) -> None:
    """Both model calls are one turn: the ask, free of the block, and the final answer."""
    diary = Diary()
    with manager(diary) as memory:
        run(server, MemoryPlugin(memory, scope={"user": "deniz"}))
        assert memory.flush(20)
    assert diary.told == [("user", ASK), ("assistant", "Take it.")]


def test_the_plugin_needs_a_manager() -> None:
    """Anything else is refused at construction."""
    with pytest.raises(ConfigurationError, match="MemoryManager"):
        MemoryPlugin(Diary())


@pytest.mark.parametrize("store", [FakeStore(["red"]), AsyncFakeStore(["red"])])
def test_our_stores_serve_their_manager(store: Any) -> None:
    """Sync and async stores are awaited alike; name, score and scope come through."""

    async def use() -> Any:
        adapted = StrandsStore(store, scope={"user": "deniz"}, description="colours")
        theirs = memory_of_strands.MemoryManager(stores=[adapted])
        return await theirs.search("Which colour?")

    (found,) = asyncio.run(use())
    assert (found.content, found.store_name) == ("red", "fake")
    assert store.options[-1]["scope"] == Scope(user="deniz")


def test_what_their_manager_adds_is_the_users_own() -> None:
    """An ``add`` through Strands is written for the scope of the store."""
    store = InMemoryStore("notes")
    theirs = memory_of_strands.MemoryManager(stores=[StrandsStore(store, scope={"user": "ada"})])
    asyncio.run(theirs.add("Ada likes green."))
    with MemoryManager([store]) as memory:
        assert [entry.content for entry in memory.search("green", scope=Scope(user="ada"))]
        assert memory.search("green", scope=Scope(user="deniz")) == []


def test_a_failing_store_of_ours_is_isolated_by_theirs() -> None:
    """Their manager goes on with its other stores."""

    def fail(query: str, options: Any) -> Any:
        raise OSError("gone")

    theirs = memory_of_strands.MemoryManager(
        stores=[StrandsStore(FakeStore(fail, name="bad")), StrandsStore(FakeStore(["good"]))]
    )
    found = asyncio.run(theirs.search("anything"))
    assert [entry.content for entry in found] == ["good"]


async def test_their_own_stores_pass_through_our_manager(tmp_path: Any) -> None:
    """The SDK's file store and test store are written to and searched as they are."""
    from strands.storage import LocalFileStorage
    from strands.vended_memory_stores.file_memory_store import FileMemoryStore
    from strands.vended_memory_stores.test_memory_store import TestMemoryStore

    stores = [
        FileMemoryStore(name="files", writable=True, storage=LocalFileStorage(str(tmp_path))),
        TestMemoryStore(name="test", path=str(tmp_path / "test.json")),
    ]
    async with MemoryManager(stores) as memory:
        await memory.aadd("The spare key hangs behind the blue clock.")
        ask = {"role": "user", "content": "Where does the spare key hang?"}
        result = await memory.ainject([ask])
    assert {report.name: report.hits for report in result.report.stores} == {"files": 1, "test": 1}
    assert "blue clock" in result.messages[0]["content"]
