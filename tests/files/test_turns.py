"""Turn capture: nothing unless asked for; each draft stands for itself."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from memory_injection.errors import InputError
from memory_injection.files import FileMemoryProvider, MemoryDraft, Turn, TurnOutcome, writer
from memory_injection.records import Scope

Provide = Callable[..., FileMemoryProvider]
TURN = {
    "input": "Please remember that I drink green tea.",
    "output": "Noted: green tea.",
    "messages": [{"role": "user", "content": "Please remember that I drink green tea."}],
    "scope": Scope(user="u1", session="s1", agent="a1", run="r1"),
}
OWNER = {"user": "u1", "agent": "a1"}


@pytest.fixture(params=["sync", "async"])
def end_turn(request: pytest.FixtureRequest) -> Callable[..., TurnOutcome]:
    """Call a provider's turn-end hook either way."""

    def call(provider: FileMemoryProvider, *args: Any, **turn: Any) -> TurnOutcome:
        if request.param == "sync":
            return provider.on_turn_end(*args, **turn)
        return asyncio.run(provider.aon_turn_end(*args, **turn))

    return call


EndTurn = Callable[..., TurnOutcome]


def test_without_an_extractor_nothing_is_ever_written(
    provider: FileMemoryProvider, end_turn: EndTurn
) -> None:
    """Turns and observations leave the disk as it was."""
    for _ in range(10):
        provider.on_turn_start(**TURN)
        assert end_turn(provider, **TURN) == TurnOutcome()
        provider.observe("user", "remember this")
        provider.observe("assistant", "noted")
    assert not provider.root.exists()


def test_a_draft_becomes_a_record_that_the_next_turn_finds(
    provide: Provide, end_turn: EndTurn
) -> None:
    """By recall and by ``memory_search``, with everything the draft said."""
    draft = {
        "title": "User preference",
        "content": "The user drinks green tea.",
        "kind": "turn-extraction",
        "scope": "project",
        "tags": ["preference"],
    }
    provider = provide(remember={"extract_turn": lambda turn: draft})
    (entry,) = end_turn(provider, **TURN).written
    assert (
        provider.search("tea", {"scope": Scope(user="u1", agent="a1", session="s2")})[0].id
        == entry.id
    )
    metadata = dict(entry.metadata or {})
    assert metadata.pop("path") == f"records/{entry.id}.md"
    assert metadata == {
        "title": "User preference",
        "kind": "turn-extraction",
        "scope": "project",
        "tags": ["preference"],
        "source": "turn_end",
        "session": "s1",
        "run": "r1",
    }
    assert entry.scope == Scope(user="u1", agent="a1")
    context = provider.get_context("What do I drink, tea?", scope=OWNER)
    assert context is not None
    assert "green tea" in context.context_text
    call = {
        "id": "c",
        "type": "function",
        "function": {"name": "memory_search", "arguments": '{"query": "tea"}'},
    }
    assert entry.id is not None
    assert entry.id in provider.get_tools(OWNER).call(call)["content"]
    assert provider.search("tea") == provider.search("tea", {"scope": Scope(user="u2")}) == []


@dataclass
class Duck:
    content: str
    title: str = "Duck"


async def _later(turn: Turn) -> list[str]:
    await asyncio.sleep(0)
    return [f"later {turn.input}"]


async def _stream(turn: Turn) -> AsyncIterator[str]:
    yield "first"
    yield "second"


def _generate(turn: Turn) -> Iterator[str]:
    yield "first"
    yield "second"


@pytest.mark.parametrize(
    ("extract", "contents"),
    [
        (lambda turn: None, []),
        (lambda turn: [], []),
        (lambda turn: "text", ["text"]),
        (lambda turn: MemoryDraft("draft", tags=("a",)), ["draft"]),
        (lambda turn: Duck("quack"), ["quack"]),
        (lambda turn: ({"content": "a"}, "b", Duck("c")), ["a", "b", "c"]),
        (lambda turn: {"content": "x", "tags": "a, b", "title": None, "kind": None}, ["x"]),
        (_generate, ["first", "second"]),
        (_later, [f"later {TURN['input']}"]),
        (_stream, ["first", "second"]),
        (lambda input, output: f"{input}|{output}", [f"{TURN['input']}|{TURN['output']}"]),
        (
            lambda *, scope, **rest: f"{scope.user} {sorted(rest)}",
            ["u1 ['input', 'messages', 'output']"],
        ),
        (lambda turn: turn["input"] + turn.output, [f"{TURN['input']}{TURN['output']}"]),
        (str, [f"{Turn.of(TURN)}"]),  # a callable that tells nothing of its parameters
        (lambda turn: dict(turn)["messages"][0]["content"], [TURN["input"]]),
    ],
)
def test_an_extractor_may_be_of_any_kind(
    provide: Provide, end_turn: EndTurn, extract: Callable[..., Any], contents: list[str]
) -> None:
    """Nothing, one draft or several; sync, async or a generator; one argument or named ones."""
    provider = provide(remember={"extract_turn": extract})
    outcome = end_turn(provider, **TURN)
    assert outcome.problems == ()
    assert len(outcome.written) == len(contents)
    for entry, content in zip(outcome.written, contents, strict=True):
        assert entry.content.endswith(content)


@pytest.mark.parametrize("bad", [{"title": "no content"}, "", {"content": 3}, 7, object(),
                                 {"content": "x", "colour": "red"}, {"content": "x\x00"},
                                 {"content": "x", "scope": {"usr": "u"}}])  # fmt: skip
def test_one_bad_draft_among_three_costs_only_itself(
    provide: Provide, end_turn: EndTurn, bad: object, caplog: pytest.LogCaptureFixture
) -> None:
    """The other two are written; the refusal is named and logged."""
    provider = provide(remember={"extract_turn": lambda turn: ["first zebra", bad, "third zebra"]})
    outcome = end_turn(provider, **TURN)
    assert [e.content for e in outcome.written] == ["first zebra", "third zebra"]
    assert not outcome.failed
    (problem,) = outcome.problems
    assert problem.startswith("InputError: ")
    assert any("draft_refused" in message for message in caplog.messages)
    assert len(provider.search("zebra", {"scope": Scope(**OWNER)})) == 2


class Unreadable:
    @property
    def content(self) -> str:
        raise RuntimeError("no")


def _with_one_unreadable(turn: Turn) -> list[Any]:
    return [Unreadable(), "zebra"]


def _number(turn: Turn) -> int:
    return 7


def _breaks_off(turn: Turn) -> Iterator[str]:
    yield "kept zebra"
    raise RuntimeError("half-way")


async def _breaks_off_late(turn: Turn) -> AsyncIterator[str]:
    yield "kept zebra"
    raise RuntimeError("half-way")


async def _fails(turn: Turn) -> None:
    raise RuntimeError("late")


@pytest.mark.parametrize(
    ("extract", "written"),
    [
        (lambda turn: 1 / 0, 0),
        (_fails, 0),
        (_with_one_unreadable, 1),
        (_breaks_off, 1),
        (_breaks_off_late, 1),
        (lambda: "no parameters", 0),
        (_number, 0),
    ],
)
def test_a_failing_extractor_costs_at_most_its_own_turn(
    provide: Provide, end_turn: EndTurn, extract: Callable[..., Any], written: int
) -> None:
    """The hook never raises for it; the outcome says what happened."""
    provider = provide(remember={"extract_turn": extract})
    outcome = end_turn(provider, **TURN)
    assert len(outcome.written) == written
    assert len(outcome.problems) == 1
    assert outcome.failed is (extract not in (_with_one_unreadable, _number))


def test_the_same_draft_again_is_known_already(provide: Provide, end_turn: EndTurn) -> None:
    """A turn delivered twice does not grow the folder; another user's equal one does."""
    provider = provide(remember={"extract_turn": lambda turn: "I drink tea"})
    assert len(end_turn(provider, **TURN).written) == 1
    assert end_turn(provider, **TURN) == TurnOutcome(known=1)
    assert len(end_turn(provider, input="x", scope={"user": "u2"}).written) == 1
    assert len(list((provider.root / "records").iterdir())) == 2


def test_a_draft_can_say_whom_it_is_for(provide: Provide, end_turn: EndTurn) -> None:
    """A Scope or a mapping decides; a label leaves it with the turn's user and agent."""
    drafts = [
        MemoryDraft("shared zebra", scope=Scope()),
        {"content": "agent zebra", "scope": {"agent": "a1"}},
        {"content": "user zebra", "scope": "user"},
    ]
    provider = provide(remember={"extract_turn": lambda turn: drafts})
    assert [e.scope for e in end_turn(provider, **TURN).written] == [
        None,
        Scope(agent="a1"),
        Scope(user="u1", agent="a1"),
    ]


@pytest.mark.parametrize("shape", ["mapping", "object", "turn"])
def test_a_turn_is_read_from_a_mapping_or_an_object(
    provide: Provide, end_turn: EndTurn, shape: str
) -> None:
    """Frameworks hand over what they have."""
    seen: list[Turn] = []
    provider = provide(remember={"extract_turn": lambda turn: seen.append(turn)})
    whole = Turn(**{**TURN, "messages": tuple(TURN["messages"])})  # type: ignore[arg-type]

    class Event:
        input, output = TURN["input"], TURN["output"]
        messages, scope = (
            TURN["messages"],
            {"user": "u1", "session": "s1", "agent": "a1", "run": "r1"},
        )

    end_turn(
        provider,
        {"mapping": {**TURN, "event": "turn_end"}, "object": Event(), "turn": whole}[shape],
    )
    assert seen == [whole]
    assert list(whole) == ["input", "output", "messages", "scope"]
    with pytest.raises(KeyError):
        whole["nothing"]


@pytest.mark.parametrize("turn", [{"input": 3}, {"inputs": "x"}, {"input": "x", "scope": "u1"}])
def test_a_wrong_turn_is_named(provider: FileMemoryProvider, end_turn: EndTurn, turn: Any) -> None:
    """A misspelt field is a mistake in the calling code."""
    with pytest.raises(InputError, match=r"turn|scope"):
        end_turn(provider, **turn)


def test_observations_make_a_turn_when_the_reply_comes(provide: Provide) -> None:
    """User text once, then the reply; each conversation by itself."""
    seen: list[Turn] = []
    provider = provide(remember={"extract_turn": lambda turn: seen.append(turn) or "zebra"})
    one, two = {"session": "1"}, {"session": "2"}
    assert provider.observe("user", "Hello", scope=one) is None
    assert provider.observe("user", "are you there?", scope=one) is None
    assert provider.observe("user", "Other", scope=two) is None
    outcome = provider.observe("assistant", "Yes", scope=one)
    assert outcome is not None
    assert len(outcome.written) == 1
    asyncio.run(provider.aobserve("assistant", "Two", scope=two))
    asyncio.run(provider.aobserve("user", "again", scope=two))
    provider.observe("assistant", "unasked", scope=one)
    assert [(t.input, t.output, t.scope.session) for t in seen] == [
        ("Hello\n\nare you there?", "Yes", "1"),
        ("Other", "Two", "2"),
        ("", "unasked", "1"),
    ]
    assert [m["role"] for m in seen[0].messages] == ["user", "assistant"]


@pytest.mark.parametrize(("role", "text"), [("system", "x"), (None, "x"), ("user", 3)])
def test_a_wrong_observation_is_named(provider: FileMemoryProvider, role: Any, text: Any) -> None:
    """Only the two roles, only texts."""
    with pytest.raises(InputError, match="must be"):
        provider.observe(role, text)


def test_users_that_never_get_a_reply_are_bounded(
    provide: Provide, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was heard and never answered does not add up."""
    monkeypatch.setattr("memory_injection.files.remembering._PENDING", 2)
    seen: list[Turn] = []
    provider = provide(remember={"extract_turn": lambda turn: seen.append(turn)})
    for n in range(3):
        provider.observe("user", f"u{n}", scope={"session": f"s{n}"})
    for n in range(3):
        provider.observe("assistant", "a", scope={"session": f"s{n}"})
    assert [t.input for t in seen] == ["", "u1", "u2"]


TENANT: contextvars.ContextVar[str] = contextvars.ContextVar("tenant", default="nobody")


def test_an_async_extractor_sees_the_callers_context_on_one_loop(provide: Provide) -> None:
    """From sync code it runs on a loop that stays, so shared clients go on working."""
    loops: list[asyncio.AbstractEventLoop] = []

    async def extract(turn: Turn) -> str:
        loops.append(asyncio.get_running_loop())
        return f"tenant {TENANT.get()}"

    provider = provide(remember={"extract_turn": extract})
    TENANT.set("t1")
    assert [e.content for e in provider.on_turn_end(input="x").written] == ["tenant t1"]
    TENANT.set("t2")
    assert [e.content for e in provider.on_turn_end(input="x").written] == ["tenant t2"]
    assert loops[0] is loops[1]


@pytest.mark.parametrize("remember", [{"extract_turn": 3}, {"unknown": 1}, 3])
def test_wrong_remember_options_are_refused_at_construction(root: Path, remember: Any) -> None:
    """The message names the option."""
    with pytest.raises(ValueError, match="RememberOptions"):
        FileMemoryProvider(root, remember=remember)


def test_a_disk_that_refuses_makes_the_turn_worth_another_try(
    provide: Provide, end_turn: EndTurn, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Handed over again, the turn is completed and what was written is not written twice."""
    provider = provide(remember={"extract_turn": lambda turn: ["zebra", "lion"]})
    publish = writer._publish
    calls: list[Path] = []

    def full(temporary: Path, target: Path) -> None:
        calls.append(target)
        if len(calls) == 2:
            raise OSError(28, "No space left on device")
        publish(temporary, target)

    monkeypatch.setattr(writer, "_publish", full)
    first = end_turn(provider, **TURN)
    assert (len(first.written), first.failed) == (1, True)
    second = end_turn(provider, **TURN)
    assert ([e.content for e in second.written], second.known) == (["lion"], 1)
    assert not second.failed


def test_a_user_who_is_never_answered_takes_no_endless_room(provide: Provide) -> None:
    """Of what waits for a reply the newest 100,000 characters are kept."""
    turns: list[Turn] = []
    provider = provide(remember={"extract_turn": turns.append})
    for number in range(300):
        provider.observe("user", f"{number:04d} " + "x" * 995)
    provider.observe("assistant", "At last.")
    assert len(turns[0].input) == 100_000
    assert "0299 xxx" in turns[0].input


async def test_a_slow_extractor_does_not_hold_up_the_loop(provide: Provide) -> None:
    """One that is not async waits in a thread while the loop goes on."""
    went_on = threading.Event()
    provider = provide(remember={"extract_turn": lambda turn: [str(went_on.wait(5.0))]})
    asyncio.get_running_loop().call_later(0.05, went_on.set)
    outcome = await provider.aon_turn_end(**TURN)
    assert [entry.content for entry in outcome.written] == ["True"]
