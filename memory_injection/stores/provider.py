"""Any object with ``get_context`` and/or ``observe`` as a store."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from ..errors import ConfigurationError
from ..records import MemoryEntry, Scope, SearchOptions

__all__ = ["ProviderStore"]

logger = logging.getLogger("memory_injection.stores")

# What a provider is told to fill: the default block's 2000 tokens less room for its tags and for
# the escaping of its text.
_TOKEN_BUDGET = 1800


class ProviderStore:
    """Turns the hook pair of agent frameworks into a store.

    ``get_context(text)`` is asked once a search and answers None or something with
    ``context_text``, which becomes one entry without a score: the provider has judged already.
    ``observe(role, text)`` is told each finished turn, the user's text and then the final answer;
    what it raises is logged and swallowed, as the hook promises. Both may be sync or async, either
    may be missing. Both are given ``scope`` (and ``get_context`` ``token_budget``) if they take it.

    Args:
        provider: the object with the hooks.
        name: the store's name.
        token_budget: most tokens the provider is asked to return.

    Raises:
        ConfigurationError: *provider* has neither hook.
    """

    takes_context = True  # the hook is given the user's own words, nothing joined to them
    max_search_results = 1

    def __init__(
        self, provider: Any, name: str = "provider", *, token_budget: int = _TOKEN_BUDGET
    ) -> None:
        self._recall = _hook(provider, "get_context")
        self._observe = _hook(provider, "observe")
        if self._recall is None and self._observe is None:
            raise ConfigurationError(f"a provider has get_context or observe, unlike {provider!r}")
        self.name = name
        self.provider = provider
        self.writable = self._observe is not None
        # One turn at a time, as soon as it is over.
        self.extraction = {"triggers": "everyTurn", "batch_turns": 1} if self.writable else False
        self._budget = token_budget

    def search(self, query: str, options: SearchOptions | None = None) -> Any:
        """Return what the provider has on *query*: a list of at most one entry, maybe awaitable."""
        if self._recall is None:
            return []
        given = {"token_budget": self._budget, "scope": (options or {}).get("scope") or Scope()}
        found = self._recall(query, **_taken(self._recall, given))
        return _later(found) if inspect.isawaitable(found) else _entries(found)

    def add_messages(self, messages: Sequence[Any], context: Any = None) -> Any:
        """Tell the provider of finished turns; returns None, maybe awaitable."""
        if self._observe is None:
            return None
        scope = getattr(context, "scope", None) or Scope()
        given = _taken(self._observe, {"scope": scope})
        return self._tell(_said(messages, getattr(context, "turn_keys", None)), given)

    def _tell(self, said: Iterator[tuple[str, str]], given: Mapping[str, Any]) -> Any:
        for role, text in said:
            try:
                told = self._observe(role, text, **given)  # type: ignore[misc]
            except Exception as error:
                self._failed(error)
                continue
            if inspect.isawaitable(told):
                return self._tell_later(told, said, given)
        return None

    async def _tell_later(
        self, told: Any, said: Iterator[tuple[str, str]], given: Mapping[str, Any]
    ) -> None:
        while inspect.isawaitable(told):
            try:
                await told
            except Exception as error:
                self._failed(error)
            told = self._tell(said, given)

    def _failed(self, error: Exception) -> None:
        logger.warning("provider %s: observe failed: %s", self.name, type(error).__name__)


def _hook(provider: object, name: str) -> Callable[..., Any] | None:
    hook = getattr(provider, name, None)
    return hook if callable(hook) else None


def _taken(hook: Callable[..., Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keywords among *given* that *hook* takes."""
    try:
        parameters = inspect.signature(hook).parameters
    except (TypeError, ValueError):
        return {}
    if any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters.values()):
        return dict(given)
    return {name: value for name, value in given.items() if name in parameters}


async def _later(found: Awaitable[Any]) -> list[MemoryEntry]:
    return _entries(await found)


def _entries(found: Any) -> list[MemoryEntry]:
    """Read what ``get_context`` answered; anything without a text in it is nothing found."""
    text = found if isinstance(found, str) else _field(found, "context_text")
    return [MemoryEntry(text)] if isinstance(text, str) and text.strip() else []


def _field(thing: object, name: str) -> Any:
    return thing.get(name) if isinstance(thing, Mapping) else getattr(thing, name, None)


def _said(messages: Sequence[Any], turns: Sequence[str] | None) -> Iterator[tuple[str, str]]:
    """Return what was said, turn by turn: the user's texts as one, and the last answer.

    *turns* runs parallel to *messages*; without it, a turn ends where the user speaks again.
    """
    keys = turns if turns is not None and len(turns) == len(messages) else [""] * len(messages)
    spoken = ((key, _field(m, "role"), _text(m)) for key, m in zip(keys, messages, strict=True))
    for (_, role), group in groupby(spoken, key=lambda one: one[:2]):
        texts = [text for _, _, text in group if text]
        if texts and role in ("user", "assistant"):
            yield role, "\n".join(texts) if role == "user" else texts[-1]


def _text(message: Any) -> str:
    content = _field(message, "content")
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, Iterable) else ()
    texts = (_field(part, "text") for part in parts)
    return "\n".join(text for text in texts if isinstance(text, str))
