"""Runs the tool loop of one call, for those who have no framework that does."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from ..dialects import dialect_named
from ..errors import InputError
from ..tool_records import Tool
from ..tool_shapes import DIALECTS, assistant_messages, read_calls
from ..toolset import Toolset

__all__ = ["ToolLoop", "arun_tool_loop", "run_tool_loop"]


@dataclass(frozen=True, slots=True)
class ToolLoop:
    """How a tool loop ended.

    Attributes:
        reply: the last response, as the client gave it.
        messages: the whole conversation: what was given, each answer and each tool result.
        rounds: model calls made.
        finished: False if the model still asked for tools when ``max_rounds`` was reached; its
            last calls are then unanswered.
    """

    reply: Any
    messages: list[Any]
    rounds: int
    finished: bool


_Flow: TypeAlias = "Generator[tuple[str, Any], Any, ToolLoop]"


def run_tool_loop(
    create: Callable[..., Any],
    messages: Any,
    tools: Toolset | Iterable[Tool],
    max_rounds: int = 8,
    *,
    api: str = "openai.chat",
    **options: Any,
) -> ToolLoop:
    """Call the model until it stops asking for tools.

    Args:
        create: e.g. ``client.chat.completions.create``; called with the conversation, the tools
            and *options*.
        messages: the conversation, or what the API takes in its place; not changed.
        tools: what the model may call: a toolset, e.g. ``memory.tools()``, or several ``Tool``.
        max_rounds: most model calls, at least 1.
        api: the request shape of *create*.
        options: further arguments of *create*, e.g. ``model``.

    Raises:
        InputError: *tools* are none, *max_rounds* is no whole number of at least 1, *api* is not
            known, *messages* are nothing it takes, or *options* ask for a stream.
        Exception: what *create* raises.
    """
    offered = _toolset(tools)
    flow = _flow(create, messages, offered, max_rounds, api, options)
    done: Any = None
    while True:
        # Only the flow's own end: one that *create* raises is the caller's to see.
        try:
            step, given = flow.send(done)
        except StopIteration as end:
            result: ToolLoop = end.value
            return result
        done = given() if step == "create" else offered.answers(given, api)


async def arun_tool_loop(
    create: Callable[..., Any],
    messages: Any,
    tools: Toolset | Iterable[Tool],
    max_rounds: int = 8,
    *,
    api: str = "openai.chat",
    **options: Any,
) -> ToolLoop:
    """Call the model until it stops asking for tools; *create* and the tools are awaited."""
    offered = _toolset(tools)
    flow = _flow(create, messages, offered, max_rounds, api, options)
    done: Any = None
    while True:
        try:
            step, given = flow.send(await done if inspect.isawaitable(done) else done)
        except StopIteration as end:
            result: ToolLoop = end.value
            return result
        done = given() if step == "create" else await offered.aanswers(given, api)


def _toolset(tools: Any) -> Toolset:
    if isinstance(tools, Toolset):
        return tools
    listed = list(tools) if isinstance(tools, Iterable) else [tools]
    strange = next((one for one in listed if not isinstance(one, Tool)), None)
    if strange is not None or not isinstance(tools, Iterable):
        raise InputError(f"tools must be a toolset or several Tool, not {strange!r}")
    return Toolset(listed)


def _flow(
    create: Callable[..., Any],
    messages: Any,
    tools: Toolset,
    max_rounds: int,
    api: str,
    options: Mapping[str, Any],
) -> _Flow:
    """Yield what to do and receive what came of it: one logic for sync and async callers."""
    if type(max_rounds) is not int or max_rounds < 1:
        raise InputError(f"max_rounds must be a whole number of at least 1, not {max_rounds!r}")
    if options.get("stream"):
        raise InputError("a tool loop reads whole replies: leave out stream=True")
    if api not in DIALECTS:
        raise InputError(f"unknown api {api!r}: use one of {', '.join(DIALECTS)}")
    dialect = dialect_named(api)
    try:
        talk = dialect.open(messages)
    except TypeError as error:
        raise InputError(f"messages: {error}") from None
    offered = _offered(tools, api, options)
    for rounds in range(1, max_rounds + 1):
        given = {dialect.field: list(talk), **offered}
        reply = yield "create", lambda given=given: create(**given)
        talk += assistant_messages(reply)
        if not read_calls(reply):
            return ToolLoop(reply, talk, rounds, True)
        if rounds < max_rounds:
            talk += yield "answer", reply
    return ToolLoop(reply, talk, max_rounds, False)


def _offered(tools: Toolset, api: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return *options* with the tools in them."""
    defined = tools.definitions(api)
    if not defined:
        return dict(options)
    outer = _HOLDERS.get(api)
    if outer is None:
        return {**options, "tools": defined}
    held = dict(options.get(outer) or {})
    return {**options, outer: {**held, "tools": [*(held.get("tools") or ()), *defined]}}


# Where ``tools`` is not an argument of its own: boto3's converse and google-genai's.
_HOLDERS = {"bedrock.converse": "toolConfig", "gemini": "config"}
