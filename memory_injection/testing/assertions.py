"""Assertions about the requests that reach a model."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from typing import Any

__all__ = ["assert_prefix_stable", "common_prefix"]


def common_prefix(one: Sequence[Any], other: Sequence[Any]) -> int:
    """Return how many leading items *one* and *other* share."""
    pairs = zip(one, other, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def assert_prefix_stable(requests: Sequence[Sequence[Any]]) -> None:
    """Assert that each request of one conversation starts with the previous one, whole.

    That is what providers and local engines need to re-use their prompt cache.

    Args:
        requests: the message lists sent, in order; every one must be JSON-serialisable.

    Raises:
        AssertionError: a request changes a message that was sent before; the first difference is
            shown.
    """
    for number, (earlier, later) in enumerate(itertools.pairwise(requests), 1):
        shared = common_prefix(list(earlier), list(later))
        if shared < len(earlier):
            raise AssertionError(
                f"request {number + 1} changes message {shared} of request {number}:\n"
                f"  was {_shown(earlier, shared)}\n  now {_shown(later, shared)}"
            )


def _shown(messages: Sequence[Any], at: int) -> str:
    return json.dumps(messages[at], ensure_ascii=False, default=str) if at < len(messages) else "-"
