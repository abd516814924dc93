"""``facts``: the versioned memory of one agent, as one end user's run sees it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import FactRefused, InputError
from .options import (
    StorePath,
    default_store,
    json_option,
    make_sure,
    read_stdin,
    ready_folder,
)
from .output import clean, emit_json, show_table, stamp

if TYPE_CHECKING:
    from ..facts import Fact, FactRun, FactStore

__all__ = ["facts"]


@click.group(
    invoke_without_command=True,
    epilog="""\b
Examples:
  memory-injection facts remember "Prefers tea." --user u1 --path "users/{user}/"
  memory-injection facts search tea --user u1
  memory-injection facts history m_0123456789abcdef0123
""",
)
@click.pass_context
def facts(ctx: click.Context) -> None:
    """Versioned facts in folders, one folder per end user."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


class Place:
    """Which file, and as whom it is looked at."""

    def __init__(self, path: Path, agent: str, run: str, user: str | None) -> None:
        """Keep the file and the ids."""
        self.path, self.agent, self.run, self.user = path, agent, run, user

    @contextmanager
    def store(self, *, create: bool = False) -> Iterator[FactStore]:
        """Open the file; one that is not there is an error unless *create* is given.

        Raises:
            InputError: the file is not there, or it is a folder.
        """
        from ..facts import FactStore

        if self.path.is_dir():
            raise InputError(f"--store {str(self.path)!r} is a folder; it must be a file")
        if create:
            ready_folder(self.path)
        elif not self.path.exists():
            raise InputError(
                f"--store {str(self.path)!r}: there is no such file; "
                "'memory-injection facts remember' makes it"
            )
        with FactStore(self.path) as store:
            yield store

    @contextmanager
    def open(self, *, create: bool = False) -> Iterator[FactRun]:
        """Open the file and look at it as the run the options name."""
        try:
            with (
                self.store(create=create) as store,
                store.open(agent=self.agent, run=self.run, user=self.user) as memory,
            ):
                yield memory
        except FactRefused as error:
            if error.code == "no_user":
                raise click.ClickException(f"{error}; give --user ID") from None
            raise


def _place_options(command: Any) -> Any:
    """Add ``--store``, ``--agent``, ``--user`` and ``--run``; the command receives ``place``."""

    @wraps(command)
    def wrapper(
        *args: Any, store: Path | None, agent: str, user: str | None, run: str, **rest: Any
    ) -> Any:
        return command(*args, place=Place(store or default_store(), agent, run, user), **rest)

    options = [
        click.option("--store", type=StorePath(), metavar="PATH",
                     help="The SQLite file  [default: $MEMORY_INJECTION_DB or the user's own]."),
        click.option("--agent", metavar="ID", default="default", show_default=True,
                     help="Whose memory: the agent's id."),
        click.option("--user", metavar="ID", help="The end user; without one, shared facts only."),
        click.option("--run", metavar="ID", default="cli", show_default=True,
                     help="The run that is named as the source."),
    ]  # fmt: skip
    placed: Any = wrapper
    for option in reversed(options):
        placed = option(placed)
    return placed


_path = click.option(
    "--path", metavar="FOLDER", help="A folder, e.g. companies/7/ or users/{user}/."
)
_tags = click.option("--tag", "tags", multiple=True, help="A tag; may be repeated.")


@facts.command()
@click.argument("text")
@_path
@_tags
@click.option("--confidence", type=float, metavar="0..1", help="How sure you are.")
@click.option("--key", metavar="KEY", help="Makes the write idempotent in this run.")
@click.option("--replaces", metavar="ID", help="Write a new version of this fact.")
@click.option("--expected-version", type=int, metavar="N", help="Refuse unless it is current.")
@json_option
@_place_options
def remember(text: str, as_json: bool, place: Place, **given: Any) -> None:
    """Write TEXT ("-" reads it from stdin) and print the fact's id."""
    if text == "-":
        text = read_stdin()
    with place.open(create=True) as memory:
        fact = memory.remember(text, **given)
    if as_json:
        emit_json(fact.to_dict())
    else:
        click.echo(fact.id)


@facts.command()
@click.argument("query")
@click.option("-k", "k", type=int, default=5, show_default=True, help="Most facts, 1-50.")
@click.option("--path", "paths", multiple=True, metavar="FOLDER", help="Only below; may repeat.")
@_tags
@json_option
@_place_options
def search(
    query: str, k: int, paths: tuple[str, ...], tags: tuple[str, ...], as_json: bool, place: Place
) -> None:
    """Find facts that fit QUERY, best first; "" shows the newest."""
    with place.open() as memory:
        found = memory.search(query, k=k, tags=tags, paths=list(paths) or None)
    _show(found, as_json, scores=True)


@facts.command("list")
@_path
@_tags
@click.option("--limit", "-n", type=int, default=50, show_default=True, help="Most, 1-200.")
@click.option("--cursor", metavar="CURSOR", help="Go on where the page before ended.")
@json_option
@_place_options
def list_facts(as_json: bool, place: Place, **given: Any) -> None:
    """Show facts, last updated first."""
    with place.open() as memory:
        page = memory.list(**given)
    if as_json:
        emit_json({"facts": [f.to_dict() for f in page], "next_cursor": page.next_cursor})
        return
    _show(page, as_json)
    if page.next_cursor:
        click.echo(f"more: --cursor {page.next_cursor}", err=True)


@facts.command()
@click.argument("id")
@json_option
@_place_options
def get(id: str, as_json: bool, place: Place) -> None:
    """Show the current version of the fact ID."""
    with place.open() as memory:
        fact = memory.get(id)
    if as_json:
        emit_json(fact.to_dict())
    else:
        _show([fact], as_json)


@facts.command()
@click.argument("id")
@json_option
@_place_options
def history(id: str, as_json: bool, place: Place) -> None:
    """Show every version of the fact ID, oldest first, and who wrote it."""
    with place.open() as memory:
        versions = memory.history(id)
    if as_json:
        emit_json([fact.to_dict() for fact in versions])
        return
    show_table(
        [">version", "updated", "by", "run", "path", "tags", "text"],
        [
            [
                str(fact.version),
                stamp(fact.updated_at),
                fact.source.written_by,
                fact.source.run_id or "-",
                fact.path or "/",
                " ".join(fact.tags),
                clean(fact.text),
            ]
            for fact in versions
        ],
    )


@facts.command()
@click.argument("id")
@json_option
@_place_options
def forget(id: str, as_json: bool, place: Place) -> None:
    """Forget the fact ID with all its versions."""
    with place.open() as memory:
        memory.forget(id)
    if as_json:
        emit_json({"forgotten": id})
    else:
        click.echo(f"{clean(id)} forgotten")


@facts.command("erase-user")
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@json_option
@_place_options
def erase_user(yes: bool, as_json: bool, place: Place) -> None:
    """Erase everything of --user with --agent, from the file too."""
    if place.user is None:
        raise click.UsageError("name the end user to erase: --user ID")
    make_sure(f"Erase every fact of user {place.user!r} with agent {place.agent!r}?", yes)
    with place.store() as store:
        erased = store.erase_user(place.agent, place.user)
    if as_json:
        emit_json({"erased": erased})
    else:
        click.echo(f"{erased} erased")


def _show(found: Sequence[Fact], as_json: bool, *, scores: bool = False) -> None:
    if as_json:
        emit_json([fact.to_dict() for fact in found])
        return
    if not found:
        click.echo("nothing found" if scores else "nothing remembered yet", err=True)
        return
    columns = ["id", ">v", "updated", "path", "tags", "text"]
    rows = [
        [
            fact.id,
            str(fact.version),
            stamp(fact.updated_at),
            fact.path or "/",
            " ".join(fact.tags),
            clean(fact.text),
        ]
        for fact in found
    ]
    if scores:
        columns.insert(1, ">score")
        for row, fact in zip(rows, found, strict=True):
            row.insert(1, "-" if fact.score is None else f"{fact.score:.3f}")
    show_table(columns, rows)
