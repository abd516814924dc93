"""Texts that an embedder refuses: set aside and named; a service that is gone is not mistaken."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

np = pytest.importorskip("numpy", reason="numpy comes with the embeddings and light extras")

from memory_injection.embedders import CallableEmbedder  # noqa: E402
from memory_injection.records import Scope  # noqa: E402
from memory_injection.stores import SQLiteStore, VectorStore  # noqa: E402
from memory_injection.stores.vectorizing import EmbeddingFailed  # noqa: E402

NAN = float("nan")


class Refusal(Exception):
    """What a client raises for an answer that is no success."""

    def __init__(self, status: int) -> None:
        super().__init__(f"status {status}")
        self.status_code = status


class Fussy:
    """Refuses texts with BAD in them, in one of several ways, and keeps what it was asked."""

    name = "fussy"
    dimension: int | None = None

    def __init__(self, way: Any = None) -> None:
        self.way = way if way is not None else Refusal(400)
        self.calls: list[list[str]] = []
        self.down: Exception | None = None

    def embed(self, texts: Sequence[str], kind: str = "document") -> Any:
        self.calls.append(list(texts))
        if self.down is not None:
            raise self.down
        bad = ["BAD" in text for text in texts]
        if isinstance(self.way, Exception):
            if any(bad):
                raise self.way
            return [_row(text) for text in texts]
        return [
            self.way if refused else _row(text) for text, refused in zip(texts, bad, strict=True)
        ]


class LaterFussy(Fussy):
    """The same, async."""

    async def embed(self, texts: Sequence[str], kind: str = "document") -> Any:
        await asyncio.sleep(0)
        return super().embed(texts, kind)


def _row(text: str) -> list[float]:
    return [float("cat" in text), float("dog" in text), 0.2]


WAYS = [Refusal(400), Refusal(500), RuntimeError("too long"), [NAN] * 3, [0.0] * 3, None]


@pytest.mark.parametrize("way", [*WAYS[:-1], [float("inf")] * 3], ids=str)
def test_one_refused_entry_does_not_stop_the_others(
    way: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """It is found among them, named with the reason, and the rest is embedded."""
    with VectorStore(embedder=Fussy(way)) as store:
        ids: Any = store.add_many([f"note {n} of a cat" for n in range(40)] + ["BAD text"])
        assert store.waiting() == 0
        (refused,) = store.refused()
        assert (refused.id, refused.scope) == (ids[-1], Scope())
        assert ids[-1] in (store.problem or "")
        assert refused.reason in (store.problem or "")
        assert ids[-1] in caplog.text
        assert "BAD text" not in caplog.text
        store.add("a later note of a dog")
        assert (store.waiting(), store.problem) == (0, None)
        found: Any = store.search("dog")
        assert found[0].content == "a later note of a dog"
        assert found.problem == "1 of 42 entries by words alone: the embedder refused them"
        assert store.search("BAD text")[0].content == "BAD text"  # type: ignore[index]


def test_a_function_that_gives_nothing_for_a_text_refuses_it() -> None:
    """``None`` in place of a vector, for one of many and for one alone."""
    with VectorStore(embedder=lambda texts: [None if "BAD" in t else _row(t) for t in texts]) as s:
        s.add_many(["a cat", "BAD one"])
        s.add("BAD two")
        assert [one.reason for one in s.refused()] == ["returned None"] * 2
        assert s.waiting() == 0


def test_what_is_refused_is_not_asked_for_again_by_a_write(tmp_path: Path) -> None:
    """It stands in the file: not by this store, nor by the next one on it."""
    path = tmp_path / "m.db"
    with VectorStore(path, embedder=Fussy()) as store:
        store.add_many(["a cat", "BAD text"])
    again = Fussy()
    with VectorStore(path, embedder=again) as store:
        store.add("a dog")
        assert again.calls == [["a dog"]]
        assert store.waiting() == 0


def test_reembed_asks_again_and_says_what_is_refused_still() -> None:
    model = Fussy()
    with VectorStore(embedder=model) as store:
        store.add_many(["a cat", "BAD one", "BAD two"])
        assert (store.reembed(), store.waiting(), len(store.refused())) == (0, 0, 2)
        assert "refuses 2 entries" in (store.problem or "")
        seen: list[tuple[int, int]] = []
        model.way = Refusal(0)
        model.embed = lambda texts, kind="document": [  # type: ignore[method-assign]
            [1.0, 0.0, 0.2] for _ in texts
        ]
        assert store.reembed(lambda done, total: seen.append((done, total))) == 2
        assert (seen, store.waiting(), store.refused()) == ([(2, 2)], 0, [])
        assert (store.problem, store.search("cat").problem) == (None, None)  # type: ignore[union-attr]


def test_a_changed_entry_is_tried_again() -> None:
    with VectorStore(embedder=Fussy()) as store:
        store.add_many(["a cat", {"content": "BAD text", "id": "1"}])
        assert [one.id for one in store.refused()] == ["1"]
        store.add("good text", id="1")
        assert (store.refused(), store.waiting()) == ([], 0)


def test_a_forgotten_entry_is_no_longer_refused(tmp_path: Path) -> None:
    """Whoever forgets it."""
    with VectorStore(tmp_path / "m.db", embedder=Fussy()) as store:
        store.add_many(["a cat", {"content": "BAD text", "id": "1"}])
        with SQLiteStore(tmp_path / "m.db") as plain:
            plain.forget("1")
        assert (store.refused(), store.waiting()) == ([], 0)


@pytest.mark.parametrize("length", [3, 4])
def test_another_model_is_asked_for_what_one_refused(tmp_path: Path, length: int) -> None:
    """Another name, or the same name with vectors of another length."""
    path = tmp_path / "m.db"
    with VectorStore(path, embedder=Fussy()) as store:
        store.add_many(["a cat", "BAD text"])

    class Other:
        name = "other" if length == 3 else "fussy"
        dimension = length

        def embed(self, texts: Sequence[str], kind: str = "document") -> Any:
            return [[1.0] * length for _ in texts]

    with VectorStore(path, embedder=Other()) as store:
        store.add("a dog")
        assert (store.waiting(), store.refused()) == (0, [])


def test_many_refused_among_many_are_all_found() -> None:
    """The first three are named, the others counted."""
    texts = [f"BAD {n}" if n % 7 == 0 else f"note {n}" for n in range(300)]
    with VectorStore(embedder=Fussy()) as store:
        store.add_many(texts)
        assert (store.waiting(), len(store.refused())) == (0, 43)


def test_nothing_but_refused_entries_is_told_from_a_service_that_is_gone() -> None:
    """A plain text is taken, so it is the entries; as the first of a file, too."""
    with VectorStore(embedder=Fussy()) as store:
        store.add_many(["BAD one", "BAD two"])
        assert (store.waiting(), len(store.refused())) == (0, 2)
        store.add("a cat")
        assert store.search("cat").problem is not None  # type: ignore[union-attr]


GONE = [
    ConnectionRefusedError("no connection"),
    TimeoutError("late"),
    Refusal(401),
    Refusal(404),
    Refusal(429),
    Refusal(503),
    ImportError("no such package"),
]


@pytest.mark.parametrize("trouble", GONE, ids=str)
def test_a_service_that_is_not_there_is_asked_once(trouble: Exception) -> None:
    """What says so by itself needs no second question; everything waits."""
    model = Fussy()
    with VectorStore(embedder=model) as store:
        model.down = trouble
        store.add_many([f"note {n}" for n in range(300)])
        assert len(model.calls) == 1
        assert (store.waiting(), store.refused()) == (300, [])
        with pytest.raises(EmbeddingFailed, match=type(trouble).__name__):
            store.reembed()
        model.down = None
        store.add("one more")
        assert store.waiting() == 0


@pytest.mark.parametrize("trouble", [Refusal(500), RuntimeError("broken")], ids=str)
def test_a_service_that_fails_for_every_text_is_asked_twice(trouble: Exception) -> None:
    """Once more for a text that it has taken before."""
    model = Fussy()
    with VectorStore(embedder=model) as store:
        store.add("a cat")
        model.down = trouble
        before = len(model.calls)
        store.add_many([f"note {n}" for n in range(300)])
        assert model.calls[before + 1 :] == [["a cat"]]
        assert (store.waiting(), store.refused()) == (300, [])


def test_a_service_that_goes_while_the_halves_are_asked_for_refuses_nothing() -> None:
    """What it did not answer waits; nothing is set aside for its sake."""

    class Leaving(Fussy):
        def embed(self, texts: Sequence[str], kind: str = "document") -> Any:
            self.down = RuntimeError("gone") if len(self.calls) > 5 else None
            return super().embed(texts, kind)

    with VectorStore(embedder=Leaving()) as store:
        store.add_many([f"note {n}" for n in range(50)] + ["BAD"])
        assert (store.waiting(), store.refused()) == (51, [])


async def test_an_async_embedder_refuses_in_the_same_way() -> None:
    with VectorStore(embedder=LaterFussy()) as store:
        await store.add_many(["a cat", "BAD text", "a dog"])  # type: ignore[misc]
        assert (store.waiting(), len(store.refused())) == (0, 1)
        assert await store.reembed() == 0  # type: ignore[misc]


def _silent() -> Exception:
    class Unreadable(Exception):
        def __str__(self) -> str:
            raise ValueError("no text")

    return Unreadable()


@pytest.mark.parametrize("way", [_silent, lambda: Refusal(400)])
def test_an_error_that_cannot_be_read_is_one_as_any_other(way: Callable[[], Exception]) -> None:
    """Its ``__str__`` raises: it must not get out of a write or a search."""
    model = Fussy(way())
    with VectorStore(embedder=model) as store:
        store.add_many(["a cat", "BAD text"])
        assert len(store.refused()) == 1
        model.down = way()
        assert "failed: " in (store.search("a cat").problem or "")  # type: ignore[union-attr]


@pytest.mark.parametrize("row", [[1j, 0j], ["1.0", "2.0"], [b"1", b"2"]])
def test_what_is_no_real_number_is_refused(row: list[Any]) -> None:
    """A cast would take the imaginary part away, or read a text as a number."""
    with VectorStore(
        embedder=CallableEmbedder(lambda texts: [row for _ in texts], batched=True)
    ) as store:
        store.add("a cat")
        assert "number" in (store.problem or "")
        assert store.waiting() == 1


def test_a_status_is_read_wherever_clients_keep_it() -> None:
    """On the error, on its response, on what it was raised from."""
    from memory_injection.stores.failures import is_general

    holder = RuntimeError("x")
    holder.response = Refusal(429)  # type: ignore[attr-defined]
    assert is_general(holder)
    outer = ValueError("y")
    outer.__cause__ = holder
    assert is_general(outer)
    outer.__cause__ = ValueError("z")
    assert not is_general(outer)
