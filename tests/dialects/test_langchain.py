"""The LangChain shape."""

import sys
from typing import Any

import pytest

from memory_injection.dialects import detect
from memory_injection.dialects.langchain import LangChain
from memory_injection.errors import MissingDependencyError

BLOCK = '<memory>\n<entry source="notes">The cat is called Pamuk.</entry>\n</memory>'

dialect = LangChain()


@pytest.fixture
def messages() -> Any:
    return pytest.importorskip("langchain_core.messages")


def test_a_human_message_keeps_its_type_and_id(messages: Any):
    """A copy holds the block; what LangGraph replaces by id is replaced by it."""
    asked = messages.HumanMessage("Hi", id="m1", name="Ann")
    appended = dialect.append(asked, BLOCK)
    assert (type(appended), appended.id) == (messages.HumanMessage, "m1")
    assert appended.content == f"Hi\n\n{BLOCK}"
    assert asked.content == "Hi"
    assert dialect.remove(appended, [BLOCK]) == asked


def test_roles_are_read_from_the_type(messages: Any):
    """Chunks of a stream included."""
    kinds = [
        (messages.HumanMessage("x"), "user"),
        (messages.AIMessage("x"), "assistant"),
        (messages.AIMessageChunk(content="x"), "assistant"),
        (messages.SystemMessage("x"), "system"),
        (messages.ToolMessage("x", tool_call_id="c1"), "tool"),
        (messages.ChatMessage("x", role="user"), "user"),
        (messages.RemoveMessage(id="m1"), "other"),
    ]
    assert [dialect.read(message).role for message, _ in kinds] == [role for _, role in kinds]


def test_only_what_was_said_is_read(messages: Any):
    """Ids, metadata of the response and reasoning come and go."""
    call = {"id": "c1", "name": "find", "args": {"status": "open"}, "type": "tool_call"}
    bare = messages.AIMessage("", tool_calls=[call])
    full = messages.AIMessage(
        [
            {"type": "thinking", "thinking": "hm", "signature": "c2ln"},
            {"type": "tool_use", "id": "c1", "name": "find", "input": {"status": "open"}},
        ],
        tool_calls=[call],
        id="run-1",
        response_metadata={"model": "m"},
        additional_kwargs={"x": 1},
    )
    assert dialect.read(full) == dialect.read(bare)
    closed = {**call, "args": {"status": "closed"}}
    assert dialect.read(messages.AIMessage("", tool_calls=[closed])) != dialect.read(bare)


def test_dicts_texts_and_pairs_stand_beside_objects(messages: Any):
    """LangChain's models take all of them in one list."""
    mixed = ["Hi", ("human", "Hi"), {"role": "user", "content": "Hi"}, messages.HumanMessage("Hi")]
    assert len({dialect.read(message) for message in mixed}) == 1
    assert detect(mixed).name == "langchain"  # type: ignore[union-attr]
    written = [dialect.append(message, BLOCK) for message in mixed]
    assert written[:2] == [f"Hi\n\n{BLOCK}", ("human", f"Hi\n\n{BLOCK}")]
    assert [dialect.remove(message, [BLOCK]) for message in written] == mixed


def test_a_call_in_openais_words_reads_like_langchains_own():
    """A dict of that shape in the list is turned into the other by LangChain itself."""
    function = {"name": "find", "arguments": {"q": 1}}
    theirs = {"role": "assistant", "content": "", "tool_calls": [{"id": "c", "function": function}]}
    own = {"type": "ai", "tool_calls": [{"id": "c", "name": "find", "args": {"q": 1}}]}
    assert dialect.read(theirs) == dialect.read(own)


def test_results_in_anthropics_words_are_no_ask(messages: Any):
    """A human message that holds nothing but a tool result."""
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "ok"}
    reading = dialect.read(messages.HumanMessage([result]))
    assert (reading.ask, reading.writable) == (False, False)


@pytest.mark.parametrize("message", [("a", "b", "c"), {"content": "x"}, 7, None])
def test_what_is_no_message_rules_it_out(message: Any):
    """A pair has two halves, a dict has a role."""
    assert dialect.detect(["Hi", message]) == 0


def test_a_system_message_needs_langchain(monkeypatch: pytest.MonkeyPatch):
    """It is an object of theirs; without them the line to run is named."""
    monkeypatch.setitem(sys.modules, "langchain_core.messages", None)
    with pytest.raises(MissingDependencyError, match=r"memory-injection\[langchain\]"):
        dialect.system("Be kind.")


def test_a_system_message_is_langchains_own(messages: Any):
    """So that a list of objects stays one."""
    assert dialect.system("Be kind.") == messages.SystemMessage("Be kind.")


class Human:
    """Stands for LangChain's message where LangChain is not installed."""

    def __init__(self, content: Any, **fields: Any) -> None:
        self.type = "human"
        self.content = content
        self.additional_kwargs: dict[str, Any] = {}
        self.__dict__.update(fields)


def test_what_looks_like_a_message_of_theirs_is_one():
    """Nothing of LangChain is imported to read or write."""
    asked = Human([{"type": "text", "text": "Who?"}, {"type": "image", "url": "x"}], name="Ann")
    answer = Human("ok", type="tool", tool_call_id="c1", status="success")
    called = Human("", type="ai", tool_calls=[{"id": "c1", "name": "find", "args": {"q": 1}}])
    assert [dialect.read(message).role for message in (asked, called, answer)] == [
        "user",
        "assistant",
        "tool",
    ]
    assert detect([asked, called, answer]).name == "langchain"  # type: ignore[union-attr]
    appended = dialect.append(asked, BLOCK)
    assert appended.content[2] == {"type": "text", "text": BLOCK}
    assert len(asked.content) == 2
    assert "c1" in dialect.read(called).rest
    assert dialect.read(answer).rest != dialect.read(Human("no", type="tool")).rest


def test_texts_and_pairs_need_no_library():
    """As LangChain's models take them."""
    for message in ("Hi", ("human", "Hi")):
        reading = dialect.read(message)
        assert (reading.role, reading.texts, reading.rest) == ("user", ("Hi",), "")
        assert dialect.remove(dialect.append(message, BLOCK), [BLOCK]) == message
