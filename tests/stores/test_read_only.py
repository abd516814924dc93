"""``writable=False`` where nothing can be written: a read-only folder or file system."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from memory_injection import MemoryManager
from memory_injection.errors import StoreError
from memory_injection.stores import SQLiteStore

pytestmark = pytest.mark.skipif(not hasattr(os, "seteuid"), reason="no users on this system")


@contextmanager
def ordinary_user() -> Iterator[None]:
    """Root may write everything: for a while, be somebody who may not."""
    if os.geteuid() != 0:
        yield
        return
    os.setegid(65534)
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that other users of this machine can enter, with a file of one memory."""
    made = Path(tempfile.mkdtemp())
    with SQLiteStore(made / "m.db") as store:
        store.add("zebra")
    made.chmod(0o555)
    yield made
    made.chmod(0o755)
    shutil.rmtree(made)


def found(store: SQLiteStore) -> list[str]:
    return sorted(entry.content for entry in store.search("zebra"))


def test_a_file_in_a_folder_nobody_may_write_is_read(folder: Path) -> None:
    """Nothing is left beside it, and writing is still refused."""
    with ordinary_user(), SQLiteStore(folder / "m.db", writable=False) as store:
        assert found(store) == found(store) == ["zebra"]
        with pytest.raises(StoreError, match="read-only"):
            store.add("lion")
        with MemoryManager([store]) as memory:
            result = memory.inject([{"role": "user", "content": "zebra?"}])
            assert result.report.status == "injected"
    assert [file.name for file in folder.iterdir()] == ["m.db"]


def test_what_somebody_else_writes_meanwhile_is_seen(folder: Path) -> None:
    """Such a file is read as one that never changes: after a change it is opened anew."""
    with SQLiteStore(folder / "m.db", writable=False) as store:
        with ordinary_user():
            assert found(store) == ["zebra"]
            session = store._database._pool.idle[-1]
            assert found(store) == ["zebra"]
            assert store._database._pool.all == [session]
        folder.chmod(0o755)
        with SQLiteStore(folder / "m.db") as other:
            other.add("zebra two")
        folder.chmod(0o555)
        with ordinary_user():
            assert found(store) == ["zebra", "zebra two"]
        assert session not in store._database._pool.all


def test_a_file_whose_log_cannot_be_read_says_what_to_do(folder: Path) -> None:
    """Without its log it would be an older state, or a broken one."""
    folder.chmod(0o755)
    with SQLiteStore(folder / "m.db") as store:
        store.add("zebra two")
        for end in ("", "-wal"):
            shutil.copy(folder / f"m.db{end}", folder / f"copy.db{end}")
    folder.chmod(0o555)
    with ordinary_user(), SQLiteStore(folder / "copy.db", writable=False) as store:
        with pytest.raises(StoreError, match=r"changes wait in .*copy\.db-wal") as caught:
            store.search("zebra")
        assert "open it once where it can be written" in str(caught.value)
    folder.chmod(0o755)
    with SQLiteStore(folder / "copy.db") as store:
        assert found(store) == ["zebra", "zebra two"]
    folder.chmod(0o555)
    with ordinary_user(), SQLiteStore(folder / "copy.db", writable=False) as store:
        assert found(store) == ["zebra", "zebra two"]


def test_a_writable_store_there_says_how_it_can_be_read(folder: Path) -> None:
    """The default is to write."""
    refused = pytest.raises(StoreError, match=r"read-only \(writable=False reads it\)")
    with ordinary_user(), SQLiteStore(folder / "m.db") as store, refused:
        store.add("lion")
