"""Options that several commands share: which file, whose memory, how to print."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ..errors import InputError
from ..records import Scope

if TYPE_CHECKING:
    from ..stores.sqlite import SQLiteStore

__all__ = ["Target", "default_store", "json_option", "store_options"]

F = TypeVar("F", bound=Callable[..., Any])


def default_store() -> Path:
    r"""Return the file used when ``--store`` is left out.

    ``$MEMORY_INJECTION_DB``, else ``memory.db`` in click's application folder (on Linux
    ``~/.config/memory-injection``, on macOS ``~/Library/Application Support/memory-injection``,
    on Windows ``%APPDATA%\memory-injection``).
    """
    named = os.environ.get("MEMORY_INJECTION_DB", "").strip()
    return Path(named) if named else Path(click.get_app_dir("memory-injection")) / "memory.db"


@dataclass(frozen=True, slots=True)
class Target:
    """The memory a command speaks of: the file and whose memory in it."""

    path: Path
    scope: Scope

    def open(self, *, create: bool = False) -> SQLiteStore:
        """Open the file; the caller closes it.

        Args:
            create: make the file and its folder when they are not there. Commands that read do
                not: a mistyped path is an error, not an empty memory.

        Raises:
            InputError: the file is not there and *create* is false, or it is a folder.
        """
        from ..stores.sqlite import SQLiteStore

        if self.path.is_dir():
            raise InputError(f"--store {str(self.path)!r} is a folder; it must be a file")
        if not create and not self.path.exists():
            raise InputError(
                f"--store {str(self.path)!r}: there is no such file; "
                "'memory-injection add' or 'import' makes it"
            )
        if create:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        return SQLiteStore(self.path, writable=create or os.access(self.path, os.W_OK))


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
        click.option("--store", type=click.Path(path_type=Path), metavar="PATH",
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
