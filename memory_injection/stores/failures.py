"""What an embedder's exception tells: its message, and whether any text would have met it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import TimeoutError as FutureTimeout
from http.client import HTTPException

__all__ = ["is_general", "message_of"]

_OF_THE_TEXTS = {400, 413, 422, 500}
"""Statuses that services answer to a text they cannot take.

OpenAI's is 400, text-embeddings-inference has 413 and 422, llama.cpp 500 for one that is too long.
"""


_GENERAL = (OSError, ImportError, HTTPException, FutureTimeout, asyncio.TimeoutError)


def is_general(error: BaseException) -> bool:
    """Tell whether *error* would come whatever the text is, as far as it can be seen from it.

    No connection, too late, an HTTP status that speaks of the key, the quota or the service, a
    package that is missing.
    """
    for one in _chain(error):
        if isinstance(one, _GENERAL):
            return True
        status = _status(one)
        if status is not None:
            return status not in _OF_THE_TEXTS
    return False


def message_of(error: BaseException) -> str:
    """Return what *error* says, if it can say it."""
    try:
        return str(error)
    except Exception as trouble:
        return f"(its message cannot be read: {type(trouble).__name__})"


def _chain(error: BaseException) -> Iterator[BaseException]:
    one: BaseException | None = error
    for _ in range(5):
        if one is None:
            return
        yield one
        one = one.__cause__


def _status(error: BaseException) -> int | None:
    """Return the HTTP status as clients give it: ``status_code``, ``status``, or a response's."""
    for holder in (error, getattr(error, "response", None)):
        for name in ("status_code", "status"):
            value = getattr(holder, name, None)
            if isinstance(value, int) and 100 <= value < 600:
                return value
    return None
