"""A set of tools for a model: its definitions in each request shape, and its calls answered."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator
from typing import Any

from .driving import run_now
from .errors import ConfigurationError
from .tool_records import Tool
from .tool_shapes import ToolCall, define, joined, read_call, read_calls, write_result

__all__ = ["Toolset"]

WAIT = 60.0
"""Seconds a sync ``call`` waits for a tool that is async only."""


class Toolset:
    """Tools for a model, in any request shape.

    Iterating gives the :class:`Tool` records; ``name in toolset`` tells whether it has one.

    Args:
        tools: the tools, each with a name of its own.
        wait: runs an awaitable to its end for :meth:`call` where a tool is async only; None runs
            it on the library's background loop, for at most a minute.

    Raises:
        ConfigurationError: two tools share a name.
    """

    def __init__(
        self, tools: Iterable[Tool], *, wait: Callable[[Awaitable[Any]], Any] | None = None
    ) -> None:
        """Index the tools by name."""
        self._tools: dict[str, Tool] = {}
        self._wait = wait or _wait_here
        for tool in tools:
            if tool.name in self._tools:
                raise ConfigurationError(f"two tools are named {tool.name!r}")
            self._tools[tool.name] = tool

    def __iter__(self) -> Iterator[Tool]:
        return iter(self._tools.values())

    def __len__(self) -> int:
        return len(self._tools)

    def __contains__(self, name: object) -> bool:
        return name in self._tools

    def definitions(self, dialect: str = "openai.chat") -> list[dict[str, Any]]:
        """Return what goes under ``tools`` in a request (Bedrock: ``toolConfig.tools``).

        Args:
            dialect: ``openai.chat``, ``openai.responses``, ``anthropic.messages``, ``gemini``,
                ``bedrock.converse``, ``ollama``, ``cohere`` or ``langchain``.

        Raises:
            InputError: another name.
        """
        return define(list(self), dialect)

    def call(self, tool_call: Any, dialect: str | None = None) -> dict[str, Any]:
        """Answer one tool call with the message to append, in the shape of the call.

        Whatever goes wrong inside is the text of that message: ``error: <code>: <message>``.

        Args:
            tool_call: as it stands in the reply, a dict or an SDK object.
            dialect: the request shape; None reads it off the call (Cohere calls look like
                OpenAI's and are answered alike).

        Raises:
            InputError: *tool_call* is not a tool call.
        """
        asked = read_call(tool_call, dialect)
        tool = self._tools.get(asked.name)
        text, well = (
            self._unknown(asked) if tool is None else tool.call(asked.arguments, self._wait)
        )
        return write_result(asked, text, well)

    async def acall(self, tool_call: Any, dialect: str | None = None) -> dict[str, Any]:
        """Answer one tool call; the same as :meth:`call`, awaiting what is async."""
        asked = read_call(tool_call, dialect)
        tool = self._tools.get(asked.name)
        text, well = self._unknown(asked) if tool is None else await tool.acall(asked.arguments)
        return write_result(asked, text, well)

    def answers(self, reply: Any, dialect: str | None = None) -> list[dict[str, Any]]:
        """Answer every tool call in a model's reply; empty if it asks for none.

        Where tool results travel in user messages (Anthropic, Bedrock, Gemini) they come in one
        message, as those providers want them.
        """
        return joined([self.call(call, dialect) for call in read_calls(reply)])

    async def aanswers(self, reply: Any, dialect: str | None = None) -> list[dict[str, Any]]:
        """Answer every tool call in a model's reply; the same as :meth:`answers`."""
        return joined([await self.acall(call, dialect) for call in read_calls(reply)])

    def _unknown(self, asked: ToolCall) -> tuple[str, bool]:
        names = ", ".join(self._tools) or "none"
        return f"error: unknown_tool: no tool {asked.name!r}; there is: {names}", False


def _wait_here(awaitable: Awaitable[Any]) -> Any:
    return run_now(lambda: awaitable, WAIT).unwrap()
