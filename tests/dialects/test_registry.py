"""Dialects are found by name and by shape, and come in by one door."""

import logging
import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from typing import Any

import pytest

from memory_injection import dialects
from memory_injection.dialects import registry
from memory_injection.dialects.openai_chat import OpenAIChat
from memory_injection.errors import ConfigurationError


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[EntryPoint]]:
    """The entry points that are installed: a list the test may add to."""
    points: list[EntryPoint] = []
    monkeypatch.setattr(registry, "entry_points", lambda group: points)
    for cache in (registry._doors, registry._loaded):
        cache.cache_clear()
    yield points
    for cache in (registry._doors, registry._loaded):
        cache.cache_clear()


def entry(name: str, target: str) -> EntryPoint:
    return EntryPoint(name=name, value=target, group=registry.GROUP)


class Letters(OpenAIChat):
    """A dialect of somebody else: letters with a "dear"."""

    name = "letters"

    def certainty(self, message: Any) -> float:
        return 0.9 if "dear" in message else 0.0


def test_a_dialect_is_found_by_its_name():
    """And it is one object, however often it is asked for."""
    found = dialects.dialect_named("openai.chat")
    assert found.name == "openai.chat"
    assert dialects.dialect_named("openai.chat") is found


@pytest.mark.parametrize("name", ["openai", "", None, ["openai.chat"]])
def test_an_unknown_name_is_refused_in_one_line(name: Any):
    """The message names the value and what would have been right."""
    with pytest.raises(ConfigurationError, match=r"unknown dialect .* known are .*openai\.chat"):
        dialects.dialect_named(name)


def test_a_source_checkout_finds_the_built_in_dialects(installed: list[EntryPoint]):
    """Without any installed entry point, the files of the package are the list."""
    assert "openai.chat" in dialects.dialect_names()
    assert dialects.dialect_named("openai.chat").name == "openai.chat"


def test_a_broken_file_of_the_package_takes_no_other_with_it(
    installed: list[EntryPoint], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    """Detection is part of every call, and no call may fail for it."""
    monkeypatch.setitem(sys.modules, "memory_injection.dialects.gemini", None)
    with caplog.at_level(logging.WARNING):
        found = dialects.detect([{"role": "user", "content": "Hi"}])
    assert found is not None
    assert found.name == "openai.chat"
    assert "gemini" not in dialects.dialect_names()
    assert "memory_injection.dialects.gemini cannot be imported" in caplog.text


def test_the_declared_entry_points_are_the_dialects_of_the_package(installed: list[EntryPoint]):
    """pyproject.toml and the folder agree, so that wheel and checkout behave alike."""
    declared = {point.name: point.load().name for point in _declared() if "dialects" in point.value}
    assert declared == {name: name for name in dialects.dialect_names()}


def _declared() -> list[EntryPoint]:
    """Read the entry points out of pyproject.toml, which tomllib can do from 3.11 on only."""
    from pathlib import Path

    text = Path(__file__).parents[2].joinpath("pyproject.toml").read_text(encoding="utf-8")
    section = text.split(f'[project.entry-points."{registry.GROUP}"]')[1].split("\n[")[0]
    pairs = (line.split(" = ") for line in section.splitlines() if " = " in line)
    return [entry(name.strip('"'), target.strip('"')) for name, target in pairs]


def test_a_dialect_of_another_package_enters_by_the_same_door(
    installed: list[EntryPoint], monkeypatch: pytest.MonkeyPatch
):
    """It is found by name and takes part in detection."""
    monkeypatch.setattr(EntryPoint, "load", lambda point: Letters)
    installed.append(entry("letters", "elsewhere:Letters"))
    assert dialects.dialect_named("letters").name == "letters"
    found = dialects.detect([{"dear": "Ann"}])
    assert found is not None
    assert found.name == "letters"


def test_a_dialect_that_stumbles_over_a_message_is_out_of_the_running(
    installed: list[EntryPoint], monkeypatch: pytest.MonkeyPatch
):
    """Its error is not the caller's, and the others still have their say."""
    monkeypatch.setattr(EntryPoint, "load", lambda point: Letters)
    installed.append(entry("letters", "elsewhere:Letters"))
    assert dialects.detect([7]) is None


def test_a_broken_plug_in_is_named_and_leaves_the_others_alone(
    installed: list[EntryPoint], caplog: pytest.LogCaptureFixture
):
    """Asked for, it is an error; in detection, one warning, however often it is met."""
    installed.append(entry("broken", "no_such_module:Nothing"))
    with caplog.at_level(logging.WARNING):
        found = [dialects.detect([{"role": "user", "content": "Hi"}]) for _ in range(3)]
    assert {dialect and dialect.name for dialect in found} == {"openai.chat"}
    assert caplog.text.count("broken") == 1
    with pytest.raises(ConfigurationError, match="'broken' cannot be loaded: No module named"):
        dialects.dialect_named("broken")


@pytest.mark.parametrize("messages", [[], [{"speaker": "me", "words": "Hi"}], [42], [None]])
def test_a_shape_nobody_knows_is_nobodys(messages: list[Any]):
    """The caller leaves it alone and says so."""
    assert dialects.detect(messages) is None
    assert dialects.detect_body({"messages": messages}) is None
