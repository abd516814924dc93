"""What is wrong with a store's extraction is found when the manager is built."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Protocol

import pytest

from memory_injection.capture import (
    EveryNTurns,
    EveryTurn,
    ExtractionConfig,
    MessageFilter,
    ModelExtractor,
)
from memory_injection.capture.bindings import bind, called_with
from memory_injection.errors import ConfigurationError

from .fakes import Log, Notes, copy_all


def only_add(extraction: Any, **more: Any) -> Any:
    """Return a store with add() and nothing else."""
    return SimpleNamespace(name="s", extraction=extraction, add=lambda content, metadata: None,
                           **more)  # fmt: skip


@pytest.mark.parametrize(
    ("store", "message"),
    [
        (only_add(True), "store 's' has extraction on but neither an extractor nor add_messages"),
        (only_add({"triggers": []}), "ExtractionConfig.triggers = .*at least one trigger"),
        (only_add({"triggers": ["often"]}), "a trigger is EveryTurn"),
        (only_add({"triggers": 0}), "EveryNTurns.turns = 0"),
        (only_add({"extractor": "gpt"}), "an extractor is a callable"),
        (only_add({"trigers": 5}), "ExtractionConfig has no field 'trigers'"),
        (only_add("yes"), r"expected ExtractionConfig\(...\), a dict or True"),
        (only_add({"extractor": copy_all}, writable=False), "but is not writable"),
        (SimpleNamespace(name="s", extraction={"extractor": copy_all}), "but no add()"),
        (only_add({"extractor": copy_all, "retry_most": 0.01}), "retry_most must not be below"),
        (only_add({"extractor": copy_all, "timeout": float("inf")}), "timeout = inf"),
        (only_add({"extractor": copy_all, "quiet_seconds": 1e12}), "quiet_seconds = 1000"),
    ],
)  # fmt: skip
def test_construction_fails_early(store: Any, message: str) -> None:
    """One clear line names the store or the field, the value and the rule."""
    with pytest.raises(ConfigurationError, match=message) as caught:
        bind([store])
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: EveryNTurns(True), "must be a whole number"),
        (lambda: EveryNTurns(1.5), "must be a whole number"),  # type: ignore[arg-type]
        (lambda: MessageFilter(("tools",)), "cannot exclude 'tools'"),
        (lambda: MessageFilter("tool"), "exclude is a tuple of words"),
        (lambda: ExtractionConfig(batch_turns=0), "batch_turns = 0"),
        (lambda: ExtractionConfig(timeout=-1), "timeout = -1"),
    ],
)
def test_wrong_settings_fail_when_built(build: Any, message: str) -> None:
    """Settings refuse what would never fire, never filter or never end."""
    with pytest.raises(ConfigurationError, match=message):
        build()


def test_defaults_are_every_five_turns_without_tools() -> None:
    """True means: every five turns, tool traffic left out, raw messages where they are taken."""
    binding = bind([Log(True)])[0]
    assert binding.config.triggers == (EveryNTurns(5),)
    assert binding.config.filter == MessageFilter(("tool",))
    assert binding.sink == "messages"


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ("everyTurn", (EveryTurn(),)),
        ("every turn", (EveryTurn(),)),
        ("every 3 turns", (EveryNTurns(3),)),
        (3, (EveryNTurns(3),)),
        (EveryTurn(), (EveryTurn(),)),
        ([EveryTurn(), 2], (EveryTurn(), EveryNTurns(2))),
    ],
)
def test_triggers_have_short_forms(given: Any, read: Any) -> None:
    """A word or a number stands for the built-in triggers."""
    assert bind([Log({"triggers": given})])[0].config.triggers == read
    assert ExtractionConfig(trigger=given).triggers == read  # type: ignore[call-arg]


def test_an_extractor_goes_before_add_messages() -> None:
    """A store with both ways in uses the extractor it was given."""
    both = Log(ExtractionConfig(extractor=copy_all))
    both.add = lambda content, metadata=None: None  # type: ignore[attr-defined]
    assert bind([both])[0].sink == "entries"


def test_stores_without_extraction_take_no_part() -> None:
    """Off is the default."""
    assert bind([Notes(False), SimpleNamespace(name="bare")]) == ()


def test_a_turn_hook_of_its_own_is_enough() -> None:
    """A store with on_turn_end gets every whole turn, unless it says it does not want them."""
    hooked = SimpleNamespace(name="files", on_turn_end=lambda turn: None)
    binding = bind([hooked])[0]
    assert (binding.sink, binding.config.triggers) == ("turns", (EveryTurn(),))
    hooked.captures_turns = False
    assert bind([hooked]) == ()


def test_a_protocols_empty_default_is_no_method() -> None:
    """A store that inherits a Protocol's stub has not implemented it."""

    class Sketch(Protocol):
        def add_messages(self, messages: Any, context: Any = None) -> None: ...

    class Store(Sketch):
        name = "s"
        extraction = True

    with pytest.raises(ConfigurationError, match="neither an extractor nor add_messages"):
        bind([Store()])


def test_add_messages_is_called_as_it_was_written() -> None:
    """The context goes by name, by place, or not at all, as the store takes it."""
    seen: list[Any] = []
    called_with(lambda messages, context=None: seen.append((messages, context)), [1], "c")
    called_with(lambda messages, info: seen.append((messages, info)), [1], "c")
    called_with(lambda messages: seen.append((messages,)), [1], "c")
    assert seen == [([1], "c"), ([1], "c"), ([1],)]


def test_a_model_extractor_is_an_extractor() -> None:
    """The ready extractor fits into the settings."""
    extractor = ModelExtractor(lambda prompt: "[]")
    assert bind([only_add({"extractor": extractor})])[0].config.extractor is extractor
