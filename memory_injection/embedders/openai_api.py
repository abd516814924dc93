"""Any endpoint that speaks OpenAI's ``/v1/embeddings``."""

from __future__ import annotations

import functools
import http.client
import inspect
import json
import os
import urllib.error
import urllib.request
from collections.abc import Awaitable, Sequence
from typing import Any, Literal

from ..arguments import checked_count, checked_seconds
from ..errors import ConfigurationError, MemoryInjectionError
from .callables import is_async

__all__ = ["EmbeddingError", "OpenAIEmbedder"]

Vectors = Sequence[Sequence[float]]


class EmbeddingError(MemoryInjectionError):
    """An embedding service could not be reached or answered with something else."""


class OpenAIEmbedder:
    """Embeds over HTTP with the standard library, or with an ``OpenAI``/``AsyncOpenAI`` client.

    Args:
        model: the service's name for the model.
        client: an OpenAI client to use; with an async one ``embed`` returns an awaitable.
        base_url: the service's root, up to and including ``/v1``.
        api_key: sent as a bearer token; the default is ``OPENAI_API_KEY`` for OpenAI's own URL
            and none elsewhere, so that a key never reaches a server it was not meant for;
            redirections are not followed.
        dimensions: shorter vectors, for models that offer them.
        batch_size: most texts in one request.
        timeout: seconds one request may take.

    Raises:
        ConfigurationError: *model* is blank, *base_url* is not http(s), a number breaks its rule.
    """

    OPENAI = "https://api.openai.com/v1"

    def __init__(
        self,
        model: str,
        *,
        client: Any = None,
        base_url: str = OPENAI,
        api_key: str | None = None,
        dimensions: int | None = None,
        batch_size: int = 128,
        timeout: float = 10.0,
    ) -> None:
        if not isinstance(model, str) or not model.strip():
            raise ConfigurationError(f"an embedding model needs a name, not {model!r}")
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
            EmbeddingError: no answer, or one that does not fit; the message names the service.
        """
        size = self._batch_size
        parts = [list(texts[start : start + size]) for start in range(0, len(texts), size)]
        found: list[Sequence[float]] = []
        for position, part in enumerate(parts):
            answer = self._ask(part)
            if inspect.isawaitable(answer):
                return self._later(answer, parts[position:])
            found.extend(self._read(answer, len(part)))
        return found

    async def _later(self, first: Awaitable[Any], parts: list[list[str]]) -> Vectors:
        found = list(self._read(await first, len(parts[0])))
        for part in parts[1:]:
            found.extend(self._read(await self._ask(part), len(part)))
        return found

    def _ask(self, texts: list[str]) -> Any:
        if self._client is not None:
            return self._client.embeddings.create(input=texts, **self._request)
        return self._post({**self._request, "input": texts})

    def _post(self, body: dict[str, Any]) -> Any:
        headers = {"Content-Type": "application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        request = urllib.request.Request(self._url, json.dumps(body).encode(), headers)
        try:
            with _opener().open(request, timeout=self._timeout) as reply:
                return json.loads(reply.read())
        except urllib.error.HTTPError as error:
            said = f"{error.code} {error.reason}"
            error.close()
            raise EmbeddingError(f"{self._url} answered {said}") from None
        except (OSError, ValueError, http.client.HTTPException) as error:
            what = str(error) or type(error).__name__
            raise EmbeddingError(f"{self._url} did not answer: {what}") from None

    def _read(self, answer: Any, count: int) -> list[Sequence[float]]:
        try:
            data = _get(answer, "data")
            rows = sorted(data, key=lambda row: int(_get(row, "index")))
            vectors = [_get(row, "embedding") for row in rows]
        except (AttributeError, KeyError, TypeError, ValueError):
            raise EmbeddingError(f"{self._url} answered in an unknown shape") from None
        if len(vectors) != count:
            raise EmbeddingError(f"{self._url} gave {len(vectors)} vectors for {count} texts")
        self.dimension = len(vectors[0])
        return vectors


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Leaves a redirection unfollowed: the key would go along to wherever it leads."""

    def redirect_request(self, *_: Any) -> None:
        return None


@functools.cache
def _opener() -> urllib.request.OpenerDirector:
    return urllib.request.build_opener(_NoRedirect)


def _get(value: Any, name: str) -> Any:
    return value[name] if isinstance(value, dict) else getattr(value, name)
