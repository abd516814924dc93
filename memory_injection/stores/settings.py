"""Checks of what a store is built with: its language and its clock."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timezone
from typing import Any

from ..entries import read_time
from ..errors import ConfigurationError

__all__ = ["checked_clock", "checked_language"]


def checked_language(language: object) -> str | None:
    """Return *language* if it looks like an ISO 639 code, or is None.

    Raises:
        ConfigurationError: it does not.
    """
    if language is None or (isinstance(language, str) and re.fullmatch("[a-z]{2,3}", language)):
        return language
    raise ConfigurationError(f"language must be an ISO 639-1 code, e.g. 'en', not {language!r}")


def checked_clock(clock: Any) -> Callable[[], datetime]:
    """Return *clock*, the machine's own if it is None; what it tells is read as UTC.

    Raises:
        ConfigurationError: it is no function; or, when it is asked, it tells no time.
    """
    if clock is None:
        return _now
    if not callable(clock):
        raise ConfigurationError(f"clock must be a function that tells the time, not {clock!r}")

    def told() -> datetime:
        moment = clock()
        found = read_time(moment) if isinstance(moment, datetime) else None
        if found is None:
            raise ConfigurationError(f"clock must return a datetime, not {moment!r}")
        return found

    return told


def _now() -> datetime:
    return datetime.now(timezone.utc)
