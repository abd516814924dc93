"""Any endpoint that speaks OpenAI's ``/v1/embeddings``."""

from __future__ import annotations

import inspect
import os
from collections.abc import Awaitable, Sequence
from typing import Any, Literal

from ..arguments import checked_count, checked_seconds
from ..errors import ConfigurationError
from .callables import is_async
from .posting import EmbeddingError, post

__all__ = ["EmbeddingError", "OpenAIEmbedder"]

Vectors = Sequence[Sequence[float]]


class OpenAIEmbedder:
    """Embeds over HTTP with the standard library, or with an ``OpenAI``/``AsyncOpenAI`` client.

    Args:
        model: the service's name for the model.
        client: an OpenAI client to use; with an async one ``embed`` returns an awaitable.
        base_url: the service's root, up to and including ``/v1``; None takes ``OPENAI_BASE_URL``
            from the environment, else OpenAI's own.
        api_key: sent as a bearer token; the default is ``OPENAI_API_KEY`` where *base_url* is not
            given, and for OpenAI's own URL; none elsewhere, so that a key never reaches a server
            it was not meant for; redirections are not followed.
        dimensions: shorter vectors, for models that offer them.
        batch_size: most texts in one request.
        timeout: seconds one request may take. Documents are tried again where the service is busy
            or the connection broke: four times in all, within 20 seconds; questions are not. A
            client does as it is set.

    Raises:
        ConfigurationError: *model* is blank, *base_url* is not http(s), a number breaks its rule.
    """

    OPENAI = "https://api.openai.com/v1"

    def __init__(
        self,
        model: str,
        *,
        client: Any = None,
        base_url: str | None = None,
        api_key: str | None = None,
        dimensions: int | None = None,
        batch_size: int = 128,
        timeout: float = 10.0,
    ) -> None:
        if not isinstance(model, str) or not model.strip():
            raise ConfigurationError(f"an embedding model needs a name, not {model!r}")
        if base_url is None:  # as the official client does, with the key beside it
            base_url = os.environ.get("OPENAI_BASE_URL") or self.OPENAI
            api_key = os.environ.get("OPENAI_API_KEY") if api_key is None else api_key
        if not isinstance(base_url, str) or not base_url.startswith(("http://", "https://")):
            raise ConfigurationError(f"base_url must start with http:// or https://: {base_url!r}")
        if dimensions is not None:
            checked_count("dimensions", dimensions)
        self.name = model if dimensions is None else f"{model}@{dimensions}"
        self.dimension = dimensions
        self.is_async = is_async(getattr(getattr(client, "embeddings", None), "create", None))
        self._client = client
        self._url = base_url.rstrip("/") + "/embeddings"
        self._key = api_key
        if api_key is None and base_url.rstrip("/") == self.OPENAI:
            self._key = os.environ.get("OPENAI_API_KEY")
        self._request = {"model": model} | ({"dimensions": dimensions} if dimensions else {})
        self._batch_size = checked_count("batch_size", batch_size)
        self._timeout = checked_seconds("timeout", timeout)

    def embed(
        self, texts: Sequence[str], kind: Literal["query", "document"] = "document"
    ) -> Vectors | Awaitable[Vectors]:
        """Return one vector per text (an awaitable of them with an async client).

        Raises:
            EmbeddingError: no answer, or one that does not fit; the message names the service, and
                holds what it says itself.
        """
        size = self._batch_size
        parts = [list(texts[start : start + size]) for start in range(0, len(texts), size)]
        found: list[Sequence[float]] = []
        for position, part in enumerate(parts):
            answer = self._ask(part, kind)
            if inspect.isawaitable(answer):
                return self._later(answer, parts[position:], kind)
            found.extend(self._read(answer, len(part)))
        return found

    async def _later(self, first: Awaitable[Any], parts: list[list[str]], kind: str) -> Vectors:
        found = list(self._read(await first, len(parts[0])))
        for part in parts[1:]:
            found.extend(self._read(await self._ask(part, kind), len(part)))
        return found

    def _ask(self, texts: list[str], kind: str) -> Any:
        if self._client is not None:
            return self._client.embeddings.create(input=texts, **self._request)
        body = {**self._request, "input": texts}
        return post(self._url, body, self._key, self._timeout, retry=kind == "document")

    def _read(self, answer: Any, count: int) -> list[Sequence[float]]:
        try:
            data = _get(answer, "data")
            rows = sorted([(int(_get(row, "index")), at) for at, row in enumerate(data)])
            vectors = [_get(data[at], "embedding") for _, at in rows]
        except (AttributeError, KeyError, TypeError, ValueError):
            raise EmbeddingError(f"{self._url} answered in an unknown shape") from None
        if len(vectors) != count:
            raise EmbeddingError(f"{self._url} gave {len(vectors)} vectors for {count} texts")
        if [index for index, _ in rows] != [*range(count)]:
            raise EmbeddingError(f"{self._url} did not number its vectors from 0 to {count - 1}")
        self.dimension = len(vectors[0])
        return vectors


def _get(value: Any, name: str) -> Any:
    return value[name] if isinstance(value, dict) else getattr(value, name)
