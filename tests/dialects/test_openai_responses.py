"""The OpenAI Responses shape."""

import json
from typing import Any

import pytest

from memory_injection.dialects import detect, detect_body
from memory_injection.dialects.openai_responses import OpenAIResponses

BLOCK = '<memory>\n<entry source="notes">The cat is called Pamuk.</entry>\n</memory>'
CALL = {"type": "function_call", "call_id": "c1", "name": "find", "arguments": '{"q":1}'}
OUTPUT = {"type": "function_call_output", "call_id": "c1", "output": "ok"}

dialect = OpenAIResponses()


def test_a_text_is_one_user_message_and_stays_a_text():
    """``input="..."`` comes back as a string with the block after a blank line."""
    (message,) = dialect.open("Hi")
    assert dialect.read(message).ask
    assert dialect.close([dialect.append(message, BLOCK)], "Hi") == f"Hi\n\n{BLOCK}"


def test_a_text_that_became_several_messages_is_a_list():
    """A system message put before it has no room in a string."""
    messages = [dialect.system("Be kind."), *dialect.open("Hi")]
    assert dialect.close(messages, "Hi") is messages


def test_items_come_back_as_a_list_of_the_same_things():
    """Reasoning and calls are carried through untouched, in any iterable."""
    items = (CALL, OUTPUT, {"role": "user", "content": "Hi"})
    opened = dialect.open(item for item in items)
    assert all(new is old for new, old in zip(opened, items, strict=True))
    assert dialect.close(opened, items) is opened


def test_results_alone_are_a_continuation_and_no_ask():
    """As sent with ``previous_response_id`` in the middle of a tool loop."""
    body = {"previous_response_id": "resp_1", "input": [OUTPUT]}
    found = detect_body(body)
    assert found is not None
    assert found.name == "openai.responses"
    reading = found.read(OUTPUT)
    assert (reading.role, reading.ask, reading.writable) == ("tool", False, False)


@pytest.mark.parametrize(
    ("body", "state"),
    [
        ({}, ("", True)),
        ({"previous_response_id": None, "conversation": None}, ("", True)),
        ({"previous_response_id": "resp_1"}, ("resp_1", True)),
        ({"conversation": "conv_1"}, ("conv_1", False)),
        ({"conversation": {"id": "conv_1"}}, ("conv_1", False)),
    ],
)
def test_what_the_provider_keeps_is_told_by_its_id(body: dict[str, Any], state: tuple[str, bool]):
    """A response is one state of a conversation, a thread is many."""
    assert dialect.continues(body) == state


@pytest.mark.parametrize(
    ("item", "role"),
    [
        (CALL, "assistant"),
        ({"type": "web_search_call", "id": "ws_1", "status": "completed"}, "assistant"),
        ({"type": "mcp_call", "name": "ask", "arguments": "{}", "output": None}, "assistant"),
        ({"type": "computer_call_output", "call_id": "c1", "output": {"type": "x"}}, "tool"),
        ({"type": "mcp_approval_response", "approve": True}, "tool"),
        ({"type": "item_reference", "id": "msg_1"}, "assistant"),
        ({"type": "unheard_of"}, "other"),
        ({"role": "developer", "content": "x"}, "system"),
    ],
)
def test_each_item_has_a_speaker(item: dict[str, Any], role: str):
    """Calls are the assistant's, outputs and answers to them the tool's."""
    reading = dialect.read(item)
    assert (reading.role, reading.ask, reading.writable) == (role, False, False)


@pytest.mark.parametrize(
    "item",
    [
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"},
        {"type": "mcp_list_tools", "id": "mcpl_1", "server_label": "x", "tools": [{"name": "a"}]},
    ],
)
def test_items_that_say_nothing_read_as_nothing(item: dict[str, Any]):
    """Applications send reasoning back or leave it out: the conversation is the same."""
    reading = dialect.read(item)
    assert (reading.texts, reading.rest) == ((), "")


def test_what_is_no_item_says_nothing():
    """It is read without an error, as nobody's."""
    reading = dialect.read(7)
    assert (reading.role, reading.texts, reading.rest) == ("other", (), "")


def test_ids_and_states_of_a_server_are_left_out_of_the_reading():
    """But an item that is nothing but a reference is known by its id."""
    served = {**CALL, "id": "fc_1", "status": "completed"}
    assert dialect.read(served) == dialect.read(CALL)
    first, second = ({"type": "item_reference", "id": id} for id in ("msg_1", "msg_2"))
    assert dialect.read(first) != dialect.read(second)


def test_a_result_may_be_a_text_or_one_text_part():
    """They say the same, and another text says something else."""
    parts = {**OUTPUT, "output": [{"type": "input_text", "text": "ok"}]}
    assert dialect.read(parts) == dialect.read(OUTPUT)
    assert dialect.read({**OUTPUT, "output": "no"}) != dialect.read(OUTPUT)


@pytest.mark.parametrize(
    "body",
    [
        {"model": "text-embedding-3-small", "input": "Hi"},
        {"model": "m", "input": ["Hi"], "encoding_format": "float"},
        {"model": "tts-1", "input": "Hi", "voice": "alloy"},
        {"model": "omni-moderation-latest", "input": "Hi"},
        {"model": "m", "input": ""},
        {"model": "m", "input": [1, 2]},
        {"model": "m"},
    ],
)
def test_other_endpoints_with_an_input_are_not_chat(body: dict[str, Any]):
    """Embeddings, speech and moderation take an ``input`` as well."""
    assert dialect.detect_body(body) == 0
    assert detect_body(body) is None


@pytest.mark.parametrize(
    "messages",
    [
        "Hi",
        [CALL],
        [{"role": "user", "content": [{"type": "input_text", "text": "Hi"}]}],
        [{"type": "message", "role": "user", "content": "Hi"}],
    ],
)
def test_items_are_recognised_without_a_body(messages: Any):
    """By item types and by the names of parts; a bare text is an input."""
    found = detect(messages)
    assert found is not None
    assert found.name == "openai.responses"


def test_output_items_of_the_sdk_read_like_their_dicts():
    """``input += response.output`` works as well as its JSON does."""
    responses = pytest.importorskip("openai.types.responses")
    call = responses.ResponseFunctionToolCall(id="fc_1", status="completed", **CALL)
    message = responses.ResponseOutputMessage.model_validate(
        {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": "Done.", "annotations": []}],
        }
    )
    thought = responses.ResponseReasoningItem(id="rs_1", summary=[], type="reasoning")
    for item in (call, message, thought):
        assert dialect.read(item) == dialect.read(json.loads(item.model_dump_json()))
    assert dialect.read(call) == dialect.read(CALL)
    assert dialect.read(message).texts == ("Done.",)
    assert dialect.detect([{"role": "user", "content": "x"}, thought, call]) > 0.9


def test_a_user_message_of_the_sdk_gets_a_part_of_its_own_kind():
    """So that the object still serialises without a warning."""
    responses = pytest.importorskip("openai.types.responses")
    message = responses.ResponseInputMessageItem.model_validate(
        {
            "id": "msg_1",
            "type": "message",
            "role": "user",
            "content": [{"type": "input_text", "text": "Hi"}],
        }
    )
    appended = dialect.append(message, BLOCK)
    assert json.loads(appended.model_dump_json())["content"][1]["text"] == BLOCK
    assert len(message.content) == 1
    assert dialect.remove(appended, [BLOCK]) == message
