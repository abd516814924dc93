"""Long-term memory for chat-completion calls."""

from __future__ import annotations

from ._version import __version__

__all__ = ["__version__"]
