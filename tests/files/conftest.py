"""Fixtures: a root in a temporary folder, and providers that are closed afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from memory_injection.files import FileMemoryProvider, create_memory_provider


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "memory"


@pytest.fixture
def put(root: Path) -> Callable[[str, str | bytes], Path]:
    """Write a file below the root, folders included."""

    def write(path: str, text: str | bytes) -> Path:
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode("utf-8") if isinstance(text, str) else text)
        return target

    return write


@pytest.fixture
def provide(root: Path) -> Iterator[Callable[..., FileMemoryProvider]]:
    """Build providers over the root; all are closed at the end."""
    built: list[FileMemoryProvider] = []

    def build(**options: Any) -> FileMemoryProvider:
        built.append(create_memory_provider(root, **options))
        return built[-1]

    yield build
    for provider in built:
        provider.close()


@pytest.fixture
def provider(provide: Callable[..., FileMemoryProvider]) -> FileMemoryProvider:
    return provide()
