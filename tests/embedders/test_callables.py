"""A user's function as an embedder: sync or async, one text or many."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from memory_injection.embedders import CallableEmbedder, load_embedder
from memory_injection.errors import ConfigurationError


def lengths(texts: list[str]) -> list[list[float]]:
    return [[float(len(text)), 1.0] for text in texts]


async def lengths_later(texts: list[str]) -> list[list[float]]:
    return lengths(texts)


def test_a_function_over_a_list_gives_one_vector_per_text() -> None:
    """The plain case; the dimension is learned from the first answer."""
    embedder = CallableEmbedder(lengths)
    assert embedder.embed(["a", "bcd"]) == [[1.0, 1.0], [3.0, 1.0]]
    assert embedder.dimension == 2


async def test_an_async_function_gives_an_awaitable() -> None:
    """Nothing runs until it is awaited; batches are awaited in order."""
    found = CallableEmbedder(lengths_later, batch_size=2).embed(["a", "bb", "ccc"])
    assert inspect.isawaitable(found)
    assert await found == [[1.0, 1.0], [2.0, 1.0], [3.0, 1.0]]


def test_a_function_over_one_text_is_called_per_text() -> None:
    """``batched=False``: one text in, one vector out."""
    embedder = CallableEmbedder(lambda text: [float(len(text))], batched=False, name="n")
    assert embedder.embed(["a", "bb"]) == [[1.0], [2.0]]


async def test_an_async_function_over_one_text() -> None:
    """Sync and async run the same cases."""

    async def one(text: str) -> list[float]:
        return [float(len(text))]

    found = CallableEmbedder(one, batched=False).embed(["a", "bb"])
    assert inspect.isawaitable(found)
    assert await found == [[1.0], [2.0]]


def test_no_call_holds_more_than_the_batch_size() -> None:
    """Texts go out in parts of at most ``batch_size``."""
    sizes: list[int] = []

    def record(texts: list[str]) -> list[list[float]]:
        sizes.append(len(texts))
        return lengths(texts)

    assert len(CallableEmbedder(record, batch_size=2).embed(list("abcde"))) == 5  # type: ignore[arg-type]
    assert sizes == [2, 2, 1]


def test_the_kind_is_told_to_functions_that_ask_for_it() -> None:
    """A parameter named ``kind`` receives "query" or "document"."""
    seen: list[str] = []

    def record(texts: list[str], kind: str) -> list[list[float]]:
        seen.append(kind)
        return lengths(texts)

    CallableEmbedder(record).embed(["a"], "query")
    assert seen == ["query"]


def test_no_texts_need_no_vector() -> None:
    """An empty list stays empty."""
    assert CallableEmbedder(lengths).embed([]) == []


@pytest.mark.parametrize(
    "wrong",
    [
        {"function": 3},
        {"function": lengths, "batch_size": 0},
        {"function": lengths, "batch_size": "8"},
    ],
)
def test_what_cannot_work_is_refused_at_construction(wrong: dict[str, object]) -> None:
    """Not callable, or a batch of nothing."""
    with pytest.raises(ConfigurationError):
        CallableEmbedder(**wrong)  # type: ignore[arg-type]


def test_names_functions_and_objects_are_read_as_embedders() -> None:
    """``load_embedder`` takes what a user has at hand."""
    assert load_embedder("openai:text-embedding-3-small").name == "text-embedding-3-small"
    assert load_embedder(lengths).name.endswith("lengths")
    own = CallableEmbedder(lengths, name="own")
    assert load_embedder(own) is own


@pytest.mark.parametrize("wrong", ["", "  ", "no-such-model-anywhere", 3, None])
def test_anything_else_is_refused_in_one_line(wrong: object) -> None:
    """The message says what would do."""
    with pytest.raises(ConfigurationError) as caught:
        load_embedder(wrong)
    assert "\n" not in str(caught.value)


def test_an_embedder_without_a_name_is_refused() -> None:
    """Vectors are recorded with the model's name; without one, models could be mixed."""

    class Nameless:
        def embed(self, texts: list[str], kind: str = "document") -> list[list[float]]:
            return lengths(texts)

    with pytest.raises(ConfigurationError, match="name"):
        load_embedder(Nameless())


def one(text: str) -> list[float]:
    return [float(len(text.lower())), 1.0]


async def one_later(text: str) -> list[float]:
    return one(text)


def one_by_length(text):  # type: ignore[no-untyped-def]  # a list has a length, too
    return [float(len(text)), 1.0]


async def one_by_length_later(text):  # type: ignore[no-untyped-def]
    return one_by_length(text)


UNTYPED = lambda text: one(text)  # noqa: E731


@pytest.mark.parametrize("function", [one, UNTYPED, one_by_length])
def test_a_function_over_one_text_is_known_by_its_annotation_or_its_first_answer(
    function: Any,
) -> None:
    embedder = CallableEmbedder(function)
    for texts in ([], ["a", "bb", "ccc"], ["a"]):
        assert embedder.embed(texts) == [[float(len(text)), 1.0] for text in texts]
    assert embedder.dimension == 2


@pytest.mark.parametrize("function", [one_later, lambda text: one_later(text), one_by_length_later])
async def test_an_async_function_over_one_text_is_known_too(function: Any) -> None:
    embedder = CallableEmbedder(function)
    for texts in ([], ["a", "bb", "ccc"], ["a"]):
        found = embedder.embed(texts)
        found = await found if inspect.isawaitable(found) else found
        assert found == [[float(len(text)), 1.0] for text in texts]


def test_once_a_list_was_understood_it_stays_with_lists() -> None:
    """A trouble of later is no reason to try texts alone."""
    calls: list[Any] = []

    def picky(texts: Any) -> list[list[float]]:
        calls.append(texts)
        if len(calls) > 1:
            raise ValueError("too many")
        return lengths(texts)

    embedder = CallableEmbedder(picky)
    embedder.embed(["a"])
    with pytest.raises(ValueError, match="too many"):
        embedder.embed(["b"])
    assert calls == [["a"], ["b"]]


async def test_a_function_that_fails_both_ways_raises_what_the_list_met() -> None:
    def broken(texts: Any) -> list[list[float]]:
        raise ValueError("list" if isinstance(texts, list) else "text")

    async def broken_later(texts: Any) -> list[list[float]]:
        return broken(texts)

    with pytest.raises(ValueError, match="list"):
        CallableEmbedder(broken).embed(["a"])
    with pytest.raises(ValueError, match="list"):
        await CallableEmbedder(broken_later).embed(["a"])  # type: ignore[misc]
