"""Contract 7.3 and 7.5: what a path may be, how it is stored, and where ``{user}`` may stand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_injection.errors import FactRefused
from memory_injection.facts.paths import Folder, read_folder, user_segment

SEGMENT = st.text("abcXYZ019._:@-{}", min_size=1, max_size=12).filter(
    lambda s: s not in (".", "..") and "{user}" not in s
)


@pytest.mark.parametrize(
    ("given_", "stored"),
    [
        ("", ""),
        ("/", ""),
        ("notes", "notes/"),
        ("notes/", "notes/"),
        ("companies/7", "companies/7/"),
        ("a/b/c/", "a/b/c/"),
        ("a.b/c_d/e:f/g@h/i-j/{k}", "a.b/c_d/e:f/g@h/i-j/{k}/"),
        ("...", ".../"),
        ("x" * 100, "x" * 100 + "/"),
        ("users/{user}", "users/u1/"),
        ("users/{user}/notes/", "users/u1/notes/"),
        ("users/u1/notes", "users/u1/notes/"),
        ("userss/{usr}/", "userss/{usr}/"),
    ],
)
def test_valid_paths_are_stored_with_one_trailing_slash(mem, given_, stored):
    """A valid path comes back normalised."""
    assert mem.remember("text", path=given_).path == stored


@pytest.mark.parametrize(
    "folder",
    [
        "//", "/a", "a//", "a//b", "a/./b", ".", "..", "../a", "a/..", "a/../b", " ", "a b", "a/ ",
        "é", "ı", "a\\b", "a?b", "a%2e", "a\n", "a/\0", "\ud800", "a+b", "~", "*", "x" * 101,
        "a/" * 150 + "b", 7, b"a", ["a"], True,
    ],
)  # fmt: skip
def test_malformed_paths_are_refused(mem, refused, folder):
    """Anything else is 422, for writing, filtering and narrowing alike."""
    refused("invalid", 422, mem.remember, "text", path=folder)
    refused("invalid", 422, mem.search, "text", paths=[folder])
    refused("invalid", 422, mem.list, path=folder)
    refused("invalid", 422, mem.context, "text", paths=[folder])
    refused("invalid", 422, mem.at, folder)
    assert mem.list() == []


def test_a_path_is_at_most_300_characters_as_stored(mem, refused):
    """300 with the trailing slash is taken, 301 is not; what ``at`` adds counts."""
    longest = "/".join(["x" * 99] * 3)
    assert len(mem.remember("t", path=longest).path) == 300
    refused("invalid", 422, mem.remember, "t", path=longest + "x")
    assert len(mem.at("x" * 99).remember("t", path="/".join(["x" * 99] * 2)).path) == 300
    refused("invalid", 422, mem.at("x" * 99).remember, "t", path="/".join(["x" * 99] * 2) + "x")


def test_the_users_own_segment_counts_as_stored(open_run, refused):
    """``{user}`` counts with the length of the id it stands for."""
    mem = open_run("u" * 100)
    rest = f"{'x' * 95}/{'x' * 94}/y"
    assert len(mem.remember("t", path=f"users/{{user}}/{rest}").path) == 300
    refused("invalid", 422, mem.remember, "t", path=f"users/{{user}}/{rest}y")


@pytest.mark.parametrize(
    "folder",
    [
        "{user}", "{user}/", "notes/{user}/", "users/x{user}/", "users/{user}x/",
        "users/{user}/{user}/", "a/users/{user}/", "users/a/{user}/", "Users/{user}/",
    ],
)  # fmt: skip
def test_user_placeholder_anywhere_else_is_refused(mem, refused, folder):
    """``{user}`` is allowed only as ``users/{user}/`` at the front."""
    refused("invalid", 422, mem.remember, "text", path=folder)
    refused("invalid", 422, mem.search, "text", paths=[folder])


def test_user_placeholder_below_at_counts_from_the_front(mem, refused):
    """``at("users/")`` leads to the own folder, ``at("notes/")`` does not."""
    assert mem.at("users/").remember("t", path="{user}/x").path == "users/u1/x/"
    refused("invalid", 422, mem.at("notes/").remember, "t", path="users/{user}/")
    refused("invalid", 422, mem.at("users/{user}/").remember, "t", path="{user}/")


def test_no_user(open_run, refused):
    """A run without an end user has no ``users/{user}/``."""
    nobody = open_run(None)
    for call in (
        lambda: nobody.remember("t", path="users/{user}/"),
        lambda: nobody.search("t", paths=["users/{user}/"]),
        lambda: nobody.list(path="users/{user}/x"),
        lambda: nobody.context("t", paths=["users/{user}/"]),
        lambda: nobody.tools(paths=["users/{user}/"]),
        lambda: nobody.at("users/{user}/"),
    ):
        refused("no_user", 409, call)


def test_the_users_folder_itself_holds_no_facts(mem, refused):
    """A fact right below ``users/`` would be everybody's: it is refused."""
    refused("invalid", 422, mem.remember, "t", path="users/")
    refused("invalid", 422, mem.at("users/").remember, "t")


def test_filters_match_whole_segments(mem):
    """``companies/7/`` is not ``companies/77/``, with or without the slash."""
    seven = mem.remember("seven", path="companies/7/x")
    mem.remember("seventy seven", path="companies/77/")
    for path in ("companies/7", "companies/7/"):
        assert [f.id for f in mem.list(path=path)] == [seven.id]
        assert [f.id for f in mem.search("seven", paths=[path])] == [seven.id]
        assert [f.id for f in mem.at(path).search("")] == [seven.id]
        assert "seventy" not in mem.context("seven", paths=[path])


def test_folders_are_case_sensitive(mem):
    """``Notes/`` and ``notes/`` are two folders."""
    mem.remember("t", path="Notes/")
    assert mem.list(path="notes/") == []


@pytest.mark.parametrize("user", ["auth0|7", "ayşe@example.org", "a/b", "..", "{user}", "x" * 101])
def test_any_user_id_has_a_folder(open_run, user):
    """An id that is no segment gets one of its own, and only its user reaches it."""
    fact = open_run(user).remember("mine", path="users/{user}/notes")
    assert [f.id for f in open_run(user).list(path="users/{user}/")] == [fact.id]
    assert open_run(user).get(fact.id).path == fact.path
    assert open_run("other").list() == []


@given(st.lists(SEGMENT, min_size=1, max_size=6), st.booleans())
def test_reading_twice_changes_nothing(segments, slash):
    """A stored path is its own normal form, and lies below each of its parents only."""
    path = "/".join(segments) + "/" * slash
    try:
        folder = read_folder(path, user=None)
    except FactRefused:
        assert segments[0] == "users"
        return
    assert read_folder(folder.path, user=None) == folder
    for at in range(len(segments)):
        assert Folder("/".join(segments[:at]) + "/" * (at > 0)).holds(folder)
    assert not Folder(folder.path + "x/").holds(folder)


@given(st.text(min_size=1), st.text(min_size=1))
def test_user_segments_are_one_to_one(one, other):
    """Two ids never share a folder, and each segment is a valid one."""
    assert (user_segment(one) == user_segment(other)) == (one == other)
    assert read_folder("users/{user}/", user=one) == Folder(f"users/{user_segment(one)}/", one)
