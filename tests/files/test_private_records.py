"""A private record never becomes everybody's: hand edits, metadata, a model's tools, left-overs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory_injection.errors import InputError, StoreError
from memory_injection.files import FileMemoryProvider
from memory_injection.files.reader import parse_file
from memory_injection.records import Scope

Put = Callable[..., Path]
U1, U2 = Scope(user="u1"), Scope(user="u2")

MEANT = [
    "--- \nuser_id: u1\n---\n",
    "---\nuser_id: u1\n--- \n",
    "\n\n---\nuser_id: u1\n---\n",
    "\ufeff\ufeff\n---\nuser_id: u1\n---\n",
    " ---\n user_id: u1\n ---\n",
    "---\nscope: User:u1\n---\n",
    "---\nscope: users:u1\n---\n",
    "---\nscope: user_id:u1\n---\n",
    '---\nscope: " user: u1"\n---\n',
    "---\nScope: {user: u1}\n---\n",
    '---\nscope: {"User ": u1}\n---\n',
    "---\nscope: {user_id: u1, Label: project}\n---\n",
    "---\nscope:\nuser: u1\n---\n".replace("scope:\n", ""),
    "---\nUSER_ID: u1\n---\n",
    "---\nuser-id: u1\n---\n",
    "---\nuserId: u1\n---\n",
    "---\nuser: u1\nuser_id: u1\n---\n",
]
UNCLEAR = [
    "---\nscope: {user: }\n---\n",
    "---\nscope: {user: ~, label: x}\n---\n",
    "---\nscope: {}\n---\n",
    "---\nscope:\n---\n",
    '---\nscope: "user:"\n---\n',
    "---\nscope: usr:u1\n---\n",
    "---\nscope: {usr: u1}\n---\n",
    "---\nscope: user:u1 session:s1\n---\n",
    "---\nscope: user:u1, user:u2\n---\n",
    "---\nscope: {user: u1}\nuser_id: u2\n---\n",
    "---\nuser_id: u1\nuser_id:\n---\n",
    "---\nuser_id:\n---\n",
    "---\nuser: ~\n---\n",
    "----\nuser_id: u1\n----\n",
    "---\nuser_id: u1\n ---\n",
    "---\n- user_id: u1\n---\n",
    '+++\nuser_id = "u1"\n+++\n',
    "```yaml\nscope: {user: u1}\n```\n",
    "user_id: u1\n---\n",
]


def contents(provider: FileMemoryProvider, scope: Scope | None) -> list[str]:
    return [entry.content for entry in provider.list(scope=scope)]


@pytest.mark.parametrize("front", MEANT)
def test_what_an_edit_clearly_means_is_read(
    provider: FileMemoryProvider, put: Put, front: str
) -> None:
    """Blanks, a byte order mark and other spellings change nothing; erasing finds the file."""
    file = put("records/a.md", f"{front}secret\n")
    assert contents(provider, U1) == ["secret"]
    assert contents(provider, U2) == contents(provider, None) == []
    assert provider.erase(U1) == 1
    assert not file.exists()


@pytest.mark.parametrize("front", UNCLEAR)
def test_what_is_unclear_is_nobodys(provider: FileMemoryProvider, put: Put, front: str) -> None:
    """The file is skipped with a reason and left as it is."""
    file = put("records/a.md", f"{front}secret\n")
    assert contents(provider, U1) == contents(provider, U2) == contents(provider, None) == []
    assert list(provider.skipped()) == ["records/a.md"]
    assert file.exists()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(
    before=st.text("\n\t \ufeff", max_size=6).filter(lambda text: not text.endswith((" ", "\t"))),
    after=st.text(" \t", max_size=3),
)
def test_no_blank_before_or_behind_a_fence_opens_a_record(before: str, after: str) -> None:
    """Whatever stands around the fences, the owner is the same."""
    (record,) = parse_file("records/a.md", f"{before}---{after}\nuser_id: u1\n---{after}\ntext\n")
    assert record.owner == U1


def test_labels_and_origins_restrict_nothing(provider: FileMemoryProvider, put: Put) -> None:
    """A word is a label; ``session`` and ``run`` say where a memory came from."""
    put("records/a.md", "---\nscope: project\nsession: s1\nrun: r1\n---\nshared\n")
    put("records/b.md", "---\nscope: {label: 'team:x'}\n---\nshared too\n")
    put("records/c.md", "Scope: what this note is about.\n")
    assert len(contents(provider, U1)) == 3


def test_a_label_with_a_colon_is_no_owner(provider: FileMemoryProvider) -> None:
    """Written by a model, ``user:u2`` as a label neither hides the record nor gives it away."""
    provider.add("text", {"scope": "user:u2"}, scope=U1)
    provider.add("shared", {"scope": "user:u2"})
    assert contents(provider, U1) != contents(provider, U2) == ["shared"]


def test_metadata_cannot_make_a_record_somebody_elses(provider: FileMemoryProvider) -> None:
    """A key that names another owner is refused; a word called ``user`` is kept as a word."""
    with pytest.raises(InputError, match="for user 'u1' and for 'u2'"):
        provider.add("x", {"user_id": "u2"}, scope=U1)
    ident = provider.add("x", {"user": "Bob", "agent": "cli"}, scope=U1)
    entry = provider.get(ident, scope=U1)
    assert entry is not None
    assert entry.metadata is not None
    assert (entry.metadata["user"], entry.metadata["agent"]) == ("Bob", "cli")
    assert provider.update(ident, content="y", scope=U1)
    assert contents(provider, U1) == ["y"]


def call(tools: Any, name: str, **arguments: Any) -> str:
    function = {"name": name, "arguments": json.dumps(arguments)}
    answer = tools.call({"id": "1", "type": "function", "function": function})
    return str(answer["content"])


def test_a_users_tools_change_that_users_memories_alone(
    provide: Callable[..., FileMemoryProvider],
) -> None:
    """Shared ones are read-only for a caller with a user, unless the options allow it."""
    provider = provide()
    shared = provider.add("The policy is 30 days.")
    own = provider.add("Ann likes tea.", scope=U1)
    tools = provider.get_tools(scope=U1)
    assert call(tools, "memory_write", id=shared, content="poisoned").startswith("error: read_only")
    assert call(tools, "memory_forget", id=shared).startswith("error: read_only")
    assert contents(provider, U2) == ["The policy is 30 days."]
    assert json.loads(call(tools, "memory_write", id=own, content="Ann likes coffee."))
    allowed = provide(remember={"change_shared": True}).get_tools(scope=U1)
    assert json.loads(call(allowed, "memory_write", id=shared, content="60 days."))
    assert json.loads(call(provider.get_tools(), "memory_forget", id=shared))


@pytest.mark.parametrize("tokenizer", [lambda text: None, lambda text: 1 / 0])
def test_a_tokenizer_that_fails_is_named(
    provide: Callable[..., FileMemoryProvider], tokenizer: Any
) -> None:
    """One clear line, with the error's own words."""
    provider = provide(recall={"tokenizer": tokenizer})
    provider.add("zebra")
    with pytest.raises(StoreError, match=r"the tokenizer or the engine failed: (Type|Zero)"):
        provider.search("zebra")


def dead_process() -> int:
    """Return the id of a process that has ended."""
    done = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True
    )
    return int(done.stdout)


@pytest.mark.skipif(os.name == "nt", reason="whether a process runs is not asked there")
@pytest.mark.parametrize("by", ["add", "erase"])
def test_what_a_killed_writer_left_goes_with_the_next_write(
    provider: FileMemoryProvider, root: Path, put: Put, monkeypatch: pytest.MonkeyPatch, by: str
) -> None:
    """Named until then, and gone with an erasure; a write under way is left alone."""
    from memory_injection.files import temporary

    mine = temporary.new_name()
    with monkeypatch.context() as patch:
        patch.setattr(os, "getpid", dead_process)
        left = temporary.new_name()
    put(f"records/{left}", "secret of u1")
    put(f"records/{mine}", "being written")
    put("records/a.md", "---\nuser_id: u1\n---\nsecret\n")
    assert list(provider.skipped()) == [f"records/{left}"]
    if by == "add":
        provider.add("tea")
    else:
        provider.erase(U1)
    names = {path.name for path in (root / "records").iterdir()}
    assert left not in names
    assert mine in names
    assert provider.skipped() == {}


def test_an_old_left_over_of_another_machine_goes_too(
    provider: FileMemoryProvider, put: Put
) -> None:
    """Whoever wrote it: no write lasts a minute."""
    fresh, old = put("records/.tmp-0-1-x", "a"), put("records/.tmp-0-2-x", "b")
    os.utime(old, (0, 0))
    provider.add("tea")
    assert fresh.exists()
    assert not old.exists()
