"""The vector store: words and meaning together, and what happens when the embedder lets go."""

from __future__ import annotations

import asyncio
import gc
import inspect
import logging
import sqlite3
import threading
import time
import weakref
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

np = pytest.importorskip("numpy", reason="numpy comes with the embeddings and light extras")

from memory_injection import MemoryManager  # noqa: E402
from memory_injection.errors import (  # noqa: E402
    ConfigurationError,
    InputError,
    MissingDependencyError,
    StoreError,
)
from memory_injection.protocols import MemoryStore  # noqa: E402
from memory_injection.records import MemoryEntry, Scope  # noqa: E402
from memory_injection.stores import SQLiteStore, VectorStore, matrices, vector_index  # noqa: E402

ANN, BOB = Scope(user="ann"), Scope(user="bob")
CONCEPTS = (
    ("cat", "kitten", "pamuk", "feline"),
    ("car", "automobile", "vehicle", "drive"),
    ("invoice", "bill", "paid", "unpaid", "outstanding"),
    ("rome", "trip", "flying", "plane"),
    ("meeting", "friday", "rescheduled", "moved"),
)


def concept_vectors(texts: Sequence[str]) -> list[list[float]]:
    """One axis per concept: synonyms share a direction, everything leans a little on the last."""
    rows = []
    for text in texts:
        low = text.lower()
        rows.append([float(sum(word in low for word in words)) for words in CONCEPTS] + [0.1])
    return rows


class Model:
    """An embedder whose name, failures and pace can be set."""

    def __init__(self, name: str = "concepts") -> None:
        self.name = name
        self.dimension: int | None = None
        self.calls: list[list[str]] = []
        self.trouble: Exception | None = None
        self.answer: Any = None
        self.gate = threading.Event()
        self.gate.set()

    def embed(self, texts: Sequence[str], kind: str = "document") -> Any:
        self.calls.append(list(texts))
        self.gate.wait(5)
        if self.trouble is not None:
            raise self.trouble
        return concept_vectors(texts) if self.answer is None else self.answer


class LaterModel(Model):
    """The same, async."""

    async def embed(self, texts: Sequence[str], kind: str = "document") -> Any:
        await asyncio.sleep(0)
        return super().embed(texts, kind)


@pytest.fixture
def model() -> Iterator[Model]:
    made = Model()
    yield made
    made.gate.set()


@pytest.fixture
def store(model: Model) -> Iterator[VectorStore]:
    with VectorStore(embedder=model) as made:
        yield made


def contents(found: Any) -> list[str]:
    return [entry.content for entry in found]


def test_it_is_a_memory_store(store: VectorStore) -> None:
    """The protocol, the defaults, and scores on the shared scale."""
    assert isinstance(store, MemoryStore)
    assert (store.name, store.writable, store.score_scale) == ("vectors", True, "unit")


def test_it_finds_what_shares_no_word_with_the_question(store: VectorStore) -> None:
    """Meaning finds what words miss."""
    store.add_many(["Pamuk sleeps all day", "The tyres were changed", "Soup for lunch"])
    assert contents(store.search("Where is my kitten?"))[0] == "Pamuk sleeps all day"


def test_it_finds_a_name_that_the_vectors_do_not_know(store: VectorStore) -> None:
    """Words find what meaning misses."""
    store.add_many(["Zeynep prefers tea", "The tyres were changed", "Soup for lunch"])
    assert contents(store.search("What does Zeynep prefer?"))[0] == "Zeynep prefers tea"


def test_vectors_alone_ignore_the_words() -> None:
    """``hybrid=False`` ranks by meaning only."""
    with VectorStore(embedder=Model(), hybrid=False) as store:
        store.add_many(["The word kitten in an automobile advert: vehicle, drive", "Pamuk naps"])
        assert contents(store.search("feline"))[0] == "Pamuk naps"


def test_nobody_sees_another_owners_entries(store: VectorStore) -> None:
    """The filter is inside the search; what is written for nobody is everybody's."""
    store.add("Ann's cat is Pamuk", scope=ANN)
    store.add("Bob's cat is Duman", scope=BOB)
    store.add("The office cat is Tekir")
    found = contents(store.search("cat", {"scope": ANN}))
    assert sorted(found) == ["Ann's cat is Pamuk", "The office cat is Tekir"]
    assert contents(store.search("cat")) == ["The office cat is Tekir"]


def test_scores_fall_and_lie_between_0_and_1(store: VectorStore) -> None:
    """One scale for all stores of the library; the floor is on it."""
    store.add_many([f"cat number {n}" for n in range(5)] + ["an unpaid invoice", "a trip to Rome"])
    scores = [entry.score for entry in store.search("Which cat?")]
    assert scores == sorted(scores, reverse=True)
    assert all(0.0 < score < 1.0 for score in scores)
    assert scores[0] > store.relevance_floor


def test_an_off_topic_question_stays_below_the_floor(store: VectorStore) -> None:
    """Nothing found by words or meaning scores as noise."""
    store.add_many(["Pamuk is a cat", "The bill is unpaid", "A trip to Rome by plane"])
    found = store.search("How do I centre a div?")
    assert all(entry.score < store.relevance_floor for entry in found)


def test_a_turn_is_found_through_the_turns_around_it(store: VectorStore) -> None:
    """The answer that shares nothing with the question comes right behind its neighbour."""
    talk = ["Did you name the kitten?", "Yes! We called her Snow.", "Lovely", "Bye"]
    for turn, text in enumerate(talk):
        store.add(text, {"speaker": "ab"[turn % 2], "session": "1", "turn": turn})
    store.add_many([f"Filler sentence number {n}" for n in range(20)])
    assert contents(store.search("What is the kitten called?"))[:2] in (
        talk[:2],
        talk[1::-1],
    )


def test_the_speaker_asked_about_comes_first(store: VectorStore) -> None:
    """The name is matched against who speaks, and reaches the model as a pronoun."""
    store.add("I drive an old automobile", {"speaker": "Melanie", "session": "1", "turn": 0})
    store.add("I drive a new vehicle", {"speaker": "Caroline", "session": "1", "turn": 1})
    store.add_many([f"Filler sentence number {n}" for n in range(20)])
    found = contents(store.search("What car does Caroline drive?"))
    assert found[0] == "I drive a new vehicle"
    asked = store._vectorizer.embedder.calls[-1]  # type: ignore[attr-defined]
    assert asked == ["What car does I drive?"]


def test_the_turns_before_a_short_ask_weigh_less(store: VectorStore) -> None:
    """``context`` steers a question that says nothing by itself."""
    store.add_many(["Pamuk naps", "The tyres of the vehicle", "Soup for lunch"])
    found = store.search("And where is it?", {"context": "Let us talk about the automobile"})
    assert contents(found)[0] == "The tyres of the vehicle"


# Trouble with the embedder


def test_a_failing_embedder_leaves_the_words(
    store: VectorStore, model: Model, caplog: pytest.LogCaptureFixture
) -> None:
    """The search answers; the reason is on ``problem`` and once in the log, without any text."""
    store.add_many(["Zeynep prefers tea", "Pamuk naps"])
    model.trouble = RuntimeError("out of memory")
    with caplog.at_level(logging.WARNING):
        for ask in ("Zeynep?", "Zeynep tea?"):
            assert contents(store.search(ask)) == ["Zeynep prefers tea"]
    assert store.problem == "embedder 'concepts' failed: RuntimeError: out of memory"
    assert len(caplog.records) == 1
    assert "Zeynep" not in caplog.text
    model.trouble = None
    assert contents(store.search("kitten"))[0] == "Pamuk naps"
    assert store.problem is None


@pytest.mark.parametrize(
    "answer", [None, "rubbish", [[1.0]], [[1.0, 2.0], [3.0]], [[float("nan")] * 6] * 2, [], 7]
)
def test_rubbish_from_the_embedder_is_named(answer: Any) -> None:
    """Wrong shapes and values never reach the file; the entries are kept."""
    model = Model()
    with VectorStore(embedder=model) as store:
        model.answer = answer if answer is not None else 0
        assert len(store.add_many(["Pamuk naps", "Soup for lunch"])) == 2
        assert store.problem is not None
        assert "concepts" in store.problem
        assert store.waiting() == 2
        assert contents(store.search("Pamuk")) == ["Pamuk naps"]


def test_a_slow_embedder_is_not_waited_for(model: Model) -> None:
    """Past ``embed_timeout`` the words answer."""
    with VectorStore(embedder=model, embed_timeout=0.05) as store:
        store.add_many(["Zeynep prefers tea", "Pamuk naps"])
        model.gate.clear()
        assert contents(store.search("Zeynep")) == ["Zeynep prefers tea"]
        assert store.problem == "embedder 'concepts' did not answer within 0.05 s"


def test_a_hanging_embedder_does_not_pile_up_threads(model: Model) -> None:
    """However many questions run into the deadline, a few threads hang, no more."""
    with VectorStore(embedder=model, embed_timeout=0.01) as store:
        store.add("Zeynep prefers tea")
        model.gate.clear()
        before = threading.active_count()
        for number in range(20):
            store.search(f"Zeynep {number}")
        assert threading.active_count() <= before + 4


def test_entries_written_while_the_embedder_was_away_are_embedded_later(model: Model) -> None:
    """The next write, or ``reembed``, catches up."""
    with VectorStore(embedder=model) as store:
        model.trouble = OSError("no connection")
        store.add("Pamuk naps")
        assert store.waiting() == 1
        with pytest.raises(StoreError, match="no connection"):
            store.reembed()
        model.trouble = None
        store.add("Soup for lunch")
        assert store.waiting() == 0
        assert contents(store.search("kitten"))[0] == "Pamuk naps"


# The model is recorded


def test_vectors_survive_a_restart_and_are_not_computed_twice(tmp_path: Path) -> None:
    """Opening the file again embeds the question only; importing twice embeds nothing."""
    path = tmp_path / "memory.db"
    with VectorStore(path, embedder=Model()) as store:
        store.add("Pamuk naps", id="1")
    again = Model()
    with VectorStore(path, embedder=again) as store:
        assert contents(store.search("kitten")) == ["Pamuk naps"]
        store.add("Pamuk naps", id="1")
    assert again.calls == [["kitten"]]


def test_another_model_is_noticed_and_never_mixed(tmp_path: Path) -> None:
    """With a new model the old vectors are out of use until they are made anew, step by step."""
    path = tmp_path / "memory.db"
    with VectorStore(path, embedder=Model("old")) as store:
        store.add_many([f"Pamuk naps, {n}" for n in range(300)])
    new = Model("new")
    with VectorStore(path, embedder=new) as store:
        assert store.waiting() == 300
        assert contents(store.search("kitten")) == []
        assert contents(store.search("Pamuk"))[0].startswith("Pamuk")
        new_steps: list[tuple[int, int]] = []

        def break_off(done: int, total: int) -> None:
            new_steps.append((done, total))
            if len(new_steps) == 1:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            store.reembed(break_off)
        assert store.waiting() == 44
        assert store.reembed(lambda done, total: new_steps.append((done, total))) == 44
        assert new_steps == [(256, 300), (44, 44)]
        assert len(store.search("kitten")) == 10


def test_another_dimension_is_another_model(tmp_path: Path) -> None:
    """The same name with longer vectors is not compared with the shorter ones."""
    path = tmp_path / "memory.db"
    with VectorStore(path, embedder=Model()) as store:
        store.add("Pamuk naps")

    class Longer(Model):
        def embed(self, texts: Sequence[str], kind: str = "document") -> Any:
            return [[*row, 0.0] for row in super().embed(texts, kind)]

    with VectorStore(path, embedder=Longer()) as store:
        assert contents(store.search("Pamuk")) == ["Pamuk naps"]
        store.reembed()


def test_a_plain_sqlite_store_reads_the_same_file(tmp_path: Path) -> None:
    """The vectors stand beside the text; what another store deletes takes its vector along."""
    path = tmp_path / "memory.db"
    with VectorStore(path, embedder=Model()) as store:
        store.add("Pamuk naps", id="1", scope=ANN)
        store.add("Soup for lunch", id="2", scope=ANN)
    with SQLiteStore(path) as plain:
        plain.add("Written without vectors", scope=ANN)
        assert plain.forget("1", scope=ANN)
    with sqlite3.connect(path) as conn:
        assert conn.execute("SELECT count(*) FROM memory_vectors").fetchone() == (1,)
    conn.close()
    with VectorStore(path, embedder=Model()) as store:
        assert store.waiting() == 1
        assert len(store.search("kitten", {"scope": ANN})) == 2


def test_a_file_made_by_a_plain_store_is_taken_over(tmp_path: Path) -> None:
    """Opening it makes the tables; ``reembed`` fills them."""
    path = tmp_path / "memory.db"
    with SQLiteStore(path) as plain:
        plain.add_many(["Pamuk naps", "Soup for lunch"])
    with VectorStore(path, embedder=Model()) as store:
        assert store.reembed() == 2
        assert contents(store.search("kitten"))[0] == "Pamuk naps"
    with VectorStore(path, embedder=Model(), writable=False) as store:
        assert contents(store.search("kitten"))[0] == "Pamuk naps"


def test_a_read_only_file_without_vectors_is_searched_by_words(tmp_path: Path) -> None:
    """Nothing is written to a file opened read-only."""
    path = tmp_path / "memory.db"
    with SQLiteStore(path) as plain:
        plain.add("Pamuk naps")
    with VectorStore(path, embedder=Model(), writable=False) as store:
        assert contents(store.search("Pamuk")) == ["Pamuk naps"]


def test_two_stores_on_one_file_see_each_others_entries(tmp_path: Path) -> None:
    """What one writes or deletes, the other's next search knows."""
    path = tmp_path / "memory.db"
    with VectorStore(path, embedder=Model()) as one, VectorStore(path, embedder=Model()) as two:
        one.add("Pamuk naps", id="1")
        assert contents(two.search("kitten")) == ["Pamuk naps"]
        one.add("The feline eats", id="2")
        assert sorted(contents(two.search("kitten"))) == ["Pamuk naps", "The feline eats"]
        two.forget("1")
        assert contents(one.search("kitten")) == ["The feline eats"]
        one.add("The feline sleeps", id="2")
        assert contents(two.search("kitten")) == ["The feline sleeps"]


def test_erasing_a_user_leaves_no_vector(tmp_path: Path) -> None:
    """A vector tells about its text: it goes with it."""
    path = tmp_path / "memory.db"
    with VectorStore(path, embedder=Model()) as store:
        store.add("Pamuk naps", scope=ANN)
        store.add("Soup for lunch", scope=BOB)
        assert store.erase(ANN) == 1
        assert contents(store.search("kitten", {"scope": ANN})) == []
    conn = sqlite3.connect(path)
    assert conn.execute("SELECT count(*) FROM memory_vectors").fetchone() == (1,)
    conn.close()


def test_messages_and_imported_lines_are_embedded_too(store: VectorStore) -> None:
    """Every way in: turns of a conversation, JSON lines."""
    store.add_messages([{"role": "user", "content": "Pamuk naps"}])
    report = store.import_lines(['{"id": "1", "content": "The vehicle is red"}', "broken"])
    assert (report.added, len(report.broken)) == (1, 1)  # type: ignore[union-attr]
    assert store.waiting() == 0
    assert contents(store.search("automobile"))[0] == "The vehicle is red"


def test_several_owners_are_searched_as_one(store: VectorStore) -> None:
    """A user's own entries and everybody's stand in one ranking, neighbours included."""
    store.add("Pamuk naps", {"speaker": "a", "session": "1", "turn": 0}, scope=ANN)
    store.add("On the sofa", {"speaker": "b", "session": "1", "turn": 1}, scope=ANN)
    store.add_many([f"Filler sentence number {n}" for n in range(20)])
    store.add("The feline of the house eats")
    found = contents(store.search("kitten", {"scope": ANN, "max_search_results": 3}))
    assert set(found) == {"Pamuk naps", "On the sofa", "The feline of the house eats"}


# Async embedders


async def test_an_async_embedder_makes_the_calls_awaitable() -> None:
    """Same results, awaited."""
    with VectorStore(embedder=LaterModel()) as store:
        added = store.add("Pamuk naps", id="1")
        assert inspect.isawaitable(added)
        assert await added == "1"
        assert await store.add_many(["Soup for lunch"])  # type: ignore[misc]
        found = await store.search("kitten")  # type: ignore[misc]
        assert contents(found)[0] == "Pamuk naps"


async def test_an_async_embedder_that_fails_leaves_the_words() -> None:
    """The fallback is the same as for a sync one."""
    model = LaterModel()
    with VectorStore(embedder=model) as store:
        await store.add("Pamuk naps")  # type: ignore[misc]
        model.trouble = OSError("gone")
        assert contents(await store.search("Pamuk")) == ["Pamuk naps"]  # type: ignore[misc]
        assert store.problem == "embedder 'concepts' failed: OSError: gone"


async def test_an_async_embedder_that_hangs_is_not_waited_for() -> None:
    """The deadline holds for awaitables too."""
    model = LaterModel()
    with VectorStore(embedder=model, embed_timeout=0.05) as store:
        await store.add("Pamuk naps")  # type: ignore[misc]

        async def never(texts: Sequence[str], kind: str = "document") -> Any:
            await asyncio.Event().wait()

        model.embed = never  # type: ignore[method-assign]
        assert contents(await store.search("Pamuk")) == ["Pamuk naps"]  # type: ignore[misc]
        assert "did not answer within 0.05 s" in (store.problem or "")


# The reranker


def test_a_reranker_has_the_last_word(model: Model) -> None:
    """It sees the question and the best entries."""
    with VectorStore(embedder=model, reranker=lambda query, found: found[::-1]) as store:
        store.add_many(["Pamuk naps", "Soup for lunch"])
        assert contents(store.search("kitten"))[-1] == "Pamuk naps"


def test_a_reranker_that_fails_changes_nothing(model: Model) -> None:
    """Its trouble is visible, the ranking stands."""

    def broken(query: str, found: Sequence[MemoryEntry]) -> Sequence[MemoryEntry]:
        raise ValueError("no model")

    with VectorStore(embedder=model, reranker=broken) as store:
        store.add_many(["Pamuk naps", "Soup for lunch"])
        assert contents(store.search("kitten"))[0] == "Pamuk naps"
        assert store.problem == "the reranker failed: ValueError: no model"


async def test_a_reranker_may_be_async(model: Model) -> None:
    """It is awaited, as an async embedder is."""

    async def backwards(query: str, found: Sequence[MemoryEntry]) -> Sequence[MemoryEntry]:
        return found[::-1]

    with VectorStore(embedder=model, reranker=backwards) as store:
        store.add_many(["Pamuk naps", "Soup for lunch"])
        assert contents(await store.search("kitten"))[-1] == "Pamuk naps"  # type: ignore[misc]


def test_opening_starts_loading_the_model() -> None:
    """``initialize`` does not wait for a slow model; words answer until it is there."""
    loading, loaded = threading.Event(), threading.Event()

    class Slow(Model):
        def load(self) -> None:
            loading.set()
            loaded.wait(5)

    with VectorStore(embedder=Slow()) as store:
        store.initialize()
        assert loading.wait(5)
        assert not loaded.is_set()
        loaded.set()


# Arguments


@pytest.mark.parametrize(
    "wrong",
    [
        {"embedder": "no-such-model"},
        {"embedder": 3},
        {"embed_timeout": 0},
        {"embed_timeout": -1},
        {"embed_timeout": "2"},
        {"embed_timeout": float("nan")},
        {"rerank_timeout": "2"},
        {"reranker": "cross"},
        {"index": "faiss"},
        {"index": "usearch"},
        {"name": " "},
        {"max_search_results": 0},
    ],
)
def test_what_cannot_work_is_refused_at_construction(wrong: dict[str, Any]) -> None:
    """One clear line, before anything is written."""
    with pytest.raises(ConfigurationError) as caught:
        VectorStore(**{"embedder": Model(), **wrong})
    assert "\n" not in str(caught.value)


def test_an_index_that_is_not_installed_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Asked for by name it is an error that says what to install; else the search is exact."""
    monkeypatch.setattr(vector_index.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingDependencyError, match=r"memory-injection\[ann\]"):
        VectorStore(tmp_path / "memory.db", embedder=Model(), index="usearch")
    with VectorStore(tmp_path / "memory.db", embedder=Model()) as store:
        assert isinstance(store._index, vector_index.Exact)


@pytest.mark.parametrize("query", ["", "  ", "\x00", "😀", "a" * 100_000, "\ud800", '"*^ OR AND'])
def test_any_question_is_answered(store: VectorStore, query: str) -> None:
    """No text raises."""
    store.add("Pamuk naps")
    assert isinstance(store.search(query), list)


def test_a_limit_holds(store: VectorStore) -> None:
    """``max_search_results``, whatever the store holds."""
    store.add_many([f"cat number {n}" for n in range(30)])
    assert len(store.search("cat", {"max_search_results": 3})) == 3
    assert len(store.search("cat")) == 10
    assert store.search("cat", {"max_search_results": 0}) == []
    with pytest.raises(InputError):
        store.search("cat", {"max_search_results": "3"})  # type: ignore[typeddict-item]


def test_threads_search_and_write_at_once(store: VectorStore) -> None:
    """Every thread sees its own owner's entries and nobody else's."""
    wrong: list[str] = []

    def work(user: str) -> None:
        scope = Scope(user=user)
        for number in range(10):
            store.add(f"cat {number} of {user}", scope=scope)
            found = contents(store.search("kitten", {"scope": scope, "max_search_results": 50}))
            if len(found) != number + 1 or any(not text.endswith(f"of {user}") for text in found):
                wrong.append(user)

    threads = [threading.Thread(target=work, args=(f"u{n}",)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@settings(deadline=None)  # a busy machine is no failure
@given(st.lists(st.text(min_size=1).filter(str.strip), min_size=1, max_size=8), st.text())
def test_search_returns_entries_it_was_given(texts: list[str], query: str) -> None:
    """Any texts, any question: what comes back was written, once each, best first."""
    with VectorStore(embedder=Model()) as store:
        store.add_many(texts)
        found = store.search(query)
        ids = [entry.id for entry in found]
        assert len(ids) == len(set(ids))
        scores = [entry.score for entry in found]
        assert scores == sorted(scores, reverse=True)


# What was wrong with a search is that search's own


class Picky(Model):
    """Fails for questions about Ann, after waiting for Bob's."""

    def embed(self, texts: Sequence[str], kind: str = "document") -> Any:
        if kind == "query" and any("Ann" in text for text in texts):
            raise OSError("no connection")
        return super().embed(texts, kind)


def test_a_search_says_what_was_wrong_with_it(store: VectorStore, model: Model) -> None:
    """On what it returns, whatever other searches do."""
    store.add("Pamuk naps")
    fine: Any = store.search("kitten")
    assert fine.problem is None
    model.trouble = OSError("gone")
    found: Any = store.search("Pamuk")
    assert found.problem == "by words alone: embedder 'concepts' failed: OSError: gone"
    assert contents(found) == ["Pamuk naps"]


def test_without_vectors_of_the_model_a_search_says_so(tmp_path: Path) -> None:
    """After a change of model, until ``reembed``."""
    path = tmp_path / "memory.db"
    with VectorStore(path, embedder=Model("old")) as store:
        store.add("Pamuk naps")
    with VectorStore(path, embedder=Model("new")) as store:
        found: Any = store.search("Pamuk")
        assert found.problem == "by words alone: nothing is embedded by 'new' yet"


@pytest.mark.parametrize("way", ["threads", "tasks"])
def test_each_users_report_tells_of_its_own_search(way: str) -> None:
    """Two users ask at once, again and again; one's embedding fails, and only that one reads so."""
    with VectorStore(embedder=Picky()) as store, MemoryManager([store], injection=True) as memory:
        store.add("Ann's kitten is Pamuk", scope=ANN)
        store.add("Bob's kitten is Duman", scope=BOB)
        scopes = {"Ann": ANN, "Bob": BOB}
        told: list[tuple[str, str | None]] = []

        def note(user: str, result: Any) -> None:
            (line,) = result.report.stores
            told.append((user, line.problem))
            assert line.status == "ok"
            assert result.report.to_dict()["stores"][0]["problem"] == line.problem

        def asks(user: str) -> list[list[dict[str, str]]]:
            text = f"What is {user}'s kitten called, and what is it doing"
            return [[{"role": "user", "content": f"{text} today, {n}?"}] for n in range(15)]

        def ask(user: str) -> None:
            for messages in asks(user):
                note(user, memory.inject(messages, scope=scopes[user]))

        async def ask_soon(user: str) -> None:
            for messages in asks(user):
                note(user, await memory.ainject(messages, scope=scopes[user]))

        async def all_at_once() -> None:
            await asyncio.gather(*(ask_soon(user) for user in scopes))

        if way == "tasks":
            asyncio.run(all_at_once())
        else:
            threads = [threading.Thread(target=ask, args=(user,)) for user in scopes]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
    trouble = "by words alone: embedder 'concepts' failed: OSError: no connection"
    assert sorted(set(told), key=str) == [("Ann", trouble), ("Bob", None)]
    assert len(told) == 30


# What is kept in memory


def test_beyond_the_bound_vectors_lie_in_a_mapped_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A scope larger than memory is meant to hold is searched all the same, and exactly."""
    path = tmp_path / "memory.db"
    texts = [f"{CONCEPTS[n % 5][0]} {n}" for n in range(300)]
    with VectorStore(path, embedder=Model(), index="exact") as store:
        store.add_many(texts)
        right = contents(store.search("feline"))
    monkeypatch.setattr(matrices, "_BLOCK", 50)
    monkeypatch.setattr(matrices, "_KEPT", 100 * 6 * 4)
    with VectorStore(path, embedder=Model(), index="exact") as store:
        assert contents(store.search("feline")) == right
        (matrix,) = store._index.matrices._kept.values()  # type: ignore[attr-defined]
        mapped = [isinstance(block, np.memmap) for block in matrix.blocks]
        assert mapped == [False, False, True, True, True, True]
        store.add("one more cat")
        assert "one more cat" in contents(store.search("feline", {"max_search_results": 100}))


def test_what_is_let_go_is_not_held_by_a_connection(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many users are searched, the bound on what is kept in memory holds."""
    with VectorStore(tmp_path / "memory.db", embedder=Model(), index="exact") as store:
        for number in range(30):
            store.add_many([f"cat {n}" for n in range(20)], scope=Scope(user=f"u{number}"))
        monkeypatch.setattr(matrices, "_KEPT", 5_000)
        seen = []
        original = matrices.Matrices._keep

        def keep(self: Any, key: Any, matrix: Any) -> None:
            seen.append(weakref.ref(matrix))
            original(self, key, matrix)

        monkeypatch.setattr(matrices.Matrices, "_keep", keep)
        for number in range(30):
            assert len(contents(store.search("kitten", {"scope": Scope(user=f"u{number}")}))) == 10
        gc.collect()
        assert len(seen) == 30
        assert sum(one() is not None for one in seen) <= 3


def test_back_at_an_earlier_model_a_search_says_that_no_vector_is_left(tmp_path: Path) -> None:
    """Its row is still there, its vectors were replaced."""
    path = tmp_path / "m.db"
    for name in ("a", "b"):
        with VectorStore(path, embedder=Model(name)) as store:
            store.add("Pamuk naps")
            store.reembed()
    with VectorStore(path, embedder=Model("a")) as store:
        found = store.search("Where is Pamuk?")
        assert contents(found) == ["Pamuk naps"]
        assert "nothing is embedded by 'a' now: call reembed()" in str(found.problem)  # type: ignore[union-attr]
        store.reembed()
        assert store.search("Where is Pamuk?").problem is None  # type: ignore[union-attr]


def test_entries_that_wait_to_be_embedded_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with VectorStore(path, embedder=Model()) as store:
        store.add("Pamuk naps")
    with SQLiteStore(path) as plain:
        plain.add("Pamuk the cat was fed")
    with VectorStore(path, embedder=Model()) as store:
        problem = store.search("Where is Pamuk?").problem  # type: ignore[union-attr]
        assert problem == "1 of 2 entries by words alone: they wait to be embedded"


def test_the_report_names_why_nothing_is_embedded(model: Model) -> None:
    """The embedder's own trouble, which the import met."""
    model.trouble = AttributeError("'list' object has no attribute 'lower'")
    with VectorStore(embedder=model) as store:
        store.add("Pamuk naps")
        assert "no attribute 'lower'" in str(store.search("Pamuk").problem)  # type: ignore[union-attr]


class Leaving(BaseException):
    """What a library may raise that is no Exception."""


@pytest.mark.parametrize("trouble", [SystemExit(3), Leaving("bye")])
def test_an_embedder_that_wants_to_leave_the_process_does_not(
    model: Model, trouble: BaseException
) -> None:
    with VectorStore(embedder=model) as store:
        store.add("Pamuk naps")
        model.trouble = trouble  # type: ignore[assignment]
        found = store.search("Where is Pamuk?")
        assert contents(found) == ["Pamuk naps"]
        assert type(trouble).__name__ in str(found.problem)  # type: ignore[union-attr]
        model.trouble = SystemExit(3)  # type: ignore[assignment]
        store.add("Soup for lunch")
        assert store.waiting() == 1


def test_vectors_of_another_length_are_named_with_both() -> None:
    model = Model()
    with VectorStore(embedder=model) as store:
        store.add("Pamuk naps")
        model.answer = [[1.0, 2.0]]
        assert "vectors of 2 numbers, those kept have" in str(store.search("Pamuk").problem)  # type: ignore[union-attr]


def test_a_model_that_hangs_on_one_text_holds_up_nobody_elses_write(model: Model) -> None:
    """What another call is embedding is left to it."""
    with VectorStore(embedder=model) as store:
        store.add("Pamuk naps")
        model.gate.clear()
        hanging = threading.Thread(target=store.add, args=("HANG",))
        hanging.start()
        while len(model.calls) < 4:  # the text, and before it a text and the two of the scale
            hanging.join(0.01)
        held, model.gate = model.gate, threading.Event()
        model.gate.set()
        store.add("Soup for lunch")
        assert model.calls[-1] == ["Soup for lunch"]
        assert store.waiting() == 1
        held.set()
        hanging.join(10)
        assert store.waiting() == 0


def test_nothing_but_zeros_is_no_embedding(model: Model) -> None:
    """They would be near to nothing for ever; so they wait, and the store says why."""
    model.answer = [[0.0, 0.0]]
    with VectorStore(embedder=model) as store:
        store.add("Pamuk naps")
        assert store.waiting() == 1
        assert store.problem == "embedder 'concepts' returned nothing but zeros"


def test_questions_that_nobody_waits_for_are_not_embedded(tmp_path: Path) -> None:
    """An embedder that was stuck is not kept busy with the past when it works again."""
    release, asked = threading.Event(), list[str]()

    class Stuck:
        name = "stuck"
        dimension = 2

        def embed(self, texts: Sequence[str], kind: str = "document") -> Any:
            if kind == "query" and texts[0].startswith("question"):
                asked.append(texts[0])
                release.wait(20)
            return [[1.0, len(text) / 99] for text in texts]

    with VectorStore(tmp_path / "v.db", embedder=Stuck(), embed_timeout=0.02) as store:
        store.add("zebra")
        for number in range(30):
            assert "did not answer" in (store.search(f"question {number}").problem or "")
        release.set()
        deadline = time.monotonic() + 10
        while store.search("question 99").problem and time.monotonic() < deadline:
            pass
        assert len(asked) <= 6


def test_the_size_of_what_is_kept_is_known_without_adding_it_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Kept, replaced, grown and let go: the sum is right, and the bound holds."""
    monkeypatch.setattr(matrices, "_KEPT", 20_000)
    with VectorStore(embedder=Model()) as store:
        for turn in range(3):
            for user in range(30):
                store.add(f"cat {turn} of {user}", scope=Scope(user=f"u{user}"))
                store.search("cat", {"scope": Scope(user=f"u{user}")})
                store.search("cat", {"scope": Scope(user=f"u{user}", session="s")})
                kept = store._index.matrices  # type: ignore[attr-defined]
                total = sum(one.size for one in kept._kept.values())
                assert kept._size == total
                assert total <= 20_000 or len(kept._kept) == 1
        assert len(kept._kept) > 1
