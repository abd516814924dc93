"""Options that several commands share: which file, whose memory, how to print."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ..errors import InputError
from ..records import Scope

if TYPE_CHECKING:
    from ..stores.sqlite import SQLiteStore
    from ..stores.vector import VectorStore

__all__ = [
    "StorePath",
    "Target",
    "data_folder",
    "default_store",
    "json_option",
    "make_sure",
    "read_stdin",
    "ready_folder",
    "store_options",
]

F = TypeVar("F", bound=Callable[..., Any])


def default_store() -> Path:
    r"""Return the file used when ``--store`` is left out.

    ``$MEMORY_INJECTION_DB``, else ``memory.db`` in :func:`data_folder`.
    """
    named = os.environ.get("MEMORY_INJECTION_DB", "").strip()
    return Path(named) if named else data_folder() / "memory.db"


def data_folder() -> Path:
    r"""Return this user's data folder of the program, which the program makes by itself.

    On Linux ``$XDG_DATA_HOME/memory-injection``, by default ``~/.local/share/memory-injection``
    (XDG Base Directory Specification: a relative value is ignored); on macOS
    ``~/Library/Application Support/memory-injection``; on Windows ``%APPDATA%\memory-injection``.
    """
    if sys.platform in ("win32", "darwin"):
        return Path(click.get_app_dir("memory-injection"))
    named = Path(os.environ.get("XDG_DATA_HOME", ""))
    data = named if named.is_absolute() else Path.home() / ".local" / "share"
    return data / "memory-injection"


def ready_folder(path: Path) -> None:
    """Make the program's own folder if *path* is to lie there; any other must be there.

    Raises:
        InputError: another folder that does not exist.
    """
    if path.parent == data_folder():
        path.parent.mkdir(parents=True, exist_ok=True)
    elif not path.parent.is_dir():
        raise InputError(f"--store {str(path)!r}: the folder {str(path.parent)!r} does not exist")


class StorePath(click.Path):
    """The path of a database file; an empty one is refused, not taken for the folder here."""

    name = "path"

    def __init__(self) -> None:
        """Take paths as :class:`~pathlib.Path`."""
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the path.

        Raises:
            BadParameter: it is empty or a folder.
        """
        if not str(value).strip() or Path(value).is_dir():
            what = "is a folder; it must be a file" if str(value).strip() else "names no file"
            self.fail(f"{str(value)!r} {what}", param, ctx)
        return super().convert(value, param, ctx)


def make_sure(question: str, yes: bool) -> None:
    """Ask *question* unless *yes* is given.

    Raises:
        UsageError: nobody is there to answer.
        Abort: the answer is no.
    """
    if yes:
        return
    if not sys.stdin.isatty():
        raise click.UsageError("nobody is there to be asked: give --yes to erase")
    click.confirm(question, abort=True, err=True)


def read_stdin() -> str:
    """Return standard input as text, without white space around it.

    Raises:
        InputError: it is not UTF-8.
    """
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig").strip()
    except UnicodeDecodeError as error:
        raise InputError(f"<stdin>: not UTF-8 at byte {error.start}") from None


@dataclass(frozen=True, slots=True)
class Target:
    """The memory a command speaks of: the file and whose memory in it."""

    path: Path
    scope: Scope

    def open(self, *, create: bool = False) -> SQLiteStore:
        """Open the file; the caller closes it.

        Args:
            create: make the file when it is not there. Commands that read do
                not: a mistyped path is an error, not an empty memory.

        Raises:
            InputError: the file is not there and *create* is false, or it is a folder, or its
                folder is not there.
        """
        from ..stores.sqlite import SQLiteStore

        return SQLiteStore(self.path, writable=self._ready(create))

    def open_vectors(self, embedder: str, *, create: bool = False) -> VectorStore:
        """Open the file with an *embedder*, which is waited for; the caller closes it.

        Args:
            embedder: its name, see ``memory_injection.embedders.load_embedder``.
            create: as for :meth:`open`.

        Raises:
            InputError: as for :meth:`open`.
            ConfigurationError: there is no such embedder, or a package for it is missing.
        """
        from ..stores.vector import VectorStore

        return VectorStore(
            self.path, embedder=embedder, name="memory", writable=self._ready(create),
            embed_timeout=None,
        )  # fmt: skip

    def _ready(self, create: bool) -> bool:
        """Check the file; tell whether it may be written."""
        if self.path.is_dir():
            raise InputError(f"--store {str(self.path)!r} is a folder; it must be a file")
        if not create and not self.path.exists():
            raise InputError(
                f"--store {str(self.path)!r}: there is no such file; "
                "'memory-injection add' or 'import' makes it"
            )
        if create:
            ready_folder(self.path)
        return create or os.access(self.path, os.W_OK)


def store_options(command: F) -> F:
    """Add ``--store`` and the scope options; the command receives them as ``target``."""

    @functools.wraps(command)
    def wrapper(
        *args: Any, store: Path | None, user: str | None, session: str | None,
        agent: str | None, run: str | None, **rest: Any,
    ) -> Any:  # fmt: skip
        scope = Scope(user=user, session=session, agent=agent, run=run)
        return command(*args, target=Target(store or default_store(), scope), **rest)

    options = [
        click.option("--store", type=StorePath(), metavar="PATH",
                     help="The SQLite file  [default: $MEMORY_INJECTION_DB or the user's own]."),
        click.option("--user", metavar="ID", help="Whose memory: the user's id."),
        click.option("--session", metavar="ID", help="... in this session."),
        click.option("--agent", metavar="ID", help="... with this agent."),
        click.option("--run", metavar="ID", help="... in this run."),
    ]  # fmt: skip
    for option in reversed(options):
        wrapper = option(wrapper)
    return wrapper  # type: ignore[return-value]


def json_option(command: F) -> F:
    """Add ``--json``; the command receives it as ``as_json``."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON for a program.")(
        command
    )
