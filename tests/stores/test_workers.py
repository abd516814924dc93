"""Foreign calls under a deadline: what hangs is left behind, and nothing piles up behind it."""

from __future__ import annotations

import contextvars
import os
import threading
import time
from collections.abc import Iterator

import pytest

from memory_injection.stores import workers
from memory_injection.stores.workers import FutureTimeout, Workers


@pytest.fixture
def release() -> Iterator[threading.Event]:
    """Let every call that hangs go at the end."""
    event = threading.Event()
    yield event
    event.set()


def hang(made: Workers, release: threading.Event) -> None:
    """Keep every thread busy."""
    for _ in range(workers._MOST):
        made.submit(release.wait)
    deadline = time.monotonic() + 10
    while made._tasks and time.monotonic() < deadline:
        time.sleep(0.001)


def test_work_is_done_in_the_callers_context() -> None:
    """And what it raises is raised."""
    made, said = Workers(), contextvars.ContextVar("said", default="")
    said.set("here")
    assert made.within(5, said.get) == "here"
    with pytest.raises(KeyError, match="gone"):
        made.within(5, lambda: {}["gone"])
    with pytest.raises(RuntimeError, match="SystemExit: 3"):
        made.within(5, lambda: exec("raise SystemExit(3)"))
    assert made.within(5, lambda: 7) == 7


def test_nothing_piles_up_behind_calls_that_hang(release: threading.Event) -> None:
    """Nobody waits for it any more: it is forgotten, and never done."""
    made, done = Workers(), list[int]()
    hang(made, release)
    for number in range(50):
        with pytest.raises(FutureTimeout):
            made.within(0.001, lambda number=number: done.append(number))  # type: ignore[misc]
    assert not made._tasks
    release.set()
    assert made.within(5, lambda: 7) == 7
    assert done == []


def test_what_has_begun_is_left_to_end(release: threading.Event) -> None:
    """Its thread takes the next call when it comes back."""
    made = Workers()
    with pytest.raises(FutureTimeout):
        made.within(0.001, lambda: release.wait(10))
    assert made.within(5, lambda: 7) == 7
    assert made._threads == 2


def test_threads_with_nothing_to_do_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """A store that is closed leaves none behind; the next call begins one."""
    monkeypatch.setattr(workers, "_IDLE", 0.01)
    made = Workers()
    assert made.within(5, lambda: 7) == 7
    deadline = time.monotonic() + 10
    while made._threads and time.monotonic() < deadline:
        time.sleep(0.005)
    assert made._threads == made._idle == 0
    assert made.within(5, lambda: 8) == 8


def test_at_most_four_at_once(release: threading.Event) -> None:
    """One call after the other takes one thread."""
    made = Workers()
    for _ in range(20):
        made.within(5, lambda: None)
    assert made._threads <= 2
    hang(made, release)
    late = [made.submit(lambda: 7) for _ in range(9)]
    assert made._threads == workers._MOST
    release.set()
    assert [one.result(5) for one in late] == [7] * 9


def test_where_no_thread_can_begin(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those there are do the work; if there is none the caller hears of it."""

    def refuse(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    made = Workers()
    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", refuse)
        with pytest.raises(RuntimeError, match="can't start"):
            made.within(5, lambda: 7)
        assert not made._tasks
    assert made.within(5, lambda: 7) == 7
    hold = threading.Event()
    first = made.submit(lambda: hold.wait(10))
    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", refuse)
        second = made.submit(lambda: 8)
        hold.set()
        assert (first.result(5), second.result(5)) == (True, 8)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_begins_its_own_threads(release: threading.Event) -> None:
    """Its parent's did not come along."""
    made = Workers()
    hang(made, release)
    child = os.fork()
    if not child:
        os._exit(0 if made.within(5, lambda: 7) == 7 else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
