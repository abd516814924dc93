"""What metadata may hold: what people pass besides JSON's own types, and what is refused."""

from __future__ import annotations

import json
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from enum import Enum, IntEnum
from io import StringIO
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Any
from uuid import UUID

import pytest

from memory_injection.errors import ConfigurationError, InputError
from memory_injection.stores import InMemoryStore, SQLiteStore

NOON = datetime(2026, 1, 2, 12, 0, tzinfo=timezone.utc)


class Colour(Enum):
    RED = "red"


class Level(IntEnum):
    HIGH = 3


class Name(str, Enum):
    ADA = "ada"


KEPT: list[tuple[Any, Any]] = [
    (NOON, "2026-01-02 12:00:00+00:00"),
    (date(2026, 1, 2), "2026-01-02"),
    (timedelta(hours=1), "1:00:00"),
    (UUID(int=5), "00000000-0000-0000-0000-000000000005"),
    (Decimal("1.50"), "1.50"),
    (PurePosixPath("a/b"), "a/b"),
    (Colour.RED, "red"),
    (Level.HIGH, 3),
    (Name.ADA, "ada"),
    ({"b", "a"}, ["a", "b"]),
    (frozenset({2, 10}), [2, 10]),
    ({1, "a"}, [1, "a"]),
    ((1, 2), [1, 2]),
    (MappingProxyType({"x": {Colour.RED}}), {"x": ["red"]}),
    ({1: "one", 2: None}, {"1": "one", "2": None}),
    (10**30, 10**30),
]


@pytest.mark.parametrize(("given", "kept"), KEPT, ids=lambda one: type(one).__name__)
def test_what_people_pass_is_kept_in_a_documented_way(given: Any, kept: Any) -> None:
    with InMemoryStore() as store:
        first = store.add("tea", {"key": given, "other": 1})
        found = store.get(first)
        assert found is not None
        assert found.metadata == {"key": kept, "other": 1}
        assert store.add("tea", {"other": 1, "key": given}) == first


def test_scalars_of_numpy_become_numbers() -> None:
    np = pytest.importorskip("numpy")
    with InMemoryStore() as store:
        entry = store.get(store.add("tea", {"a": np.int64(5), "b": np.float32(0.5)}))
        assert entry is not None
        assert entry.metadata == {"a": 5, "b": 0.5}
        for wrong in (np.array([1, 2]), np.float32("nan"), np.float64("inf")):
            with pytest.raises(InputError, match=r"metadata\['a'\]"):
                store.add("tea", {"a": wrong})


ITSELF: dict[str, Any] = {}
ITSELF["me"] = ITSELF

REFUSED: list[tuple[Any, str]] = [
    ({"key": object()}, r"metadata\['key'\] is of type object"),
    ({"key": b"tea"}, r"metadata\['key'\] is of type bytes"),
    ({"key": {"deep": [1, float("nan")]}}, r"metadata\['key'\]\['deep'\]\[1\] is nan"),
    ({"key": float("-inf")}, r"metadata\['key'\] is -inf"),
    ({"key": {object()}}, r"metadata\['key'\]\[0\] is of type object"),
    ({"key": {(1, 2): 3}}, r"metadata\['key'\] has the key \(1, 2\)"),
    ({"key": lambda: 1}, r"metadata\['key'\] is of type function"),
    (ITSELF, "holds itself"),
]


@pytest.mark.parametrize(("metadata", "said"), REFUSED, ids=lambda one: str(one)[:20])
def test_what_json_cannot_hold_is_refused_by_its_place(metadata: Any, said: str) -> None:
    """Nothing is written."""
    with InMemoryStore() as store:
        with pytest.raises(InputError, match=said):
            store.add("tea", metadata)
        with pytest.raises(InputError, match=said):
            store.add_many(["coffee", {"content": "tea", "metadata": metadata}])
        assert store.count() == 0


def test_an_export_is_json_whatever_an_earlier_version_wrote(tmp_path: Path) -> None:
    """NaN in a file, or in a line, is read as nothing."""
    with SQLiteStore(tmp_path / "m.db") as store:
        store.add("tea", {"a": 1})
        with store._database.write() as session:
            session.conn.execute("UPDATE memory_entries SET metadata = ?", ('{"a":NaN}',))
        out = StringIO()
        store.export(out)

        def refuse(name: str) -> None:
            raise AssertionError(name)

        assert json.loads(out.getvalue(), parse_constant=refuse)["metadata"] == {"a": None}
        report = store.import_lines(['{"content": "coffee", "metadata": {"b": Infinity}}'])
        assert (report.added, report.broken) == (1, [])


@pytest.mark.parametrize("clock", [5, "now", NOON])
def test_a_clock_is_a_function(clock: Any) -> None:
    with pytest.raises(ConfigurationError, match="clock"):
        InMemoryStore(clock=clock)


def test_a_clock_tells_a_time() -> None:
    """A naive one is UTC, as everywhere."""
    with InMemoryStore(clock=lambda: NOON.replace(tzinfo=None)) as store:
        entry = store.get(store.add("tea"))
        assert entry is not None
        assert entry.created_at == NOON
    with InMemoryStore(clock=lambda: 5) as store, pytest.raises(ConfigurationError, match="5"):  # type: ignore[arg-type, return-value]
        store.add("tea")


@pytest.mark.parametrize("language", ["English", "EN", "", "e", 5, "en-GB", b"en"])
def test_a_language_is_a_code(language: Any) -> None:
    with pytest.raises(ConfigurationError, match="language"):
        SQLiteStore(":memory:", language=language)


def test_a_language_without_a_list_and_a_stemmer_is_folded_only() -> None:
    """Capitals and accents do not matter; forms do."""
    with InMemoryStore(language="xx") as store:
        store.add("Kávéház the cats")
        assert store.search("kavehaz")
        assert not store.search("cat")
