"""How each dialect writes a conversation, for the tests that hold in all of them."""

import importlib
import importlib.util
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import strategies as st

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
    joins: bool = False  # a block goes into the last text, as models join texts without a gap
    system_needs: str | None = None  # what makes system messages
    needs: str | None = field(default=None)

    def __str__(self) -> str:
        return self.name

    def conversations(self) -> st.SearchStrategy[list[Message]]:
        """Turns of one ask, up to two rounds of up to three calls at once, mostly a reply."""
        return st.lists(self._turns(), min_size=1, max_size=3).map(self._numbered)

    def _turns(self) -> st.SearchStrategy[tuple[Any, list[int], str]]:
        rounds = st.lists(st.integers(1, 3), max_size=2)
        return st.tuples(self._contents(), rounds, st.text(max_size=20))

    def _contents(self) -> st.SearchStrategy[Any]:
        parts = st.lists(
            st.one_of(
                st.text(min_size=1).map(self.text),
                st.just(self.text(f"Quoted: {BLOCK}")),
                *map(st.just, self.media),
            ),
            min_size=1,
            max_size=4,
        )
        kinds = [st.text(min_size=1)] * self.takes_strings + [parts] * self.takes_parts
        return st.one_of(*kinds)

    def _numbered(self, turns: list[tuple[Any, list[int], str]]) -> list[Message]:
        messages: list[Message] = []
        for turn, (content, rounds, reply) in enumerate(turns):
            messages.append(self.ask(content))
            for round, calls in enumerate(rounds):
                ids = [f"c{turn}{round}{number}" for number in range(calls)]
                messages += [*self.calls(ids), *self.results(ids)]
            if reply:
                messages.append(self.reply(reply))
        return messages

    def traffic(self, messages: Sequence[Message]) -> list[tuple[str, str]]:
        """Return calls, results and blocks in the order they go over the wire."""
        return [event for message in messages for event in traffic(message)]

    def as_json(self, message: Message) -> Any:
        """Return what a history on disk would hold of *message*."""
        return as_json(message)


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


def request(*parts: Any) -> Message:
    return {"kind": "request", "parts": list(parts)}


def response(*parts: Any) -> Message:
    return {"kind": "response", "parts": list(parts)}


def block_of(text: str) -> dict[str, Any]:
    return {"block_type": "text", "text": text}


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
    Shape(
        "pydantic-ai",
        ask=lambda content: request({"part_kind": "user-prompt", "content": content}),
        reply=lambda text: response({"part_kind": "text", "content": text}),
        calls=lambda ids: [
            response(
                {"part_kind": "thinking", "content": "hm", "signature": "c2ln"},
                *(
                    {"part_kind": "tool-call", "tool_call_id": id, "tool_name": id, "args": "{}"}
                    for id in ids
                ),
            )
        ],
        results=lambda ids: [
            request(
                *(
                    {"part_kind": "tool-return", "tool_call_id": id, "content": f"{id} done"}
                    for id in ids
                )
            )
        ],
        text=lambda text: text,
        media=({"kind": "image-url", "url": "https://example.com/a.png"}, {"kind": "cache-point"}),
        system_needs="pydantic_ai",
    ),
    Shape(
        "llama-index",
        ask=lambda content: {"role": "user", "blocks": content},
        reply=lambda text: {"role": "assistant", "blocks": [block_of(text)]},
        calls=lambda ids: [
            {
                "role": "assistant",
                "blocks": [
                    {"block_type": "thinking", "content": "hm"},
                    *(
                        {"block_type": "tool_call", "tool_call_id": id, "tool_name": id}
                        for id in ids
                    ),
                ],
            }
        ],
        results=lambda ids: [
            {
                "role": "tool",
                "blocks": [block_of(f"{id} done")],
                "additional_kwargs": {"tool_call_id": id},
            }
            for id in ids
        ],
        text=lambda text: block_of(text),
        media=({"block_type": "image", "url": "https://example.com/a.png"},),
        takes_strings=False,
        joins=True,
        system_needs="llama_index",
    ),
    Shape(
        "agent-framework",
        ask=lambda content: {"role": "user", "contents": content},
        reply=lambda text: {"role": "assistant", "contents": [{"type": "text", "text": text}]},
        calls=lambda ids: [
            {
                "role": "assistant",
                "contents": [
                    {"type": "text_reasoning", "text": "hm"},
                    *({"type": "function_call", "call_id": id, "name": id} for id in ids),
                ],
            }
        ],
        results=lambda ids: [
            {
                "role": "tool",
                "contents": [{"type": "function_result", "call_id": id, "result": f"{id} done"}],
            }
            for id in ids
        ],
        text=lambda text: {"type": "text", "text": text},
        media=({"type": "uri", "uri": "https://example.com/a.png", "media_type": "image/png"},),
        takes_strings=False,
        joins=True,
        system_needs="agent_framework",
    ),
]


@pytest.fixture
def shapes() -> list[Shape]:
    return SHAPES


@pytest.fixture(params=SHAPES, ids=str)
def shape(request: pytest.FixtureRequest) -> Shape:
    if request.param.needs and importlib.util.find_spec(request.param.needs) is None:
        pytest.skip(f"{request.param.needs} is not installed")
    return request.param  # type: ignore[no-any-return]


def as_json(message: Message) -> Any:
    return message if isinstance(message, dict) else message.model_dump()


def named_traffic(part: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Read the parts of frameworks, which all name a call's id alike."""
    kind = part.get("part_kind") or part.get("block_type")
    if kind in ("tool-call", "tool_call"):
        yield "call", part["tool_call_id"]
    if kind == "tool-return":
        yield "result", part["tool_call_id"]
    if part.get("type") in ("function_call", "function_result") and "call_id" in part:
        yield "call" if part["type"] == "function_call" else "result", part["call_id"]


def traffic(message: Message) -> Iterator[tuple[str, str]]:
    said = as_json(message)
    content = said.get("content", said.get("parts", said.get("blocks", said.get("contents"))))
    for part in content if isinstance(content, list) else [content]:
        text = json.dumps(part, ensure_ascii=False).replace("\\n", "\n").replace('\\"', '"')
        for _ in range(text.count(BLOCK)):
            yield "block", ""
        for keys in (("toolUse", "toolUseId"), ("functionCall", "id")):
            if isinstance(part, dict) and keys[0] in part:
                yield "call", part[keys[0]][keys[1]]
        for keys in (("toolResult", "toolUseId"), ("functionResponse", "id")):
            if isinstance(part, dict) and keys[0] in part:
                yield "result", part[keys[0]][keys[1]]
        if isinstance(part, dict):
            yield from named_traffic(part)
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
    if "tool" in (said.get("role"), said.get("type")) and "contents" not in said:
        beside = said.get("additional_kwargs") or {}
        id = said.get("tool_call_id") or beside.get("tool_call_id")
        yield "result", id or said["tool_name"]
