from __future__ import annotations

import inspect
import os
from typing import Any

import pytest

from memory_injection.clients import wrap
from memory_injection.testing.server import RecordingServer, Reply

from .scenes import CALL, captured
from .scenes import seen as seen_all

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
litellm = pytest.importorskip("litellm")

pytestmark = pytest.mark.filterwarnings("ignore")  # LiteLLM's own, in many places

ASK = [{"role": "user", "content": "Where do I live?"}]
MESSAGE = captured()


class Target:
    """What is called, and where: LiteLLM takes the address with each call."""

    def __init__(self, wrapped: Any, server: RecordingServer) -> None:
        self.litellm = wrapped
        self.options = {
            "model": "openai/m", "api_base": f"{server.url}/v1", "api_key": "k", "max_retries": 0
        }  # fmt: skip


def seen(reply: Any) -> Any:
    return seen_all(reply, {"id", "created"})


def completion(target: Target) -> Any:
    return seen(target.litellm.completion(messages=ASK, **target.options))


def positional(target: Target) -> Any:
    options = dict(target.options)
    return seen(target.litellm.completion(options.pop("model"), ASK, **options))


def stream(target: Target) -> Any:
    reply = target.litellm.completion(messages=ASK, stream=True, **target.options)
    return [seen(chunk) for chunk in reply]


async def acompletion(target: Target) -> Any:
    return seen(await target.litellm.acompletion(messages=ASK, **target.options))


async def astream(target: Target) -> Any:
    reply = await target.litellm.acompletion(messages=ASK, stream=True, **target.options)
    return [seen(chunk) async for chunk in reply]


SCENES = [completion, positional, stream, acompletion, astream]


async def outcome(scene: Any, target: Target) -> Any:
    try:
        got = scene(target)
        return await got if inspect.isawaitable(got) else got
    except Exception as error:
        return type(error), str(error)


@pytest.fixture
def play(serve: Any) -> Any:
    """Play a scene with the bare module and with the wrapped one."""

    async def run(scene: Any, script: Any, memory: Any) -> tuple[Any, Any, Any, Any]:
        plain, remembered = serve(script), serve(script)
        wrapped = wrap(litellm, memory, scope={"user": "u"})
        expected = await outcome(scene, Target(litellm, plain))
        return plain, remembered, expected, await outcome(scene, Target(wrapped, remembered))

    return run


@pytest.mark.parametrize("captures", [False, True])
@pytest.mark.parametrize("scene", SCENES)
async def test_the_caller_sees_what_the_bare_module_gives(
    scene: Any, captures: bool, play: Any, fake_memory: Any
) -> None:
    """Replies and chunks are the bare module's; the turn is captured once."""
    memory = fake_memory(captures=captures)
    plain, remembered, expected, got = await play(scene, [CALL], memory)
    assert got == expected
    assert plain.bodies[0]["messages"] == ASK
    assert [b["messages"][0]["content"] for b in remembered.bodies] == [
        "Where do I live?\n\n<memory>u</memory>"
    ]
    assert [turn["reply"] for turn in memory.turns] == [MESSAGE] * captures


@pytest.mark.parametrize("scene", SCENES)
async def test_the_providers_error_is_the_callers(scene: Any, play: Any, fake_memory: Any) -> None:
    """What LiteLLM raises comes through; nothing is captured."""
    memory = fake_memory(captures=True)
    _, _, expected, got = await play(scene, [Reply("wrong model", status=400)], memory)
    assert got == expected
    assert got[0] is litellm.BadRequestError
    assert memory.turns == []


def test_one_function_can_be_wrapped_alone(serve: Any, fake_memory: Any) -> None:
    """``wrap(litellm.completion, memory)`` is a function; wrapping it again replaces the memory."""
    server = serve(["ok"])
    first, second = fake_memory(), fake_memory()
    wrapped = wrap(wrap(litellm.completion, first), second)
    assert wrapped.__name__ == "completion"
    wrapped("openai/m", ASK, api_base=f"{server.url}/v1", api_key="k")
    assert (len(first.seen), len(second.seen)) == (0, 1)


async def test_a_router_is_wrapped_too(serve: Any, fake_memory: Any) -> None:
    """Both completions of a ``Router`` carry memory; the router itself is as it was."""
    server = serve(["ok"])
    memory = fake_memory()
    where = {"model": "openai/m", "api_base": f"{server.url}/v1", "api_key": "k"}
    bare = litellm.Router(model_list=[{"model_name": "any", "litellm_params": where}])
    router = wrap(wrap(bare, fake_memory()), memory)
    assert type(router) is type(bare)
    router.completion("any", ASK)
    await router.acompletion(model="any", messages=ASK)
    bare.completion("any", ASK)
    assert ["<memory>" in str(body) for body in server.bodies] == [True, True, False]
    assert len(memory.seen) == 2


def test_the_wrapped_module_passes_settings_on(fake_memory: Any) -> None:
    """A setting made on the wrapped module is made on LiteLLM."""
    wrapped = wrap(litellm, fake_memory())
    before = litellm.drop_params
    try:
        wrapped.drop_params = "for the test"
        assert litellm.drop_params == wrapped.drop_params == "for the test"
    finally:
        litellm.drop_params = before


def test_a_streams_type_is_a_kind_of_the_sdks_own(serve: Any, fake_memory: Any) -> None:
    """The stream stays a ``CustomStreamWrapper``; closed half-read, it is captured so far."""
    memory = fake_memory(captures=True)
    target = Target(wrap(litellm, memory), serve(["one two three"]))
    reply = target.litellm.completion(messages=ASK, stream=True, **target.options)
    assert isinstance(reply, litellm.CustomStreamWrapper)
    texts = [next(reply).choices[0].delta.content for _ in range(2)]
    reply.close()
    assert [turn["reply"]["content"] for turn in memory.turns] == ["".join(texts)]
