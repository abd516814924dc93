"""Posting JSON to an embedding service, with the standard library: no redirect, a few retries."""

from __future__ import annotations

import functools
import http.client
import json
import random
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Any

from ..errors import MemoryInjectionError

__all__ = ["EmbeddingError", "post"]

_TRIES = 4  # of one request in all
_PATIENCE = 20.0  # seconds from the first try within which the last one begins
_PAUSE = 0.5  # seconds before the second try, twice as long before each further one
_BUSY = {408, 425, 429, 502, 503, 504, 529}
_SHORT = 2  # tries after a 500: what some servers also answer to a text that is too long
_SAID = 300  # characters of a service's message that are shown
_READ = 65_536  # bytes of a refusal that are read


class EmbeddingError(MemoryInjectionError):
    """An embedding service could not be reached, refused, or answered with something else.

    Attributes:
        status: the HTTP status of a refusal, else None.
    """

    status: int | None = None


def post(url: str, body: Mapping[str, Any], key: str | None, timeout: float, retry: bool) -> Any:
    """Return the JSON that *url* answers to *body*.

    Args:
        url: where to; a redirection is not followed, the key would go along to wherever it leads.
        body: sent as JSON.
        key: sent as a bearer token.
        timeout: seconds one try may take.
        retry: try again where the service is busy (408, 425, 429, 5xx) or the connection broke, as
            late as ``Retry-After`` says: four times in all, within 20 seconds.

    Raises:
        EmbeddingError: no answer, or a refusal, with the service's own message.
    """
    headers = {"Content-Type": "application/json"}
    if key:
        headers["Authorization"] = f"Bearer {key}"
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    begun = time.monotonic()
    for tried in range(1, _TRIES + 1):
        try:
            with _opener().open(request, timeout=timeout) as reply:
                return json.loads(reply.read())
        except urllib.error.HTTPError as error:
            with error:
                refusal = _refusal(url, error, key)
                wait = _wait(tried, error.code, error.headers.get("Retry-After"))
        except (OSError, ValueError, http.client.HTTPException) as error:
            refusal = _silence(url, error)
            wait = _pause(tried) if _broke(error) else None
        if not retry or wait is None or tried == _TRIES:
            raise refusal
        if time.monotonic() + wait - begun > _PATIENCE:
            raise refusal
        time.sleep(wait)
    raise AssertionError("the last try returns or raises")


def _wait(tried: int, status: int, asked: str | None) -> float | None:
    """Return how long to wait before the next try; None for no further one."""
    if status not in _BUSY and not (status >= 500 and tried < _SHORT):
        return None
    return max(_pause(tried), _seconds(asked))


def _pause(tried: int) -> float:
    return _PAUSE * 2.0 ** (tried - 1) * random.uniform(0.8, 1.2)


def _seconds(asked: str | None) -> float:
    """Read a ``Retry-After``: seconds, or a date; 0 if it is neither."""
    text = (asked or "").strip()
    try:
        return max(float(text), 0.0)
    except ValueError:
        pass
    try:
        until = parsedate_to_datetime(text)
    except (TypeError, ValueError, IndexError):
        return 0.0
    if until.tzinfo is None:
        until = until.replace(tzinfo=timezone.utc)
    return max((until - datetime.now(timezone.utc)).total_seconds(), 0.0)


def _broke(error: Exception) -> bool:
    """Tell whether the connection broke off, which says nothing about the next one."""
    cause = error.reason if isinstance(error, urllib.error.URLError) else error
    return isinstance(cause, (ConnectionResetError, BrokenPipeError, http.client.HTTPException))


def _silence(url: str, error: Exception) -> EmbeddingError:
    found = EmbeddingError(f"{url} did not answer: {str(error) or type(error).__name__}")
    found.__cause__ = error
    return found


def _refusal(url: str, error: urllib.error.HTTPError, key: str | None) -> EmbeddingError:
    text = f"{url} answered {error.code} {error.reason}"
    to = error.headers.get("Location")
    if 300 <= error.code < 400 and to:
        where = urllib.parse.urlsplit(urllib.parse.urljoin(url, to))
        text += f": it points to {where.scheme}://{where.netloc.rpartition('@')[2]}{where.path}"
        text += ", which is not followed; give that as base_url if it is meant"
    said = _said(error)
    if said:
        text += f": {said.replace(key, '***') if key else said}"
    found = EmbeddingError(text)
    found.status = error.code
    return found


def _said(error: urllib.error.HTTPError) -> str | None:
    """Return the service's own message, as OpenAI and most others write it."""
    try:
        body = json.loads(error.read(_READ))
    except (OSError, ValueError, http.client.HTTPException):
        return None
    for name in ("error", "message", "detail"):
        found = body.get(name) if isinstance(body, dict) else None
        found = found.get("message") if isinstance(found, dict) else found
        if isinstance(found, str) and found.strip():
            said = " ".join(found.split())
            return said if len(said) <= _SAID else f"{said[: _SAID - 3]}..."
    return None


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


@functools.cache
def _opener() -> urllib.request.OpenerDirector:
    return urllib.request.build_opener(_NoRedirect)
