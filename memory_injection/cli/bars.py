"""Progress bars on stderr, while something long is done and somebody is there to see it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["Update", "bar"]

Update = Callable[..., None]
"""Called with how much is done, and with how much there is to do where that changes."""


@contextmanager
def bar(label: str, total: int | None, *, quiet: bool) -> Iterator[Update | None]:
    """Show a bar meanwhile; None if *quiet*, or if stderr is no terminal.

    Args:
        label: what is being done.
        total: how much there is to do; None if that is not known.
        quiet: show nothing.
    """
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    parts = (
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(),
    )  # fmt: skip
    with Progress(*parts, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task(label, total=total)

        def update(done: int, of: int | None = None) -> None:
            shown.update(task, completed=done, total=total if of is None else of)

        yield update
