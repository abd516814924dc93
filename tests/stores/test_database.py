"""The file: faults, upgrades, threads, forks and processes."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from memory_injection.errors import StoreClosedError, StoreError
from memory_injection.records import Scope
from memory_injection.stores import InMemoryStore, SQLiteStore, database, writing
from memory_injection.stores.database import Database
from memory_injection.stores.schema import MIGRATIONS

ADA = Scope(user="ada")
SPAWN = multiprocessing.get_context("spawn")


def contents(store: SQLiteStore, scope: Scope | None = None) -> list[str]:
    return [entry.content for entry in store.list(scope=scope, limit=10_000)]


def check(path: Path) -> None:
    """Assert that the file and its index are sound."""
    conn = sqlite3.connect(path)
    assert conn.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    conn.execute("INSERT INTO memory_lexicon (memory_lexicon) VALUES ('integrity-check')")
    counted = conn.execute("SELECT sum(entries) FROM memory_scopes").fetchone()[0] or 0
    assert counted == conn.execute("SELECT count(*) FROM memory_entries").fetchone()[0]
    conn.close()


# Faults


def test_a_file_that_is_no_database_is_named(tmp_path: Path) -> None:
    """The error names the file and the rule, and leaves the file alone."""
    path = tmp_path / "notes.txt"
    path.write_text("dear diary, " * 1_000)
    with SQLiteStore(path) as store:
        with pytest.raises(StoreError, match=r"notes\.txt.* not a SQLite database") as caught:
            store.search("zebra")
        assert caught.value.store == "memory"
    assert path.read_text().startswith("dear diary")


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    """Pages overwritten with noise give a StoreError, not a crash."""
    path = tmp_path / "m.db"
    with SQLiteStore(path) as store:
        store.add_many([f"zebra {n}" for n in range(500)])
    data = bytearray(path.read_bytes())
    data[4096:] = os.urandom(len(data) - 4096)
    path.write_bytes(data)
    with SQLiteStore(path) as store, pytest.raises(StoreError, match=r"m\.db"):
        store.search("zebra")


@pytest.mark.parametrize(
    ("where", "why"), [("no/such/folder/m.db", "does not exist"), (".", "it is a folder")]
)
def test_an_impossible_place_is_named(tmp_path: Path, where: str, why: str) -> None:
    """A missing folder, and a folder where the file should be."""
    with SQLiteStore(tmp_path / where) as store, pytest.raises(StoreError, match=why):
        store.initialize()


def test_a_missing_file_is_not_made_for_reading(tmp_path: Path) -> None:
    """``writable=False`` never creates a file."""
    store = SQLiteStore(tmp_path / "m.db", writable=False)
    with store, pytest.raises(StoreError, match="does not exist"):
        store.search("zebra")
    assert list(tmp_path.iterdir()) == []


def test_a_locked_file_is_waited_for_and_named(tmp_path: Path) -> None:
    """Another process's write lock is waited for as long as asked, and reading goes on."""
    path = tmp_path / "m.db"
    with SQLiteStore(path, busy_timeout=0.2) as store:
        store.add("zebra")
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        start = time.monotonic()
        with pytest.raises(StoreError, match=r"m\.db.*locked.*0\.2 s"):
            store.add("lion")
        assert time.monotonic() - start < 5
        assert [e.content for e in store.search("zebra")] == ["zebra"]
        other.execute("ROLLBACK")
        other.close()
        store.add("lion")
        assert contents(store) == ["lion", "zebra"]


def test_a_busy_writer_in_this_process_is_waited_for(tmp_path: Path) -> None:
    """A long write of another thread gives a StoreError after the same wait."""
    with SQLiteStore(tmp_path / "m.db", busy_timeout=0.1) as store:
        store.initialize()
        entered, done = threading.Event(), threading.Event()

        def hold() -> None:
            with store._database.write():
                entered.set()
                done.wait(10)

        thread = threading.Thread(target=hold)
        thread.start()
        entered.wait(10)
        with pytest.raises(StoreError, match="busy"):
            store.add("zebra")
        done.set()
        thread.join()


@pytest.mark.parametrize(
    ("message", "why"),
    [
        ("attempt to write a readonly database", "read-only"),
        ("unable to open database file", "may not be read"),
        ("database or disk is full", "disk is full"),
        ("no such module: fts5", "FTS5"),
        ("out of memory", "out of memory"),
    ],
)
def test_other_faults_say_what_they_mean(tmp_path: Path, message: str, why: str) -> None:
    """SQLite's words become a sentence about the file."""
    made = Database(tmp_path / "m.db", component="x", migrations=())
    assert why in str(made.explain(sqlite3.OperationalError(message)))
    made.close()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_file_that_may_not_be_written_is_named(tmp_path: Path) -> None:
    """A read-only file opens for reading and refuses to be written."""
    path = tmp_path / "m.db"
    with SQLiteStore(path) as store:
        store.add("zebra")
    path.chmod(0o444)
    with SQLiteStore(path) as store, pytest.raises(StoreError, match="read-only"):
        store.add("lion")


def test_nothing_is_half_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A failure in the middle of a bulk write leaves the store as it was, and usable."""
    path = tmp_path / "m.db"
    with SQLiteStore(path) as store:
        store.add("zebra")
        original, calls = writing._row, []

        def fail(*given: Any) -> Any:
            calls.append(1)
            if len(calls) == 600:
                raise RuntimeError("the power went")
            return original(*given)

        monkeypatch.setattr(writing, "_row", fail)
        with pytest.raises(RuntimeError, match="the power went"):
            store.add_many([f"lion {n}" for n in range(1_000)])
        monkeypatch.undo()
        assert contents(store) == ["zebra"]
        assert store.search("lion") == []
        store.add("tiger")
        assert contents(store) == ["tiger", "zebra"]
    check(path)


# Upgrades


def old_file(path: Path, version: int) -> None:
    """Make a file as the first *version* migrations leave it, with one entry in it."""
    conn = sqlite3.connect(path, isolation_level=None)
    conn.execute(
        "CREATE TABLE memory_schema (component TEXT PRIMARY KEY, version INTEGER NOT NULL)"
    )
    for migration in MIGRATIONS[:version]:
        migration(conn)
    conn.execute("INSERT INTO memory_schema VALUES ('lexical', ?)", (version,))
    if version:
        conn.execute("INSERT INTO memory_scopes (key, entries, terms) VALUES ('{}', 1, 1)")
        conn.execute(
            "INSERT INTO memory_entries (scope, length, day, terms, external, content, created,"
            " updated) VALUES (1, 1, 1, ' 1_zebra ', 'z', 'zebra', 0, 0)"
        )
    if version >= 2:
        conn.execute("INSERT INTO memory_lexicon (rowid, terms) VALUES (1, ' 1_zebra ')")
    conn.close()


@pytest.mark.parametrize("version", range(len(MIGRATIONS) + 1))
def test_every_older_layout_is_upgraded(tmp_path: Path, version: int) -> None:
    """What an older version wrote is found after the upgrade."""
    path = tmp_path / "m.db"
    old_file(path, version)
    with SQLiteStore(path) as store:
        if version:
            assert [e.content for e in store.search("zebra")] == ["zebra"]
        store.add("zebra two")
        assert len(store.search("zebra")) == 1 + bool(version)
    check(path)


def test_texts_are_cut_anew_when_their_stems_are_of_an_older_kind(tmp_path: Path) -> None:
    """Terms, lengths and the index follow the present rules; rows keep their numbers."""
    path = tmp_path / "m.db"
    with SQLiteStore(path) as store:
        store.add_many(["Kapıyı yeşile boyadık.", "Arabayı Can tamir etti."])
        store.add("Toplantı uzun sürdü.", scope={"user": "u"})
    conn = sqlite3.connect(path)
    fresh = conn.execute("SELECT id, terms, length FROM memory_entries").fetchall()
    sizes = conn.execute("SELECT id, terms FROM memory_scopes").fetchall()
    conn.execute("UPDATE memory_entries SET terms = ' 1_kap ', length = 7")
    conn.execute("UPDATE memory_scopes SET terms = 99")
    conn.execute("INSERT INTO memory_lexicon (memory_lexicon) VALUES ('rebuild')")
    conn.execute("DROP INDEX memory_days")
    conn.execute("DROP INDEX memory_turns")
    conn.execute("UPDATE memory_schema SET version = 3")
    conn.commit()
    conn.close()
    with SQLiteStore(path) as store:
        assert [e.content for e in store.search("Kapı ne renk?")] == ["Kapıyı yeşile boyadık."]
    conn = sqlite3.connect(path)
    assert conn.execute("SELECT id, terms, length FROM memory_entries").fetchall() == fresh
    assert conn.execute("SELECT id, terms FROM memory_scopes").fetchall() == sizes
    conn.close()
    check(path)


def test_texts_cut_anew_keep_to_the_language_of_their_store(tmp_path: Path) -> None:
    """What was stored as English is not taken for Turkish by an upgrade."""
    path = tmp_path / "m.db"
    with SQLiteStore(path, language="en") as store:
        store.add("Kapıyı yeşile boyadık ama neden?")
    conn = sqlite3.connect(path)
    fresh = conn.execute("SELECT terms FROM memory_entries").fetchall()
    conn.execute("DROP INDEX memory_days")
    conn.execute("DROP INDEX memory_turns")
    conn.execute("UPDATE memory_schema SET version = 3")
    conn.commit()
    conn.close()
    with SQLiteStore(path) as store:
        store.initialize()
    conn = sqlite3.connect(path)
    assert conn.execute("SELECT terms FROM memory_entries").fetchall() == fresh
    conn.close()


def test_an_older_layout_is_not_upgraded_for_reading(tmp_path: Path) -> None:
    """A read-only store asks for one writable opening."""
    old_file(tmp_path / "m.db", 1)
    store = SQLiteStore(tmp_path / "m.db", writable=False)
    with store, pytest.raises(StoreError, match="older layout"):
        store.search("zebra")


def test_a_newer_layout_is_left_alone(tmp_path: Path) -> None:
    """A file of a future version is refused by name."""
    path = tmp_path / "m.db"
    with SQLiteStore(path) as store:
        store.add("zebra")
    conn = sqlite3.connect(path)
    conn.execute("UPDATE memory_schema SET version = 99")
    conn.commit()
    conn.close()
    with SQLiteStore(path) as store, pytest.raises(StoreError, match="newer version"):
        store.search("zebra")


def test_a_failed_upgrade_changes_nothing(tmp_path: Path) -> None:
    """Migrations run in one transaction."""

    def good(conn: sqlite3.Connection) -> None:
        conn.execute("CREATE TABLE good (x)")

    def bad(conn: sqlite3.Connection) -> None:
        conn.execute("CREATE TABLE good (x)")

    path = tmp_path / "m.db"
    made = Database(path, component="x", migrations=(good, bad))
    with pytest.raises(StoreError, match="already exists"), made.read():
        pass
    made.close()
    conn = sqlite3.connect(path)
    assert conn.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,)
    conn.close()


def test_two_components_share_a_file(tmp_path: Path) -> None:
    """Each component has its own version number."""
    path = tmp_path / "m.db"
    with SQLiteStore(path) as store:
        store.add("zebra")
        other = Database(
            path,
            component="other",
            migrations=(lambda c: c.execute("CREATE TABLE o (x)") and None,),
        )
        with other.write() as session:
            session.conn.execute("INSERT INTO o VALUES (1)")
        other.close()
        assert contents(store) == ["zebra"]


# Threads, forks, processes


def test_threads_leave_nothing_behind(tmp_path: Path) -> None:
    """Connections are reused, not one per thread ever started."""
    with SQLiteStore(tmp_path / "m.db") as store:
        for number in range(30):
            thread = threading.Thread(target=store.add, args=(f"zebra {number}",))
            thread.start()
            thread.join()
        assert len(store._database._pool.all) == 1
        assert store.count() == 30


def test_a_store_that_is_dropped_closes_itself(tmp_path: Path) -> None:
    """No ResourceWarning from a store that nobody closed."""
    script = (
        "import sys, warnings; warnings.simplefilter('error')\n"
        "from memory_injection.stores import SQLiteStore\n"
        "s = SQLiteStore(sys.argv[1]); s.add('zebra'); s = None\n"
        "SQLiteStore(sys.argv[1]).search('zebra')\n"
    )
    done = subprocess.run(
        [sys.executable, "-X", "dev", "-W", "error", "-c", script, str(tmp_path / "m.db")],
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    assert done.stderr == ""


def test_closing_while_others_read(tmp_path: Path) -> None:
    """A store closed under its readers gives them their answer or StoreClosedError."""
    store = SQLiteStore(tmp_path / "m.db")
    store.add_many([f"zebra {n}" for n in range(200)])
    failures: list[BaseException] = []

    def read() -> None:
        try:
            while True:
                store.search("zebra")
        except StoreClosedError:
            pass
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    time.sleep(0.1)
    store.close()
    for thread in threads:
        thread.join(20)
    assert failures == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
@pytest.mark.parametrize("kind", ["file", "memory", "closed"])
def test_a_forked_child_has_connections_of_its_own(tmp_path: Path, kind: str) -> None:
    """The child reads and writes; the parent's store goes on working, and closed stays closed."""
    store = InMemoryStore() if kind == "memory" else SQLiteStore(tmp_path / "m.db")
    store.add("zebra")
    if kind == "closed":
        store.close()
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            if kind == "closed":
                try:
                    store.search("zebra")
                except StoreClosedError:
                    code = 0
            else:
                store.add("lion")
                code = 0 if sorted(contents(store)) == ["lion", "zebra"] else 2
                store.close()
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    if kind != "closed":
        assert sorted(contents(store)) == (["zebra"] if kind == "memory" else ["lion", "zebra"])
    store.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_child_may_close_before_use(tmp_path: Path) -> None:
    """Closing an inherited store in a child leaves the parent's connections alone."""
    store = SQLiteStore(tmp_path / "m.db")
    store.add("zebra")
    pid = os.fork()
    if pid == 0:
        store.close()
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert contents(store) == ["zebra"]
    store.close()


def write_in_process(path: str, who: str, count: int) -> None:
    with SQLiteStore(path, busy_timeout=60) as store:
        for number in range(count):
            store.add(f"zebra {number} of {who}", scope=Scope(user=who))
            store.search("zebra", {"scope": Scope(user=who)})


def test_processes_write_at_once(tmp_path: Path) -> None:
    """Nothing is lost or mixed when processes open and fill a new file together."""
    path = tmp_path / "m.db"
    workers = [
        SPAWN.Process(target=write_in_process, args=(str(path), f"user{n}", 30)) for n in range(4)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(120)
    assert [worker.exitcode for worker in workers] == [0] * 4
    with SQLiteStore(path) as store:
        for n in range(4):
            scope = Scope(user=f"user{n}")
            assert store.count(scope=scope) == 30
            assert all(text.endswith(f"user{n}") for text in contents(store, scope))
    check(path)


def write_for_ever(path: str) -> None:
    with SQLiteStore(path, busy_timeout=60) as store:
        number = 0
        while True:
            store.add_many(f"zebra {number} {part}" for part in range(50))
            number += 1


def test_a_killed_writer_leaves_whole_batches(tmp_path: Path) -> None:
    """After SIGKILL in the middle of writing, the file is sound and every batch whole or absent."""
    path = tmp_path / "m.db"
    for _ in range(3):
        worker = SPAWN.Process(target=write_for_ever, args=(str(path),))
        worker.start()
        with SQLiteStore(path, busy_timeout=60) as store:
            before, deadline = store.count(), time.monotonic() + 60
            while store.count() <= before and time.monotonic() < deadline:
                time.sleep(0.01)
            os.kill(worker.pid or 0, signal.SIGKILL)
            worker.join(30)
            assert store.count() % 50 == 0
            assert len(store.search("zebra", {"max_search_results": 3})) == 3
        check(path)


def test_what_another_process_writes_is_seen_at_once(tmp_path: Path) -> None:
    """Caches never hide another process's writes and deletions."""
    path = tmp_path / "m.db"
    with SQLiteStore(path) as here, SQLiteStore(path) as there:
        here.add("zebra one", id="1")
        assert len(there.search("zebra")) == 1
        here.add("zebra two", id="2")
        assert len(there.search("zebra")) == 2
        here.add("lion now", id="1")
        assert [e.content for e in there.search("zebra lion")] != []
        assert [e.content for e in there.search("lion")] == ["lion now"]
        here.forget("1")
        assert there.search("lion") == []


@pytest.mark.parametrize("kind", ["file", "memory"])
def test_a_new_process_id_means_new_connections(tmp_path: Path, kind: str) -> None:
    """What a child does after a fork, from inside: the parent's are neither used nor closed."""
    store = InMemoryStore() if kind == "memory" else SQLiteStore(tmp_path / "m.db")
    store.add("zebra")
    inherited = store._database._pool
    inherited.pid = -1
    assert contents(store) == ["zebra"]
    assert store._database._pool is not inherited
    inherited.close()  # not its process any more: does nothing
    assert not inherited.closed
    ours = store._database._pool
    ours.pid = -1
    store.close()
    with pytest.raises(StoreClosedError):
        contents(store)
    for pool in (inherited, ours):
        pool.pid = os.getpid()
        pool.close()


def test_a_private_database_that_cannot_start_is_not_left_locked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An error on the first connection is raised each time, not once and then a deadlock."""
    store = InMemoryStore()

    def fail(conn: sqlite3.Connection) -> None:
        raise sqlite3.OperationalError("no such module: fts5")

    monkeypatch.setattr(store._database, "_prepare", fail)
    for _ in range(2):
        with pytest.raises(StoreError, match="FTS5"):
            store.search("zebra")
    monkeypatch.undo()
    assert store.search("zebra") == []
    store.close()


def test_switching_to_wal_waits_for_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """The switch is tried again while another process holds the file, and not for ever."""
    monkeypatch.setattr(database, "_WAL_PAUSE", 0.0)

    class Busy:
        def __init__(self, times: int, message: str = "database is locked") -> None:
            self.times, self.message = times, message

        def execute(self, sql: str) -> None:
            self.times -= 1
            if self.times >= 0:
                raise sqlite3.OperationalError(self.message)

    database._use_wal(Busy(3))  # type: ignore[arg-type]
    for fault in (Busy(10**6), Busy(1, "disk I/O error")):
        with pytest.raises(sqlite3.OperationalError):
            database._use_wal(fault)  # type: ignore[arg-type]


def test_what_a_connection_remembers_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nobody writes, words and callers asked for would pile up for ever."""
    monkeypatch.setattr(database, "_MOST_KEPT", 50)
    with InMemoryStore() as store:
        store.add("zebra")
        for number in range(200):
            store.search(f"word{number} zebra", {"scope": Scope(user=f"u{number}")})
            with store._database.read() as session:
                assert len(session.memo) <= 55
        assert [entry.content for entry in store.search("zebra")] == ["zebra"]


def test_a_private_database_is_the_same_inside_itself() -> None:
    """Whoever reads for somebody may be asked something on the way: the answer is no other."""
    with InMemoryStore() as store:
        store.add_many(["zebra one", "zebra two"])
        counts: list[int] = []

        class Target:
            def write(self, line: str) -> None:
                counts.append(store.count())
                counts.append(len(store.search("zebra")))
                if len(counts) == 2:
                    store.add("zebra three")

        store.export(Target())
        assert counts[:2] == [2, 2]
        assert set(counts[2:]) == {3}
        assert store.count() == len(store.search("zebra")) == 3
        with store._database.read() as outer, store._database.read() as inner:
            assert inner is outer
        assert store._database._pool.idle == [outer]
        assert outer.within == 0
        with pytest.raises(StoreError), store._database.write(), store._database.write():
            raise AssertionError
        assert store.count() == 3


def test_a_transaction_that_was_cut_off_holds_up_nobody(tmp_path: Path) -> None:
    """Neither this process's next writer nor another's."""
    with SQLiteStore(tmp_path / "m.db") as store, SQLiteStore(tmp_path / "m.db") as other:
        store.add("zebra")
        with store._database.read() as session:
            session.conn.execute("BEGIN IMMEDIATE")
        other.add("lion")
        store.add("tiger")
        assert store.count() == 3
