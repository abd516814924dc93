"""Records are written whole or not at all, never over another, never outside the root."""

from __future__ import annotations

import os
import stat
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory_injection.errors import InputError, StoreError
from memory_injection.files import FileMemoryProvider, create_memory_provider, writer
from memory_injection.records import Scope

Put = Callable[..., Path]


def text_of(provider: FileMemoryProvider, ident: str) -> str:
    return (provider.root / "records" / f"{ident}.md").read_text(encoding="utf-8")


def names(provider: FileMemoryProvider) -> list[str]:
    return sorted(p.name for p in (provider.root / "records").iterdir())


def test_a_new_record_is_a_file_a_person_can_read(
    provide: Callable[..., FileMemoryProvider],
) -> None:
    """Front matter on top, the text below, nothing else."""
    moment = datetime(2026, 1, 2, 3, 4, 5, 678, tzinfo=timezone(timedelta(hours=3)))
    provider = provide(clock=lambda: moment)
    ident = provider.add(
        "Ann likes green tea.",
        {"title": "Ann: tea", "kind": "preference", "tags": ["tea", "Ann"], "scope": "project",
         "id": "ann-tea", "source": "import", "mood": 7},
        scope=Scope(user="u1"),
    )  # fmt: skip
    assert ident == "ann-tea"
    assert text_of(provider, ident) == (
        "---\n"
        "id: ann-tea\n"
        "title: 'Ann: tea'\n"
        "kind: preference\n"
        "scope:\n"
        "  label: project\n"
        "  user: u1\n"
        "tags: [tea, Ann]\n"
        "source: import\n"
        "created_at: '2026-01-02T00:04:05.000678Z'\n"
        "updated_at: '2026-01-02T00:04:05.000678Z'\n"
        "mood: 7\n"
        "---\n"
        "\n"
        "Ann likes green tea.\n"
    )
    assert names(provider) == ["ann-tea.md"]


def test_what_is_added_comes_back(provider: FileMemoryProvider) -> None:
    """Content, times and metadata make the round trip."""
    created = "2025-05-06T07:08:09Z"
    ident = provider.add("zebra\r\nstripes\n", {"created_at": created, "turn": 3, "speaker": "Ann"})
    (entry,) = provider.search("zebra")
    assert (entry.id, entry.content) == (ident, "zebra\nstripes")
    assert entry.created_at == datetime(2025, 5, 6, 7, 8, 9, tzinfo=timezone.utc)
    assert entry.metadata == {"turn": 3, "speaker": "Ann", "path": f"records/{ident}.md"}
    assert provider.get(ident) == provider.list()[0]


@given(content=st.text(max_size=200), title=st.text(max_size=40))
@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None
)
def test_any_text_is_refused_or_comes_back(
    provider: FileMemoryProvider, content: str, title: str
) -> None:
    """Whatever is let in reads back equal, line endings and outer blanks aside."""
    try:
        ident = provider.add(content, {"title": title})
    except InputError:
        assert (
            not content.strip() or "\x00" in content + title
            or any("\ud800" <= c <= "\udfff" for c in content + title)
        )  # fmt: skip
        return
    entry = provider.get(ident)
    assert entry is not None
    assert provider.skipped() == {}
    assert entry.content.endswith(
        content.replace("\r\n", "\n").replace("\r", "\n").strip().rstrip("\n")
    )
    assert (entry.metadata or {}).get("title", "") == " ".join(title.split())


def test_an_id_that_is_taken_is_never_written_over(provider: FileMemoryProvider, put: Put) -> None:
    """Not even a file the reader skips, and not a folder."""
    put("records/torn.md", "---\ntitle: x")
    (provider.root / "records" / "folder.md").mkdir()
    provider.add("zebra", {"id": "a"})
    for taken in ("a", "torn", "folder"):
        with pytest.raises(InputError, match="exists already"):
            provider.add("lion", {"id": taken})
    assert [e.content for e in provider.list()] == ["zebra"]
    assert text_of(provider, "torn") == "---\ntitle: x"


def test_a_made_up_id_that_is_taken_is_made_up_anew(
    provider: FileMemoryProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Chance may repeat itself; a record may not."""
    ids = iter(["same", "same", "other"])
    monkeypatch.setattr("memory_injection.files.store.new_id", lambda text: next(ids))
    assert [provider.add("zebra"), provider.add("lion")] == ["same", "other"]
    monkeypatch.setattr("memory_injection.files.store.new_id", lambda text: "same")
    with pytest.raises(StoreError, match="no free record id"):
        provider.add("tiger")


@pytest.mark.parametrize(
    ("content", "metadata", "named"),
    [
        ("", None, "content must not be blank"),
        (None, None, "content must be a text"),
        ("x\x00", None, "NUL"),
        ("x\ud800", None, "surrogate"),
        ("x" * 100_001, None, "100001 characters"),
        ("x", {"title": 3}, "title must be a text"),
        ("x", {"title": "t" * 201}, "title has 201"),
        ("x", {"tags": 7}, "tags must be a list"),
        ("x", {"tags": {"a": 1}}, "tags must be a list"),
        ("x", {"tags": [1]}, "tag must be a text"),
        ("x", {"tags": [str(n) for n in range(51)]}, "51 tags"),
        ("x", {"scope": 3}, "scope must be a label"),
        ("x", {"scope": {"usr": "u"}}, "unknown scope id"),
        ("x", {"id": "../x"}, "record id '../x' is refused"),
        ("x", {"created_at": "yesterday"}, "created_at must be a time"),
        ("x", {"thing": object()}, "no YAML form"),
        ("x", "metadata", "metadata must be a mapping"),
    ],
)
def test_what_breaks_a_rule_is_refused_by_name_and_leaves_nothing(
    provider: FileMemoryProvider, content: Any, metadata: Any, named: str
) -> None:
    """One clear line, no file."""
    with pytest.raises(InputError, match=named):
        provider.add(content, metadata)
    assert provider.list() == []


def test_a_rewrite_keeps_what_it_was_not_told_to_change(
    provider: FileMemoryProvider, put: Put
) -> None:
    """Unknown keys, comments, text and times of creation survive; ``updated_at`` moves."""
    path = put(
        "records/a.md",
        "---\n# mine\ntitle: Old\nmood: [1, 2]  # hers\ncreated_at: 2026-01-01\n---\n\n"
        "zebra\n\nend\n",
    )
    path.chmod(0o640)
    assert provider.update("a", title="New", tags=["x"])
    text = text_of(provider, "a")
    assert text.startswith(
        "---\n# mine\ntitle: New\nmood: [1, 2]  # hers\ncreated_at: 2026-01-01\n"
    )
    assert text.endswith("---\n\nzebra\n\nend\n")
    entry = provider.get("a")
    assert entry is not None
    assert entry.updated_at is not None
    assert (datetime.now(timezone.utc) - entry.updated_at).total_seconds() < 60
    assert provider.update("a", content="lion", title="", tags=[])
    assert "title" not in text_of(provider, "a")
    assert "tags" not in text_of(provider, "a")
    assert text_of(provider, "a").endswith("---\n\nlion\n")
    if os.name == "posix":
        assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_file_without_front_matter_can_be_rewritten(
    provider: FileMemoryProvider, put: Put
) -> None:
    """It gets one then."""
    put("records/a.md", "zebra\n")
    assert provider.update("a", kind="animal")
    (entry,) = provider.search("zebra")
    assert entry.content == "zebra"
    assert (entry.metadata or {})["kind"] == "animal"


@pytest.mark.parametrize("ident", ["MEMORY.md#zebra", "memory_summary"])
def test_files_kept_by_hand_are_not_rewritten(
    provider: FileMemoryProvider, put: Put, ident: str
) -> None:
    """Sections and the summary belong to the person."""
    put("MEMORY.md", "# Zebra\n")
    put("memory_summary.md", "zebra")
    with pytest.raises(InputError, match="edit that file"):
        provider.update(ident, content="x")
    with pytest.raises(InputError, match="edit that file"):
        provider.forget(ident)
    assert len(provider.list()) == 2


def test_a_record_of_somebody_else_cannot_be_reached(provider: FileMemoryProvider) -> None:
    """Get, update and forget answer as if it were not there."""
    ident = provider.add("zebra", scope={"user": "u1"})
    for scope in (None, Scope(user="u2"), {"agent": "u1"}):
        assert provider.get(ident, scope=scope) is None
        assert not provider.update(ident, content="x", scope=scope)
        assert not provider.forget(ident, scope=scope)
    assert provider.update(ident, content="lion", scope={"user": "u1"})
    assert provider.forget(ident, scope={"user": "u1"})
    assert names(provider) == []
    assert not provider.forget(ident, scope={"user": "u1"})


def test_erasing_a_user_leaves_no_file_of_theirs(provider: FileMemoryProvider, put: Put) -> None:
    """Records, a MEMORY.md of theirs and half-written files go; other people's stay."""
    put("MEMORY.md", "---\nscope: {user: u1}\n---\n# Zebra\nu1\n")
    half = put("records/.tmp-9-half", "text of u1")
    os.utime(half, (time.time() - 120,) * 2)
    for user, agent in (("u1", "a1"), ("u1", "a2"), ("u2", "a1")):
        provider.add("zebra", scope={"user": user, "agent": agent})
    shared = provider.add("zebra for all")
    scope = {"user": "u1", "agent": "a1"}
    provider.on_turn_start(input="zebra", scope=scope)
    assert provider.get_context("zebra", scope=scope) is not None
    provider.observe("user", "said by u1", scope=scope)
    assert provider.erase({"user": "u1"}) == 3
    assert provider.erase({"user": "u1"}) == 0
    left = provider.get_context("zebra", scope=scope)
    assert left is not None
    assert [e.id for e in left.entries] == [shared]
    assert len(provider.list(scope={"user": "u2", "agent": "a1"})) == 2
    assert len(names(provider)) == 2
    assert not (provider.root / "MEMORY.md").exists()


async def test_erasing_nobody_is_refused(provider: FileMemoryProvider) -> None:
    """An empty scope would mean everybody."""
    provider.add("zebra")
    with pytest.raises(InputError, match="at least one id"):
        provider.erase({})
    with pytest.raises(InputError, match="at least one id"):
        await provider.aerase(Scope())
    assert len(provider.list()) == 1


def test_a_record_that_changed_hands_before_the_lock_is_left_alone(
    provider: FileMemoryProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whose it is is looked at again when the file is read for the rewrite."""
    ident = provider.add("zebra")
    record = provider._store.find(ident, Scope())
    path = provider.root / "records" / f"{ident}.md"
    path.write_text("---\nscope: {user: u1}\n---\n\nprivate\n", encoding="utf-8")
    monkeypatch.setattr(provider._store, "find", lambda ident, scope: record)
    with pytest.raises(InputError, match="no record"):
        provider.update(ident, content="lion")
    path.write_text("---\ntitle: torn", encoding="utf-8")
    with pytest.raises(StoreError, match="left as it is"):
        provider.update(ident, content="lion")
    path.write_bytes(b"\xff")
    with pytest.raises(StoreError, match="left as it is: it is not UTF-8"):
        provider.update(ident, content="lion")
    path.unlink()
    assert not provider.update(ident, content="lion")
    assert not provider.forget(ident)
    assert names(provider) == []


def test_a_full_disk_leaves_no_trace_and_is_a_store_error(
    provider: FileMemoryProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither a half record nor a temporary file stays behind."""
    ident = provider.add("zebra")
    before = text_of(provider, ident)

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StoreError, match="No space left"):
        provider.add("lion")
    with pytest.raises(StoreError, match="No space left"):
        provider.update(ident, content="lion")
    assert names(provider) == [f"{ident}.md"]
    assert text_of(provider, ident) == before


def test_without_hard_links_nothing_is_written_over_either(
    provider: FileMemoryProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some file systems have none; the name is claimed first there."""

    def none(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", none)
    assert provider.add("zebra", {"id": "a"}) == "a"
    with pytest.raises(InputError, match="exists already"):
        provider.add("lion", {"id": "a"})
    assert [e.content for e in provider.list()] == ["zebra"]
    assert names(provider) == ["a.md"]


def test_a_system_that_cannot_open_folders_writes_all_the_same(
    provider: FileMemoryProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Windows flushes the file and has no way to flush the name."""
    monkeypatch.setattr(writer, "_OPEN_FOLDER", None)
    ident = provider.add("zebra")
    assert provider.update(ident, content="lion")
    assert [e.content for e in provider.list()] == ["lion"]


@pytest.mark.parametrize("path", ["../x.md", "x.md", "records/../x.md", "records/x", "/x.md"])
def test_the_writer_itself_knows_no_way_out(tmp_path: Path, path: str) -> None:
    """Paths come from the listing; should one not, it is refused here again."""
    (tmp_path / "x.md").write_text("zebra", encoding="utf-8")
    files = writer.RecordFiles(tmp_path / "memory")
    with pytest.raises(InputError):
        files.delete(path)
    with pytest.raises(InputError):
        files.rewrite(path, str.upper, 100)
    assert (tmp_path / "x.md").read_text(encoding="utf-8") == "zebra"


def test_what_dead_writers_left_is_swept_and_fresh_work_is_not(
    provider: FileMemoryProvider, put: Put
) -> None:
    """Temporary files older than an hour have no owner any more."""
    old, new = put("records/.tmp-1-old", "half"), put("records/.tmp-2-new", "half")
    os.utime(old, (time.time() - 7200,) * 2)
    provider.add("zebra", {"id": "a"})
    assert names(provider) == [new.name, "a.md"]
    assert [e.id for e in provider.list()] == ["a"]


def test_a_held_lock_is_waited_for_and_then_named(
    provider: FileMemoryProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A rewrite never goes ahead beside another one."""
    ident = provider.add("zebra")
    monkeypatch.setattr(writer, "_LOCK_SECONDS", 0.05)
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with provider._store._files._locked():
            held.set()
            done.wait(10)

    thread = threading.Thread(target=hold)
    thread.start()
    assert held.wait(10)
    with pytest.raises(StoreError, match="another process has held"):
        provider.update(ident, content="lion")
    done.set()
    thread.join()
    assert provider.update(ident, content="lion")


def test_threads_lose_nothing(root: Path) -> None:
    """Eight threads add records of one title and change one record; all of it is there."""
    with create_memory_provider(root) as provider:
        shared = provider.add("start", {"id": "shared"})

        def work(n: int) -> list[str]:
            added = [provider.add(f"note {n} {k}", {"title": "Diary"}) for k in range(10)]
            assert provider.update(shared, tags=[f"t{n}"])
            return added

        with ThreadPoolExecutor(8) as pool:
            ids = [ident for batch in pool.map(work, range(8)) for ident in batch]
        found = {e.id: e.content for e in provider.list()}
        assert len(set(ids)) == 80
        assert set(found) == {*ids, "shared"}
        assert {c for c in found.values() if c != "start"} == {
            f"Diary\nnote {n} {k}" for n in range(8) for k in range(10)
        }


def test_a_read_only_provider_writes_nothing(
    provide: Callable[..., FileMemoryProvider], put: Put
) -> None:
    """Every way of writing is closed, reading is open."""
    put("records/a.md", "zebra")
    provider = provide(writable=False, remember={"extract_turn": lambda turn: "lion"})
    for write in (
        lambda: provider.add("x"),
        lambda: provider.update("a", content="x"),
        lambda: provider.forget("a"),
    ):
        with pytest.raises(StoreError, match="read-only"):
            write()
    assert provider.on_turn_end(input="a", output="b").written == ()
    assert [t.name for t in provider.get_tools()] == ["memory_search"]
    assert [e.id for e in provider.search("zebra")] == ["a"]


IDS = st.one_of(
    st.text(max_size=20),
    st.sampled_from(
        ["../SECRET", "../../SECRET", "/etc/passwd", "..", "a/../../SECRET", "..\\SECRET", "SECRET",
         "C:\\SECRET", "nul\x00", "CON", "a\x00/../SECRET", "%2e%2e/SECRET", "．．／SECRET", "~/x"]
    ),
)  # fmt: skip


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
@given(ident=IDS, deed=st.sampled_from(["add", "update", "forget", "get", "write", "drop"]))
@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150, deadline=None
)
def test_no_id_reaches_anything_outside_the_root(
    provider: FileMemoryProvider, tmp_path: Path, ident: str, deed: str
) -> None:
    """Whatever a model or a caller sends, the tree outside stays as it was, byte for byte."""
    outside = tmp_path / "SECRET.md"
    outside.write_text("zebra secret", encoding="utf-8")
    records = provider.root / "records"
    records.mkdir(parents=True, exist_ok=True)
    link = records / "link.md"
    if not link.is_symlink():
        link.symlink_to(outside)
    tools = provider.get_tools()
    calls: dict[str, Callable[[], object]] = {
        "add": lambda: provider.add("lion", {"id": ident}),
        "update": lambda: provider.update(ident, content="lion"),
        "forget": lambda: provider.forget(ident),
        "get": lambda: provider.get(ident),
        "write": lambda: tools.call(_call("memory_write", content="lion", id=ident)),
        "drop": lambda: tools.call(_call("memory_forget", id=ident)),
    }
    try:
        answer = calls[deed]()
    except (InputError, StoreError) as error:
        answer = str(error)
    assert "secret" not in str(answer).replace(ident, "")
    assert outside.read_text(encoding="utf-8") == "zebra secret"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["SECRET.md", provider.root.name]
    assert {p.name for p in provider.root.iterdir()} <= {"records", ".lock"}
    assert link.is_symlink()
    assert all("secret" not in e.content for e in provider.list())


def _call(name: str, **arguments: object) -> dict[str, Any]:
    return {"type": "tool_use", "id": "c1", "name": name, "input": arguments}


@pytest.mark.parametrize(
    ("metadata", "named"),
    [
        ({"labels": {"a", "b"}}, "YAML"),
        ({"labels": b"ab"}, "YAML"),
        ({"blob": "y" * 70_000}, "not closed"),
        ({"extra": "note", "agent": "bob"}, "must be a mapping"),
        ({"created_at": "0001-01-01T00:00:00+05:00"}, "created_at must be a time"),
    ],
)
def test_what_could_not_be_read_back_is_not_written(
    provider: FileMemoryProvider, metadata: dict[str, Any], named: str
) -> None:
    """Metadata that a front matter cannot carry is refused before a file is made."""
    with pytest.raises(InputError, match=named):
        provider.add("zebra", metadata)
    assert not (provider.root / "records").exists()


def test_a_record_larger_than_what_is_read_is_refused(
    provide: Callable[..., FileMemoryProvider],
) -> None:
    """Neither a new record nor a rewritten one may vanish from recall by its size."""
    provider = provide(recall={"max_file_bytes": 500})
    ident = provider.add("zebra")
    with pytest.raises(InputError, match="larger than 500 bytes"):
        provider.add("zebra " * 100)
    with pytest.raises(InputError, match="larger than 500 bytes"):
        provider.update(ident, content="zebra " * 100)
    assert [e.content for e in provider.list()] == ["zebra"]
    assert names(provider) == [f"{ident}.md"]


def test_a_name_that_was_claimed_and_could_not_be_filled_is_free_again(
    provider: FileMemoryProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without hard links a disk that refuses leaves no empty file in the record's place."""

    def refused(*_: object) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "link", refused)
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", refused)
        with pytest.raises(StoreError, match="Input/output"):
            provider.add("zebra", {"id": "a"})
    assert names(provider) == []
    assert provider.add("zebra", {"id": "a"}) == "a"


@pytest.mark.skipif(sys.platform == "win32", reason="folders are not flushed there")
def test_a_folder_that_cannot_be_flushed_is_no_failed_write(
    provider: FileMemoryProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The record is there: an error would have the caller write it once more."""
    really = os.fsync

    def files_only(descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(22, "Invalid argument")
        really(descriptor)

    monkeypatch.setattr(os, "fsync", files_only)
    ident = provider.add("zebra")
    assert provider.update(ident, content="lion")
    assert [e.content for e in provider.list()] == ["lion"]
    assert provider.forget(ident)
