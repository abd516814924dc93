"""A ``FactStore`` behind a ``MemoryManager``: what was added is found, what is erased is gone."""

from __future__ import annotations

import asyncio
import json
from contextlib import closing

import pytest

from memory_injection import MemoryManager
from memory_injection.errors import ConfigurationError, InputError
from memory_injection.facts import FactStore
from memory_injection.ledger import InMemoryLedger
from memory_injection.records import Scope

U1, U2 = Scope(user="u1"), Scope(user="u2")
ASK = [{"role": "user", "content": "What is the invoice number?"}]


@pytest.fixture(params=["a", None])
def store(request, path):
    """A store with an agent of its own, and one without."""
    with FactStore(path, agent=request.param, ledger=InMemoryLedger()) as store:
        yield store


@pytest.fixture
def memory(store):
    """A manager over the store, with the same ledger."""
    with closing(MemoryManager([store], ledger=store.ledger)) as memory:
        yield memory


def contents(memory, query, scope):
    """What a scope finds."""
    return [entry.content for entry in memory.search(query, scope=scope)]


def test_what_was_added_with_a_scope_is_found_with_it(memory):
    """In search, in the block and through the model's tools; and by nobody else."""
    memory.add("The invoice number is 7.", scope=U1)
    assert contents(memory, "invoice", U1) == ["The invoice number is 7."]
    assert "number is 7" in memory.inject(ASK, scope=U1).messages[-1]["content"]
    call = {"name": "search_memory", "arguments": '{"query": "invoice"}'}
    answer = memory.tools(scope=U1).call({"id": "1", "type": "function", "function": call})
    assert "number is 7" in answer["content"]
    assert contents(memory, "invoice", U2) == []
    assert memory.inject(ASK, scope=U2).messages == ASK


def test_another_agent_does_not_see_the_default_agents_facts(path):
    """The store's own agent stands in for none named, not for another."""
    with FactStore(path, agent="a") as store, closing(MemoryManager([store])) as memory:
        memory.add("The invoice number is 7.", scope=U1)
        assert contents(memory, "invoice", Scope(user="u1", agent="b")) == []
        assert contents(memory, "invoice", Scope(user="u1", agent="a")) != []


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_a_manager_erases_a_user_with_every_agent(store, memory, mode):
    """Facts, versions, keys and blocks of the user go; another user's stay."""
    memory.add("The invoice number is 7.", scope=U1)
    memory.add("The invoice number is 8.", scope=Scope(user="u1", agent="b"))
    memory.add("The invoice number is 9.", scope=U2)
    memory.inject(ASK, scope=U1)
    erased = memory.erase(U1) if mode == "sync" else asyncio.run(memory.aerase(U1))
    assert erased == {"facts": 2}
    assert contents(memory, "invoice", U1) == []
    assert contents(memory, "invoice", Scope(user="u1", agent="b")) == []
    assert contents(memory, "invoice", U2) == ["The invoice number is 9."]
    assert memory.inject(ASK, scope=U1).messages == ASK


def test_an_erasure_can_name_the_agent(store):
    """Then the user's facts with other agents stay."""
    for agent in ("a", "b"):
        store.add("tea", scope=Scope(user="u1", agent=agent))
    assert store.erase({"user": "u1", "agent": "b"}) == 1
    assert len(store.open(agent="a", run="r", user="u1").list()) == 1


def test_an_erasure_of_one_session_takes_its_keys_only(store):
    """What the user said elsewhere, and what its keys answer, stay."""
    here = Scope(user="u1", agent="a", session="s1")
    gone = store.add("tea", {"key": "k1"}, scope=here)
    kept = store.add("coffee", {"key": "k2"}, scope=Scope(user="u1", agent="a"))
    assert asyncio.run(store.aerase({"session": "s1"})) == 1
    assert store.add("again", {"key": "k1"}, scope=here).id != gone.id
    assert store.add("again", {"key": "k2"}, scope=Scope(user="u1", agent="a")) == kept


def test_the_counts_stay_right(path, consistent):
    """Erasing across agents leaves no counter behind."""
    with FactStore(path) as store:
        for agent in ("a", "b"):
            for user in ("u1", "u2"):
                store.add(f"{agent} {user}", scope=Scope(user=user, agent=agent))
        assert store.erase(U1) == 2
    assert len(consistent(path)) == 2


def test_whom_to_erase_is_never_left_open(store):
    """A scope without ids would mean everything."""
    with pytest.raises(InputError, match="at least one id"):
        store.erase({})
    with pytest.raises(ConfigurationError):
        store.erase({"user": ""})


def test_a_forgotten_fact_is_not_shown_again(store, memory):
    """With the manager's ledger, its block goes with it: the same ask is answered without."""
    memory.add("The door code is 1111.", scope=Scope(user="u1", agent="a"))
    ask = [{"role": "user", "content": "What is the door code?"}]
    scope = Scope(user="u1", agent="a")
    assert "1111" in memory.inject(ask, scope=scope).messages[-1]["content"]
    run = store.open(agent="a", run="r", user="u1")
    run.forget(run.list()[0].id)
    assert memory.inject(ask, scope=scope).messages == ask


def test_a_run_with_a_user_saves_into_the_users_folder(store):
    """Without paths the model's own default is the user; another user never sees it."""
    mine = store.open(agent="a", run="r", user="u1")
    tools = mine.tools()
    answer = said(tools, "save_memory", text="My PIN is 99.")
    assert json.loads(answer)["path"] == "users/u1/"
    assert store.open(agent="a", run="r", user="u2").search("pin") == []
    shared = mine.remember("Shared price list.")
    assert shared.id in said(tools, "search_memory", query="price")
    fixed = json.loads(said(tools, "save_memory", text="Price list 2.", replaces=shared.id))
    assert fixed["path"] == ""
    assert json.loads(said(tools, "save_memory", text="x", path="notes"))["path"] == "notes/"


def said(tools, name, **arguments):
    """The text that answers one call."""
    function = {"name": name, "arguments": json.dumps(arguments)}
    return tools.call({"id": "1", "type": "function", "function": function})["content"]


def test_without_a_user_or_below_a_folder_the_handle_decides(store):
    """The root for nobody in particular; the folder of ``at`` for its handle."""
    assert json.loads(said(store.open(agent="a", run="r").tools(), "save_memory", text="x")) == {
        "id": store.open(agent="a", run="r").list()[0].id, "path": "", "version": 1,
    }  # fmt: skip
    below = store.open(agent="a", run="r", user="u1").at("notes")
    assert json.loads(said(below.tools(), "save_memory", text="y"))["path"] == "notes/"


def test_the_model_is_told_the_folders_it_may_use(store):
    """In the schema of ``path`` and in a refusal, as it has to write them."""
    below = store.open(agent="a", run="r", user="u1").at("proj")
    tools = below.tools(paths=["x", "y"])
    told = tools.definitions[1]["function"]["parameters"]["properties"]["path"]["description"]
    assert "x/, y/" in told
    assert "left out, x/" in told
    refused = said(tools, "save_memory", text="hi", path="z")
    assert refused.startswith("error: outside:")
    assert "x/, y/" in refused
    assert json.loads(said(tools, "save_memory", text="hi", path="y/"))["path"] == "proj/y/"
    own = store.open(agent="a", run="r", user="u1").tools(paths=["users/{user}/"])
    told = own.definitions[1]["function"]["parameters"]["properties"]["path"]["description"]
    assert "users/{user}/" in told


def test_what_a_manager_adds_for_no_agent_can_be_opened(path):
    """A run that names no agent is the store's own agent's, or nobody's in particular."""
    for agent in (None, "a"):
        with FactStore(path, agent=agent) as store:
            store.add(f"zebra of {agent}", scope=U1)
            run = store.open(run="r", user="u1")
            assert [fact.text for fact in run.list()] == [f"zebra of {agent}"]


def test_what_is_forgotten_goes_from_the_blocks_too(path):
    """The manager gives the store its ledger: nothing is to be set up."""
    with FactStore(path, agent="a") as store, closing(MemoryManager([store])) as memory:
        fact = memory.add("The invoice number is 7.", scope=U1)["facts"]
        assert "number is 7" in memory.inject(ASK, scope=U1).messages[-1]["content"]
        store.open(agent="a", run="r", user="u1").forget(fact.id)
        result = memory.inject(ASK, scope=U1)
    assert result.messages == ASK
    assert result.report.reason == "nothing_found"


def test_a_ledger_that_a_store_was_given_stays_its_own(path):
    """The first manager's, too: managers over one store share a ledger by being given it."""
    own = InMemoryLedger()
    with FactStore(path, ledger=own) as store, closing(MemoryManager([store])) as memory:
        assert store.ledger is own is not memory.ledger
    with FactStore(path) as store, closing(MemoryManager([store])) as first:
        second = MemoryManager([store], ledger=first.ledger)
        MemoryManager([store])
        assert store.ledger is first.ledger is second.ledger
        with store.sandbox() as box:
            assert box.ledger is None
