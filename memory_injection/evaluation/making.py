"""Making the stores that are measured."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from ..embedders import load_embedder
from ..embedders.sentence_transformers import DEFAULT_MODEL
from ..protocols import Embedder
from ..stores import SQLiteStore

__all__ = ["KINDS", "Maker"]

KINDS = ("sqlite", "vector", "hybrid")


class Maker:
    """Makes empty stores of one kind in *folder*; their documents are embedded once.

    Args:
        kind: ``"sqlite"`` (words), ``"vector"`` (vectors alone) or ``"hybrid"`` (both).
        folder: where their files go.
        embedder: name of the embedder, for the kinds that need one.

    Raises:
        ConfigurationError: the model is not on disk.
    """

    def __init__(self, kind: str, folder: Path, embedder: str | None = None) -> None:
        self.kind = kind
        self._folder = folder
        self._embedder: Embedder | None = None
        if kind != "sqlite":
            self._embedder = _EmbedOnce(load_embedder(embedder or DEFAULT_MODEL))

    @property
    def embedder(self) -> str | None:
        """Name of the embedder, or None for words alone."""
        return self._embedder.name if self._embedder else None

    def make(self, name: str) -> Any:
        """Return an empty store called *name*."""
        path = self._folder / f"{name}.db"
        if self._embedder is None:
            return SQLiteStore(path, name)
        from ..stores import VectorStore

        return VectorStore(
            path, embedder=self._embedder, name=name, hybrid=self.kind == "hybrid",
            embed_timeout=None,
        )  # fmt: skip


class _EmbedOnce:
    """Remembers the vectors of documents, so that dealing a set over stores costs nothing twice.

    Questions are embedded every time: that is part of what a search takes.
    """

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self.name = inner.name
        self._known: dict[str, Sequence[float]] = {}

    @property
    def dimension(self) -> int | None:
        return self._inner.dimension

    @dimension.setter
    def dimension(self, value: int | None) -> None:
        self._inner.dimension = value

    def embed(self, texts: Sequence[str], kind: Literal["query", "document"] = "document") -> Any:
        if kind == "query":
            return self._inner.embed(texts, kind)
        missing = list(dict.fromkeys(text for text in texts if text not in self._known))
        if missing:
            rows: Any = self._inner.embed(missing, kind)
            self._known.update(zip(missing, rows, strict=True))
        return [self._known[text] for text in texts]
