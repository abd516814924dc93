"""Embeddings over HTTP and through OpenAI clients."""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from typing import Any

import pytest

from memory_injection.embedders import EmbeddingError, OpenAIEmbedder, posting
from memory_injection.errors import ConfigurationError


class Service:
    """A local ``/v1/embeddings`` that keeps what it was asked."""

    def __init__(self) -> None:
        self.seen: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.status = 200
        self.body: bytes | None = None
        self.location = ""
        self.replies: list[tuple[int, dict[str, str]]] = []  # before the usual one
        self.drops = 0  # connections closed without an answer
        self.lies = False
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                service.seen.append(asked)
                service.headers.append(dict(self.headers))
                if service.drops:
                    service.drops -= 1
                    self.connection.setsockopt(
                        socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)
                    )
                    self.connection.close()
                    return
                if service.replies:
                    status, headers = service.replies.pop(0)
                    self.send_response(status)
                    for name, value in {"Content-Length": "0", **headers}.items():
                        self.send_header(name, value)
                    self.end_headers()
                    return
                rows = [
                    {"index": at, "embedding": [float(len(text)), 1.0]}
                    for at, text in enumerate(asked["input"])
                ]
                body = service.body or json.dumps({"data": rows[::-1]}).encode()
                self.send_response(service.status)
                if service.location:
                    self.send_header("Location", service.location)
                self.send_header("Content-Length", str(len(body) + 9 * service.lies))
                self.end_headers()
                self.wfile.write(body)

            def do_GET(self) -> None:
                service.headers.append(dict(self.headers))
                self.send_error(405)

            def log_message(self, *args: object) -> None:
                """Stay quiet."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"


@pytest.fixture
def service() -> Iterator[Service]:
    made = Service()
    thread = threading.Thread(target=made.server.serve_forever, args=(0.01,))
    thread.start()
    yield made
    made.server.shutdown()
    thread.join()
    made.server.server_close()


def test_vectors_come_back_in_the_order_of_the_texts(service: Service) -> None:
    """The service may answer in any order: the index decides."""
    embedder = OpenAIEmbedder("m", base_url=service.url, batch_size=2)
    assert embedder.embed(["a", "bb", "ccc"]) == [[1.0, 1.0], [2.0, 1.0], [3.0, 1.0]]
    assert [len(asked["input"]) for asked in service.seen] == [2, 1]
    assert embedder.dimension == 2


def test_the_key_of_openai_goes_nowhere_else(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``OPENAI_API_KEY`` is for OpenAI's own URL; another server gets only a key given to it."""
    monkeypatch.setenv("OPENAI_API_KEY", "of-openai")
    OpenAIEmbedder("m", base_url=service.url).embed(["a"])
    OpenAIEmbedder("m", base_url=service.url, api_key="own").embed(["a"])
    assert [seen.get("Authorization") for seen in service.headers] == [None, "Bearer own"]


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirection_is_not_followed(service: Service, status: int) -> None:
    """It would take the key along, to any server."""
    elsewhere = Service()
    thread = threading.Thread(target=elsewhere.server.serve_forever, args=(0.01,))
    thread.start()
    try:
        service.status, service.location = status, f"{elsewhere.url}/embeddings"
        with pytest.raises(EmbeddingError, match=f"answered {status}") as caught:
            OpenAIEmbedder("m", base_url=service.url, api_key="own").embed(["a"])
        assert f"points to {elsewhere.url}/embeddings" in str(caught.value)
    finally:
        elsewhere.server.shutdown()
        thread.join()
        elsewhere.server.server_close()
    assert elsewhere.headers == []


def test_an_answer_that_breaks_off_is_the_same_kind_of_error(service: Service) -> None:
    """As is a port that speaks another protocol."""
    service.lies = True
    with pytest.raises(EmbeddingError, match="did not answer: IncompleteRead"):
        OpenAIEmbedder("m", base_url=service.url).embed(["a"], "query")


def test_shorter_vectors_are_another_model(service: Service) -> None:
    """The dimension is part of the recorded name."""
    embedder = OpenAIEmbedder("m", base_url=service.url, dimensions=2)
    embedder.embed(["a"])
    assert embedder.name == "m@2"
    assert service.seen[0]["dimensions"] == 2


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """What is waited between tries, without waiting."""
    made: list[float] = []
    monkeypatch.setattr(posting.time, "sleep", made.append)
    return made


@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503, 504, 529])
def test_documents_are_tried_again_where_the_service_is_busy(
    service: Service, pauses: list[float], status: int
) -> None:
    service.replies = [(status, {})]
    assert OpenAIEmbedder("m", base_url=service.url).embed(["a"]) == [[1.0, 1.0]]
    assert len(pauses) == 1


def test_a_connection_that_breaks_is_tried_again(service: Service, pauses: list[float]) -> None:
    service.drops = 2
    assert OpenAIEmbedder("m", base_url=service.url).embed(["a"]) == [[1.0, 1.0]]
    assert len(pauses) == 2
    assert pauses[1] > pauses[0]


def test_the_service_says_when(service: Service, pauses: list[float]) -> None:
    """In seconds or as a date; what it does not say well is not waited for."""
    soon = format_datetime(datetime.now(timezone.utc) + timedelta(seconds=9), usegmt=True)
    for said, least, most in [("7", 7, 7), (soon, 7, 9), ("soon", 0.4, 0.6), ("-3", 0.4, 0.6)]:
        service.replies = [(429, {"Retry-After": said})]
        OpenAIEmbedder("m", base_url=service.url).embed(["a"])
        assert least <= pauses.pop() <= most


def test_tries_are_few_and_end_in_time(service: Service, pauses: list[float]) -> None:
    """Four in all; none that would begin after twenty seconds."""
    service.replies = [(503, {})] * 9
    with pytest.raises(EmbeddingError, match="503"):
        OpenAIEmbedder("m", base_url=service.url).embed(["a"])
    assert (len(service.seen), len(pauses)) == (4, 3)
    service.replies = [(429, {"Retry-After": "60"})]
    with pytest.raises(EmbeddingError, match="429"):
        OpenAIEmbedder("m", base_url=service.url).embed(["a"])
    assert (len(service.seen), len(pauses)) == (5, 3)


@pytest.mark.parametrize(("status", "kind"), [(503, "query"), (400, "document"), (401, "document")])
def test_a_question_and_a_plain_refusal_are_not_tried_again(
    service: Service, pauses: list[float], status: int, kind: Any
) -> None:
    service.replies = [(status, {})]
    with pytest.raises(EmbeddingError, match=str(status)) as caught:
        OpenAIEmbedder("m", base_url=service.url).embed(["a"], kind)
    assert (caught.value.status, len(service.seen), pauses) == (status, 1, [])


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"error": {"message": "maximum context length is 8192"}}, "maximum context length is"),
        ({"error": "input is too large"}, "input is too large"),
        ({"message": "no such model"}, "no such model"),
        ({"detail": "not here"}, "not here"),
        ({"error": {"message": "word " * 500}}, "word word ..."),
        ({"error": {"message": "Incorrect key: own"}}, r"Incorrect key: \*\*\*"),
    ],
)
def test_the_services_own_message_is_in_the_error(
    service: Service, body: dict[str, Any], said: str
) -> None:
    """Cut to a few hundred characters, and without the key."""
    service.status, service.body = 400, json.dumps(body).encode()
    with pytest.raises(EmbeddingError, match=said) as caught:
        OpenAIEmbedder("m", base_url=service.url, api_key="own").embed(["a"])
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("indexes", [[0, 0], [1, 2], [0, 2], [-1, 0]])
def test_vectors_that_are_not_numbered_each_once_are_refused(
    service: Service, indexes: list[int]
) -> None:
    """It could not be told whose they are."""
    rows = [{"index": index, "embedding": [1.0]} for index in indexes]
    service.body = json.dumps({"data": rows}).encode()
    with pytest.raises(EmbeddingError, match="did not number its vectors from 0 to 1"):
        OpenAIEmbedder("m", base_url=service.url).embed(["a", "b"])


def test_a_text_too_long_for_the_service_is_set_aside(service: Service) -> None:
    """The whole way: the store finds it, and keeps the service's message."""
    pytest.importorskip("numpy", reason="numpy comes with the embeddings and light extras")
    from memory_injection.stores import VectorStore

    class Limited(OpenAIEmbedder):
        def embed(self, texts: Any, kind: Any = "document") -> Any:
            service.status = 400 if any(len(text) > 1000 for text in texts) else 200
            error = {"error": {"message": "too many tokens"}}
            service.body = json.dumps(error).encode() if service.status == 400 else None
            return super().embed(texts, kind)

    with VectorStore(embedder=Limited("m", base_url=service.url)) as store:
        store.add_many(["a note", "long " * 400, "another note"])
        (refused,) = store.refused()
        assert refused.reason.endswith("400 Bad Request: too many tokens")
        assert store.waiting() == 0


@pytest.mark.parametrize("body", [b"[]", b"no json", b'{"data": [{}]}', b'{"data": []}'])
def test_an_answer_that_does_not_fit_is_one_clear_error(service: Service, body: bytes) -> None:
    """Never an ``AttributeError`` or a silent short list."""
    service.body = body
    with pytest.raises(EmbeddingError, match="/v1/embeddings"):
        OpenAIEmbedder("m", base_url=service.url).embed(["a"])


def test_a_refusal_names_its_status(service: Service) -> None:
    """An HTTP error says what the service said."""
    service.status = 401
    with pytest.raises(EmbeddingError, match="401"):
        OpenAIEmbedder("m", base_url=service.url).embed(["a"])


def test_a_service_that_is_not_there_is_named() -> None:
    """No connection is the same kind of error."""
    with pytest.raises(EmbeddingError, match="did not answer"):
        OpenAIEmbedder("m", base_url="http://127.0.0.1:9/v1", timeout=1).embed(["a"])


def _reply(texts: list[str]) -> SimpleNamespace:
    rows = [SimpleNamespace(index=at, embedding=[float(len(t))]) for at, t in enumerate(texts)]
    return SimpleNamespace(data=rows)


def test_a_sync_client_is_used_as_it_is() -> None:
    """``OpenAI()``: its retries, proxies and keys."""
    create = lambda *, model, input: _reply(input)  # noqa: E731 - a stand-in for one method
    client = SimpleNamespace(embeddings=SimpleNamespace(create=create))
    assert OpenAIEmbedder("m", client=client).embed(["a", "bb"]) == [[1.0], [2.0]]


async def test_an_async_client_gives_an_awaitable() -> None:
    """``AsyncOpenAI()``: batches one after the other."""

    async def create(*, model: str, input: list[str]) -> SimpleNamespace:
        return _reply(input)

    client = SimpleNamespace(embeddings=SimpleNamespace(create=create))
    found = OpenAIEmbedder("m", client=client, batch_size=1).embed(["a", "bb"])
    assert await found == [[1.0], [2.0]]  # type: ignore[misc]


@pytest.mark.parametrize(
    "wrong",
    [
        {"model": " "},
        {"model": None},
        {"model": "m", "base_url": "ftp://x"},
        {"model": "m", "base_url": 5},
        {"model": "m", "batch_size": 0},
        {"model": "m", "batch_size": "8"},
        {"model": "m", "dimensions": 0},
        *(
            {"model": "m", "timeout": one}
            for one in ("10", 0, -1, float("nan"), float("inf"), True)
        ),
    ],
)
def test_what_cannot_work_is_refused_at_construction(wrong: dict[str, Any]) -> None:
    """Blank names, other protocols, empty batches, texts for numbers."""
    with pytest.raises(ConfigurationError):
        OpenAIEmbedder(**wrong)


def test_the_environment_names_the_service_as_for_the_official_client(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Texts meant for a server of one's own do not go to OpenAI; an own address has no key."""
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1/")
    named = OpenAIEmbedder("m")
    assert (named._url, named._key) == ("http://127.0.0.1:1/v1/embeddings", "k")
    given = OpenAIEmbedder("m", base_url="http://127.0.0.1:2/v1")
    assert (given._url, given._key) == ("http://127.0.0.1:2/v1/embeddings", None)
    monkeypatch.setenv("OPENAI_BASE_URL", "nowhere")
    with pytest.raises(ConfigurationError, match="'nowhere'"):
        OpenAIEmbedder("m")
    monkeypatch.delenv("OPENAI_BASE_URL")
    plain = OpenAIEmbedder("m")
    assert (plain._url, plain._key) == ("https://api.openai.com/v1/embeddings", "k")
