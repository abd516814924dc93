from __future__ import annotations

from typing import Any

import pytest

from memory_injection.clients import wrap
from memory_injection.errors import ConfigurationError
from memory_injection.testing.server import RecordingServer, Reply

from .scenes import CALL, captured

boto3 = pytest.importorskip("boto3")

ASK = [{"role": "user", "content": [{"text": "Where do I live?"}]}]
MESSAGE = captured()


def make(server: RecordingServer, service: str = "bedrock-runtime") -> Any:
    config = pytest.importorskip("botocore.config").Config(retries={"total_max_attempts": 1})
    return boto3.client(
        service,
        region_name="us-east-1",
        endpoint_url=server.url,
        aws_access_key_id="a",
        aws_secret_access_key="b",
        config=config,
    )


def converse(client: Any) -> Any:
    reply = client.converse(modelId="m", messages=ASK)
    client.close()
    reply["ResponseMetadata"].pop("HTTPHeaders")  # carries the date
    return reply


def stream(client: Any) -> Any:
    reply = client.converse_stream(modelId="m", messages=ASK)
    events = list(reply["stream"])
    client.close()
    return type(reply["stream"]), events


@pytest.mark.parametrize("captures", [False, True])
@pytest.mark.parametrize("scene", [converse, stream])
async def test_the_caller_sees_what_the_bare_client_gives(
    scene: Any, captures: bool, compare: Any, fake_memory: Any
) -> None:
    """Replies, events and the stream's type are the bare client's; the turn is captured once."""
    memory = fake_memory(captures=captures)
    plain, remembered = await compare(make, scene, [CALL], memory)
    assert plain.bodies[0]["messages"] == ASK
    assert remembered.bodies[0]["messages"][0]["content"] == [
        {"text": "Where do I live?"},
        {"text": "<memory>u</memory>"},
    ]
    assert [turn["reply"] for turn in memory.turns] == [MESSAGE] * captures


@pytest.mark.parametrize("scene", [converse, stream])
async def test_the_providers_error_is_the_callers(
    scene: Any, compare: Any, fake_memory: Any
) -> None:
    """What the SDK raises comes through, type and text; nothing is captured."""
    memory = fake_memory(captures=True)
    _, remembered = await compare(make, scene, [Reply("slow down", status=429)], memory)
    assert len(remembered.bodies) == 1
    assert memory.turns == []


def test_wrapping_twice_injects_once(serve: Any, fake_memory: Any) -> None:
    """A second wrap replaces the first; the original and its type stay."""
    server = serve(["ok"])
    first, second = fake_memory(), fake_memory()
    bare = make(server)
    wrapped = wrap(wrap(bare, first), second)
    assert type(wrapped) is type(bare)
    converse(wrapped)
    converse(bare)
    assert [len(body["messages"][0]["content"]) for body in server.bodies] == [2, 1]
    assert (len(first.seen), len(second.seen)) == (0, 1)


def test_a_closed_stream_is_captured_as_far_as_it_came(serve: Any, fake_memory: Any) -> None:
    """Closing a stream hands over what had arrived, once."""
    memory = fake_memory(captures=True)
    client = wrap(make(serve(["one two three"])), memory)
    stream = client.converse_stream(modelId="m", messages=ASK)["stream"]
    events = iter(stream)
    for _ in range(3):
        next(events)
    stream.close()
    assert [turn["reply"]["content"] for turn in memory.turns] == ["one two"]
    events.close()
    client.close()
    assert len(memory.turns) == 1


def test_a_double_of_a_stream_comes_back_as_it_is(
    serve: Any, fake_memory: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """A stream that is not the SDK's own cannot be read along with; the call is none the worse."""
    events = [{"contentBlockDelta": {"delta": {"text": "hi"}, "contentBlockIndex": 0}}]
    client = make(serve([]))
    client._make_api_call = lambda name, arguments: {"stream": iter(events)}
    memory = fake_memory(captures=True)
    reply = wrap(client, memory).converse_stream(modelId="m", messages=ASK)
    assert list(reply["stream"]) == events
    assert memory.turns == []
    assert "a reply was not captured: TypeError" in caplog.text
    client.close()


def test_another_service_is_refused(serve: Any, fake_memory: Any) -> None:
    """A client without converse is a programming mistake, named in one line."""
    client = make(serve(["ok"]), "s3")
    with pytest.raises(ConfigurationError, match=r"cannot wrap S3: boto3's 'bedrock-runtime'"):
        wrap(client, fake_memory())
