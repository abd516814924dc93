from __future__ import annotations

import logging
import os
import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from memory_injection.clients.binding import Binding, bind, settled
from memory_injection.clients.calls import remembering
from memory_injection.clients.replies import Api, Draft
from memory_injection.config import InjectionConfig
from memory_injection.records import Scope

ECHO = Api("openai.chat", lambda draft, whole: draft.say(whole), lambda draft, e: draft.say(e))
BODY = {"messages": [{"role": "user", "content": "secret words"}]}


async def test_what_memory_raises_is_logged_without_the_words(
    fake_memory: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """A failing manager leaves the body as it is, sync and async, and tells the log its kind."""
    binding = bind(fake_memory(fails=True), None)
    with caplog.at_level(logging.WARNING):
        assert binding.inject(BODY, "openai.chat") is BODY
        assert await binding.ainject(BODY, "openai.chat") is BODY
    assert [record.levelname for record in caplog.records] == ["WARNING", "WARNING"]
    assert "RuntimeError" in caplog.text
    assert "secret" not in caplog.text


@pytest.mark.parametrize("rubbish", [None, "text", 7, [BODY]])
async def test_a_request_that_is_no_mapping_is_not_sent(rubbish: Any) -> None:
    """Whatever a manager returns, what goes out is a body."""
    result = SimpleNamespace(request=rubbish, report=SimpleNamespace(status="injected"))

    async def later(*_: Any, **__: Any) -> Any:
        return result

    memory = SimpleNamespace(inject_request=lambda *_, **__: result, ainject_request=later)
    binding = Binding(memory, Scope())
    assert binding.inject(BODY, "openai.chat") is BODY
    assert await binding.ainject(BODY, "openai.chat") is BODY


def test_a_failing_capture_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    """Nothing that capture raises reaches the caller."""

    def capture_turn(**_: Any) -> None:
        raise RuntimeError("full")

    memory = SimpleNamespace(capture_turn=capture_turn)
    with caplog.at_level(logging.WARNING):
        Binding(memory, Scope()).capture(BODY, {"role": "assistant"}, "openai.chat")
    assert "not captured" in caplog.text


@pytest.mark.parametrize(
    "body",
    [BODY, {"input": "text"}, {"contents": "text"}, {"messages": object()}, {"messages": None},
     {"input": b"bytes"}, {"model": "m"}],
)  # fmt: skip
def test_what_can_be_read_twice_stays_what_it_is(body: Any) -> None:
    """Lists and texts, and whatever is no conversation, are passed on as they are."""
    assert settled(body) is body


def test_other_series_of_messages_become_lists() -> None:
    """A generator, a tuple, the values of a dict: read once, sent from a list."""
    messages = BODY["messages"]
    for series in (iter(messages), tuple(messages), dict(enumerate(messages)).values()):
        assert settled({"messages": series, "n": 1}) == {**BODY, "n": 1}


def test_one_content_alone_is_a_list_of_it() -> None:
    """google-genai takes a dict or a content object where others take a list."""
    content = {"role": "user", "parts": [{"text": "hi"}]}
    assert settled({"contents": content}) == {"contents": [content]}
    entry = InjectionConfig()
    assert settled({"contents": entry})["contents"] == [entry]


def test_wraps_of_one_provider_share_a_manager() -> None:
    """So that what was written for one wrapped client is known to the next."""
    provider = SimpleNamespace(get_context=lambda text: None)
    first, second = bind(provider, None), bind(provider, {"user": "u"})
    assert first.memory is second.memory
    other = bind(SimpleNamespace(get_context=lambda text: None), None)
    assert other.memory is not first.memory


PROGRAM = """
import time
from types import SimpleNamespace
from memory_injection.clients.binding import bind

def observe(role, text):
    time.sleep(0.1)
    print(role, text, flush=True)

binding = bind(SimpleNamespace(observe=observe), None)
body = {"messages": [{"role": "user", "content": "Last words."}]}
binding.capture(body, {"role": "assistant", "content": "Noted."}, "openai.chat")
"""


def test_what_was_said_last_is_observed_before_the_program_ends() -> None:
    """Nobody but the wrapper holds a provider's manager, so it is flushed at exit."""
    path = os.pathsep.join(p for p in sys.path if p)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path}, timeout=60,
    )  # fmt: skip
    assert done.stdout == "user Last words.\nassistant Noted.\n", done.stderr


def numbers(*args: Any, **kwargs: Any) -> Any:
    if args:
        raise TypeError("no positional arguments")
    yield from kwargs["messages"]


async def anumbers(*args: Any, **kwargs: Any) -> Any:
    for number in numbers(*args, **kwargs):
        yield number


async def one(*args: Any, **kwargs: Any) -> Any:
    return next(iter(numbers(*args, **kwargs)))


async def test_a_call_memory_cannot_read_is_left_to_the_sdk(fake_memory: Any) -> None:
    """Arguments the SDK itself would refuse go to it as they are, in every kind of call."""
    memory = fake_memory(captures=True)
    binding = bind(memory, None)
    with pytest.raises(TypeError, match="no positional"):
        list(remembering(numbers, binding, ECHO)(1))
    with pytest.raises(TypeError, match="no positional"):
        [_ async for _ in remembering(anumbers, binding, ECHO)(1)]
    with pytest.raises(TypeError, match="no positional"):
        await remembering(one, binding, ECHO)(1)
    assert (memory.seen, memory.turns) == ([], [])


async def test_an_async_generator_left_early_is_closed_and_captured(fake_memory: Any) -> None:
    """``aclose`` on what the caller holds reaches the SDK's own generator."""
    closed: list[bool] = []

    async def words(**_: Any) -> Any:
        try:
            for word in ("one", " two", " three"):
                yield word
        finally:
            closed.append(True)

    memory = fake_memory(captures=True)
    events = remembering(words, bind(memory, None), ECHO)(**BODY)
    assert [await anext(events), await anext(events)] == ["one", " two"]
    await events.aclose()
    assert closed == [True]
    assert [turn["reply"]["content"] for turn in memory.turns] == ["one two"]


def test_a_draft_without_words_or_calls_is_no_message() -> None:
    """Whatever is not text is passed over; arguments of an unknown call too."""
    draft = Draft()
    for nothing in (None, 7, ["x"], b"y"):
        draft.say(nothing)
    draft.argue("unknown", "{}")
    assert draft.message() is None
