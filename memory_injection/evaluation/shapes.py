"""Reading files that may hold anything: values of the kind wanted, or one line that says where.

The line names the file and the place in it, as a path of keys and positions.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ..errors import InputError

__all__ = [
    "Shape",
    "files_at",
    "ident_of",
    "name_of",
    "natural",
    "object_of",
    "read_json",
    "samples_of",
    "text_of",
    "there",
]


class _WrongKind(TypeError):
    """A value of a kind that is not wanted there; the message says which."""


def text_of(value: object) -> str:
    """Return a text, "" for none.

    Raises:
        _WrongKind: something else.
    """
    if value is None:
        return ""
    if not isinstance(value, str):
        raise _WrongKind(f"{_kind(value)} where a text should be")
    return value


def object_of(value: object) -> Mapping[str, Any]:
    """Return an object.

    Raises:
        _WrongKind: something else.
    """
    if not isinstance(value, Mapping):
        raise _WrongKind(f"{_kind(value)} where an object should be")
    return value


def _kind(value: object) -> str:
    return _KINDS.get(type(value), "nothing")


_KINDS = {
    str: "a text", int: "a number", float: "a number", bool: "a truth value", list: "a list",
    dict: "an object",
}  # fmt: skip


def ident_of(value: object) -> str:
    """Return an id: a text or a whole number.

    Raises:
        _WrongKind: something else, or a blank text.
    """
    ident = str(value) if isinstance(value, int) else text_of(value)
    if not ident.strip():
        raise _WrongKind("a blank id")
    return ident


def name_of(given: object, default: str) -> str:
    """Return *given* as somebody's name: not blank, and of characters that a file can hold."""
    name = "" if given is None else str(given)
    return name.encode("utf-8", "replace").decode("utf-8").strip() or default


def there(path: Path) -> Path:
    """Return *path*, at which something lies.

    Raises:
        InputError: nothing does.
    """
    try:
        found = path.exists()
    except OSError as error:  # a name that is too long, a folder that may not be entered
        raise InputError(f"{path}: {error.strerror or error}") from None
    if not found:
        raise InputError(f"{path}: no such file or folder")
    return path


def files_at(path: Path, pattern: str) -> list[Path]:
    """Return *path*, whatever kind of file it is, or the files in the folder that it is.

    Raises:
        InputError: nothing is there, or the folder has none.
    """
    if not there(path).is_dir():
        return [path]
    found = sorted(path.glob(pattern))
    if not found:
        raise InputError(f"{path}: no {pattern.rsplit('/', 1)[-1]} in this folder")
    return found


def natural(path: Path) -> list[tuple[int, str]]:
    """Return what sorts paths by the numbers in them: 2 before 10."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in path.parts]


def read_json(path: Path) -> Any:
    """Return what the file holds.

    Raises:
        InputError: it cannot be read, or is no JSON; the message names the file.
    """
    try:
        return json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from None
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise InputError(f"{path}: not a JSON file ({place}: {error.msg})") from None
    except ValueError as error:
        raise InputError(f"{path}: not a JSON file ({error})") from None
    except RecursionError:
        raise InputError(f"{path}: nested too deeply to be read") from None


def samples_of(value: Any) -> Iterable[Any]:
    """A file may hold one sample or a list of them."""
    return [value] if isinstance(value, Mapping) else value


class Shape:
    """Turn the accidents of reading another shape into one line that names file and place.

    Attributes:
        place: where in the file is being read, as a path of keys and positions.
    """

    def __init__(self, path: Path, expected: str) -> None:
        self._path, self._expected = path, expected
        self._inside = self.place = ""

    def inside(self, place: str) -> Shape:
        """Say in which part of the file all places are, from now on."""
        self._inside, self.place = place, ""
        return self

    def __enter__(self) -> Shape:
        """Nothing to prepare."""
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, InputError):
            return
        if isinstance(error, (KeyError, TypeError, AttributeError, IndexError, ValueError)):
            place = (self._inside + self.place).lstrip(".")
            what = "another shape"
            if isinstance(error, KeyError):
                what = f"no {error}"
            elif isinstance(error, _WrongKind):
                what = str(error)
            told = f" ({what} at {place})" if place else ""
            raise InputError(f"{self._path}: expected {self._expected}{told}") from None
