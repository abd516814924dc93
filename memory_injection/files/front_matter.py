"""The YAML block between ``---`` lines at the top of a markdown file.

Our own keys are read as plain text (``id: 007`` stays ``"007"``, ``title: no`` stays ``"no"``);
other keys keep their YAML type, limited to what JSON can carry. A rewrite changes the lines of
the keys it sets and leaves every other line as the person typed it, comments included.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

__all__ = ["FrontMatter", "FrontMatterError", "compose", "owner_key", "split"]

_LIMIT = 64 * 1024  # characters; a longer block is not something a person wrote
# What an editor leaves before or around a fence must not turn a private file into everybody's.
_OPENING = re.compile(r"([\s\ufeff\u200b]*)---[ \t]*\n")
_CLOSING = re.compile(r"^(?:---|\.\.\.)[ \t]*$", re.MULTILINE)
_INDENTED_CLOSING = re.compile(r"^[ \t]+(?:---|\.\.\.)[ \t]*$", re.MULTILINE)
_KEY_LINE = re.compile(r"[ \t]*[A-Za-z_][\w-]*[ \t]*:")
# A fence of another kind (+++, ----, a list) or none, and then a line that says whose it is.
_OWNER_LINE = re.compile(
    r"(?:[-+~`;=*_]{3,}[^\n]*\n\s*)?[-*{\s\"']*"
    r"(?:(?:user|session|agent|run)s?[ _-]?ids?[\"']?[ \t]*[:=]"
    r"|scope[\"']?[ \t]*[:=][\s{\"']*(?:user|session|agent|run))",
    re.IGNORECASE,
)
_BLANK = " \t\r\n\f\v\xa0\ufeff\u200b"
_HEAD = 500  # characters in which a file says whose it is, if it does so outside a front matter
_NOT_LETTERS = re.compile(r"[^a-z]")
_OWNER_KEY = re.compile(r"(user|session|agent|run)s?(ids?)?")
_PLAIN_KEYS = frozenset(
    (
        *("id", "title", "kind", "scope", "tags", "source", "created_at", "updated_at"),
        *("user_id", "session_id", "agent_id", "run_id"),
    )
)

# libyaml where PyYAML was built with it, which is ten times faster; the same results without.
_Parser: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_Dumper: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


def owner_key(key: str) -> str | None:
    """Return which owner key a person meant by *key*: ``scope``, ``user``, ``user_id``, ...

    ``userId``, ``USER-ID``, ``Users`` and their like are typing habits, not other keys.
    """
    plain = _NOT_LETTERS.sub("", key.casefold())
    if plain in ("scope", "scopes"):
        return "scope"
    found = _OWNER_KEY.fullmatch(plain)
    if found is None:
        return None
    return f"{found.group(1)}_id" if found.group(2) else found.group(1)


class FrontMatterError(ValueError):
    """The block is not a YAML mapping that can be read safely."""


class _Loader(_Parser):  # type: ignore[misc]
    """Builds only what JSON can carry; anything else (dates aside) is an error."""


class _TagList(list[Any]):
    """Written on one line: ``tags: [a, b]``."""


def _dates_stay_text(loader: Any, node: Any) -> Any:
    return loader.construct_scalar(node)


_PREFIX = "tag:yaml.org,2002:"
_Loader.yaml_constructors = {
    None: yaml.SafeLoader.yaml_constructors[None],
    **{
        _PREFIX + name: yaml.SafeLoader.yaml_constructors[_PREFIX + name]
        for name in ("null", "bool", "int", "float", "str", "seq", "map")
    },
    _PREFIX + "timestamp": _dates_stay_text,  # JSON has no dates
}


class _Writer(_Dumper):  # type: ignore[misc]
    """A safe dumper that keeps tags on one line."""


_Writer.add_representer(
    _TagList,
    lambda dumper, data: dumper.represent_sequence(_PREFIX + "seq", data, flow_style=True),
)


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """A parsed block.

    Attributes:
        values: the keys in the order they stand.
        text: the lines between the fences, as typed, each ending with a line feed.
        spans: where each key's lines stand in ``text``, as (start, end) offsets.
    """

    values: Mapping[str, Any] = field(default_factory=dict)
    text: str = ""
    spans: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    def rewritten(self, changes: Mapping[str, Any]) -> str:
        """Return the block's text with *changes* applied; a value of None removes the key.

        Raises:
            FrontMatterError: a value has no YAML form.
        """
        spliced = self._splice(changes)
        wanted = {k: v for k, v in {**self.values, **changes}.items() if v is not None}
        # Marks can be off where YAML counts exotic line breaks or a flow mapping holds the keys;
        # then the comments are given up rather than the values.
        return spliced if _reads_as(spliced, wanted) else _dump(wanted)

    def _splice(self, changes: Mapping[str, Any]) -> str:
        text, added = self.text, ""
        spans = sorted(
            ((self.spans[key], key) for key in changes if key in self.spans), reverse=True
        )
        # From the end, so that the offsets before stay true.
        for (start, end), key in spans:
            line = "" if changes[key] is None else _dump({key: changes[key]})
            text = text[:start] + line + text[end:]
        for key, value in changes.items():
            if key not in self.spans and value is not None:
                added += _dump({key: value})
        return text + added


def split(text: str) -> tuple[FrontMatter | None, str]:
    """Split a file's text (line feeds only) into its front matter and its body.

    Returns None for the front matter when there is none: the first line with anything in it is
    not ``---``, or what follows it is prose under a thematic break.

    Raises:
        FrontMatterError: a block that is begun and not closed, that is not valid YAML, that
            holds aliases or types outside JSON, or that names an owner and cannot be read.
    """
    opening = _OPENING.match(text)
    if opening is None:
        return None, _free_of_owners(text)
    start = opening.end()
    closings = _INDENTED_CLOSING if opening.group(1).endswith((" ", "\t")) else _CLOSING
    closing = closings.search(text, start, start + _LIMIT)
    if closing is None:
        if _KEY_LINE.match(text, start):
            raise FrontMatterError("the front matter is not closed by a line of ---")
        return None, _free_of_owners(text)
    found = _parse(text[start : closing.start()])
    if found is None:
        return None, _free_of_owners(text)
    return found, text[closing.end() :].removeprefix("\n")


def _free_of_owners(text: str) -> str:
    """Return *text*, which has no front matter, unless it begins as if it named an owner."""
    if _OWNER_LINE.match(text.lstrip(_BLANK)[:_HEAD]):
        raise FrontMatterError(
            "it names an owner outside a front matter; put that between two lines of ---"
        )
    return text


def compose(front: str, body: str) -> str:
    """Return the text of a file: *front* between fences, a blank line, *body*."""
    return f"---\n{front}---\n\n{body}\n"


def _parse(block: str) -> FrontMatter | None:
    if not block.strip():
        return FrontMatter()
    try:
        _refuse_aliases(block)
        loader = _Loader(block)
        try:
            node = loader.get_single_node()
            if node is None:
                return FrontMatter(text=block)
            if not isinstance(node, yaml.MappingNode):
                return None
            return _read_mapping(loader, node, block)
        finally:
            loader.dispose()
    except FrontMatterError:
        raise
    except yaml.YAMLError as error:
        raise FrontMatterError(f"the front matter is not valid YAML: {_brief(error)}") from None
    except (RecursionError, ValueError, OverflowError, TypeError) as error:
        raise FrontMatterError(f"the front matter cannot be read: {error}") from None


def _read_mapping(loader: Any, node: Any, block: str) -> FrontMatter:
    values: dict[str, Any] = {}
    spans: dict[str, tuple[int, int]] = {}
    for key_node, value_node in node.value:
        key = str(key_node.value)
        if key in values and owner_key(key) is not None:
            raise FrontMatterError(f"the front matter says {key!r} twice")
        if key in _PLAIN_KEYS or owner_key(key) is not None:
            values[key] = _plain(value_node)
        else:
            values[key] = _json_like(loader.construct_object(value_node, deep=True))
        spans[key] = _lines(block, key_node.start_mark.index, value_node.end_mark.index)
    return FrontMatter(values, block, {} if node.flow_style else spans)


def _plain(node: Any) -> Any:
    """Return a node with every scalar as typed: an owner ``007`` is not the number 7."""
    if isinstance(node, yaml.MappingNode):
        return {str(key.value): _plain(value) for key, value in node.value}
    if isinstance(node, yaml.SequenceNode):
        return [_plain(value) for value in node.value]
    return None if node.tag == _PREFIX + "null" else str(node.value)


def _json_like(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _json_like(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_json_like(inner) for inner in value]
    return value


def _lines(block: str, start: int, end: int) -> tuple[int, int]:
    """Widen a node to whole lines, leaving out comments and blank lines that follow it."""
    kept = block[start:end].split("\n")
    while len(kept) > 1 and (not kept[-1].strip() or kept[-1].lstrip().startswith("#")):
        kept.pop()
    stop = start + len("\n".join(kept))
    newline = block.find("\n", stop)
    return start, len(block) if newline < 0 else newline + 1


def _refuse_aliases(block: str) -> None:
    """Aliases make a small file unfold into gigabytes ("billion laughs")."""
    if "*" not in block:
        return
    for event in yaml.parse(block, Loader=_Loader):
        if isinstance(event, yaml.AliasEvent):
            raise FrontMatterError("the front matter uses YAML aliases, which are not read")


def _dump(values: Mapping[str, Any]) -> str:
    shaped = {
        key: _TagList(value) if key == "tags" and isinstance(value, (list, tuple)) else value
        for key, value in values.items()
    }
    try:
        dumped: str = yaml.dump(
            shaped,
            Dumper=_Writer,
            allow_unicode=True,
            sort_keys=False,
            default_flow_style=False,
            width=1_000_000,
        )
    except (yaml.YAMLError, UnicodeEncodeError, RecursionError) as error:
        raise FrontMatterError(f"a value has no YAML form: {_brief(error)}") from None
    return dumped


def _reads_as(block: str, wanted: Mapping[str, Any]) -> bool:
    try:
        found = _parse(block)
    except FrontMatterError:
        return False
    return found is not None and {k: v for k, v in found.values.items() if v is not None} == {
        key: list(value) if isinstance(value, tuple) else value for key, value in wanted.items()
    }


def _brief(error: BaseException) -> str:
    problem = getattr(error, "problem", None)
    mark = getattr(error, "problem_mark", None)
    where = f" (line {mark.line + 2})" if mark is not None else ""
    return f"{problem or str(error).splitlines()[0]}{where}"
