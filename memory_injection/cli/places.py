"""Where a command reads and writes: paths as given, and files written whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import click

from ..errors import InputError

__all__ = ["GivenPath", "check_place", "written"]

_PROBE = 64 * 1024  # bytes, about as much as a plot takes


class GivenPath(click.Path):
    """A path; an empty one is refused, not taken for the folder here."""

    name = "path"

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the path.

        Raises:
            BadParameter: it is empty, or not what is asked for.
        """
        if not os.fsdecode(value).strip():
            self.fail(f"{os.fsdecode(value)!r} names no file or folder", param, ctx)
        return super().convert(value, param, ctx)


def check_place(path: Path) -> None:
    """See that a file can be written to *path*, before the work that it will hold is done.

    Raises:
        InputError: it is a folder, or its folder does not exist.
        OSError: there is no permission or no room; the error's file name is *path*.
    """
    with _named(path):
        place = _place(path)
        if _is_plain(place):
            with _beside(place) as (partial, stream):
                stream.write(bytes(_PROBE))
                stream.flush()
                partial.unlink()


@contextmanager
def written(path: Path) -> Iterator[IO[bytes]]:
    """Open *path* for writing: what is there is replaced when everything has been written.

    What a link points to is replaced, not the link, and the file keeps its permissions. A device
    or a pipe is written as it is.

    Raises:
        InputError: as :func:`check_place`.
        OSError: as there; what was in the file is in it still.
    """
    with _named(path):
        place = _place(path)
        if not _is_plain(place):
            with place.open("wb") as stream:
                yield stream
            return
        with _beside(place) as (partial, stream):
            yield stream
            stream.flush()
            os.fsync(stream.fileno())  # some file systems find out only here that there is no room
            stream.close()
            partial.replace(place)


@contextmanager
def _named(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        error.filename = str(path)  # the name the user knows
        error.strerror = f"cannot be written: {error.strerror or error}"
        raise


def _place(path: Path) -> Path:
    """Return where *path* leads, if something may be written there."""
    place = Path(os.path.realpath(path))
    if place.is_dir():
        raise InputError(f"{str(path)!r} is a folder; it must be a file")
    if not place.parent.is_dir():
        raise InputError(f"{str(path)!r}: the folder {str(path.parent)!r} does not exist")
    if place.exists() and not os.access(place, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    return place


def _is_plain(place: Path) -> bool:
    return place.is_file() or not place.exists()


@contextmanager
def _beside(place: Path) -> Iterator[tuple[Path, IO[bytes]]]:
    """Make a file beside *place*, with its permissions, that is gone at the end if still there."""
    partial = place.with_name(f".memory-injection-{secrets.token_hex(8)}.partial")
    try:
        with partial.open("xb") as stream:
            if place.exists():
                os.chmod(partial, stat.S_IMODE(place.stat().st_mode))
            yield partial, stream
    finally:
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)
