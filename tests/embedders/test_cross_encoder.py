"""A cross-encoder as a reranker."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from memory_injection.embedders import CrossEncoderReranker, cross_encoder
from memory_injection.errors import ConfigurationError, MissingDependencyError
from memory_injection.records import MemoryEntry

ENTRIES = [MemoryEntry(text, score=0.5) for text in ("a", "abc", "ab", "abcd")]


@pytest.fixture
def folder(tmp_path: Path) -> str:
    (tmp_path / "config.json").write_text("{}")
    return str(tmp_path)


class Longest:
    """A stand-in for the library's model: longer entries are better."""

    def __init__(self, folder: str, **_: Any) -> None:
        self.folder = folder

    def predict(self, pairs: list[tuple[str, str]]) -> list[float]:
        return [float(len(text)) for _, text in pairs]


def test_the_best_are_read_and_the_rest_keep_their_places(
    folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the first ``most`` entries are scored; scores stay the store's own."""
    module = SimpleNamespace(CrossEncoder=Longest)
    monkeypatch.setattr(cross_encoder, "_module", lambda: module)
    found = CrossEncoderReranker(folder, most=3)("q", ENTRIES)
    assert [entry.content for entry in found] == ["abc", "ab", "a", "abcd"]
    assert {entry.score for entry in found} == {0.5}
    assert CrossEncoderReranker(folder)("q", []) == []


def test_what_is_missing_is_named(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The model at construction, the library when it is used."""
    with pytest.raises(ConfigurationError, match="'nowhere'"):
        CrossEncoderReranker("nowhere")
    for most in (0, "20"):
        with pytest.raises(ConfigurationError, match="at least 1"):
            CrossEncoderReranker(folder, most=most)  # type: ignore[arg-type]

    def missing(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(cross_encoder.importlib, "import_module", missing)
    with pytest.raises(MissingDependencyError, match="embeddings"):
        CrossEncoderReranker(folder)("q", ENTRIES)
