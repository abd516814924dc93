"""The LlamaIndex shape."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from memory_injection.dialects import detect
from memory_injection.dialects.llama_index import LlamaIndex
from memory_injection.errors import MissingDependencyError

BLOCK = '<memory>\n<entry source="notes">The cat is called Pamuk.</entry>\n</memory>'

dialect = LlamaIndex()


def text(words: str) -> dict[str, Any]:
    return {"block_type": "text", "text": words}


IMAGE = {"block_type": "image", "url": "https://example.com/a.png"}


def test_a_block_stays_within_the_last_text():
    """Models join neighbouring texts; the blank line before the block would be lost."""
    message = {"role": "user", "blocks": [IMAGE, text("What is this?")]}
    written = dialect.append(message, BLOCK)
    assert written["blocks"] == [IMAGE, text(f"What is this?\n\n{BLOCK}")]
    assert dialect.remove(written, [BLOCK]) == message


def test_a_block_follows_what_is_no_text():
    """An image, a cache marker or nothing at all."""
    for blocks in ([text("Look"), IMAGE], [text("Hi"), {"block_type": "cache"}], []):
        message = {"role": "user", "blocks": blocks}
        written = dialect.append(message, BLOCK)
        assert written["blocks"] == [*blocks, text(BLOCK)]
        assert dialect.remove(written, [BLOCK]) == message
    bare = {"role": "user"}
    assert dialect.append(bare, BLOCK) is bare


def test_calls_beside_the_blocks_are_read():
    """Some models keep them in ``additional_kwargs``, and all keep a result's call there."""

    def called(city: str) -> dict[str, Any]:
        call = {"id": "c1", "function": {"name": "weather", "arguments": city}}
        return {"role": "assistant", "blocks": [], "additional_kwargs": {"tool_calls": [call]}}

    assert dialect.read(called("Bergen")) != dialect.read(called("Oslo"))
    result = {"role": "tool", "blocks": [text("rain")], "additional_kwargs": {"tool_call_id": "c1"}}
    assert '"c1"' in dialect.read(result).rest
    assert dialect.read(result).texts == ()


def test_objects_and_their_dumps_read_the_same():
    """A chat store keeps messages as JSON."""
    types = pytest.importorskip("llama_index.core.base.llms.types")
    live = [
        types.ChatMessage("Hi"),
        types.ChatMessage(
            role="assistant",
            blocks=[types.ToolCallBlock(tool_call_id="c1", tool_name="f", tool_kwargs={"q": 1})],
        ),
        types.ChatMessage(role="tool", content="done", additional_kwargs={"tool_call_id": "c1"}),
        types.ChatMessage(role="assistant", content="Done."),
    ]
    stored = [message.model_dump(mode="json") for message in live]
    assert [dialect.read(m) for m in live] == [dialect.read(m) for m in stored]
    assert detect(live).name == detect(stored).name == "llama-index"  # type: ignore[union-attr]
    for message in (live[0], types.ChatMessage(role="user", blocks=[])):
        before = message.model_copy(deep=True)
        written = dialect.append(message, BLOCK)
        assert isinstance(written.blocks[-1], types.TextBlock)
        assert written.blocks[-1].text.endswith(BLOCK)
        assert message == before
        assert dialect.remove(written, [BLOCK]) == message


def test_a_system_message_needs_the_package(monkeypatch: pytest.MonkeyPatch):
    """The error names what to install."""
    monkeypatch.setitem(sys.modules, "llama_index.core.base.llms.types", None)
    with pytest.raises(MissingDependencyError, match=r"memory-injection\[llama-index\]"):
        dialect.system("Be kind.")
