"""The Gemini shape."""

import json
from typing import Any

import pytest

from memory_injection.dialects import detect, detect_body
from memory_injection.dialects.gemini import Gemini

BLOCK = '<memory>\n<entry source="notes">The cat is called Pamuk.</entry>\n</memory>'
IMAGE = {"inlineData": {"mimeType": "image/png", "data": "-_8="}}
CALL = {"functionCall": {"name": "find", "args": {"maxItems": 1}}, "thoughtSignature": "c2ln"}
RESPONSE = {"functionResponse": {"name": "find", "response": {"ok": True}}}

dialect = Gemini()


def user(*parts: Any) -> dict[str, Any]:
    return {"role": "user", "parts": list(parts)}


def through(conversation: Any) -> Any:
    """Write a block into each message that can hold one, and give the conversation back."""
    messages = [
        dialect.append(message, BLOCK) if dialect.read(message).writable else message
        for message in dialect.open(conversation)
    ]
    return dialect.close(messages, conversation)


@pytest.mark.parametrize(
    ("conversation", "written"),
    [
        ("Hi", f"Hi\n\n{BLOCK}"),
        (["Hi"], ["Hi", {"text": BLOCK}]),
        (["Who is this?", IMAGE], ["Who is this?", IMAGE, {"text": BLOCK}]),
        ([user({"text": "Hi"})], [user({"text": "Hi"}, {"text": BLOCK})]),
        (user({"text": "Hi"}), user({"text": "Hi"}, {"text": BLOCK})),
        (IMAGE, [IMAGE, {"text": BLOCK}]),
        ([["Hi", IMAGE]], [["Hi", IMAGE, {"text": BLOCK}]]),
        (
            ["Hi", {"role": "model", "parts": [{"text": "Yes?"}]}, "Go on", IMAGE],
            [
                "Hi",
                {"text": BLOCK},
                {"role": "model", "parts": [{"text": "Yes?"}]},
                "Go on",
                IMAGE,
                {"text": BLOCK},
            ],
        ),
        ([{"parts": [{"text": "no role"}]}], [{"parts": [{"text": "no role"}, {"text": BLOCK}]}]),
    ],
)
def test_whatever_the_sdk_takes_comes_back_in_its_shape(conversation: Any, written: Any):
    """Bare parts in a row are one user content, as google-genai makes of them."""
    before = json.dumps(conversation)
    assert through(conversation) == written
    assert json.dumps(conversation) == before


def test_bare_parts_in_a_row_are_one_ask():
    """The picture after the question does not hide the question."""
    (message,) = dialect.open(["Who is this?", IMAGE])
    reading = dialect.read(message)
    assert (reading.text, reading.ask) == ("Who is this?", True)
    assert reading == dialect.read(user({"text": "Who is this?"}, IMAGE))


def test_a_content_with_a_function_response_stands_alone():
    """Nothing is written beside it, unless the caller has put words of the user there."""
    reading = dialect.read(user(RESPONSE))
    assert (reading.role, reading.ask, reading.writable) == ("user", False, False)
    assert dialect.read(user(RESPONSE, {"text": "mixed"})).writable
    legacy = dialect.read({"role": "function", "parts": [RESPONSE]})
    assert (legacy.role, legacy.ask, legacy.writable) == ("tool", False, False)


def test_camel_case_and_snake_case_read_the_same():
    """But the names inside arguments are the caller's and stay as they are."""
    snake = {
        "function_call": {"name": "find", "args": {"maxItems": 1}},
        "thought_signature": "other",
    }
    said = [dialect.read({"role": "model", "parts": [part]}) for part in (CALL, snake)]
    assert said[0] == said[1]
    assert "maxItems" in said[0].rest
    other = {"functionCall": {"name": "find", "args": {"max_items": 1}}}
    assert dialect.read({"role": "model", "parts": [other]}) != said[0]
    standard = {"inline_data": {"mime_type": "image/png", "data": "+/8="}}
    assert dialect.read(user(standard)) == dialect.read(user(IMAGE))


def test_a_part_nobody_knows_is_carried_and_counts():
    """Whatever it holds."""
    first, second = (user({"text": "Hi"}, {"hologram": value}) for value in "ab")
    assert dialect.read(first) != dialect.read(second)
    assert dialect.append(first, BLOCK)["parts"][:2] == first["parts"]


def test_thoughts_are_carried_through_and_not_read():
    """They are neither texts nor part of what was said."""
    thought = {"text": "hm", "thought": True}
    said = {"role": "model", "parts": [{"text": "Yes."}]}
    thoughtful = {"role": "model", "parts": [thought, {"text": "Yes."}]}
    assert dialect.read(thoughtful) == dialect.read(said)


@pytest.mark.parametrize(
    "conversation", ["Hi", ["Hi"], [user({"text": "Hi"})], user({"text": "Hi"}), [{"text": "Hi"}]]
)
def test_a_body_is_recognised_by_its_contents(conversation: Any):
    """In any of the forms that the SDK takes."""
    found = detect_body({"contents": conversation})
    assert found is not None
    assert found.name == "gemini"


@pytest.mark.parametrize(
    "conversation", [None, "", [], [7], [{"role": "user"}], [{"type": "text", "text": "x"}], 7]
)
def test_what_is_no_content_is_not_taken_for_one(conversation: Any):
    """Nothing in it, or nothing known."""
    assert dialect.detect_body({"contents": conversation}) == 0


def test_contents_of_the_sdk_work_like_their_json():
    """Typed parts come back typed, the caller's object is not changed."""
    types = pytest.importorskip("google.genai.types")
    asked = types.Content(
        role="user",
        parts=[
            types.Part(text="Who?"),
            types.Part.from_bytes(data=b"\xfb\xff", mime_type="image/png"),
        ],
    )
    called = types.Content(
        role="model",
        parts=[
            types.Part(
                function_call=types.FunctionCall(name="find", args={"maxItems": 1}),
                thought_signature=b"sig",
            )
        ],
    )
    for content in (asked, called):
        for dumped in (
            content.model_dump(mode="json", by_alias=True, exclude_none=True),
            content.model_dump(mode="json"),
        ):
            assert dialect.read(dumped) == dialect.read(content)
    assert dialect.read(called) == dialect.read({"role": "model", "parts": [CALL]})
    written = through([asked, called])
    assert type(written[0].parts[2]) is types.Part
    assert written[0].parts[2].text == BLOCK
    assert len(asked.parts) == 2
    assert written[1] is called
    assert dialect.remove(written[0], [BLOCK]) == asked
    assert detect([asked, called]).name == "gemini"  # type: ignore[union-attr]


def test_bare_objects_of_the_sdk_are_parts():
    """A part, an uploaded file and an empty content find their way, too."""
    types = pytest.importorskip("google.genai.types")
    part = types.Part(text="Hi")
    assert through(part) == [part, {"text": BLOCK}]
    files = [
        types.File(name="files/1", uri="https://example.com/1", mime_type="image/png", state=state)
        for state in ("PROCESSING", "ACTIVE")
    ]
    readings = [dialect.read(dialect.open([file, "What is it?"])[0]) for file in files]
    assert readings[0] == readings[1]
    sent = {"fileData": {"fileUri": "https://example.com/1", "mimeType": "image/png"}}
    assert readings[0] == dialect.read(user(sent, {"text": "What is it?"}))
    assert dialect.detect([files[0], "What is it?"]) > 0.9
    empty = types.Content(role="user", parts=[])
    assert through([empty])[0].parts == [types.Part(text=BLOCK)]
    assert not dialect.read(types.Content(role="user")).writable
