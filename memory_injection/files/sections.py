"""``MEMORY.md`` cut at its headings, the way CommonMark sees them.

A ``#`` inside a code fence, an indented code block or an HTML comment is not a heading; neither is
one inside a quote or a list.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

__all__ = ["Section", "split_sections"]

_SEPARATOR = " > "


@dataclass(frozen=True, slots=True)
class Section:
    """One section: its heading path and the text up to the next heading.

    Attributes:
        path: the headings above and including its own, outermost first; empty for the text
            before the first heading.
        text: what stands below the heading, without blank lines around it; may be empty.
    """

    path: tuple[str, ...]
    text: str

    @property
    def title(self) -> str:
        """Return the heading path as one line, e.g. ``"Preferences > Editor"``."""
        return _SEPARATOR.join(self.path)


def split_sections(text: str) -> list[Section]:
    """Return the sections of *text* (line feeds only) in order.

    A heading with nothing below it is a section of its own (its words are the memory); one that
    only holds deeper headings is not.
    """
    lines = text.split("\n")
    sections: list[Section] = []
    path: list[tuple[int, str]] = []
    start = 0
    for level, title, first, after in _headings(text):
        leaf = bool(path) and level <= path[-1][0]
        _keep(sections, path, lines[start:first], leaf)
        path = [(depth, name) for depth, name in path if depth < level]
        path.append((level, title))
        start = after
    _keep(sections, path, lines[start:], leaf=bool(path))
    return sections


def _keep(
    sections: list[Section], path: list[tuple[int, str]], lines: list[str], leaf: bool
) -> None:
    text = "\n".join(lines).strip("\n")
    if text.strip() or leaf:
        sections.append(Section(tuple(name for _, name in path), text))


def _headings(text: str) -> Iterator[tuple[int, str, int, int]]:
    """Yield (level, title, first line, line after) of each top-level heading."""
    tokens = _parser().parse(text)
    for opening, inline in pairwise(tokens):
        if opening.type == "heading_open" and opening.level == 0 and opening.map:
            title = " ".join(inline.content.split())
            yield int(opening.tag[1:]), title, opening.map[0], opening.map[1]


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    # Only the block structure matters here; inline parsing would be most of the time.
    return MarkdownIt("commonmark").disable(["inline", "text_join"])
