"""A full disk: what is remembered is still found, and what cannot be written is said so."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory_injection import MemoryManager
from memory_injection.errors import StoreError
from memory_injection.facts import FactStore
from memory_injection.stores import SQLiteStore
from memory_injection.stores.database import Database
from memory_injection.stores.frozen import out_of_room

from ..full_disk import full_disk


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file of one memory that nobody has open."""
    with SQLiteStore(tmp_path / "m.db") as store:
        store.add("zebra")
    return tmp_path / "m.db"


def found(store: SQLiteStore) -> list[str]:
    return sorted(entry.content for entry in store.search("zebra"))


@pytest.mark.parametrize("writable", [True, False])
def test_a_file_is_opened_and_read(path: Path, writable: bool) -> None:
    """Reading takes no room: not for a program that started when the disk was full already."""
    with SQLiteStore(path, writable=writable) as store, MemoryManager([store]) as memory:
        with full_disk():
            assert out_of_room(path.parent)
            assert found(store) == found(store) == ["zebra"]
            result = memory.inject([{"role": "user", "content": "zebra?"}])
        assert result.report.status == "injected"


def test_writing_says_that_the_disk_is_full_and_goes_on_when_it_is_not(path: Path) -> None:
    """The same store, before and after somebody made room."""
    with SQLiteStore(path) as store:
        with full_disk():
            assert found(store) == ["zebra"]
            with pytest.raises(StoreError, match=r"m\.db' cannot grow: the disk is full"):
                store.add("zebra two")
            assert found(store) == ["zebra"]
        store.add("zebra two")
        assert found(store) == ["zebra", "zebra two"]


def test_what_another_process_writes_is_seen_when_there_is_room_again(path: Path) -> None:
    """Such a file is read as one that never changes: after a change it is opened anew."""
    with SQLiteStore(path) as store:
        with full_disk():
            assert found(store) == ["zebra"]
        with SQLiteStore(path) as other:
            other.add("zebra two")
            assert found(store) == ["zebra", "zebra two"]


@pytest.mark.parametrize("writable", [True, False])
def test_a_log_that_cannot_be_read_is_said_so(path: Path, writable: bool) -> None:
    """Without its log the file would be an older state: no answer, but the reason."""
    with SQLiteStore(path) as store:
        store.add("zebra two")
        for end in ("", "-wal"):
            copy = path.with_name(f"copy.db{end}")
            copy.write_bytes(Path(f"{path}{end}").read_bytes())
    with SQLiteStore(path.with_name("copy.db"), writable=writable) as store:
        with (
            full_disk(),
            pytest.raises(StoreError, match=r"the disk is full, and changes wait in .*db-wal"),
        ):
            store.search("zebra")
        assert found(store) == ["zebra", "zebra two"]


def test_a_file_that_is_new_or_of_an_older_layout_is_not_made_on_a_full_disk(path: Path) -> None:
    """It would have to be written first."""
    new = SQLiteStore(path.with_name("new.db"))
    with full_disk(), pytest.raises(StoreError, match="the disk is full"):
        new.search("zebra")
    new.close()
    older = Database(path, component="entries", migrations=[lambda conn: None] * 99)
    with full_disk(), pytest.raises(StoreError, match="the disk is full"), older.read():
        pass
    older.close()


def test_facts_are_found_too(tmp_path: Path) -> None:
    """Their file has connections of its own."""
    with FactStore(tmp_path / "f.db") as store, store.open(agent="a", run="r") as run:
        run.remember("zebra")
    with FactStore(tmp_path / "f.db") as store, store.open(agent="a", run="r") as run:
        with full_disk():
            assert [fact.text for fact in run.search("zebra")] == ["zebra"]
            with pytest.raises(StoreError, match="the disk is full"):
                run.remember("lion")
        run.remember("lion")


def test_a_disk_that_fails_is_not_called_full(path: Path) -> None:
    """SQLite says "disk I/O error" of both."""
    assert not out_of_room(path.parent)
    assert not out_of_room(path.parent / "gone")
