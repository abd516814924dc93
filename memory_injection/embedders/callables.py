"""A function of the user's own as an embedder."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Literal

from ..errors import ConfigurationError

__all__ = ["CallableEmbedder", "is_async"]

Vectors = Sequence[Sequence[float]]


class CallableEmbedder:
    """Embeds with *function*, which may be sync or async.

    Args:
        function: takes a list of texts and returns one vector per text; with ``batched=False`` it
            takes one text and returns one vector. A second parameter named ``kind`` receives
            ``"query"`` or ``"document"``.
        name: recorded beside the vectors; change it when the function's model changes.
        batched: whether *function* takes a list.
        batch_size: most texts in one call, or None for no limit.
        dimension: length of the vectors, if known beforehand.

    Raises:
        ConfigurationError: *function* cannot be called, or *batch_size* is below 1.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        name: str | None = None,
        batched: bool = True,
        batch_size: int | None = None,
        dimension: int | None = None,
    ) -> None:
        if not callable(function):
            raise ConfigurationError(f"an embedder function must be callable, not {function!r}")
        if batch_size is not None and batch_size < 1:
            raise ConfigurationError(f"batch_size must be at least 1, not {batch_size!r}")
        self.name = name or _name_of(function)
        self.dimension = dimension
        self.is_async = is_async(function)
        self._function = function
        self._batched = batched
        self._batch_size = batch_size
        self._takes_kind = _takes_kind(function)

    def embed(
        self, texts: Sequence[str], kind: Literal["query", "document"] = "document"
    ) -> Vectors | Awaitable[Vectors]:
        """Return one vector per text, or an awaitable of them when the function is async."""
        parts = self._parts(list(texts))
        extra = {"kind": kind} if self._takes_kind else {}
        found: list[Any] = []
        for position, part in enumerate(parts):
            answer = self._function(part, **extra)
            if inspect.isawaitable(answer):
                return self._later(answer, parts[position + 1 :], extra)
            found.append(answer)
        return self._joined(found)

    async def _later(
        self, first: Awaitable[Any], parts: list[Any], extra: Mapping[str, str]
    ) -> Vectors:
        found = [await first, *[await self._function(part, **extra) for part in parts]]
        return self._joined(found)

    def _parts(self, texts: list[str]) -> list[Any]:
        if not self._batched:
            return list(texts)
        size = self._batch_size or max(1, len(texts))
        return [texts[start : start + size] for start in range(0, len(texts), size)]

    def _joined(self, found: list[Any]) -> Vectors:
        vectors = found if not self._batched else [row for part in found for row in part]
        if vectors and self.dimension is None:
            self.dimension = len(vectors[0])
        return vectors


def is_async(function: object) -> bool:
    """Tell whether *function* is known to return an awaitable before it is called.

    One that only hands on another's awaitable (a lambda) shows it at its first call.
    """
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
        getattr(function, "__call__", None)  # noqa: B004 - of an instance of a class with one
    )


def _name_of(function: Callable[..., Any]) -> str:
    owner = getattr(function, "__module__", None) or "callable"
    own = getattr(function, "__qualname__", None) or type(function).__qualname__
    return f"{owner}.{own}"


def _takes_kind(function: Callable[..., Any]) -> bool:
    try:
        return "kind" in inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False
