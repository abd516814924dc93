"""The Cohere chat shape, version 2."""

import json
from typing import Any

import pytest

from memory_injection.dialects import detect, detect_body
from memory_injection.dialects.cohere_chat import CohereChat

BLOCK = '<memory>\n<entry source="notes">The cat is called Pamuk.</entry>\n</memory>'
CALL = {"id": "c1", "type": "function", "function": {"name": "find", "arguments": '{"q":1}'}}
PLANNED = {"role": "assistant", "tool_plan": "I will look.", "tool_calls": [CALL]}
DOCUMENT = {"type": "document", "document": {"data": "ok"}}
ANSWER = {"role": "tool", "tool_call_id": "c1", "content": [DOCUMENT]}

dialect = CohereChat()


def test_a_plan_is_thinking_and_a_call_is_not():
    """The call is read without the plan; the plan is carried through."""
    bare = {"role": "assistant", "tool_calls": [CALL]}
    assert dialect.read(PLANNED) == dialect.read(bare)
    assert dialect.read(PLANNED) != dialect.read({"role": "assistant", "content": ""})
    thought = {"type": "thinking", "thinking": "hm"}
    said = {"role": "assistant", "content": [{"type": "text", "text": "Yes."}]}
    thoughtful = {"role": "assistant", "content": [thought, *said["content"]]}  # type: ignore[misc]
    assert dialect.read(thoughtful) == dialect.read(said)


def test_documents_of_a_result_are_read():
    """By what they hold."""
    other = {**ANSWER, "content": [{"type": "document", "document": {"data": "no"}}]}
    assert dialect.read(ANSWER) != dialect.read(other)
    assert not dialect.read(ANSWER).writable


@pytest.mark.parametrize("message", [PLANNED, ANSWER])
def test_what_only_it_writes_is_recognised(message: dict[str, Any]):
    """Plans, and results that are documents."""
    assert detect([{"role": "user", "content": "x"}, message]).name == "cohere"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "message",
    [
        {"role": "developer", "content": "x"},
        {"role": "tool", "content": "x"},
        {"role": "user", "content": "x", "images": ["a"]},
        {"role": "user", "content": [{"type": "tool_result"}]},
        {"role": "user", "content": [{"type": "document", "source": {}}]},
        {"role": "assistant", "content": [{"type": "thinking", "thinking": [1]}]},
    ],
)
def test_what_other_shapes_write_rules_it_out(message: dict[str, Any]):
    """Results without a call, parts of others."""
    assert dialect.detect([PLANNED, message]) == 0


@pytest.mark.parametrize(
    "body", [{"model": "command-a-03-2025"}, {"documents": []}, {"safety_mode": "NONE"}]
)
def test_a_plain_conversation_is_told_by_the_body(body: dict[str, Any]):
    """Its models, and options nobody else has."""
    found = detect_body({**body, "messages": [{"role": "user", "content": "Hi"}]})
    assert found is not None
    assert found.name == "cohere"


def test_version_1_is_left_alone():
    """One message and the history beside it: nothing is taken for a conversation."""
    body = {
        "model": "command-r",
        "message": "Hi",
        "chat_history": [{"role": "USER", "message": ""}],
    }
    assert detect_body(body) is None


def test_messages_of_the_sdk_work_like_their_json():
    """Both the ask and what came back from the last call."""
    cohere = pytest.importorskip("cohere")
    asked = cohere.UserChatMessageV2(content=[cohere.TextContent(text="Who?")])
    reply = cohere.AssistantChatMessageV2(
        tool_plan="I will look.",
        tool_calls=[cohere.ToolCallV2(**{**CALL, "function": CALL["function"]})],
    )
    for message in (asked, reply):
        assert dialect.read(message) == dialect.read(json.loads(message.model_dump_json()))
    assert dialect.read(reply) == dialect.read(PLANNED)
    appended = dialect.append(asked, BLOCK)
    assert appended.content[1].text == BLOCK
    assert type(appended.content[1]) is type(asked.content[0])
    assert len(asked.content) == 1
    assert dialect.remove(appended, [BLOCK]) == asked
    assert detect([asked, reply]).name == "cohere"  # type: ignore[union-attr]
