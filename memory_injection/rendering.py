"""The ``<memory>`` block: how entries are written and how a written block is recognised.

Built with lxml, never by pasting strings, so that no text can close the block, open a tag or add
an attribute. Characters that XML 1.0 cannot carry (section 2.2 of the recommendation) become
U+FFFD, lone surrogates included.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from .ledger_records import Shown
from .records import MemoryEntry

__all__ = [
    "KnownBlocks",
    "RecalledContext",
    "block_at",
    "find_blocks",
    "legal_text",
    "parse_block",
    "prepare",
    "render_block",
    "strip_blocks",
]

_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# Escaped text holds no raw angle bracket, so this cannot run past the block it starts in.
_BLOCK = re.compile(
    r"<memory>\n(?:<entry(?: (?:source|date|id|score)=\"[^\"<>]*\")*>[^<>]*</entry>\n)+</memory>"
)


@dataclass(frozen=True, slots=True)
class RecalledContext:
    """What ``get_context`` found.

    Attributes:
        context_text: one ``<memory>`` block, within the budget.
        entries: the memories it shows, best first.
        tokens: its size, as counted.
    """

    context_text: str
    entries: tuple[MemoryEntry, ...] = ()
    tokens: int = 0


def prepare() -> None:
    """Import lxml now, so that no request waits for it."""
    import lxml.etree  # noqa: F401


def legal_text(text: str) -> str:
    """Return *text* with everything XML 1.0 cannot carry replaced by U+FFFD."""
    return text if text.isascii() and text.isprintable() else _ILLEGAL.sub("\ufffd", text)


def render_block(entries: Sequence[MemoryEntry], attributes: Sequence[str] = ("source",)) -> str:
    """Render *entries* as one ``<memory>`` block, one ``<entry>`` each, no trailing newline.

    Args:
        entries: what to show, in order; at least one.
        attributes: of ``source``, ``date``, ``id``, ``score``; one that an entry lacks is left
            out.
    """
    lines = []
    for entry in entries:
        named = tuple([(name, _attribute(entry, name)) for name in attributes])
        render = _line if len(entry.content) <= _REMEMBERED else _render_line
        lines.append(render(entry.content, named))
    return "\n".join(["<memory>", *lines, "</memory>"])


_REMEMBERED = 4000  # characters; memories are shown again and again, long documents are not


def _render_line(content: str, attributes: tuple[tuple[str, str | None], ...]) -> str:
    from lxml import etree  # costs tens of milliseconds at import

    element = etree.Element("entry")
    for name, value in attributes:
        if value:
            element.set(name, legal_text(value))
    element.text = legal_text(content)
    return etree.tostring(element, encoding="unicode")


_line = lru_cache(maxsize=4096)(_render_line)


def _attribute(entry: MemoryEntry, name: str) -> str | None:
    if name == "source":
        return entry.store_name
    if name == "id":
        return entry.id
    if name == "score":
        return None if entry.score is None else f"{entry.score:.3f}"
    moment = entry.created_at or entry.updated_at
    return None if moment is None else moment.date().isoformat()


# In one message: under everyTurn an agent writes one a step, and somebody may paste thousands.
_MOST_BLOCKS = 512


def find_blocks(text: str) -> list[str]:
    """Return the texts in *text* that have the exact shape of a rendered block, in order.

    Only the first few are looked for; the rest is what somebody pasted.
    """
    if "<memory>\n<entry" not in text:
        return []
    return [found.group() for found in islice(_BLOCK.finditer(text), _MOST_BLOCKS)]


class KnownBlocks:
    """Texts of blocks in a custom format, which no shape gives away, ready to be looked for.

    They are grouped by their first lines: formats often share one, and most texts hold none.
    """

    def __init__(self, texts: Iterable[str] = ()) -> None:
        """Take the *texts*."""
        self._groups: dict[str, list[str]] = {}
        for text in texts:
            self._groups.setdefault(text.partition("\n")[0], []).append(text)

    def __bool__(self) -> bool:
        """Tell whether there is any."""
        return bool(self._groups)

    def candidates(self, text: str) -> list[str]:
        """Return those whose words *text* holds, longest first."""
        groups = [group for line, group in self._groups.items() if line in text]
        return sorted((b for group in groups for b in group if b in text), key=len, reverse=True)


def block_at(text: str, block: str) -> int:
    """Return where the last whole occurrence of *block* in *text* begins, or -1.

    A block of several lines is found anywhere; a block of one line only where it stands on lines
    of its own, so that a short custom format is never seen in what the user wrote.
    """
    at = text.rfind(block) if block else -1
    while at >= 0:
        end = at + len(block)
        if "\n" in block or _on_its_own(text, at, end):
            return at
        # Searching up to end - 1 finds occurrences that overlap this one, too.
        at = text.rfind(block, 0, end - 1)
    return -1


def _on_its_own(text: str, at: int, end: int) -> bool:
    return (at == 0 or text[at - 1] == "\n") and (end == len(text) or text[end] == "\n")


def strip_blocks(text: str, blocks: Sequence[str]) -> str:
    """Return *text* without *blocks* (in order) and the white space that set them apart."""
    kept, rest = [], text
    for block in blocks:
        before, found, after = rest.partition(block)
        if found:
            kept.append(before)
            rest = after
    if not kept:
        return text
    first, *others = [*kept, rest]
    pieces = [first.rstrip(), *(piece.strip() for piece in others)]
    return "\n".join([pieces[0], *filter(None, pieces[1:])])


def parse_block(block: str) -> tuple[Shown, ...]:
    """Return the memories a rendered block shows; empty if it does not parse."""
    return _parsed_before(block) if len(block) <= _USUAL_BLOCK else _parsed(block)


_USUAL_BLOCK = 20_000  # characters; what is longer was probably pasted, and is not remembered


def _parsed(block: str) -> tuple[Shown, ...]:
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True)
    try:
        root = etree.fromstring(block.encode("utf-8", "replace"), parser)
    except etree.XMLSyntaxError:
        return ()
    return tuple(Shown(entry.get("source"), entry.text or "") for entry in root.iter("entry"))


_parsed_before = lru_cache(maxsize=2048)(_parsed)
