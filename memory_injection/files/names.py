"""Record ids: what may become a file name, and how a new one is made.

An id is the stem of a file in ``records/``. It may come from a model, a caller or a front matter,
so every id is checked here before it gets near a path.
"""

from __future__ import annotations

import re
import secrets

from ..errors import InputError
from ..text import fold

__all__ = ["check_id", "is_safe_id", "new_id"]

_MAX_BYTES = 200  # file systems allow 255 bytes a name; ours also carry a suffix and a temp mark
# Names that Windows gives to devices, whatever the extension.
_RESERVED = frozenset(
    ["con", "prn", "aux", "nul", "conin$", "conout$"]
    + [f"{port}{digit}" for port in ("com", "lpt") for digit in "0123456789¹²³"]
)
_FORBIDDEN = re.compile(r'[/\\:*?"<>|\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]')
_NOT_SLUG = re.compile(r"[^a-z0-9]+")
_SLUG_LENGTH = 48


def check_id(value: object) -> str:
    """Return *value* if it is a record id that is a safe file name on every system.

    Raises:
        InputError: not a string, empty, longer than 200 bytes, a path (``../x``, ``/x``, ``a/b``,
            ``C:x``), a control character or NUL, a name Windows reserves, or one that starts with
            a dot or ends with a dot or a space.
    """
    if not isinstance(value, str):
        raise InputError(f"record id must be a string, not {value!r:.80}")
    broken = _broken_rule(value)
    if broken is not None:
        raise InputError(f"record id {value!r:.80} is refused: {broken}")
    return value


def is_safe_id(value: object) -> bool:
    """Tell whether :func:`check_id` would let *value* through."""
    return isinstance(value, str) and _broken_rule(value) is None


def _broken_rule(value: str) -> str | None:
    if not value.strip():
        return "it is empty"
    found = _FORBIDDEN.search(value)
    if found is not None:
        return f"it holds {found.group()!r}, which a file name must not"
    if len(value.encode("utf-8")) > _MAX_BYTES:
        return f"it is longer than {_MAX_BYTES} bytes"
    if value.startswith((".", " ")) or value.endswith((".", " ")):
        return "it starts or ends with a dot or a space"
    if value.split(".", 1)[0].rstrip().casefold() in _RESERVED:
        return "the name is reserved by Windows"
    return None


def new_id(text: str) -> str:
    """Return a fresh id: the first words of *text*, readable, and eight random hex digits."""
    slug = _NOT_SLUG.sub("-", fold(text[:400])).strip("-")[:_SLUG_LENGTH].strip("-")
    return f"{slug or 'memory'}-{secrets.token_hex(4)}"
