"""A conversation goes on with another model: its blocks are weighed by that model's counter."""

from __future__ import annotations

import pytest

from memory_injection import InMemoryLedger, MemoryManager
from memory_injection.counters import counter_for
from memory_injection.sqlite_ledger import SQLiteLedger
from memory_injection.testing import FakeStore

FACTS = [f"fact number {n} says {'word ' * 30}end" for n in range(3)]


class Every:
    """A counter that takes so many characters for a token, and notes what it counted."""

    def __init__(self, characters):
        self.name = f"every {characters}"
        self.counted = []
        self._characters = characters

    def count(self, text):
        self.counted.append(text)
        return -(-len(text) // self._characters)


THIN, DENSE = 8, 1


@pytest.fixture(params=["memory", "file"])
def ledger(request, tmp_path):
    if request.param == "memory":
        yield InMemoryLedger()
    else:
        opened = SQLiteLedger(tmp_path / "ledger.db")
        yield opened
        opened.close()


@pytest.fixture
def manager(ledger):
    """Make managers on one ledger, as if the model had been changed between two calls."""
    opened = []

    def make(characters, answer=FACTS, **config):
        counter = Every(characters)
        injection = {"min_relevance": None, **config}
        memory = MemoryManager(
            [FakeStore(answer)], injection=injection, ledger=ledger, counter=counter
        )
        memory.seen = counter
        opened.append(memory)
        return memory

    yield make
    for memory in opened:
        memory.close()


def size(messages, system=""):
    """Count as the dense counter does, with four tokens a message."""
    return sum(len(m["content"]) + 4 for m in messages) + len(system)


def turns(memory, number, history=()):
    history = list(history)
    for n in range(number):
        history.append({"role": "user", "content": f"what about thing number {n} there?"})
        memory.inject(history)
        history.append({"role": "assistant", "content": "fine"})
    return [*history, {"role": "user", "content": "and what of all that?"}]


def on_thing(query, options):
    return [f"{query}: {'word ' * 30}"]


@pytest.mark.parametrize("keep", ["conversation", "auto"])
def test_the_window_holds_after_a_change(manager, keep):
    """Blocks written for a model that packs more into a token leave when they no longer fit."""
    history = turns(manager(THIN, on_thing, keep=keep), 8)
    for window in range(400, 2400, 100):
        result = manager(DENSE, on_thing, context_window=window, keep=keep).inject(history)
        assert size(result.messages) <= max(window, size(history))


def test_the_budget_of_carried_blocks_is_the_new_models(manager):
    """``carry_budget`` and the report's figures are in tokens of the model asked for."""
    history = turns(manager(THIN, on_thing), 8)
    same = manager(THIN, on_thing, carry_budget=600).inject(history).report
    report = manager(DENSE, on_thing, carry_budget=600).inject(history).report
    assert same.replayed_blocks == 8
    assert report.replayed_blocks < 4
    assert report.carried_tokens <= 600


@pytest.mark.parametrize("placement", ["user", "system"])
def test_a_retry_on_another_model_gets_a_block_that_fits(manager, placement):
    """The block of the first try is too large: a smaller one takes its place, and stays."""
    ask = [{"role": "user", "content": "what about it all?"}]
    first = manager(THIN, placement=placement).inject(ask)
    assert len(first.block.entries) == 3
    retry = manager(DENSE, context_window=400, placement=placement)
    second, third = retry.inject(ask), retry.inject(ask)
    assert size(second.messages) <= 400
    assert (second.report.status, len(second.block.entries)) == ("injected", 1)
    assert "left out: too large" in second.report.warnings[0]
    assert third.messages == second.messages
    assert third.report.tokens == len(second.block.text)


def test_a_retry_on_another_model_keeps_within_the_budget(manager):
    """The cap on a block is in tokens of the model asked for, for one that is replayed too."""
    ask = [{"role": "user", "content": "what about it all?"}]
    manager(THIN, token_budget=300).inject(ask)
    result = manager(DENSE, token_budget=300).inject(ask)
    assert result.report.status == "injected"
    assert result.report.tokens == len(result.block.text) <= 300


@pytest.mark.parametrize("kept", ["clean", "result"])
def test_where_nothing_fits_the_block_is_left_out_and_said_so(manager, kept):
    """Also in the next step of a tool loop, and out of messages that hold it already."""
    ask = [{"role": "user", "content": "what about it all?"}]
    first = manager(THIN).inject(ask)
    memory = manager(DENSE, context_window=100)
    given = first.messages if kept == "result" else ask
    result = memory.inject(given)
    assert result.messages == ask
    assert (result.report.status, result.report.reason) == ("skipped", "budget")
    loop = memory.inject([*given, {"role": "assistant", "content": "let me look"}])
    assert loop.messages[0] == ask[0]
    assert loop.block is None
    assert (loop.report.tokens, loop.report.carried_tokens) == (0, 0)
    assert "left out: too large" in loop.report.warnings[0]


def test_a_block_left_out_comes_back_with_the_model_it_fits(manager):
    """A fallback of one call changes nothing in the ledger but what it replaces."""
    ask = [{"role": "user", "content": "what about it all?"}]
    first = manager(THIN).inject(ask)
    manager(DENSE, context_window=100).inject(ask)
    assert manager(THIN).inject(ask).messages == first.messages


def test_of_two_models_at_once_neither_gets_too_much(manager):
    """The block of the call that was faster stands only where it fits."""
    ask = [{"role": "user", "content": "what about it all?"}]
    quick = manager(THIN)

    def slow(query, options):
        quick.inject(ask)
        return FACTS

    result = manager(DENSE, slow, context_window=400).inject(ask)
    assert result.messages == ask
    assert (result.report.status, result.report.reason) == ("skipped", "budget")


def test_nothing_is_weighed_anew_while_the_model_stays(manager):
    """Each block is counted once when it is written, and once more after a change."""
    history = turns(manager(THIN, on_thing), 6)
    same = manager(THIN, ())
    same.inject(history)
    assert not [text for text in same.seen.counted if "<memory>" in text]
    other = manager(DENSE, ())
    for _ in range(3):
        other.inject(history)
    assert len([text for text in other.seen.counted if "<memory>" in text]) == 6


def test_near_the_window_both_ways_of_keeping_history_send_the_same(manager):
    """A block that stands in the messages already is not counted twice."""
    for window in range(500, 2000, 100):
        sent = []
        for keeps in ("clean", "result"):
            with MemoryManager(
                [FakeStore(on_thing)], counter=Every(DENSE),
                injection={"context_window": window, "min_relevance": None},
            ) as memory:  # fmt: skip
                history = []
                for n in range(6):
                    history.append({"role": "user", "content": f"what about thing {n} there?"})
                    result = memory.inject(history)
                    sent.append((keeps, n, list(result.messages)))
                    if keeps == "result":
                        history = list(result.messages)
                    history.append({"role": "assistant", "content": "fine"})
        half = len(sent) // 2
        assert [s[1:] for s in sent[:half]] == [s[1:] for s in sent[half:]]


def test_the_models_own_counters_are_told_apart():
    """By name: a family counted with a factor weighs the same block anew."""
    with MemoryManager([FakeStore(on_thing)]) as memory:
        ask = [{"role": "user", "content": "what about the weather there?"}]
        block = memory.inject(ask, model="gpt-4o").block
        again = memory.inject(ask, model="llama-3-70b").report
    assert again.status == "replayed"
    assert again.tokens == counter_for("llama-3-70b").count(block.text)
