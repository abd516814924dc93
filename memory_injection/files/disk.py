"""Reading one file safely: regular files only, never through a link, never too much.

Everything here speaks of one open file descriptor, so that what was checked is what is read.
"""

from __future__ import annotations

import errno
import os
import stat
from typing import NamedTuple

__all__ = ["Identity", "UnreadableFileError", "identity_of", "line_feeds", "read_text"]

# On Windows neither flag exists: there links are caught by the lstat before the open alone.
_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)  # a FIFO must not hang the search
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_CLOEXEC", 0)
)


class Identity(NamedTuple):
    """What tells one state of a file from another without reading it.

    The change time is in it because a program can set a file's modification time back, and not
    this one.
    """

    device: int
    inode: int
    size: int
    mtime_ns: int
    ctime_ns: int


class UnreadableFileError(ValueError):
    """A file that is skipped; the message says why.

    Attributes:
        identity: the state of the file that was found unreadable; None where the system would not
            give it, which may be over a moment later.
    """

    def __init__(self, reason: str, identity: Identity | None = None) -> None:
        """Keep the *reason* and the state it speaks of."""
        super().__init__(reason)
        self.identity = identity


def identity_of(found: os.stat_result) -> Identity:
    """Return the identity in a stat result."""
    return Identity(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


def read_text(path: str | os.PathLike[str], limit: int) -> tuple[Identity, str]:
    """Read a regular file as UTF-8 text with line feeds, without a byte order mark.

    Returns the identity the file had before it was read: a change during the read shows as a new
    identity the next time.

    Raises:
        UnreadableFileError: a link, not a regular file, larger than *limit* bytes, not UTF-8, or
            with NUL in it.
        FileNotFoundError: it went away.
    """
    identity, data = _read(path, limit)
    if len(data) > limit:
        raise UnreadableFileError(f"it is larger than {limit} bytes", identity)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableFileError(f"it is not UTF-8 (byte {error.start})", identity) from None
    if "\x00" in text:
        raise UnreadableFileError("it holds NUL", identity)
    return identity, line_feeds(text)


def line_feeds(text: str) -> str:
    """Return *text* with every line end, of whatever system, as one line feed."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _read(path: str | os.PathLike[str], limit: int) -> tuple[Identity, bytes]:
    try:
        descriptor = os.open(path, _FLAGS)
        try:
            return _read_open(descriptor, limit)
        finally:
            os.close(descriptor)
    except FileNotFoundError:
        raise
    except OSError as error:
        reason = "it is a link" if error.errno == errno.ELOOP else str(error.strerror)
        raise UnreadableFileError(reason) from None


def _read_open(descriptor: int, limit: int) -> tuple[Identity, bytes]:
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode):
        raise UnreadableFileError("it is not a regular file")
    with open(descriptor, "rb", closefd=False) as file:
        return identity_of(found), file.read(limit + 1)
