"""``reembed``, and the ``--embedder`` of the commands that write or search."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from .bars import bar
from .options import Target, json_option, store_options
from .output import emit_json, say

if TYPE_CHECKING:
    from ..stores.vector import VectorStore

__all__ = ["embed_everything", "embedder_option", "name_refused", "reembed", "say_problem"]

F = TypeVar("F", bound=Callable[..., Any])

_MOST_NAMED = 20  # refused entries that are named one by one


def _named(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    if value is not None and not value.strip():
        raise click.BadParameter(f"{value!r} names no embedder", ctx, param)
    return value


def embedder_option(what: str, *, required: bool = False) -> Callable[[F], F]:
    """Add ``--embedder``; the command receives it as ``embedder``.

    Args:
        what: what it is for, for the help.
        required: it must be given.
    """
    return click.option(
        "--embedder", callback=_named, metavar="NAME", required=required,
        help=f"{what}: 'light', 'openai:MODEL' (at OPENAI_BASE_URL), or a"
        " sentence-transformers model or folder.",
    )  # fmt: skip


def say_problem(problem: str | None) -> None:
    """Say on stderr what was wrong with the embedder, if anything was."""
    if problem:
        say(problem)


def embed_everything(store: VectorStore, *, quiet: bool) -> dict[str, Any]:
    """Embed what has no vector, under a bar; return the figures and name what is refused.

    Raises:
        EmbeddingFailed: the embedder's trouble; what was embedded before it is kept.
    """
    with bar("embedding", store.waiting(), quiet=quiet) as progress:
        embedded = store.reembed(progress)
    refused = store.refused()
    return {
        "embedded": embedded,
        "waiting": store.waiting(),
        "refused": [{"id": one.id, "reason": one.reason} for one in refused],
    }


def name_refused(figures: dict[str, Any]) -> None:
    """Say on stderr which entries the embedder refuses."""
    refused = figures["refused"]
    for one in refused[:_MOST_NAMED]:
        say(f"the embedder refuses {one['id']}: {one['reason']}")
    if len(refused) > _MOST_NAMED:
        say(f"{len(refused) - _MOST_NAMED} more refused entries; --json names them all")


@click.command(
    short_help="Give every memory a vector of an embedder.",
    epilog="""\b
Examples:
  memory-injection reembed --embedder light
  memory-injection reembed --embedder openai:text-embedding-3-small --json
""",
)
@embedder_option("What makes the vectors", required=True)
@json_option
@store_options
def reembed(embedder: str, as_json: bool, target: Target) -> None:
    """Embed every entry that has no vector of the embedder's model, whoever's it is.

    Needed after a change of model, and for a file that was written without one. May be broken off
    and goes on where it was. Entries that the embedder refuses are tried again and named; the exit
    code is then 1. --user and its kin change nothing: a file has one model.
    """
    with target.open_vectors(embedder) as store:
        figures = embed_everything(store, quiet=as_json)
    if as_json:
        emit_json(figures)
    else:
        click.echo(f"{figures['embedded']} embedded, {len(figures['refused'])} refused")
        name_refused(figures)
    if figures["refused"]:
        raise click.exceptions.Exit(1)
