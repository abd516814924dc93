from __future__ import annotations

import http.client
import json
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from typing import Any

import pytest

from memory_injection.testing.server import RecordingServer, Reply, ToolCall

ASK = {"model": "m", "messages": [{"role": "user", "content": "Merhaba dünya"}]}


def post(url: str, body: Any, path: str = "/v1/chat/completions") -> bytes:
    request = urllib.request.Request(
        url + path, json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=5) as response:
        return bytes(response.read())


def test_keeps_the_exact_bytes_in_order() -> None:
    """What is recorded is what was sent, byte for byte, first come first."""
    with RecordingServer() as server:
        post(server.url, ASK)
        post(server.url, {**ASK, "model": "n"})
        assert server.requests[0].raw == json.dumps(ASK).encode()
        assert [body["model"] for body in server.bodies] == ["m", "n"]
        assert server.requests[0].headers["content-type"] == "application/json"


def test_repeats_the_last_reply_of_a_list() -> None:
    """A list is used up one reply a request; then its last one is repeated."""
    with RecordingServer(["one", "two"]) as server:
        texts = [
            json.loads(post(server.url, ASK))["choices"][0]["message"]["content"] for _ in range(3)
        ]
    assert texts == ["one", "two", "two"]


def test_asks_a_callable_for_each_request() -> None:
    """A callable sees the recorded request and decides."""
    with RecordingServer(lambda request: request.body["model"] * 2) as server:
        assert b'"content": "mm"' in post(server.url, ASK)


def test_streams_pieces_that_join_to_the_text() -> None:
    """A streamed reply holds the same text and ends with [DONE]."""
    with RecordingServer(["  a b\nc "]) as server:
        lines = post(server.url, {**ASK, "stream": True}).decode().split("\n\n")
    assert lines[-2] == "data: [DONE]"
    deltas = [json.loads(line[6:])["choices"][0]["delta"] for line in lines[:-2]]
    assert "".join(delta.get("content", "") for delta in deltas) == "  a b\nc "


def test_scripted_tool_calls_come_with_ids() -> None:
    """A tool call carries name and arguments, and an id derived from the request number."""
    with RecordingServer([Reply(tool_calls=(ToolCall("look", {"q": 1}),))]) as server:
        choice = json.loads(post(server.url, ASK))["choices"][0]
    assert choice["finish_reason"] == "tool_calls"
    assert choice["message"]["tool_calls"][0]["id"] == "call_1_0"
    assert json.loads(choice["message"]["tool_calls"][0]["function"]["arguments"]) == {"q": 1}


def test_errors_carry_status_and_text() -> None:
    """A status of 400 and above is sent in the provider's own error shape."""
    with RecordingServer([Reply("too much", status=429)]) as server:
        with pytest.raises(urllib.error.HTTPError) as caught:
            post(server.url, ASK)
        with caught.value as response:
            assert (response.code, json.load(response)["error"]["message"]) == (429, "too much")


def test_a_script_that_fails_says_so() -> None:
    """A mistake in a callable is the answer, not a broken connection."""
    with RecordingServer(lambda request: {}["missing"]) as server:  # type: ignore[index]
        with pytest.raises(urllib.error.HTTPError) as caught:
            post(server.url, ASK)
        with caught.value as response:
            assert response.code == 500
            assert "KeyError('missing')" in json.load(response)["error"]["message"]


def test_a_body_sent_in_pieces_is_put_together() -> None:
    """Chunked request bodies are recorded as the bytes they stand for."""
    with RecordingServer() as server:
        payload = json.dumps(ASK).encode()
        request = urllib.request.Request(
            server.url + "/v1/chat/completions",
            (payload[at : at + 7] for at in range(0, len(payload), 7)),
            {"Content-Type": "application/json", "Transfer-Encoding": "chunked"},
        )
        with urllib.request.urlopen(request, timeout=5) as response:
            assert response.status == 200
        assert server.requests[0].raw == payload


def test_waiting_for_requests_that_never_come_ends() -> None:
    """``wait_for`` gives up in time and says how many there were."""
    with RecordingServer() as server, pytest.raises(TimeoutError, match="0 of 1 requests"):
        server.wait_for(1, timeout=0.01)


def test_delays_and_extra_headers_are_kept() -> None:
    """A reply may take its time and bring headers of its own, streamed or not."""
    reply = Reply("ok", delay=0.01, gate=0.01, headers={"x-request-id": "r1"})
    with RecordingServer([reply]) as server:
        for body in (ASK, {**ASK, "stream": True}):
            request = urllib.request.Request(
                server.url + "/v1/chat/completions", json.dumps(body).encode()
            )
            with urllib.request.urlopen(request, timeout=5) as response:
                assert response.headers["x-request-id"] == "r1"
        assert json.loads(urllib.request.urlopen(f"{server.url}/v1/models").read())["data"] == []


def test_an_unknown_path_is_refused_and_not_recorded() -> None:
    """Only model calls are recorded."""
    with RecordingServer() as server:
        with pytest.raises(urllib.error.HTTPError) as caught:
            post(server.url, ASK, "/v1/nothing")
        caught.value.close()
        assert caught.value.code == 404
        assert server.requests == []


def test_close_cuts_off_a_request_that_waits() -> None:
    """Closing does not wait for an event that nobody will set; the caller sees a broken call."""
    failures: list[OSError] = []

    def ask() -> None:
        try:
            post(server.url, ASK)
        except OSError as error:
            failures.append(error)

    server = RecordingServer([Reply("late", delay=threading.Event())])
    caller = threading.Thread(target=ask)
    caller.start()
    server.wait_for(1)
    server.close()
    server.close()
    caller.join(5)
    assert len(failures) == 1


def test_a_server_left_open_lets_the_program_end() -> None:
    """Without ``with``, a connection that is still open does not keep the interpreter alive."""
    program = (
        "import http.client\n"
        "from memory_injection.testing.server import RecordingServer\n"
        "server = RecordingServer()\n"
        "kept = http.client.HTTPConnection('127.0.0.1', int(server.url.rsplit(':')[-1]))\n"
        "kept.request('GET', '/')\n"
        "kept.getresponse().read()\n"
        "print('done')\n"
    )
    words = [sys.executable, "-c", program]
    done = subprocess.run(words, capture_output=True, timeout=20, check=False)
    assert (done.returncode, done.stdout.split()) == (0, [b"done"])


def test_closing_waits_for_every_connection() -> None:
    """After ``close()`` no thread of the server is left, though a client keeps its connection."""
    before = set(threading.enumerate())
    server = RecordingServer()
    port = int(server.url.rsplit(":")[-1])
    kept = http.client.HTTPConnection("127.0.0.1", port)
    kept.request("GET", "/")
    kept.getresponse().read()
    server.close()
    kept.close()
    assert set(threading.enumerate()) <= before
