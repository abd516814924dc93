"""A store in a file, and every rule tried through the sync and the async methods alike."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
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
