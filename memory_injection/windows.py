"""Context windows of well-known models, in tokens, by the start of their name.

From the providers' model pages as of 2025; a model not listed has no known window, and
``context_window`` can always be given.
"""

from __future__ import annotations

from functools import lru_cache

__all__ = ["window_of"]

_WINDOWS = (
    ("gpt-4.1", 1_047_576),
    ("gpt-4o", 128_000),
    ("chatgpt-4o", 128_000),
    ("gpt-4-turbo", 128_000),
    ("gpt-4-32k", 32_768),
    ("gpt-4", 8_192),
    ("gpt-3.5-turbo", 16_385),
    ("gpt-5", 400_000),
    ("o1", 200_000),
    ("o3", 200_000),
    ("o4-mini", 200_000),
    ("claude", 200_000),
    ("gemini", 1_048_576),
)


@lru_cache(maxsize=256)
def window_of(model: str | None) -> int | None:
    """Return the context window of *model* in tokens, or None if it is not known."""
    if not model:
        return None
    name = model.rsplit("/", 1)[-1].lower()
    return next((window for start, window in _WINDOWS if name.startswith(start)), None)
