"""A process that forks while its threads are at work: the child finds every lock free."""

from __future__ import annotations

import os
import signal
import threading

import pytest

from memory_injection import InMemoryLedger, MemoryManager, Scope, SQLiteLedger
from memory_injection.counters import _VOCABULARIES
from memory_injection.errors import StoreError
from memory_injection.facts import FactStore
from memory_injection.files import create_memory_provider
from memory_injection.ledger import _Shelf
from memory_injection.ledger_records import LedgerRecord, Space
from memory_injection.stores import SQLiteStore
from memory_injection.testing import FakeStore

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")

ASK = [{"role": "user", "content": "what about the garden?"}]


def in_child(work):
    """Tell whether *work* gives something true in a forked child, within ten seconds."""
    child = os.fork()
    if child == 0:
        signal.alarm(10)
        done = False
        try:
            done = bool(work())
        finally:
            os._exit(0 if done else 1)
    return os.waitpid(child, 0)[1] == 0


def while_held(lock, work):
    """Run *work* in a forked child while a thread of the parent holds *lock*."""
    held, release = threading.Event(), threading.Event()

    def hold():
        with lock:
            held.set()
            release.wait(20)

    thread = threading.Thread(target=hold)
    thread.start()
    assert held.wait(10)
    try:
        return in_child(work)
    finally:
        release.set()
        thread.join()


def injects(memory):
    """Tell whether a call gets its block."""
    return lambda: memory.inject(ASK, scope=Scope(user="u1")).report.status == "injected"


@pytest.mark.parametrize("where", ["ledger", "tracks", "initialiser"])
def test_a_child_injects_whatever_its_parents_threads_were_doing(where):
    """The ledger, the tracks of conversations, a store's first use."""
    store = FakeStore(["a fact"])
    store.initialize = lambda: None
    with MemoryManager([store]) as memory:
        lock = {
            "ledger": memory.ledger._lock,
            "tracks": memory._engine._tracks._lock,
            "initialiser": memory._handles[0]._initialiser._lock,
        }[where]
        assert while_held(lock, injects(memory))


def test_a_child_loads_a_tokenizer_while_its_parent_begins_to():
    """A vocabulary that nobody has loaded yet."""
    assert while_held(_VOCABULARIES._lock, lambda: _VOCABULARIES.start("r50k_base")[0])


def test_a_child_reads_a_ledger_that_is_being_read():
    """Through the public door: the clock is asked inside the lock."""
    reading, release = threading.Event(), threading.Event()
    parent = os.getpid()

    def clock():
        if os.getpid() == parent and threading.current_thread() is not threading.main_thread():
            reading.set()
            release.wait(20)
        return 1.0

    ledger, space = InMemoryLedger(clock=clock), Space("memory", Scope(user="u1"))
    ledger.put(space, LedgerRecord(b"k", b"k", "<memory/>", written_at=1.0))
    thread = threading.Thread(target=ledger.get, args=(space, [b"k"]))
    thread.start()
    assert reading.wait(10)
    assert in_child(lambda: ledger.get(space, [b"k"]) and ledger.forget(Scope(user="u1")) == 1)
    release.set()
    thread.join()


def test_a_space_without_a_record_does_not_stop_a_ledger():
    """A thread that was about to write when the process forked leaves one behind."""
    ledger = InMemoryLedger(max_records=2)
    ledger._spaces[Space("memory", Scope(user="u"))] = _Shelf()
    for number in range(5):
        space = Space("memory", Scope(user=f"u{number}"))
        ledger.put(space, LedgerRecord(b"k", b"k", "<memory/>", written_at=1.0))
    assert len(ledger) == 2


def test_a_store_whose_parent_was_initialising_is_initialised_in_the_child():
    """What the parent's thread began is never finished there."""
    begun, release = threading.Event(), threading.Event()
    parent = os.getpid()

    class Slow(FakeStore):
        def initialize(self):
            if os.getpid() == parent:
                begun.set()
                release.wait(20)

    with MemoryManager([Slow(["a fact"])]) as memory:
        thread = threading.Thread(target=memory.inject, args=(ASK,))
        thread.start()
        assert begun.wait(10)
        assert in_child(injects(memory))
        release.set()
        thread.join()


def test_sqlite_stores_and_ledgers_are_free_too(tmp_path):
    """Each keeps something of what it has read, under a lock of its own."""
    store, ledger = SQLiteStore(tmp_path / "m.db"), SQLiteLedger(tmp_path / "ledger.db")
    store.add("the garden is dry")
    with MemoryManager([store], ledger=ledger) as memory:
        assert while_held(ledger._lock, injects(memory))
        found = while_held(store._recall._entries_kept._lock, lambda: memory.search("garden"))
        assert found
    ledger.close()


def test_files_are_free_too(tmp_path):
    """They are looked through under a lock."""
    store = create_memory_provider(tmp_path / "files")
    store.add("the garden is dry")
    with MemoryManager([store]) as memory:
        assert while_held(store._store._catalogue._lock, injects(memory))


def test_facts_say_that_they_were_opened_before_a_fork(tmp_path):
    """At once, and the child can close them."""
    facts = FactStore(tmp_path / "facts.db", wait=0.5)
    facts.add("the garden is dry")

    def refused():
        try:
            facts.search("garden")
        except StoreError as error:
            return "before a fork" in str(error) and facts.close() is None

    assert while_held(facts._backend._read_lock, refused)
    facts.close()
