"""Blocks in a format of the caller's own: only the ledger can tell them from what was said."""

from __future__ import annotations

import pytest

from memory_injection import MemoryManager
from memory_injection.dialects.registry import dialect_named
from memory_injection.pipeline.walk import TrackCache, walk
from memory_injection.testing import FakeStore


def notes(context):
    return "Notes:\n" + "\n".join(entry.content for entry in context.entries)


def said(role, text):
    return {"role": role, "content": text}


ASK, REPLY, NEXT = (
    said("user", "all about it?"),
    said("assistant", "so"),
    said("user", "what else?"),
)


@pytest.fixture
def found():
    return ["tea"]


@pytest.fixture
def manager(found):
    made = []

    def make(**injection):
        store = FakeStore(lambda query, options: list(found))
        made.append(MemoryManager([store], injection={"format": notes, **injection}))
        return made[-1]

    yield make
    for one in made:
        one.close()


def test_a_block_that_begins_like_another_is_found_whole(manager, found):
    """A block one entry shorter stands in the ledger, too; keys must not depend on it."""
    memory = manager()
    memory.inject([said("user", "something else altogether now")])
    found[:] = ["tea", "coffee"]
    first = memory.inject([ASK])
    found[:] = ["milk"]
    kept = memory.inject([*first.messages, REPLY, NEXT])
    assert kept.report.status == "injected"
    found[:] = ["bread"]
    clean = memory.inject([ASK, REPLY, NEXT])
    assert clean.messages == kept.messages


@pytest.mark.parametrize("known", [("Notes:\na", "Notes:\nb"), ("Notes:\nb", "Notes:\na")])
def test_blocks_of_one_message_are_read_in_the_order_they_stand(known):
    """Whatever order the ledger names them in, the message says what it says without them."""
    dialect, cache = dialect_named("openai.chat"), TrackCache()
    clean = walk([said("user", "hi")], dialect, cache)
    held = walk([said("user", "hi\n\nNotes:\na\n\nNotes:\nb")], dialect, cache, known)
    assert held[0].blocks == ("Notes:\na", "Notes:\nb")
    assert held.last_key == clean.last_key


def test_a_conversation_without_known_blocks_is_not_read_again():
    """Somebody with thousands of blocks elsewhere does not wait for them in every call."""
    dialect, cache = dialect_named("openai.chat"), TrackCache()
    known = [f"Notes:\n- fact {number}" for number in range(2000)]
    history = [said("user", f"message {number}") for number in range(50)]
    first = walk(history, dialect, cache, known)
    assert [walk(history, dialect, cache, known)[at] is first[at] for at in range(50)] == [
        True
    ] * 50
    # One that is held after all makes it a reading of its own, with the same keys.
    held = [*history[:-1], said("user", f"message 49\n\n{known[7]}")]
    own = walk(held, dialect, cache, known)
    assert own[49].blocks == (known[7],)
    assert own.last_key == first.last_key


def test_a_custom_block_may_hold_a_default_one():
    """A format that puts a line above the usual block is one block, not two."""
    inner = "<memory>\n<entry>a</entry>\n</memory>"
    text = f"hi\n\nYou know:\n{inner}"
    held = walk(
        [said("user", text)], dialect_named("openai.chat"), TrackCache(), [f"You know:\n{inner}"]
    )
    assert held[0].blocks == (f"You know:\n{inner}",)
    assert held.clean_text(0) == "hi"


def test_a_one_line_block_is_not_seen_in_what_the_user_wrote():
    """A format of one word must not cut that word out of an ask."""
    held = walk([said("user", "I like tea")], dialect_named("openai.chat"), TrackCache(), ["tea"])
    assert held[0].blocks == ()
    assert held.clean_text(0) == "I like tea"


def test_a_custom_system_message_is_written_once(manager):
    """With ``placement="system"`` and a kept history the earlier one is taken out."""
    memory = manager(placement="system")
    once = memory.inject([said("system", "be brief"), ASK])
    assert [message["content"] for message in once.messages] == [
        "be brief", "Notes:\ntea", "all about it?",
    ]  # fmt: skip
    assert memory.inject(once.messages).messages == once.messages
    later = memory.inject([*once.messages, REPLY, NEXT])
    assert sum("Notes:" in message["content"] for message in later.messages) <= 1


def test_a_text_that_xml_cannot_carry_is_in_view_all_the_same(manager, found):
    """The block holds U+FFFD for what the entry holds; it is shown once nevertheless."""
    found[:] = ["a\x00b"]
    memory = manager()
    memory.inject([ASK])
    assert memory.inject([ASK, REPLY, NEXT]).report.status == "replayed"
