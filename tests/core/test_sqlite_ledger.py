"""The ledger in a file: bounds, age, erasure, several processes, and files that are broken."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import textwrap
import threading
import time
from dataclasses import replace

import pytest

from memory_injection import ConfigurationError, MemoryManager, Scope
from memory_injection.errors import StoreClosedError, StoreError
from memory_injection.ledger_records import LedgerRecord, Shown, Space
from memory_injection.sqlite_ledger import SQLiteLedger, _first
from memory_injection.testing import FakeStore

ADA, BO = Space("memory", Scope(user="ada")), Space("memory", Scope(user="bo"))
ASK = [{"role": "user", "content": "what about the weather?"}]


class Clock:
    def __init__(self, now=1_000_000.0):
        self.now = now

    def __call__(self):
        return self.now


@pytest.fixture
def path(tmp_path):
    return tmp_path / "ledger.db"


@pytest.fixture
def open_ledger(path):
    """Open ledgers on one file; all are closed at the end."""
    opened = []

    def make(**options):
        opened.append(SQLiteLedger(path, **options))
        return opened[-1]

    yield make
    for ledger in opened:
        ledger.close()


def record(name, text="<memory>x</memory>", step=None, at=1_000_000.0):
    key = name.encode()
    return LedgerRecord(key, (step or name).encode(), text, (Shown("notes", "x"),), 7, at)


def keys(*names):
    return [name.encode() for name in names]


def test_a_record_comes_back_whole(open_ledger):
    """Every field survives the file, in another ledger on it as well."""
    written = LedgerRecord(
        b"\x00\xff", b"s", "<memory>\nÜ 'x' \u2028</memory>", (Shown(None, "a"), Shown("n", "b")),
        12, 1_000_000.25, (b"\x01", b"\x02"), "o200k_base",
    )  # fmt: skip
    clock = Clock()
    assert open_ledger(clock=clock).put(ADA, written) == written
    assert open_ledger(clock=clock).get(ADA, [b"\x00\xff"]) == {b"\x00\xff": [written]}


def test_a_file_of_the_first_layout_goes_on(path):
    """What stands in it is weighed by an unknown counter, and written on beside."""
    conn = sqlite3.connect(path)
    _first(conn)
    conn.execute("CREATE TABLE memory_schema (component TEXT PRIMARY KEY, version INTEGER)")
    conn.execute("INSERT INTO memory_schema VALUES ('ledger', 1)")
    conn.execute("INSERT INTO ledger_space VALUES (1, 'memory', 'ada', '', '', '')")
    conn.execute(
        "INSERT INTO ledger_record (space, anchor, step, text, shown, tokens, written_at, used_at,"
        " dropped) VALUES (1, x'6b', x'6b', 'old', '[]', 7, 1000000.0, 1000000.0, '[]')"
    )
    conn.commit()
    conn.close()
    ledger = SQLiteLedger(path, clock=Clock())
    [old] = ledger.get(ADA, keys("k"))[b"k"]
    assert (old.text, old.tokens, old.counter) == ("old", 7, "")
    new = replace(record("n"), counter="o200k_base")
    ledger.put(ADA, new)
    assert ledger.get(ADA, keys("n")) == {b"n": [new]}
    ledger.close()


def test_the_first_of_two_records_stands(open_ledger):
    """Two processes that write for one step agree on what was written first."""
    clock = Clock()
    one, other = open_ledger(clock=clock), open_ledger(clock=clock)
    first = one.put(ADA, record("k", "<memory>first</memory>"))
    assert other.put(ADA, record("k", "<memory>second</memory>")) == first
    assert one.get(ADA, keys("k")) == {b"k": [first]}
    later = record("k", "<memory>third</memory>")
    assert other.put(ADA, later, replaces=first) == later


def test_spaces_never_meet(open_ledger):
    """The same key in another user's or manager's space is another record."""
    ledger = open_ledger(clock=Clock())
    ledger.put(ADA, record("k"))
    assert ledger.get(BO, keys("k")) == {}
    assert ledger.get(Space("other", Scope(user="ada")), keys("k")) == {}


async def test_erasing_does_not_hold_up_the_event_loop(open_ledger):
    """Emptying the log of a file takes its time; it does so on another thread."""
    ledger, threads = open_ledger(), []
    forget = ledger.forget
    ledger.forget = lambda scope: (threads.append(threading.current_thread()), forget(scope))[1]
    async with MemoryManager([FakeStore()], ledger=ledger) as memory:
        await memory.aerase({"user": "ada"})
    assert threads
    assert threads[0] is not threading.current_thread()


def test_ten_thousand_keys_in_one_question(open_ledger):
    """A conversation of any length is looked up in one call."""
    ledger = open_ledger(clock=Clock())
    ledger.put(ADA, record("9999"))
    assert list(ledger.get(ADA, keys(*map(str, range(10_000))))) == [b"9999"]


def test_it_is_bounded_per_scope_least_recently_used_first(open_ledger):
    """Past the bound the oldest go, but not one that was read since."""
    clock = Clock()
    ledger = open_ledger(clock=clock, max_per_scope=3)
    for name in "abc":
        clock.now += 1
        ledger.put(ADA, record(name, at=clock.now))
    ledger.get(ADA, keys("a"))
    clock.now += 1
    ledger.put(ADA, record("d", at=clock.now))
    clock.now += 1
    ledger.put(ADA, record("e", at=clock.now))
    assert set(ledger.get(ADA, keys(*"abcde"))) == {b"a", b"d", b"e"}


def test_it_is_bounded_in_total(open_ledger):
    """All spaces together never exceed the bound by more than the writes between two sweeps."""
    clock = Clock()
    ledger = open_ledger(clock=clock, max_records=10)
    for number in range(200):
        clock.now += 1
        space = Space("memory", Scope(user=f"user {number}"))
        ledger.put(space, record("k", at=clock.now))
        assert len(ledger) <= 10 + 64
    assert set(ledger.get(space, keys("k"))) == {b"k"}


def test_an_old_record_is_gone(open_ledger, path):
    """Past ``max_age`` it is not found, gives way to a new one, and is swept from the file."""
    clock = Clock()
    ledger = open_ledger(clock=clock, max_age=60)
    ledger.put(ADA, record("k", "<memory>old words</memory>"))
    clock.now += 61
    assert ledger.get(ADA, keys("k")) == {}
    new = record("k", "<memory>new words</memory>", at=clock.now)
    assert ledger.put(ADA, new) == new
    clock.now += 61
    for number in range(64):
        ledger.put(BO, record(str(number), at=clock.now))
    assert len(ledger) == 64


def test_processes_that_write_little_keep_the_bounds(path):
    """A worker that ends after a few requests still throws out what is too much or too old."""
    clock = Clock()
    for number in range(30):
        ledger = SQLiteLedger(path, clock=clock, max_records=20, max_age=3600)
        for at in range(5):
            clock.now += 1
            space = Space("memory", Scope(user=f"{number} {at}"))
            ledger.put(space, record("k", f"<memory>secret {number}</memory>", at=clock.now))
        assert len(ledger) <= 20 + 5
        ledger.close()
    clock.now += 3601
    ledger = SQLiteLedger(path, clock=clock, max_age=3600)
    ledger.put(BO, record("k", at=clock.now))
    assert len(ledger) == 1
    ledger.close()
    assert b"secret" not in raw(path.parent)


@pytest.mark.parametrize("bound", ["max_records", "max_per_scope", "max_age"])
def test_a_bound_must_be_positive(path, bound):
    """Zero or less is refused at construction, by name."""
    with pytest.raises(ConfigurationError, match=f"{bound} must be above 0"):
        SQLiteLedger(path, **{bound: 0})


def raw(folder):
    return b"".join(file.read_bytes() for file in folder.iterdir())


def test_erasing_a_user_leaves_nothing_in_the_file(open_ledger, path):
    """Texts, memories and ids are gone from the database file and its log, searched raw."""
    ledger = open_ledger(clock=Clock())
    for number in range(50):
        text = f"<memory>the secret zebra {number}</memory>"
        ledger.put(Space("memory", Scope("ada-zebra", f"s{number}")), record(f"k{number}", text))
    ledger.put(BO, record("k", "<memory>a giraffe</memory>"))
    assert b"secret zebra" in raw(path.parent)
    assert ledger.forget(Scope(user="ada-zebra")) == 50
    left = raw(path.parent)
    assert b"zebra" not in left
    assert b"giraffe" in left
    assert set(ledger.get(BO, keys("k"))) == {b"k"}


def test_erasing_beside_a_reader_leaves_nothing_either(open_ledger, path):
    """Another process that happens to read delays the erasure, and does not defeat it."""
    ledger = open_ledger(clock=Clock(), busy_timeout=10)
    ledger.put(ADA, record("k", "<memory>the secret zebra</memory>"))
    reader = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM ledger_record").fetchone()
    timer = threading.Timer(0.3, lambda: reader.execute("COMMIT"))
    timer.start()
    assert ledger.forget(Scope(user="ada")) == 1
    timer.join()
    assert b"zebra" not in raw(path.parent)
    reader.close()


def test_an_erasure_that_cannot_be_finished_says_so(open_ledger, path):
    """A reader that stays keeps the old log; erasing again when it has gone finishes the work."""
    ledger = open_ledger(clock=Clock(), busy_timeout=0.1)
    ledger.put(ADA, record("k", "<memory>the secret zebra</memory>"))
    reader = sqlite3.connect(path, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM ledger_record").fetchone()
    with pytest.raises(StoreError, match="erase again to finish"):
        ledger.forget(Scope(user="ada"))
    reader.close()
    assert ledger.forget(Scope(user="ada")) == 0
    assert b"zebra" not in raw(path.parent)


def test_two_processes_send_the_same_bytes(path):
    """A second process replays what the first wrote, byte for byte, whatever its store says."""
    program = """
    import json, sys
    from memory_injection import MemoryManager
    from memory_injection.sqlite_ledger import SQLiteLedger, _first
    from memory_injection.testing import FakeStore
    path, fact, history = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
    ledger = SQLiteLedger(path)
    with MemoryManager([FakeStore([fact])], ledger=ledger, counter=len) as memory:
        print(json.dumps(memory.inject(history, scope={"user": "ada"}).messages))
    ledger.close()
    """

    def send(fact, history):
        done = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(program), str(path), fact, json.dumps(history)],
            capture_output=True, text=True, check=True, timeout=60,
        )  # fmt: skip
        return json.loads(done.stdout)

    first = send("it was dry on Monday", ASK)
    longer = [*ASK, {"role": "assistant", "content": "dry"}, {"role": "user", "content": "sure?"}]
    second = send("it was wet on Tuesday", longer)
    assert "Monday" in first[0]["content"]
    assert second[:1] == first
    assert "Tuesday" in second[2]["content"]


def inject(ledger, timeout=2.0):
    injection = {"timeout": timeout, "min_relevance": None}
    with MemoryManager([FakeStore(["a fact"])], ledger=ledger, injection=injection) as memory:
        return memory.inject(ASK, scope={"user": "ada"})


@pytest.mark.parametrize("broken", ["rubbish", "a folder", "no folder", "another layout"])
def test_a_file_that_cannot_be_used_fails_open(tmp_path, broken):
    """The call still gets its memory; the report names the ledger and what is wrong with it."""
    path = tmp_path / "ledger.db"
    if broken == "rubbish":
        path.write_bytes(b"this is no database " * 500)
    elif broken == "another layout":
        conn = sqlite3.connect(path)
        conn.execute("CREATE TABLE memory_schema (component TEXT PRIMARY KEY, version INTEGER)")
        conn.execute("INSERT INTO memory_schema VALUES ('ledger', 999)")
        conn.commit()
        conn.close()
    elif broken == "no folder":
        path = tmp_path / "nowhere" / "ledger.db"
        path.parent.mkdir()
    ledger = SQLiteLedger(path)
    if broken == "a folder":
        path.mkdir()
    elif broken == "no folder":
        path.parent.rmdir()
    report = inject(ledger).report
    ledger.close()
    assert (report.status, report.stage) == ("injected", "ledger")
    assert str(path) in report.error or "StoreError" in report.error


@pytest.mark.parametrize("name", ["", "nowhere/ledger.db", "nowhere/further/ledger.db"])
def test_a_path_that_no_file_can_be_at_is_refused(tmp_path, name):
    """A wrong path is a mistake in the program, not trouble of one call."""
    with pytest.raises(ConfigurationError, match=str(tmp_path)):
        SQLiteLedger(tmp_path / name)


def test_a_locked_file_fails_open_in_time(open_ledger, path):
    """While another process holds the lock, calls go on without being written down."""
    ledger = open_ledger(busy_timeout=0.2)
    assert inject(ledger).report.stage is None
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    started = time.monotonic()
    with MemoryManager([FakeStore(["a fact"])], ledger=ledger) as memory:
        report = memory.inject([{"role": "user", "content": "and the snow?"}]).report
    holder.execute("ROLLBACK")
    holder.close()
    assert (report.status, report.stage) == ("injected", "ledger")
    assert time.monotonic() - started < 2.1


def test_after_close_it_says_so(open_ledger):
    """Use after close is an error of its own; closing twice is fine."""
    ledger = open_ledger()
    ledger.close()
    ledger.close()
    with pytest.raises(StoreClosedError):
        ledger.get(ADA, keys("k"))
    assert issubclass(StoreClosedError, StoreError)


def test_threads_write_side_by_side(open_ledger):
    """Eight threads lose nothing."""
    ledger = open_ledger(busy_timeout=30, clock=Clock())

    def write(number):
        for at in range(20):
            ledger.put(ADA, record(f"{number}-{at}"))

    threads = [threading.Thread(target=write, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(ledger) == 160


def test_what_is_no_longer_carried_is_marked_for_every_process(open_ledger):
    """``drop`` is seen by another ledger on the file, and marks only once."""
    clock = Clock()
    one, other = open_ledger(clock=clock), open_ledger(clock=clock)
    written = one.put(ADA, record("k"))
    other.drop(ADA, [written], b"turn 9")
    other.drop(ADA, [written], b"turn 9")
    [seen] = one.get(ADA, keys("k"))[b"k"]
    assert seen.dropped == (b"turn 9",)
    assert one.texts(ADA) == ["<memory>x</memory>"]
    assert one.texts(BO) == []
