"""``OpenAI`` and ``AsyncOpenAI``, their Azure kin and subclasses: chat completions, responses."""

from __future__ import annotations

from typing import Any, TypeVar

from .binding import Binding
from .replies import Api, Draft, get
from .stainless import wrap_stainless

__all__ = ["CHAT", "RESPONSES", "wrap_client"]

C = TypeVar("C")


def wrap_client(client: C, binding: Binding) -> C:
    """Return a copy of *client* whose chat completions and responses carry memory.

    Raises:
        ConfigurationError: not a client this module knows how to wrap.
    """
    return wrap_stainless(client, binding, {"chat/completions": CHAT, "responses": RESPONSES})


def _chat_whole(draft: Draft, completion: Any) -> None:
    message = get(get(completion, "choices")[0], "message")
    draft.say(get(message, "content"))
    for call in get(message, "tool_calls") or ():
        _chat_call(draft, get(call, "id"), call)


def _chat_event(draft: Draft, chunk: Any) -> None:
    for choice in get(chunk, "choices") or ():
        if get(choice, "index"):
            continue
        delta = get(choice, "delta")
        draft.say(get(delta, "content"))
        for call in get(delta, "tool_calls") or ():
            _chat_call(draft, get(call, "index"), call)


def _chat_call(draft: Draft, key: object, call: Any) -> None:
    if custom := get(call, "custom"):
        draft.call(key, get(call, "id"), get(custom, "name"), get(custom, "input"))
    elif function := get(call, "function"):
        draft.call(key, get(call, "id"), get(function, "name"), get(function, "arguments"))


def _response_whole(draft: Draft, response: Any) -> None:
    for item in get(response, "output") or ():
        _response_item(draft, item)


def _response_item(draft: Draft, item: Any) -> None:
    kind = get(item, "type")
    if kind == "message":
        for part in get(item, "content") or ():
            draft.say(get(part, "text"))
    elif kind in ("function_call", "custom_tool_call"):
        arguments = get(item, "arguments") or get(item, "input")
        draft.call(get(item, "call_id"), get(item, "call_id"), get(item, "name"), arguments)


def _response_event(draft: Draft, event: Any) -> None:
    kind = get(event, "type")
    if kind == "response.output_text.delta":
        draft.say(get(event, "delta"))
    elif kind == "response.output_item.done" and get(get(event, "item"), "type") != "message":
        _response_item(draft, get(event, "item"))


CHAT = Api("openai.chat", _chat_whole, _chat_event)
RESPONSES = Api("openai.responses", _response_whole, _response_event)
