"""Async twins: the same call, with its waiting done in a thread."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable, Coroutine
from typing import Any, Concatenate, ParamSpec, TypeVar

__all__ = ["twin"]

S = TypeVar("S")
P = ParamSpec("P")
R = TypeVar("R")


def twin(
    method: Callable[Concatenate[S, P], R],
) -> Callable[Concatenate[S, P], Coroutine[Any, Any, R]]:
    """Return *method* as a coroutine method: same arguments, results and errors.

    The caller's context variables are visible in it. A cancelled call still ends its transaction,
    by commit or rollback; it never leaves one open.
    """

    @functools.wraps(method)
    async def run(self: S, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return await asyncio.to_thread(method, self, *args, **kwargs)

    return run
