"""A cross-encoder as a reranker: reads question and entry together, slower and sharper."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

from ..arguments import checked_count
from ..errors import ConfigurationError, MissingDependencyError
from ..records import MemoryEntry
from .sentence_transformers import find_model
from .sharing import Loaded, quietly, shared

__all__ = ["CrossEncoderReranker"]


class CrossEncoderReranker:
    """Orders entries by a local cross-encoder model, loaded at the first call.

    Args:
        model: name or folder of a sentence-transformers cross-encoder on this machine's disk.
        most: how many of the best entries are read; the rest keep their places behind them.
        device: e.g. ``"cpu"``; None lets the library choose.

    Raises:
        ConfigurationError: the model is not on disk, or *most* is below 1.

    Attributes:
        most: as given; a ``VectorStore`` finds as many for it, whatever was asked for.
    """

    def __init__(self, model: str, *, most: int = 20, device: str | None = None) -> None:
        folder = find_model(model)
        if folder is None:
            raise ConfigurationError(f"the cross-encoder {model!r} is not on this machine")
        self._folder = str(folder)
        self.most = checked_count("most", most)
        self._device = device
        self._held: Loaded | None = None

    def load(self) -> None:
        """Import the library and load the weights.

        Raises:
            MissingDependencyError: the ``embeddings`` extra is not installed.
        """
        self._loaded()

    def _loaded(self) -> Loaded:
        if self._held is None:
            self._held = shared(("cross-encoder", self._folder, self._device), self._load)
        return self._held

    def _load(self) -> Any:
        module = _module()
        with quietly():
            return module.CrossEncoder(self._folder, device=self._device, local_files_only=True)

    def __call__(self, query: str, entries: Sequence[MemoryEntry]) -> list[MemoryEntry]:
        """Return *entries*, the ones read first by what the model says of them.

        Scores stay the store's own: the model's are on no scale that a floor would know.

        Raises:
            MissingDependencyError: the ``embeddings`` extra is not installed.
        """
        held = self._loaded()
        read = entries[: self.most]
        with held.lock:
            marks = held.model.predict([(query, entry.content) for entry in read])
        order = sorted(range(len(read)), key=lambda at: -float(marks[at]))
        return [*(read[at] for at in order), *entries[self.most :]]


def _module() -> Any:
    try:
        return importlib.import_module("sentence_transformers")
    except ImportError:
        raise MissingDependencyError(
            "sentence-transformers", "embeddings", "a cross-encoder"
        ) from None
