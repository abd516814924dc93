"""boto3's ``bedrock-runtime`` client: ``converse`` and ``converse_stream``."""

from __future__ import annotations

import weakref
from functools import partial
from typing import Any, TypeVar

from ..errors import ConfigurationError
from .binding import Binding
from .calls import refuse_pickling, remembering, twin_of
from .replies import Api, Draft, Turn
from .taps import Tap

__all__ = ["CONVERSE", "wrap_client"]

C = TypeVar("C")


def wrap_client(client: C, binding: Binding) -> C:
    """Return a copy of *client* whose Converse calls carry memory; ``invoke_model`` is left alone.

    Raises:
        ConfigurationError: a boto3 client of another service.
    """
    if not hasattr(type(client), "converse"):
        raise ConfigurationError(
            f"cannot wrap {type(client).__name__}: boto3's 'bedrock-runtime' client is the one "
            "with converse"
        )
    twin: Any = twin_of(client)
    # The class is made at run time: pickle would look for it in botocore, and complain of that.
    twin.__reduce_ex__ = partial(refuse_pickling, None)
    for name in ("converse", "converse_stream"):
        # A wrapped client has methods of its own; the class has the bare ones.
        vars(twin).pop(name, None)
        setattr(twin, name, remembering(getattr(twin, name), binding, CONVERSE, watch=_watch))
    wrapped: C = twin
    return wrapped


def _watch(reply: Any, turn: Turn) -> Any:
    if "stream" in reply:
        _watch_stream(reply["stream"], turn)
    else:
        turn.whole(reply)
    return reply


def _watch_stream(stream: Any, turn: Turn) -> None:
    """Read along with an ``EventStream``: it parses each frame just before handing it out."""
    # Held strongly, the stream would sit in a cycle and stay open when it is dropped.
    kind, held = type(stream), weakref.ref(stream)

    def parse_event(frame: Any) -> Any:
        event = kind._parse_event(held(), frame)
        turn.event(event)
        return event

    def close() -> None:
        turn.finish()
        kind.close(held())

    stream._event_generator = Tap(_pass, turn.finish).through(stream._event_generator)
    stream._parse_event, stream.close = parse_event, close


def _pass(_: object) -> None:
    """Frames are read once they are parsed."""


def _whole(draft: Draft, reply: Any) -> None:
    for block in reply["output"]["message"]["content"]:
        draft.say(block.get("text"))
        if tool := block.get("toolUse"):
            draft.call(tool["toolUseId"], tool["toolUseId"], tool["name"], tool["input"])


def _event(draft: Draft, event: Any) -> None:
    if begun := event.get("contentBlockStart"):
        if tool := begun.get("start", {}).get("toolUse"):
            draft.call(begun["contentBlockIndex"], tool["toolUseId"], tool["name"])
    elif delta := event.get("contentBlockDelta"):
        draft.say(delta["delta"].get("text"))
        tool = delta["delta"].get("toolUse") or {}
        draft.argue(delta["contentBlockIndex"], tool.get("input"))


CONVERSE = Api("bedrock.converse", _whole, _event)
