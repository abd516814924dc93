"""``Anthropic`` and ``AsyncAnthropic``, their Bedrock and Vertex kin and subclasses: messages."""

from __future__ import annotations

from typing import Any, TypeVar

from .binding import Binding
from .replies import Api, Draft, get
from .stainless import wrap_stainless

__all__ = ["MESSAGES", "wrap_client"]

C = TypeVar("C")


def wrap_client(client: C, binding: Binding) -> C:
    """Return a copy of *client* whose messages carry memory; ``count_tokens`` is left alone.

    Raises:
        ConfigurationError: not a client this module knows how to wrap.
    """
    return wrap_stainless(client, binding, {"v1/messages": MESSAGES})


def _whole(draft: Draft, message: Any) -> None:
    for block in get(message, "content") or ():
        if get(block, "type") == "text":
            draft.say(get(block, "text"))
        elif get(block, "type") == "tool_use":
            draft.call(
                get(block, "id"), get(block, "id"), get(block, "name"), get(block, "input") or {}
            )


def _event(draft: Draft, event: Any) -> None:
    kind = get(event, "type")
    if kind == "content_block_start":
        block = get(event, "content_block")
        if get(block, "type") == "text":
            draft.say(get(block, "text"))
        elif get(block, "type") == "tool_use":
            draft.call(get(event, "index"), get(block, "id"), get(block, "name"))
    elif kind == "content_block_delta":
        delta = get(event, "delta")
        draft.say(get(delta, "text"))
        draft.argue(get(event, "index"), get(delta, "partial_json"))


MESSAGES = Api("anthropic.messages", _whole, _event)
