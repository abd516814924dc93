from __future__ import annotations

import inspect
import logging
from types import SimpleNamespace
from typing import Any

import pytest

from memory_injection.errors import ConfigurationError
from memory_injection.protocols import MemoryStore
from memory_injection.records import Scope
from memory_injection.stores.provider import ProviderStore


class Provider:
    """Answers with *found* and keeps what it is asked and told."""

    def __init__(self, found: Any = None) -> None:
        self.found = found
        self.asked: list[Any] = []
        self.told: list[Any] = []

    def get_context(self, text: str, *, token_budget: int | None = None) -> Any:
        self.asked.append((text, token_budget))
        return self.found

    def observe(self, role: str, text: str) -> None:
        self.told.append((role, text))


class AsyncProvider(Provider):
    async def get_context(self, text: str, **options: Any) -> Any:
        self.asked.append((text, options["token_budget"]))
        self.scope = options["scope"]
        return self.found

    async def observe(self, role: str, text: str, *, scope: Scope | None = None) -> None:
        self.told.append((role, text))
        self.scope = scope


KINDS = [Provider, AsyncProvider]


async def value_of(result: Any) -> Any:
    return await result if inspect.isawaitable(result) else result


def spoken(*pairs: tuple[str, str]) -> list[dict[str, Any]]:
    return [{"role": role, "content": [{"text": text}]} for role, text in pairs]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "found",
    [SimpleNamespace(context_text="Lives in İzmir."), {"context_text": "Lives in İzmir."},
     "Lives in İzmir."],
)  # fmt: skip
async def test_the_context_is_one_entry_without_a_score(kind: Any, found: Any) -> None:
    """An object, a mapping or a plain text, sync or async: one entry, asked with a budget."""
    provider = kind(found)
    (entry,) = await value_of(ProviderStore(provider, token_budget=50).search("where?"))
    assert (entry.content, entry.score) == ("Lives in İzmir.", None)
    assert provider.asked == [("where?", 50)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "rubbish",
    [None, "", "  \n", 0, 3.5, b"x", [], ["Lives"], {}, {"context_text": None},
     {"context_text": 7}, SimpleNamespace(context_text=["a"]), object(), {"contextText": []}],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
async def test_rubbish_is_nothing_found(kind: Any, rubbish: Any) -> None:
    """Whatever else a provider returns is an empty result, never an error."""
    assert await value_of(ProviderStore(kind(rubbish)).search("where?")) == []


@pytest.mark.parametrize("kind", KINDS)
async def test_a_turn_is_told_as_question_and_final_answer(kind: Any) -> None:
    """The user's texts are one observation; of several answers the last one counts."""
    provider = kind()
    messages = spoken(
        ("user", "Look it up,"), ("user", "please."), ("assistant", "One moment."),
        ("assistant", "In İzmir."), ("user", "Thanks!"), ("assistant", "Welcome."),
    )  # fmt: skip
    assert await value_of(ProviderStore(provider).add_messages(messages)) is None
    assert provider.told == [
        ("user", "Look it up,\nplease."),
        ("assistant", "In İzmir."),
        ("user", "Thanks!"),
        ("assistant", "Welcome."),
    ]


async def test_turns_are_told_apart_by_their_keys() -> None:
    """Two user messages of different turns (an answer is missing) are two observations."""
    provider = Provider()
    context = SimpleNamespace(turn_keys=["a", "b"], scope=Scope(user="u"))
    ProviderStore(provider).add_messages(spoken(("user", "one"), ("user", "two")), context)
    assert provider.told == [("user", "one"), ("user", "two")]


async def test_a_hook_that_takes_a_scope_gets_it() -> None:
    """``scope`` is passed on to hooks that take it, and to no other."""
    provider = AsyncProvider()
    store = ProviderStore(provider)
    await value_of(store.search("q", {"scope": Scope(user="u")}))
    assert provider.scope == Scope(user="u")
    context = SimpleNamespace(scope=Scope(user="v"))
    await value_of(store.add_messages(spoken(("user", "hello")), context))
    assert provider.scope == Scope(user="v")


@pytest.mark.parametrize("asynchronous", [False, True])
async def test_what_observe_raises_is_swallowed_and_logged(
    asynchronous: bool, caplog: pytest.LogCaptureFixture
) -> None:
    """A failing hook neither stops the next one nor puts text into the log."""
    told: list[str] = []

    def observe(role: str, text: str) -> None:
        told.append(role)
        raise RuntimeError(f"lost {text}")

    async def later(role: str, text: str) -> None:
        observe(role, text)

    store = ProviderStore(SimpleNamespace(observe=later if asynchronous else observe))
    with caplog.at_level(logging.WARNING):
        await value_of(store.add_messages(spoken(("user", "secret"), ("assistant", "hush"))))
    assert told == ["user", "assistant"]
    assert "RuntimeError" in caplog.text
    assert "secret" not in caplog.text


def test_a_missing_hook_is_a_missing_ability() -> None:
    """Without observe the store is read-only; without get_context it finds nothing."""
    read_only = ProviderStore(SimpleNamespace(get_context=lambda text: "x"))
    assert (read_only.writable, read_only.extraction) == (False, False)
    assert read_only.add_messages(spoken(("user", "a"))) is None
    write_only = ProviderStore(SimpleNamespace(observe=lambda role, text: None))
    assert write_only.writable
    assert write_only.search("q") == []


def test_an_object_with_neither_hook_is_refused() -> None:
    """A programming mistake, found when the store is built."""
    with pytest.raises(ConfigurationError, match="get_context or observe"):
        ProviderStore(SimpleNamespace(get_context="not callable"))


def test_it_is_a_memory_store() -> None:
    """The Protocol's required parts are there."""
    assert isinstance(ProviderStore(Provider()), MemoryStore)
