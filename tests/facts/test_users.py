"""Contract 7.5: another user's folder is 403, another user's fact is not there at all."""

from __future__ import annotations

import pytest

from memory_injection.errors import InvocationEnded

OWN = "users/{user}/"


@pytest.fixture
def hers(open_run):
    """A fact of user ``u2`` of the same agent."""
    return open_run("u2").remember("tea of another user", path=OWN)


@pytest.mark.parametrize("folder", ["users/u2/", "users/u2", "users/u2/x", "users/U1/", "users/u"])
@pytest.mark.parametrize("user", ["u1", None])
def test_other_user(open_run, refused, hers, folder, user):
    """Naming another user's folder is 403, whatever is asked of it, with or without a user."""
    mem = open_run(user)
    for call in (
        lambda: mem.remember("t", path=folder),
        lambda: mem.search("t", paths=["notes/", folder]),
        lambda: mem.list(path=folder),
        lambda: mem.context("t", paths=[folder]),
        lambda: mem.tools(paths=[folder]),
        lambda: mem.at(folder),
    ):
        refused("other_user", 403, call)


@pytest.mark.parametrize("user", ["u1", None])
def test_another_users_fact_is_not_found(open_run, refused, hers, user):
    """Get, history, replace and forget answer 404, as for an id that never was."""
    mem = open_run(user)
    for call in (
        lambda: mem.get(hers.id),
        lambda: mem.history(hers.id),
        lambda: mem.forget(hers.id),
        lambda: mem.remember("t", replaces=hers.id),
        lambda: mem.remember("t", replaces=hers.id, expected_version=9),
        lambda: mem.remember("t", replaces=hers.id, path="notes/"),
    ):
        gone = refused("not_found", 404, call)
        never = refused("not_found", 404, mem.get, "m_never")
        assert gone.message == never.message.replace("m_never", hers.id)
    assert open_run("u2").get(hers.id) == hers


@pytest.mark.parametrize("user", ["u1", None])
@pytest.mark.parametrize("folder", [None, "", "/", "users", "users/"])
def test_root_filters_never_show_another_user(open_run, hers, user, folder):
    """Searches, listings and contexts over the root or ``users/`` leave other users out."""
    mem = open_run(user)
    paths = None if folder is None else [folder]
    assert mem.search("tea", paths=paths) == []
    assert mem.search("", paths=paths) == []
    assert mem.list(path=folder) == []
    assert mem.context("tea", paths=paths) == ""


def test_a_user_sees_shared_and_own_facts(open_run, hers):
    """The root holds what is shared and what is one's own."""
    shared = open_run(None).remember("shared tea", path="notes/")
    own = open_run("u1").remember("own tea", path=OWN)
    assert {f.id for f in open_run("u1").search("tea")} == {shared.id, own.id}
    assert {f.id for f in open_run("u1").list()} == {shared.id, own.id}
    assert {f.id for f in open_run(None).list()} == {shared.id}
    assert {f.id for f in open_run("u1").list(path="users/")} == {own.id}


def test_shared_facts_can_be_changed_by_everybody_of_the_agent(open_run):
    """What is in no user's folder is the agent's, whoever wrote it."""
    fact = open_run("u1").remember("one", path="notes/")
    assert open_run("u2").remember("two", replaces=fact.id).version == 2
    open_run(None).forget(fact.id)


def test_agents_do_not_see_each_other(open_run, refused):
    """The same user with another agent has another memory."""
    fact = open_run("u1").remember("tea", path=OWN)
    other = open_run("u1", agent="b")
    assert other.list() == []
    assert other.search("tea") == []
    refused("not_found", 404, other.get, fact.id)
    refused("not_found", 404, other.forget, fact.id)


def test_moves_across_users_folders_are_refused(open_run, refused):
    """Into, out of and between users' folders: refused, and nothing has changed."""
    mem = open_run("u1")
    own = mem.remember("own", path=OWN, tags=["x"])
    shared = mem.remember("shared", path="notes/")
    refused("cannot_move", 409, mem.remember, "t", replaces=own.id, path="notes/")
    refused("cannot_move", 409, mem.remember, "t", replaces=own.id, path="")
    refused("cannot_move", 409, mem.remember, "t", replaces=shared.id, path=OWN)
    refused("other_user", 403, mem.remember, "t", replaces=own.id, path="users/u2/")
    refused("other_user", 403, mem.remember, "t", replaces=shared.id, path="users/u2/")
    assert (mem.get(own.id), mem.get(shared.id)) == (own, shared)
    assert len(mem.history(own.id)) == len(mem.history(shared.id)) == 1
    assert {f.id for f in mem.search("own shared t")} == {own.id, shared.id}


def test_moves_within_a_folder_are_free(open_run):
    """Within the own folder and among shared folders a fact may go anywhere."""
    mem = open_run("u1")
    own = mem.remember("own", path=f"{OWN}a/")
    shared = mem.remember("shared", path="notes/")
    assert mem.remember("own", replaces=own.id, path=f"{OWN}b/").path == "users/u1/b/"
    assert mem.remember("shared", replaces=shared.id, path="").path == ""


def test_at_sees_only_below(mem, refused):
    """A handle below a folder reads, replaces, forgets and lists there, and nowhere else."""
    outside = mem.remember("tea outside", path="notes/")
    below = mem.at("companies/")
    inside = below.remember("tea inside", path="7/")
    assert inside.path == "companies/7/"
    assert [f.id for f in below.search("tea")] == [inside.id]
    assert [f.id for f in below.list(path="7")] == [inside.id]
    assert below.list(path="8") == []
    for call in (below.get, below.history, below.forget):
        refused("not_found", 404, call, outside.id)
    refused("not_found", 404, below.remember, "t", replaces=outside.id)
    assert "outside" not in below.context("tea")
    assert below.at("7").get(inside.id) == inside
    assert below.at("/").list() == below.list()


def test_replaces_on_a_handle_stays_below_it(mem):
    """``replaces`` on a handle from ``at(p)`` moves within ``p``; left out, it stays."""
    below = mem.at("companies/")
    fact = below.remember("one", path="7/")
    assert below.remember("two", replaces=fact.id).path == "companies/7/"
    assert below.remember("three", replaces=fact.id, path="8").path == "companies/8/"
    assert below.remember("four", replaces=fact.id, path="/").path == "companies/"
    assert below.path == "companies/"


def test_invocation_ended(open_run):
    """After ``close()`` every method of every handle of the run raises; other runs go on."""
    mem = open_run("u1")
    below, tools, other = mem.at("notes/"), mem.tools(), open_run("u1")
    fact = mem.remember("t")
    mem.close()
    call = {"id": "1", "type": "function", "function": {"name": "search_memory", "arguments": "{}"}}
    for used in (
        lambda: mem.remember("t"), lambda: mem.search("t"), lambda: mem.list(),
        lambda: mem.get(fact.id), lambda: mem.history(fact.id), lambda: mem.forget(fact.id),
        lambda: mem.at("x"), lambda: mem.context("t"), lambda: mem.tools(),
        lambda: below.search("t"), lambda: tools.call(call),
    ):  # fmt: skip
        with pytest.raises(InvocationEnded):
            used()
    mem.close()
    assert other.get(fact.id) == fact


async def test_the_run_ends_with_its_block(store):
    """Both kinds of ``with`` close the run."""
    with store.open(agent="a", run="r") as mem:
        mem.remember("t")
    async with store.open(agent="a", run="r") as other:
        await other.aremember("t")
        tools = other.tools()
    for run in (mem, other):
        with pytest.raises(InvocationEnded):
            run.list()
    with pytest.raises(InvocationEnded):
        await tools.acall({"function": {"name": "search_memory", "arguments": "{}"}})
