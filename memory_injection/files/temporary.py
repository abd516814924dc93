"""Temporary files beside the records: how they are named, and which have lost their writer."""

from __future__ import annotations

import contextlib
import os
import platform
import secrets
import time
from hashlib import blake2b
from pathlib import Path

__all__ = ["PREFIX", "is_abandoned", "is_temporary", "new_name", "sweep"]

PREFIX = ".tmp-"
ABANDONED_SECONDS = 60.0
"""A write takes milliseconds; after this even an unknown writer of another machine has died."""


def new_name() -> str:
    """Return a name that tells which process of which machine is writing."""
    return f"{PREFIX}{_place()}-{os.getpid()}-{secrets.token_hex(8)}"


def is_temporary(name: str) -> bool:
    """Tell whether a file of this name is one of ours."""
    return name.startswith(PREFIX)


def is_abandoned(name: str, modified: float, seconds: float = ABANDONED_SECONDS) -> bool:
    """Tell whether the writer of a temporary file is gone.

    Args:
        name: the file's name.
        modified: when it was last written to, seconds since 1970.
        seconds: an age that no write reaches.
    """
    if time.time() - modified > seconds:
        return True
    place, _, process = name.removeprefix(PREFIX).rpartition("-")[0].partition("-")
    return place == _place() and process.isdecimal() and not _runs(int(process))


def sweep(folder: Path, seconds: float = ABANDONED_SECONDS) -> None:
    """Remove what writers that died have left in *folder*."""
    for path in folder.glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):
            if is_abandoned(path.name, path.lstat().st_mtime, seconds):
                path.unlink()


def _place() -> str:
    """Return a short name of this machine and process space: pids of another mean nothing here."""
    space = ""
    with contextlib.suppress(OSError, AttributeError):
        space = os.readlink("/proc/self/ns/pid")
    return blake2b(f"{platform.node()}:{space}".encode(), digest_size=4).hexdigest()


def _runs(process: int) -> bool:
    if os.name == "nt":  # signal 0 would end the process there
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
