"""A local server that speaks like the model providers and keeps what it was sent.

Standard library only, bound to 127.0.0.1, no model behind it: replies are scripted. It serves
the APIs that :mod:`memory_injection.testing.wire` words (OpenAI Chat Completions and Responses,
Anthropic Messages, ...), as JSON and as streams::

    with RecordingServer(["Hello!"]) as server:
        client = OpenAI(base_url=f"{server.url}/v1", api_key="any")
        client.chat.completions.create(model="m", messages=[{"role": "user", "content": "Hi"}])
        assert server.bodies[0]["messages"][0]["content"] == "Hi"
"""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeAlias

from .wire import Reply, ToolCall, WireFormat, format_for

__all__ = ["RecordedRequest", "RecordingServer", "Reply", "ToolCall"]


@dataclass(frozen=True, slots=True)
class RecordedRequest:
    """One request as it arrived.

    Attributes:
        method: e.g. ``"POST"``.
        path: path and query as sent.
        headers: header names in lower case.
        raw: the body's exact bytes.
    """

    method: str
    path: str
    headers: Mapping[str, str]
    raw: bytes

    @property
    def body(self) -> Any:
        """Return the body read as JSON; None if it is empty.

        Raises:
            ValueError: the body is not JSON.
        """
        return json.loads(self.raw) if self.raw else None


Script: TypeAlias = (
    "Callable[[RecordedRequest], Reply | str | Mapping[str, Any]] "
    "| Iterable[Reply | str | Mapping[str, Any]]"
)


class RecordingServer:
    """Answers model calls from a script and records every request, in order of arrival.

    Args:
        replies: what to answer. An iterable is used up one reply per recorded request and its
            last reply is repeated; a callable is asked for each request, one at a time. A reply
            is a :class:`Reply`, a text, or a mapping that is sent as the JSON body as it stands.
            A callable that raises is answered with status 500 and what it raised.

    Attributes:
        requests: what arrived, as a list of :class:`RecordedRequest`.
    """

    def __init__(self, replies: Script = ("ok",)) -> None:
        """Start listening at once; ``close()`` or the ``with`` block ends it."""
        self.requests: list[RecordedRequest] = []
        self._lock = threading.Condition()
        self._script = replies if callable(replies) else _from_list(replies)
        self._http = _HTTPServer(("127.0.0.1", 0), _Handler)
        self._http.owner = self
        self._closing = threading.Event()
        self._thread = threading.Thread(
            target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )
        self._thread.start()

    @property
    def url(self) -> str:
        """Return the address without a trailing slash, e.g. ``"http://127.0.0.1:40123"``."""
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    @property
    def bodies(self) -> list[Any]:
        """Return the recorded bodies read as JSON."""
        return [request.body for request in self.requests]

    def wait_for(self, count: int, timeout: float = 10.0) -> None:
        """Return once *count* requests have arrived.

        Raises:
            TimeoutError: they did not arrive within *timeout* seconds.
        """
        with self._lock:
            if not self._lock.wait_for(lambda: len(self.requests) >= count, timeout):
                raise TimeoutError(f"{len(self.requests)} of {count} requests in {timeout} s")

    def answer(self, request: RecordedRequest) -> tuple[int, Reply]:
        """Record *request*; return its number (from 1) and what to answer."""
        with self._lock:
            self.requests.append(request)
            number = len(self.requests)
            self._lock.notify_all()
            try:
                return number, Reply.of(self._script(request))
            except Exception as error:
                return number, Reply(f"the script failed: {error!r}", status=500)

    def wait(self, delay: float | threading.Event | None) -> bool:
        """Wait *delay* seconds, or for the event; return False if the server closed instead."""
        if isinstance(delay, threading.Event):
            while not delay.wait(0.01) and not self._closing.is_set():
                pass
        elif delay:
            self._closing.wait(delay)
        return not self._closing.is_set()

    def close(self) -> None:
        """Stop listening, cut open connections and wait for every thread. May be called twice."""
        if self._closing.is_set():
            return
        self._closing.set()
        self._http.shutdown()
        self._http.cut_connections()
        self._thread.join()
        self._http.join_handlers()
        self._http.server_close()

    def __enter__(self) -> RecordingServer:
        """Return the server itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close."""
        self.close()


def _from_list(
    replies: Iterable[Reply | str | Mapping[str, Any]],
) -> Callable[[RecordedRequest], Reply | str | Mapping[str, Any]]:
    if isinstance(replies, (str, Reply, Mapping)):
        replies = [replies]
    waiting = iter(replies)
    last: Reply | str | Mapping[str, Any] = "ok"

    def take(_: RecordedRequest) -> Reply | str | Mapping[str, Any]:
        nonlocal last
        last = next(waiting, last)
        return last

    return take


class _HTTPServer(ThreadingHTTPServer):
    # A server that is never closed must not keep the interpreter from ending; close() waits for
    # the threads all the same.
    daemon_threads = True
    request_queue_size = 256
    owner: RecordingServer

    def __init__(self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler]) -> None:
        self._open: set[socket.socket] = set()
        self._open_lock = threading.Lock()
        self._handling: set[threading.Thread] = set()
        super().__init__(address, handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        with self._open_lock:
            self._open.add(request)
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        with self._open_lock:
            self._handling.add(threading.current_thread())
        try:
            super().process_request_thread(request, client_address)
        finally:
            with self._open_lock:
                self._handling.discard(threading.current_thread())

    def join_handlers(self) -> None:
        """Wait for every connection's thread."""
        with self._open_lock:
            handling = list(self._handling)
        for thread in handling:
            thread.join()

    def shutdown_request(self, request: Any) -> None:
        with self._open_lock:
            self._open.discard(request)
        super().shutdown_request(request)

    def cut_connections(self) -> None:
        with self._open_lock:
            for connection in self._open:
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: a client that hangs up is part of what is tested here."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _HTTPServer

    def do_GET(self) -> None:
        self._send_json(200, {"object": "list", "data": []})

    def do_POST(self) -> None:
        request = RecordedRequest(
            self.command,
            self.path,
            {name.lower(): value for name, value in self.headers.items()},
            self._read_body(),
        )
        shape = format_for(self.path)
        if shape is None:
            self._send_json(404, {"error": {"message": f"no such path: {self.path}"}})
            return
        number, reply = self.server.owner.answer(request)
        if not self.server.owner.wait(reply.delay):
            self.close_connection = True
        elif reply.status >= 400:
            self._send_json(reply.status, shape.error(reply), reply.headers)
        elif reply.body is not None:
            self._send_json(reply.status, reply.body, reply.headers)
        elif shape.streams(self.path, _json(request.raw)):
            self._send_stream(shape, shape.stream(reply, _json(request.raw), number), reply)
        else:
            whole = shape.whole(reply, _json(request.raw), number)
            self._send_json(reply.status, whole, reply.headers)

    def _read_body(self) -> bytes:
        if "chunked" not in self.headers.get("Transfer-Encoding", ""):
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        parts = []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)

    def _send_json(self, status: int, body: Any, headers: Mapping[str, str] | None = None) -> None:
        payload = json.dumps(body).encode()
        self.send_response_only(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    def _send_stream(self, shape: WireFormat, chunks: Iterator[bytes], reply: Reply) -> None:
        self.send_response_only(200)
        for name, value in (reply.headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Type", shape.stream_type)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for position, chunk in enumerate(chunks):
            cut = position == reply.break_after
            if cut or (position == 1 and not self.server.owner.wait(reply.gate)):
                self.close_connection = True
                return
            self.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
        self.wfile.write(b"0\r\n\r\n")

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


def _json(raw: bytes) -> dict[str, Any]:
    try:
        body = json.loads(raw)
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}
