"""Models in memory, one of each kind per process, shared by all embedders that use it."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from typing import Any
from weakref import WeakValueDictionary

from ..forks import Lock

__all__ = ["Loaded", "quietly", "shared"]


class Loaded:
    """A model that is loaded at its first use.

    Attributes:
        lock: held while the model is loaded or used.
        model: None until it is loaded.
    """

    def __init__(self) -> None:
        self.lock = Lock()
        self.model: Any = None


_LOADED: WeakValueDictionary[Hashable, Loaded] = WeakValueDictionary()
_LOCK = Lock()


def shared(key: Hashable, load: Callable[[], Any]) -> Loaded:
    """Return the process's model of this *key*, loaded by *load* if nobody has it yet.

    It goes when the last one who holds it goes.

    Args:
        key: tells models apart: class, folder, device.
        load: returns the model. What it raises is raised here, and the next call tries again.
    """
    with _LOCK:
        held = _LOADED.get(key)
        if held is None:
            held = _LOADED[key] = Loaded()
    with held.lock:
        if held.model is None:
            held.model = load()
    return held


@contextmanager
def quietly() -> Iterator[None]:
    """Keep the transformers library from drawing progress bars on stderr meanwhile."""
    try:
        logging = importlib.import_module("transformers.utils.logging")
        shown = logging.is_progress_bar_enabled()
    except (ImportError, AttributeError):
        yield
        return
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()
