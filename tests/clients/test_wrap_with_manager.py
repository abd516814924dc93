from __future__ import annotations

import asyncio
import json
import re
import threading
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import pytest

from memory_injection import MemoryEntry, MemoryManager, Scope, wrap
from memory_injection.errors import ConfigurationError
from memory_injection.testing.server import RecordingServer, Reply, ToolCall

openai = pytest.importorskip("openai")
anthropic = pytest.importorskip("anthropic")


class Notes:
    """One note per user, found whatever is asked."""

    name = "notes"

    def __init__(self) -> None:
        self.queries: list[str] = []

    def search(self, query: str, options: Any = None) -> list[MemoryEntry]:
        self.queries.append(query)
        user = options["scope"].user
        return [] if user is None else [MemoryEntry(f"<{user}> lives in İzmir", id=user)]


def openai_of(server: RecordingServer, kind: Any = openai.OpenAI) -> Any:
    return kind(base_url=f"{server.url}/v1", api_key="k", max_retries=0)


def ask(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def contents(body: Any) -> list[Any]:
    return [message.get("content") for message in body["messages"]]


BLOCK = '<memory>\n<entry source="notes">&lt;u&gt; lives in İzmir</entry>\n</memory>'


def test_a_tool_loop_and_the_next_turn_share_their_prefix(serve: Any) -> None:
    """One search a turn; the block stays in its message for every later call."""
    call = Reply(tool_calls=(ToolCall("weather"),))
    server, store = serve([call, "Sunny.", "Again sunny."]), Notes()
    with MemoryManager([store]) as memory, openai_of(server) as bare:
        client = wrap(bare, memory, scope={"user": "u"})
        history: list[Any] = [ask("What is the weather where I live?")]
        for _ in range(2):
            reply = client.chat.completions.create(model="gpt-4o", messages=history)
            message = reply.choices[0].message
            history.append(message)
            if message.tool_calls:
                tool = message.tool_calls[0]
                history.append({"role": "tool", "tool_call_id": tool.id, "content": "sun"})
        history.append(ask("And what about the weather tomorrow?"))
        client.chat.completions.create(model="gpt-4o", messages=history)
    assert len(store.queries) == 2
    first, second, third = (contents(body) for body in server.bodies)
    assert first == [f"What is the weather where I live?\n\n{BLOCK}"]
    assert second[0] == third[0] == first[0]
    assert third[: len(second)] == second
    assert "".join(map(str, third)).count("<memory>") == 1


def test_anthropic_and_responses_carry_the_same_block(serve: Any) -> None:
    """Each client speaks its own shape: a text part after the ask, or after the input text."""
    server = serve(["ok"])
    with (
        MemoryManager([Notes()]) as memory,
        anthropic.Anthropic(base_url=server.url, api_key="k", max_retries=0) as claude,
        openai_of(server) as bare,
    ):
        parts = [{"type": "text", "text": "Where do I live?"}]
        wrap(claude, memory, scope={"user": "u"}).messages.create(
            model="m", max_tokens=9, messages=[{"role": "user", "content": parts}]
        )
        wrap(bare, memory, scope={"user": "u"}).responses.create(model="m", input="Where do I live")
    assert server.bodies[0]["messages"][0]["content"] == [*parts, {"type": "text", "text": BLOCK}]
    assert server.bodies[1]["input"] == f"Where do I live\n\n{BLOCK}"


def test_the_scope_around_a_call_lies_over_the_clients(serve: Any) -> None:
    """``memory.scope`` names another user for the calls inside it, with_options copies too."""
    server = serve(["ok"])
    with MemoryManager([Notes()]) as memory, openai_of(server) as bare:
        client = wrap(bare, memory, scope=Scope(user="a")).with_options(timeout=5)
        for user in ("a", "b", None, "a"):
            if user == "b":
                with memory.scope(user="b"):
                    client.chat.completions.create(model="m", messages=[ask("Where do I live?")])
            else:
                caller = client if user else bare
                caller.chat.completions.create(model="m", messages=[ask("Where do I live?")])
    assert [users_in(body) for body in server.bodies] == [{"a"}, {"b"}, set(), {"a"}]


def users_in(body: Any) -> set[str]:
    return set(re.findall(r"&lt;(\w+)&gt;", json.dumps(body)))


@pytest.mark.parametrize(
    "rounds", [4, pytest.param(193, marks=pytest.mark.slow)], ids=["208", "10036"]
)
async def test_threads_and_tasks_do_not_mix_scopes(rounds: int, serve: Any) -> None:
    """Two threads and fifty tasks, each with its own scope, on one manager: 10,036 requests."""
    server = serve(["ok"])
    with MemoryManager([Notes()]) as memory, openai_of(server) as bare:
        async with openai_of(server, openai.AsyncOpenAI) as abare:
            client, aclient = wrap(bare, memory), wrap(abare, memory)

            def in_thread(user: str) -> None:
                for number in range(rounds):
                    with memory.scope(user=user):
                        client.chat.completions.create(
                            model="m", messages=[ask(f"{user}: where do I live, {number}?")]
                        )

            async def in_task(user: str) -> None:
                for number in range(rounds):
                    with memory.scope(user=user):
                        await aclient.chat.completions.create(
                            model="m", messages=[ask(f"{user}: where do I live, {number}?")]
                        )

            with ThreadPoolExecutor(2) as pool:
                threads = [pool.submit(in_thread, f"thread{n}") for n in range(2)]
                await asyncio.gather(*(in_task(f"task{n}") for n in range(50)))
                await asyncio.to_thread(lambda: [thread.result() for thread in threads])
    assert len(server.requests) == 52 * rounds
    for body in server.bodies:
        assert users_in(body) == {contents(body)[0].split(":")[0]}


def test_what_cannot_be_wrapped_is_named(serve: Any) -> None:
    """A wrong client, a wrong memory, a wrong scope: one clear line each, before any call."""
    with MemoryManager([Notes()]) as memory, openai_of(serve(["ok"])) as client:
        with pytest.raises(ConfigurationError, match=r"cannot wrap builtins.object: wrap knows"):
            wrap(object(), memory)
        with pytest.raises(ConfigurationError, match="cannot wrap the class OpenAI, only"):
            wrap(openai.OpenAI, memory)
        with pytest.raises(ConfigurationError, match=r"cannot wrap builtins.module: wrap knows"):
            wrap(openai, memory)
        with pytest.raises(ConfigurationError, match="must be a MemoryManager or have"):
            wrap(client, object())
        with pytest.raises(ConfigurationError, match="scope user must be a non-blank string"):
            wrap(client, memory, scope={"user": " "})
        with pytest.raises(ConfigurationError, match="unknown scope id 'tenant'"):
            wrap(client, memory, scope={"tenant": "x"})


def test_an_sdk_of_another_shape_is_refused() -> None:
    """A client without the inner method memory is put in by is named, not wrapped blindly."""
    kind = type("OpenAI", (), {"__module__": "openai._client"})
    with pytest.raises(ConfigurationError, match=r"openai\._client\.OpenAI: this version of"):
        wrap(kind(), SimpleNamespace(inject_request=None))


class Provider:
    def __init__(self) -> None:
        self.asked: list[str] = []
        self.told: list[tuple[str, str]] = []
        self.heard = threading.Event()

    def get_context(self, text: str, token_budget: int | None = None) -> Any:
        self.asked.append(text)
        return SimpleNamespace(context_text="Lives in İzmir.")

    async def observe(self, role: str, text: str) -> None:
        self.told.append((role, text))
        if role == "assistant":
            self.heard.set()


def turn_with_a_tool(client: Any, history: list[Any]) -> None:
    for _ in range(2):
        reply = client.chat.completions.create(model="m", messages=history)
        message = reply.choices[0].message
        history.append(message.model_dump(exclude_none=True))
        for tool in message.tool_calls or ():
            history.append({"role": "tool", "tool_call_id": tool.id, "content": "sun"})  # noqa: PERF401


def test_a_provider_is_asked_once_a_turn(serve: Any) -> None:
    """Recall once per user turn, reused through the tool loop, also on small talk."""
    server = serve([Reply(tool_calls=(ToolCall("weather"),)), "Sunny.", "Hello."])
    provider = Provider()
    with openai_of(server) as bare:
        client = wrap(bare, provider)
        turn_with_a_tool(client, [ask("Weather?")])
        wrap(bare, provider).chat.completions.create(model="m", messages=[ask("hi")])
    assert provider.asked == ["Weather?", "hi"]
    assert [str(contents(body)).count("Lives in İzmir.") for body in server.bodies] == [1, 1, 1]


@pytest.mark.parametrize("missing", ["get_context", "observe"])
def test_either_hook_may_be_missing(missing: str, serve: Any) -> None:
    """A provider that only recalls, or only observes, wraps and the call goes through."""
    server, provider = serve(["ok"]), Provider()
    hooks = {n: getattr(provider, n) for n in ("get_context", "observe") if n != missing}
    with openai_of(server) as bare:
        client = wrap(bare, SimpleNamespace(**hooks))
        assert client.chat.completions.create(model="m", messages=[ask("Where?")]).choices
    assert ("<memory>" in str(server.bodies[0])) is (missing == "observe")


@pytest.mark.parametrize("rubbish", [42, ["x"], {"context_text": 3}, RuntimeError("down")])
def test_a_provider_that_returns_rubbish_changes_nothing(rubbish: Any, serve: Any) -> None:
    """Whatever get_context returns or raises, the request goes out as it was written."""

    def get_context(text: str) -> Any:
        if isinstance(rubbish, Exception):
            raise rubbish
        return rubbish

    server = serve(["ok"])
    with openai_of(server) as bare:
        client = wrap(bare, SimpleNamespace(get_context=get_context))
        client.chat.completions.create(model="m", messages=[ask("Where?")])
    assert contents(server.bodies[0]) == ["Where?"]


@pytest.mark.parametrize("streamed", [False, True])
def test_a_provider_observes_a_turn_once(streamed: bool, serve: Any) -> None:
    """The user's text and the final answer, once, however many calls the turn took."""
    server = serve([Reply("One moment.", tool_calls=(ToolCall("weather"),)), "Sunny."])
    provider = Provider()
    with openai_of(server) as bare:
        client = wrap(bare, provider)
        history = [ask("Weather where I live?")]
        first = client.chat.completions.create(model="m", messages=history)
        history.append(first.choices[0].message.model_dump(exclude_none=True))
        call = first.choices[0].message.tool_calls[0]
        history.append({"role": "tool", "tool_call_id": call.id, "content": "sun"})
        if streamed:
            list(client.chat.completions.create(model="m", messages=history, stream=True))
        else:
            client.chat.completions.create(model="m", messages=history)
        assert provider.heard.wait(10)
    assert provider.told == [("user", "Weather where I live?"), ("assistant", "Sunny.")]


class Learner(Notes):
    """Keeps the turns it is handed, and for whom."""

    name = "learner"
    writable = True
    extraction = {"triggers": "everyTurn"}  # noqa: RUF012 - the shape stores carry

    def __init__(self) -> None:
        super().__init__()
        self.learned: list[tuple[str | None, list[str]]] = []

    def add_messages(self, messages: Any, context: Any = None) -> None:
        texts = [message["content"][0]["text"] for message in messages]
        self.learned.append((context.scope.user, texts))


async def test_a_turn_is_captured_for_the_scope_of_its_call(serve: Any) -> None:
    """Sync, async and streamed: what was said, without the block, for whoever was asking."""
    server, store = serve(["Noted."]), Learner()
    with MemoryManager([store]) as memory, openai_of(server) as bare:
        async with openai_of(server, openai.AsyncOpenAI) as abare:
            client = wrap(bare, memory, scope={"user": "a"})
            aclient = wrap(abare, memory, scope={"user": "c"})
            client.chat.completions.create(model="m", messages=[ask("I moved to Bursa.")])
            with memory.scope(user="b"):
                stream = client.chat.completions.create(
                    model="m", messages=[ask("I have a cat.")], stream=True
                )
            assert len(list(stream)) > 1  # read outside the block: the scope of the call counts
            await aclient.responses.create(model="m", input="I like tea.")
        assert await memory.aflush(10)
    assert sorted(store.learned) == [
        ("a", ["I moved to Bursa.", "Noted."]),
        ("b", ["I have a cat.", "Noted."]),
        ("c", ["I like tea.", "Noted."]),
    ]


@pytest.mark.parametrize("trouble", ["down", "nothing"])
def test_earlier_blocks_stay_where_a_turn_brings_nothing_new(serve: Any, trouble: str) -> None:
    """A store that fails or finds nothing costs its own block; the prefix is what it was."""
    server, store = serve(["One.", "Two.", "Three."]), Notes()
    search = store.search
    with MemoryManager([store]) as memory, openai_of(server) as bare:
        client = wrap(bare, memory, scope={"user": "u"})
        history: list[Any] = []
        for number in range(3):
            history.append(ask(f"Where do I live, question {number}?"))
            store.search = search if number == 0 else {"down": None, "nothing": _nothing}[trouble]
            client.chat.completions.create(model="gpt-4o", messages=history)
            history.append({"role": "assistant", "content": f"{number}."})
    first, second, third = (body["messages"] for body in server.bodies)
    assert BLOCK in first[0]["content"]
    assert second[:1] == first
    assert third[:3] == second


def _nothing(query: str, options: Any = None) -> list[MemoryEntry]:
    return []


def test_a_block_that_is_no_longer_carried_is_not_sent(serve: Any) -> None:
    """Under ``keep="call"`` an earlier block in the given history leaves, whatever is found."""
    server, store = serve(["One.", "Two."]), Notes()
    with MemoryManager([store], injection={"keep": "call"}) as memory, openai_of(server) as bare:
        kept = memory.inject([ask("Where do I live?")], scope={"user": "u"}).messages
        store.search = _nothing
        client = wrap(bare, memory, scope={"user": "u"})
        history = [*kept, {"role": "assistant", "content": "In İzmir."}, ask("And my sister?")]
        client.chat.completions.create(model="gpt-4o", messages=history)
    assert BLOCK in kept[0]["content"]
    assert contents(server.bodies[0]) == ["Where do I live?", "In İzmir.", "And my sister?"]
