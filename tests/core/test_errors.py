"""What the library raises, as other programs handle it."""

from __future__ import annotations

import copy
import pickle

import pytest

from memory_injection.errors import (
    FactRefused,
    InputError,
    MemoryInjectionError,
    MissingDependencyError,
    StoreError,
    StoreErrors,
)
from memory_injection.facts import MalformedFact
from memory_injection.tools import ToolRefused

ERRORS = [
    InputError("told"),
    FactRefused("not_found", 404, "there is no fact"),
    MalformedFact("text is blank"),
    MissingDependencyError("torch", "embeddings", "semantic search"),
    StoreError("disk full", "notes"),
    StoreErrors("2 stores failed", [StoreError("disk full", "a"), StoreError("locked", "b")]),
    ToolRefused("busy", "try later"),
]


def _told(error: MemoryInjectionError) -> dict[str, object]:
    """Return its public attributes: before Python 3.11 a group keeps its errors beside them."""
    return {name: value for name, value in vars(error).items() if not name.startswith("_")}


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_an_error_can_be_sent_to_another_process(error: MemoryInjectionError) -> None:
    """Pickled or copied it has the same type, text and attributes."""
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(again) is type(error)
        assert str(again) == str(error)
        assert _told(again) == _told(error)
        if isinstance(error, StoreErrors):
            assert [str(one) for one in again.exceptions] == ["disk full", "locked"]
