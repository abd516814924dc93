"""What is read, what is not, and what is said about it."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path

import pytest

from memory_injection.errors import StoreError
from memory_injection.files import FileMemoryProvider, create_memory_provider
from memory_injection.records import Scope

Put = Callable[..., Path]
NEEDS_LINKS = pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")


def found(provider: FileMemoryProvider, query: str = "zebra") -> list[str | None]:
    return [e.id for e in provider.search(query, {"max_search_results": 100})]


def test_each_of_the_three_sources_is_found_and_nothing_else(
    provider: FileMemoryProvider, put: Put
) -> None:
    """Summary, sections and records are memory; every other file is not."""
    put("memory_summary.md", "The zebra summary.")
    put("MEMORY.md", "zebra on top\n\n# Zebra facts\n## Stripes\nblack\n")
    put("records/a-zebra.md", "---\nid: a-zebra\ntitle: One\n---\n\nzebra record\n")
    put("records/plain.md", "zebra without front matter\n")
    for path in ("notes.md", "memory.txt", "other/zebra.md", "README.md", ".md", "MEMORY.md.bak"):
        put(path, "zebra")
    for name in ("a.txt", ".zebra.md", "a.md.bak", "deep/zebra.md", ".tmp-1", ".md"):
        put(f"records/{name}", "zebra")
    assert sorted(map(str, found(provider))) == [
        "MEMORY.md#top",
        "MEMORY.md#zebra-facts/stripes",
        "a-zebra",
        "memory_summary",
        "plain",
    ]
    assert provider.skipped() == {}


def test_a_record_carries_its_front_matter(provider: FileMemoryProvider, put: Put) -> None:
    """Title, kind, label, tags, source and times arrive with the entry; so do unknown keys."""
    put(
        "records/tea.md",
        "---\nid: tea\ntitle: Tea\nkind: preference\nscope: project\ntags: [drink, morning]\n"
        "source: tool\ncreated_at: 2026-01-02T03:04:05Z\nupdated_at: 2026-01-03\nmood: 7\n---\n"
        "Ann drinks green tea.\n",
    )
    (entry,) = provider.search("green")
    assert entry.content == "Tea\nAnn drinks green tea."
    assert (entry.id, entry.store_name, entry.scope) == ("tea", "files", None)
    assert entry.created_at == datetime(2026, 1, 2, 3, 4, 5, tzinfo=timezone.utc)
    assert entry.updated_at == datetime(2026, 1, 3, tzinfo=timezone.utc)
    assert entry.metadata == {
        "mood": 7,
        "path": "records/tea.md",
        "title": "Tea",
        "kind": "preference",
        "scope": "project",
        "tags": ["drink", "morning"],
        "source": "tool",
    }


def test_title_and_tags_are_searched(provider: FileMemoryProvider, put: Put) -> None:
    """A record is found by what it is filed under."""
    put("records/a.md", "---\ntitle: Wifi\ntags: router, office\n---\nhunter2\n")
    assert found(provider, "wifi") == found(provider, "router") == ["a"]


def test_a_title_the_text_opens_with_is_not_said_twice(
    provider: FileMemoryProvider, put: Put
) -> None:
    """A body with its own heading keeps it; a title that is a mere prefix of a word is said."""
    put("records/a.md", "---\ntitle: Tea\n---\n# Tea\ngreen\n")
    put("records/b.md", "---\ntitle: A\n---\nalpha green\n")
    contents = {e.id: e.content for e in provider.search("green")}
    assert contents == {"a": "# Tea\ngreen", "b": "A\nalpha green"}


def test_crlf_and_a_byte_order_mark_read_like_any_file(
    provider: FileMemoryProvider, put: Put
) -> None:
    """Files written on Windows are memory too."""
    put("records/win.md", b"\xef\xbb\xbf---\r\ntitle: Win\r\n---\r\n\r\nzebra\r\nstripes\r\n")
    put("MEMORY.md", b"\xef\xbb\xbf# Head\r\nzebra\r\n## Next\r\nmore zebra\r\n")
    entries = provider.search("zebra")
    assert {e.content for e in entries} == {
        "Win\nzebra\nstripes",
        "Head\nzebra",
        "Head > Next\nmore zebra",
    }


def test_lines_may_end_in_a_carriage_return_alone(provider: FileMemoryProvider, put: Put) -> None:
    """No section loses its text to the line ends of an old editor."""
    put("MEMORY.md", b"# Head\rzebra\r\r# Next\rmore zebra\r")
    assert [e.content for e in provider.list()] == ["Head\nzebra", "Next\nmore zebra"]
    ident = provider.add("one\rtwo\r\nthree")
    found = provider.get(ident)
    assert found is not None
    assert found.content == "one\ntwo\nthree"


BAD = {
    "records/binary.md": (b"zebra \xff\xfe", "not UTF-8"),
    "records/utf16.md": ("zebra".encode("utf-16"), "not UTF-8"),
    "records/zero.md": (b"zebra\x00", "NUL"),
    "records/empty.md": (b"", "empty"),
    "records/blank.md": (b" \n\n", "empty"),
    "records/torn.md": (b"---\ntitle: zeb", "not closed"),
    "records/syntax.md": (
        b"---\ntitle: a: b\n---\nzebra",
        "not valid YAML: mapping values are not allowed in this context (line 2)",
    ),
    "records/owner.md": (b"---\nscope: {usr: 1}\n---\nzebra", "unknown scope id 'usr'"),
    "records/many.md": (b"---\nscope: {user: [a, b]}\n---\nzebra", "must be one id"),
    "records/nobody.md": (b"---\nscope: {user: ''}\n---\nzebra", "non-blank"),
    "records/several.md": (b"---\nscope: [a, b]\n---\nzebra", "scope must be"),
    "records/con.md": (b"zebra", "reserved by Windows"),
    "records/huge.md": (b"zebra " * 200_000, "larger than 1048576 bytes"),
}


@pytest.mark.skipif(sys.platform == "win32", reason="some of these names cannot exist there")
def test_a_bad_file_costs_only_itself_and_says_why(
    provider: FileMemoryProvider, put: Put, caplog: pytest.LogCaptureFixture
) -> None:
    """Each is skipped with one warning that names it, and left as it is."""
    put("records/good.md", "zebra")
    paths = {path: put(path, data) for path, (data, _) in BAD.items()}
    before = {path: file.read_bytes() for path, file in paths.items()}
    with caplog.at_level(logging.WARNING, "memory_injection.files"):
        assert found(provider) == found(provider) == ["good"]
    skipped = provider.skipped()
    assert skipped.keys() == BAD.keys()
    for path, (_, reason) in BAD.items():
        assert reason in skipped[path]
        assert sum(f"path={path!r} " in message for message in caplog.messages) == 1
    assert {path: file.read_bytes() for path, file in paths.items()} == before


@pytest.mark.skipif(sys.platform == "win32", reason="such names cannot exist there")
def test_a_file_name_cannot_forge_a_log_line(
    provider: FileMemoryProvider, put: Put, caplog: pytest.LogCaptureFixture
) -> None:
    """A line break in a name is written as an escape."""
    put("records/a\nWARNING all is well.md", "zebra")
    assert found(provider) == []
    assert "\n" not in caplog.messages[0]


def test_a_mended_file_is_read_again(provider: FileMemoryProvider, put: Put) -> None:
    """Being skipped is not for ever."""
    put("records/a.md", "---\ntitle: a: b\n---\nzebra")
    assert found(provider) == []
    put("records/a.md", "---\ntitle: 'a: b'\n---\nzebra")
    assert found(provider) == ["a"]
    assert provider.skipped() == {}


@NEEDS_LINKS
def test_no_link_is_followed(provider: FileMemoryProvider, put: Put, tmp_path: Path) -> None:
    """Neither a file, nor one of the named files, nor a pipe, is read through a link."""
    secret = tmp_path / "secret.md"
    secret.write_text("zebra secret", encoding="utf-8")
    put("records/good.md", "zebra")
    for path in ("records/link.md", "MEMORY.md", "memory_summary.md"):
        (provider.root / path).symlink_to(secret)
    os.mkfifo(provider.root / "records" / "pipe.md")
    (provider.root / "records" / "folder.md").mkdir()
    (provider.root / "records" / "broken.md").symlink_to(tmp_path / "nowhere")
    assert found(provider) == ["good"]
    skipped = provider.skipped()
    assert "not followed" in skipped["records/link.md"]
    assert "not followed" in skipped["MEMORY.md"]
    assert "not followed" in skipped["records/broken.md"]
    assert "regular" in skipped["records/pipe.md"]
    assert "regular" in skipped["records/folder.md"]


@NEEDS_LINKS
def test_a_linked_records_folder_is_neither_read_nor_written(
    provider: FileMemoryProvider, put: Put, tmp_path: Path
) -> None:
    """A link in place of the folder would put records outside the root."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "x.md").write_text("zebra", encoding="utf-8")
    provider.root.mkdir()
    (provider.root / "records").symlink_to(outside)
    assert found(provider) == []
    assert "not followed" in provider.skipped()["records"]
    with pytest.raises(StoreError, match="link"):
        provider.add("zebra")
    assert [p.name for p in outside.iterdir()] == ["x.md"]


def test_a_root_that_is_not_there_is_empty_and_stays_away(provider: FileMemoryProvider) -> None:
    """Looking makes no folder."""
    assert provider.search("zebra") == []
    assert provider.get_context("zebra") is None
    assert not provider.root.exists()


def test_a_front_matter_id_is_the_records_id_unless_it_is_taken_or_unsafe(
    provider: FileMemoryProvider, put: Put
) -> None:
    """Two files never answer to one id; the file's own name is the way out."""
    put("records/a.md", "---\nid: b\n---\nzebra")
    put("records/b.md", "---\nid: b\n---\nzebra")
    put("records/c.md", "---\nid: ../SECRET\n---\nzebra")
    put("records/d.md", "---\nid: renamed\n---\nzebra")
    put("records/e.md", "---\nid: renamed\n---\nzebra")
    assert sorted(map(str, found(provider))) == ["a", "b", "c", "e", "renamed"]


def test_equal_headings_have_ids_of_their_own(provider: FileMemoryProvider, put: Put) -> None:
    """Sections with one title are told apart by number."""
    put("MEMORY.md", "# Zebra\none\n# Zebra\ntwo\n")
    assert found(provider) == ["MEMORY.md#zebra", "MEMORY.md#zebra-2"]


@pytest.mark.parametrize(
    "front",
    [
        "scope: {user: u1}",
        "scope:\n  user: u1\n  label: project",
        "scope: user:u1",
        "user_id: u1",
    ],
)
def test_what_was_written_for_a_user_is_seen_by_that_user_only(
    provider: FileMemoryProvider, put: Put, front: str
) -> None:
    """Every way of saying whose it is restricts alike."""
    put("records/own.md", f"---\n{front}\n---\nzebra")
    put("records/label.md", "---\nscope: project\n---\nzebra")
    assert {e.id for e in provider.search("zebra", {"scope": Scope(user="u1")})} == {"own", "label"}
    for other in (Scope(), Scope(user="u2"), Scope(session="u1"), Scope(user="U1")):
        assert {e.id for e in provider.search("zebra", {"scope": other})} == {"label"}
    assert [e.id for e in provider.list(scope=Scope(user="u2"))] == ["label"]


def test_a_whole_file_of_sections_can_belong_to_a_user(
    provider: FileMemoryProvider, put: Put
) -> None:
    """A front matter on MEMORY.md is for all its sections."""
    put("MEMORY.md", "---\nscope: {user: u1}\n---\n# Zebra\nstripes\n")
    assert found(provider) == []
    assert [e.scope for e in provider.search("zebra", {"scope": {"user": "u1"}})] == [
        Scope(user="u1")
    ]


def test_a_root_that_may_not_be_read_is_a_store_error(
    provider: FileMemoryProvider, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Permission trouble is not an empty memory."""
    put("records/a.md", "zebra")

    def refuse(path: Path) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "scandir", refuse)
    with pytest.raises(StoreError, match=r"cannot be read: Permission denied"):
        provider.search("zebra")


@pytest.mark.parametrize("root", ["", "  ", "a\x00b", 7, b"bytes"])
def test_a_root_that_is_no_path_is_refused_at_once(root: object) -> None:
    """A wrong root is a programming mistake."""
    with pytest.raises(ValueError, match="root must be"):
        create_memory_provider(root)  # type: ignore[arg-type]


def test_a_root_that_is_a_file_is_refused_at_once(tmp_path: Path) -> None:
    """A file cannot hold the folder."""
    (tmp_path / "x").write_text("", encoding="utf-8")
    with pytest.raises(ValueError, match="is a file"):
        create_memory_provider(tmp_path / "x")
