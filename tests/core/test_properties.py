"""What holds for every conversation and every memory."""

from __future__ import annotations

import asyncio
import copy
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lxml import etree

from memory_injection import MemoryManager
from memory_injection.counters import BYTES, ScaledCounter, counter_for
from memory_injection.dialects.registry import dialect_named
from memory_injection.rendering import find_blocks, legal_text, parse_block, render_block
from memory_injection.testing import FakeStore, assert_prefix_stable, common_prefix

from .strategies import conversations, entry_lists, memories

OPENAI = dialect_named("openai.chat")
COUNTERS = {
    "o200k": counter_for("gpt-4o", 10),
    "cl100k": counter_for("gpt-4", 10),
    "bytes": BYTES,
    "scaled": ScaledCounter(BYTES, 1.5),
    "words": type("Words", (), {"name": "words", "count": lambda self, t: len(t.split())})(),
}
relaxed = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=80)


def manager(found, **injection):
    store = FakeStore(lambda query, options: found, name="st<o>re")
    return MemoryManager([store], injection={"min_relevance": None, "timeout": 10, **injection})


@relaxed
@given(conversations(), entry_lists, st.sampled_from(["userTurn", "everyTurn"]))
def test_the_input_is_never_changed(messages, found, trigger):
    """New lists and dicts share what did not change; the caller's own are as they were."""
    before = copy.deepcopy(messages)
    ids = list(map(id, messages))
    with manager(found, trigger=trigger) as memory:
        result = memory.inject(messages)
    assert messages == before
    assert list(map(id, messages)) == ids
    assert result.messages is not messages


@relaxed
@given(conversations(), entry_lists, st.sampled_from(["userTurn", "everyTurn"]))
def test_inject_twice_is_inject_once(messages, found, trigger):
    """A second injection changes nothing, whoever does it."""
    with manager(found, trigger=trigger) as memory, manager(found, trigger=trigger) as stranger:
        once = memory.inject(messages)
        assert memory.inject(once.messages).messages == once.messages
        assert memory.inject(messages).messages == once.messages
        if trigger == "userTurn":
            assert stranger.inject(once.messages).messages == once.messages


@relaxed
@given(conversations(), entry_lists)
def test_taking_the_block_out_gives_the_input_back(messages, found):
    """strip(inject(x)) = x: everything but the block is untouched."""
    with manager(found) as memory:
        result = memory.inject(messages)
    if result.report.status != "injected":
        assert result.messages == messages
        return
    changed = [at for at, m in enumerate(result.messages) if m != messages[at]]
    assert len(changed) == 1
    at = changed[0]
    restored = list(result.messages)
    restored[at] = OPENAI.remove(restored[at], [result.block.text])
    assert restored == messages


@relaxed
@given(conversations(), entry_lists)
def test_the_block_is_appended_and_the_prefix_is_the_same(messages, found):
    """Up to the message with the block every byte is equal, and its own content comes first."""
    with manager(found) as memory:
        result = memory.inject(messages)
    if result.block is None:
        return
    at = common_prefix(messages, result.messages)
    assert result.messages[at]["role"] == "user"
    assert result.messages[at + 1 :] == messages[at + 1 :]
    given_content, written = messages[at]["content"], result.messages[at]["content"]
    if isinstance(given_content, str):
        assert written.startswith(given_content)
        assert written.endswith("\n\n" + result.block.text)
    else:
        assert written[:-1] == given_content
        assert written[-1] == {"type": "text", "text": result.block.text}


@relaxed
@given(entry_lists, st.integers(1, 300), st.sampled_from(sorted(COUNTERS)))
def test_no_block_is_above_its_budget(found, budget, counter):
    """Counted with the same tokenizer, tags included, whatever the texts."""
    config = {"token_budget": budget, "min_relevance": None, "timeout": 10}
    store = FakeStore(lambda query, options: found)
    with MemoryManager([store], injection=config, counter=COUNTERS[counter]) as memory:
        result = memory.inject([{"role": "user", "content": "what is there to know?"}])
    if result.block is not None:
        assert COUNTERS[counter].count(result.block.text) <= budget
        assert result.block.tokens == COUNTERS[counter].count(result.block.text)


@relaxed
@given(
    entry_lists.filter(bool),
    st.lists(st.sampled_from(["source", "date", "id", "score"]), unique=True),
)
def test_every_block_parses_and_gives_back_each_text(found, attributes):
    """No text closes the block, opens a tag or adds an attribute."""
    block = render_block(found, tuple(attributes))
    root = etree.fromstring(block.encode())
    assert root.tag == "memory"
    assert [e.text or "" for e in root] == [legal_text(e.content) for e in found]
    assert all(set(e.attrib) <= set(attributes) and len(e) == 0 for e in root)
    if not any("\r" in e.content or "\r" in (e.id or "") for e in found):
        assert [e.get("id") for e in root] == [
            legal_text(e.id) if "id" in attributes and e.id else None for e in found
        ]
    assert find_blocks(block) == [block]
    assert [shown.content for shown in parse_block(block)] == [legal_text(e.content) for e in found]
    assert block.count("<memory>") == 1
    assert block.encode("utf-8")


@relaxed
@given(conversations(), entry_lists, st.sampled_from(["userTurn", "everyTurn"]))
def test_sync_and_async_are_the_same(messages, found, trigger):
    """Same arguments, same results."""
    with manager(found, trigger=trigger) as one, manager(found, trigger=trigger) as other:
        sync = one.inject(messages, model="gpt-4o")
        async_ = asyncio.run(other.ainject(messages, model="gpt-4o"))
    assert sync.messages == async_.messages
    timeless = [
        {k: v for k, v in r.report.to_dict().items() if k not in ("seconds", "stores")}
        for r in (sync, async_)
    ]
    assert timeless[0] == timeless[1]


@relaxed
@given(conversations(), st.lists(memories, min_size=1, max_size=6), st.booleans())
def test_every_conversation_keeps_its_prefix(messages, facts, keeps_result):
    """Grown message by message, each request starts with the previous one whole."""
    store = FakeStore(lambda query, options: facts[: 1 + len(query) % len(facts)])
    with MemoryManager([store], injection={"min_relevance": None}) as memory:
        sent, history = [], []
        for message in messages:
            history = [*history, message]
            if message["role"] in ("user", "tool"):
                result = memory.inject(history)
                sent.append(copy.deepcopy(result.messages))
                if keeps_result:
                    history = result.messages
    assert_prefix_stable(sent)


@relaxed
@given(conversations(), entry_lists)
def test_the_report_is_json(messages, found):
    """It can be written to a log or a database as it is."""
    with manager(found) as memory:
        report = memory.inject(messages).report
    assert json.loads(report.to_json())["status"] == report.status


@pytest.mark.parametrize("kind", [tuple, iter, lambda m: (x for x in m)])
def test_any_iterable_of_messages_is_taken(kind):
    """It is read once and comes back as a list of the same things."""
    messages = [{"role": "system", "content": "x"}, {"role": "user", "content": "what is new?"}]
    with manager(["news"]) as memory:
        result = memory.inject(kind(messages))
    assert isinstance(result.messages, list)
    assert result.messages[0] is messages[0]
    assert result.report.status == "injected"
