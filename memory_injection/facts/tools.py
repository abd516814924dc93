"""What the model may do with a run's memory: search, save, forget.

The tools see what the run sees, below the folders they were given. What they save is recorded as
written by the model. A refusal or failure reaches the model as ``error: <code>: <message>``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import FactRefused, InvocationEnded
from ..tool_records import Tool
from ..toolset import Toolset
from .paths import Folder
from .rules import check_body

if TYPE_CHECKING:
    from .model import Fact
    from .run import FactRun

__all__ = ["Definitions", "FactTools"]

_TAGS = {
    "type": "array",
    "items": {"type": "string"},
    "maxItems": 20,
    "description": "Labels, each 1-50 of letters, digits and . _ : -",
}


class Definitions(list[dict[str, Any]]):
    """Tool definitions for OpenAI chat: a plain list, and for another shape when called with it."""

    def __init__(self, toolset: Toolset) -> None:
        """Hold the OpenAI chat definitions of *toolset*."""
        super().__init__(toolset.definitions())
        self._toolset = toolset

    def __call__(self, dialect: str = "openai.chat") -> list[dict[str, Any]]:
        """Return the definitions in another request shape, e.g. ``"anthropic.messages"``."""
        return self._toolset.definitions(dialect)


class FactTools:
    """``search_memory``, ``save_memory`` and ``forget_memory`` for one run.

    Attributes:
        definitions: what goes under ``tools`` in an OpenAI chat request.
    """

    definitions: Definitions

    def __init__(self, run: FactRun, paths: Sequence[Folder] | None = None) -> None:
        """Offer *run*'s memory below *paths*; None is everything the run sees."""
        self._run = run if paths is None else run.narrowed(paths)
        self._folders = () if paths is None else tuple(map(run.written, paths))
        self._toolset = Toolset(self._tools())
        self.definitions = Definitions(self._toolset)

    def definitions_for(self, dialect: str) -> list[dict[str, Any]]:
        """Return the definitions in a request shape, e.g. ``"anthropic.messages"``.

        Raises:
            InputError: a shape that is not known.
        """
        return self._toolset.definitions(dialect)

    def __iter__(self) -> Any:
        """Iterate over the :class:`Tool` records."""
        return iter(self._toolset)

    def call(self, tool_call: Any, dialect: str | None = None) -> dict[str, Any]:
        """Answer one tool call with the message to append, in the shape of the call.

        Args:
            tool_call: as it stands in the reply, a dict or an SDK object.
            dialect: the request shape; None reads it off the call.

        Raises:
            InvocationEnded: the run was closed.
            InputError: *tool_call* is not a tool call.
        """
        self._check_open()
        return self._toolset.call(tool_call, dialect)

    async def acall(self, tool_call: Any, dialect: str | None = None) -> dict[str, Any]:
        """Answer one tool call; the same as :meth:`call`, without blocking the event loop."""
        self._check_open()
        return await self._toolset.acall(tool_call, dialect)

    async def answer(self, name: str, arguments: str) -> str:
        """Return the text that answers a call of the tool *name* with JSON *arguments*.

        Raises:
            InvocationEnded: the run was closed.
        """
        call = {"function": {"name": name, "arguments": arguments}, "id": name, "type": "function"}
        return str((await self.acall(call))["content"])

    def _check_open(self) -> None:
        if self._run.ended:
            raise InvocationEnded("this run has ended: its memory tools can no longer be used")

    def _tools(self) -> list[Tool]:
        return [
            Tool(
                "search_memory",
                "Search what is remembered. Every word counts and matches the words it begins; "
                "an empty query lists the newest.",
                _schema(
                    {
                        "query": {"type": "string", "description": "The words to look for."},
                        "k": {"type": "integer", "minimum": 1, "maximum": 50},
                        "tags": {**_TAGS, "description": "Only facts with all of these labels."},
                    },
                    "query",
                ),
                self._search,
                self._asearch,
            ),
            Tool(
                "save_memory",
                "Remember one fact for later conversations, or correct one by its id.",
                _schema(
                    {
                        "text": {"type": "string", "description": "The fact, one sentence."},
                        "path": {"type": "string", "description": self._told()},
                        "tags": _TAGS,
                        "confidence": {"type": "number", "minimum": 0, "maximum": 1},
                        "replaces": {
                            "type": "string",
                            "description": "The id of the fact that this one corrects.",
                        },
                    },
                    "text",
                ),
                self._save,
                self._asave,
            ),
            Tool(
                "forget_memory",
                "Forget one fact for good.",
                _schema({"id": {"type": "string", "description": "The id of the fact."}}, "id"),
                self._forget,
                self._aforget,
            ),
        ]

    def _search(self, query: str, k: int = 5, tags: Sequence[str] = ()) -> Any:
        return _found(self._run.search(query, k=k, tags=tags))

    async def _asearch(self, query: str, k: int = 5, tags: Sequence[str] = ()) -> Any:
        return _found(await self._run.asearch(query, k=k, tags=tags))

    def _told(self) -> str:
        usual = f"left out, {self._run.usual_folder}"
        if not self._folders:
            return f"The folder, e.g. notes/; {usual}."
        return f"The folder: one of {', '.join(self._folders)} or below it; {usual}."

    def _save(self, **given: Any) -> Any:
        given = self._checked(given)
        try:
            return _saved(self._run.write("model", **given))
        except FactRefused as refusal:
            raise self._explained(refusal) from None

    async def _asave(self, **given: Any) -> Any:
        given = self._checked(given)
        try:
            return _saved(await self._run.awrite("model", **given))
        except FactRefused as refusal:
            raise self._explained(refusal) from None

    def _checked(self, given: dict[str, Any]) -> dict[str, Any]:
        check_body(len(json.dumps(given, ensure_ascii=False).encode("utf-8", "surrogatepass")))
        if given.get("path") is None and given.get("replaces") is None:
            return {**given, "path": self._run.usual_folder}
        return given

    def _explained(self, refusal: FactRefused) -> FactRefused:
        if refusal.code != "outside" or not self._folders:
            return refusal
        reach = f"{refusal.message}; they reach {', '.join(self._folders)}"
        return FactRefused(refusal.code, refusal.status, reach)

    def _forget(self, id: str) -> str:
        self._run.forget(id)
        return f"forgotten: {id}"

    async def _aforget(self, id: str) -> str:
        await self._run.aforget(id)
        return f"forgotten: {id}"


def _schema(properties: Mapping[str, Any], *required: str) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(required),
        "additionalProperties": False,
    }


def _found(facts: Sequence[Fact]) -> list[dict[str, Any]]:
    return [
        {"id": fact.id, "text": fact.text, "path": fact.path, "tags": list(fact.tags)}
        for fact in facts
    ]


def _saved(fact: Fact) -> dict[str, Any]:
    return {"id": fact.id, "path": fact.path, "version": fact.version}
