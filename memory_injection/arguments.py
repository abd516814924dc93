"""Checks of what an object is built with: each names the value and the rule."""

from __future__ import annotations

import math
import threading
from typing import Any

from .errors import ConfigurationError, InputError

__all__ = ["checked_count", "checked_flag", "checked_seconds", "checked_wait", "refuse_class"]

_LONGEST_WAIT = 1_000_000.0  # seconds; a thread cannot wait for ever-greater numbers


def checked_flag(name: str, value: object) -> bool:
    """Return *value* if it is True or False; any other would be taken for one of them.

    Raises:
        ConfigurationError: it is neither.
    """
    if not isinstance(value, bool):
        raise ConfigurationError(f"{name} must be True or False, not {value!r}")
    return value


def checked_seconds(name: str, value: Any) -> float:
    """Return *value* as seconds, a number above 0 that a thread can wait for.

    Raises:
        ConfigurationError: it is no such number.
    """
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not number or not math.isfinite(value) or value <= 0:
        raise ConfigurationError(f"{name} must be a number of seconds above 0, not {value!r}")
    if value > threading.TIMEOUT_MAX:
        most = f"{threading.TIMEOUT_MAX:.0f}"
        raise ConfigurationError(f"{name} must be at most {most} seconds, not {value!r}")
    return float(value)


def checked_wait(timeout: Any) -> float | None:
    """Return how many seconds a call is to wait at most; None if it does not say.

    Raises:
        InputError: *timeout* is no number of seconds from 0, and not None.
    """
    if timeout is None:
        return None
    if isinstance(timeout, bool) or not isinstance(timeout, (int, float)) or not timeout >= 0:
        raise InputError(f"timeout must be a number of seconds from 0, or None, not {timeout!r}")
    return min(float(timeout), _LONGEST_WAIT)


def checked_count(name: str, value: Any) -> int:
    """Return *value* if it is a whole number of at least 1.

    Raises:
        ConfigurationError: it is no such number.
    """
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ConfigurationError(f"{name} must be a whole number of at least 1, not {value!r}")
    return value


def refuse_class(name: str, value: object) -> None:
    """Check that *value* is no class: it has the methods, and none of them can be called.

    Raises:
        ConfigurationError: it is one.
    """
    if isinstance(value, type):
        kind = value.__name__
        raise ConfigurationError(f"{name} is the class {kind}: pass an instance, {kind}(...)")
