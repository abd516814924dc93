"""One model in memory for all embedders that use it, loaded without noise."""

from __future__ import annotations

import gc
import sys
import threading
import weakref
from types import SimpleNamespace
from typing import Any

import pytest

from memory_injection.embedders.sharing import quietly, shared


class Model:
    """Something that can be weakly referred to."""


def test_a_model_is_loaded_once_and_goes_with_its_last_holder() -> None:
    loads: list[weakref.ref[Model]] = []

    def load() -> Model:
        made = Model()
        loads.append(weakref.ref(made))
        return made

    first, second = shared("one", load), shared("one", load)
    assert first is second
    assert shared("other", load) is not first
    assert len(loads) == 2
    del first, second
    gc.collect()
    assert loads[0]() is None
    shared("one", load)
    assert len(loads) == 3


def test_a_load_that_fails_is_tried_again() -> None:
    def broken() -> Any:
        raise OSError("no weights")

    with pytest.raises(OSError, match="no weights"):
        shared("flaky", broken)
    assert shared("flaky", lambda: 7).model == 7


def test_threads_that_load_at_once_load_once() -> None:
    loads: list[int] = []
    held: list[Any] = []
    gate = threading.Barrier(4)

    def ask() -> None:
        gate.wait(5)
        held.append(shared("raced", lambda: loads.append(1) or Model()))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(5)
    assert len(loads) == 1
    assert len({id(one) for one in held}) == 1


@pytest.mark.parametrize("shown", [True, False])
def test_progress_bars_are_off_meanwhile_and_as_before_afterwards(
    monkeypatch: pytest.MonkeyPatch, shown: bool
) -> None:
    state = {"on": shown}
    fake = SimpleNamespace(
        is_progress_bar_enabled=lambda: state["on"],
        disable_progress_bar=lambda: state.update(on=False),
        enable_progress_bar=lambda: state.update(on=True),
    )
    monkeypatch.setitem(sys.modules, "transformers", SimpleNamespace(utils=None))
    monkeypatch.setitem(sys.modules, "transformers.utils", SimpleNamespace(logging=fake))
    monkeypatch.setitem(sys.modules, "transformers.utils.logging", fake)
    with quietly():
        assert not state["on"]
    assert state["on"] is shown


def test_without_the_library_nothing_is_switched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "transformers.utils.logging", None)
    with quietly():
        pass
