"""Capture as a whole: calls and observations in, memories in the stores."""

from __future__ import annotations

import asyncio
import contextvars
import gc
import json
import threading
import time
import weakref
from collections.abc import Iterator
from typing import Any

import pytest

from memory_injection.capture import Capture, EveryNTurns, MessageFilter
from memory_injection.errors import ConfigurationError, InputError
from memory_injection.records import Scope

from .fakes import (
    ANNA,
    AsyncNotes,
    Log,
    Notes,
    Switch,
    Unreliable,
    assistant,
    block,
    calling,
    copy_all,
    quick,
    result,
    user,
    without_blocks,
)


@pytest.fixture
def closing() -> Iterator[list[Capture]]:
    """Close what a test made, also when it failed."""
    made: list[Capture] = []
    yield made
    for capture in made:
        capture.close(timeout=0.1)


@pytest.fixture
def capture_for(closing: list[Capture]) -> Any:
    def make(*stores: Any, **options: Any) -> Capture:
        capture = Capture(stores, **{"cleaner": without_blocks, **options})
        closing.append(capture)
        return capture

    return make


def test_a_turn_is_extracted_and_written_for_its_user(capture_for: Any) -> None:
    """What was said becomes entries of the user and agent; the session goes into metadata."""
    notes = Notes()
    capture = capture_for(notes)
    capture.capture_turn({"messages": [user("I live in Oslo")]}, assistant("Nice."), scope=ANNA)
    assert capture.flush(20)
    assert notes.texts == ["I live in Oslo", "Nice."]
    _, metadata, scope = notes.added[0]
    assert scope == Scope(user="anna", agent="helper")
    assert metadata["session"] == "s1"
    assert len(metadata["turn_key"]) == 32
    assert (metadata["sequence_first"], metadata["sequence_last"]) == (0, 1)


async def test_async_stores_and_extractors_work_alike(capture_for: Any) -> None:
    """An async extractor and an async add give the same memories as sync ones."""

    async def extract(messages: Any) -> list[str]:
        await asyncio.sleep(0)
        return copy_all(messages)

    notes = AsyncNotes(quick(extractor=extract))
    capture = capture_for(notes)
    capture.capture_turn(messages=[user("I live in Oslo")], reply="Nice.", scope=ANNA)
    assert await capture.aflush(20)
    assert notes.texts == ["I live in Oslo", "Nice."]
    assert await capture.aclose(20)


def test_a_store_with_add_messages_gets_the_messages(capture_for: Any) -> None:
    """Without an extractor the messages go out raw, with a number and a turn key each."""
    log = Log()
    capture = capture_for(log)
    capture.capture_turn(messages=[user("Hello"), assistant("Hi"), user("Bye")], reply="Bye!",
                         scope=ANNA)  # fmt: skip
    assert capture.flush(20)
    assert log.said == [("user", "Bye"), ("assistant", "Bye!")]
    context = log.batches[0][1]
    assert context.sequence_numbers == [0, 1]
    assert context.turn_keys[0] == context.turn_keys[1]
    assert (context.scope, context.session) == (Scope(user="anna", agent="helper"), "s1")
    assert context.capture_id == capture.id


def test_a_tool_loop_is_one_turn(capture_for: Any) -> None:
    """Three calls of one turn store the user's text once and the final answer once."""
    log = Log()
    capture = capture_for(log)
    talk = [{"role": "system", "content": "Be brief."}, user("Where is my parcel?")]
    for step in range(2):
        reply = calling(ident=f"c{step}")
        capture.capture_turn({"messages": list(talk)}, {"choices": [{"message": reply}]})
        talk += [reply, result("In Oslo", f"c{step}")]
    capture.capture_turn({"messages": list(talk)}, assistant("In Oslo."))
    assert capture.flush(20)
    assert log.said == [("user", "Where is my parcel?"), ("assistant", "In Oslo.")]
    assert capture.status().duplicates == 2


def test_retries_and_regenerates_are_stored_once(capture_for: Any) -> None:
    """The same call again brings nothing new once its turn is stored."""
    log = Log()
    capture = capture_for(log)
    for answer in ("First.", "First.", "Second."):
        capture.capture_turn(messages=[user("A joke, please")], reply=answer)
        assert capture.flush(20)
    assert log.said == [("user", "A joke, please"), ("assistant", "First.")]


def test_a_regenerate_before_storing_replaces_the_answer(capture_for: Any) -> None:
    """While a turn waits for its trigger, the newest answer is the one that counts."""
    log = Log(quick(triggers=EveryNTurns(5)))
    capture = capture_for(log)
    for answer in ("First.", "Second."):
        capture.capture_turn(messages=[user("A joke, please")], reply=answer)
    assert capture.flush(20)
    assert log.said == [("user", "A joke, please"), ("assistant", "Second.")]


def test_the_same_words_later_are_another_turn(capture_for: Any) -> None:
    """A second "yes" in a conversation is said anew: its prefix differs."""
    log = Log()
    capture = capture_for(log)
    talk: list[Any] = []
    for answer in ("Really?", "Done."):
        talk.append(user("yes"))
        capture.capture_turn(messages=list(talk), reply=answer)
        talk.append(assistant(answer))
    assert capture.flush(20)
    assert [text for _, text in log.said] == ["yes", "Really?", "yes", "Done."]


def test_scopes_never_share_a_turn(capture_for: Any) -> None:
    """Two users saying the same are two turns, each for its own user."""
    notes = Notes()
    capture = capture_for(notes)
    for name in ("anna", "ben"):
        capture.capture_turn(messages=[user("I like tea")], reply="", scope=Scope(user=name))
    assert capture.flush(20)
    assert {(text, scope.user) for text, _, scope in notes.added if scope} == {
        ("I like tea", "anna"),
        ("I like tea", "ben"),
    }


def test_a_turn_without_an_answer_is_not_lost(capture_for: Any) -> None:
    """A tool loop that never ended is stored with what the user said, at the flush."""
    log = Log()
    capture = capture_for(log)
    capture.capture_turn(messages=[user("Book it for Friday")], reply=calling())
    assert capture.flush(20)
    assert log.said == [("user", "Book it for Friday")]
    capture.capture_turn(
        messages=[user("Book it for Friday"), calling(), result("ok")], reply="Booked."
    )
    assert capture.flush(20)
    assert log.said == [("user", "Book it for Friday"), ("assistant", "Booked.")]
    assert log.numbers == sorted(set(log.numbers))


def test_the_next_turn_closes_an_unfinished_one(capture_for: Any) -> None:
    """When the conversation moves on, the turn before it is over."""
    log = Log()
    capture = capture_for(log)
    first = [user("Book it for Friday")]
    capture.capture_turn(messages=first, reply=calling())
    capture.capture_turn(
        messages=[*first, calling(), result("ok"), assistant("Booked."), user("Thanks")],
        reply="Welcome.",
    )
    assert capture.flush(20)
    assert [text for _, text in log.said] == ["Book it for Friday", "Thanks", "Welcome."]


def test_a_loop_whose_history_was_trimmed_is_still_one_turn(capture_for: Any) -> None:
    """Dropping old messages between two steps does not make the turn a new one."""
    log = Log()
    capture = capture_for(log)
    old = [user("Hello"), assistant("Hi")]
    capture.capture_turn(messages=[*old, user("My parcel?")], reply=calling())
    capture.capture_turn(messages=[user("My parcel?"), calling(), result("Oslo")], reply="Oslo.")
    assert capture.flush(20)
    assert log.said == [("user", "My parcel?"), ("assistant", "Oslo.")]


def test_a_history_kept_by_the_server_is_followed(capture_for: Any) -> None:
    """With previous_response_id a request holds only what is new; the turn is still one."""
    log = Log()
    capture = capture_for(log)
    call = {"type": "function_call", "call_id": "c", "name": "look", "arguments": "{}"}
    output = {"type": "function_call_output", "call_id": "c", "output": "Oslo"}
    chat = {"model": "m"}
    capture.capture_turn({**chat, "messages": [user("yes")], "previous_response_id": "r0"},
                         {"output": [call]})  # fmt: skip
    capture.capture_turn({**chat, "messages": [result("Oslo")], "previous_response_id": "r1"},
                         assistant("In Oslo."))  # fmt: skip
    capture.capture_turn({**chat, "messages": [user("yes")], "previous_response_id": "r2"},
                         assistant("Again."))  # fmt: skip
    assert output
    assert capture.flush(20)
    assert [text for _, text in log.said] == ["yes", "In Oslo.", "yes", "Again."]


def test_a_conversation_kept_by_the_server_is_followed(capture_for: Any) -> None:
    """With a conversation id, the same words in a later turn are said anew."""
    log = Log()
    capture = capture_for(log)
    for answer in ("One.", "Two."):
        capture.capture_turn({"messages": [user("yes")], "conversation": {"id": "conv"}}, answer)
    assert capture.flush(20)
    assert [text for _, text in log.said] == ["yes", "One.", "yes", "Two."]


def test_system_messages_and_tool_traffic_stay_out(capture_for: Any) -> None:
    """Only the user and the final answer are extracted by default."""
    log = Log()
    capture = capture_for(log)
    talk = [{"role": "system", "content": "SECRET"}, user("Hi"), calling(), result("TOOL")]
    capture.capture_turn(messages=talk, reply="Hello.")
    assert capture.flush(20)
    assert log.said == [("user", "Hi"), ("assistant", "Hello.")]


def test_tool_traffic_comes_along_when_asked_for(capture_for: Any) -> None:
    """An empty exclude list keeps tool calls and results, in their order."""
    log = Log(quick(filter=MessageFilter(())))
    capture = capture_for(log)
    capture.capture_turn(messages=[user("Hi"), calling(), result("IN OSLO")], reply="Oslo.")
    assert capture.flush(20)
    assert [role for role, _ in log.said] == ["user", "assistant", "user", "assistant"]
    assert "look" in log.said[1][1]
    assert log.said[2][1] == "IN OSLO"


def test_a_filter_may_be_a_predicate(capture_for: Any) -> None:
    """A function over role and content decides; where it fails, nothing is stored."""
    said = []

    def keep(message: Any) -> bool:
        if "boom" in message["content"]:
            raise RuntimeError("filter")
        said.append(message)
        return message["role"] == "user"

    log = Log(quick(filter=keep))
    capture = capture_for(log)
    capture.capture_turn(messages=[user("Hi")], reply="Hello.")
    capture.capture_turn(messages=[user("boom")], reply="")
    assert capture.flush(20)
    assert log.said == [("user", "Hi")]
    assert capture.status().stores[0].rejected == 1


def test_injected_blocks_are_never_extracted(capture_for: Any) -> None:
    """Blocks go, in user messages and in an answer that repeats them; the words around stay."""
    notes = Notes()
    capture = capture_for(notes)
    capture.capture_turn(
        messages=[user("I moved to Bergen" + block("I live in Oslo"))],
        reply="You said: I moved to Bergen" + block("I live in Oslo"),
    )
    assert capture.flush(20)
    assert notes.texts == ["I moved to Bergen", "You said: I moved to Bergen"]


def test_a_quoted_memory_tag_keeps_its_words(capture_for: Any) -> None:
    """A user who writes about memory tags is stored word for word."""
    text = "My XML has <memory>\n<entry>a fact</entry>\n</memory> and I like it"
    notes = Notes()
    capture = capture_for(notes)
    capture.capture_turn(messages=[user(text + block("old"))], reply="")
    assert capture.flush(20)
    assert notes.texts == [text]


def test_a_conversation_with_and_without_blocks_is_the_same(capture_for: Any) -> None:
    """A caller who keeps the injected messages and one who keeps clean ones: one turn."""
    log = Log()
    capture = capture_for(log)
    capture.capture_turn(messages=[user("Hi" + block("x")), assistant("Yo"), user("A")], reply="1")
    capture.capture_turn(messages=[user("Hi"), assistant("Yo"), user("A" + block("y"))], reply="1")
    assert capture.flush(20)
    assert log.said == [("user", "A"), ("assistant", "1")]


def test_every_n_turns_waits_for_n(capture_for: Any) -> None:
    """Five turns by default: nothing before, all five in one batch then."""
    log = Log(True)
    capture = capture_for(log)
    talk: list[Any] = []
    for at in range(5):
        talk.append(user(f"turn {at}"))
        capture.capture_turn(messages=list(talk), reply=f"answer {at}")
        talk.append(assistant(f"answer {at}"))
        _settled(capture, at + 1 if at < 4 else 0)
        assert len(log.batches) == (at == 4)
    assert len(log.batches[0][0]) == 10


def _settled(capture: Capture, pending: int, at_most: bool = False) -> None:
    """Wait until the capture has looked at everything and *pending* turns wait, or fewer."""
    until = time.monotonic() + 20
    while not (capture.status().pending <= pending if at_most
               else capture.status().pending == pending):  # fmt: skip
        assert time.monotonic() < until, capture.status()
        threading.Event().wait(0.005)


def test_conversations_are_counted_apart(capture_for: Any) -> None:
    """Turns of two sessions do not add up to one trigger."""
    log = Log(quick(triggers=EveryNTurns(2)))
    capture = capture_for(log)
    for session in ("a", "b"):
        capture.capture_turn(messages=[user("hi")], reply="yo", scope=Scope(session=session))
    _settled(capture, 2)
    assert log.batches == []


def test_a_trigger_may_be_any_callable(capture_for: Any) -> None:
    """A predicate sees what waits; sync and async; several compose."""
    seen = []

    async def on_promise(context: Any) -> bool:
        seen.append(context)
        return "promise" in context.messages[-2]["content"]

    log = Log(quick(triggers=(on_promise, EveryNTurns(9))))
    capture = capture_for(log)
    capture.capture_turn(messages=[user("hello")], reply="a", scope=ANNA)
    _settled(capture, 1)
    capture.capture_turn(messages=[user("I promise")], reply="b", scope=ANNA)
    _settled(capture, 0)
    assert len(log.batches) == 1
    assert [(c.turns, c.store, c.scope) for c in seen] == [(1, "log", ANNA), (2, "log", ANNA)]


def test_a_failing_trigger_costs_only_its_firing(capture_for: Any) -> None:
    """A trigger that raises is visible and the turn is stored at the flush."""

    def broken(context: Any) -> bool:
        raise ValueError("no")

    log = Log(quick(triggers=broken))
    capture = capture_for(log)
    capture.capture_turn(messages=[user("hello")], reply="a")
    _settled(capture, 1)
    until = time.monotonic() + 20
    while capture.status().stores[0].last_error != "ValueError: no":
        assert time.monotonic() < until
        threading.Event().wait(0.005)
    assert capture.flush(20)
    assert log.said == [("user", "hello"), ("assistant", "a")]


def test_a_quiet_conversation_is_stored_without_its_trigger(capture_for: Any) -> None:
    """Short chats that never reach five turns are not kept waiting for ever."""
    log = Log(quick(triggers=EveryNTurns(5), quiet_seconds=0.05))
    capture = capture_for(log)
    capture.capture_turn(messages=[user("hello")], reply="a")
    _settled(capture, 0)
    assert log.said == [("user", "hello"), ("assistant", "a")]


@pytest.mark.parametrize("where", ["extractor", "add", "add_messages"])
def test_random_failures_lose_nothing(capture_for: Any, where: str) -> None:
    """With every third attempt failing, all is stored after a flush, in order, and known."""
    fails = Unreliable(0.34)

    def extract(messages: Any) -> list[str]:
        if where == "extractor":
            fails()
        return copy_all(messages)

    class Shaky(Notes):
        def add(self, content: str, metadata: Any = None, *, scope: Any = None) -> None:
            if where == "add":
                fails()
            super().add(content, metadata, scope=scope)

    class ShakyLog(Log):
        def add_messages(self, messages: Any, context: Any = None) -> None:
            super().add_messages(messages, context)
            fails()

    store: Any = ShakyLog() if where == "add_messages" else Shaky(quick(extractor=extract))
    capture = capture_for(store)
    said: list[str] = []
    talk: list[Any] = []
    for at in range(60):
        talk += [user(f"fact {at}")]
        capture.capture_turn(messages=list(talk), reply=f"noted {at}")
        talk += [assistant(f"noted {at}")]
        said += [f"fact {at}", f"noted {at}"]
    assert capture.flush(20)
    assert fails.failures > 10
    if where == "add_messages":
        # Each failure came after the write: duplicates, recognisable by their numbers.
        assert len(store.numbers) > len(said)
        by_number = dict(zip(store.numbers, (text for _, text in store.said), strict=True))
        assert list(by_number.values()) == said
        assert list(by_number) == sorted(by_number)
    else:
        assert store.texts == said
    assert capture.status().stores[0].failures == fails.failures


def test_an_extractor_is_not_asked_again_for_a_failed_write(capture_for: Any) -> None:
    """When a write fails half-way, the retry goes on where it stopped."""
    asked = []

    def extract(messages: Any) -> list[str]:
        asked.append(messages)
        return ["one", "two", "three"]

    class Once(Notes):
        failed = False

        def add(self, content: str, metadata: Any = None, *, scope: Any = None) -> None:
            if content == "two" and not self.failed:
                self.failed = True
                raise OSError("disk")
            super().add(content, metadata, scope=scope)

    store = Once(quick(extractor=extract))
    capture = capture_for(store)
    capture.capture_turn(messages=[user("hello")], reply="a")
    assert capture.flush(20)
    assert (store.texts, len(asked)) == (["one", "two", "three"], 1)


def test_a_down_backend_is_visible_and_probed_not_hammered(capture_for: Any) -> None:
    """Attempts thin out while the backend is down, and everything arrives when it is back."""
    switch = Switch()

    class Remote(Log):
        def add_messages(self, messages: Any, context: Any = None) -> None:
            switch()
            super().add_messages(messages, context)

    remote = Remote(quick(retry_first=0.01, retry_most=0.2, open_after=3))
    other = Log(name="other")
    capture = capture_for(remote, other)
    began = time.monotonic()
    for at in range(200):
        capture.capture_turn(messages=[user(f"fact {at}")], reply="")
    until = began + 20
    while capture.status().stores[0].state != "open":
        assert time.monotonic() < until
        threading.Event().wait(0.005)
    assert not capture.flush(1.0)
    elapsed = time.monotonic() - began
    status = capture.status().stores[0]
    assert switch.calls <= 8 + elapsed / 0.1
    assert (status.state, status.pending, status.last_error) == (
        "open",
        200,
        "ConnectionError: down",
    )
    assert status.retry_in is not None
    assert status.retry_in <= 1.0
    assert "'log' is open, 200 turns wait" in capture.status().warnings[0]
    assert len(other.said) == 200
    switch.on.set()
    assert capture.flush(10)
    assert [text for _, text in remote.said] == [f"fact {at}" for at in range(200)]
    after = capture.status().stores[0]
    assert (after.state, after.last_error) == ("ok", None)


def test_a_flush_gives_a_dead_store_up(capture_for: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a timeout, flush waits for progress, not for ever."""
    monkeypatch.setattr("memory_injection.capture.lanes.STALLED", 0.2)

    class Dead(Log):
        def add_messages(self, messages: Any, context: Any = None) -> None:
            raise ConnectionError("down")

    capture = capture_for(Dead())
    capture.capture_turn(messages=[user("hello")], reply="a")
    began = time.monotonic()
    assert capture.flush() is False
    assert time.monotonic() - began < 3


def test_a_full_queue_drops_the_oldest_and_says_so(capture_for: Any) -> None:
    """Back-pressure never blocks a reply: the oldest turns go, counted."""
    switch = Switch()

    class Remote(Log):
        def add_messages(self, messages: Any, context: Any = None) -> None:
            switch()
            super().add_messages(messages, context)

    remote = Remote(quick(max_pending=10))
    capture = capture_for(remote)
    for at in range(50):
        capture.capture_turn(messages=[user(f"fact {at}")], reply="")
    _settled_looking(capture)
    status = capture.status().stores[0]
    assert status.pending == 10
    assert status.pending + status.dropped == 50
    switch.on.set()
    assert capture.flush(20)
    kept = [int(text.removeprefix("fact ")) for _, text in remote.said]
    assert kept == sorted(kept)
    assert len(kept) == status.pending
    # What was under way when the others were dropped was safe: at most half of the queue.
    assert kept[-5:] == [45, 46, 47, 48, 49]


def _settled_looking(capture: Capture) -> None:
    until = time.monotonic() + 20
    while capture.status().waiting:
        assert time.monotonic() < until
        threading.Event().wait(0.005)


def test_what_a_store_refuses_for_good_does_not_hold_up_the_rest(capture_for: Any) -> None:
    """An entry the store calls bad input is counted and left; the others go in."""

    class Picky(Notes):
        def add(self, content: str, metadata: Any = None, *, scope: Any = None) -> None:
            if "bad" in content:
                raise InputError("content must not be bad")
            super().add(content, metadata, scope=scope)

    picky = Picky()
    capture = capture_for(picky)
    capture.capture_turn(messages=[user("a bad one")], reply="fine")
    assert capture.flush(20)
    assert picky.texts == ["fine"]
    assert capture.status().stores[0].rejected == 1


@pytest.mark.parametrize(
    ("found", "texts", "rejected"),
    [
        (None, [], 0),
        ([], [], 0),
        ("one fact", ["one fact"], 0),
        ({"content": "a"}, ["a"], 0),
        ([{"content": "a", "metadata": {"k": 1}}, "b", "b", " ", 7, None], ["a", "b"], 3),
        (42, [], 1),
        ((text for text in ("x", "y")), ["x", "y"], 0),
        (["kept" + block("old")], ["kept"], 0),
    ],
)
def test_extractors_may_answer_in_many_ways(
    capture_for: Any, found: Any, texts: list[str], rejected: int
) -> None:
    """One entry, several, none or rubbish: what can be read is stored, the rest is counted."""
    notes = Notes(quick(extractor=lambda messages: found))
    capture = capture_for(notes)
    capture.capture_turn(messages=[user("hello")], reply="a")
    assert capture.flush(20)
    assert notes.texts == texts
    assert capture.status().stores[0].rejected == rejected


def test_a_hanging_store_costs_its_attempt_only(capture_for: Any) -> None:
    """A write that hangs times out and is tried again; the other store is untouched."""
    release = threading.Event()

    class Hanging(Log):
        calls = 0

        def add_messages(self, messages: Any, context: Any = None) -> None:
            self.calls += 1
            if self.calls == 1:
                release.wait(10)
            super().add_messages(messages, context)

    hanging, other = Hanging(quick(timeout=0.1)), Log(name="other")
    capture = capture_for(hanging, other)
    capture.capture_turn(messages=[user("hello")], reply="a")
    try:
        assert capture.flush(20)
        assert len(other.said) == len(hanging.said) == 2
    finally:
        release.set()


@pytest.mark.parametrize("error", [SystemExit, asyncio.CancelledError, KeyboardInterrupt])
def test_no_exception_ends_a_lane(capture_for: Any, error: type[BaseException]) -> None:
    """Whatever a store raises, later turns still arrive."""
    raised = []

    class Odd(Log):
        def add_messages(self, messages: Any, context: Any = None) -> None:
            if not raised:
                raised.append(error)
                raise error()
            super().add_messages(messages, context)

    odd = Odd()
    capture = capture_for(odd)
    capture.capture_turn(messages=[user("hello")], reply="a")
    assert capture.flush(20)
    assert odd.said == [("user", "hello"), ("assistant", "a")]


def test_context_variables_are_the_callers(capture_for: Any) -> None:
    """Extractors and stores see the context of the call, not of the thread they run in."""
    tenant: contextvars.ContextVar[str] = contextvars.ContextVar("tenant")
    seen = []

    class Tenanted(Notes):
        async def add(  # type: ignore[override]
            self, content: str, metadata: Any = None, *, scope: Any = None
        ) -> None:
            seen.append(tenant.get())

    capture = capture_for(Tenanted())
    for name in ("a", "b"):
        token = tenant.set(name)
        capture.capture_turn(messages=[user(f"hello {name}")], reply="", scope=Scope(user=name))
        tenant.reset(token)
    assert capture.flush(20)
    assert seen == ["a", "b"]


def test_an_extractor_that_talks_to_a_captured_client_is_not_captured(capture_for: Any) -> None:
    """What a model says while extracting never comes back as something said."""
    notes = Notes()
    capture = capture_for(notes)

    def extract(messages: Any) -> list[str]:
        capture.capture_turn(messages=[user("extract this")], reply="facts")
        capture.observe("user", "extract this")
        return copy_all(messages)

    notes.extraction = quick(extractor=extract)
    capture = capture_for(notes)
    capture.capture_turn(messages=[user("hello")], reply="")
    assert capture.flush(20)
    assert capture.flush(20)
    assert notes.texts == ["hello"]


def test_observations_make_turns(capture_for: Any) -> None:
    """Observe twice per turn, user then assistant, is one turn; the same words again are new."""
    log = Log(quick(triggers=EveryNTurns(2)))
    capture = capture_for(log)
    for _ in range(2):
        capture.observe("user", "yes" + block("old"), scope=ANNA)
        capture.observe("assistant", "Done.", scope=ANNA)
    _settled(capture, 0)
    assert [text for _, text in log.said] == ["yes", "Done.", "yes", "Done."]
    assert len(set(log.batches[0][1].turn_keys)) == 2


def test_a_lone_observation_is_stored_at_the_flush(capture_for: Any) -> None:
    """A user text whose answer never came is not lost."""
    log = Log()
    capture = capture_for(log)
    capture.observe("user", "Remember the milk")
    assert capture.flush(20)
    assert log.said == [("user", "Remember the milk")]


@pytest.mark.parametrize(("role", "text"), [("system", "x"), ("user", None), (None, "x")])
def test_wrong_observations_are_refused(capture_for: Any, role: Any, text: Any) -> None:
    """A role or text that means nothing is the caller's mistake, said at once."""
    with pytest.raises(InputError, match="must be"):
        capture_for(Log()).observe(role, text)


@pytest.mark.parametrize(
    ("conversation", "unreadable"),
    [
        (None, 1),
        (5, 1),
        ([5, None], 1),
        ({"prompt": "hi"}, 1),
        ({"messages": 7}, 1),
        ([], 1),
        ([{"role": "user"}], 0),
        (iter([user("one shot")]), 1),
    ],
)
def test_rubbish_is_counted_never_raised(
    capture_for: Any, conversation: Any, unreadable: int
) -> None:
    """A call nobody can read costs nothing but a count."""
    log = Log()
    capture = capture_for(log)
    capture.capture_turn(conversation, reply=object())
    capture.capture_turn(messages=[user("fine")], reply="ok")
    assert capture.flush(20)
    assert log.said[-2:] == [("user", "fine"), ("assistant", "ok")]
    assert capture.status().unreadable == unreadable


def test_nothing_is_captured_when_no_store_learns(capture_for: Any) -> None:
    """Off unless asked for: no thread, no work."""
    notes = Notes(False)
    capture = capture_for(notes)
    assert not capture.captures
    before = threading.active_count()
    capture.capture_turn(messages=[user("hello")], reply="a")
    assert threading.active_count() == before
    assert capture.flush(1)
    assert notes.texts == []


def test_capture_never_blocks_and_never_changes_its_input(capture_for: Any) -> None:
    """A call returns at once while the store is busy, and the caller's objects stay as they are."""
    gate = threading.Event()

    class Slow(Log):
        def add_messages(self, messages: Any, context: Any = None) -> None:
            gate.wait(10)
            super().add_messages(messages, context)

    slow = Slow()
    capture = capture_for(slow)
    body = {"messages": [user("hello")], "model": "m"}
    before = json.dumps(body)
    began = time.monotonic()
    for _ in range(100):
        capture.capture_turn(body, assistant("a"))
    assert time.monotonic() - began < 1
    assert json.dumps(body) == before
    gate.set()
    assert capture.flush(20)
    assert slow.said == [("user", "hello"), ("assistant", "a")]


def test_the_caller_may_append_right_after_the_call(capture_for: Any) -> None:
    """The history is read as it was at the call, whatever is appended to it next."""
    log = Log()
    capture = capture_for(log)
    talk = [user("first")]
    for at in range(20):
        capture.capture_turn({"messages": talk}, f"answer {at}")
        talk += [assistant(f"answer {at}"), user(f"next {at}")]
    assert capture.flush(20)
    texts = [text for _, text in log.said]
    assert texts[:4] == ["first", "answer 0", "next 0", "answer 1"]


def test_closing_stores_the_rest_and_ends(capture_for: Any) -> None:
    """Close waits like flush, later calls are ignored, and threads end."""
    log = Log(True)
    capture = capture_for(log)
    capture.capture_turn(messages=[user("hello")], reply="a")
    assert capture.close(20)
    assert log.said == [("user", "hello"), ("assistant", "a")]
    assert not capture.captures
    capture.capture_turn(messages=[user("late")], reply="a")
    assert capture.close(20)
    assert len(log.said) == 2


def test_threads_end_when_nothing_is_left(capture_for: Any) -> None:
    """An idle capture holds no thread."""
    log = Log()
    capture = capture_for(log)
    capture.capture_turn(messages=[user("hello")], reply="a")
    assert capture.flush(20)
    until = time.monotonic() + 20
    while any(t.name.startswith("memory-capture") for t in threading.enumerate()):
        assert time.monotonic() < until
        threading.Event().wait(0.005)


async def test_aflush_leaves_the_loop_free(capture_for: Any) -> None:
    """While aflush waits, other tasks run."""
    gate = threading.Event()

    class Slow(Log):
        def add_messages(self, messages: Any, context: Any = None) -> None:
            gate.wait(10)

    capture = capture_for(Slow())
    capture.capture_turn(messages=[user("hello")], reply="a")
    flushing = asyncio.ensure_future(capture.aflush(20))
    await asyncio.sleep(0.05)
    assert not flushing.done()
    gate.set()
    assert await flushing


def test_status_is_json_and_holds_no_text(
    capture_for: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """Status and logs speak of names and counts, never of what was said."""

    class Broken(Log):
        def add_messages(self, messages: Any, context: Any = None) -> None:
            raise ConnectionError("down")

    capture = capture_for(Broken(quick(open_after=2)))
    capture.capture_turn(messages=[user("my PIN is 4711")], reply="noted")
    with caplog.at_level("DEBUG"):
        assert not capture.flush(0.3)
    written = json.dumps(capture.status().to_dict()) + caplog.text
    assert "counts as down" in caplog.text
    assert "4711" not in written


def test_many_short_conversations_do_not_push_each_other_out(capture_for: Any) -> None:
    """More conversations than the queue holds, none with enough turns: all stored, none dropped."""
    log = Log(quick(triggers=EveryNTurns(5), max_pending=20))
    capture = capture_for(log)
    for at in range(200):
        scope = Scope(session=str(at))
        capture.capture_turn(messages=[user(f"fact {at}")], reply="", scope=scope)
        _settled(capture, 12, at_most=True)
    assert capture.flush(20)
    assert sorted(text for _, text in log.said) == sorted(f"fact {at}" for at in range(200))
    assert capture.status().stores[0].dropped == 0


def test_an_answer_regenerated_during_an_outage_is_the_one_stored(capture_for: Any) -> None:
    """A turn that is due but not under way still takes the newest answer."""
    switch = Switch()

    class Remote(Log):
        def add_messages(self, messages: Any, context: Any = None) -> None:
            switch()
            super().add_messages(messages, context)

    remote = Remote(quick(retry_first=5.0, retry_most=5.0))
    capture = capture_for(remote)
    capture.capture_turn(messages=[user("A joke, please")], reply="First.")
    until = time.monotonic() + 20
    while capture.status().stores[0].state == "ok":
        assert time.monotonic() < until
        threading.Event().wait(0.005)
    capture.capture_turn(messages=[user("A joke, please")], reply="Second.")
    _settled_looking(capture)
    switch.on.set()
    assert capture.flush(20)
    assert remote.said == [("user", "A joke, please"), ("assistant", "Second.")]


def test_forgetting_reaches_everything_that_waits(capture_for: Any) -> None:
    """Open turns, half turns, turns waiting, due or under way: all of one user's, nobody else's."""
    gate, begun = threading.Event(), threading.Event()

    class Slow(Log):
        def add_messages(self, messages: Any, context: Any = None) -> None:
            begun.set()
            gate.wait(5)
            if context.scope.user == "anna":
                raise ConnectionError("too late")
            super().add_messages(messages, context)

    slow = Slow(quick(retry_first=0.2))
    capture = capture_for(slow)
    anna, ben = Scope(user="anna", session="x"), Scope(user="ben")
    capture.capture_turn(messages=[user("under way")], reply="", scope=anna)
    assert begun.wait(5)
    capture.capture_turn(messages=[user("due")], reply="", scope=anna)
    capture.capture_turn(messages=[user("stays")], reply="", scope=ben)
    capture.capture_turn(messages=[user("open")], reply=calling(), scope=anna)
    capture.observe("user", "half", scope=anna)
    _settled_looking(capture)
    threading.Timer(0.1, gate.set).start()
    assert capture.forget(Scope(user="anna"), wait=5) >= 1
    assert capture.flush(20)
    assert slow.said == [("user", "stays")]
    assert capture.status().open_turns == 0


def test_too_many_calls_waiting_are_counted(
    capture_for: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """When calls come faster than they can be looked at, the newest are given up, and that is said.

    In the status, in each report from then on, and in the log, there not for every one of them.
    """
    monkeypatch.setattr("memory_injection.capture.coordinator.MAX_WAITING", 2)
    gate = threading.Event()
    log = Log()

    def slow_cleaner(scope: Scope) -> Any:
        gate.wait(5)
        return str

    capture = capture_for(log, cleaner=slow_cleaner)
    for at in range(10):
        capture.capture_turn(messages=[user(f"fact {at}")], reply="")
    assert not capture.flush(0.05)
    gate.set()
    assert capture.flush(20)
    lost = capture.status().overflow
    assert len(log.said) + lost == 10
    assert lost >= 7
    told = f"capture: {lost} calls given up, for too many waited to be looked at"
    assert capture.warnings == (told,)
    assert [record.getMessage().split()[0] for record in caplog.records][:3] == ["1", "2", "4"]


def test_whole_turns_go_to_a_store_with_a_turn_hook(capture_for: Any) -> None:
    """on_turn_end gets input, output, messages and scope, tool traffic included; once each."""
    fails = Unreliable(0.5)

    class Hooked:
        name = "hooked"

        def __init__(self) -> None:
            self.turns: list[Any] = []

        def search(self, query: str, options: Any = None) -> list[Any]:
            return []

        def on_turn_end(self, turn: Any) -> None:
            fails()
            self.turns.append(turn)

    hooked = Hooked()
    capture = capture_for(hooked)
    talk = [user("Where is it?"), calling(), result("IN OSLO")]
    capture.capture_turn(messages=talk, reply="In Oslo.", scope=ANNA)
    talk += [assistant("In Oslo."), user("Thanks")]
    capture.capture_turn(messages=talk, reply="Welcome.", scope=ANNA)
    assert capture.flush(20)
    first, second = hooked.turns
    assert (first["input"], first["output"], first["scope"]) == ("Where is it?", "In Oslo.", ANNA)
    assert [message["role"] for message in first["messages"]] == [
        "user", "assistant", "tool", "assistant",
    ]  # fmt: skip
    assert (second["input"], second["output"]) == ("Thanks", "Welcome.")


def test_the_context_of_a_batch_reads_like_a_mapping(capture_for: Any) -> None:
    """Stores may read it by attribute or by key."""
    log = Log()
    capture = capture_for(log)
    capture.capture_turn(messages=[user("Hi")], reply="Yo", scope=ANNA)
    assert capture.flush(20)
    context = log.batches[0][1]
    assert dict(context)["session"] == context.session == "s1"
    assert context.get("nothing") is None
    assert len(context) == 6
    assert [m["id"] for m in log.batches[0][0]] == list({m["id"]: 0 for m in log.batches[0][0]})


def test_no_thread_to_be_had_is_survived(capture_for: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the system gives no thread, nothing is raised and the next call tries again."""
    log = Log()
    capture = capture_for(log)

    def refuse(thread: Any) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", refuse)
        capture.capture_turn(messages=[user("first")], reply="")
    capture.capture_turn(messages=[user("second")], reply="")
    assert capture.flush(20)
    assert [text for _, text in log.said] == ["first", "second"]


def test_sync_flush_works_inside_a_running_loop(capture_for: Any) -> None:
    """A sync caller on an event loop's own thread may flush an async store."""

    class Later(Log):
        async def add_messages(self, messages: Any, context: Any = None) -> None:  # type: ignore[override]
            await asyncio.sleep(0.01)
            super().add_messages(messages, context)

    later = Later()
    capture = capture_for(later)

    async def request() -> bool:
        capture.capture_turn(messages=[user("Hi")], reply="Yo")
        return bool(capture.flush(20))

    assert asyncio.run(request())
    assert asyncio.run(request())
    assert later.said == [("user", "Hi"), ("assistant", "Yo")]


def test_an_entry_being_written_is_never_dropped_half_way(capture_for: Any) -> None:
    """A full queue gives a begun batch up as a whole only between its attempts."""
    fails = threading.Event()

    class Half(Notes):
        def add(self, content: str, metadata: Any = None, *, scope: Any = None) -> None:
            if content == "two" and not fails.is_set():
                raise ConnectionError("half-way")
            super().add(content, metadata, scope=scope)

    half = Half(quick(extractor=lambda messages: ["one", "two"], max_pending=2, retry_first=0.5))
    capture = capture_for(half)
    capture.capture_turn(messages=[user("a")], reply="")
    until = time.monotonic() + 20
    while capture.status().stores[0].state == "ok":
        assert time.monotonic() < until
        threading.Event().wait(0.005)
    for text in ("b", "c"):
        capture.capture_turn(messages=[user(text)], reply="")
    _settled_looking(capture)
    fails.set()
    assert capture.flush(20)
    assert half.texts == ["one", "one", "two", "one", "two"]
    assert capture.status().stores[0].dropped == 1


class Clock:
    """Time that a test moves."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


def words(log: Log) -> list[tuple[str, str]]:
    """What was handed over."""
    return [(role, text) for role, text in log.said]


def test_the_same_first_words_later_open_a_new_conversation(capture_for: Any) -> None:
    """A retry comes soon; the same words after five minutes are said again, under another id."""
    log, clock = Log(), Clock()
    capture = capture_for(log, clock=clock)
    for after, reply in ((0, "one"), (299, "one"), (301, "two"), (1000, "two")):
        clock.now += after
        capture.capture_turn(messages=[user("Hi")], reply=reply, scope=ANNA)
        assert capture.flush(20)
    assert words(log) == [("user", "Hi"), ("assistant", "one")] + 2 * [
        ("user", "Hi"),
        ("assistant", "two"),
    ]
    ids = [message["id"] for messages, _ in log.batches for message in messages]
    assert len(set(ids)) == 6


def test_first_words_that_were_followed_open_a_new_conversation(capture_for: Any) -> None:
    """Once a conversation went on, its first words alone are another's, at once."""
    log = Log()
    capture = capture_for(log, clock=Clock())
    more = [user("Hi"), assistant("one"), user("And?")]
    capture.capture_turn(messages=[user("Hi")], reply="one", scope=ANNA)
    capture.capture_turn(messages=more, reply="so", scope=ANNA)
    capture.capture_turn(messages=[user("Hi")], reply="one", scope=ANNA)
    capture.capture_turn(messages=[user("Hi")], reply="one", scope=ANNA)
    capture.capture_turn(messages=more, reply="so", scope=ANNA)
    assert capture.flush(20)
    assert [text for role, text in words(log) if role == "user"] == ["Hi", "And?", "Hi"]


def test_a_slow_tool_loop_is_one_turn(capture_for: Any) -> None:
    """However long its tools take, and if its first call is made again."""
    log, clock = Log(), Clock()
    capture = capture_for(log, clock=clock)
    talk = [user("Where?")]
    for step in range(3):
        capture.capture_turn(messages=talk, reply=calling(ident=f"c{step}"), scope=ANNA)
        clock.now += 3600
        talk = [*talk, calling(ident=f"c{step}"), result("found", f"c{step}")]
    capture.capture_turn(messages=[user("Where?")], reply=calling(ident="c0"), scope=ANNA)
    capture.capture_turn(messages=talk, reply="Oslo", scope=ANNA)
    assert capture.flush(20)
    assert words(log) == [("user", "Where?"), ("assistant", "Oslo")]


@pytest.mark.parametrize("session", ["s1", None])
def test_positions_follow_the_conversation(capture_for: Any, session: str | None) -> None:
    """Each message carries its place; in a session also when the history was trimmed."""
    log = Log()
    capture = capture_for(log)
    scope = Scope(user="anna", session=session)
    talk = [user("a"), assistant("b"), user("c"), calling(), result("found")]
    capture.capture_turn(messages=talk, reply="d", scope=scope)
    capture.capture_turn(messages=[user("e")], reply="f", scope=scope)
    capture.observe("user", "g", scope=scope)
    capture.observe("assistant", "h", scope=scope)
    assert capture.flush(20)
    places = [place for _, context in log.batches for place in context.positions]
    assert places == ([2, 3, 4, 5, 6, 7] if session else [2, 3, 0, 1, 0, 1])


def test_an_endless_wait_ends_when_there_is_nothing_to_wait_for(capture_for: Any) -> None:
    """No clock of the system goes that far, so it is not asked to."""
    capture = capture_for(Log())
    for _ in range(20):
        capture.observe("user", "hello")
        capture.observe("assistant", "hi")
        assert capture.flush(float("inf"))


class Broken:
    """Whatever is asked of it fails."""

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError("words nobody should see")


def test_a_reply_that_cannot_be_read_reaches_nobody(
    capture_for: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """It is counted and logged without its words; a name no shape has is refused at once."""
    capture = capture_for(Log())
    capture.capture_turn({"messages": [user("hello")]}, Broken())
    assert capture.status().unreadable == 1
    assert "RuntimeError" in caplog.text
    assert "words nobody" not in caplog.text
    with pytest.raises(ConfigurationError, match="unknown dialect 'nope'"):
        capture.capture_turn({"messages": [user("hello")]}, "hi", api="nope")


@pytest.mark.parametrize("timeout", ["x", -1, True, float("nan")])
def test_a_timeout_is_a_number(capture_for: Any, timeout: Any) -> None:
    """A wrong one is named, with the rule."""
    with pytest.raises(InputError, match="timeout must be a number of seconds"):
        capture_for(Log()).flush(timeout)


def test_what_is_not_captured_is_said(capture_for: Any, caplog: pytest.LogCaptureFixture) -> None:
    """Rubbish, and a call after the end, leave a line in the log."""
    capture = capture_for(Log())
    capture.capture_turn({"nothing": 1}, "Yo", scope=ANNA)
    assert capture.flush(20)
    capture.close()
    capture.capture_turn(messages=[user("Hi")], reply="Yo", scope=ANNA)
    told = [record.getMessage() for record in caplog.records]
    assert told == [
        "a call could not be captured: InputError: unknown request shape",
        "a call was not captured: capture is closed",
    ]


def test_built_in_stores_keep_speaker_session_and_turn() -> None:
    """What neighbouring turns are found by; without a session there is none, not an empty one."""
    from memory_injection.stores import InMemoryStore

    for scope, session in ((ANNA, {"session": "s1"}), (Scope(user="anna"), {})):
        store = InMemoryStore("diary", extraction=True)
        capture = Capture([store])
        talk = [user("a"), assistant("b"), user("My cat is Miso.")]
        capture.capture_turn(messages=talk, reply="Noted: Miso.", scope=scope)
        assert capture.close(20)
        found = store.search("Miso", {"scope": scope})
        kept = sorted((entry.metadata for entry in found), key=lambda one: one["turn"])
        assert kept == [
            {"speaker": "user", **session, "turn": 2},
            {"speaker": "assistant", **session, "turn": 3},
        ]
        store.close()


def test_a_stored_turn_lets_go_of_its_callers_context(capture_for: Any) -> None:
    """A turn stays known for long; what a web request keeps in context variables must not."""

    class Request:
        """Stands for something heavy."""

    current: contextvars.ContextVar[Request] = contextvars.ContextVar("current")
    alive: list[weakref.ref[Request]] = []

    capture = capture_for(Notes())

    def call(number: int, reply: Any) -> None:
        request = Request()
        alive.append(weakref.ref(request))
        current.set(request)
        capture.capture_turn(messages=[user(f"turn {number}")], reply=reply, scope=ANNA)

    for number, reply in enumerate(["done", calling(), "done", None]):
        contextvars.Context().run(call, number, reply)
    assert capture.flush(5)
    gc.collect()
    assert [one() is None for one in alive] == [True] * 4
