"""Async twins: the same call, with its waiting done in a thread; and what can be closed."""

from __future__ import annotations

import asyncio
import functools
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine
from typing import Any, Concatenate, ParamSpec, TypeVar

__all__ = ["Closing", "twin"]

S = TypeVar("S")
C = TypeVar("C", bound="Closing")
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


class Closing(ABC):
    """Closed at the end of a ``with`` block, sync or async."""

    @abstractmethod
    def close(self) -> None:
        """Release what is held. May be called twice."""

    async def aclose(self) -> None:
        """Close as :meth:`close` does, without blocking the event loop."""
        await asyncio.to_thread(self.close)

    def __enter__(self: C) -> C:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    async def __aenter__(self: C) -> C:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.aclose()
