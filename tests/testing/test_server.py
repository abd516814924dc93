from __future__ import annotations

import json
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
