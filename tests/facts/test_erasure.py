"""Contract 7.9: after ``erase_user`` nothing of the user is left, in the tables or in the bytes."""

from __future__ import annotations

import asyncio
import random
import re
import sqlite3
from contextlib import closing

import pytest

from memory_injection.errors import ConfigurationError, StoreError
from memory_injection.facts import FactStore
from memory_injection.ledger_records import LedgerRecord, Space
from memory_injection.records import Scope


def raw(path):
    """Every byte of the database, its log and its journal."""
    files = sorted(path.parent.glob(f"{path.name}*"))
    return {file.name: file.read_bytes() for file in files}


def live(store, seed, rounds=400):
    """Three users of one agent write, change and forget at random; return what ``u1`` said."""
    rng = random.Random(seed)
    runs = {user: store.open(agent="a", run="r", user=user) for user in ("u1", "u2", "u3")}
    ids = {user: [] for user in runs}
    said = []
    for at in range(rounds):
        user = rng.choice(list(runs))
        words = " ".join(f"w{rng.randrange(3000):04d}" for _ in range(rng.randint(3, 120)))
        text = f"{user}secret{at:05d} Gizli{user}Şifre {words}"
        if user == "u1":
            said.append(text)
        if ids[user] and rng.random() < 0.3:
            runs[user].remember(text, replaces=rng.choice(ids[user]), key=f"k{at}")
        elif ids[user] and rng.random() < 0.15:
            runs[user].forget(ids[user].pop(rng.randrange(len(ids[user]))))
        else:
            path = f"users/{{user}}/x{at % 7}"
            ids[user].append(runs[user].remember(text, path=path, tags=[f"{user}tag"]).id)
    return said, ids["u1"]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_no_byte_of_the_texts_is_left(path, seed):
    """Neither the texts nor their words, ids or tags are in any file, while the store is open."""
    with FactStore(path) as store:
        said, ids = live(store, seed)
        assert b"u1secret" in b"".join(raw(path).values())
        assert store.erase_user("a", "u1") == len(ids)
        after = raw(path)
        assert after["facts.db-wal"] == b""
        left = b"".join(after.values())
        pieces = {text.encode() for text in said}
        pieces |= {text.split()[0].encode() for text in said} | {i.encode() for i in ids}
        pieces |= {b"u1secret", b"Gizliu1", b"gizliu1", b"u1tag"}
        assert [piece for piece in pieces if piece in left] == []
        assert not re.search(rb"users/u1/", left)
        assert b"u2secret" in left


def test_other_users_keep_everything(path, refused):
    """Their facts, history, search and keys are as they were; the erased user's are not there."""
    with FactStore(path) as store:
        live(store, 3, rounds=120)
        two = store.open(agent="a", run="r", user="u2")
        one = store.open(agent="a", run="r", user="u1")
        gone = one.list()[0]
        kept = [(f, two.history(f.id)) for f in two.list()]
        found = two.search("w0 w1 w2", k=50)
        store.erase_user("a", "u1")
        assert [(f, two.history(f.id)) for f in two.list()] == kept
        assert two.search("w0 w1 w2", k=50) == found
        assert one.list() == []
        refused("not_found", 404, one.get, gone.id)


def test_every_table_is_rid_of_the_user(path):
    """Facts, versions, index rows, idempotency rows and the user's space itself."""
    with FactStore(path) as store:
        mem = store.open(agent="a", run="r", user="u1")
        fact = mem.remember("tea", path="users/{user}/", key="k")
        mem.remember("coffee", replaces=fact.id)
        mem.remember("shared tea", key="other")
        assert store.erase_user("a", "u1") == 1
        assert mem.remember("new", path="users/{user}/", key="k").text == "new"
        store.erase_user("a", "u1")
    with closing(sqlite3.connect(path)) as db:
        tables = [
            name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type='table'")
        ]
        rows = {table: db.execute(f"SELECT * FROM {table}").fetchall() for table in tables}
    assert "u1" not in repr(rows)
    assert len(rows["facts"]) == 1
    assert rows["fact_replies"] == rows["fact_versions"] == []
    assert rows["fact_agents"][0][:2] == ("a", 1)


def test_shared_facts_of_the_user_stay(store):
    """What was written outside the user's folder belongs to the agent."""
    mem = store.open(agent="a", run="r", user="u1")
    shared = mem.remember("shared", path="notes/")
    assert store.erase_user("a", "u1") == 0
    assert mem.list() == [shared]


def test_other_agents_are_not_concerned(store):
    """The same user with another agent is another memory."""
    for agent in ("a", "b"):
        store.open(agent=agent, run="r", user="u1").remember("tea", path="users/{user}/")
    assert store.erase_user("a", "u1") == 1
    assert len(store.open(agent="b", run="r", user="u1").list()) == 1


def test_erasing_again_is_harmless(store, mode):
    """A user without facts, or an unknown one, is zero; async gives the same."""
    store.open(agent="a", run="r", user="u1").remember("tea", path="users/{user}/")
    erase = store.erase_user if mode == "sync" else lambda *a: asyncio.run(store.aerase_user(*a))
    assert [erase("a", "u1"), erase("a", "u1"), erase("a", "nobody")] == [1, 0, 0]


@pytest.mark.parametrize("ids", [("a", ""), ("", "u1"), ("a", None), (" ", "u1"), ("a", 7)])
def test_whom_to_erase_is_never_left_open(store, ids):
    """A blank id does not mean everybody."""
    with pytest.raises(ConfigurationError):
        store.erase_user(*ids)


def test_a_reader_in_another_process_is_named(path):
    """While somebody still reads the old state the files cannot be cleaned: it says so."""
    with FactStore(path, wait=0.2) as store, closing(sqlite3.connect(path)) as other:
        mem = store.open(agent="a", run="r", user="u1")
        mem.remember("u1secret", path="users/{user}/")
        other.execute("BEGIN")
        other.execute("SELECT * FROM facts").fetchall()
        with pytest.raises(StoreError, match="erase again"):
            store.erase_user("a", "u1")
        assert mem.list() == []
        other.execute("ROLLBACK")
        assert store.erase_user("a", "u1") == 0
        assert b"u1secret" not in b"".join(raw(path).values())


def ledger_with(*scopes):
    """A ledger with one block per scope."""
    ledger_module = pytest.importorskip("memory_injection.ledger")
    ledger = ledger_module.InMemoryLedger()
    spaces = [Space("memory", scope) for scope in scopes]
    for space in spaces:
        ledger.put(space, LedgerRecord(b"k", b"k", "<memory/>", written_at=0.0))
    return ledger, spaces


def test_cached_blocks_go_too(path):
    """Blocks of the user in the ledger are erased, those of others are not."""
    ledger, _ = ledger_with(Scope(user="u1"), Scope(user="u1", agent="a"), Scope(user="u2"))
    with FactStore(path, ledger=ledger) as store:
        store.erase_user("a", "u1")
    assert ledger.forget(Scope(user="u1")) == 0
    assert ledger.forget(Scope(user="u2")) == 1


def test_an_async_ledger_is_waited_for(path):
    """Its methods may be coroutines."""
    asked = []

    class Ledger:
        async def forget(self, scope):
            asked.append(scope)
            return 1

    with FactStore(path, ledger=Ledger()) as store:
        store.erase_user("a", "u1")
        asyncio.run(store.aerase_user("a", "u2"))
    assert asked == [Scope(user="u1"), Scope(user="u2")]


def test_a_ledger_that_fails_is_named(path):
    """The facts are gone then; that the blocks are not is an error, not a silence."""

    class Ledger:
        def forget(self, scope):
            raise OSError("no ledger")

    with FactStore(path, ledger=Ledger()) as store:
        mem = store.open(agent="a", run="r", user="u1")
        mem.remember("tea", path="users/{user}/")
        with pytest.raises(StoreError, match="not the blocks in the ledger: no ledger"):
            store.erase_user("a", "u1")
        assert mem.list() == []


def test_a_sessions_erasure_takes_the_answers_of_forgotten_facts(path):
    """An idempotency answer outlives its fact, and not the erasure of the session it is from."""
    with FactStore(path) as store:
        session = Scope(user="u1", session="s1")
        store.add("u1secret", {"key": "k"}, scope=session)
        with closing(sqlite3.connect(path)) as db, db:
            db.execute("DELETE FROM facts")  # as forgetting leaves it, which has no way in here
        assert store.erase(session) == 1
    assert b"u1secret" not in path.read_bytes()
