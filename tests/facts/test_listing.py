"""Pages: newest first, and a cursor that nothing shifts."""

from __future__ import annotations

import base64

import pytest


def pages(mem, **given):
    """Walk through every page."""
    page = mem.list(**given)
    found = [page]
    while page.next_cursor:
        page = mem.list(cursor=page.next_cursor, **given)
        found.append(page)
    return found


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 8])
def test_pages_hold_everything_once(mem, limit):
    """Shared and own facts come in one order, each once, and the last page has no cursor."""
    facts = [mem.remember(f"t {at}", path=["", "users/{user}/"][at % 2]) for at in range(7)]
    found = pages(mem, limit=limit)
    assert [f for page in found for f in page] == facts[::-1]
    assert all(len(page) == limit for page in found[:-1])
    assert found[-1].next_cursor is None


def test_pages_under_filters(mem):
    """Folder and tags hold on every page."""
    facts = [mem.remember("t", path=f"n{at % 2}/x/", tags=["x"] * (at % 3)) for at in range(12)]
    fits = [f for f in reversed(facts) if f.path == "n1/x/" and f.tags]
    assert [f for page in pages(mem, path="n1", tags=["x"], limit=1) for f in page] == fits


def test_a_cursor_survives_writes_and_removals(mem):
    """New facts do not repeat old ones, and a forgotten last one does not lose the place."""
    facts = [mem.remember(f"t {at}") for at in range(4)]
    page = mem.list(limit=2)
    mem.remember("new")
    mem.forget(page[-1].id)
    assert mem.list(cursor=page.next_cursor) == [facts[1], facts[0]]


def test_an_empty_memory_is_one_empty_page(mem):
    """No facts, no cursor."""
    assert (mem.list(), mem.list().next_cursor) == ([], None)


@pytest.mark.parametrize(
    "cursor",
    ["", "x", "é", "MTI=", 7, b"x", "A" * 400,
     base64.b64encode(b"x:m_1").decode(), base64.b64encode(b"9" * 40 + b":m_1").decode()],
)  # fmt: skip
def test_a_cursor_that_no_page_gave_is_refused(mem, refused, cursor):
    """422, whatever it is."""
    refused("invalid", 422, mem.list, cursor=cursor)


def test_another_users_cursor_shows_nothing_of_theirs(open_run):
    """A cursor is a place in the order, not a key to anything."""
    for at in range(3):
        open_run("u2").remember(f"hers {at}", path="users/{user}/")
    cursor = open_run("u2").list(limit=1).next_cursor
    assert open_run("u1").list(cursor=cursor) == []
