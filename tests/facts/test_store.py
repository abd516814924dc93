"""Contract 7.10: a ``FactStore`` is a ``MemoryStore``; sandboxes; life and death of the store."""

from __future__ import annotations

import asyncio
import threading

import pytest

from memory_injection.errors import ConfigurationError, FactRefused, StoreClosedError
from memory_injection.facts import FactStore
from memory_injection.protocols import MemoryStore
from memory_injection.records import Scope
from memory_injection.testing.stores import StoreConformance

U1 = Scope(user="u1", agent="a")


class TestConformance(StoreConformance):
    """The suite of all stores, but for what the rules of facts refuse: see 7.4."""

    @pytest.fixture
    def make_store(self, tmp_path):
        """A store in a file."""
        return lambda: FactStore(tmp_path / "facts.db")

    @pytest.mark.parametrize("text", ["NUL \x00 inside", "\ud800", "word " * 1000])
    def test_any_text_can_be_kept(self, text, add, search):
        """A text that breaks the rule is refused whole, and the store goes on."""
        with pytest.raises(FactRefused, match="invalid"):
            add(text)
        add("天气很好 kırmızı İPEK zebra")
        assert len(search("zebra")) == 1

    test_a_lone_surrogate_does_no_harm = None
    test_a_very_long_text_can_be_kept = None


@pytest.fixture
def found(store, mode):
    """The contents a scope finds."""

    def found(query, scope=None, **options):
        search = store.search if mode == "sync" else lambda *a: asyncio.run(store.asearch(*a))
        return [e.content for e in search(query, {"scope": scope or Scope(), **options})]

    return found


def test_it_is_a_memory_store(store):
    """It has the shape every manager takes."""
    assert isinstance(store, MemoryStore)
    assert (store.name, store.writable, store.max_search_results) == ("facts", True, 5)


def test_the_scope_decides_what_is_seen(store, found):
    """Shared facts of the agent, the user's own with that agent, and what is for no agent."""
    for agent in ("a", "b"):
        for user in ("u1", "u2", None):
            with store.open(agent=agent, run="r", user=user) as mem:
                path = "" if user is None else "users/{user}/"
                mem.remember(f"tea {agent} {user}", path=path)
    store.add("tea shared by all")
    store.add("tea u1", scope=Scope(user="u1"))
    assert set(found("tea", U1)) == {"tea a u1", "tea a None", "tea shared by all", "tea u1"}
    assert set(found("tea", Scope(agent="a"))) == {"tea a None", "tea shared by all"}
    assert set(found("tea", Scope(user="u1"))) == {"tea shared by all", "tea u1"}
    assert set(found("tea", Scope(user="u3"))) == {"tea shared by all"}
    assert set(found("tea")) == {"tea shared by all"}


def test_every_entry_is_one_the_scope_sees(store):
    """The entries say whom they are for, by the rule all stores share."""
    for user in ("u1", "u2", None):
        store.add("tea", scope=Scope(user=user, agent="a"))
    for scope in (U1, Scope(), Scope(agent="a"), Scope(user="u2", agent="a")):
        entries = store.search("tea", {"scope": scope})
        assert all(scope.sees(entry.scope) for entry in entries)
    assert store.search("tea", {"scope": U1})[0].scope == Scope(agent="a")


def test_entries_carry_the_fact(store):
    """Id, times, score and the rest in the metadata."""
    mem = store.open(agent="a", run="r", user="u1")
    fact = mem.remember("tea", path="users/{user}/", tags=["x"], confidence=0.5)
    (entry,) = store.search("tea", {"scope": U1})
    assert (entry.content, entry.id, entry.store_name) == ("tea", fact.id, "facts")
    assert entry.score > 0
    assert (entry.created_at, entry.updated_at) == (fact.created_at, fact.updated_at)
    assert entry.metadata == {
        "path": "users/u1/", "tags": ["x"], "confidence": 0.5, "version": 1, "run": "r",
        "written_by": "code",
    }  # fmt: skip


def test_add_goes_to_the_scopes_user(store):
    """With a user into the user's folder, without one to the shared facts."""
    own = store.add("tea", {"lang": "en"}, scope=U1)
    assert (own.path, own.source.run_id) == ("users/u1/", None)
    (entry,) = store.search("tea", {"scope": U1})
    assert entry.metadata["lang"] == "en"
    assert store.add("coffee", scope=Scope(agent="a")).path == ""
    with store.open(agent="a", run="x", user="u1") as mem:
        assert {f.text for f in mem.list()} == {"tea", "coffee"}


def test_a_question_is_searched_by_its_content(store, found):
    """Stop words find nothing, in either language, and scores are shares of the question."""
    for text in ("The cat is on the mat", "What she likes is tea", "Bu akşam çay içildi"):
        store.add(text)
    assert found("What is it, and where is the rest?") == []
    assert found("What tea is it that the others like?")[0] == "What she likes is tea"
    assert found("Bu hangi çay?") == ["Bu akşam çay içildi"]
    (entry,) = store.search("cat")
    assert 0.9 < entry.score < 1.5


def test_the_floor_tells_noise_from_an_answer(store):
    """A fact that shares one word of many with a question lies below it, an answer above."""
    for at in range(20):
        store.add(f"note {at} about nothing in particular")
    store.add("Ayşe drinks green tea in the morning")
    floor = store.relevance_floor
    (answer, *_) = store.search("Which tea does Ayşe drink?")
    assert answer.score > floor
    noise = store.search("How particular are penguins about fish, weather, ice and company?")
    assert noise
    assert all(entry.score < floor for entry in noise)


def test_a_session_or_run_restricts_what_is_added(store):
    """Only that session or run sees it, through the store and through ``open`` alike."""
    in_run = store.add("tea of the run", scope=Scope(user="u1", agent="a", run="r"))
    store.add("tea of the session", scope=Scope(user="u1", agent="a", session="s"))
    assert in_run.source.run_id == "r"
    for run, seen in (("r", ["tea of the run"]), ("x", [])):
        with store.open(agent="a", run=run, user="u1") as mem:
            assert [f.text for f in mem.list()] == seen
    scope = Scope(user="u1", agent="a", run="r", session="s")
    entries = store.search("tea", {"scope": scope})
    assert {e.content for e in entries} == {"tea of the run", "tea of the session"}
    assert {(e.scope.run, e.scope.session) for e in entries} == {("r", None), (None, "s")}
    assert store.search("tea", {"scope": U1}) == []
    assert store.erase_user("a", "u1") == 2


def test_add_reads_the_facts_own_metadata(store, mode):
    """Path, tags, confidence and key are the fact's; the rules hold."""
    add = store.add if mode == "sync" else lambda *a, **k: asyncio.run(store.aadd(*a, **k))
    given = {"path": "users/{user}/n", "tags": ["x"], "confidence": 0.5, "key": "k"}
    fact = add("tea", given, scope=U1)
    assert (fact.path, fact.tags, fact.confidence) == ("users/u1/n/", ("x",), 0.5)
    assert add("other", {"key": "k"}, scope=U1) == fact
    with pytest.raises(FactRefused, match="other_user"):
        add("tea", {"path": "users/u2/"}, scope=U1)
    with pytest.raises(FactRefused, match="no_user"):
        add("tea", {"path": "users/{user}/"})
    with pytest.raises(FactRefused, match="invalid"):
        add(" ")
    with pytest.raises(FactRefused, match="invalid"):
        add("tea", {"x": object()})
    with pytest.raises(FactRefused, match="too_large"):
        add("tea", {"x": "y" * 70_000})


def test_a_new_version_keeps_the_metadata(store):
    """What came through the store interface stays beside the fact."""
    fact = store.add("tea", {"lang": "en"}, scope=U1)
    store.open(agent="a", run="r", user="u1").remember("coffee", replaces=fact.id)
    (entry,) = store.search("coffee", {"scope": U1})
    assert entry.metadata["lang"] == "en"


def test_max_search_results(store, found):
    """The option counts, more than 50 is 50, and left out the store's own number holds."""
    for at in range(60):
        store.add(f"tea {at}")
    assert [len(found("tea", max_search_results=n)) for n in (1, 50, 1000)] == [1, 50, 50]
    assert len(found("tea")) == len(found("")) == 5


def test_a_default_agent(path):
    """A store can be told whose memory a scope without an agent means."""
    with FactStore(path, agent="a") as store:
        store.add("tea", scope=Scope(user="u1"))
        assert [e.content for e in store.search("tea", {"scope": Scope(user="u1")})] == ["tea"]
        with store.open(agent="a", run="r", user="u1") as mem:
            assert [f.text for f in mem.list()] == ["tea"]


def test_an_unknown_scope_is_refused(store):
    """A mapping with an id that does not exist is a mistake of the caller."""
    with pytest.raises(ConfigurationError):
        store.search("tea", {"scope": {"tenant": "x"}})


def test_a_sandbox_sees_everything_and_keeps_its_writes(store, mode):
    """Reads see the memory as it was, writes stay in the copy."""
    mem = store.open(agent="a", run="r", user="u1")
    fact = mem.remember("tea", path="users/{user}/", key="k")
    box = store.sandbox() if mode == "sync" else asyncio.run(store.asandbox())
    with box:
        inside = box.open(agent="a", run="r", user="u1")
        assert inside.get(fact.id) == fact
        assert inside.remember("other", key="k") == fact
        inside.remember("coffee", replaces=fact.id)
        inside.remember("more")
        box.erase_user("a", "u1")
        assert [f.text for f in inside.list()] == ["more"]
        mem.remember("later")
        assert inside.search("later") == []
    assert [f.text for f in mem.list()] == ["later", "tea"]


def test_a_sandbox_keeps_the_settings(path):
    """Caps, name and agent are the original's."""
    with FactStore(path, name="n", agent="a", max_facts_per_agent=1) as store:
        store.add("tea")
        with store.sandbox() as box:
            assert (box.name, len(box.search("tea"))) == ("n", 1)
            with pytest.raises(FactRefused, match="memory_full"):
                box.add("more")


def test_facts_outlive_the_store(path):
    """What was written is there when the file is opened again."""
    with FactStore(path) as store:
        fact = store.open(agent="a", run="r").remember("tea")
    with FactStore(str(path)) as store:
        assert store.open(agent="a", run="r").search("tea")[0].id == fact.id


def test_nothing_is_opened_before_the_first_use(path):
    """Building a store touches no file; ``initialize`` does."""
    store = FactStore(path)
    assert not path.exists()
    store.initialize()
    assert path.exists()
    store.close()


async def test_a_closed_store(path):
    """Everything raises, closing again is harmless, and nothing keeps the file open."""
    async with FactStore(path) as store:
        await store.ainitialize()
        mem = store.open(agent="a", run="r")
    for used in (
        lambda: store.search("t"), lambda: store.add("t"), lambda: mem.list(),
        lambda: mem.remember("t"), store.sandbox, lambda: store.erase_user("a", "u"),
        store.initialize,
    ):  # fmt: skip
        with pytest.raises(StoreClosedError):
            used()
    await store.aclose()
    assert not path.with_name("facts.db-wal").exists()


@pytest.mark.parametrize("place", ["file", "memory"])
def test_threads_share_a_store(path, place):
    """Eight threads lose nothing, and counts and versions agree at the end."""
    failures = []
    with FactStore(path if place == "file" else ":memory:", wait=60) as store:
        shared = store.open(agent="a", run="r").remember("start")

        def work(name):
            try:
                mem = store.open(agent="a", run=name, user=name)
                for at in range(10):
                    mem.remember(f"tea {at}", path="users/{user}/")
                    mem.remember(f"by {name}", replaces=shared.id)
                    assert len(mem.search("tea", k=50)) == at + 1
            except Exception as error:
                failures.append(error)

        threads = [threading.Thread(target=work, args=(f"u{n}",)) for n in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert failures == []
        versions = store.open(agent="a", run="r").history(shared.id)
        assert [f.version for f in versions] == list(range(1, 82))


async def test_a_cancelled_call_leaves_no_transaction_open(store):
    """The write either stands or does not, and the next call goes on."""
    mem = store.open(agent="a", run="r")
    task = asyncio.create_task(mem.aremember("tea"))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await mem.aremember("coffee")
    assert {f.text for f in await mem.alist()} >= {"coffee"}


def test_a_fork_is_told_apart(store):
    """A store opened before a fork says so in the child instead of sharing a connection."""
    store.add("tea")
    store._backend._process -= 1
    from memory_injection.errors import StoreError

    with pytest.raises(StoreError, match="fork"):
        store.search("tea")
    store._backend._process += 1


def test_a_key_belongs_to_its_session(store, found):
    """Two sessions' equal keys are two writes; neither is answered with the other's text."""
    first, second = Scope(user="ada", session="s1"), Scope(user="ada", session="s2")
    store.add("Tea in the first", {"key": "k"}, scope=first)
    assert store.add("Tea in the second", {"key": "k"}, scope=second).text == "Tea in the second"
    assert store.add("Never written", {"key": "k"}, scope=second).text == "Tea in the second"
    assert found("tea", second) == ["Tea in the second"]


def test_a_key_answers_before_the_arguments_are_read(store):
    """As a run that is resumed, a repeated ``add`` gets the answer it got."""
    first = store.add("Tea", {"key": "k"})
    assert store.add("", {"key": "k"}) == first
    assert store.add("Tea", {"key": "k", "path": "../up", "note": {1}}) == first
    with pytest.raises(FactRefused):
        store.add("", {"key": "another"})


def test_a_relative_path_outlives_a_chdir(tmp_path, monkeypatch):
    """Reader and writer open one file, the one meant when the store was made."""
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    with FactStore("facts.db") as store:
        store.add("Tea is ready")
        monkeypatch.chdir(tmp_path / "elsewhere")
        assert [entry.content for entry in store.search("tea")] == ["Tea is ready"]
    assert list((tmp_path / "elsewhere").iterdir()) == []
