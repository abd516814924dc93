"""How each request shape writes tool definitions, tool calls and tool results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .errors import InputError
from .tool_records import Tool

__all__ = [
    "DIALECTS",
    "ToolCall",
    "assistant_messages",
    "define",
    "joined",
    "read_call",
    "read_calls",
    "write_result",
]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call as a model asked for it.

    Attributes:
        name: the tool asked for.
        arguments: a mapping, or its JSON text; not checked yet.
        id: what ties the result to the call; None where the shape has none.
        dialect: the request shape it came in.
    """

    name: str
    arguments: object
    id: str | None
    dialect: str


def define(tools: Sequence[Tool], dialect: str) -> list[dict[str, Any]]:
    """Return the value of ``tools`` (Bedrock: ``toolConfig.tools``) in a request of *dialect*.

    Raises:
        InputError: *dialect* is not one of :data:`DIALECTS`.
    """
    shape = DIALECTS.get(dialect)
    if shape is None:
        raise InputError(f"unknown dialect {dialect!r}: use one of {', '.join(DIALECTS)}")
    return shape(tools)


def read_call(given: Any, dialect: str | None = None) -> ToolCall:
    """Read one tool call: a dict or an SDK object, of the shape it shows or of *dialect*.

    Raises:
        InputError: *given* is not a tool call of any shape known.
    """
    found = _read(given)
    if found is None or not isinstance(found.name, str):
        raise InputError(f"not a tool call of a known shape: {_shown(given)}")
    return found if dialect is None else ToolCall(found.name, found.arguments, found.id, dialect)


def read_calls(message: Any) -> list[Any]:
    """Return the tool calls in a reply or an assistant message, as they stand there."""
    message = _spoken(message)
    calls = get(message, "tool_calls")
    if calls:
        return list(calls)
    parts = message if _is_list(message) else get(message, "content") or get(message, "parts")
    return [p for p in parts if _read(p) is not None] if _is_list(parts) else []


def assistant_messages(reply: Any) -> list[Any]:
    """Return what of a reply goes into the history, as the provider wants it back."""
    spoken = _spoken(reply)
    if _is_list(spoken):
        return list(spoken)
    if spoken is reply and _is_list(get(reply, "content")):
        return [{"role": "assistant", "content": get(reply, "content")}]
    return [spoken]


def joined(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Put tool results that travel in user messages into one."""
    for field in ("content", "parts"):
        if messages and all(m.get("role") == "user" and _is_list(m.get(field)) for m in messages):
            return [{"role": "user", field: [part for m in messages for part in m[field]]}]
    return messages


def write_result(call: ToolCall, text: str, well: bool) -> dict[str, Any]:
    """Return the message that carries *text* back as the result of *call*.

    Args:
        call: the call answered.
        text: the result, or ``error: <code>: <message>``.
        well: False marks the result as an error where the shape can say so.
    """
    match call.dialect:
        case "openai.responses":
            return {"type": "function_call_output", "call_id": call.id, "output": text}
        case "anthropic.messages":
            part: dict[str, Any] = {"type": "tool_result", "tool_use_id": call.id, "content": text}
            return {"role": "user", "content": [part if well else {**part, "is_error": True}]}
        case "gemini":
            body: dict[str, Any] = {"name": call.name, "response": {_GEMINI_KEY[well]: text}}
            part = {"functionResponse": body if call.id is None else {"id": call.id, **body}}
            return {"role": "user", "parts": [part]}
        case "bedrock.converse":
            status = "success" if well else "error"
            body = {"toolUseId": call.id, "content": [{"text": text}], "status": status}
            return {"role": "user", "content": [{"toolResult": body}]}
        case "ollama":
            return {"role": "tool", "tool_name": call.name, "content": text}
        case "langchain":
            return {"role": "tool", "tool_call_id": call.id, "name": call.name, "content": text}
        case _:
            return {"role": "tool", "tool_call_id": call.id, "content": text}


# The two keys Gemini reads in a function response; any other is taken as the output whole.
_GEMINI_KEY = {True: "output", False: "error"}

_REPLY_PATHS: tuple[tuple[str | int, ...], ...] = (
    ("choices", 0, "message"),
    ("candidates", 0, "content"),
    ("output", "message"),
    ("output",),
    ("message",),
)


def get(value: Any, name: str) -> Any:
    """Return *name* of a mapping or an object, None if it has none."""
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)


def _spoken(reply: Any) -> Any:
    """Return the assistant's message in a response, its output items, or *reply* itself."""
    for path in _REPLY_PATHS:
        inner = _follow(reply, path)
        if inner is not None:
            return inner
    return reply


def _follow(value: Any, path: tuple[str | int, ...]) -> Any:
    for step in path:
        if isinstance(step, int):
            value = value[step] if _is_list(value) and len(value) > step else None
        else:
            value = get(value, step)
        if value is None or callable(value):
            return None
    return value


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes))


def _read(given: Any) -> ToolCall | None:
    kind = get(given, "type")
    function = get(given, "function")
    if get(function, "name") is not None:
        ident = get(given, "id")
        shape = "ollama" if ident is None and kind is None else "openai.chat"
        return ToolCall(get(function, "name"), get(function, "arguments"), ident, shape)
    if kind == "function_call":
        return ToolCall(
            get(given, "name"), get(given, "arguments"), get(given, "call_id"), "openai.responses"
        )
    if kind == "tool_use":
        return ToolCall(
            get(given, "name"), get(given, "input"), get(given, "id"), "anthropic.messages"
        )
    use = get(given, "toolUse") or (given if get(given, "toolUseId") is not None else None)
    if use is not None:
        return ToolCall(
            get(use, "name"), get(use, "input"), get(use, "toolUseId"), "bedrock.converse"
        )
    return _read_named(given, kind)


def _read_named(given: Any, kind: Any) -> ToolCall | None:
    """Gemini (``functionCall`` parts and the calls in them) and LangChain both say ``args``."""
    part = get(given, "functionCall") or get(given, "function_call")
    call = part or given
    name = get(call, "name")
    if name is None or (get(call, "args") is None and part is None):
        return None
    shape = "langchain" if kind == "tool_call" else "gemini"
    return ToolCall(name, get(call, "args"), get(call, "id"), shape)


def _shown(given: Any) -> str:
    text = repr(given)
    return text if len(text) <= 80 else text[:77] + "..."


def _openai_chat(tools: Sequence[Tool]) -> list[dict[str, Any]]:
    return [{"type": "function", "function": _named(t, "parameters")} for t in tools]


def _openai_responses(tools: Sequence[Tool]) -> list[dict[str, Any]]:
    # Left out, Responses means strict, which refuses schemas with optional arguments.
    return [{"type": "function", **_named(t, "parameters"), "strict": False} for t in tools]


def _anthropic(tools: Sequence[Tool]) -> list[dict[str, Any]]:
    return [_named(t, "input_schema") for t in tools]


def _gemini(tools: Sequence[Tool]) -> list[dict[str, Any]]:
    declared = [_named(t, "parameters") for t in tools]
    for one in declared:
        one["parameters"] = _open_api(one["parameters"])
    return [{"functionDeclarations": declared}] if declared else []


def _bedrock(tools: Sequence[Tool]) -> list[dict[str, Any]]:
    return [
        {
            "toolSpec": {
                "name": t.name,
                "description": t.description,
                "inputSchema": {"json": dict(t.parameters)},
            }
        }
        for t in tools
    ]


def _named(tool: Tool, key: str) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.description, key: dict(tool.parameters)}


def _open_api(schema: Any) -> Any:
    """Leave out the keyword that Gemini's schema subset refuses with a 400."""
    if isinstance(schema, Mapping):
        return {k: _open_api(v) for k, v in schema.items() if k != "additionalProperties"}
    return [_open_api(v) for v in schema] if _is_list(schema) else schema


DIALECTS: dict[str, Callable[[Sequence[Tool]], list[dict[str, Any]]]] = {
    "openai.chat": _openai_chat,
    "openai.responses": _openai_responses,
    "anthropic.messages": _anthropic,
    "gemini": _gemini,
    "bedrock.converse": _bedrock,
    "ollama": _openai_chat,
    "cohere": _openai_chat,
    "langchain": _openai_chat,
}
"""Every request shape by name, and how it declares tools."""
