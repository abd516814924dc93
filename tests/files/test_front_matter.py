from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_injection.files.front_matter import FrontMatter, FrontMatterError, compose, split

TYPED = """---
id: 007
title: no
scope: {user: 007, agent: on}
tags: [1, yes]
created_at: 2026-01-02
priority: 3
shared: yes
since: 2026-01-02
---

Body
"""


def test_own_keys_stay_as_typed_and_other_keys_keep_their_type() -> None:
    """An id 007 and a title "no" are words; a priority 3 is a number, a date is its text."""
    front, body = split(TYPED)
    assert front is not None
    assert dict(front.values) == {
        "id": "007",
        "title": "no",
        "scope": {"user": "007", "agent": "on"},
        "tags": ["1", "yes"],
        "created_at": "2026-01-02",
        "priority": 3,
        "shared": True,
        "since": "2026-01-02",
    }
    assert body == "\nBody\n"


@pytest.mark.parametrize(
    "text",
    [
        "plain",
        "",
        "---",
        "Scope: what this file is about\n",
        "----\nscope: project\n",
        "---\nSome prose under a rule.\n---\nmore\n",
        "# T\n",
        "---\nprose under a rule\n",
    ],
)
def test_text_without_a_mapping_on_top_is_all_body(text: str) -> None:
    """A thematic break is not a front matter."""
    assert split(text) == (None, text)


def test_an_empty_block_is_a_front_matter_without_keys() -> None:
    """Two fences with nothing between them are dropped from the body."""
    assert split("---\n---\nbody") == (FrontMatter(), "body")
    front, body = split("---\n# only a comment\n---\nbody")
    assert front is not None
    assert (dict(front.values), body) == ({}, "body")


@pytest.mark.parametrize(
    ("block", "reason"),
    [
        ("title: a: b\n", "not valid YAML"),
        ("title: [a\n", "not valid YAML"),
        ("x: &a [1]\ny: [*a, *a]\n", "aliases"),
        ("x: !!python/object/apply:os.system [true]\n", "not valid YAML"),
        ("x: !!binary aGk=\n", "not valid YAML"),
        ("x: " + "[" * 5000 + "]" * 5000 + "\n", "front matter"),
        ("n: " + "9" * 5000 + "\n", "cannot be read"),
    ],
)
def test_a_block_that_is_broken_or_unsafe_is_named(block: str, reason: str) -> None:
    """Syntax errors, aliases, foreign types and absurd depth are refused, not guessed at."""
    with pytest.raises(FrontMatterError, match=reason):
        split(f"---\n{block}---\nbody\n")


def test_an_unclosed_block_is_broken() -> None:
    """A file cut off in its front matter is not taken for prose."""
    with pytest.raises(FrontMatterError, match="not closed"):
        split("---\ntitle: half a fi")


def test_a_rewrite_changes_its_own_lines_only() -> None:
    """Comments, order, quoting and unknown keys stay byte for byte."""
    text = """---
# kept by Ann
title: "Old"   # gone with its line
priority: 3  # hers
tags:
  - a
  - b

# before the nested one
nested:
  deep: [1, 2]
---
body
"""
    front, _ = split(text)
    assert front is not None
    assert front.rewritten({"title": "New", "tags": ["c"], "kind": "fact"}) == (
        "# kept by Ann\ntitle: New\npriority: 3  # hers\ntags: [c]\n\n"
        "# before the nested one\nnested:\n  deep: [1, 2]\nkind: fact\n"
    )
    assert front.rewritten({"tags": None}) == (
        '# kept by Ann\ntitle: "Old"   # gone with its line\npriority: 3  # hers\n\n'
        "# before the nested one\nnested:\n  deep: [1, 2]\n"
    )


def test_a_flow_mapping_is_rewritten_by_its_values() -> None:
    """Where lines cannot be told apart the values are kept and the form is not."""
    front, _ = split("---\n{title: Old, priority: 3}\n---\n")
    assert front is not None
    assert front.rewritten({"title": "New"}) == "title: New\npriority: 3\n"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)
KEY = st.from_regex(r"[a-z][a-z_]{0,10}", fullmatch=True)
OWN = {"id", "title", "kind", "scope", "tags", "source", "created_at", "updated_at"}


def _writable(value: Any) -> bool:
    text = json.dumps(value, ensure_ascii=False)
    return not any("\ud800" <= char <= "\udfff" for char in text)


@given(st.dictionaries(KEY, JSON.filter(_writable), max_size=6), st.text(max_size=60))
def test_any_json_values_survive_a_rewrite(values: dict[str, Any], title: str) -> None:
    """What was put in comes back after another key was changed twice."""
    kept = {k: v for k, v in values.items() if k not in OWN and not k.endswith("_id")}
    if any("\ud800" <= char <= "\udfff" for char in title):
        return
    first, _ = split(compose(FrontMatter().rewritten(kept), "body"))
    assert first is not None
    second, body = split(compose(first.rewritten({"title": title, "kind": "a"}), "body"))
    assert second is not None
    third, _ = split(compose(second.rewritten({"kind": None}), "body"))
    assert third is not None
    wanted = {k: v for k, v in {**kept, "title": title}.items() if v is not None}
    assert {k: v for k, v in third.values.items() if v is not None} == wanted
    assert body == "\nbody\n"


def test_a_value_without_a_yaml_form_is_refused() -> None:
    """An object nobody can write down is an error, not its repr."""
    with pytest.raises(FrontMatterError, match="no YAML form"):
        FrontMatter().rewritten({"x": object()})
