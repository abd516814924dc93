"""Which calls are one turn: properties over whole conversations."""

from __future__ import annotations

import json
from collections import UserDict
from contextvars import Context
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_injection.capture.book import TurnBook
from memory_injection.capture.hearing import hear
from memory_injection.capture.records import Turn
from memory_injection.capture.replies import read_reply
from memory_injection.dialects import dialect_named
from memory_injection.records import Scope

from .fakes import ANNA, assistant, block, calling, result, user, without_blocks

CHAT = dialect_named("openai.chat")
CLEAN = without_blocks(ANNA)

TURNS = st.lists(
    st.fixed_dictionaries(
        {
            "text": st.sampled_from(["yes", "no", "I live in Oslo", "My cat is Miso"]),
            "rounds": st.integers(0, 3),
            "repeats": st.integers(0, 2),
            "finished": st.booleans(),
        }
    ),
    min_size=1,
    max_size=6,
)


def play(book: TurnBook, turns: list[dict[str, Any]], dirty: st.DataObject | None = None) -> Any:
    """Play a conversation, every call up to three times; return what should be told."""
    talk: list[Any] = []
    expected: list[tuple[str, str]] = []
    told: list[Turn] = []

    def call(reply: Any) -> None:
        messages = [with_block(m, dirty) for m in talk]
        heard = hear(messages, CHAT, CLEAN)
        for turn, amends in book.hear(ANNA, heard, read_reply(reply), Context()):
            assert not amends
            told.append(turn)

    for at, turn in enumerate(turns):
        talk.append(user(turn["text"]))
        expected.append(("user", turn["text"]))
        for step in range(turn["rounds"]):
            for _ in range(turn["repeats"] + 1):
                call(calling(ident=f"c{at}.{step}"))
            talk += [calling(ident=f"c{at}.{step}"), result("found", f"c{at}.{step}")]
        answer = f"answer {at}"
        if turn["finished"] or not turn["rounds"]:
            for _ in range(turn["repeats"] + 1):
                call(assistant(answer))
            expected.append(("assistant", answer))
        talk.append(assistant(answer))
    told += [turn for turn, _ in book.close_all()]
    return expected, told


def with_block(message: Any, dirty: Any) -> Any:
    if message["role"] == "user" and dirty is not None and dirty.draw(st.booleans()):
        return user(message["content"] + block("an old memory"))
    return message


def said(turns: list[Turn]) -> list[tuple[str, str]]:
    return [(m.role, m.text) for turn in turns for m in turn.messages if m.kind == "text"]


@given(TURNS, st.data())
@settings(max_examples=150, deadline=None)
def test_everything_is_told_once_in_order(turns: Any, data: Any) -> None:
    """Tool loops, retries, unfinished turns, blocks here and there: each word once, in order."""
    expected, told = play(TurnBook("seed"), turns, data)
    assert said(told) == expected
    numbers = [message.number for turn in told for message in turn.messages]
    assert numbers == sorted(set(numbers))


@given(TURNS)
@settings(max_examples=50, deadline=None)
def test_keys_are_the_same_in_every_process(turns: Any) -> None:
    """Two captures that never met give a turn the same key, and its messages the same ids."""
    one, other = play(TurnBook("a"), turns)[1], play(TurnBook("b"), turns)[1]
    assert [turn.key for turn in one] == [turn.key for turn in other]
    ids = [[turn.ident(m) for m in turn.messages] for turn in one]
    assert ids == [[turn.ident(m) for m in turn.messages] for turn in other]
    assert len({i for row in ids for i in row}) == sum(map(len, ids))


@given(TURNS)
@settings(max_examples=50, deadline=None)
def test_hearing_changes_nothing(turns: Any) -> None:
    """The caller's messages are as they were, whatever is read from them."""
    talk = [user(turn["text"] + block("x")) for turn in turns]
    before = json.dumps(talk)
    hear(talk, CHAT, CLEAN)
    assert json.dumps(talk) == before


def test_ids_of_two_users_differ() -> None:
    """The same words of two users are two entries, never one written over the other."""
    heard = hear([user("hello")], CHAT, CLEAN)
    book, ids = TurnBook("seed"), set()
    for name in ("anna", "ben"):
        for turn, _ in book.hear(Scope(user=name), heard, read_reply("hi"), Context()):
            ids |= {turn.ident(message) for message in turn.messages}
    assert len(ids) == 4


def test_what_is_remembered_is_bounded() -> None:
    """Past the bound the oldest turns are told and forgotten."""
    book, told = TurnBook("seed", kept=3), []
    for at in range(10):
        heard = hear([user(f"turn {at}")], CHAT, CLEAN)
        told += list(book.hear(ANNA, heard, read_reply(calling()), Context()))
    assert len(told) == 7
    assert book.open_turns == 3
    for at in range(10):
        told += list(book.observe(Scope(user=str(at)), "user", "half", Context()))
    assert book.open_turns == 6


def test_the_texts_remembered_are_bounded() -> None:
    """Whole documents are pasted into chats: a few of them fill what many short turns may."""
    book, told = TurnBook("seed", kept_text=5000), []

    def hear_turn(scope: Scope, at: int, reply: Any) -> None:
        heard = hear([user(f"{at} {'x' * 1000}")], CHAT, CLEAN)
        told.extend(book.hear(scope, heard, read_reply(reply), Context()))

    for at in range(10):
        hear_turn(ANNA, at, calling())
    assert book.open_turns == 4
    assert [turn.messages[0].text[:1] for turn, _ in told] == [str(at) for at in range(6)]
    book.forget(lambda scope: scope == ANNA)
    for at in range(4):  # what was erased takes no room, nor does what is said again
        hear_turn(Scope(user="ben"), at, calling())
        hear_turn(Scope(user="ben"), at, calling())
    assert (len(told), book.open_turns) == (6, 4)
    hear_turn(Scope(user="ben"), 4, assistant("y" * 4000))  # the answer counts as well
    assert (len(told), book.open_turns) == (11, 0)


def test_the_latest_turn_is_remembered_however_long() -> None:
    """A retry of it is no second turn."""
    book, told = TurnBook("seed", kept_text=100), []
    for answer in ("one", "two"):
        heard = hear([user("x" * 1000)], CHAT, CLEAN)
        told += list(book.hear(ANNA, heard, read_reply(answer), Context()))
    assert [amends for _, amends in told] == [False, True]


def test_what_a_user_says_unanswered_is_bounded() -> None:
    """An application that observes the user alone does not fill the memory of the process."""
    book, told = TurnBook("seed", kept_text=5000), []
    for at in range(12):
        told += list(book.observe(ANNA, "user", f"{at} {'x' * 997}", Context()))
    assert [len(turn.messages) for turn, _ in told] == [6, 6]
    assert not any(turn.complete for turn, _ in told)
    told += list(book.observe(ANNA, "assistant", "yes", Context()))
    words = [message.text.split()[0] for turn, _ in told for message in turn.messages]
    assert words == [*map(str, range(12)), "yes"]


def test_two_asks_in_a_row_are_both_said() -> None:
    """User messages without an answer between them belong to one turn, each told once."""
    book = TurnBook("seed")
    heard = hear([user("old"), assistant("ok"), user("first"), user("second")], CHAT, CLEAN)
    (turn, _), *rest = book.hear(ANNA, heard, read_reply("done"), Context())
    assert said([turn]) == [("user", "first"), ("user", "second"), ("assistant", "done")]
    assert rest == []


def test_a_block_on_tool_results_is_no_ask() -> None:
    """In Anthropic's shape our block may stand beside tool results; nobody said it."""
    dialect = dialect_named("anthropic.messages")
    use = {"type": "tool_use", "id": "t", "name": "look", "input": {}}
    results = {"type": "tool_result", "tool_use_id": "t", "content": "found"}
    talk = [
        user("Where is it?"),
        {"role": "assistant", "content": [use]},
        {"role": "user", "content": [results, {"type": "text", "text": block("x").strip()}]},
    ]
    heard = hear(talk, dialect, CLEAN)
    assert [said.text for said in heard.asks] == ["Where is it?"]
    assert heard.goes_on
    # Extractors that ask for tool traffic get the result, and not the block beside it.
    assert [json.loads(step.text) for step in heard.steps][1:] == [[results]]


@pytest.mark.parametrize("kind", [dict, MappingProxyType, UserDict])
def test_a_tools_result_is_told_whole_whatever_mapping_holds_it(kind: Any) -> None:
    """A reading keeps long texts as digests; what is learned from needs the words."""
    said = "found " * 100
    talk = [user("look"), calling(ident="c1"), result(said, "c1")]
    heard = hear([kind(message) for message in talk], CHAT, CLEAN)
    assert heard.steps[-1].text == said
