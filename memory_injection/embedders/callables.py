"""A function of the user's own as an embedder."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Literal

from ..arguments import checked_count
from ..errors import ConfigurationError

__all__ = ["CallableEmbedder", "is_async"]

Vectors = Sequence[Sequence[float]]


class CallableEmbedder:
    """Embeds with *function*, which may be sync or async.

    Args:
        function: takes a list of texts and returns one vector per text, or takes one text and
            returns one vector (see *batched*). A second parameter named ``kind`` receives
            ``"query"`` or ``"document"``.
        name: recorded beside the vectors; change it when the function's model changes.
        batched: whether *function* takes a list. None: not if its first parameter is annotated
            as ``str``; else it is called with a list, and once that fails or does not give one
            vector per text, with one text at a time.
        batch_size: most texts in one call, or None for no limit.
        dimension: length of the vectors, if known beforehand; others are then an error.

    Raises:
        ConfigurationError: *function* cannot be called, or a number is no whole one from 1.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        name: str | None = None,
        batched: bool | None = None,
        batch_size: int | None = None,
        dimension: int | None = None,
    ) -> None:
        if not callable(function):
            raise ConfigurationError(f"an embedder function must be callable, not {function!r}")
        if batch_size is not None:
            checked_count("batch_size", batch_size)
        if dimension is not None:
            checked_count("dimension", dimension)
        self.name = name or _name_of(function)
        self.dimension = dimension
        self.is_async = is_async(function)
        self._function = function
        self._batched = _says_batched(function) if batched is None else batched
        self._batch_size = batch_size
        self._takes_kind = _takes_kind(function)

    def embed(
        self, texts: Sequence[str], kind: Literal["query", "document"] = "document"
    ) -> Vectors | Awaitable[Vectors]:
        """Return one vector per text, or an awaitable of them when the function is async."""
        extra = {"kind": kind} if self._takes_kind else {}
        if not texts:
            return []
        if self._batched is not None:
            return self._asked(list(texts), extra, self._batched)
        try:
            found = self._asked(list(texts), extra, batched=True)
        except _MISFITS as error:
            return self._one_by_one(list(texts), extra, error)
        if inspect.isawaitable(found):
            return self._tried_later(found, list(texts), extra)
        self._batched = True
        return found

    async def _tried_later(
        self, answer: Awaitable[Vectors], texts: list[str], extra: Mapping[str, str]
    ) -> Vectors:
        try:
            found = await answer
        except _MISFITS as error:
            ones = self._one_by_one(texts, extra, error)
            return await ones if inspect.isawaitable(ones) else ones
        self._batched = True
        return found

    def _one_by_one(
        self, texts: list[str], extra: Mapping[str, str], error: Exception
    ) -> Vectors | Awaitable[Vectors]:
        """Ask for each text alone; if that fails too, raise the *error* that the list met."""
        try:
            found = self._asked(texts, extra, batched=False)
        except _MISFITS:
            raise error from None
        if inspect.isawaitable(found):
            return self._alone_later(found, error)
        self._batched = False
        return found

    async def _alone_later(self, answer: Awaitable[Vectors], error: Exception) -> Vectors:
        try:
            found = await answer
        except _MISFITS:
            raise error from None
        self._batched = False
        return found

    def _asked(
        self, texts: list[str], extra: Mapping[str, str], batched: bool
    ) -> Vectors | Awaitable[Vectors]:
        parts = self._parts(texts, batched)
        found: list[Any] = []
        for position, part in enumerate(parts):
            answer = self._function(part, **extra)
            if inspect.isawaitable(answer):
                return self._later(answer, parts[position + 1 :], extra, batched)
            found.append(answer)
        return self._joined(found, batched)

    async def _later(
        self, first: Awaitable[Any], parts: list[Any], extra: Mapping[str, str], batched: bool
    ) -> Vectors:
        found = [await first, *[await self._function(part, **extra) for part in parts]]
        return self._joined(found, batched)

    def _parts(self, texts: list[str], batched: bool) -> list[Any]:
        if not batched:
            return list(texts)
        size = self._batch_size or max(1, len(texts))
        return [texts[start : start + size] for start in range(0, len(texts), size)]

    def _joined(self, found: list[Any], batched: bool) -> Vectors:
        vectors = [row for part in found for row in part] if batched else found
        if self._batched is None and len(vectors[0]):
            float(vectors[0][0])  # a TypeError where that is no number, as is len() of one
        if vectors and self.dimension is None:
            self.dimension = len(vectors[0])
        return vectors


_MISFITS = (AttributeError, TypeError, ValueError)
"""What a function raises that was given a list instead of a text, or a text instead of a list."""


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


def _says_batched(function: Callable[..., Any]) -> bool | None:
    """Return False if *function* says that it takes a text, None if it does not say."""
    try:
        first = next(iter(inspect.signature(function).parameters.values()), None)
    except (TypeError, ValueError):
        return None
    return False if first is not None and first.annotation in (str, "str") else None


def _takes_kind(function: Callable[..., Any]) -> bool:
    try:
        return "kind" in inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False
