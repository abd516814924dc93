"""Mistyped words: whether two are one slip of the finger apart."""

from __future__ import annotations

__all__ = ["one_slip_apart"]

_LONG = 8  # letters from which another letter in one's place makes no other word


def one_slip_apart(one: str, other: str) -> bool:
    """Tell whether a letter more or less, or two letters swapped, is all that differs.

    In words of eight letters or more it may be another letter as well: of shorter ones that mostly
    is another word ("adopt", "adapt"). So is what only ends in another letter.

    Example:
        >>> one_slip_apart("passprt", "passport"), one_slip_apart("reciev", "receiv")
        (True, True)
        >>> one_slip_apart("adopt", "adapt"), one_slip_apart("writer", "write")
        (False, False)
    """
    start = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        start += 1
    longer, shorter = (one, other) if len(one) > len(other) else (other, one)
    if len(longer) > len(shorter):
        return start < len(shorter) and longer[start + 1 :] == shorter[start:]
    if longer[start + 1 :] == shorter[start + 1 :]:
        return len(one) >= _LONG and start < len(one) - 1
    swapped = shorter[start : start + 2][::-1] == longer[start : start + 2]
    return swapped and longer[start + 2 :] == shorter[start + 2 :]
