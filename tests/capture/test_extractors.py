"""The ready extractor: what it asks, what it reads, what it survives."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_injection.capture import Capture, ModelExtractor
from memory_injection.capture.parsing import facts_in
from memory_injection.driving import run_now
from memory_injection.errors import ConfigurationError
from memory_injection.testing.server import RecordingServer, Reply

from .fakes import Notes, quick, user

SAID = [
    {"role": "user", "content": "Ben Ayşe, İzmir'de yaşıyorum."},
    {"role": "assistant", "content": "Merhaba Ayşe!"},
]


class Chat:
    """A sync OpenAI-style client with scripted replies; keeps what it was asked."""

    def __init__(self, *replies: Any) -> None:
        self.asked: list[dict[str, Any]] = []
        self._replies = list(replies)
        self.chat = SimpleNamespace(completions=SimpleNamespace(create=self.create))

    def create(self, **asked: Any) -> Any:
        self.asked.append(asked)
        reply = self._replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        message = SimpleNamespace(role="assistant", content=reply, tool_calls=None)
        return SimpleNamespace(choices=[SimpleNamespace(message=message)])


class AsyncChat(Chat):
    """The same, async."""

    async def create(self, **asked: Any) -> Any:  # type: ignore[override]
        return super().create(**asked)


@pytest.fixture(params=[Chat, AsyncChat])
def chat(request: pytest.FixtureRequest) -> Any:
    return request.param


def extracted(extractor: ModelExtractor, messages: Any = SAID) -> Any:
    """Run an extractor the way capture does: sync or async, off the event loop."""
    return run_now(lambda: extractor(messages), 5, blocking=True).unwrap()


def test_facts_come_from_the_model(chat: Any) -> None:
    """The conversation goes out as data, the facts come back in the user's language."""
    client = chat('{"facts": ["Ayşe İzmir\'de yaşıyor."]}')
    assert extracted(ModelExtractor(client, "m")) == ["Ayşe İzmir'de yaşıyor."]
    asked = client.asked[0]
    assert asked["model"] == "m"
    system, told = asked["messages"]
    assert "language the user wrote it in" in system["content"]
    lines = [json.loads(line) for line in told["content"].splitlines()]
    assert lines[0] == {"role": "user", "said": "Ben Ayşe, İzmir'de yaşıyorum."}


@pytest.mark.parametrize(
    ("said", "facts"),
    [
        ('{"facts": ["a", "b"]}', ["a", "b"]),
        ('["a", "b"]', ["a", "b"]),
        ('Sure! Here you go:\n```json\n{"facts": ["a"]}\n```\nAnything else?', ["a"]),
        ('As noted in [1], the answer is {"facts": ["a"]}', ["a"]),
        ('<think>maybe ["x"]?</think>{"facts": ["a"]}', ["a"]),
        ('{"memories": [{"content": "a"}, {"fact": "b"}, {"text": ""}]}', ["a", "b"]),
        ('{"facts": ["a", 7, null, " b "]}', ["a", "b"]),
        ('{"facts": ["a", "b", "cut off he', ["a", "b"]),
        ('{"facts": [{"content": "a"}, {"content": "cut', ["a"]),
        ('{"facts": []}', []),
        ("[]", []),
        ("Nothing to keep: {}\n[]", []),
    ],
)
def test_json_is_found_in_whatever_stands_around_it(said: str, facts: list[str]) -> None:
    """Prose, fences, thoughts, other keys and a cut-off end do not hide the facts."""
    assert facts_in(said) == facts


@pytest.mark.parametrize(
    "said",
    ["", "I cannot help with that.", "{", "[1, 2]", '{"facts": "a"}', '{"facts": [', "[" * 9999],
)
def test_what_holds_no_facts_is_told_apart(said: str) -> None:
    """Refusals, broken JSON and other JSON are no answer, which is not the same as no facts."""
    assert facts_in(said) is None


@given(st.text())
def test_no_reply_breaks_the_reader(said: str) -> None:
    """Whatever a model writes, reading it gives facts, none, or nothing readable."""
    facts = facts_in(said)
    assert facts is None or all(fact.strip() == fact for fact in facts)


@given(st.lists(st.text(min_size=1).map(str.strip).filter(bool), min_size=1), st.text("ab.\n"))
def test_facts_survive_any_prose_around_them(facts: list[str], prose: str) -> None:
    """What was listed is what is read, each once and in order."""
    assert facts_in(f"{prose}{json.dumps({'facts': facts})}{prose}") == facts


@pytest.mark.parametrize("said", ["[", '{"a":', "<think>", '[{"fact": "x"},'])
def test_a_reply_that_goes_in_circles_takes_no_time(said: str) -> None:
    """A model that repeats itself up to its length limit does not hold up the store's lane."""
    started = time.perf_counter()
    facts_in(said * 20_000)
    assert time.perf_counter() - started < 2.0


def test_an_unreadable_reply_is_asked_for_again_once(
    chat: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """Prose is answered with the form once more; what is still prose yields nothing, logged."""
    client = chat("Ayşe lives in İzmir.", '["Ayşe lives in İzmir."]')
    assert extracted(ModelExtractor(client, "m")) == ["Ayşe lives in İzmir."]
    assert client.asked[1]["messages"][2]["content"] == "Ayşe lives in İzmir."
    stubborn = chat("No.", "Still no.")
    with caplog.at_level(logging.WARNING):
        assert extracted(ModelExtractor(stubborn, "m")) == []
    assert "held no JSON" in caplog.text
    assert "Still no" not in caplog.text


def test_an_empty_reply_yields_nothing(chat: Any) -> None:
    """A model that says nothing is not asked again."""
    client = chat(None)
    assert extracted(ModelExtractor(client, "m")) == []
    assert len(client.asked) == 1


def test_an_error_of_the_client_is_raised(chat: Any) -> None:
    """What the client raises comes out, so that the messages are tried again later."""
    with pytest.raises(ConnectionError):
        extracted(ModelExtractor(chat(ConnectionError("net")), "m"))


def test_a_client_that_runs_out_is_an_error_too() -> None:
    """What ends iterators must not read as "nothing to remember", or the turn would be lost."""
    empty: Any = iter(())
    with pytest.raises(StopIteration):
        extracted(ModelExtractor(lambda prompt: next(empty)))


def test_half_a_character_does_not_hold_up_the_others() -> None:
    """Whatever was said can be sent: a client that fails on it would fail at every retry."""

    def client(prompt: Any) -> str:
        json.dumps(prompt, ensure_ascii=False).encode("utf-8")
        return '["a"]'

    messages = [{"role": "user", "content": "Caf\ud800 is my place"}]
    assert extracted(ModelExtractor(client), messages) == ["a"]


def test_long_conversations_are_split_and_facts_capped(chat: Any) -> None:
    """No request carries more than max_chars of conversation, and no fact comes twice."""
    client = chat('["a", "b", "c"]', '["b", "d"]', '["e"]')
    extractor = ModelExtractor(client, "m", max_chars=10, max_facts=2)
    messages = [{"role": "user", "content": text} for text in ("12345678", "1234", "x" * 99)]
    assert extracted(extractor, messages) == ["a", "b", "d", "e"]
    told = [json.loads(asked["messages"][1]["content"])["said"] for asked in client.asked]
    assert told == ["12345678", "1234", "x" * 10]


def test_a_function_may_stand_for_the_client() -> None:
    """A function from chat messages to text is enough; options go to create."""
    assert extracted(ModelExtractor(lambda prompt: '["a"]')) == ["a"]
    client = Chat('["a"]')
    extracted(ModelExtractor(client, "m", options={"temperature": 0}, instructions="Be terse."))
    assert client.asked[0]["temperature"] == 0
    assert client.asked[0]["messages"][0]["content"] == "Be terse."


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((object(), "m"), "client must have chat.completions.create"),
        ((Chat(),), "must name a model"),
        ((Chat(), " "), "must name a model"),
    ],
)
def test_a_wrong_extractor_fails_when_built(arguments: Any, message: str) -> None:
    """No client or no model is a programming mistake."""
    with pytest.raises(ConfigurationError, match=message):
        ModelExtractor(*arguments)


@pytest.fixture
def server() -> Iterator[RecordingServer]:
    with RecordingServer([Reply(status=500), Reply('{"facts": ["Anna likes tea."]}')]) as started:
        yield started


@pytest.mark.parametrize("is_async", [False, True])
def test_the_real_client_extracts_in_the_background(
    server: RecordingServer, is_async: bool
) -> None:
    """With openai's own clients, a failing server is tried again until the fact is stored."""
    openai = pytest.importorskip("openai")
    kind = openai.AsyncOpenAI if is_async else openai.OpenAI
    client = kind(base_url=f"{server.url}/v1", api_key="k", max_retries=0)
    notes = Notes(quick(extractor=ModelExtractor(client, "m")))
    capture = Capture([notes])
    capture.capture_turn(messages=[user("I like tea. Anna")], reply="ok")
    assert capture.close(10)
    closing = client.close()
    if is_async:
        run_now(lambda: closing, 5).unwrap()
    assert notes.texts == ["Anna likes tea."]
    assert capture.status().stores[0].failures == 1
