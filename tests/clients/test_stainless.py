from __future__ import annotations

import copy
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import pytest

from memory_injection.clients import wrap
from memory_injection.clients.openai import CHAT, RESPONSES
from memory_injection.clients.replies import Draft

ASK = [{"role": "user", "content": "Where?"}]
REPLY = {"choices": [{"message": {"role": "assistant", "content": "Here."}}]}


class Resource:
    """What the SDKs made in ``__init__`` before they made it on first use."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._post = client.post

    def create(self, **body: Any) -> Any:
        return self._post("/chat/completions", body)


class RawView:
    def __init__(self, client: Any) -> None:
        self.chat = client.chat


class EarlyClient:
    """A client of the inner shape that early versions of the SDKs had."""

    def __init__(self, reply: Any = REPLY) -> None:
        self.reply = reply
        self.sent: list[Any] = []
        self.chat = Resource(self)
        self.with_raw_response = RawView(self)

    def post(self, url: str, body: Any, method: str = "post") -> Any:
        options = SimpleNamespace(method=method, url=url, json_data=body, extra_json=None)
        return self.request(object, options)

    def request(self, cast_to: Any, options: Any) -> Any:
        self.sent.append(options.json_data)
        return self.reply

    def copy(self) -> EarlyClient:
        return type(self)()


class AsyncEarlyClient(EarlyClient):
    async def request(self, cast_to: Any, options: Any) -> Any:
        return super().request(cast_to, options)


for kind in (EarlyClient, AsyncEarlyClient):
    kind.__module__ = "openai._client"


def remembered(client: Any) -> list[bool]:
    return ["<memory>" in str(body) for body in client.sent]


def test_resources_made_with_the_client_are_made_anew(fake_memory: Any) -> None:
    """The copy's resources post through the copy, the original's through the original."""
    bare = EarlyClient()
    wrapped = wrap(bare, fake_memory())
    wrapped.chat.create(messages=ASK)
    wrapped.with_raw_response.chat.create(messages=ASK)
    bare.chat.create(messages=ASK)
    bare.with_raw_response.chat.create(messages=ASK)
    assert remembered(bare) == [True, True, False, False]


async def test_an_async_request_is_awaited_and_other_paths_pass(fake_memory: Any) -> None:
    """Only a POST of a known path is touched; everything else passes as it came."""
    bare = AsyncEarlyClient()
    wrapped = wrap(bare, fake_memory())
    await wrapped.chat.create(messages=ASK)
    await wrapped.post("/embeddings", {"input": "x"})
    await wrapped.post("/chat/completions", None, method="get")
    await wrapped.post("/chat/completions", b"raw bytes")
    assert remembered(bare) == [True, False, False, False]


def test_a_patch_on_the_instance_stays_in_the_way(fake_memory: Any) -> None:
    """Another library's patch of this one client still runs, below memory."""
    bare = EarlyClient()
    seen: list[Any] = []
    inner = bare.request

    def patched(cast_to: Any, options: Any) -> Any:
        seen.append(options.json_data)
        return inner(cast_to, options)

    bare.request = patched  # type: ignore[method-assign]
    wrapped = wrap(wrap(bare, fake_memory()), fake_memory())
    wrapped.chat.create(messages=ASK)
    assert [str(body).count("<memory>") for body in seen] == [1]
    assert bare.request is patched


class Unreadable:
    """A reply that falls apart when it is looked at."""

    @property
    def _iterator(self) -> Any:
        raise RuntimeError("do not look")


@pytest.mark.parametrize("reply", [Unreadable(), None, 7, "text", {"choices": []}, object()])
def test_a_reply_that_cannot_be_read_is_the_callers_all_the_same(
    reply: Any, fake_memory: Any
) -> None:
    """Whatever comes back is handed on untouched, and is no turn."""
    memory = fake_memory(captures=True)
    bare = EarlyClient(reply)
    assert wrap(bare, memory).chat.create(messages=ASK) is reply
    assert memory.turns == []


def test_the_callers_options_are_not_changed(fake_memory: Any) -> None:
    """Options and bodies given in are as they were; only what changed is new."""
    bare = EarlyClient()
    body = {"messages": copy.deepcopy(ASK), "tools": [{"name": "look"}]}
    wrap(bare, fake_memory()).post("/v1/chat/completions?beta=true", body)
    assert body == {"messages": ASK, "tools": [{"name": "look"}]}
    assert remembered(bare) == [True]
    assert bare.sent[0]["tools"] is body["tools"]


def message_of(into: Any, *given: Mapping[str, Any]) -> Any:
    draft = Draft()
    for one in given:
        into(draft, one)
    return draft.message()


def test_custom_tools_and_first_choices_are_read() -> None:
    """A custom tool's input is its arguments; of several choices the first is what was said."""
    custom = {"id": "c1", "type": "custom", "custom": {"name": "run", "input": "print(1)"}}
    whole = {"choices": [{"message": {"content": None, "tool_calls": [custom]}}]}
    called = message_of(CHAT.whole, whole)["tool_calls"][0]
    assert (called["id"], called["function"]) == ("c1", {"name": "run", "arguments": "print(1)"})
    chunk = {
        "choices": [
            {"index": 0, "delta": {"content": "this"}},
            {"index": 1, "delta": {"content": "that"}},
        ]
    }
    assert message_of(CHAT.event, chunk)["content"] == "this"
    item = {"type": "custom_tool_call", "call_id": "c2", "name": "run", "input": "ls"}
    (read,) = message_of(RESPONSES.whole, {"output": [{"type": "reasoning"}, item]})["tool_calls"]
    assert (read["id"], read["function"]["arguments"]) == ("c2", "ls")
