"""What holds in every dialect, over conversations with tool loops."""

import copy
import importlib.util
import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory_injection.dialects import detect, dialect_named, dialect_names

BLOCK = '<memory>\n<entry source="notes">The cat is called Pamuk.</entry>\n</memory>'
Message = Any
Shape = Any  # how one dialect writes a conversation: see conftest.py


def every_writable(dialect: Any, messages: list[Message]) -> list[Message]:
    return [
        dialect.append(message, BLOCK) if dialect.read(message).writable else message
        for message in messages
    ]


lawful = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def test_every_dialect_is_held_to_the_laws(shapes: list[Shape]):
    """A new dialect comes with its shape in conftest.py."""
    assert sorted(map(str, shapes)) == dialect_names()


@lawful
@given(data=st.data())
def test_a_call_and_its_result_are_never_separated(shape: Shape, data: st.DataObject):
    """A block stands only where no call waits for its result, and no message is moved."""
    messages = data.draw(shape.conversations())
    dialect = dialect_named(shape.name)
    quoted = shape.traffic(messages)
    written = shape.traffic(every_writable(dialect, messages))
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
    for message in data.draw(shape.conversations()):
        before = copy.deepcopy(message)
        appended = dialect.append(message, block)
        assert type(appended) is type(message)
        assert dialect.remove(appended, [block]) == message == before


@lawful
@given(data=st.data())
def test_a_block_is_one_more_text_and_changes_nothing_else(shape: Shape, data: st.DataObject):
    """The parts of a list are the very objects the caller gave."""
    dialect = dialect_named(shape.name)
    for message in data.draw(shape.conversations()):
        reading = dialect.read(message)
        if not reading.writable:
            continue
        appended = dialect.append(message, BLOCK)
        again = dialect.read(appended)
        assert (again.role, again.rest) == (reading.role, reading.rest)
        content, longer = dialect.content_of(message), dialect.content_of(appended)
        if isinstance(content, str):
            assert longer == f"{content}\n\n{BLOCK}"
        elif shape.joins and again.texts[-1] != BLOCK:
            assert again.texts == (*reading.texts[:-1], f"{reading.texts[-1]}\n\n{BLOCK}")
        else:
            assert again.texts == (*reading.texts, BLOCK)
            changed = shape.joins and len(longer) == len(content)
            kept = content[:-1] if changed else content
            assert all(new is old for new, old in zip(longer, kept, strict=False))


@lawful
@given(data=st.data())
def test_a_reload_from_json_reads_the_same(shape: Shape, data: st.DataObject):
    """So that a conversation kept on disk meets its ledger again."""
    dialect = dialect_named(shape.name)
    for message in data.draw(shape.conversations()):
        reloaded = json.loads(json.dumps(shape.as_json(message), sort_keys=True))
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
    if shape.name in ("anthropic.messages", "gemini", "bedrock.converse", "strands"):
        with pytest.raises(ValueError, match=f"{shape.name} has no system messages"):
            dialect.system("Be kind.")
        return
    if shape.system_needs and importlib.util.find_spec(shape.system_needs) is None:
        pytest.skip(f"{shape.system_needs} is not installed")
    reading = dialect.read(dialect.system("Be kind."))
    assert (reading.role, reading.texts) == ("system", ("Be kind.",))
