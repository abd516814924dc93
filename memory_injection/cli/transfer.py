"""``import`` and ``export``: memories as JSON lines."""

from __future__ import annotations

import codecs
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import click

from ..stores.transfer import ImportReport
from .bars import bar
from .embedding import embed_everything, embedder_option, name_refused
from .options import Target, json_option, store_options
from .output import emit_json, say
from .places import GivenPath, written

__all__ = ["export_entries", "import_entries"]

_MOST_NAMED = 20  # broken lines that are named one by one


@click.command(
    "import",
    short_help="Read memories as JSON lines.",
    epilog="""\b
Examples:
  memory-injection import memories.jsonl
  memory-injection import notes.jsonl --user u1 --json
  memory-injection import memories.jsonl --embedder light
  cat memories.jsonl | memory-injection import -

A line is an object with content and, if wanted, id, metadata, scope, created_at and updated_at.
""",
)
@click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@embedder_option("Also keep vectors of what the file holds then")
@json_option
@store_options
def import_entries(file: str, embedder: str | None, as_json: bool, target: Target) -> None:
    """Read memories from FILE ("-": stdin), one JSON object a line.

    Importing twice changes nothing. A broken line is named and the rest goes in; the exit code is
    then 1. --user and its kin say whose a line is that names nobody. With --embedder everything
    that has no vector is embedded afterwards, as 'reembed' does.
    """
    vectors = None if embedder is None else target.open_vectors(embedder, create=True)
    with (
        target.open(create=True) as store,
        _lines(file) as (lines, total),
        bar("importing", total, quiet=as_json) as progress,
    ):
        report = store.import_lines(lines, scope=target.scope, progress=progress)
    figures: dict[str, Any] = {"refused": []}
    if vectors is not None:
        with vectors:
            figures = embed_everything(vectors, quiet=as_json)
    if as_json:
        emit_json({**_as_dict(report), **({} if vectors is None else figures)})
    else:
        click.echo(
            f"{report.added} added, {report.updated} updated, {report.unchanged} unchanged, "
            f"{len(report.broken)} broken"
        )
        _name_broken("<stdin>" if file == "-" else file, report)
        if vectors is not None:
            click.echo(f"{figures['embedded']} embedded, {len(figures['refused'])} refused")
            name_refused(figures)
    if report.broken or figures["refused"]:
        raise click.exceptions.Exit(1)


def _as_dict(report: ImportReport) -> dict[str, Any]:
    return {
        "added": report.added,
        "updated": report.updated,
        "unchanged": report.unchanged,
        "broken": [{"line": line.number, "reason": line.reason} for line in report.broken],
    }


def _name_broken(file: str, report: ImportReport) -> None:
    for line in report.broken[:_MOST_NAMED]:
        say(f"{file} line {line.number}: {line.reason}")
    if len(report.broken) > _MOST_NAMED:
        say(f"{file}: {len(report.broken) - _MOST_NAMED} more broken lines; --json names them all")


@contextmanager
def _lines(file: str) -> Iterator[tuple[Iterator[str], int | None]]:
    """Open *file* as lines and count them; stdin cannot be counted beforehand."""
    # A byte that is no UTF-8 becomes a lone surrogate, so that it breaks its own line only.
    if file == "-":
        yield iter_text(sys.stdin.buffer), None
        return
    with open(file, "rb") as binary:
        total = sum(1 for _ in binary)
        binary.seek(0)
        yield iter_text(binary), total


def iter_text(binary: IO[bytes]) -> Iterator[str]:
    """Return the lines of *binary* as text, without the mark that some editors put in front."""
    for number, line in enumerate(binary):
        text = line.decode("utf-8", "surrogateescape")
        yield text.removeprefix("\ufeff") if number == 0 else text


@click.command(
    "export",
    short_help="Write memories as JSON lines.",
    epilog="""\b
Examples:
  memory-injection export memories.jsonl
  memory-injection export --user u1 > u1.jsonl
  memory-injection export everybody.jsonl --everybody
""",
)
@click.argument("file", type=GivenPath(dir_okay=False, allow_dash=True), default="-")
@click.option("--everybody", is_flag=True, help="Every owner's memories, whatever the scope.")
@json_option
@store_options
def export_entries(file: str, everybody: bool, as_json: bool, target: Target) -> None:
    """Write memories to FILE (default: stdout), one JSON object a line, oldest first.

    What is written is what the scope may read: the shared entries, and those of --user and its
    kin. FILE is replaced only when everything has been written. --json prints the count instead of
    a sentence; the entries are JSON either way.
    """
    with target.open() as store, _sink(file) as sink:
        count = store.export(sink, scope=target.scope, everything=everybody)
    if file == "-":
        return
    if as_json:
        emit_json({"file": file, "exported": count})
    else:
        click.echo(f"{count} exported to {file}")


@contextmanager
def _sink(file: str) -> Iterator[codecs.StreamWriter]:
    if file == "-":
        yield codecs.getwriter("utf-8")(sys.stdout.buffer)
        sys.stdout.buffer.flush()
        return
    with written(Path(file)) as stream:
        yield codecs.getwriter("utf-8")(stream)
