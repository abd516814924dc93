"""Listening in on a stream that somebody else reads, closes or drops."""

from __future__ import annotations

import weakref
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

__all__ = ["Tap"]


class Tap:
    """Sees every item that passes, and the end, however it comes."""

    def __init__(self, take: Callable[[Any], None], end: Callable[[], None]) -> None:
        """Call *take* for each item and *end* at the end; neither may raise.

        *end* may be called more than once: when the response is closed, and again when the
        reader's generator is dropped.
        """
        self._take = take
        self._end = end
        self._reading = False

    def through(self, items: Iterator[Any]) -> Iterator[Any]:
        """Pass *items* on; closing the result closes *items*."""
        try:
            while True:
                self._reading = True
                try:
                    item = next(items)
                except StopIteration:
                    return
                finally:
                    self._reading = False
                self._take(item)
                yield item
        finally:
            self._end()
            if hasattr(items, "close"):
                items.close()

    async def athrough(self, items: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Pass *items* on; closing the result closes *items*."""
        try:
            while True:
                self._reading = True
                try:
                    item = await items.__anext__()
                except StopAsyncIteration:
                    return
                finally:
                    self._reading = False
                self._take(item)
                yield item
        finally:
            self._end()
            if hasattr(items, "aclose"):
                await items.aclose()

    def on_bytes(self, response: Any) -> None:
        """Put the tap into an unread httpx *response*: its bytes are the items."""
        kind, held = type(response), weakref.ref(response)

        def iter_bytes(*args: Any, **kwargs: Any) -> Iterator[bytes]:
            return self.through(iter(kind.iter_bytes(held(), *args, **kwargs)))

        def aiter_bytes(*args: Any, **kwargs: Any) -> AsyncIterator[bytes]:
            return self.athrough(kind.aiter_bytes(held(), *args, **kwargs))

        response.iter_bytes, response.aiter_bytes = iter_bytes, aiter_bytes
        self.on_close(response)

    def on_close(self, response: Any) -> None:
        """End when the httpx *response* is closed by somebody who stopped reading.

        Reading to the end closes it too, with the last items still on their way: that end is
        left to the reader.
        """
        # Held strongly, the response would sit in a cycle, and a dropped stream would stay open
        # until the garbage collector came by.
        kind, held = type(response), weakref.ref(response)

        def close() -> None:
            self._closed()
            if (target := held()) is not None:
                kind.close(target)

        async def aclose() -> None:
            self._closed()
            if (target := held()) is not None:
                await kind.aclose(target)

        response.close, response.aclose = close, aclose

    def _closed(self) -> None:
        if not self._reading:
            self._end()
