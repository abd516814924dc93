"""LlamaIndex: memory in every chat call of a model, and as a memory block of its own memory."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, TypeVar

from ..errors import ConfigurationError, MissingDependencyError
from ..records import Scope
from .hooks import ModelCallHook, ScopeOf
from .joining import base_class

__all__ = ["memory_block", "with_memory"]

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
    base: Any = getattr(type(llm), "memory_bare", type(llm))
    hook = ModelCallHook(memory, _API, scope)
    bare: Any = llm
    wrapped = bare.model_copy()
    wrapped.__class__ = _made(base.__name__, (_Remembering, base), hook, base)
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
    made = _made("MemoryBlock", (_Block, base), hook, base)
    return made(name=name, description=str(token_budget or ""))
