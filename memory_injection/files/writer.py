"""Writing record files: never over another, never half, never lost.

A new record is written to a temporary file, flushed to the disk and then *linked* to its name,
which fails if the name is taken; so two writers cannot overwrite each other, and a crash leaves
at worst a temporary file that recall does not look at. A rewrite replaces the file in one rename,
and rewrites of one root exclude each other through a lock file.
"""

from __future__ import annotations

import contextlib
import os
import stat
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from ..errors import InputError, StoreError
from ..stores.locks import Timeout, locked
from . import temporary
from .disk import UnreadableFileError, read_text
from .names import check_id
from .reader import MEMORY, RECORDS, SUMMARY

__all__ = ["RecordFiles"]

_LOCK_SECONDS = 10.0
_LOCK = ".lock"
_OPEN_FOLDER: int | None = getattr(os, "O_DIRECTORY", None)  # Windows has none


class RecordFiles:
    """The ``records`` folder of one root, for writing. Any number of threads and processes."""

    def __init__(self, root: Path) -> None:
        """Write below *root*; folders are made at the first write."""
        self._root = root
        self._folder = root / RECORDS
        self._next_sweep = 0.0

    def create(self, ident: str, text: str) -> str:
        """Write *text* as the new record *ident*; return its path relative to the root.

        Raises:
            InputError: the id is not safe, or a file of that name exists.
            StoreError: the disk refused; nothing of the record is left.
        """
        target = self._path(check_id(ident))
        with _disk_errors(f"record {ident!r} could not be written"):
            self._prepare()
            with self._temporary(text) as written:
                try:
                    _publish(written, target)
                except FileExistsError:
                    raise InputError(f"a record with the id {ident!r} exists already") from None
            _sync_folder(self._folder)
        return f"{RECORDS}/{target.name}"

    def rewrite(self, path: str, change: Callable[[str], str], limit: int) -> bool:
        """Replace the file at *path* (from the catalogue) by ``change(its text)``.

        Returns False if it is gone.

        Raises:
            StoreError: it cannot be read any more, another process holds the lock for more than
                ten seconds, the file system has no locks, or the disk refused; the file is as it
                was.
        """
        target = self._inside(path)
        with _disk_errors(f"{path} could not be rewritten"), self._locked():
            try:
                _, before = read_text(target, limit)
            except FileNotFoundError:
                return False
            except UnreadableFileError as error:
                raise StoreError(f"{path} was left as it is: {error}") from None
            with self._temporary(change(before)) as written:
                # The rename would otherwise undo what a person allowed or forbade.
                os.chmod(written, stat.S_IMODE(os.lstat(target).st_mode))
                os.replace(written, target)
            _sync_folder(self._folder)
        return True

    def delete(self, path: str) -> bool:
        """Remove the file at *path* (from the catalogue); False if it is gone already."""
        target = self._root / path if path in (MEMORY, SUMMARY) else self._inside(path)
        with _disk_errors(f"{path} could not be deleted"), self._locked():
            try:
                target.unlink()
            except FileNotFoundError:
                return False
            _sync_folder(target.parent)
        return True

    def sweep(self) -> None:
        """Remove the temporary files of writers that are gone."""
        temporary.sweep(self._folder)

    def _path(self, ident: str) -> Path:
        return self._folder / f"{ident}.md"

    def _inside(self, path: str) -> Path:
        folder, _, name = path.rpartition("/")
        if folder != RECORDS or not name.endswith(".md"):
            raise InputError(f"{path!r:.80} is not a record file")
        return self._path(check_id(name.removesuffix(".md")))

    def _prepare(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        if not stat.S_ISDIR(os.lstat(self._folder).st_mode):
            raise StoreError(f"{RECORDS}/ is a link, and links are not followed")
        now = time.monotonic()
        if now >= self._next_sweep:
            self._next_sweep = now + temporary.ABANDONED_SECONDS
            self.sweep()

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        self._prepare()
        with contextlib.ExitStack() as held:
            try:
                held.enter_context(locked(self._root / _LOCK, _LOCK_SECONDS))
            except Timeout:
                raise StoreError(
                    f"another process has held {_LOCK} for more than {_LOCK_SECONDS:g} s"
                ) from None
            yield

    @contextlib.contextmanager
    def _temporary(self, text: str) -> Iterator[Path]:
        """Write *text* to a temporary file on the same disk, flushed; remove it afterwards."""
        path = self._folder / temporary.new_name()
        try:
            with open(path, "x", encoding="utf-8", newline="") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            yield path
        finally:
            with contextlib.suppress(FileNotFoundError):
                path.unlink()


def _publish(written: Path, target: Path) -> None:
    """Give *written* its name unless the name is taken.

    Raises:
        FileExistsError: the name is taken.
    """
    try:
        os.link(written, target)
    except FileExistsError:
        raise
    except OSError:
        # No hard links here (FAT, some network disks): claim the name first, then fill it.
        with open(target, "x"):
            pass
        try:
            os.replace(written, target)
        except OSError:
            target.unlink(missing_ok=True)
            raise


def _sync_folder(folder: Path) -> None:
    """Make a new name survive a power cut, where the file system can flush a folder.

    Where it cannot (some network and FUSE file systems say EINVAL), the file is there all the
    same: an error would have it written again.
    """
    if _OPEN_FOLDER is None:
        return
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, _OPEN_FOLDER)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


@contextlib.contextmanager
def _disk_errors(what: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StoreError(f"{what}: {error.strerror or error}") from error
