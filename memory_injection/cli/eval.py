"""``eval``: how well a store recalls, measured on a data set of the user's."""

from __future__ import annotations

import functools
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .output import emit_json, show_table
from .places import GivenPath, check_place, written

if TYPE_CHECKING:
    from ..evaluation import Corpus
    from ..evaluation.making import Maker
    from ..evaluation.running import Progress

__all__ = ["evaluate"]

_PATH = GivenPath(path_type=Path)


@dataclass(frozen=True, slots=True)
class _Asked:
    """What the shared options say."""

    store: str
    embedder: str | None
    limit: int | None
    as_json: bool
    plot: Path | None


@click.group(name="eval", short_help="Measure recall on a data set.", invoke_without_command=True)
@click.pass_context
def evaluate(ctx: click.Context) -> None:
    """Measure how well a store finds what answers a question.

    Data sets are not part of the package: PATH is a file or folder that you have. Figures: recall
    at 1, 5, 10 and 20, any@5, nDCG@10, recall in the block that a model gets, and how long a search
    takes, with 95 % intervals.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


_plot = click.option(
    "--plot", type=_PATH, metavar="FILE", help="Write recall against token budget as .png or .svg."
)


def _options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that every measurement has; the command receives them as ``asked``."""

    @click.option("--store", type=click.Choice(["sqlite", "vector", "hybrid"]), default="sqlite",
                  show_default=True, help="Words alone, vectors alone, or both.")  # fmt: skip
    @click.option("--embedder", metavar="NAME",
                  help="Embedder for vector and hybrid.  [default: all-MiniLM-L6-v2]")  # fmt: skip
    @click.option("--limit", type=click.IntRange(min=1),
                  help="Ask at most this many questions of the main figure.")  # fmt: skip
    @click.option("--json", "as_json", is_flag=True, help="Print JSON for a program.")
    @functools.wraps(command)
    def wrapped(
        store: str,
        embedder: str | None,
        limit: int | None,
        as_json: bool,
        plot: Path | None = None,
        **rest: Any,
    ) -> None:
        if embedder is not None and store == "sqlite":
            raise click.UsageError("--embedder needs --store vector or --store hybrid")
        if embedder is not None and not embedder.strip():
            raise click.UsageError(f"--embedder {embedder!r} names no embedder")
        if plot is not None:
            from ..evaluation.plotting import format_of

            check_place(plot)
            format_of(plot)
        command(asked=_Asked(store, embedder, limit, as_json, plot), **rest)

    return wrapped


@evaluate.command()
@click.argument("path", type=_PATH)
@_options
@_plot
def locomo(path: Path, asked: _Asked) -> None:
    """LoCoMo dialogues: one entry per turn, evidence turns as gold.

    The main figure takes categories 1-4; adversarial questions (5) are shown apart.
    """
    from ..evaluation import load_locomo

    _measure(_answerable(load_locomo(path), path), asked, f"LoCoMo turns, {path}")


@evaluate.command()
@click.argument("path", type=_PATH)
@_options
@_plot
def beam(path: Path, asked: _Asked) -> None:
    """BEAM chats: one entry per message, source messages as gold.

    The main figure takes the seven abilities that ask for particular messages. Event ordering and
    summarization, whose gold is spread over the whole chat, are shown apart; abstention has none.
    """
    from ..evaluation import load_beam

    _measure(_answerable(load_beam(path), path), asked, f"BEAM messages, {path}")


@evaluate.command()
@click.argument("paths", type=_PATH, nargs=-1, required=True, metavar="PATH [PATH ...]")
@_options
@_plot
def squad(paths: tuple[Path, ...], asked: _Asked) -> None:
    """SQuAD-shaped files (XQuAD, TQuAD, ...): one entry per paragraph.

    Questions are the first file's; paragraphs are those of all files.
    """
    from ..evaluation import load_squad

    _measure(
        _answerable(load_squad(paths), paths[0]), asked, f"paragraphs, {', '.join(map(str, paths))}"
    )


@evaluate.command()
@click.argument("path", type=_PATH)
@_options
def silence(path: Path, asked: _Asked) -> None:
    """Whether the best score tells answerable questions from off-topic ones (LoCoMo or BEAM)."""
    from ..evaluation.datasets import load_any
    from ..evaluation.reporting import report
    from ..evaluation.silence import listen

    corpora = _answerable(load_any(path), path)
    with _stores(asked) as maker, _progress() as progress, _manager([maker.make("memory")]) as one:
        heard = listen(corpora, one, limit=asked.limit, progress=progress)
    found = {**report(heard.run), **heard.report(), **_how(maker)}
    if asked.as_json:
        emit_json(found)
        return
    _show(found, f"silence, {path}", maker)
    low, high = found["kept_at_10pct_false_ci95"]
    kept = [
        ("other memories' questions", f"{found['kept_at_10pct_false']:.3f} ({low:.3f}-{high:.3f})"),
        ("the same, this memory's names", f"{found['kept_at_10pct_false_same_names']:.3f}"),
        ("everyday asks", f"{found['kept_at_10pct_false_everyday']:.3f}"),
    ]
    show_table(["off-topic questions", ">answerable kept at 10 % false"], kept)


@evaluate.command()
@_options
def followups(asked: _Asked) -> None:
    """Short asks that lean on the turn before, with the follow-up rule and without it.

    The set is part of the package: 146 two-turn asks in English, Turkish, Chinese and Japanese.
    """
    from ..evaluation.followups import run_follow_ups

    with _stores(asked) as maker, _progress() as progress:
        found = run_follow_ups(maker.make, limit=asked.limit, progress=progress)
    found |= _how(maker)
    if asked.as_json:
        emit_json(found)
        return
    names = ("n", "R@1", "R@5", "R@10")
    rows = [
        [kind, *(f"{each[name]:g}" for name in names)]
        for run, whole in found["runs"].items()
        for kind, each in ((run, whole), *((f"  {k}", v) for k, v in whole["by_language"].items()))
    ]
    show_table(["asks", *(f">{name}" for name in names)], rows, title=_title("follow-ups", maker))
    click.echo(
        f"taken for follow-ups: {found['recognised']:.1%} of these asks,"
        f" {found['first_asks_taken']:.1%} of the asks before them"
    )


@evaluate.command()
@click.argument("path", type=_PATH)
@_options
def stores(path: Path, asked: _Asked) -> None:
    """One set (LoCoMo or BEAM) in one store and dealt over three, with every trouble."""
    from ..evaluation.datasets import load_any
    from ..evaluation.reporting import left_out
    from ..evaluation.splitting import split_runs

    corpora = _answerable(load_any(path), path)
    with _stores(asked) as maker, _progress() as progress:
        found = split_runs(corpora, maker.make, limit=asked.limit, progress=progress)
    found |= _how(maker)
    if asked.as_json:
        emit_json(found)
        return
    memory = found["memory"]
    names = ("n", "R@5", "R@10", "R@20", "p50_ms", "p95_ms")
    show_table(
        ["stores", *(f">{name}" for name in names)],
        [[run.replace("_", " "), *(f"{each[name]:g}" for name in names)]
         for run, each in found["runs"].items()],
        title=_title(f"one set over three stores, {path}", maker),
    )  # fmt: skip
    click.echo(f"R@10 lost by dealing the set over three stores: {found['R@10_lost']:.4f}")
    click.echo(
        f"slowest search beside a store that never answers: {found['hanging_slowest_ms']:.0f} ms"
        f" (deadline {found['deadline_ms']:.0f} ms)"
    )
    click.echo(f"{memory['entries']} entries remembered{left_out(memory)}")


def _answerable(corpora: list[Corpus], path: Path) -> list[Corpus]:
    """Return *corpora*, some of which must have a question with an answer."""
    from ..errors import InputError

    if not any(corpus.questions for corpus in corpora):
        raise InputError(f"{path}: no question in it has an answer among its entries")
    return corpora


def _measure(corpora: Sequence[Corpus], asked: _Asked, title: str) -> None:
    from ..evaluation import measure
    from ..evaluation.plotting import BUDGETS, bars, draw, format_of
    from ..evaluation.reporting import report

    with _stores(asked) as maker, _progress() as progress, _manager([maker.make("memory")]) as one:
        run = measure(corpora, one, limit=asked.limit, progress=progress)
    found = {**report(run), **_how(maker)}
    curve = {budget: found["recall_by_token_budget"][str(budget)] for budget in BUDGETS}
    if asked.as_json:
        emit_json(found)
    else:
        _show(found, title, maker)
        click.echo(f"Recall when entries are packed into a budget:\n{bars(curve)}")
    if asked.plot is not None:  # last: a full disk must not cost the figures
        with written(asked.plot) as file:
            draw(curve, file, format_of(asked.plot), title)


def _show(found: Mapping[str, Any], title: str, maker: Maker) -> None:
    from ..evaluation.reporting import columns, notes, rows

    names = [f">{name}" for name in columns(found)]
    show_table(["questions", *names], rows(found), title=_title(title, maker))
    click.echo(f"{notes(found)}\n")


def _title(what: str, maker: Maker) -> str:
    by = f"{maker.kind} store, {maker.embedder}" if maker.embedder else f"{maker.kind} store"
    return f"{what} ({by})"


def _how(maker: Maker) -> dict[str, Any]:
    return {"store": maker.kind, "embedder": maker.embedder}


@contextmanager
def _stores(asked: _Asked) -> Iterator[Maker]:
    from ..evaluation.making import Maker

    with tempfile.TemporaryDirectory(prefix="memory-injection-eval-") as folder:
        yield Maker(asked.store, Path(folder), asked.embedder)


@contextmanager
def _manager(made: list[Any]) -> Iterator[Any]:
    from ..config import InjectionConfig
    from ..manager import MemoryManager

    with MemoryManager(stores=made, injection=InjectionConfig(timeout=60.0)) as manager:
        yield manager


@contextmanager
def _progress() -> Iterator[Progress | None]:
    """Show a bar on stderr for as long as the work takes, if somebody is there to see it."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress as Bar

    with Bar(console=Console(stderr=True), transient=True) as bar:
        tasks: dict[str, Any] = {}

        def tell(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = bar.add_task(what, total=total)
            bar.update(tasks[what], completed=done, total=total)

        yield tell
