"""Counting keeps to what has to be counted: it runs in the caller's own time."""

from __future__ import annotations

import pytest

from memory_injection import MemoryManager
from memory_injection.testing import FakeStore

LONG = "ab猫c" * 50_000
ASK = {"role": "user", "content": "what is my cat called?"}


class Noting:
    """Counts a token for two characters, and notes how much it was given."""

    name = "noting"

    def __init__(self):
        self.lengths = []

    def count(self, text):
        self.lengths.append(len(text))
        return -(-len(text) // 2)


@pytest.fixture
def counter():
    return Noting()


def inject(counter, entries, messages, **config):
    injection = {"min_relevance": None, **config}
    with MemoryManager([FakeStore(entries)], injection=injection, counter=counter) as memory:
        return memory.inject(messages)


def test_an_entry_that_cannot_fit_is_not_counted_to_its_end(counter):
    """Once it is above the budget for certain, how long it goes on does not matter."""
    result = inject(counter, [LONG, "The cat is called Pamuk."], [ASK])
    assert [entry.content for entry in result.block.entries] == ["The cat is called Pamuk."]
    assert max(counter.lengths) <= 4000
    assert sum(counter.lengths) < 30_000


def test_a_long_text_that_fits_is_counted_exactly(counter):
    """What is compared with the budget is the count of the whole block."""
    result = inject(counter, ["y" * 30_000], [ASK], token_budget=16_000)
    assert result.report.tokens == -(-len(result.block.text) // 2)
    assert inject(counter, ["y" * 33_000], [ASK], token_budget=16_000).report.reason == "budget"


def test_a_text_of_few_tokens_fits_however_long_it_is():
    """Spaces, say, of which a vocabulary has long runs."""

    class Sparing(Noting):
        def count(self, text):
            return -(-len(text) // 100)

    result = inject(Sparing(), ["y" * 100_000], [ASK], token_budget=1200)
    assert result.report.tokens == -(-len(result.block.text) // 100)


def test_what_is_said_is_counted_in_pieces_and_no_further_than_the_window(counter):
    """A conversation past its window has no room, whatever its length."""
    messages = [{"role": "user", "content": LONG}, {"role": "assistant", "content": LONG}, ASK]
    result = inject(counter, ["The cat is called Pamuk."], messages, context_window=20_000)
    assert (result.report.reason, result.report.token_budget) == ("budget", 0)
    assert max(counter.lengths) <= 4000
    assert sum(counter.lengths) < 250_000
    counter.lengths.clear()
    room = inject(counter, ["The cat is called Pamuk."], messages, context_window=200_500).report
    assert room.status == "injected"
    assert max(counter.lengths) <= 4000
    frames = 3 * 4 + 2 * len("user") // 2 + len("assistant") // 2 + 1
    assert room.token_budget == 200_500 - 200_000 - len(ASK["content"]) // 2 - frames
