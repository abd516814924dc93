"""JSON lines in and out."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_injection.errors import StoreError
from memory_injection.records import Scope
from memory_injection.stores import InMemoryStore

ADA = Scope(user="ada")

TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(str.strip)
ENTRY = st.fixed_dictionaries(
    {"content": TEXT},
    optional={
        "id": TEXT,
        "metadata": st.dictionaries(st.text(max_size=5), st.integers() | st.text(max_size=5)),
        "scope": st.sampled_from([{}, {"user": "ada"}, {"user": "bob", "session": "1"}]),
        "created_at": st.datetimes().map(lambda moment: moment.isoformat()),
    },
)


def lines_of(store: InMemoryStore, **given: Any) -> list[dict[str, Any]]:
    out = io.StringIO()
    store.export(out, **given)
    return [json.loads(line) for line in out.getvalue().splitlines()]


@settings(max_examples=50, deadline=None)
@given(st.lists(ENTRY, max_size=8))
def test_a_round_trip_keeps_everything_and_twice_is_once(entries: list[dict[str, Any]]) -> None:
    """Export, import, export gives the same lines; a second import changes nothing."""
    with InMemoryStore() as first, InMemoryStore() as second:
        first.add_many(entries)
        exported = lines_of(first, everything=True)
        lines = [json.dumps(entry) for entry in exported]
        report = second.import_lines(lines)
        assert (report.added, report.broken) == (len(exported), [])
        assert lines_of(second, everything=True) == exported
        again = second.import_lines(lines)
        assert (again.added, again.updated, again.unchanged) == (0, 0, len(exported))
        assert lines_of(second, everything=True) == exported


def test_what_utf_8_cannot_encode_is_exported_escaped(tmp_path: Path) -> None:
    """Half of a surrogate pair in the metadata comes back as it was."""
    with InMemoryStore() as first, InMemoryStore() as second:
        first.add("tea", {"note": "a\ud800b"}, scope=ADA)
        assert first.export(tmp_path / "out.jsonl", scope=ADA) == 1
        assert second.import_lines(tmp_path / "out.jsonl").added == 1
        assert lines_of(second, scope=ADA)[0]["metadata"] == {"note": "a\ud800b"}
        broken = second.import_lines(['{"content": "x", "scope": {"user": "a\\ud800"}}']).broken
        assert "lone surrogate" in broken[0].reason


def test_a_broken_line_is_named_and_the_rest_goes_in() -> None:
    """Number and reason for each; blank lines are no fault."""
    source = [
        '{"content": "one"}\n',
        "\n",
        "not json\n",
        "[1]\n",
        '{"content": ""}\n',
        '{"content": "x", "scope": {"user": ""}}\n',
        '{"content": "x", "created_at": "soon"}\n',
        '{"content": "x", "metadata": 5}\n',
        '{"content": "two", "id": "2"}',
    ]
    with InMemoryStore() as store:
        report = store.import_lines(source)
        assert report.added == store.count() == 2
        assert [broken.number for broken in report.broken] == [3, 4, 5, 6, 7, 8]
        assert "not JSON" in report.broken[0].reason
        assert "object" in report.broken[1].reason
        changed = store.import_lines(['{"content": "zwei", "id": "2"}'])
        assert (changed.added, changed.updated) == (0, 1)


def test_files_are_read_and_written(tmp_path: Path) -> None:
    """A path works on both sides; a scope says whose memory it is; progress is told."""
    path, told = tmp_path / "m.jsonl", []
    with InMemoryStore() as store:
        store.add_many([f"note {n}" for n in range(1_500)], scope=ADA)
        store.add("shared")
        store.add("Bob's", scope=Scope(user="bob"))
        assert store.export(path, scope=ADA) == 1_501
    with InMemoryStore() as other:
        report = other.import_lines(path, progress=told.append)
        assert report.added == 1_501
        assert told == [1_000, 1_501]
        assert other.count(scope=ADA) == 1_501
        assert other.count() == 1


def test_a_bad_byte_breaks_its_own_line_only(tmp_path: Path) -> None:
    """A file with a byte order mark and a stray byte loses at most that line."""
    path = tmp_path / "m.jsonl"
    path.write_bytes(
        b'\xef\xbb\xbf{"content": "one"}\n{"content": "t\xffwo"}\n{"content": "three"}\n'
    )
    with InMemoryStore() as store:
        report = store.import_lines(path, scope=ADA)
        assert report.added == 3
        assert [entry.content for entry in store.list(scope=ADA)] == ["three", "t\ufffdwo", "one"]


def test_a_file_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    """Reading from and writing to an impossible place is a StoreError with the path."""
    with InMemoryStore() as store:
        with pytest.raises(StoreError, match=r"cannot read .*nowhere"):
            store.import_lines(tmp_path / "nowhere.jsonl")
        with pytest.raises(StoreError, match=r"cannot write .*nowhere"):
            store.export(tmp_path / "nowhere" / "m.jsonl")
