"""Waiting for a coroutine from plain code, on one event loop that stays.

A loop per call would be simpler and wrong: clients that an extractor shares between calls are
bound to the loop they were first used on, and break when it closes.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any

__all__ = ["LoopThread"]


class LoopThread:
    """An event loop in a daemon thread, started at the first use."""

    def __init__(self) -> None:
        """Start nothing yet."""
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()

    def run(self, coroutine: Coroutine[Any, Any, Any]) -> Any:
        """Run *coroutine* to its end with the caller's context variables; return its result."""
        return asyncio.run_coroutine_threadsafe(coroutine, self._started()).result()

    def close(self) -> None:
        """Stop the loop and its thread, if they were started."""
        with self._lock:
            loop, thread = self._loop, self._thread
            self._loop = self._thread = None
        if loop is not None and thread is not None:
            loop.call_soon_threadsafe(loop.stop)
            thread.join()
            loop.close()

    def _started(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(
                    target=self._loop.run_forever, name="memory-files", daemon=True
                )
                self._thread.start()
            return self._loop
