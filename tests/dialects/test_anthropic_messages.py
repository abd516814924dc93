"""The Anthropic Messages shape."""

import json
from typing import Any

import pytest

from memory_injection.dialects import detect, detect_body
from memory_injection.dialects.anthropic_messages import AnthropicMessages

BLOCK = '<memory>\n<entry source="notes">The cat is called Pamuk.</entry>\n</memory>'
RESULT = {"type": "tool_result", "tool_use_id": "t1", "content": "12 °C"}
USE = {"type": "tool_use", "id": "t1", "name": "weather", "input": {"city": "Izmir"}}
THINKING = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}
EPHEMERAL = {"type": "ephemeral"}

dialect = AnthropicMessages()


def user(*parts: Any) -> dict[str, Any]:
    return {"role": "user", "content": list(parts)}


def text(words: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": words, **more}


def test_a_block_follows_the_results_it_stands_with():
    """The API wants results first; the cache marker stays on the part that had it."""
    result = {**RESULT, "cache_control": EPHEMERAL}
    appended = dialect.append(user(result), BLOCK)
    assert appended["content"] == [result, text(BLOCK)]
    assert appended["content"][0] is result


def test_results_with_words_of_the_user_are_an_ask():
    """Results alone are not, and neither are results with nothing but a marker."""
    assert not dialect.read(user(RESULT)).ask
    assert dialect.read(user(RESULT, text("Now in Ankara."))).ask
    image = {"type": "image", "source": {"type": "url", "url": "https://example.com/a.png"}}
    assert dialect.read(user(RESULT, image)).ask
    assert dialect.read(user(image)).ask


def test_the_cache_marker_moves_without_changing_the_reading():
    """Applications mark the latest message of each call, so earlier ones lose the mark."""
    marked = dialect.read(user(text("Hi", cache_control=EPHEMERAL)))
    assert (
        marked == dialect.read(user(text("Hi"))) == dialect.read({"role": "user", "content": "Hi"})
    )
    assert dialect.read(user({**RESULT, "cache_control": EPHEMERAL})) == dialect.read(user(RESULT))


def test_thinking_is_carried_through_and_not_read():
    """Applications send it back or drop it; the conversation is the same."""
    with_thinking = {"role": "assistant", "content": [THINKING, USE]}
    without = {"role": "assistant", "content": [USE]}
    assert dialect.read(with_thinking) == dialect.read(without)
    assert dialect.append(with_thinking, BLOCK)["content"][0] is THINKING


def test_every_name_in_the_arguments_of_a_call_counts():
    """Even those that are a server's own outside of them."""
    uses = [
        {"role": "assistant", "content": [{**USE, "input": {"status": state}}]}
        for state in ("open", "closed")
    ]
    assert dialect.read(uses[0]) != dialect.read(uses[1])


def test_a_failed_result_differs_from_a_good_one():
    """``is_error: false`` is the same as nothing."""
    good, said = user(RESULT), user({**RESULT, "is_error": False})
    assert dialect.read(good) == dialect.read(said)
    assert dialect.read(good) != dialect.read(user({**RESULT, "is_error": True}))
    assert dialect.read(good) == dialect.read(user({**RESULT, "content": [text("12 °C")]}))


@pytest.mark.parametrize(
    "body",
    [
        {"model": "claude-sonnet-4-5", "max_tokens": 9},
        {"model": "m", "system": "Be kind."},
        {"anthropic_version": "bedrock-2023-05-31"},
        {"model": "m", "tools": [{"name": "f", "input_schema": {"type": "object"}}]},
    ],
)
def test_a_plain_conversation_is_recognised_by_what_stands_beside_it(body: dict[str, Any]):
    """Role and text alone could be anybody's."""
    messages = [{"role": "user", "content": "Hi"}]
    assert detect_body({"model": "m", "messages": messages}).name == "openai.chat"  # type: ignore[union-attr]
    assert detect_body({**body, "messages": messages}).name == "anthropic.messages"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "message",
    [
        {"role": "tool", "content": "x", "tool_call_id": "c1"},
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]},
        {"role": "user", "content": [{"text": "untyped"}]},
        {"role": "user", "content": None},
        {"role": "assistant", "content": "", "tool_calls": [{"id": "c1"}]},
        {"role": "user", "content": "x", "images": ["a"]},
        "Hi",
    ],
)
def test_what_other_shapes_write_rules_it_out(message: Any):
    """One such message is enough."""
    assert dialect.detect([user(RESULT), message]) == 0
    assert dialect.detect_body({"system": "x", "messages": [message]}) == 0


def test_a_part_nobody_knows_does_not_rule_it_out():
    """APIs grow new parts all the time; one of them alone is a weak sign."""
    assert 0 < dialect.detect([user({"type": "hologram"})]) < 0.2
    assert dialect.detect([user({"type": "hologram"}), user(RESULT)]) > 0.9
    assert dialect.detect([user({"type": "weather_tool_result"})]) > 0.9


def test_blocks_of_the_sdk_read_like_their_dicts():
    """``{"role": "assistant", "content": response.content}`` is what people send back."""
    types = pytest.importorskip("anthropic.types")
    response = types.Message.model_validate(
        {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "m",
            "content": [THINKING, {"type": "text", "text": "Let me look.", "citations": None}, USE],
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }
    )
    sent = {"role": "assistant", "content": response.content}
    reloaded = {"role": "assistant", "content": json.loads(response.model_dump_json())["content"]}
    assert dialect.read(sent) == dialect.read(reloaded)
    assert dialect.read(sent).texts == ("Let me look.",)
    words = {"role": "assistant", "content": response.content[1:2]}
    assert detect([{"role": "user", "content": "x"}, words]).name == "anthropic.messages"  # type: ignore[union-attr]
    assert detect([{"role": "user", "content": "x"}, sent]).name == "anthropic.messages"  # type: ignore[union-attr]
