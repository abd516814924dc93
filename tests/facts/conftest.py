"""A store in a file, and every rule tried through the sync and the async methods alike."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from memory_injection.errors import FactRefused
from memory_injection.facts import FactRun, FactStore


class Through:
    """Calls a run's methods, or their async twins on an event loop of their own."""

    def __init__(self, target: Any, mode: str) -> None:
        self.target, self.mode = target, mode

    def __getattr__(self, name: str) -> Any:
        twin = getattr(self.target, f"a{name}", None)
        if self.mode == "sync" or twin is None:
            found = getattr(self.target, name)
        else:

            def found(*args: Any, **kwargs: Any) -> Any:
                return asyncio.run(twin(*args, **kwargs))

        if name in ("at", "open"):
            return lambda *args, **kwargs: Through(found(*args, **kwargs), self.mode)
        return found


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the store of this test lies."""
    return tmp_path / "facts.db"


@pytest.fixture(params=["sync", "async"])
def mode(request: pytest.FixtureRequest) -> str:
    """Which methods the test goes through."""
    return str(request.param)


@pytest.fixture
def store(request: pytest.FixtureRequest, path: Path) -> Iterator[FactStore]:
    """A store in a file; in memory for the async methods, so that both kinds are tried."""
    asynchronous = "mode" in request.fixturenames and request.getfixturevalue("mode") == "async"
    with FactStore(":memory:" if asynchronous else path) as store:
        yield store


@pytest.fixture
def open_run(store: FactStore, mode: str) -> Callable[..., FactRun]:
    """Open a run of agent ``a``; ids can be given."""

    def open_run(user: str | None = None, run: str = "r", agent: str = "a") -> Any:
        return Through(store.open(agent=agent, run=run, user=user), mode)

    return open_run


@pytest.fixture
def mem(open_run: Callable[..., FactRun]) -> FactRun:
    """A run of agent ``a`` for user ``u1``."""
    return open_run("u1")


@pytest.fixture
def refused() -> Callable[..., FactRefused]:
    """Call something that must be refused, and return the refusal."""

    def refused(code: str, status: int, call: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        with pytest.raises(FactRefused) as caught:
            call(*args, **kwargs)
        assert (caught.value.code, caught.value.status) == (code, status)
        assert caught.value.message
        assert "\n" not in caught.value.message
        return caught.value

    return refused


@pytest.fixture
def consistent() -> Callable[[Path], set[str]]:
    """A check that nothing in a file is half-written."""

    def consistent(path: Path) -> set[str]:
        """The counters, the index and the versions agree with the facts; return the facts' ids."""
        with closing(sqlite3.connect(path)) as db:
            assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            facts = db.execute(
                "SELECT row, id, space, version, words, indexed FROM facts"
            ).fetchall()
            postings = set(db.execute("SELECT space, word, row FROM fact_postings"))
            expected = {(f[2], word, f[0]) for f in facts for word in f[5].split(" ")}
            assert postings == expected
            for space, held, words in db.execute("SELECT space, facts, words FROM fact_spaces"):
                inside = [f for f in facts if f[2] == space]
                assert (held, words) == (len(inside), sum(f[4] for f in inside))
            total = db.execute("SELECT coalesce(sum(facts), 0) FROM fact_agents").fetchone()[0]
            assert total == len(facts)
            for _, ident, _, version, _, _ in facts:
                older = db.execute(
                    "SELECT version FROM fact_versions WHERE id = ? ORDER BY version", (ident,)
                ).fetchall()
                assert [v for (v,) in older] == list(range(1, version))
        return {f[1] for f in facts}

    return consistent
