"""LlamaIndex: memory in every chat call of a model, and as a memory block of its own memory."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import Any, ClassVar, TypeVar

from ..errors import ConfigurationError, MissingDependencyError
from .hooks import ModelCallHook, ScopeOf
from .joining import base_class

__all__ = ["memory_block", "with_memory"]

logger = logging.getLogger("memory_injection.integrations")

L = TypeVar("L")

_API = "llama-index"


def with_memory(llm: L, memory: Any, *, scope: ScopeOf | None = None) -> L:
    """Return a model of the same class as *llm* with memory in its chat calls.

    Give it to an agent or a chat engine in the place of *llm*, which stays as it is. What the
    agent keeps stays clean, and the manager's ledger writes earlier blocks again where they stood,
    so that the calls of a conversation share their prefix.

    Args:
        llm: a LlamaIndex model.
        memory: the manager.
        scope: whose memory, or a callable over the messages of a call that returns it.
            ``memory.scope(...)`` around a call is laid over it.

    Raises:
        MissingDependencyError: llama-index-core is not installed.
        ConfigurationError: *llm* is no LlamaIndex model, *memory* is no manager, or *scope* holds
            an empty id.
    """
    if not isinstance(llm, _framework("llama_index.core.base.llms.base", "BaseLLM")):
        raise ConfigurationError(f"llm must be a LlamaIndex model, not {llm!r}")
    bare: Any = llm
    base = getattr(type(llm), "memory_bare", type(llm))
    wrapped = bare.model_copy()
    wrapped.__class__ = _made(
        base.__name__,
        (_Remembering, base),
        memory_hook=ModelCallHook(memory, _API, scope),
        memory_bare=base,
    )
    return wrapped  # type: ignore[no-any-return]


def memory_block(
    memory: Any,
    *,
    name: str = "recalled",
    scope: ScopeOf | None = None,
    token_budget: int | None = None,
) -> Any:
    """Return a ``BaseMemoryBlock`` for ``Memory.from_defaults(memory_blocks=[...])``.

    LlamaIndex itself then writes what was recalled, in front of the system or the latest user
    message, anew for each call, so that earlier turns lose theirs; :func:`with_memory` keeps the
    prefix of a conversation. Messages that leave the short-term memory go to the stores that
    learn.

    Args:
        memory: the manager.
        name: the block's name, the tag around it in LlamaIndex's template.
        scope: whose memory, or a callable over what LlamaIndex passes to blocks (a mapping with
            ``session_id``) that returns it.
        token_budget: most tokens; the manager's own budget when left out.

    Raises:
        MissingDependencyError: llama-index-core is not installed.
        ConfigurationError: *memory* is no manager, or *scope* holds an empty id.
    """
    base = _framework("llama_index.core.memory", "BaseMemoryBlock")
    hook = ModelCallHook(memory, _API, scope)
    made = _made("MemoryBlock", (_Block, base), memory_hook=hook, memory_budget=token_budget)
    return made(name=name)


class _Remembering:
    """Mixed into a model's class; every way to chat with it, tools included, ends here."""

    memory_hook: ClassVar[ModelCallHook]

    def chat(self, messages: Sequence[Any], **options: Any) -> Any:
        reply = _bare(self).chat(self._written_now(messages, options), **options)
        self._hear(messages, reply)
        return reply

    async def achat(self, messages: Sequence[Any], **options: Any) -> Any:
        reply = await _bare(self).achat(await self._written(messages, options), **options)
        self._hear(messages, reply)
        return reply

    def stream_chat(self, messages: Sequence[Any], **options: Any) -> Iterator[Any]:
        replies = _bare(self).stream_chat(self._written_now(messages, options), **options)
        return self._through(messages, replies)

    async def astream_chat(self, messages: Sequence[Any], **options: Any) -> AsyncIterator[Any]:
        replies = await _bare(self).astream_chat(await self._written(messages, options), **options)
        return self._athrough(messages, replies)

    def _written_now(self, messages: Sequence[Any], options: Mapping[str, Any]) -> Any:
        body = self.memory_hook.written_now(_body(self, messages, options), messages)
        return body["messages"]

    async def _written(self, messages: Sequence[Any], options: Mapping[str, Any]) -> Any:
        body = await self.memory_hook.written(_body(self, messages, options), messages)
        return body["messages"]

    def _through(self, messages: Sequence[Any], replies: Iterator[Any]) -> Iterator[Any]:
        reply = None
        try:
            for reply in replies:
                yield reply
        finally:
            self._hear(messages, reply)
            if hasattr(replies, "close"):
                replies.close()

    async def _athrough(
        self, messages: Sequence[Any], replies: AsyncIterator[Any]
    ) -> AsyncIterator[Any]:
        reply = None
        try:
            async for reply in replies:
                yield reply
        finally:
            self._hear(messages, reply)
            if hasattr(replies, "aclose"):
                await replies.aclose()

    def _hear(self, messages: Sequence[Any], reply: Any) -> None:
        # Each reply of a stream holds the whole message so far.
        if not self.memory_hook.captures or reply is None:
            return
        try:
            said = _said(self, reply)
        except Exception as error:  # a model's own code, on what may be half a reply
            logger.warning("a reply was not captured: %s", type(error).__name__)
            return
        self.memory_hook.heard({"messages": list(messages)}, said, messages)


class _Block:
    """Mixed into LlamaIndex's ``BaseMemoryBlock``."""

    memory_hook: ClassVar[ModelCallHook]
    memory_budget: ClassVar[int | None]

    async def _aget(self, messages: Sequence[Any] | None = None, **told: Any) -> str:
        hook = self.memory_hook
        asks = [message for message in messages or () if message.role == "user"]
        if not asks:
            return ""
        try:
            found = await hook.memory.aget_context(
                asks[-1].content or "", self.memory_budget, scope=hook.whose(told)
            )
        except Exception as error:
            logger.warning("nothing was recalled: %s", type(error).__name__)
            return ""
        return "" if found is None else str(found.context_text)

    async def _aput(self, messages: Sequence[Any]) -> None:
        self.memory_hook.heard({"messages": list(messages)}, None, {})


def _made(name: str, bases: tuple[Any, ...], **held: Any) -> Any:
    """Return a class of LlamaIndex's kind (pydantic's) that holds these values itself."""
    annotations = dict.fromkeys(held, ClassVar[Any])
    space = {"__module__": __name__, "__annotations__": annotations, **held}
    return type(bases[-1])(name, bases, space)


def _bare(llm: Any) -> Any:
    """Return the methods *llm* had before memory was mixed in."""
    return super(_Remembering, llm)


def _body(llm: Any, messages: Sequence[Any], options: Mapping[str, Any]) -> dict[str, Any]:
    # ``llm.metadata`` would do, but raises in some classes for a model they do not know.
    model = getattr(llm, "model", None)
    return {"messages": list(messages), "tools": options.get("tools"), "model": model}


def _said(llm: Any, reply: Any) -> dict[str, Any]:
    """Return a reply in words that capture reads: its text, and the calls still to be run."""
    calls = []
    if hasattr(llm, "get_tool_calls_from_response"):
        found = llm.get_tool_calls_from_response(reply, error_on_no_tool_call=False)
        calls = [{"id": call.tool_id, "name": call.tool_name} for call in found]
    return {"role": "assistant", "content": reply.message.content or "", "tool_calls": calls}


def _framework(module: str, name: str) -> Any:
    try:
        return base_class(module, name)
    except ImportError:
        raise MissingDependencyError(
            "llama-index-core", "llama-index", "memory in LlamaIndex"
        ) from None
