"""Local stand-ins for memory services: their own clients talk to them over HTTP, offline.

Standard library only, bound to 127.0.0.1. They keep what they are given in memory, find by shared
words, and speak those endpoints that the stores in :mod:`memory_injection.integrations` call::

    with FakeZep() as service:
        client = Zep(api_key="any", base_url=service.url)
"""

from __future__ import annotations

import itertools
import json
import re
import threading
from abc import ABC, abstractmethod
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

__all__ = ["FakeLetta", "FakeService", "FakeZep"]

_WHEN = "2026-01-02T03:04:05Z"


class FakeService(ABC):
    """Base of the stand-ins: a server that answers JSON.

    Attributes:
        requests: ``(method, path, body)`` of what arrived, in order.
        down: set to True to have every request answered with status 500.
    """

    def __init__(self) -> None:
        """Start listening at once; ``close()`` or the ``with`` block ends it."""
        self.requests: list[tuple[str, str, Any]] = []
        self.down = False
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._http = _Server(("127.0.0.1", 0), _Handler)
        self._http.owner = self
        self._thread = threading.Thread(
            target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )
        self._thread.start()

    @property
    def url(self) -> str:
        """Return the address without a trailing slash."""
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    @abstractmethod
    def answer(self, method: str, path: str, body: Any) -> Any:
        """Return the JSON for one request; None for a path the service does not have.

        Args:
            method: e.g. ``"POST"``.
            path: without the query.
            body: what the query and the JSON body ask for, as one dict.
        """

    def reply(self, method: str, path: str, body: Any) -> tuple[int, Any]:
        """Note one request and return its status and JSON."""
        with self._lock:
            self.requests.append((method, path, body))
            if self.down:
                return 500, {"message": "the service is down", "detail": "the service is down"}
            address = urlsplit(path)
            found = self.answer(method, address.path, {**dict(parse_qsl(address.query)), **body})
        return (404, {"message": "no such path"}) if found is None else (200, found)

    def next_id(self) -> str:
        """Return a new id: a UUID that only counts."""
        return f"00000000-0000-4000-8000-{next(self._numbers):012d}"

    def close(self) -> None:
        """Stop listening. May be called twice."""
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()

    def __enter__(self) -> Any:
        """Return the service itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close."""
        self.close()


class FakeZep(FakeService):
    """Zep 4: ``graph.episode.add`` and ``graph.search_edges``; an episode is its own one fact.

    Attributes:
        edges: the facts of each graph, by the graph's UUID.
    """

    def __init__(self) -> None:
        self.edges: dict[str, list[dict[str, Any]]] = {}
        super().__init__()

    def answer(self, method: str, path: str, body: Any) -> Any:
        """Serve the two endpoints."""
        found = re.fullmatch(r"/graphs/([^/]+)/(episodes|search/edges)", path)
        if method != "POST" or found is None:
            return None
        graph, what = found.groups()
        edges = self.edges.setdefault(graph, [])
        if what == "search/edges":
            ranked = _ranked(body["query"], edges, "fact")[: int(body.get("page_size", 10))]
            return {"items": [{**edge, "score": score} for score, edge in ranked]}
        episode = {"uuid": self.next_id(), "content": body["data"], "created_at": _WHEN}
        edges.append({"uuid": episode["uuid"], "fact": body["data"], "created_at": _WHEN})
        return {"episode": {**episode, "metadata": body.get("metadata")}}


class FakeLetta(FakeService):
    """Letta 1: ``agents.passages.create`` and ``passages.search``.

    Attributes:
        passages: the passages of each agent, by the agent's id.
    """

    def __init__(self) -> None:
        self.passages: dict[str, list[dict[str, Any]]] = {}
        super().__init__()

    def answer(self, method: str, path: str, body: Any) -> Any:
        """Serve the two endpoints."""
        if method != "POST":
            return None
        if path == "/v1/passages/search":
            asked = set(body.get("tags") or ())
            passages = [
                passage
                for passage in self.passages.get(body["agent_id"], [])
                if not asked or asked & set(passage.get("tags") or ())
            ]
            ranked = _ranked(body["query"], passages, "text")[: body.get("limit", 10)]
            return [{"passage": passage, "score": score} for score, passage in ranked]
        found = re.fullmatch(r"/v1/agents/([^/]+)/archival-memory", path)
        if found is None:
            return None
        passage = {"id": f"passage-{self.next_id()}", "created_at": _WHEN, **body}
        self.passages.setdefault(found[1], []).append(passage)
        return [passage]


def _ranked(
    query: str, kept: list[dict[str, Any]], field: str
) -> list[tuple[float, Mapping[str, Any]]]:
    """Return what shares words with *query*, with that share, best first."""
    asked = _words(query)
    scored = [(len(asked & _words(one[field])) / max(len(asked), 1), one) for one in kept]
    return sorted((pair for pair in scored if pair[0] > 0), key=lambda pair: -pair[0])


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    owner: FakeService


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_GET(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def _serve(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        status, found = self.server.owner.reply(
            self.command, self.path, json.loads(raw) if raw else {}
        )
        payload = json.dumps(found).encode()
        self.send_response_only(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""
