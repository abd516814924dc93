"""What a store forgets goes from the blocks that a manager's ledger keeps, too."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any

from ..errors import StoreError
from ..ledger_records import Shown
from ..protocols import Ledger
from ..records import Scope
from ..rendering import legal_text

__all__ = ["forget_blocks"]


def forget_blocks(
    ledger: Ledger | None,
    owner: Scope,
    store: str,
    done: str,
    *,
    texts: Iterable[str] = (),
    wait: Callable[[Callable[[], Any]], Any] | None = None,
) -> None:
    """Erase the blocks that may show what was written for *owner*.

    Those are all blocks of the scopes that have every id of *owner*. What was written for nobody
    may stand in any: there, the blocks that show one of *texts* go; where the ledger cannot tell
    them (it has no ``forget_shown``), all do.

    Args:
        ledger: None does nothing.
        owner: whom it was written for.
        store: name of the store.
        done: what has happened by now, for the error.
        texts: what is forgotten.
        wait: runs the ledger's work to its end; None for a ledger whose methods are sync.

    Raises:
        StoreError: the ledger failed; what is forgotten is gone from the store all the same.
    """
    if ledger is None:
        return
    by_text = None if owner.ids() else getattr(ledger, "forget_shown", None)
    works: list[Callable[[], Any]] = [lambda: ledger.forget(owner)]
    if callable(by_text):
        shown = [Shown(legal_text(store), legal_text(text)) for text in texts]
        works = [lambda one=one: by_text(one) for one in shown]  # type: ignore[misc]
    try:
        for work in works:
            (wait or _at_once)(work)
    except Exception as error:
        raise StoreError(f"{done}, but not the blocks in the ledger: {error}", store) from error


def _at_once(work: Callable[[], Any]) -> None:
    value = work()
    if inspect.iscoroutine(value):
        value.close()
        raise TypeError("its methods are async, and nobody here can wait for them")
