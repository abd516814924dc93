"""The Bedrock Converse shape, and the one Strands Agents makes of it."""

from typing import Any

import pytest

from memory_injection.dialects import detect, detect_body, dialect_named
from memory_injection.dialects.bedrock_converse import BedrockConverse, StrandsConverse

BLOCK = '<memory>\n<entry source="notes">The cat is called Pamuk.</entry>\n</memory>'
RESULT = {"toolResult": {"toolUseId": "t1", "content": [{"text": "12 °C"}], "status": "success"}}
POINT = {"cachePoint": {"type": "default"}}
INJECTED = {"injected": {"text": BLOCK, "source": "memory"}}

dialect = BedrockConverse()
strands = StrandsConverse()


def user(*parts: Any) -> dict[str, Any]:
    return {"role": "user", "content": list(parts)}


def test_a_block_goes_behind_the_cache_point():
    """So that what was cached before is cached still."""
    message = user({"text": "Hi"}, POINT)
    appended = dialect.append(message, BLOCK)
    assert appended["content"] == [{"text": "Hi"}, POINT, {"text": BLOCK}]
    assert appended["content"][1] is POINT
    assert dialect.read(message) == dialect.read(user({"text": "Hi"}))


def test_a_block_goes_behind_the_results():
    """And results alone are no ask."""
    appended = dialect.append(user(RESULT), BLOCK)
    assert appended["content"] == [RESULT, {"text": BLOCK}]
    assert not dialect.read(user(RESULT)).ask
    assert dialect.read(user(RESULT)).writable


def test_the_default_status_of_a_result_may_be_left_out():
    """An error is another result."""
    bare = {"toolResult": {"toolUseId": "t1", "content": [{"text": "12 °C"}]}}
    failed = {"toolResult": {**RESULT["toolResult"], "status": "error"}}
    assert dialect.read(user(RESULT)) == dialect.read(user(bare))
    assert dialect.read(user(RESULT)) != dialect.read(user(failed))


def test_an_injected_block_is_read_and_removed_in_either_form():
    """Whoever wrote it, in whichever of the two dialects it is met."""
    message = user({"text": "Hi"})
    for reader in (dialect, strands):
        for part in (INJECTED, {"text": BLOCK}):
            written = user({"text": "Hi"}, part)
            assert reader.read(written).texts == ("Hi", BLOCK)
            assert reader.remove(written, [BLOCK]) == message


def test_an_injected_block_is_written_only_when_asked_for():
    """The Bedrock API does not know the form; the source says whose block it is."""
    message = user({"text": "Hi"})
    assert dialect.append(message, BLOCK)["content"][-1] == {"text": BLOCK}
    assert strands.append(message, BLOCK)["content"][-1] == INJECTED
    named = StrandsConverse(source="recall").append(message, BLOCK)
    assert named["content"][-1]["injected"]["source"] == "recall"
    assert dialect_named("strands").append(message, BLOCK)["content"][-1] == INJECTED


def test_a_conversation_with_injected_blocks_goes_on_with_them():
    """Without any, the wire form of Bedrock is the safe one."""
    assert detect([user({"text": "Hi"}, INJECTED)]).name == "strands"  # type: ignore[union-attr]
    assert detect([user({"text": "Hi"})]).name == "bedrock.converse"  # type: ignore[union-attr]


def test_a_block_inside_a_longer_injected_text_is_cut_out_of_it():
    """What else stood in it stays, in its own form."""
    merged = {"injected": {"text": f"Note.\n\n{BLOCK}", "source": "memory"}}
    removed = strands.remove(user(merged), [BLOCK])
    assert removed["content"] == [{"injected": {"text": "Note.", "source": "memory"}}]


def test_a_guarded_text_reads_as_the_text_it_is():
    """Strands guards the latest ask only: a turn later the same words stand bare."""
    guarded = {"guardContent": {"text": {"text": "Hi", "qualifiers": ["query"]}}}
    assert dialect.read(user(guarded)) == dialect.read(user({"text": "Hi"}))
    longer = {"guardContent": {"text": {"text": f"Hi\n\n{BLOCK}", "qualifiers": ["query"]}}}
    assert dialect.remove(user(longer), [BLOCK]) == user(guarded)


def test_reasoning_is_carried_through_and_not_read():
    """A signature is the model's own business."""
    thought = {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "c2ln"}}}
    said = {"role": "assistant", "content": [{"text": "Yes."}]}
    thoughtful = {"role": "assistant", "content": [thought, {"text": "Yes."}]}
    assert dialect.read(thoughtful) == dialect.read(said)


def test_bytes_and_their_base64_read_the_same():
    """boto3 takes bytes, JSON keeps base64."""
    images = [
        user({"image": {"format": "png", "source": {"bytes": data}}}) for data in (b"abc", "YWJj")
    ]
    assert dialect.read(images[0]) == dialect.read(images[1])
    assert dialect.read(images[0]).ask


@pytest.mark.parametrize(
    "message",
    [
        {"role": "user", "content": "a text is not Converse"},
        {"role": "user", "content": [{"type": "text", "text": "typed"}]},
        {"role": "system", "content": [{"text": "x"}]},
        {"role": "user", "content": [{"unheard": 1}]},
        {"role": "user", "content": [{}]},
    ],
)
def test_what_other_shapes_write_rules_it_out(message: dict[str, Any]):
    """Texts for content, and parts with a type."""
    assert dialect.detect([user(RESULT), message]) == 0
    assert strands.detect([user(INJECTED), message]) == 0


def test_a_body_is_recognised_by_what_stands_beside_the_messages():
    """Configuration in camelCase."""
    body = {"modelId": "m", "messages": [user({"text": "Hi"})]}
    assert dialect.detect_body(body) > dialect.detect_body({"messages": body["messages"]}) > 0
    assert detect_body(body).name == "bedrock.converse"  # type: ignore[union-attr]
