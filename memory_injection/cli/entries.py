"""``add``, ``search``, ``list`` and ``forget``: one file of memories, entry by entry."""

from __future__ import annotations

from typing import Any

import click

from ..errors import InputError
from ..records import MemoryEntry, Scope, SearchOptions
from .embedding import embedder_option, say_problem
from .options import Target, json_option, make_sure, read_stdin, store_options
from .output import clean, emit_json, show_table, stamp

__all__ = ["add", "forget", "list_entries", "search"]


@click.command(
    short_help="Remember a text.",
    epilog="""\b
Examples:
  memory-injection add "The user's train leaves at 08:40." --user u1
  memory-injection add "Retros are on Friday." --meta team=core --meta source=wiki
  memory-injection add "Retros are on Friday." --embedder light
  cat note.txt | memory-injection add -
""",
)
@click.argument("text")
@click.option("--meta", multiple=True, metavar="KEY=VALUE", help="Metadata; may be repeated.")
@embedder_option("Also keep a vector of it")
@json_option
@store_options
def add(
    text: str, meta: tuple[str, ...], embedder: str | None, as_json: bool, target: Target
) -> None:
    """Remember TEXT ("-" reads it from stdin) and print its id."""
    if text == "-":
        text = read_stdin()
    metadata = dict(_pair(word) for word in meta)
    if embedder is None:
        with target.open(create=True) as store:
            ident = store.add(text, metadata or None, scope=target.scope)
    else:
        with target.open_vectors(embedder, create=True) as vectors:
            added: Any = vectors.add(text, metadata or None, scope=target.scope)
            say_problem(vectors.problem)
        ident = added
    if as_json:
        emit_json({"id": ident})
    else:
        click.echo(ident)


def _pair(word: str) -> tuple[str, str]:
    key, equals, value = word.partition("=")
    if not equals or not key:
        raise click.BadParameter(f"{word!r} must be KEY=VALUE", param_hint="--meta")
    return key, value


@click.command(
    short_help="Find memories, best first.",
    epilog="""\b
Examples:
  memory-injection search "when does the train leave?" --user u1
  memory-injection search train --limit 20 --json
  memory-injection search "how do I get to work?" --embedder light
""",
)
@click.argument("query")
@click.option("--limit", "-k", type=click.IntRange(1, 1000), default=10, show_default=True,
              help="Most entries to show.")  # fmt: skip
@embedder_option("Search by meaning too")
@json_option
@store_options
def search(query: str, limit: int, embedder: str | None, as_json: bool, target: Target) -> None:
    """Find memories that fit QUERY, best first."""
    if not query.strip():
        raise InputError("QUERY must not be blank; 'list' shows everything")
    options: SearchOptions = {"max_search_results": limit, "scope": target.scope}
    if embedder is None:
        with target.open() as store:
            found = store.search(query, options)
    else:
        with target.open_vectors(embedder) as vectors:
            by_both: Any = vectors.search(query, options)
        found = by_both
        say_problem(by_both.problem)
    _print(found, as_json, scores=True)


@click.command(
    "list",
    epilog="""\b
Examples:
  memory-injection list --user u1
  memory-injection list --limit 5 --json
""",
)
@click.option("--limit", "-n", type=click.IntRange(1, 100_000), default=50, show_default=True,
              help="Most entries to show.")  # fmt: skip
@json_option
@store_options
def list_entries(limit: int, as_json: bool, target: Target) -> None:
    """Show the newest memories."""
    with target.open() as store:
        found = store.list(scope=target.scope, limit=limit)
    _print(found, as_json, scores=False)


@click.command(
    short_help="Erase memories, one by one or all of a user.",
    epilog="""\b
Examples:
  memory-injection forget 3f0c --user u1
  memory-injection forget --everything --user u1 --yes
""",
)
@click.argument("ids", nargs=-1, metavar="[ID]...")
@click.option("--everything", is_flag=True, help="All that was written for the ids given.")
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@json_option
@store_options
def forget(
    ids: tuple[str, ...], everything: bool, yes: bool, as_json: bool, target: Target
) -> None:
    """Erase memories by ID, or everything that is a user's, a session's, an agent's or a run's."""
    if ids and everything:
        raise click.UsageError("name the entries by ID or say --everything, not both")
    if not ids and not everything:
        raise click.UsageError("name the entries by ID, or say --everything")
    if everything:
        _make_sure(target.scope, yes)
    with target.open() as store:
        if everything:
            gone = store.erase(target.scope)
        else:
            gone = sum(store.forget(ident, scope=target.scope) for ident in ids)
    if as_json:
        emit_json({"forgotten": gone})
    else:
        click.echo(f"{gone} forgotten")
    if gone < len(ids):
        raise click.ClickException(f"{len(ids) - gone} of {len(ids)} ids are not in this scope")


def _make_sure(scope: Scope, yes: bool) -> None:
    whose = ", ".join(f"{name}={value}" for name, value in scope.ids().items())
    if not whose:
        raise click.UsageError("--everything needs --user, --session, --agent or --run: whose?")
    make_sure(f"Erase every entry written for {whose}?", yes)


def _print(entries: list[MemoryEntry], as_json: bool, *, scores: bool) -> None:
    if as_json:
        emit_json([entry.to_dict() for entry in entries])
        return
    if not entries:
        click.echo("nothing found" if scores else "nothing remembered yet", err=True)
        return
    score = [">score"] if scores else []
    show_table(["id", *score, "when", "whose", "text"], [_row(e, scores) for e in entries])


def _row(entry: MemoryEntry, scores: bool) -> list[str]:
    score = "-" if entry.score is None else f"{entry.score:.3f}"
    said = [stamp(entry.created_at), _whose(entry), clean(entry.content)]
    return [entry.id or "-", *([score] if scores else []), *said]


def _whose(entry: MemoryEntry) -> str:
    ids = entry.scope.ids() if entry.scope else {}
    return " ".join(f"{name}={value}" for name, value in ids.items()) or "shared"
