"""Folders: how a path is read, whose it is, and what lies below it.

A path is ``/``-separated segments of 1-100 ASCII letters, digits and ``. _ : @ - { }``, at most
300 characters as stored, with one trailing slash; the root is ``""``, also written ``"/"``. Each
end user has one folder, ``users/<segment>/``, written ``users/{user}/`` by code that does not
want to know the id.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass

from .refusals import MalformedFact, no_user, other_user

__all__ = ["ROOT", "Folder", "read_folder", "read_folders", "user_segment"]

MAX_PATH = 300
_SEGMENT = re.compile(r"[A-Za-z0-9._:@{}-]{1,100}")
_PLAIN_USER = re.compile(r"[A-Za-z0-9._:@-]{1,100}")


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder as stored.

    Attributes:
        path: ``""`` for the root, else segments with one trailing slash.
        owner: the end user whose folder this is or lies in; None for the agent's own.
    """

    path: str
    owner: str | None = None

    def holds(self, other: Folder) -> bool:
        """Tell whether *other* is this folder or lies below it, by whole segments."""
        return other.path.startswith(self.path)


ROOT = Folder("")


def user_segment(user: str) -> str:
    """Return the segment under ``users/`` for an end user's id, one to one.

    Ids that are segments already stand as they are. Any other id (``auth0|7``, an id with
    braces, a very long one) gets a segment in braces, which no plain id can have.
    """
    if _PLAIN_USER.fullmatch(user) and user not in (".", ".."):
        return user
    digest = hashlib.sha256(user.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{{{digest}}}"


def read_folder(given: object, *, user: str | None, base: Folder = ROOT) -> Folder:
    """Read a path as the caller wrote it, below *base*, for a run of *user*.

    Raises:
        FactRefused: 422 for a malformed path or ``{user}`` in the wrong place, 409 ``no_user``,
            403 ``other_user``.
    """
    if not isinstance(given, str):
        raise MalformedFact(f"path must be a string, not {given!r:.80}")
    if given in ("", "/"):
        return base
    written = base.path + (given if given.endswith("/") else given + "/")
    segments = written[:-1].split("/")
    for segment in segments:
        _check_segment(segment, given)
    path = "/".join(_with_user(segments, user, given)) + "/"
    if len(path) > MAX_PATH:
        raise MalformedFact(f"path is {len(path)} characters; at most {MAX_PATH} are stored")
    return Folder(path, _owner(path, user))


def _check_segment(segment: str, given: str) -> None:
    if segment in (".", "..") or not _SEGMENT.fullmatch(segment):
        raise MalformedFact(
            f"path {given!r:.80} has the segment {segment!r:.80}: use 1-100 letters, digits and "
            "._:@-{}, no leading slash, not . or .."
        )


def _with_user(segments: list[str], user: str | None, given: str) -> list[str]:
    """Put the user's own segment where ``users/{user}/`` stands at the front."""
    wanted = segments[:2] == ["users", "{user}"]
    rest = segments[2:] if wanted else segments
    if any("{user}" in segment for segment in rest):
        raise MalformedFact(
            f"path {given!r:.80}: {{user}} is allowed only as users/{{user}}/ at the front"
        )
    if not wanted:
        return segments
    if user is None:
        raise no_user()
    return ["users", user_segment(user), *rest]


def _owner(path: str, user: str | None) -> str | None:
    first, _, rest = path.partition("/")
    if first != "users" or not rest:
        return None
    if user is None or rest.partition("/")[0] != user_segment(user):
        raise other_user(path)
    return user


def read_folders(
    given: object, *, user: str | None, base: Folder = ROOT
) -> tuple[Folder, ...] | None:
    """Read the ``paths`` of a call: None is everything below *base*.

    A string or an empty list raises instead of quietly widening to everything.

    Raises:
        FactRefused: 422 for anything but a list of paths, and whatever one path is refused for.
    """
    if given is None:
        return None
    if isinstance(given, (str, bytes)) or not isinstance(given, Sequence):
        raise MalformedFact(f"paths must be a list of paths, not {given!r:.80}")
    if not given:
        raise MalformedFact("paths must name at least one folder; leave it out for everything")
    return tuple(read_folder(path, user=user, base=base) for path in given)
