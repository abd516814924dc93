"""The command group and the guard around it: exit codes, one clear line, never a traceback."""

from __future__ import annotations

import errno
import importlib
import io
import logging
import os
import sqlite3
import sys
from collections.abc import Sequence
from typing import Any

import click

from .._version import __version__
from ..errors import ConfigurationError, InputError, MemoryInjectionError, MissingDependencyError
from .output import say

__all__ = ["COMMANDS", "PROGRAM", "app", "main"]

PROGRAM = "memory-injection"
_FAILED = 1
_USAGE = 2
_UNWRITABLE = (errno.ENOSPC, errno.EIO, errno.EDQUOT, errno.EFBIG)
_INTERRUPTED = 130  # 128 + SIGINT, what a shell reports for a program that Ctrl-C ended

# Command name to where it lives. Loaded when asked for, so that one command's optional
# dependency never stops another.
COMMANDS: dict[str, str] = {
    "demo": ".demo:demo",
    "add": ".entries:add",
    "search": ".entries:search",
    "list": ".entries:list_entries",
    "forget": ".entries:forget",
    "import": ".transfer:import_entries",
    "export": ".transfer:export_entries",
    "reembed": ".embedding:reembed",
    "inject": ".inject:inject",
    "facts": ".facts:facts",
    "eval": ".eval:evaluate",
    "doctor": ".doctor:doctor",
}


class LazyGroup(click.Group):
    """A group whose commands are imported when they are asked for, in the order of the table."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the command names in the order in which a newcomer meets them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command, or one that says in a line what is missing to load it."""
        place = COMMANDS.get(cmd_name)
        if place is None:
            return None
        module, _, attribute = place.partition(":")
        try:
            found = getattr(importlib.import_module(module, __package__), attribute)
        except ImportError as error:
            return _unavailable(cmd_name, error)
        assert isinstance(found, click.Command)
        return found


def _unavailable(name: str, error: ImportError) -> click.Command:
    def refuse(**_: object) -> None:
        raise click.ClickException(f"{name} is not available: {error}")

    return click.Command(
        name,
        callback=refuse,
        params=[click.Argument(["rest"], nargs=-1, type=click.UNPROCESSED)],
        context_settings={"ignore_unknown_options": True, "help_option_names": []},
        short_help=f"(not available: {error})",
    )


@click.group(
    cls=LazyGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Start with:  memory-injection demo",
)
@click.version_option(__version__, "-V", "--version", prog_name=PROGRAM)
@click.pass_context
def app(ctx: click.Context) -> None:
    """Long-term memory for chat-completion calls.

    Memories live in one SQLite file: --store PATH, else $MEMORY_INJECTION_DB, else memory.db in
    this user's data folder ('memory-injection doctor' says which).
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def main(args: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code: 0, 1 failed, 2 wrong usage, 130 interrupted.

    Args:
        args: the words after the program's name; None reads them from the process.
    """
    _settle_streams()
    try:
        outcome = app.main(args, prog_name=PROGRAM, standalone_mode=False)
        sys.stdout.flush()
    except (Exception, KeyboardInterrupt) as error:
        return _report(error)
    return outcome if isinstance(outcome, int) else 0


def _settle_streams() -> None:
    """Let tables through on a terminal that is not UTF-8, and keep log lines out of the way."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    logging.getLogger("memory_injection").addHandler(logging.NullHandler())


def _report(error: Exception | KeyboardInterrupt) -> int:
    if os.environ.get("MEMORY_INJECTION_DEBUG"):
        raise error
    if isinstance(error, BrokenPipeError):
        return _reader_went_away()
    if isinstance(error, (click.Abort, KeyboardInterrupt)):
        say("interrupted")
        return _INTERRUPTED
    if isinstance(error, click.UsageError):
        return _usage(error)
    if isinstance(error, click.ClickException):
        say(error.format_message())
        return error.exit_code
    code, line = _code_and_line(error)
    say(line)
    if isinstance(error, OSError) and error.errno in _UNWRITABLE and not error.filename:
        _drop_stdout()
    return code


def _usage(error: click.UsageError) -> int:
    path = error.ctx.command_path if error.ctx else PROGRAM
    say(f"{error.format_message().rstrip('.')}; try '{path} --help'")
    return _USAGE


def _code_and_line(error: Exception) -> tuple[int, str]:
    if isinstance(error, MissingDependencyError):
        return _FAILED, str(error)
    if isinstance(error, (InputError, ConfigurationError)):
        return _USAGE, str(error)
    if isinstance(error, MemoryInjectionError):
        return _FAILED, str(error)
    if isinstance(error, sqlite3.Error):
        return _FAILED, f"the database answered: {error}"
    if isinstance(error, OSError):
        # Files and folders are named by what opened them; what is left was written to a stream.
        where = error.filename or ("<stdout>" if error.errno in _UNWRITABLE else None)
        return _FAILED, f"{where}: {error.strerror}" if where else str(error.strerror or error)
    kind = type(error).__name__
    return _FAILED, f"internal error: {kind}: {error} (MEMORY_INJECTION_DEBUG=1 shows where)"


def _drop_stdout() -> None:
    # Python flushes stdout once more at exit; what cannot be written would be a traceback there.
    nowhere: Any = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def _reader_went_away() -> int:
    _drop_stdout()
    return _FAILED  # as click itself does when it notices first
