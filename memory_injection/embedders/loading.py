"""Read a name, a function or an object as an embedder."""

from __future__ import annotations

from typing import cast

from ..errors import ConfigurationError
from ..protocols import Embedder
from .callables import CallableEmbedder
from .light import LightEmbedder
from .openai_api import OpenAIEmbedder
from .sentence_transformers import SentenceTransformersEmbedder

__all__ = ["load_embedder"]


def load_embedder(value: object) -> Embedder:
    """Return the embedder *value* stands for.

    Args:
        value: an object with ``embed``; a function (see ``CallableEmbedder``); or a name:
            ``"light"``, ``"openai:MODEL"``, or a sentence-transformers model or folder.

    Raises:
        ConfigurationError: none of these, or the model is not on disk.
    """
    if isinstance(value, str):
        return _by_name(value)
    if hasattr(value, "embed"):
        if not isinstance(getattr(value, "name", None), str):
            raise ConfigurationError(f"an embedder needs a name to record: {value!r} has none")
        return cast(Embedder, value)
    if callable(value):
        return CallableEmbedder(value)
    raise ConfigurationError(
        f"embedder must be a name, a function or an object with embed(), not {value!r}"
    )


def _by_name(name: str) -> Embedder:
    if not name.strip():
        raise ConfigurationError("embedder must not be blank: name a model, or use 'light'")
    if name == "light":
        return LightEmbedder()
    if name.startswith("openai:"):
        return OpenAIEmbedder(name.removeprefix("openai:"))
    return SentenceTransformersEmbedder(name)
