"""``reembed``, and ``--embedder`` of ``add``, ``import`` and ``search``."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

pytest.importorskip("numpy", reason="numpy comes with the embeddings and light extras")

from memory_injection.cli import bars
from memory_injection.embedders import OpenAIEmbedder

from .conftest import Run

NAME = "openai:concepts"


class Service:
    """A local ``/v1/embeddings`` that refuses texts with BAD in them, or everything."""

    def __init__(self) -> None:
        self.status = 200
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["input"]
                bad = any("BAD" in text for text in asked)
                status = 400 if bad else service.status
                words = ("pet", "greyhound"), ("bill", "invoice")
                rows = [
                    {
                        "index": at,
                        "embedding": [
                            *(float(any(word in text.lower() for word in same)) for same in words),
                            0.1,
                        ],
                    }
                    for at, text in enumerate(asked)
                ]
                answer = {"data": rows} if status == 200 else {"error": {"message": "no, no"}}
                body = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *args: object) -> None:
                """Stay quiet."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    """It stands where the embedder looks for OpenAI."""
    made = Service()
    thread = threading.Thread(target=made.server.serve_forever, args=(0.01,))
    thread.start()
    original = OpenAIEmbedder.__init__
    monkeypatch.setattr(
        OpenAIEmbedder,
        "__init__",
        lambda self, model: original(self, model, base_url=made.url),
    )
    yield made
    made.server.shutdown()
    thread.join()
    made.server.server_close()


def test_what_is_added_with_an_embedder_is_found_by_meaning(run: Run, service: Service) -> None:
    run("add", "We adopted a greyhound.", "--user", "u1", "--embedder", NAME)
    run("add", "The bill is unpaid.", "--user", "u1", "--embedder", NAME)
    words = run("search", "which pet", "--user", "u1", "--json").json
    both = run("search", "which pet", "--user", "u1", "--embedder", NAME, "--json")
    assert words == []
    assert both.json[0]["content"] == "We adopted a greyhound."
    assert both.err == ""


def test_reembed_embeds_what_was_written_without(run: Run, service: Service) -> None:
    run("add", "We adopted a greyhound.")
    before = run("search", "greyhound", "--embedder", NAME)
    assert "nothing is embedded" in before.line
    assert run("reembed", "--embedder", NAME).out == "1 embedded, 0 refused\n"
    again = run("reembed", "--embedder", NAME, "--json")
    assert again.json == {"embedded": 0, "waiting": 0, "refused": []}
    assert run("search", "pet", "--embedder", NAME).err == ""


def test_import_embeds_afterwards(run: Run, service: Service) -> None:
    lines = [{"content": "We adopted a greyhound."}, {"content": "The invoice", "id": "2"}]
    Path("in.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    outcome = run("import", "in.jsonl", "--embedder", NAME)
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out == ("2 added, 0 updated, 0 unchanged, 0 broken\n2 embedded, 0 refused\n")
    again = run("import", "in.jsonl", "--embedder", NAME, "--json").json
    assert (again["unchanged"], again["embedded"], again["waiting"]) == (2, 0, 0)


def test_refused_entries_are_named(run: Run, service: Service) -> None:
    """On stderr or in the JSON; the exit code is 1, and they are remembered."""
    lines = [{"content": f"BAD text {n}", "id": f"b{n}"} for n in range(25)]
    lines.append({"content": "good text", "id": "g"})
    Path("in.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    imported = run("import", "in.jsonl", "--embedder", NAME)
    assert imported.code == 1
    assert "1 embedded, 25 refused" in imported.out
    assert "refuses b0: " in imported.err
    assert "no, no" in imported.err
    assert "5 more refused entries" in imported.err
    outcome = run("reembed", "--embedder", NAME, "--json")
    assert (outcome.code, len(outcome.json["refused"])) == (1, 25)
    added = run("add", "BAD again", "--embedder", NAME)
    assert added.code == 0
    assert "refuses an entry" in added.line
    assert len(run("list", "--json").json) == 27


def test_a_service_that_is_not_there_is_one_line(run: Run, service: Service) -> None:
    """What was to be remembered is; what was to be embedded waits."""
    service.status = 401
    added = run("add", "We adopted a greyhound.", "--embedder", NAME)
    assert added.code == 0
    assert "401" in added.line
    outcome = run("reembed", "--embedder", NAME)
    assert outcome.code == 1
    assert "401" in outcome.line
    found = run("search", "greyhound", "--embedder", NAME)
    assert "greyhound" in found.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("reembed",), "--embedder"),
        (("reembed", "--embedder", " "), "names no embedder"),
        (("reembed", "--embedder", "no-such-model"), "no-such-model"),
        (("reembed", "--embedder", NAME, "--store", "nope.db"), "no such file"),
        (("add", "x", "--embedder", "no-such-model"), "no-such-model"),
    ],
)
def test_wrong_use_is_one_line(run: Run, words: tuple[str, ...], said: str) -> None:
    """And nothing is written."""
    if "nope.db" not in words:
        run("add", "a note")
    outcome = run(*words)
    assert outcome.code == 2
    assert said in outcome.line
    if "nope.db" not in words:
        assert len(run("list", "--json").json) == 1


def test_a_bar_is_shown_where_somebody_sees_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing in a pipe, nor with ``--json``."""
    with bars.bar("embedding", 3, quiet=False) as update:
        assert update is None
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    with bars.bar("embedding", 3, quiet=True) as update:
        assert update is None
    with bars.bar("embedding", 3, quiet=False) as update:
        assert update is not None
        update(1)
        update(2, 4)
    assert "embedding" in capsys.readouterr().err
