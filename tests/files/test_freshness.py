"""Edits by hand are seen; what did not change is not read again."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from memory_injection.files import FileMemoryProvider, catalogue
from memory_injection.files.disk import Identity, UnreadableFileError, identity_of
from memory_injection.files.disk import read_text as really_read

Put = Callable[..., Path]


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files that were opened, in order."""
    opened: list[str] = []

    def counted(path: str, limit: int) -> tuple[Identity, str]:
        opened.append(Path(path).name)
        return really_read(path, limit)

    monkeypatch.setattr(catalogue, "read_text", counted)
    return opened


def _age(*paths: Path) -> None:
    for path in paths:
        os.utime(path, ns=(1_700_000_000_123_456_789,) * 2)


def _settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every file count as changed long ago, which tests cannot wait for."""
    monkeypatch.setattr(catalogue, "_may_hide_a_change", lambda identity, now_ns: False)


def test_unchanged_files_are_not_read_again(
    provider: FileMemoryProvider, put: Put, reads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second search opens nothing; after one edit it opens that file."""
    _settled(monkeypatch)
    for name in ("MEMORY.md", "memory_summary.md", "records/a.md", "records/b.md"):
        put(name, "zebra")
    provider.search("zebra")
    assert sorted(reads) == ["MEMORY.md", "a.md", "b.md", "memory_summary.md"]
    reads.clear()
    provider.search("zebra")
    assert reads == []
    put("records/a.md", "lion now")
    assert [e.id for e in provider.search("lion")] == ["a"]
    assert reads == ["a.md"]


def test_every_kind_of_hand_edit_is_seen_by_the_next_search(
    provider: FileMemoryProvider, put: Put
) -> None:
    """Written, appended to, replaced, renamed, deleted, created: each shows at once."""
    path = put("records/a.md", "zebra")

    def ids(query: str) -> list[str | None]:
        return [e.id for e in provider.search(query)]

    assert ids("zebra") == ["a"]
    put("records/a.md", "lion!")
    assert (ids("zebra"), ids("lion")) == ([], ["a"])
    with path.open("a", encoding="utf-8") as file:
        file.write(" tiger")
    assert ids("tiger") == ["a"]
    put("records/.swap", "panther")
    os.replace(path.with_name(".swap"), path)
    assert (ids("panther"), ids("tiger")) == (["a"], [])
    path.rename(path.with_name("b.md"))
    assert ids("panther") == ["b"]
    put("MEMORY.md", "# New\npanther")
    assert sorted(map(str, ids("panther"))) == ["MEMORY.md#new", "b"]
    path.with_name("b.md").unlink()
    assert ids("panther") == ["MEMORY.md#new"]


@pytest.mark.parametrize("attempt", range(20))
def test_an_edit_of_equal_length_in_the_same_tick_is_seen(
    provider: FileMemoryProvider, put: Put, attempt: int
) -> None:
    """Same inode, same size, same time stamp: only the content tells, so it is compared."""
    path = put("records/a.md", "zebra 0")
    assert [e.content for e in provider.search("zebra")] == ["zebra 0"]
    with path.open("r+b") as file:
        file.write(b"zebra 1")
    assert [e.content for e in provider.search("zebra")] == ["zebra 1"]


def test_an_edit_whose_time_was_set_back_is_seen(
    provider: FileMemoryProvider, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tools that restore the modification time cannot restore the change time."""
    _settled(monkeypatch)
    path = put("records/a.md", "zebra 0")
    _age(path)
    provider.search("zebra")
    with path.open("r+b") as file:
        file.write(b"zebra 1")
    _age(path)
    assert [e.content for e in provider.search("zebra")] == ["zebra 1"]


def test_a_touched_file_is_read_and_found_unchanged(
    provider: FileMemoryProvider, put: Put, reads: list[str]
) -> None:
    """New times with the old content change nothing."""
    path = put("records/a.md", "zebra")
    first = provider.search("zebra")
    _age(path)
    assert provider.search("zebra") == first
    assert reads.count("a.md") >= 2


def test_a_file_changed_moments_ago_is_looked_into_until_it_is_old(
    put: Put, root: Path, reads: list[str]
) -> None:
    """While a change could hide in the clock's tick the content decides; then the identity does."""
    now = 1_700_000_000_500_000_000
    path = put("records/a.md", "x")
    identity = identity_of(path.stat())
    fresh = identity._replace(mtime_ns=now - 1_000_000, ctime_ns=now - 1_000_000)
    old = identity._replace(mtime_ns=now - 10**9, ctime_ns=now - 10**9)
    coarse = identity._replace(mtime_ns=now - 500_000_000, ctime_ns=now - 500_000_000)
    assert catalogue._may_hide_a_change(fresh, now)
    assert not catalogue._may_hide_a_change(old, now)
    assert catalogue._may_hide_a_change(coarse, now)


def test_a_file_that_goes_away_between_listing_and_reading_is_no_error(
    provider: FileMemoryProvider, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process may delete a record at any moment."""
    put("records/a.md", "zebra")
    put("records/b.md", "zebra")

    def vanishing(path: str, limit: int) -> tuple[Identity, str]:
        if path.endswith("a.md"):
            Path(path).unlink()
        return really_read(path, limit)

    monkeypatch.setattr(catalogue, "read_text", vanishing)
    assert [e.id for e in provider.search("zebra")] == ["b"]


def test_a_reader_that_fails_on_one_file_keeps_the_others(
    provider: FileMemoryProvider, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever a file does to the parser, the rest of memory is there."""
    put("records/a.md", "zebra")
    put("records/b.md", "zebra")
    parse = catalogue.parse_file

    def failing(path: str, text: str) -> object:
        if path.endswith("a.md"):
            raise RecursionError("deep")
        return parse(path, text)

    monkeypatch.setattr(catalogue, "parse_file", failing)
    assert [e.id for e in provider.search("zebra")] == ["b"]
    assert provider.skipped() == {"records/a.md": "it cannot be read: RecursionError"}


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_what_became_a_link_after_it_was_listed_is_not_read(
    provider: FileMemoryProvider, put: Put, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The open itself refuses links, pipes and folders, whatever the listing said."""
    secret = tmp_path / "secret.md"
    secret.write_text("zebra secret", encoding="utf-8")
    put("records/good.md", "zebra")
    records = provider.root / "records"
    (records / "link.md").symlink_to(secret)
    os.mkfifo(records / "pipe.md")
    (records / "folder.md").mkdir()
    monkeypatch.setattr(catalogue, "_not_a_memory", lambda path, found: None)
    for _ in range(2):
        assert [e.id for e in provider.search("zebra")] == ["good"]
        assert provider.skipped() == {
            "records/link.md": "it is a link",
            "records/pipe.md": "it is not a regular file",
            "records/folder.md": "it is not a regular file",
        }


def test_a_file_that_fails_and_goes_away_is_no_error(
    provider: FileMemoryProvider, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Gone is gone, even if it could not be read a moment before."""
    put("records/a.md", "zebra")
    put("records/b.md", "zebra")

    def failing(path: str, limit: int) -> tuple[Identity, str]:
        if path.endswith("a.md"):
            Path(path).unlink()
            raise UnreadableFileError("it changed")
        return really_read(path, limit)

    monkeypatch.setattr(catalogue, "read_text", failing)
    assert [e.id for e in provider.search("zebra")] == ["b"]
    assert provider.skipped() == {}


def test_an_unreadable_file_is_tried_again_only_when_it_changed(
    provider: FileMemoryProvider, put: Put, reads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A broken file costs no more than a good one."""
    _settled(monkeypatch)
    path = put("records/a.md", b"\xff")
    provider.search("zebra")
    provider.search("zebra")
    assert reads == ["a.md"]
    _age(path)
    assert provider.skipped() == {"records/a.md": "it is not UTF-8 (byte 0)"}
    assert reads == ["a.md", "a.md"]
    put("records/a.md", "zebra")
    assert [e.id for e in provider.search("zebra")] == ["a"]


def test_a_file_caught_half_written_is_read_when_it_is_whole(
    provider: FileMemoryProvider, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was read and found broken is a state of its own, not the one a moment later."""
    path = put("records/a.md", "caf\u00e9 zebra".encode()[:4])
    _age(path)

    def racing(path: str, limit: int) -> tuple[Identity, str]:
        try:
            return really_read(path, limit)
        finally:
            _age(put("records/a.md", "caf\u00e9 zebra"))

    monkeypatch.setattr(catalogue, "read_text", racing)
    _settled(monkeypatch)
    assert provider.search("zebra") == []
    monkeypatch.setattr(catalogue, "read_text", really_read)
    assert [entry.content for entry in provider.search("zebra")] == ["caf\u00e9 zebra"]


def test_trouble_of_the_system_hides_a_file_for_a_moment_only(
    provider: FileMemoryProvider, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that could not be opened is tried again although it did not change."""
    put("records/a.md", "zebra")
    really_open = os.open

    def out_of_files(path: str, flags: int) -> int:
        raise OSError(24, "Too many open files")

    _settled(monkeypatch)
    monkeypatch.setattr("memory_injection.files.disk.os.open", out_of_files)
    assert provider.search("zebra") == []
    assert provider.skipped() == {"records/a.md": "Too many open files"}
    monkeypatch.setattr("memory_injection.files.disk.os.open", really_open)
    assert len(provider.search("zebra")) == 1
    assert provider.skipped() == {}
