"""Locked, full, read-only, corrupt: a clear error, nothing half-written, and recall fails open."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing, contextmanager

import pytest

from memory_injection.errors import StoreError
from memory_injection.facts import FactStore
from memory_injection.facts.migrations import MIGRATIONS, migrate, version_of
from memory_injection.records import Scope


def fails_open(store, reason):
    """A manager over *store* leaves the request as it is and says why."""
    manager = pytest.importorskip("memory_injection.manager")
    messages = [{"role": "user", "content": "What tea does she like?"}]
    with manager.MemoryManager([store], injection=True) as memory:
        result = memory.inject(messages, model="gpt-4o", scope=Scope(user="u1", agent="a"))
    assert result.messages == messages
    assert result.report.status == "failed"
    assert reason in str(result.report)


@contextmanager
def ordinary_user():
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
def public(tmp_path_factory):
    """A folder that other users of this machine can enter."""
    import tempfile
    from pathlib import Path

    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.mark.skipif(not hasattr(os, "seteuid"), reason="no users on this system")
def test_a_read_only_file(public):
    """Writing is refused with the reason, reading goes on, and the file stays as it was."""
    path = public / "facts.db"
    with FactStore(path) as store:
        store.open(agent="a", run="r").remember("tea")
    path.chmod(0o444)
    before = path.read_bytes()
    with ordinary_user(), FactStore(path) as store:
        mem = store.open(agent="a", run="r")
        with pytest.raises(StoreError, match="it is read-only"):
            mem.remember("coffee")
        with pytest.raises(StoreError, match="it is read-only"):
            store.erase_user("a", "u1")
        assert [f.text for f in mem.search("tea")] == ["tea"]
    assert path.read_bytes() == before


@pytest.mark.skipif(not hasattr(os, "seteuid"), reason="no users on this system")
def test_a_read_only_file_can_be_copied(public):
    """A sandbox of it takes writes; a file without facts would have to be written first."""
    path, old = public / "facts.db", public / "old.db"
    with FactStore(path) as store:
        store.add("tea")
    with closing(sqlite3.connect(old)) as db:
        db.execute("CREATE TABLE other (x)")
    for file in (path, old):
        file.chmod(0o444)
    with ordinary_user(), FactStore(path) as store, store.sandbox() as box:
        box.add("coffee")
        assert len(box.search("")) == 2
        assert len(store.search("")) == 1
    with ordinary_user(), FactStore(old) as store, pytest.raises(StoreError, match="read-only"):
        store.search("tea")


@pytest.mark.skipif(not hasattr(os, "seteuid"), reason="no users on this system")
@pytest.mark.parametrize("version", range(1, len(MIGRATIONS)))
def test_a_read_only_file_of_every_earlier_version(public, version):
    """It is brought up to date in memory; the file stays as it is."""
    path = public / "facts.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        migrate(db, MIGRATIONS[:version])
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("INSERT INTO fact_agents VALUES ('', 1, 1)")
        db.execute("INSERT INTO fact_spaces VALUES (1, '', '', '', '', 1, 1)")
        db.execute(
            "INSERT INTO facts VALUES (1, 'm_1', 1, '', 'tea', '[]', NULL, 1, 0, 0, NULL, 'code',"
            " 1, 'tea', NULL)"
        )
        db.execute("INSERT INTO fact_postings VALUES (1, 'tea', 1, 1, 1)")
    before = path.read_bytes()
    path.chmod(0o444)
    with ordinary_user(), FactStore(path) as store, store.sandbox() as box:
        assert [entry.content for entry in store.search("tea")] == ["tea"]
        assert [entry.content for entry in store.search("tea")] == ["tea"]
        box.add("coffee")
        assert len(box.search("")) == 2
        with pytest.raises(StoreError, match="it is read-only"):
            store.add("coffee")
    assert path.read_bytes() == before


@pytest.mark.skipif(not hasattr(os, "seteuid"), reason="no users on this system")
def test_a_folder_nobody_may_write(public):
    """A file that cannot be made is an error at the first use."""
    store = FactStore(public / "facts.db")
    with ordinary_user(), pytest.raises(StoreError, match="it cannot be opened"):
        store.open(agent="a", run="r").remember("tea")
    assert list(public.iterdir()) == []


def test_a_missing_folder(tmp_path):
    """Nothing is made on the way, and the next try goes through once it is there."""
    with FactStore(tmp_path / "no" / "facts.db") as store:
        mem = store.open(agent="a", run="r")
        with pytest.raises(StoreError, match=r"no/facts\.db'?: it cannot be opened"):
            mem.search("tea")
        fails_open(FactStore(tmp_path / "no" / "facts.db"), "cannot be opened")
        (tmp_path / "no").mkdir()
        assert mem.remember("tea").version == 1


@pytest.mark.parametrize("step", ["new", "replace", "key"])
def test_a_full_database(path, step, consistent):
    """A file that may not grow: the write that does not fit is rolled back whole."""
    with FactStore(path) as store:
        mem = store.open(agent="a", run="r", user="u1")
        first = mem.remember("tea", path="users/{user}/")
        db = store._backend._writer
        pages = db.execute("PRAGMA page_count").fetchone()[0]
        db.execute(f"PRAGMA max_page_count = {pages}")
        long = " ".join(f"word{at:03d}" for at in range(490))
        written = []

        def fill():
            while len(written) < 50:
                given = {"new": {}, "replace": {"replaces": first.id}, "key": {}}[step]
                key = f"k{len(written)}" if step == "key" else None
                written.append(mem.remember(long, key=key, **given))

        with pytest.raises(StoreError, match="the disk is full"):
            fill()
        versions = mem.history(first.id)
        assert [f.version for f in versions] == list(range(1, len(versions) + 1))
        db.execute("PRAGMA max_page_count = 100000")
        assert mem.remember("after", key=f"k{len(written)}").text == "after"
    consistent(path)


@pytest.mark.skipif(sys.platform != "linux", reason="needs a small file system of its own")
def test_a_full_disk(tmp_path, consistent):
    """The same on a file system that is really full; afterwards there is room again."""
    place = tmp_path / "small"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=600k", "tmpfs", str(place)]
    if not shutil.which("mount") or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("this user may not mount a file system")
    try:
        path = place / "facts.db"
        said = set()
        with FactStore(path) as store:
            mem = store.open(agent="a", run="r")

            def fill():
                for at in range(500):
                    said.add(mem.remember(f"fact {at} " + "word " * 200).id)

            with pytest.raises(StoreError, match="disk"):
                fill()
            assert {f.id for f in mem.list(limit=200)} <= said
            fits = len(mem.search("word", k=50))
            assert fits > 0
        shutil.copytree(place, tmp_path / "large")
        with FactStore(tmp_path / "large" / "facts.db") as store:
            store.open(agent="a", run="r").remember("room")
        assert said <= consistent(tmp_path / "large" / "facts.db")
    finally:
        subprocess.run(["umount", str(place)], check=True)


def test_a_locked_database(path, consistent):
    """Writers wait, then say who is in the way; readers do not wait at all."""
    with FactStore(path, wait=0.2) as store, closing(sqlite3.connect(path)) as other:
        mem = store.open(agent="a", run="r")
        fact = mem.remember("tea")
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="another process holds it locked"):
            mem.remember("coffee")
        assert mem.search("tea")[0].id == fact.id
        other.execute("ROLLBACK")
        assert mem.remember("coffee").version == 1
    assert len(consistent(path)) == 2


@pytest.mark.parametrize("kind", ["file", ":memory:"])
def test_a_writer_of_the_same_process_is_waited_for(tmp_path, kind):
    """Not for ever: after the store's own wait the call says that it is busy."""
    place = tmp_path / "facts.db" if kind == "file" else kind
    with FactStore(place, wait=0.05) as store:
        mem = store.open(agent="a", run="r")
        with store._backend.writing(), pytest.raises(StoreError, match="busy"):
            mem.remember("tea")
        assert mem.remember("tea").version == 1


def test_two_processes_that_switch_to_wal_at_once():
    """SQLite answers one of them "locked" without waiting; it is tried again."""
    from memory_injection.facts.sqlite_backend import _use_wal

    class Database:
        asked = 0

        def execute(self, statement):
            self.asked += 1
            if self.asked < 3:
                raise sqlite3.OperationalError("database is locked")
            return self

        def fetchone(self):
            return ("wal",)

    database = Database()
    _use_wal(database, wait=5)
    assert database.asked == 3


def test_a_database_locked_for_all(path):
    """With an exclusive lock recall fails open and the error names the lock."""
    with FactStore(path) as store:
        store.open(agent="a", run="r").remember("tea")
    with closing(sqlite3.connect(path)) as other:
        other.execute("PRAGMA journal_mode = DELETE")
        other.execute("BEGIN EXCLUSIVE")
        with FactStore(path, wait=0.1) as store:
            with pytest.raises(StoreError, match="locked"):
                store.search("tea")
            fails_open(store, "locked")


@pytest.mark.parametrize(
    "content", [b"not a database" * 400, b"SQLite format 3\0" + b"\xff" * 8000]
)
def test_a_corrupt_file(path, content):
    """It is named, left as it is, and recall fails open."""
    path.write_bytes(content)
    with FactStore(path) as store:
        for used in (
            lambda: store.open(agent="a", run="r").remember("tea"),
            lambda: store.open(agent="a", run="r").search("tea"),
            lambda: store.erase_user("a", "u1"),
            store.sandbox,
            store.initialize,
        ):
            with pytest.raises(StoreError, match=r"not a SQLite database|corrupt"):
                used()
        fails_open(store, "facts file")
    assert path.read_bytes() == content


def test_a_file_that_rots_while_open(path):
    """Pages overwritten under a running store give an error, never somebody else's words."""
    with FactStore(path) as store:
        mem = store.open(agent="a", run="r")
        for at in range(200):
            mem.remember(f"tea {at} " + "word " * 100)
    content = path.read_bytes()
    path.write_bytes(content[:4096] + b"\xa5" * (len(content) - 4096))
    with FactStore(path) as store:
        with pytest.raises(StoreError, match="corrupt"):
            store.search("tea", {"scope": Scope(agent="a")})
        fails_open(store, "corrupt")


def test_an_error_in_the_middle_of_a_write(path, monkeypatch, consistent):
    """Whatever breaks between the first row and the last, nothing of it stands."""
    from memory_injection.facts.sqlite_tables import SQLiteWriter

    with FactStore(path) as store:
        mem = store.open(agent="a", run="r")
        fact = mem.remember("tea", tags=["x"])
        monkeypatch.setattr(SQLiteWriter, "keep_reply", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            mem.remember("coffee", replaces=fact.id, key="k")
        monkeypatch.undo()
        assert mem.history(fact.id) == [fact]
        assert mem.search("coffee") == []
        assert mem.remember("coffee", replaces=fact.id, key="k").version == 2
    consistent(path)


def test_the_error_names_the_store_and_no_text(path):
    """Messages carry the file and the reason, never what somebody said."""
    path.write_bytes(b"x" * 5000)
    with FactStore(path) as store, pytest.raises(StoreError) as caught:
        store.add("u1secret")
    assert "facts.db" in str(caught.value)
    assert "u1secret" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_blank_file_becomes_the_newest_schema(path):
    """Every migration runs once, and opening again runs none."""
    with FactStore(path) as store:
        store.initialize()
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        assert version_of(db) == len(MIGRATIONS)
        before = db.execute("SELECT sql FROM sqlite_master").fetchall()
        migrate(db)
        assert db.execute("SELECT sql FROM sqlite_master").fetchall() == before


@pytest.mark.parametrize("start", range(len(MIGRATIONS) + 1))
def test_each_older_version_is_brought_up_to_date(path, start, consistent):
    """From every version a file may have, the same schema results, and facts can be written."""
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        if start:
            migrate(db, MIGRATIONS[:start])
    with FactStore(path) as store:
        store.open(agent="a", run="r").remember("tea")
    consistent(path)


def test_a_migration_that_fails_leaves_the_file_as_it_was(path):
    """All steps are one transaction."""

    def broken(db):
        db.execute("CREATE TABLE half (x)")
        raise RuntimeError("broken")

    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        migrate(db)
        with pytest.raises(RuntimeError):
            migrate(db, (*MIGRATIONS, broken))
        assert version_of(db) == len(MIGRATIONS)
        assert db.execute("SELECT 1 FROM sqlite_master WHERE name = 'half'").fetchone() is None
        migrate(db, (*MIGRATIONS, lambda db: db.execute("CREATE TABLE whole (x)")))
        assert version_of(db) == len(MIGRATIONS) + 1


def test_a_file_of_a_newer_version_is_left_alone(path):
    """It is an error that says so, not a guess at what the newer schema means."""
    with FactStore(path) as store:
        store.initialize()
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE fact_schema SET version = 99")
    with FactStore(path) as store, pytest.raises(StoreError, match="schema version 99"):
        store.initialize()


def test_two_stores_share_a_file(path):
    """The tables are the facts' own: another SQLite store may live in the same file."""
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE entries (id INTEGER, content TEXT)")
        db.execute("PRAGMA user_version = 7")
    with FactStore(path) as store:
        store.add("tea")
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (7,)
        assert db.execute("SELECT count(*) FROM facts").fetchone() == (1,)


@pytest.mark.parametrize("what", ["fact", "space"])
def test_the_check_above_sees_a_difference(path, what, consistent):
    """``consistent`` itself notices a row that the index does not know."""
    with FactStore(path) as store:
        store.add("tea")
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(
            "DELETE FROM fact_postings" if what == "fact" else "UPDATE fact_spaces SET words = 9"
        )
    with pytest.raises(AssertionError):
        consistent(path)


def test_kept_answers_move_to_their_session(path):
    """A key of a file from before sessions had keys of their own still answers."""
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        migrate(db, MIGRATIONS[:1])
        db.execute("INSERT INTO fact_agents VALUES ('', 1, 1)")
        db.execute("INSERT INTO fact_spaces VALUES (1, '', '', 's1', '', 1, 1)")
        fact = ("m_1", "", "tea", "", None, 1, 1, 1, None, "code")
        db.execute(
            "INSERT INTO facts VALUES (1, ?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, 'tea', NULL)", fact
        )
        for key, kept in (("k", fact), ("gone", ("m_2", *fact[1:]))):
            db.execute(
                "INSERT INTO fact_replies VALUES ('', '', '', ?, ?)", (key, json.dumps(kept))
            )
    with FactStore(path) as store:
        session = Scope(session="s1")
        assert store.add("coffee", {"key": "k"}, scope=session).id == "m_1"
        assert store.add("coffee", {"key": "k"}).text == "coffee"
        assert store.add("coffee", {"key": "gone"}).id == "m_2"


def test_a_full_disk_during_a_migration_is_named(path):
    """SQLite may end the transaction by itself; the reason is told, not that it is over."""

    def full(db):
        db.execute("ROLLBACK")
        raise sqlite3.OperationalError("database or disk is full")

    with (
        closing(sqlite3.connect(path, isolation_level=None)) as db,
        pytest.raises(sqlite3.OperationalError, match="full"),
    ):
        migrate(db, (full,))
