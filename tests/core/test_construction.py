"""Programming mistakes fail where they are made, naming the value and the rule."""

from __future__ import annotations

import json
import math
import re

import pytest

from memory_injection import (
    ConfigurationError,
    EveryNTurns,
    EveryTurn,
    ExtractionConfig,
    InjectionConfig,
    InMemoryLedger,
    InputError,
    MemoryManager,
    ModelExtractor,
    Scope,
)
from memory_injection.capture import MessageFilter
from memory_injection.counters import BytesCounter
from memory_injection.facts import FactStore
from memory_injection.merging import FusedMerge
from memory_injection.sqlite_ledger import SQLiteLedger
from memory_injection.stores import InMemoryStore, SQLiteStore
from memory_injection.testing import FakeStore


def refused(words):
    return pytest.raises(ConfigurationError, match=re.escape(words))


@pytest.mark.parametrize("counter", ["cl100k_base", b"x", ["cl100k_base"], ("a",), BytesCounter])
def test_what_counts_something_else_is_no_token_counter(counter):
    """A text counts occurrences in itself: nothing would ever be above the budget."""
    with refused("counter"):
        MemoryManager([FakeStore()], counter=counter)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"ledger": SQLiteLedger}, "ledger is the class SQLiteLedger: pass an instance"),
        ({"on_report": [FakeStore]}, "on_report is the class FakeStore: pass an instance"),
        ({"extractor": ModelExtractor}, "extractor is the class ModelExtractor"),
        ({"stores": [SQLiteStore]}, "SQLiteStore is a class: pass a store"),
        ({"injection": {"trigger": EveryNTurns}}, "is a class: pass a function or an instance"),
        ({"injection": {"merge": FusedMerge}}, "is a class: pass a function or an instance"),
        ({"injection": {"query": str}}, "is a class"),
    ],
)
def test_a_class_is_no_instance_of_itself(arguments, words):
    """It has every method, and each call of one would fail."""
    with refused(words):
        MemoryManager(**{"stores": [FakeStore()], **arguments})


@pytest.mark.parametrize("field", ["triggers", "extractor", "filter"])
def test_neither_is_a_class_in_a_config_of_extraction(field):
    """Also a trigger, which could be called, and would then always say yes."""
    with refused("is a class: pass a function or an instance"):
        ExtractionConfig(**{field: EveryTurn})


@pytest.mark.parametrize("trigger", [EveryTurn(), EveryNTurns(2)])
def test_a_trigger_of_learning_is_none_of_injecting(trigger):
    """It would fail in every call; the error says where it belongs."""
    with refused("belongs into ExtractionConfig(triggers=...)"):
        InjectionConfig(trigger=trigger)


@pytest.mark.parametrize("value", ["0.2", 0, -1, float("nan"), float("inf"), True, [1]])
def test_a_stores_own_deadline_is_a_number_above_0(value):
    """Any other would be no deadline at all."""
    store = FakeStore(name="slow")
    store.timeout = value
    with refused(f"store 'slow': timeout must be a number of seconds above 0, not {value!r}"):
        MemoryManager([store])


@pytest.mark.parametrize("value", ["5", 0, -1, 0.5, 1.5, True])
def test_a_stores_own_bound_is_a_whole_number(value):
    """Half a search at once is none."""
    store = FakeStore(name="slow")
    store.max_concurrency = value
    with refused(f"max_concurrency must be a whole number of at least 1, not {value!r}"):
        MemoryManager([store])


@pytest.mark.parametrize("name", ["writable", "takes_context"])
def test_a_stores_flag_is_true_or_false(name):
    """A "no" would be taken for a yes; None is as good as not given."""
    store = FakeStore(name="s")
    setattr(store, name, None)
    MemoryManager([store]).close()
    setattr(store, name, "no")
    with refused(f"store 's': {name} must be True or False, not 'no'"):
        MemoryManager([store])


@pytest.mark.parametrize(
    "make",
    [
        lambda path: MemoryManager([FakeStore()], log_content="no"),
        lambda path: MemoryManager([FakeStore()], log_content=1),
        lambda path: InMemoryStore(writable="no"),
        lambda path: SQLiteStore(path, writable=0),
        lambda path: FactStore(path, writable="no"),
    ],
)
def test_a_flag_is_true_or_false(make, tmp_path):
    """Memory text must not be logged because somebody wrote "no"."""
    with refused("must be True or False"):
        make(tmp_path / "memory.db")


@pytest.mark.parametrize("bound", ["max_records", "max_per_scope"])
def test_a_bound_on_records_is_a_whole_number(bound, tmp_path):
    """SQLite would refuse it at the first write."""
    for make in (InMemoryLedger, lambda **given: SQLiteLedger(tmp_path / "l.db", **given)):
        with refused(f"{bound} must be a whole number of at least 1, not 1.5"):
            make(**{bound: 1.5})


@pytest.mark.parametrize("value", ["2", True, float("nan"), float("inf"), 0])
def test_the_deadline_of_writes_is_a_number_above_0(value):
    """The same rule as for a store's."""
    with refused(f"write_timeout must be a number of seconds above 0, not {value!r}"):
        MemoryManager([FakeStore()], write_timeout=value)


@pytest.mark.parametrize("reserve", [1000, 1001])
def test_what_is_reserved_leaves_room_in_the_window(reserve):
    """Otherwise no block would ever fit."""
    with refused(f"reserve ({reserve}) must be below context_window (1000)"):
        InjectionConfig(context_window=1000, reserve=reserve)
    assert InjectionConfig(context_window=1000, reserve=999).reserve == 999


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"max_entries": 0}, "InjectionConfig.max_entries = 0: must be at least 1"),
        ({"max_entries": 10**6}, "must be at most 1000"),
        ({"max_entries": 1.5}, "max_entries = 1.5: must be a whole number"),
        ({"timeout": "2"}, "timeout = '2': must be a number"),
        ({"timeout": float("inf")}, "timeout = inf: must be a finite number"),
        ({"timeout": 0}, "timeout = 0: must be above 0"),
        ({"keep": "forever"}, "keep = 'forever': must be 'conversation', 'call' or 'auto'"),
        ({"attributes": None}, "attributes = None: must be a tuple or list"),
        ({"attributes": ["foo"]}, "must be 'source', 'date', 'id' or 'score'"),
    ],
)
def test_a_rule_is_told_in_our_own_words(arguments, words):
    """What is wrong is a value; nothing here is called an input."""
    with refused(words) as caught:
        InjectionConfig(**arguments)
    assert "Input" not in str(caught.value)


def test_a_store_that_takes_nothing_in_says_what_it_lacks():
    """A method ``add`` alone is no leave to write."""
    with (
        MemoryManager([FakeStore(name="notes")]) as memory,
        pytest.raises(
            InputError, match=r"'notes': not writable .* writable = True and a method add"
        ),
    ):
        memory.add("The cat is called Pamuk.")


def test_what_may_stand_for_a_config_is_told():
    """With the value that does not."""
    with refused("expected InjectionConfig(...), a dict or True, not 'yes'"):
        MemoryManager([FakeStore()], injection="yes")


@pytest.mark.parametrize("name", ["user", "session", "agent", "run"])
def test_an_id_is_text_that_can_be_written(name):
    """Half of a surrogate pair, as JSON may bring it, would fail in whatever keeps the id."""
    half = json.loads('"a\\ud800"')
    with refused(f"scope {name} 'a\\ud800' holds a lone surrogate"):
        Scope(**{name: half})
    with refused(f"scope {name} "):
        Scope.of({name: half})
    assert Scope(**{name: json.loads('"a\\ud83d\\ude00"')}).ids() == {name: "a😀"}


def test_a_managers_name_is_text_that_can_be_written():
    """It stands in the ledger."""
    with refused("name '\\udfff' holds a lone surrogate"):
        MemoryManager([FakeStore()], name="\udfff")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"max_facts": "5"}, "max_facts must be a whole number of at least 1, not '5'"),
        ({"max_chars": math.nan}, "max_chars must be a whole number of at least 1, not nan"),
        ({"instructions": 7}, "instructions must be a text or None, not 7"),
        ({"options": 7}, "options must be a mapping of arguments, not 7"),
    ],
)
def test_an_extractor_is_built_with_what_it_can_use(arguments, words):
    """It would fail at the first conversation, in another thread."""
    with refused(words):
        ModelExtractor(str, **arguments)


def test_a_filter_and_a_config_say_what_they_take():
    """Neither speaks of Python's own words for types."""
    with refused("exclude is a tuple of words, not 7"):
        MessageFilter(7)
    with refused("filter = 7: must be a MessageFilter or a callable over a message"):
        ExtractionConfig(filter=7)
    with refused("InjectionConfig has no field 1"):
        MemoryManager([FakeStore()], injection={1: 2})


def test_a_wait_is_one_that_a_thread_can_wait():
    """Far greater numbers end in an error of the system, in the middle of a write."""
    with refused("write_timeout must be at most"):
        MemoryManager([FakeStore()], write_timeout=1e300)


@pytest.mark.parametrize("stores", [7, [["notes"]], [None]])
def test_stores_are_named(stores):
    """Whatever is no name is refused, before any store is asked."""
    with MemoryManager([InMemoryStore("notes")]) as memory:
        with pytest.raises(InputError, match="stores must be a list of names, not"):
            memory.search("tea", stores=stores)
        with pytest.raises(InputError, match=re.escape("must name a store to write to, not []")):
            memory.add("tea", stores=[])
        assert memory.search("tea", stores=iter(["notes"])) == []


async def test_a_wrong_timeout_closes_nothing():
    """It was a slip: the manager goes on, and can still be closed."""
    store = FakeStore(["a fact"])
    closed = []
    store.close = lambda: closed.append(True)
    memory = MemoryManager([store])
    with pytest.raises(InputError, match="timeout must be a number of seconds from 0"):
        memory.close(timeout=-1)
    with pytest.raises(InputError, match="timeout must be a number of seconds from 0"):
        await memory.aclose(timeout="1")
    ask = [{"role": "user", "content": "What is there to know?"}]
    assert memory.inject(ask).report.status == "injected"
    memory.close(timeout=0)
    assert closed == [True]
