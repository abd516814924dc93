"""The OpenAI Chat Completions shape."""

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_injection.dialects.openai_chat import OpenAIChat

BLOCK = '<memory>\n<entry source="notes">The cat is called Pamuk.</entry>\n</memory>'
IMAGE = {"type": "image_url", "image_url": {"url": "https://example.com/cat.png"}}
CALL = {"id": "c1", "type": "function", "function": {"name": "find", "arguments": '{"q": 1}'}}

dialect = OpenAIChat()


def test_a_plain_user_message_is_an_ask_a_block_may_be_written_into():
    """Role and text only: an ask, writable, nothing besides the text."""
    reading = dialect.read({"role": "user", "content": "Hi"})
    assert (reading.role, reading.texts, reading.rest) == ("user", ("Hi",), "")
    assert reading.ask
    assert reading.writable


@pytest.mark.parametrize(
    ("role", "read"),
    [("system", "system"), ("developer", "system"), ("assistant", "assistant"), ("bot", "other")],
)
def test_roles_are_read_in_the_pipelines_words(role: str, read: str):
    """A developer message is a system message; an unknown role is "other"."""
    reading = dialect.read({"role": role, "content": "x"})
    assert reading.role == read
    assert not reading.ask
    assert not reading.writable


def test_a_block_goes_after_a_blank_line_in_a_text():
    """String content stays a string."""
    appended = dialect.append({"role": "user", "content": "Hi", "name": "Ann"}, BLOCK)
    assert appended == {"role": "user", "content": f"Hi\n\n{BLOCK}", "name": "Ann"}


def test_a_block_goes_after_the_last_part_of_a_list():
    """The parts before it, a cache marker included, are the very same objects."""
    text = {"type": "text", "text": "Who is this?", "cache_control": {"type": "ephemeral"}}
    message = {"role": "user", "content": [text, IMAGE]}
    before = copy.deepcopy(message)
    appended = dialect.append(message, BLOCK)
    assert appended["content"][2] == {"type": "text", "text": BLOCK}
    assert appended["content"][0] is text
    assert appended["content"][1] is IMAGE
    assert message == before


@pytest.mark.parametrize("message", [{"role": "user", "content": None}, {"role": "user"}])
def test_a_message_without_content_has_no_place_for_a_block(message: dict[str, Any]):
    """It is an ask that says nothing, and comes back as it is."""
    assert dialect.append(message, BLOCK) is message
    reading = dialect.read(message)
    assert (reading.texts, reading.ask, reading.writable) == ((), True, False)


def test_a_tool_message_takes_no_block_and_shows_no_text():
    """What a tool said is part of the meaning, not a text anybody searches by."""
    reading = dialect.read({"role": "tool", "tool_call_id": "c1", "content": "12 °C"})
    assert (reading.role, reading.texts, reading.writable) == ("tool", (), False)
    assert "c1" in reading.rest
    assert reading != dialect.read({"role": "tool", "tool_call_id": "c1", "content": "13 °C"})


def test_a_block_inside_a_longer_text_is_taken_out_with_its_blank_line():
    """A history whose parts were joined into one string still gives its block back."""
    joined = {"role": "user", "content": f"One.\n\n{BLOCK}\n\nTwo."}
    assert dialect.remove(joined, [BLOCK]) == {"role": "user", "content": "One.\n\nTwo."}
    part = {"role": "user", "content": [{"type": "text", "text": f"One.\n{BLOCK}"}, IMAGE]}
    assert dialect.remove(part, [BLOCK])["content"] == [{"type": "text", "text": "One."}, IMAGE]


def test_a_block_of_one_line_is_not_looked_for_inside_a_line():
    """A short custom format must not cut into what the user wrote."""
    message = {"role": "user", "content": "I said likes tea, twice: likes tea."}
    assert dialect.remove(message, ["likes tea"]) is message
    assert dialect.remove(dialect.append(message, "likes tea"), ["likes tea"]) == message


def test_a_message_without_the_block_comes_back_itself():
    """Nothing is copied when nothing changes."""
    message = {"role": "user", "content": [{"type": "text", "text": "Hi"}]}
    assert dialect.remove(message, [BLOCK]) is message


SAME = [
    (
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
        {"role": "assistant", "content": "", "tool_calls": [CALL], "refusal": None},
        {"role": "assistant", "tool_calls": [CALL], "annotations": [], "reasoning_content": "hm"},
    ),
    (
        {"role": "user", "content": "Hi"},
        {"role": "user", "content": [{"type": "text", "text": "Hi"}]},
        {"role": "user", "content": [{"type": "text", "text": "Hi", "cache_control": {"a": 1}}]},
    ),
    (
        {"role": "tool", "tool_call_id": "c1", "content": "ok"},
        {"role": "tool", "tool_call_id": "c1", "content": [{"type": "text", "text": "ok"}]},
    ),
]


@pytest.mark.parametrize("messages", SAME)
def test_representations_of_one_message_read_the_same(messages: tuple[dict[str, Any], ...]):
    """Absent, null and empty are one; a text is one text part; extras of a server are nothing."""
    assert len({dialect.read(message) for message in messages}) == 1


@pytest.mark.parametrize(
    "other",
    [
        {"role": "assistant", "tool_calls": [{**CALL, "id": "c2"}]},
        {"role": "assistant", "tool_calls": [CALL, CALL]},
        {"role": "assistant", "content": "x", "tool_calls": [CALL]},
        {"role": "assistant", "content": ""},
        {
            "role": "assistant",
            "tool_calls": [{**CALL, "function": {"name": "find", "arguments": "{}"}}],
        },
    ],
)
def test_what_differs_in_meaning_reads_differently(other: dict[str, Any]):
    """Id, number, name and arguments of tool calls count."""
    assert dialect.read(other) != dialect.read({"role": "assistant", "tool_calls": [CALL]})


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"function_call": {"name": "f", "arguments": "{}"}}, {"function_call": {"name": "g"}}),
        ({"refusal": "I will not."}, {"refusal": "I cannot."}),
        ({"audio": {"id": "a1"}}, {"audio": {"id": "a2"}}),
        (
            {"tool_calls": [{"id": "c", "type": "custom", "custom": {"name": "f", "input": "1"}}]},
            {"tool_calls": [{"id": "c", "type": "custom", "custom": {"name": "f", "input": "2"}}]},
        ),
    ],
)
def test_rarer_things_an_assistant_says_count(first: dict[str, Any], second: dict[str, Any]):
    """Legacy function calls, refusals, spoken answers and custom tools."""
    readings = [
        dialect.read({"role": "assistant", "content": None, **said}) for said in (first, second)
    ]
    assert readings[0] != readings[1]
    assert dialect.detect([{"role": "assistant", "content": None, **first}]) > 0


def test_a_spoken_answer_is_known_by_its_id():
    """The SDK object holds the sound as well; what is sent back is the id."""
    heard = {"role": "assistant", "audio": {"id": "a1", "data": "AAAA", "transcript": "Hi"}}
    assert dialect.read(heard) == dialect.read({"role": "assistant", "audio": {"id": "a1"}})


def test_media_stand_in_the_reading_as_a_digest():
    """Megabytes of image never become part of a key, and different images differ."""
    urls = ["data:image/png;base64," + letter * 100_000 for letter in "AB"]
    images = [
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": url}}]}
        for url in urls
    ]
    first, second = map(dialect.read, images)
    assert len(first.rest) < 200
    assert first.rest != second.rest
    assert first.ask


def test_a_reply_of_the_sdk_reads_like_its_dict():
    """The object that came back from the last call is as good as its JSON."""
    chat = pytest.importorskip("openai.types.chat")
    call = {**CALL, "function": dict(CALL["function"])}  # type: ignore[call-overload]
    reply = chat.ChatCompletionMessage.model_validate(
        {"role": "assistant", "content": "On it.", "tool_calls": [call]}
    )
    as_dict = json.loads(reply.model_dump_json())
    assert dialect.read(reply) == dialect.read(as_dict)
    assert dialect.read(reply).texts == ("On it.",)
    assert dialect.detect([{"role": "user", "content": "x"}, reply]) > 0.9
    appended = dialect.append(reply, BLOCK)
    assert type(appended) is type(reply)
    assert reply.content == "On it."
    assert dialect.remove(appended, [BLOCK]) == reply


def test_tool_calls_with_text_arguments_are_unmistakable():
    """A plain conversation could be anybody's; a foreign message rules the dialect out."""
    plain = [{"role": "user", "content": "Hi"}]
    called = [*plain, {"role": "assistant", "content": None, "tool_calls": [CALL]}]
    foreign = [*plain, {"role": "user", "content": [{"type": "tool_result"}]}]
    assert 0 < dialect.detect(plain) < dialect.detect(called)
    assert dialect.detect(foreign) == 0
    assert dialect.detect([]) == 0
    assert dialect.detect("Hi") == 0


def test_a_body_is_recognised_by_its_messages():
    """No list of messages, no chat request."""
    assert dialect.detect_body({"messages": [{"role": "user", "content": "Hi"}]}) > 0
    assert dialect.detect_body({"messages": "Hi"}) == 0
    assert dialect.detect_body({"input": []}) == 0


def test_a_system_message_holds_the_text():
    """As ``placement="system"`` writes it."""
    assert dialect.system("Be kind.") == {"role": "system", "content": "Be kind."}


parts = st.one_of(
    st.text().map(lambda text: {"type": "text", "text": text}),
    st.just(IMAGE),
    st.just({"type": "text", "text": BLOCK}),
)
messages = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant", "system"])},
    optional={
        "content": st.one_of(
            st.none(),
            st.text(),
            st.lists(parts),
            st.text().map(lambda text: text + BLOCK),
            st.just(BLOCK),
        ),
        "name": st.text(),
        "tool_calls": st.just([CALL]),
    },
)


@given(message=messages, block=st.one_of(st.just(BLOCK), st.text(min_size=1)))
def test_remove_undoes_append(message: dict[str, Any], block: str):
    """Whatever stood there before, other copies of the block included."""
    before = copy.deepcopy(message)
    appended = dialect.append(message, block)
    assert dialect.remove(appended, [block]) == message == before


@given(message=messages, blocks=st.lists(st.text(min_size=1), max_size=3))
def test_remove_undoes_several_appends(message: dict[str, Any], blocks: list[str]):
    """Blocks written one after the other go in one call."""
    appended = message
    for block in blocks:
        appended = dialect.append(appended, block)
    assert dialect.remove(appended, blocks) == message
