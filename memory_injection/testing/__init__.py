"""Public fakes, the store conformance suite and assertions for tests of code built on this."""

from __future__ import annotations

from .assertions import assert_prefix_stable, common_prefix
from .fakes import AsyncFakeStore, FakeStore

__all__ = ["AsyncFakeStore", "FakeStore", "assert_prefix_stable", "common_prefix"]
