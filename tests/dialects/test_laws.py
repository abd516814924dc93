"""What holds in every dialect, over conversations with tool loops."""

import copy
import importlib.util
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory_injection.dialects import detect, dialect_named, dialect_names

BLOCK = '<memory>\n<entry source="notes">The cat is called Pamuk.</entry>\n</memory>'
Message = Any


@dataclass(frozen=True)
class Shape:
    """How one dialect writes a conversation; ids of calls are their names, too."""

    name: str
    ask: Callable[[Any], Message]
    reply: Callable[[str], Message]
    calls: Callable[[Sequence[str]], list[Message]]
    results: Callable[[Sequence[str]], list[Message]]
    text: Callable[[str], Any] = lambda text: {"type": "text", "text": text}
    media: tuple[Any, ...] = ()
    takes_strings: bool = True
    takes_parts: bool = True
    merges: bool = False
    needs: str | None = field(default=None)

    def __str__(self) -> str:
        return self.name


def say(role: str) -> Callable[[Any], Message]:
    return lambda content: {"role": role, "content": content}


def openai_calls(ids: Sequence[str]) -> list[Message]:
    calls = [
        {"id": id, "type": "function", "function": {"name": id, "arguments": '{"q":1}'}}
        for id in ids
    ]
    return [{"role": "assistant", "content": None, "tool_calls": calls}]


def openai_results(ids: Sequence[str]) -> list[Message]:
    return [{"role": "tool", "tool_call_id": id, "content": f"{id} done"} for id in ids]


def langchain(kind: str, **fields: Any) -> Message:
    return getattr(importlib.import_module("langchain_core.messages"), kind)(**fields)


def strands_like(name: str) -> Shape:
    return Shape(
        name,
        ask=say("user"),
        reply=lambda text: {"role": "assistant", "content": [{"text": text}]},
        calls=lambda ids: [
            {
                "role": "assistant",
                "content": [{"toolUse": {"toolUseId": id, "name": id, "input": {}}} for id in ids],
            }
        ],
        results=lambda ids: [
            {
                "role": "user",
                "content": [
                    {"toolResult": {"toolUseId": id, "content": [{"text": f"{id} done"}]}}
                    for id in ids
                ],
            }
        ],
        text=lambda text: {"text": text},
        media=({"image": {"format": "png", "source": {"bytes": "iVBORw0="}}},),
        takes_strings=False,
        merges=True,
    )


SHAPES = [
    Shape(
        "openai.chat",
        ask=say("user"),
        reply=say("assistant"),
        calls=openai_calls,
        results=openai_results,
        media=({"type": "image_url", "image_url": {"url": "https://example.com/a.png"}},),
    ),
    Shape(
        "openai.responses",
        ask=say("user"),
        reply=lambda text: {
            "type": "message",
            "id": "msg_1",
            "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": text, "annotations": []}],
        },
        calls=lambda ids: [
            {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"},
            *(
                {"type": "function_call", "call_id": id, "name": id, "arguments": '{"q":1}'}
                for id in ids
            ),
        ],
        results=lambda ids: [
            {"type": "function_call_output", "call_id": id, "output": f"{id} done"} for id in ids
        ],
        text=lambda text: {"type": "input_text", "text": text},
        media=({"type": "input_image", "image_url": "https://example.com/a.png"},),
    ),
    Shape(
        "anthropic.messages",
        ask=say("user"),
        reply=say("assistant"),
        calls=lambda ids: [
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "hm", "signature": "sig=="},
                    *({"type": "tool_use", "id": id, "name": id, "input": {"q": 1}} for id in ids),
                ],
            }
        ],
        results=lambda ids: [
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": id, "content": f"{id} done"}
                    for id in ids
                ],
            }
        ],
        media=(
            {
                "type": "image",
                "source": {"type": "url", "url": "https://example.com/a.png"},
                "cache_control": {"type": "ephemeral"},
            },
        ),
        merges=True,
    ),
    Shape(
        "gemini",
        ask=lambda content: {"role": "user", "parts": content},
        reply=lambda text: {"role": "model", "parts": [{"text": text}]},
        calls=lambda ids: [
            {
                "role": "model",
                "parts": [
                    {
                        "functionCall": {"id": id, "name": id, "args": {"q": 1}},
                        "thoughtSignature": "c2ln",
                    }
                    for id in ids
                ],
            }
        ],
        results=lambda ids: [
            {
                "role": "user",
                "parts": [
                    {"functionResponse": {"id": id, "name": id, "response": {"r": "done"}}}
                    for id in ids
                ],
            }
        ],
        text=lambda text: {"text": text},
        media=({"inlineData": {"mimeType": "image/png", "data": "iVBORw0="}},),
        takes_strings=False,
    ),
    strands_like("bedrock.converse"),
    strands_like("strands"),
    Shape(
        "ollama",
        ask=say("user"),
        reply=say("assistant"),
        calls=lambda ids: [
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [{"function": {"name": id, "arguments": {"q": 1}}} for id in ids],
            }
        ],
        results=lambda ids: [
            {"role": "tool", "tool_name": id, "content": f"{id} done"} for id in ids
        ],
        takes_parts=False,
    ),
    Shape(
        "cohere",
        ask=say("user"),
        reply=say("assistant"),
        calls=lambda ids: [{**openai_calls(ids)[0], "tool_plan": "I will look."}],
        results=lambda ids: [
            {
                "role": "tool",
                "tool_call_id": id,
                "content": [{"type": "document", "document": {"data": f"{id} done"}}],
            }
            for id in ids
        ],
        media=({"type": "image_url", "image_url": {"url": "https://example.com/a.png"}},),
    ),
    Shape(
        "langchain",
        ask=lambda content: langchain("HumanMessage", content=content),
        reply=lambda text: langchain("AIMessage", content=text),
        calls=lambda ids: [
            langchain(
                "AIMessage",
                content="",
                tool_calls=[{"id": id, "name": id, "args": {"q": 1}} for id in ids],
            )
        ],
        results=lambda ids: [
            langchain("ToolMessage", content=f"{id} done", tool_call_id=id) for id in ids
        ],
        media=({"type": "image_url", "image_url": {"url": "https://example.com/a.png"}},),
        needs="langchain_core",
    ),
]


@pytest.fixture(params=SHAPES, ids=str)
def shape(request: pytest.FixtureRequest) -> Shape:
    if request.param.needs and importlib.util.find_spec(request.param.needs) is None:
        pytest.skip(f"{request.param.needs} is not installed")
    return request.param  # type: ignore[no-any-return]


@st.composite
def conversations(draw: st.DrawFn, shape: Shape) -> list[Message]:
    """Turns of one ask, up to two rounds of up to three calls at once, and mostly a reply."""
    messages: list[Message] = []
    for turn in range(draw(st.integers(1, 3))):
        messages.append(shape.ask(draw(contents(shape))))
        for round in range(draw(st.integers(0, 2))):
            ids = [f"c{turn}{round}{number}" for number in range(draw(st.integers(1, 3)))]
            messages += [*shape.calls(ids), *shape.results(ids)]
        if draw(st.booleans()):
            messages.append(shape.reply(draw(st.text(min_size=1))))
    return messages


def contents(shape: Shape) -> st.SearchStrategy[Any]:
    parts = st.lists(
        st.one_of(
            st.text(min_size=1).map(shape.text),
            st.just(shape.text(f"Quoted: {BLOCK}")),
            *map(st.just, shape.media),
        ),
        min_size=1,
        max_size=4,
    )
    kinds = [st.text(min_size=1)] * shape.takes_strings + [parts] * shape.takes_parts
    return st.one_of(*kinds)


def as_json(message: Message) -> Any:
    return message if isinstance(message, dict) else message.model_dump()


def traffic(message: Message) -> Iterator[tuple[str, str]]:
    """Yield calls, results and blocks in the order they go over the wire."""
    said = as_json(message)
    content = said.get("content", said.get("parts"))
    for part in content if isinstance(content, list) else [content]:
        if BLOCK in json.dumps(part, ensure_ascii=False).replace("\\n", "\n").replace('\\"', '"'):
            yield "block", ""
        for keys in (("toolUse", "toolUseId"), ("functionCall", "id")):
            if isinstance(part, dict) and keys[0] in part:
                yield "call", part[keys[0]][keys[1]]
        for keys in (("toolResult", "toolUseId"), ("functionResponse", "id")):
            if isinstance(part, dict) and keys[0] in part:
                yield "result", part[keys[0]][keys[1]]
        if isinstance(part, dict) and part.get("type") == "tool_use":
            yield "call", part["id"]
        if isinstance(part, dict) and part.get("type") == "tool_result":
            yield "result", part["tool_use_id"]
    for call in said.get("tool_calls") or ():
        yield "call", call.get("id") or call["function"]["name"]
    if said.get("type") == "function_call":
        yield "call", said["call_id"]
    if said.get("type") == "function_call_output":
        yield "result", said["call_id"]
    if "tool" in (said.get("role"), said.get("type")):
        yield "result", said.get("tool_call_id") or said["tool_name"]


def every_writable(dialect: Any, messages: list[Message]) -> list[Message]:
    return [
        dialect.append(message, BLOCK) if dialect.read(message).writable else message
        for message in messages
    ]


lawful = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def test_every_dialect_is_held_to_the_laws():
    """A new dialect comes with its shape here."""
    assert sorted(map(str, SHAPES)) == [name for name in dialect_names() if name != "letters"]


@lawful
@given(data=st.data())
def test_a_call_and_its_result_are_never_separated(shape: Shape, data: st.DataObject):
    """A block stands only where no call waits for its result, and no message is moved."""
    messages = data.draw(conversations(shape))
    dialect = dialect_named(shape.name)
    quoted = [event for message in messages for event in traffic(message)]
    written = [e for message in every_writable(dialect, messages) for e in traffic(message)]
    waiting: set[str] = set()
    for kind, id in written:
        if kind == "call":
            waiting.add(id)
        elif kind == "result":
            waiting.remove(id)
        else:
            assert not waiting
    assert [e for e in written if e[0] != "block"] == [e for e in quoted if e[0] != "block"]
    assert len(written) > len(quoted) or not any(dialect.read(m).ask for m in messages)


@lawful
@given(data=st.data(), block=st.one_of(st.just(BLOCK), st.text(min_size=1)))
def test_remove_undoes_append(shape: Shape, data: st.DataObject, block: str):
    """In every message, whoever speaks, with quoted copies of the block around."""
    dialect = dialect_named(shape.name)
    for message in data.draw(conversations(shape)):
        before = copy.deepcopy(message)
        appended = dialect.append(message, block)
        assert type(appended) is type(message)
        assert dialect.remove(appended, [block]) == message == before


@lawful
@given(data=st.data())
def test_a_block_is_one_more_text_and_changes_nothing_else(shape: Shape, data: st.DataObject):
    """The parts of a list are the very objects the caller gave."""
    dialect = dialect_named(shape.name)
    for message in data.draw(conversations(shape)):
        reading = dialect.read(message)
        if not reading.writable:
            continue
        appended = dialect.append(message, BLOCK)
        again = dialect.read(appended)
        assert (again.role, again.rest) == (reading.role, reading.rest)
        content, longer = dialect.content_of(message), dialect.content_of(appended)
        if isinstance(content, str):
            assert longer == f"{content}\n\n{BLOCK}"
        else:
            assert again.texts == (*reading.texts, BLOCK)
            assert all(new is old for new, old in zip(longer, content, strict=False))


@lawful
@given(data=st.data())
def test_a_reload_from_json_reads_the_same(shape: Shape, data: st.DataObject):
    """So that a conversation kept on disk meets its ledger again."""
    dialect = dialect_named(shape.name)
    for message in data.draw(conversations(shape)):
        reloaded = json.loads(json.dumps(as_json(message), sort_keys=True))
        assert dialect.read(reloaded) == dialect.read(message)


@lawful
@given(text=st.text(min_size=1))
def test_a_text_and_one_text_part_read_the_same(shape: Shape, text: str):
    """Where a dialect has both."""
    dialect = dialect_named(shape.name)
    if shape.takes_strings and shape.takes_parts:
        parts = dialect.read(shape.ask([shape.text(text)]))
        assert dialect.read(shape.ask(text)) == parts
        assert parts.texts == (text,)


def test_a_message_of_results_alone_is_no_ask(shape: Shape):
    """Whoever carries them; a block may follow them only where results and texts mix."""
    dialect = dialect_named(shape.name)
    readings = [dialect.read(message) for message in shape.results(["c1", "c2"])]
    assert not any(reading.ask for reading in readings)
    assert {reading.writable for reading in readings} == {shape.merges}
    assert dialect.merges_tool_results is shape.merges
    assert all(reading.rest for reading in readings)


def test_what_calls_and_results_say_is_part_of_the_reading(shape: Shape):
    """Two calls differ by id, and so do their results."""
    dialect = dialect_named(shape.name)
    for make in (shape.calls, shape.results):
        first, second = ([dialect.read(message) for message in make([id])] for id in "ab")
        assert first != second


def test_a_tool_loop_is_recognised(shape: Shape):
    """From its last messages, with the ask long gone from view."""
    loop = [
        shape.ask("Hi" if shape.takes_strings else [shape.text("Hi")]),
        *(shape.calls(["c1"]) + shape.results(["c1"])) * 40,
    ]
    found = detect(loop)
    expected = "bedrock.converse" if shape.name == "strands" else shape.name
    assert found is not None
    assert found.name == expected


def test_system_messages_are_written_where_there_are_any(shape: Shape):
    """And refused by name where the API takes none in its conversation."""
    dialect = dialect_named(shape.name)
    if shape.name in ("gemini", "bedrock.converse", "strands"):
        with pytest.raises(ValueError, match=f"{shape.name} has no system messages"):
            dialect.system("Be kind.")
        return
    reading = dialect.read(dialect.system("Be kind."))
    assert (reading.role, reading.texts) == ("system", ("Be kind.",))
