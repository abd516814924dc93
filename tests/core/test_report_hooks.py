"""``on_report``: who is told of an injection, and what of the hooks' trouble reaches the call."""

from __future__ import annotations

import asyncio
import contextvars
import threading
import time

import pytest

from memory_injection import ConfigurationError, InjectionReport, MemoryManager
from memory_injection.testing import FakeStore

ASK = [{"role": "user", "content": "what about the garden?"}]
WAYS = ("sync", "async")


def make(on_report, **injection):
    """Return a manager with one store that finds something."""
    return MemoryManager([FakeStore(["a fact"])], injection=injection or True, on_report=on_report)


def inject(memory, way):
    """Inject once, sync or async."""
    if way == "sync":
        return memory.inject(ASK)
    return asyncio.run(memory.ainject(ASK))


def hooks_of(told):
    """Return a hook of every kind that may be given; each notes what it is told."""

    async def soon(report):
        await asyncio.sleep(0)
        told.append(report)

    class Counted:
        async def __call__(self, report):
            told.append(report)

    return {
        "sync": told.append,
        "async": soon,
        "object": Counted(),
        "lazy": lambda report: soon(report),
    }


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", ["sync", "async", "object", "lazy"])
def test_a_hook_is_told_before_the_call_returns(way, kind):
    """It gets the very report that the result holds."""
    told = []
    with make(hooks_of(told)[kind]) as memory:
        result = inject(memory, way)
    assert told == [result.report]
    assert isinstance(told[0], InjectionReport)


@pytest.mark.parametrize("way", WAYS)
def test_every_way_in_is_told_once(way):
    """Bodies, recalls for frameworks and calls that are left alone are injections too."""
    told = []
    with make([told.append]) as memory:
        if way == "sync":
            memory.inject(ASK)
            memory.inject_request({"messages": ASK})
            memory.get_context("the garden?")
            memory.inject(object())
        else:

            async def calls():
                await memory.ainject(ASK)
                await memory.ainject_request({"messages": ASK})
                await memory.aget_context("the garden?")
                await memory.ainject(object())

            asyncio.run(calls())
    inject(memory, way)
    reasons = [(report.status, report.reason) for report in told]
    assert reasons == [
        ("injected", None), ("replayed", "all_duplicates"), ("injected", None),
        ("skipped", "unknown_shape"), ("skipped", "disabled"),
    ]  # fmt: skip


def test_a_wrapped_client_tells():
    """This is what it is for: nobody sees the result of such a call."""
    openai = pytest.importorskip("openai")
    from memory_injection import wrap
    from memory_injection.testing.server import RecordingServer

    told = []
    with (
        RecordingServer(["Green."]) as server,
        make(told.append) as memory,
        openai.OpenAI(base_url=f"{server.url}/v1", api_key="k") as bare,
    ):
        client = wrap(bare, memory, scope={"user": "u1"})
        client.chat.completions.create(model="gpt-4o", messages=ASK)
    assert [(report.status, report.scope) for report in told] == [("injected", {"user": "u1"})]


@pytest.mark.parametrize("way", WAYS)
def test_what_a_hook_raises_is_logged_once_and_reaches_nobody(way, caplog):
    """The other hooks are told all the same; the log has the kind alone."""
    told = []

    def broken(report):
        raise ValueError("secret words")

    with caplog.at_level("WARNING", "memory_injection"), make([broken, told.append]) as memory:
        results = [inject(memory, way) for _ in range(5)]
    assert len(told) == 5
    assert results[0].report.status == "injected"
    assert caplog.text.count("report_hook_failed") == 1
    assert "broken error=ValueError" in caplog.text
    assert "secret" not in caplog.text


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("hook", WAYS)
def test_a_hook_that_hangs_is_left_behind_at_the_deadline(way, hook, caplog):
    """Again and again: then it is left alone for a while."""
    release = threading.Event()

    def hung(report):
        release.wait(20)

    async def hung_soon(report):
        await asyncio.sleep(20)

    took = []
    with make({"sync": hung, "async": hung_soon}[hook], timeout=0.2) as memory:
        for _ in range(5):
            started = time.monotonic()
            inject(memory, way)
            took.append(time.monotonic() - started)
        release.set()
    assert max(took) < 2
    assert took[-1] < 0.19
    assert caplog.text.count("error=TimeoutError") == 1
    assert caplog.text.count("error=circuit open") == 1


def test_ctrl_c_in_a_hook_passes_through():
    """As everywhere: only ``KeyboardInterrupt`` and the caller's own cancellation do."""

    def interrupted(report):
        raise KeyboardInterrupt

    with make(interrupted) as memory, pytest.raises(KeyboardInterrupt):
        memory.inject(ASK)


def test_cancelling_a_call_ends_its_hooks():
    """The caller's cancellation passes through, and no hook of it runs on."""
    ended = []

    async def slow(report):
        try:
            await asyncio.sleep(20)
        except asyncio.CancelledError:
            ended.append(report.status)
            raise

    async def scene(memory):
        task = asyncio.ensure_future(memory.ainject(ASK))
        await asyncio.sleep(0.3)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.sleep(0.05)

    with make(slow, timeout=10.0) as memory:
        asyncio.run(scene(memory))
    assert ended == ["injected"]


@pytest.mark.parametrize("way", WAYS)
def test_a_hook_may_inject(way):
    """What it injects is not told to it again, or that would never end."""
    told = []

    def curious(report):
        told.append(report)
        memory.inject(ASK)

    async def curious_soon(report):
        told.append(report)
        await memory.ainject(ASK)

    with make([curious, curious_soon]) as memory:
        inject(memory, way)
        inject(memory, way)
    assert len(told) == 4


def test_the_callers_context_is_visible_in_a_hook():
    """A request id set around a call is how reports are told apart."""
    request = contextvars.ContextVar("request")
    told = []
    with make(lambda report: told.append(request.get())) as memory:
        request.set("r1")
        memory.inject(ASK)
    assert told == ["r1"]


@pytest.mark.parametrize("wrong", ["print", 42, [print, 42], {"on": print}])
def test_what_cannot_be_called_is_refused(wrong):
    """A programming mistake, found when the manager is made."""
    with pytest.raises(ConfigurationError, match="on_report must be a callable"):
        make(wrong)
