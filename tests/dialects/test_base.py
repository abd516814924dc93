"""What a dialect gets by being a subclass: reading, appending, removing, for any kind of object."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType, SimpleNamespace
from typing import Any, ClassVar

import pytest
from pydantic import BaseModel

from memory_injection.dialects.base import MessageDialect
from memory_injection.dialects.meaning import meaning_of, written
from memory_injection.dialects.rewriting import without_block
from memory_injection.reading import Role

BLOCK = '<memory>\n<entry source="notes">The cat is called Pamuk.</entry>\n</memory>'


class Letters(MessageDialect):
    """A shape of its own: letters with a body."""

    name = "letters"
    slot = "body"
    roles: ClassVar[Mapping[str, Role]] = {"user": "user", "system": "system"}


@dataclass(frozen=True)
class Letter:
    role: str
    body: Any
    stamp: str = "A"
    pages: list[int] = field(default_factory=list)


class Typed(BaseModel):
    role: str
    body: list[dict[str, str]] | str
    number: int


class Strict(BaseModel):
    role: str
    body: list[int] | str


class Plain:
    def __init__(self, role: str, body: Any) -> None:
        self.role = role
        self.body = body


class Author(Enum):
    USER = "user"


dialect = Letters()


@pytest.mark.parametrize(
    "message",
    [
        {"role": "user", "body": "Hi"},
        MappingProxyType({"role": "user", "body": "Hi"}),
        Letter("user", "Hi", "B"),
        Typed(role="user", body="Hi", number=7),
        Plain("user", "Hi"),
        SimpleNamespace(role=Author.USER, body="Hi"),
    ],
    ids=lambda message: type(message).__name__,
)
def test_any_kind_of_object_is_read_by_name_and_copied(message: Any):
    """Dicts, frozen mappings, dataclasses, models and plain objects; the original stays."""
    reading = dialect.read(message)
    assert (reading.role, reading.texts, reading.ask) == ("user", ("Hi",), True)
    appended = dialect.append(message, BLOCK)
    assert dialect.read(appended).texts == (f"Hi\n\n{BLOCK}",)
    assert dialect.read(message) == reading
    assert dialect.read(dialect.remove(appended, [BLOCK])) == reading


def test_a_copy_keeps_every_other_field():
    """The very same objects."""
    letter = Letter("user", "Hi", "B", [1, 2])
    appended = dialect.append(letter, BLOCK)
    assert (appended.stamp, appended.pages) == ("B", letter.pages)
    assert appended.pages is letter.pages
    assert dialect.append(Typed(role="user", body="Hi", number=7), BLOCK).number == 7


def test_a_list_stays_a_list_and_a_tuple_a_tuple():
    """The container is part of the caller's shape."""
    for body in ([{"type": "text", "text": "Hi"}], ({"type": "text", "text": "Hi"},)):
        appended = dialect.append({"role": "user", "body": body}, BLOCK)
        assert type(appended["body"]) is type(body)
        assert dialect.remove(appended, [BLOCK]) == {"role": "user", "body": body}


def test_a_part_an_object_cannot_hold_is_still_written():
    """A model whose list has no room for the part gets the plain part: the API decides."""
    appended = dialect.append(Strict(role="user", body=[1]), BLOCK)
    assert appended.body == [1, {"type": "text", "text": BLOCK}]


@pytest.mark.parametrize("body", [None, 7, {"a": 1}, iter(["x"])])
def test_a_content_that_is_neither_text_nor_list_is_left_alone(body: Any):
    """Nothing is guessed, and an iterator is not used up."""
    message = {"role": "user", "body": body}
    assert dialect.append(message, BLOCK) is message
    assert dialect.remove(message, [BLOCK]) is message
    assert not dialect.read(message).writable


def test_an_empty_text_says_nothing_and_can_hold_a_block():
    """It comes back empty when the block is gone."""
    message = {"role": "user", "body": ""}
    reading = dialect.read(message)
    assert (reading.texts, reading.ask, reading.writable) == ((), True, True)
    assert dialect.remove(dialect.append(message, BLOCK), [BLOCK]) == message
    parts = dialect.read({"role": "user", "body": [{"type": "text", "text": ""}, {"type": "x"}]})
    assert (parts.texts, parts.ask) == ((), True)


def test_only_the_last_copy_of_a_block_goes():
    """The one before it is somebody's quotation."""
    message = {"role": "user", "body": f"You wrote:\n\n{BLOCK}\n\nWhy?"}
    assert dialect.remove(dialect.append(message, BLOCK), [BLOCK]) == message


@pytest.mark.parametrize(
    ("text", "block", "left"),
    [
        ("a\n\nB", "B", "a"),
        ("a\nB", "B", "a"),
        ("aB", "B", None),
        ("a B", "B", None),
        ("B", "B", ""),
        ("B\nb", "B", "\nb"),
        ("a\n\nx\ny", "x\ny", "a"),
        ("a x\ny", "x\ny", "a"),
        ("ax\ny", "x\ny", "a"),
        ("a\n\nB\n\nB c", "B", "a\n\nB c"),
        ("a", "", None),
        ("a", "B", None),
    ],
)
def test_a_block_goes_with_its_separator(text: str, block: str, left: str | None):
    """One line only where it stands alone, several lines anywhere."""
    assert without_block(text, block) == left


def test_the_meaning_of_a_value_is_plain_and_small():
    """Enums by their value, bytes by their base64, long texts by a digest, unknowns by name."""
    assert meaning_of({"a": None, "b": [], "c": Author.USER, "d": b"abc"}) == {
        "c": "user",
        "d": "YWJj",
    }
    assert meaning_of([1, 1.5, True, None]) == [1, 1.5, True, None]
    long = meaning_of("x" * 10_000)
    assert len(long) < 60
    assert long != meaning_of("x" * 10_001)
    assert meaning_of("\ud800" * 300) != meaning_of("\ud801" * 300)
    assert meaning_of(complex(1, 2)) == "(1+2j)"
    assert meaning_of(SimpleNamespace(a=1, status="x")) == {"a": 1}


def test_a_table_of_results_is_written_as_a_digest():
    """However many short values it has."""
    tables = [written([{"rows": list(range(size))}]) for size in (3000, 3001)]
    assert all(len(table) < 60 for table in tables)
    assert tables[0] != tables[1]
    assert written([]) == ""


def test_detection_needs_a_role_it_knows():
    """And no message that is somebody else's."""
    known = {"role": "user", "body": "Hi"}
    assert dialect.detect([known]) == 0.5
    assert dialect.detect([known, {"role": "narrator", "body": "Hi"}]) == 0
    assert dialect.detect([]) == dialect.detect("Hi") == dialect.detect_body({}) == 0


def test_detection_looks_at_the_end_of_a_long_conversation():
    """So that its cost does not grow with it."""

    class Counting(Letters):
        looked = 0

        def certainty(self, message: Any) -> float:
            Counting.looked += 1
            return super().certainty(message)

    assert Counting().detect([Letter("user", "Hi")] * 10_000) == 0.5
    assert Counting.looked < 50


def test_a_conversation_is_read_once():
    """Any iterable of messages comes back as a list of the same things."""
    messages = [{"role": "user", "body": "Hi"}]
    opened = dialect.open(message for message in messages)
    assert opened[0] is messages[0]
    assert dialect.close(opened, messages) is opened


def test_a_plain_message_is_read_in_microseconds():
    """Thousands of them are read in one call: a message must not cost more than a few lookups."""
    import sys

    calls = 0

    def count(frame: Any, event: str, argument: Any) -> None:
        nonlocal calls
        calls += event == "call"

    message = {"role": "user", "body": "Hi"}
    sys.setprofile(count)
    try:
        dialect.read(message)
    finally:
        sys.setprofile(None)
    assert calls <= 2
