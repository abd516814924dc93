"""Lock files where there are no locks."""

from __future__ import annotations

import errno
import logging
import os
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from memory_injection import Scope, StoreError
from memory_injection.files import create_memory_provider
from memory_injection.stores import SQLiteStore, locks
from memory_injection.stores.database import Database

ADA = Scope(user="ada")

REFUSALS = [
    NotImplementedError("FileSystem does not appear to support flock"),
    OSError(errno.ENOLCK, os.strerror(errno.ENOLCK)),
    OSError(errno.EOPNOTSUPP, os.strerror(errno.EOPNOTSUPP)),
]


@pytest.fixture(params=REFUSALS, ids=lambda error: type(error).__name__ + str(error.args[0])[:3])
def refusal(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Exception:
    """A file system that refuses to lock, as filelock tells it."""
    error: Exception = request.param

    class Refusing:
        def __init__(self, *_: Any, **__: Any) -> None:
            pass

        def acquire(self, **_: Any) -> None:
            raise error

    monkeypatch.setattr(locks, "FileLock", Refusing)
    return error


def test_a_file_that_cannot_be_locked_is_named(refusal: Exception, tmp_path: Path) -> None:
    """With what to do about it; what the file system said is the cause."""
    with (
        pytest.raises(
            StoreError, match=r"lock' cannot be locked: its file system has no"
        ) as caught,
        locks.locked(tmp_path / "lock", 0, "notes"),
    ):
        raise AssertionError
    assert "local disk" in str(caught.value)
    assert str(tmp_path) in str(caught.value)
    assert caught.value.__cause__ is refusal
    assert caught.value.store == "notes"


def test_a_folder_that_is_none_is_another_matter(tmp_path: Path) -> None:
    """What the disk says, and no advice about file systems."""
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(StoreError, match=r"lock' cannot be locked: (?!its file system)"),
        locks.locked(tmp_path / "file" / "lock", 0),
    ):
        raise AssertionError


def test_records_are_left_as_they_are(refusal: Exception, tmp_path: Path) -> None:
    """New ones need no lock; rewriting and deleting say what is missing."""
    provider = create_memory_provider(tmp_path)
    ident = provider.add("zebra")
    for work in (
        lambda: provider.update(ident, content="lion"),
        lambda: provider.forget(ident),
        lambda: provider.erase(ADA) if provider.add("x", scope=ADA) else None,
    ):
        with pytest.raises(StoreError, match=r"\.lock' cannot be locked"):
            work()
    found = provider.get(ident)
    assert found is not None
    assert found.content == "zebra"


def test_without_an_index_fts5_finds(
    refusal: Exception, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The log says so once, not at every write; and nothing is left lying about."""
    pytest.importorskip("tantivy")
    with SQLiteStore(tmp_path / "n.db", engine="tantivy") as store:
        with caplog.at_level(logging.WARNING):
            for number in range(5):
                store.add(f"zebra {number}")
        assert len(store.search("zebra")) == 5
    told = [record for record in caplog.records if "cannot be locked" in record.getMessage()]
    assert len(told) == 1
    assert list((tmp_path / "n.db.tantivy").iterdir()) == []


def test_without_an_index_vectors_are_searched_exactly(
    refusal: Exception, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The same for the approximate one."""
    pytest.importorskip("numpy")
    pytest.importorskip("usearch")
    from memory_injection.stores import VectorStore

    def embed(texts: list[str]) -> list[list[float]]:
        return [[1.0, len(text) / 9] for text in texts]

    with VectorStore(tmp_path / "n.db", embedder=embed, index="usearch") as store:
        with caplog.at_level(logging.WARNING):
            for number in range(5):
                store.add(f"zebra {number}")
        assert len(store.search("zebra")) == 5
    told = [record for record in caplog.records if "cannot be locked" in record.getMessage()]
    assert len(told) == 1


def test_an_index_in_the_way_of_an_erasure_is_named(refusal: Exception, tmp_path: Path) -> None:
    """It may hold what is to be erased; without its folder the erasure goes through."""
    folder = tmp_path / "n.db.tantivy"
    folder.mkdir()
    with SQLiteStore(tmp_path / "n.db", engine="fts5") as store:
        store.add("zebra", scope=ADA)
        with pytest.raises(StoreError, match=r"nothing was erased: .* or remove that folder"):
            store.erase(ADA)
        assert store.count(scope=ADA) == 1
        folder.rmdir()
        assert store.erase(ADA) == 1


def test_sqlites_own_word_for_it_is_explained(tmp_path: Path) -> None:
    """The table itself cannot do without locks."""
    database = Database(tmp_path / "n.db", component="c", migrations=[])
    told = str(database.explain(sqlite3.OperationalError("locking protocol")))
    assert "n.db' cannot be locked: keep it on a file system with locks" in told


def test_attempts_that_fail_leave_no_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each begins an index under a new name; the next one takes it away."""
    pytest.importorskip("tantivy")
    from memory_injection.stores.tantivy_engine import Tantivy

    with SQLiteStore(tmp_path / "n.db", engine="tantivy") as store:
        with monkeypatch.context() as patched:
            patched.setattr(Tantivy, "_keep", _full)
            for number in range(4):
                store.add(f"zebra {number}")
            kept = [one for one in (tmp_path / "n.db.tantivy").iterdir() if one.is_dir()]
            assert len(kept) <= 1
        store.add("zebra 5")
        kept = [one for one in (tmp_path / "n.db.tantivy").iterdir() if one.is_dir()]
        assert len(kept) == 1
        assert len(store.search("zebra")) == 5


def _full(*_: Any) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")
