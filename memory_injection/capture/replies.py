"""What a model answered, in any shape it comes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..tool_shapes import get, read_calls

__all__ = ["Reply", "read_reply"]


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer of a model.

    Attributes:
        text: what it said.
        calls_tools: it asks for tools to be run here, so the turn goes on.
    """

    text: str = ""
    calls_tools: bool = False


def read_reply(given: Any) -> Reply:
    """Read an answer: text, an assistant message or a whole response, a dict or an SDK object.

    Known: OpenAI Chat Completions and Responses, Anthropic, Gemini, Bedrock Converse, Ollama,
    Cohere, LangChain. None, and what is none of these, reads as an empty answer.
    """
    if given is None or isinstance(given, str):
        return Reply(given or "")
    if isinstance(given, Reply):
        return given
    return Reply(_text(given), bool(read_calls(given)))


def _text(given: Any) -> str:
    """Return the text of the first shape that *given* has."""
    for key in ("choices", "candidates"):
        first = _first(get(given, key))
        if first is not None:
            return _text(get(first, "message") or get(first, "content") or first)
    for key in ("message", "output"):
        inner = get(given, key)
        if inner is not None and not callable(inner) and not isinstance(inner, str):
            return _text(inner)
    if _is_list(given):
        return "".join(_item_text(item) for item in given)
    content = get(given, "content")
    if content is None:
        content = get(given, "parts")
    if isinstance(content, str):
        return content
    return "".join(_part_text(part) for part in content) if _is_list(content) else ""


def _item_text(item: Any) -> str:
    """Return the text of one Responses output item, or of one part in a bare list."""
    kind = get(item, "type")
    return _text(item) if kind == "message" or get(item, "role") else _part_text(item)


# Gemini marks what it thought with ``thought``; the other shapes give such parts another type.
def _part_text(part: Any) -> str:
    if isinstance(part, str):
        return part
    text = get(part, "text")
    said = get(part, "type") in (None, "text", "output_text") and not get(part, "thought")
    return text if said and isinstance(text, str) else ""


def _first(value: Any) -> Any:
    return value[0] if _is_list(value) and value else None


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple))
