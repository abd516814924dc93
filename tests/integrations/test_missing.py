"""What a hook says where its framework is not installed, and how its classes come about."""

from __future__ import annotations

import importlib
import sys
from typing import Any

import pytest

from memory_injection import MemoryManager, MissingDependencyError
from memory_injection.integrations.joining import base_class, joined
from memory_injection.testing import FakeStore

# module of ours, what is made from it, the framework's modules it is made with, the extra
HOOKS = [
    ("langchain", "MemoryMiddleware", ("langchain.agents.middleware",), "langchain"),
    ("pydantic_ai", "MemoryCapability", ("pydantic_ai.capabilities",), "pydantic-ai"),
    ("openai_agents", "MemoryHooks", ("agents.lifecycle",), "openai-agents"),
    ("llama_index", "memory_block", ("llama_index.core.memory",), "llama-index"),
    ("strands_agents", "MemoryPlugin", ("strands.middleware",), "strands-agents"),
    ("strands_agents", "StrandsStore", ("strands.memory.types",), "strands-agents"),
    ("google_adk", "MemoryPlugin", ("google.adk.plugins.base_plugin",), "google-adk"),
    ("agent_framework", "MemoryMiddleware", ("agent_framework",), "agent-framework"),
    ("agent_framework", "MemoryContextProvider", ("agent_framework",), "agent-framework"),
    ("litellm", "MemoryLogger", ("litellm.integrations.custom_logger",), "litellm"),
]


@pytest.mark.parametrize(("module", "name", "theirs", "extra"), HOOKS)
def test_a_missing_framework_is_named_with_its_extra(
    module: str, name: str, theirs: tuple[str, ...], extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Our module can be imported all the same; the error is raised when a hook is made."""
    for one in theirs:
        monkeypatch.setitem(sys.modules, one, None)
    make: Any = getattr(importlib.import_module(f"memory_injection.integrations.{module}"), name)
    with MemoryManager([FakeStore()]) as memory, pytest.raises(MissingDependencyError) as error:
        make(memory)
    assert f"pip install 'memory-injection[{extra}]'" in str(error.value)


class Base:
    """Stands in for a framework's class."""


class Own:
    def __new__(cls) -> Own:
        return object.__new__(joined(cls, Base))


def test_a_joined_class_is_both_and_is_made_once() -> None:
    """A class derived from it joins its own way; one that is both already stays as it is."""

    class Derived(Own):
        pass

    assert isinstance(Own(), Own)
    assert isinstance(Own(), Base)
    assert type(Own()) is type(Own())
    assert type(Own()).__name__ == "Own"
    assert isinstance(Derived(), Derived)
    assert joined(type(Own()), Base) is type(Own())


def test_a_framework_without_the_class_counts_as_missing() -> None:
    """An old version is told like none at all."""
    assert base_class("collections", "OrderedDict").__name__ == "OrderedDict"
    with pytest.raises(ImportError, match="collections has no Middleware"):
        base_class("collections", "Middleware")
