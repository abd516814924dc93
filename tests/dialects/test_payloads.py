"""Real request bodies, as public test recordings hold them."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from memory_injection.dialects import detect_body

DATA = Path(
    os.environ.get("MEMORY_INJECTION_DATA") or Path(__file__).parents[3] / "shared" / "data"
)
BODIES = sorted((DATA / "payloads").glob("*/*.json"))
BLOCK = '<memory>\n<entry source="notes">The cat is called Pamuk.</entry>\n</memory>'

DIALECT_OF = {
    "anthropic-messages": "anthropic.messages",
    "bedrock-converse": "bedrock.converse",
    "cohere-chat": "cohere",
    "gemini": "gemini",
    "ollama-chat": "ollama",
    "openai-chat": "openai.chat",
    "openai-responses": "openai.responses",
}
EXCEPTIONS = {
    # Invoke calls take the model's own shape: Anthropic's, Nova's (which is Converse's), or a
    # bare prompt, which is no conversation.
    "bedrock-invoke/000": "anthropic.messages",
    "bedrock-invoke/001": "bedrock.converse",
    "bedrock-invoke/002": None,
    "bedrock-invoke/004": None,
    "bedrock-invoke/006": None,
    # Version 1 of Cohere's API: one message, and the history beside it.
    "cohere-chat/001": None,
}

if not BODIES:
    pytest.skip(f"no recorded bodies under {DATA}", allow_module_level=True)


def expected(path: Path) -> str | None:
    name = f"{path.parent.name}/{path.stem}"
    return EXCEPTIONS[name] if name in EXCEPTIONS else DIALECT_OF[path.parent.name]


def name_of(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


KNOWN = [path for path in BODIES if expected(path) is not None]


@pytest.mark.parametrize("path", BODIES, ids=name_of)
def test_every_body_is_recognised(path: Path):
    """By its shape alone; what is no conversation is nobody's."""
    found = detect_body(json.loads(path.read_bytes()))
    assert (found and found.name) == expected(path)


@pytest.mark.parametrize("path", KNOWN, ids=name_of)
def test_a_block_adds_itself_and_nothing_else(path: Path):
    """In each message that can hold one; taken out again, the bytes are those recorded."""
    body = json.loads(path.read_bytes())
    recorded = json.dumps(body)
    dialect = detect_body(body)
    assert dialect is not None
    messages = dialect.open(body[dialect.field])
    written = [
        dialect.append(message, BLOCK) if dialect.read(message).writable else message
        for message in messages
    ]
    restored = [dialect.remove(message, [BLOCK]) for message in written]
    closed = {**body, dialect.field: dialect.close(restored, body[dialect.field])}
    assert json.dumps(closed) == recorded
    assert json.dumps(body) == recorded
    for message, other in zip(messages, written, strict=True):
        if other is not message:
            assert_only_the_block_is_new(dialect, message, other)


def assert_only_the_block_is_new(dialect: Any, message: Any, written: Any) -> None:
    before, after = dialect.read(message), dialect.read(written)
    assert (after.role, after.rest) == (before.role, before.rest)
    text = json.dumps(written)
    assert text.count(json.dumps(BLOCK)[1:-1]) == 1
    content, longer = dialect.content_of(message), dialect.content_of(written)
    if isinstance(content, str):
        assert longer == f"{content}\n\n{BLOCK}"
    else:
        assert longer[:-1] == content
        assert after.texts == (*before.texts, BLOCK)


@pytest.mark.parametrize("path", KNOWN, ids=name_of)
def test_a_reload_reads_the_same(path: Path):
    """Key order and the order of fields say nothing."""
    body = json.loads(path.read_bytes())
    dialect = detect_body(body)
    assert dialect is not None
    conversation = body[dialect.field]
    reloaded = json.loads(json.dumps(conversation, sort_keys=True))
    readings = [dialect.read(message) for message in dialect.open(conversation)]
    assert readings == [dialect.read(message) for message in dialect.open(reloaded)]
    assert all(len(reading.rest) < 6000 for reading in readings)
