"""The way in from a shell: ``memory-injection`` and ``python -m memory_injection``."""

from __future__ import annotations

from .commands import app, main

__all__ = ["app", "main"]
