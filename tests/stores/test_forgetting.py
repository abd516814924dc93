"""What a store forgets goes from the blocks of its manager's ledger."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from memory_injection import InMemoryLedger, MemoryManager, Scope, StoreError
from memory_injection.facts import FactStore
from memory_injection.files import create_memory_provider
from memory_injection.ledger_records import LedgerRecord, Shown, Space
from memory_injection.sqlite_ledger import SQLiteLedger
from memory_injection.stores import SQLiteStore
from memory_injection.testing import FakeStore

ADA, BEN = Scope(user="ada"), Scope(user="ben")
ASK = [{"role": "user", "content": "What is the gate code?"}]
CODE, OTHER = "The gate code is 4711.", "The gate code of the garage is 12."


class AsyncLedger:
    """A ledger of the user's own whose methods are coroutines, without ``forget_shown``."""

    in_process = True

    def __init__(self) -> None:
        self.kept = InMemoryLedger()

    async def get(self, *given: Any) -> Any:
        return self.kept.get(*given)

    async def put(self, *given: Any) -> Any:
        return self.kept.put(*given)

    async def drop(self, *given: Any) -> Any:
        return self.kept.drop(*given)

    async def forget(self, scope: Scope) -> int:
        await asyncio.sleep(0)
        return self.kept.forget(scope)


@pytest.fixture(params=["memory", "sqlite", "async"])
def ledger(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Any]:
    if request.param == "sqlite":
        kept = SQLiteLedger(tmp_path / "ledger.db")
        yield kept
        kept.close()
    else:
        yield InMemoryLedger() if request.param == "memory" else AsyncLedger()


def vectors(path: Path) -> Any:
    pytest.importorskip("numpy")
    from memory_injection.stores import VectorStore

    def embed(texts: list[str]) -> list[list[float]]:
        return [[1.0, len(text) / 99] for text in texts]

    return VectorStore(path / "v.db", embedder=embed, name="notes")


STORES: dict[str, Callable[[Path], Any]] = {
    "sqlite": lambda path: SQLiteStore(path / "n.db", name="notes"),
    "vectors": vectors,
    "files": lambda path: create_memory_provider(path / "files", name="notes"),
    "facts": lambda path: FactStore(path / "f.db", name="notes"),
}


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Any]:
    made = STORES[request.param](tmp_path)
    yield made
    if hasattr(made, "close"):
        made.close()


@pytest.fixture
def memory(store: Any, ledger: Any) -> Iterator[MemoryManager]:
    with MemoryManager([store], ledger=ledger, injection={"min_relevance": None}) as made:
        yield made


def forget(store: Any, added: Any, scope: Scope) -> None:
    if isinstance(store, FactStore):
        store.open(run="r", user=scope.user).forget(added.id)
    else:
        assert store.forget(added, scope=scope)


def sent(memory: MemoryManager, scope: Scope) -> str:
    text: str = memory.inject(ASK, scope=scope).messages[-1]["content"]
    return text


@pytest.mark.parametrize("owner", [ADA, Scope()], ids=["own", "shared"])
def test_a_retry_does_not_show_what_was_forgotten(
    owner: Scope, memory: MemoryManager, store: Any
) -> None:
    """Also within the seconds in which a retry gets its block again without a search."""
    added = memory.add(CODE, scope=owner)["notes"]
    memory.add(OTHER, scope=BEN)
    assert CODE in sent(memory, ADA)
    before = sent(memory, BEN)
    forget(store, added, owner)
    assert memory.inject(ASK, scope=ADA).messages == ASK
    if owner == ADA:
        assert sent(memory, BEN) == before


def test_other_blocks_stay_to_the_byte(store: Any) -> None:
    """A shared memory takes no conversation's block that does not show it."""
    with MemoryManager([store, FakeStore(["tea"], name="tea")]) as memory:
        added = memory.add(CODE)["notes"]
        assert CODE in sent(memory, ADA)
        about_tea = [{"role": "user", "content": "Tea, please, what kinds are there?"}]
        first = memory.inject(about_tea, scope=ADA).messages
        assert "tea" in first[-1]["content"]
        forget(store, added, Scope())
        assert memory.inject(about_tea, scope=ADA).messages == first
        assert memory.inject(about_tea, scope=ADA).report.status == "replayed"
        assert CODE not in sent(memory, ADA)


def test_an_erasure_without_the_manager_takes_the_blocks(memory: MemoryManager, store: Any) -> None:
    """The same for each store."""
    memory.add(CODE, scope=ADA)
    memory.add(OTHER, scope=BEN)
    assert CODE in sent(memory, ADA)
    before = sent(memory, BEN)
    assert store.erase(ADA) == 1
    assert memory.inject(ASK, scope=ADA).messages == ASK
    assert sent(memory, BEN) == before


def test_the_models_own_tool_forgets_the_same(tmp_path: Path, ledger: Any) -> None:
    """``memory_forget`` of the files, called through the manager's tools."""
    files = create_memory_provider(tmp_path, name="notes")
    with MemoryManager([files], ledger=ledger) as memory, memory.scope(user="ada"):
        ident = memory.add(CODE)["notes"]
        assert CODE in sent(memory, Scope())
        asked = {"name": "memory_forget", "arguments": json.dumps({"id": ident})}
        call = {"id": "1", "type": "function", "function": asked}
        assert "forgotten" in memory.tools().call(call)["content"]
        assert memory.inject(ASK).messages == ASK


def test_what_was_recalled_for_a_turn_goes_too(tmp_path: Path) -> None:
    """A turn that is going on sees the same context until something of it is forgotten."""
    files = create_memory_provider(tmp_path)
    mine, shared = files.add(CODE, scope=ADA), files.add(OTHER)
    for scope in (ADA, BEN):
        files.on_turn_start(scope=scope)
        assert files.get_context("gate code", scope=scope) is not None
    files.forget(mine, scope=ADA)
    found = files.get_context("gate code", scope=ADA)
    assert found is not None
    assert "4711" not in found.context_text
    kept = files.get_context("gate code", scope=BEN)
    files.forget(shared, scope=BEN)
    assert kept is not None
    assert files.get_context("gate code", scope=BEN) is None


def test_nothing_is_asked_of_the_ledger_where_nothing_was_forgotten(store: Any) -> None:
    """An id that nobody has, or another user's."""
    if isinstance(store, FactStore):
        pytest.skip("it says so with an error")

    class Untouched:
        def forget(self, scope: Scope) -> int:
            raise AssertionError

    added = store.add(CODE, scope=ADA)
    store.ledger = Untouched()
    assert not store.forget("nobody-has-it", scope=ADA)
    assert not store.forget(added, scope=BEN)


@pytest.mark.parametrize("owner", [ADA, Scope()], ids=["own", "shared"])
def test_a_ledger_that_fails_is_named(owner: Scope, store: Any) -> None:
    """The memory is gone then; that its blocks are not is an error, not a silence."""

    class Broken:
        def forget(self, scope: Scope) -> int:
            raise OSError("no ledger")

    added = store.add(CODE, scope=owner)
    store.ledger = Broken()
    with pytest.raises(StoreError, match="but not the blocks in the ledger: no ledger"):
        forget(store, added, owner)
    assert store.search("gate code", {"scope": owner}) == []


def test_a_plain_store_cannot_wait_for_an_async_ledger(tmp_path: Path) -> None:
    """The manager's is made to be waited for; one put there by hand says so."""
    with SQLiteStore(tmp_path / "n.db") as store:
        ident = store.add(CODE)
        store.ledger = AsyncLedger()
        with pytest.raises(StoreError, match="async, and nobody here can wait"):
            store.forget(ident)


def test_an_async_store_awaits_its_ledger_itself() -> None:
    """What the manager gives it is the ledger as it is."""

    class Notes(FakeStore):
        ledger: Any = None

        async def search(self, query: str, options: Any = None) -> Sequence[Any]:
            return []

    ledger, notes = AsyncLedger(), Notes()
    MemoryManager([notes], ledger=ledger)
    assert notes.ledger is ledger


def test_an_async_ledgers_own_memories_by_text_are_waited_for(tmp_path: Path) -> None:
    """``forget_shown`` may be a coroutine as well; what else it has is there."""

    class Exact(AsyncLedger):
        async def forget_shown(self, shown: Shown) -> int:
            return self.kept.forget_shown(shown)

    ledger = Exact()
    store = SQLiteStore(tmp_path / "n.db", name="notes")
    with MemoryManager([store], ledger=ledger, injection={"min_relevance": None}) as memory:
        added = memory.add(CODE)["notes"]
        assert CODE in sent(memory, ADA)
        store.forget(added)
        assert memory.inject(ASK, scope=ADA).messages == ASK
        assert store.ledger is not None
        assert store.ledger.in_process
        assert store.ledger.forget(ADA) == 0


@pytest.mark.parametrize("make", [InMemoryLedger, SQLiteLedger])
def test_a_ledger_knows_its_blocks_by_what_they_show(make: Any, tmp_path: Path) -> None:
    """By source and whole text, whatever quotation marks it holds; the rest keeps its order."""
    kept = make(tmp_path / "l.db") if make is SQLiteLedger else make()
    tricky = 'x"], ["notes", "a"'
    texts = [("notes", "a"), ("notes", "ab"), ("other", "a"), ("notes", tricky), (None, "a")]
    for number, (source, text) in enumerate(texts):
        space = Space("memory", Scope(user=f"u{number}"))
        shown = (Shown("notes", "z"), Shown(source, text))
        key = f"k{number}".encode()
        kept.put(space, LedgerRecord(key, key, text, shown, 1, 2e9))
    assert kept.forget_shown(Shown("notes", "a")) == 1
    assert kept.forget_shown(Shown("notes", "a")) == 0
    assert kept.forget_shown(Shown(None, "a")) == 1
    assert kept.forget_shown(Shown("notes", tricky)) == 1
    assert len(kept) == 2
    assert kept.forget_shown(Shown("notes", "z")) == 2
    assert len(kept) == 0
    kept.close()
