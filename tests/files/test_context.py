"""``get_context`` and ``observe``: the hook pair of agent frameworks, sync and async alike."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lxml import etree

from memory_injection.counters import BytesCounter
from memory_injection.errors import InputError, StoreClosedError
from memory_injection.files import FileMemoryProvider, RecalledContext, create_memory_provider
from memory_injection.protocols import MemoryStore

Put = Callable[..., Path]
Context = Callable[..., "RecalledContext | None"]


@pytest.fixture(params=["sync", "async"])
def get_context(
    request: pytest.FixtureRequest, provide: Callable[..., FileMemoryProvider]
) -> Context:
    """``get_context`` of one byte-counting provider, called either way."""
    provider = provide(counter=BytesCounter())

    def call(*args: Any, **options: Any) -> RecalledContext | None:
        if request.param == "sync":
            return provider.get_context(*args, **options)
        return asyncio.run(provider.aget_context(*args, **options))

    return call


def test_the_provider_is_a_memory_store(provider: FileMemoryProvider) -> None:
    """It has what a manager looks for."""
    assert isinstance(provider, MemoryStore)
    assert (provider.name, provider.writable, provider.max_search_results) == ("files", True, 5)


def test_a_context_is_one_block_of_what_was_found(get_context: Context, put: Put) -> None:
    """Tags, source and text, as everywhere in the library; None when nothing is found."""
    put("records/a.md", "zebra & lion")
    context = get_context("Where is the zebra?")
    assert context is not None
    assert context.context_text == (
        '<memory>\n<entry source="files">zebra &amp; lion</entry>\n</memory>'
    )
    assert [e.id for e in context.entries] == ["a"]
    assert context.tokens == len(context.context_text)
    assert get_context("sky") is None
    assert get_context("") is None


def test_a_context_never_exceeds_its_budget_and_tries_the_next_entry(
    get_context: Context, put: Put
) -> None:
    """What does not fit is passed over; nothing fitting is None."""
    put("records/long.md", "zebra " * 40)
    put("records/short.md", "zebra and a lion")
    context = get_context("zebra", 80)
    assert context is not None
    assert [e.id for e in context.entries] == ["short"]
    assert context.tokens <= 80
    assert get_context("zebra", token_budget=20) is None
    assert get_context("zebra", 0) is None


@pytest.mark.parametrize("budget", [-1, 1.5, True, "many"])
def test_a_budget_that_is_no_whole_number_is_refused(get_context: Context, budget: Any) -> None:
    """A wrong argument is named."""
    with pytest.raises(InputError, match="token_budget must be"):
        get_context("zebra", budget)


def test_a_context_shows_what_its_scope_may_see(get_context: Context, put: Put) -> None:
    """Another user's files are not in it."""
    put("records/a.md", "---\nscope: {user: u1}\n---\nzebra")
    assert get_context("zebra") is None
    assert get_context("zebra", scope={"user": "u2"}) is None
    assert get_context("zebra", scope={"user": "u1"}) is not None


@given(texts=st.lists(st.text(max_size=60), max_size=6), budget=st.integers(0, 400))
@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40, deadline=None
)
def test_any_files_give_a_block_that_parses_and_fits(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], budget: int
) -> None:
    """No text closes the block; the size holds, counted afresh."""
    root = tmp_path_factory.mktemp("any")
    with create_memory_provider(root, counter=BytesCounter()) as provider:
        for text in texts:
            try:
                provider.add(f"zebra </entry></memory> {text}")
            except InputError:
                continue
        context = provider.get_context("zebra", budget)
    if context is not None:
        assert len(context.context_text.encode("utf-8")) <= budget
        shown = [e.text for e in etree.fromstring(context.context_text.encode("utf-8"))]
        assert len(shown) == len(context.entries)
        assert all("</memory>" in (text or "") for text in shown)


def test_within_a_turn_the_same_ask_gets_the_same_bytes(
    provider: FileMemoryProvider, put: Put
) -> None:
    """Recalled once, reused through the tool loop; the next turn looks again."""
    scope = {"user": "u1", "session": "s1"}
    put("records/a.md", "zebra one")
    provider.on_turn_start(input="zebra?", scope=scope)
    first = provider.get_context("zebra?", scope=scope)
    put("records/b.md", "zebra two")
    assert provider.get_context("zebra?", scope=scope) is first
    assert provider.get_context("zebra?", scope={"user": "u2"}) != first
    provider.on_turn_start(input="zebra?", scope=scope)
    second = provider.get_context("zebra?", scope=scope)
    assert second is not None
    assert len(second.entries) == 2
    put("records/c.md", "zebra three")
    provider.on_turn_end(input="zebra?", output="", scope=scope)
    third = provider.get_context("zebra?", scope=scope)
    assert third is not None
    assert len(third.entries) == 3


async def test_nothing_found_is_remembered_for_the_turn_too(
    provider: FileMemoryProvider, put: Put
) -> None:
    """An empty first look stays empty, so the request keeps its shape."""
    await provider.aon_turn_start(input="zebra?")
    assert await provider.aget_context("zebra?") is None
    put("records/a.md", "zebra")
    assert await provider.aget_context("zebra?") is None
    await provider.aon_turn_end(input="zebra?")
    assert await provider.aget_context("zebra?") is not None


def test_turns_of_many_conversations_are_bounded(
    provider: FileMemoryProvider, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Turns that are started and never ended do not add up."""
    monkeypatch.setattr("memory_injection.files.context._TURNS", 2)
    put("records/a.md", "zebra")
    for n in range(3):
        provider.on_turn_start(input="zebra", scope={"session": f"s{n}"})
    oldest, newest = {"session": "s0"}, {"session": "s2"}
    first = provider.get_context("zebra", scope=newest), provider.get_context("zebra", scope=oldest)
    put("records/b.md", "zebra")
    assert provider.get_context("zebra", scope=newest) is first[0]
    assert provider.get_context("zebra", scope=oldest) != first[1]


def test_the_default_counter_is_the_default_models(provider: FileMemoryProvider, put: Put) -> None:
    """Whatever vocabulary is there, the block is within the UTF-8 bound of the budget."""
    put("records/a.md", "zebra")
    context = provider.get_context("zebra", 500)
    assert context is not None
    assert 0 < context.tokens <= len(context.context_text)


async def test_a_closed_provider_refuses_further_use(provider: FileMemoryProvider) -> None:
    """Closing twice is fine; using it afterwards is not."""
    provider.close()
    await provider.aclose()
    for use in (
        lambda: provider.search("x"),
        lambda: provider.add("x"),
        lambda: provider.get_context("x"),
        lambda: provider.list(),
        lambda: provider.skipped(),
    ):
        with pytest.raises(StoreClosedError, match="closed"):
            use()


async def test_the_async_twins_do_what_their_namesakes_do(root: Path) -> None:
    """Add, get, list, search, update, forget, in an async context manager."""
    async with create_memory_provider(root) as provider:
        ident = await provider.aadd("zebra", {"title": "Animal"}, scope={"user": "u1"})
        scope = {"user": "u1"}
        assert [e.id for e in await provider.asearch("zebra", {"scope": scope})] == [ident]  # type: ignore[typeddict-item]
        assert await provider.aupdate(ident, content="lion", scope=scope)
        entry = await provider.aget(ident, scope=scope)
        assert entry is not None
        assert entry.content == "Animal\nlion"
        assert await provider.alist(scope=scope) == [entry]
        assert await provider.alist() == []
        assert await provider.aforget(ident, scope=scope)
    with create_memory_provider(root) as again:
        assert again.list() == []


@pytest.mark.parametrize("name", ["", " ", 3])
def test_a_blank_name_is_refused_at_construction(root: Path, name: Any) -> None:
    """The name stands in every block."""
    with pytest.raises(ValueError, match="name must be"):
        create_memory_provider(root, name=name)
