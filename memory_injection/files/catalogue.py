"""Everything in the root as records, kept fresh: unchanged files are not read again.

A file is known by its identity (device, inode, size, times). File systems stamp times coarsely,
so a file that changed just before it was read may change again without showing; such a file is
read again the next time and compared by content.
"""

from __future__ import annotations

import contextlib
import logging
import os
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from ..errors import InputError
from ..forks import Lock
from .disk import Identity, UnreadableFileError, read_text
from .names import check_id
from .reader import MEMORY, RECORDS, SUMMARY, parse_file
from .record import FileRecord
from .temporary import is_abandoned, is_temporary

__all__ = ["Catalogue"]

_LOG = logging.getLogger("memory_injection.files")
# Linux stamps files at its clock tick (1-10 ms); FAT and some network systems at 2 s, which shows
# as times without a fraction.
_TICK_NS = 50_000_000
_COARSE_TICK_NS = 2_100_000_000
_LEFT_OVER = "a write that was killed left it; the next write removes it"
_A_LINK = "it is a link, and links are not followed"


@dataclass(frozen=True, slots=True)
class _Known:
    """One file as it was last read: its text (only while it may still hide a change).

    Without an identity it is read again the next time, whatever it looks like then.
    """

    identity: Identity | None
    records: tuple[FileRecord, ...]
    problem: str | None
    text: str | None


class Catalogue:
    """The records under one root. Safe to use from several threads."""

    def __init__(self, root: Path, max_file_bytes: int) -> None:
        """Look at *root*, which need not exist; skip files above *max_file_bytes*."""
        self._root = root
        self._limit = max_file_bytes
        self._known: dict[str, _Known] = {}
        self._records: tuple[FileRecord, ...] = ()
        self._skipped: dict[str, str] = {}
        self._lock = Lock()

    def records(self) -> tuple[FileRecord, ...]:
        """Return every record, in order of path; the same tuple while nothing has changed."""
        with self._lock:
            self._refresh()
            return self._records

    def skipped(self) -> dict[str, str]:
        """Return the files that are not read, by path, each with its reason."""
        with self._lock:
            self._refresh()
            return dict(self._skipped)

    def _refresh(self) -> None:
        known = self._known
        fresh: dict[str, _Known] = {}
        strange: dict[str, str] = {}
        changed = False
        for path, found in self._scan(strange):
            before = known.get(path)
            # A text that is still kept means: this identity may hide a change.
            if before is not None and before.text is None and before.identity == _state(found):
                fresh[path] = before
                continue
            problem = _not_a_memory(path, found)
            if problem is not None:
                strange[path] = problem
                continue
            now = self._read(path, before)
            if now is not None:
                fresh[path] = now
                changed = changed or before is None or now.records is not before.records
        self._known = fresh
        # A new tuple only if something changed: whoever keeps work beside it compares by identity.
        if changed or len(fresh) != len(known):
            self._records = _with_unique_ids(fresh)
        self._note(strange, fresh)

    def _scan(self, strange: dict[str, str]) -> Iterator[tuple[str, os.stat_result]]:
        """Yield path and state of everything whose name says it is memory."""
        for name in (MEMORY, SUMMARY):
            with contextlib.suppress(FileNotFoundError, NotADirectoryError):
                yield name, os.lstat(self._root / name)
        folder = self._root / RECORDS
        try:
            mode = os.lstat(folder).st_mode
            if not stat.S_ISDIR(mode):
                strange[RECORDS] = _A_LINK if stat.S_ISLNK(mode) else "it is not a folder"
                return
            with os.scandir(folder) as entries:
                for entry in entries:
                    name = entry.name
                    if name.endswith(".md") and name[0] != ".":
                        found = _stat(entry)
                        if found is not None:
                            yield f"{RECORDS}/{name}", found
                    elif is_temporary(name):
                        found = _stat(entry)
                        if found is not None and is_abandoned(name, found.st_mtime):
                            strange[f"{RECORDS}/{name}"] = _LEFT_OVER
        except (FileNotFoundError, NotADirectoryError):
            return

    def _read(self, path: str, before: _Known | None) -> _Known | None:
        started = time.time_ns()  # before the read: a change during it must look recent
        try:
            identity, text = read_text(os.path.join(self._root, path), self._limit)
        except FileNotFoundError:
            return None
        except UnreadableFileError as error:
            # A file caught half-written, or while the system was out of files, may be whole by now.
            sure = error.identity is not None and not _may_hide_a_change(error.identity, started)
            return _Known(error.identity if sure else None, (), str(error), None)
        hides = _may_hide_a_change(identity, started)
        if before is not None and before.text == text:
            return replace(before, identity=identity, text=text if hides else None)
        kept = text if hides else None
        try:
            return _Known(identity, tuple(parse_file(path, text)), None, kept)
        except UnreadableFileError as error:
            return _Known(identity, (), str(error), kept)
        except Exception as error:  # one file must never hide all the others
            problem = f"it cannot be read: {type(error).__name__}"
            return _Known(identity, (), problem, kept)

    def _note(self, strange: dict[str, str], fresh: dict[str, _Known]) -> None:
        """Warn once about each file that is skipped, again when its reason changes."""
        broken = {path: known.problem for path, known in fresh.items() if known.problem}
        skipped = {**strange, **broken}
        for path, problem in skipped.items():
            if self._skipped.get(path) != problem:
                _LOG.warning("file_skipped path=%r reason=%s", path, problem)
        self._skipped = skipped


def _stat(entry: os.DirEntry[str]) -> os.stat_result | None:
    try:
        # Windows fills a directory entry's stat without inode and device.
        return os.lstat(entry.path) if os.name == "nt" else entry.stat(follow_symlinks=False)
    except FileNotFoundError:
        return None


def _may_hide_a_change(identity: Identity, now_ns: int) -> bool:
    changed = max(identity.mtime_ns, identity.ctime_ns)
    coarse = changed % 1_000_000_000 == 0
    return abs(now_ns - changed) < (_COARSE_TICK_NS if coarse else _TICK_NS)


def _state(found: os.stat_result) -> tuple[int, int, int, int, int]:
    """Return what compares equal to the file's identity; ten thousand times, so it is bare."""
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def _not_a_memory(path: str, found: os.stat_result) -> str | None:
    """Return why a file that is named like a memory is none."""
    if stat.S_ISLNK(found.st_mode):
        return _A_LINK
    if not stat.S_ISREG(found.st_mode):
        return "it is not a regular file"
    if path.startswith(RECORDS):
        try:
            check_id(path.rsplit("/", 1)[-1].removesuffix(".md"))
        except InputError as error:
            return str(error)
    return None


def _with_unique_ids(fresh: dict[str, _Known]) -> tuple[FileRecord, ...]:
    """Put all records in order of path; a second file that claims an id goes by its own name."""
    ordered = [record for path in sorted(fresh) for record in fresh[path].records]
    stems = {_stem(record) for record in ordered if record.writable}
    taken: set[str] = set()
    unique: list[FileRecord] = []
    for record in ordered:
        claimed = (
            record.writable
            and record.id != _stem(record)
            and (record.id in stems or record.id in taken)
        )
        kept = replace(record, id=_stem(record)) if claimed else record
        taken.add(kept.id)
        unique.append(kept)
    return tuple(unique)


def _stem(record: FileRecord) -> str:
    return record.path.rsplit("/", 1)[-1].removesuffix(".md")
