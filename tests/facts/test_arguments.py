"""Contract 7.4: every boundary, plus and minus one."""

from __future__ import annotations

import math
import sqlite3
from contextlib import closing

import pytest

from memory_injection.errors import ConfigurationError, FactRefused, InputError, StoreError
from memory_injection.facts import FactStore
from memory_injection.facts.rules import MAX_BODY, check_body


@pytest.mark.parametrize("text", ["x", "x" * 4000, "  x  ", "😀" * 4000, "a\n\tb", "\u200b"])
def test_text_is_kept_as_given(mem, text):
    """1 to 4000 characters, counted as characters, blanks around them included."""
    assert mem.remember(text).text == text
    assert mem.list()[0].text == text


@pytest.mark.parametrize(
    "text", ["", " ", "\n\t \u00a0", "x" * 4001, "a\0b", "a\ud800", "\udfff", 7, None, b"x", ["x"]]
)
def test_text_outside_the_rule_is_refused(mem, refused, text):
    """Blank, too long, NUL, lone surrogates and what is no string: 422, nothing kept."""
    refused("invalid", 422, mem.remember, text)
    assert mem.list() == []


def test_malformed_arguments_are_value_errors_too():
    """A 422 can be caught as the library's ``InputError`` and as ``ValueError``."""
    with FactStore(":memory:") as store, pytest.raises(InputError) as caught:
        store.open(agent="a", run="r").remember("")
    assert isinstance(caught.value, (FactRefused, ValueError))


@pytest.mark.parametrize(
    "tags", [[], ["a"], ["a" * 50], ["A.z_0:9-"], [f"t{i}" for i in range(20)], {"a"}, ("a", "b")]
)
def test_tags_are_kept(mem, tags):
    """Up to 20 tags of up to 50 characters, from any collection."""
    assert set(mem.remember("t", tags=tags).tags) == set(tags)


def test_repeated_tags_are_kept_once(mem):
    """A tag given twice is one tag; the order stays."""
    assert mem.remember("t", tags=["b", "a", "b"]).tags == ("b", "a")


@pytest.mark.parametrize(
    "tags",
    [
        "ab", b"ab", [""], ["a" * 51], ["a b"], ["é"], ["a/b"], ["a\n"], [7], [None], 7, {"a": 1},
        [f"t{i}" for i in range(21)], ["#a"],
    ],
)  # fmt: skip
def test_tags_outside_the_rule_are_refused(mem, refused, tags):
    """A string, 21 tags, a tag of 51 characters or with other characters: 422 everywhere."""
    refused("invalid", 422, mem.remember, "t", tags=tags)
    refused("invalid", 422, mem.search, "t", tags=tags)
    refused("invalid", 422, mem.list, tags=tags)


def test_all_given_tags_must_be_there(mem):
    """Filtering by tags needs every tag, in searches and listings."""
    both = mem.remember("tea one", tags=["x", "y"])
    mem.remember("tea two", tags=["x"])
    mem.remember("tea three", tags=["xy"])
    for found in (mem.search("tea", tags=["x", "y"]), mem.list(tags=["y", "x"])):
        assert [f.id for f in found] == [both.id]
    assert mem.search("tea", tags=["z"]) == []
    assert mem.search("x") == []


@pytest.mark.parametrize("confidence", [0, 0.0, 1, 1.0, 0.95, 5e-324, 1 - 2**-53])
def test_confidence_is_kept(mem, confidence):
    """0 to 1 inclusive."""
    assert mem.remember("t", confidence=confidence).confidence == confidence
    assert mem.list()[0].confidence == confidence


@pytest.mark.parametrize(
    "confidence",
    [-5e-324, 1 + 2**-52, math.nan, math.inf, -math.inf, True, "0.5", [1],
     pytest.param(10**400, id="huge")],
)  # fmt: skip
def test_confidence_outside_the_rule_is_refused(mem, refused, confidence):
    """Outside 0 to 1, not finite, or no number: 422."""
    refused("invalid", 422, mem.remember, "t", confidence=confidence)


@pytest.mark.parametrize("key", ["k", "k" * 200, "A.z_0:9-"])
def test_keys_are_taken(mem, key):
    """1 to 200 of the key alphabet."""
    assert mem.remember("t", key=key).version == 1


@pytest.mark.parametrize("key", ["", "k" * 201, "a b", "a/b", "é", 7, b"k", "a\n"])
def test_keys_outside_the_rule_are_refused(mem, refused, key):
    """Empty, 201 characters, or other characters: 422."""
    refused("invalid", 422, mem.remember, "t", key=key)


@pytest.mark.parametrize("k", [1, 50])
def test_k_is_taken(mem, k):
    """1 to 50."""
    for at in range(51):
        mem.remember(f"tea {at}")
    assert len(mem.search("tea", k=k)) == k
    assert mem.context("tea", k=k).count("<entry") == k


@pytest.mark.parametrize("k", [0, 51, -1, True, 5.0, "5", None])
def test_k_outside_the_rule_is_refused(mem, refused, k):
    """0, 51 and what is no whole number: 422."""
    refused("invalid", 422, mem.search, "t", k=k)
    refused("invalid", 422, mem.context, "t", k=k)


@pytest.mark.parametrize("limit", [1, 200])
def test_limit_is_taken(mem, limit):
    """1 to 200."""
    for at in range(201):
        mem.remember(f"tea {at}")
    assert len(mem.list(limit=limit)) == limit


@pytest.mark.parametrize("limit", [0, 201, -1, False, 5.0, "5", None])
def test_limit_outside_the_rule_is_refused(mem, refused, limit):
    """0, 201 and what is no whole number: 422."""
    refused("invalid", 422, mem.list, limit=limit)


def test_defaults_of_k_and_limit(mem):
    """Searches give 5, listings 50."""
    for at in range(51):
        mem.remember(f"tea {at}")
    assert len(mem.search("tea")) == 5
    assert len(mem.list()) == 50


@pytest.mark.parametrize("query", [7, None, b"x", ["x"]])
def test_a_query_is_a_string(mem, refused, query):
    """Anything else is 422."""
    refused("invalid", 422, mem.search, query)
    refused("invalid", 422, mem.context, query)


@pytest.mark.parametrize("ident", [7, None, "a\0", "\ud800"])
def test_an_id_is_a_string(mem, refused, ident):
    """What no id can be is 422, what is merely unknown 404."""
    for call in (mem.get, mem.history, mem.forget):
        refused("invalid", 422, call, ident)
        refused("not_found", 404, call, "m_unknown")


def test_a_body_is_at_most_64_kib(refused):
    """65,536 bytes pass, one more is 413."""
    check_body(MAX_BODY)
    refused("too_large", 413, check_body, MAX_BODY + 1)
    assert MAX_BODY == 65536


@pytest.mark.parametrize("ids", [{"agent": ""}, {"run": " "}, {"user": ""}, {"agent": None},
                                 {"user": 7}, {"user": "a\0"}, {"run": "\ud800"}])  # fmt: skip
def test_ids_of_a_run_are_not_blank(store, ids):
    """There is no default user, and an empty id never means everybody."""
    with pytest.raises(ConfigurationError):
        store.open(**{"agent": "a", "run": "r", **ids})


@pytest.mark.parametrize(
    "settings",
    [
        {"path": ""}, {"path": 7}, {"name": " "}, {"agent": ""}, {"max_facts_per_agent": 0},
        {"max_facts_per_user": 0}, {"max_facts_per_user": True}, {"max_search_results": 0},
    ],
)  # fmt: skip
def test_settings_outside_their_rule_fail_at_construction(settings):
    """A programming mistake is found when the store is built."""
    with pytest.raises(ConfigurationError):
        FactStore(**{"path": ":memory:", **settings})


@pytest.mark.parametrize("wait", [-1, "x", None, True, float("nan"), float("inf")])
def test_a_wait_is_a_number_of_seconds(wait):
    """Anything else would fail at the first lock, far from its cause."""
    with pytest.raises(ConfigurationError, match="wait must be a number"):
        FactStore(":memory:", wait=wait)


@pytest.mark.parametrize("path", ["", "a\0b"])
def test_a_path_names_a_file(path):
    """What no file can be called is refused when the store is built."""
    with pytest.raises(ConfigurationError, match="path must name a file"):
        FactStore(path)


def test_another_users_folder_is_named(mem, refused):
    """A refusal says which path it means."""
    assert "'users/u2/x/'" in refused("other_user", 403, mem.list, path="users/u2/x").message


def test_a_foreign_table_is_named(tmp_path):
    """A file with somebody else's ``facts`` table is refused, and left as it is."""
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE facts (x)")
    with (
        FactStore(path) as store,
        pytest.raises(StoreError, match="table 'facts' that another program made"),
    ):
        store.open(agent="a", run="r").remember("x")
    with closing(sqlite3.connect(path)) as db:
        assert [name for (name,) in db.execute("SELECT name FROM sqlite_master")] == ["facts"]
