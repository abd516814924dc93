"""What goes to the screen: tables for a person, JSON for a program, one line for trouble."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

import click

__all__ = ["clean", "dump", "emit", "emit_json", "say", "shorten", "show_table", "stamp"]

_ONE_LINE = ("id", "when")  # what people copy must not be broken over two lines

_USUAL_WORD = 13  # characters; longer words are broken where a terminal is narrow

# C0 and C1 controls but tab and line feed: stored text must not steer the reader's terminal.
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def clean(text: str) -> str:
    """Return *text* with control characters (terminal escapes) and lone surrogates made visible."""
    text = _CONTROLS.sub("\N{REPLACEMENT CHARACTER}", text)
    return text.encode("utf-8", "replace").decode("utf-8")


def shorten(text: str, width: int = 300) -> str:
    """Return *text* on one line, at most *width* characters."""
    line = " ".join(clean(text).split())
    return line if len(line) <= width else line[: width - 1] + "…"


def stamp(moment: datetime | None) -> str:
    """Return *moment* in local time to the minute, or ""."""
    return "" if moment is None else moment.astimezone().strftime("%Y-%m-%d %H:%M")


def say(line: str) -> None:
    """Write one line for a person to stderr, led by the program's name."""
    click.echo(f"memory-injection: {shorten(line, 1000)}", err=True)


def dump(value: Any, *, indent: int | None = None) -> str:
    """Return *value* as JSON; text stays readable unless it holds what UTF-8 cannot carry."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return json.dumps(value, indent=indent)
    return text


def emit_json(value: Any) -> None:
    """Write *value* to stdout as indented JSON, in UTF-8 whatever the locale."""
    emit(dump(value, indent=2) + "\n")


def emit(text: str) -> None:
    """Write *text* to stdout in UTF-8 whatever the locale."""
    sys.stdout.buffer.write(text.encode("utf-8"))
    sys.stdout.buffer.flush()


def show_table(
    columns: Sequence[str], rows: Iterable[Sequence[str]], *, title: str = "", err: bool = False
) -> None:
    """Draw a table; a column named ``>x`` is right-aligned, ids and times stay on one line.

    On a terminal too narrow for that, lines run over its edge: half a number would be read as one.
    """
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, title=title or None, title_justify="left", pad_edge=False)
    for column in columns:
        right = column.startswith(">")
        table.add_column(
            column.lstrip(">"), justify="right" if right else "left",
            no_wrap=right or column in _ONE_LINE, overflow="fold",
        )  # fmt: skip
    cells = [[clean(cell) for cell in row] for row in rows]
    for row in cells:
        table.add_row(*map(Text, row))
    console = Console(stderr=err, highlight=False)
    console.width = max(console.width, _least_width(columns, cells))
    console.print(table, crop=False)


def _least_width(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> int:
    """Return the characters a line needs: numbers whole, other cells by words of usual length."""
    from rich.cells import cell_len

    least = 1
    for column, *cells in zip(columns, *rows, strict=True):
        whole = column.startswith(">") or column in _ONE_LINE
        texts = [column.lstrip(">"), *cells]
        parts = texts if whole else [word for text in texts for word in text.split()]
        longest = max(map(cell_len, parts), default=0)
        least += 3 + (longest if whole else min(longest, _USUAL_WORD))
    return least
