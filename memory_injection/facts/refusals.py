"""The refusals of the facts rules, one constructor each: code, HTTP status, one sentence.

The codes and statuses are the contract's; where it only says "refused" (a move across users'
folders) the status is 409, the one for a request that is well-formed and at odds with what is
kept.
"""

from __future__ import annotations

from ..errors import FactRefused, InputError

__all__ = [
    "MalformedFact",
    "cannot_move",
    "memory_full",
    "no_user",
    "not_found",
    "other_user",
    "outside",
    "too_large",
    "version_conflict",
]


class MalformedFact(FactRefused, InputError):
    """An argument breaks its rule: 422 ``invalid``. A ``ValueError`` as well."""

    def __init__(self, message: str) -> None:
        """Keep the *message*, which names the argument, the value and the rule."""
        super().__init__("invalid", 422, message)


def no_user() -> FactRefused:
    """Return the refusal of ``users/{user}/`` in a run without an end user."""
    return FactRefused("no_user", 409, "this run has no end user, so users/{user}/ names no folder")


def other_user(path: str) -> FactRefused:
    """Return the refusal of another user's folder."""
    return FactRefused("other_user", 403, f"the folder {_shown(path)} belongs to another user")


def not_found(ident: str) -> FactRefused:
    """Return the refusal of a fact that is not there, or not for this run to see."""
    return FactRefused("not_found", 404, f"there is no fact {_shown(ident)}")


def memory_full(whose: str, cap: int) -> FactRefused:
    """Return the refusal of one more fact for *whose* memory, which holds *cap* already."""
    return FactRefused("memory_full", 409, f"{whose} holds {cap} facts, the most allowed")


def version_conflict(ident: str, expected: int, found: int) -> FactRefused:
    """Return the refusal of a write that was meant for another version of the fact."""
    return FactRefused(
        "version_conflict", 409, f"fact {_shown(ident)} is at version {found}, not {expected}"
    )


def cannot_move() -> FactRefused:
    """Return the refusal of a move that would cross the border of a user's folder."""
    return FactRefused(
        "cannot_move", 409, "a fact cannot be moved into, out of or between users' folders"
    )


def too_large(size: int, cap: int) -> FactRefused:
    """Return the refusal of a body of *size* bytes where *cap* is the most."""
    return FactRefused("too_large", 413, f"the body is {size} bytes; at most {cap} are taken")


def outside(path: str) -> FactRefused:
    """Return the refusal of a folder that the model's tools were not given."""
    return FactRefused("outside", 403, f"these tools do not reach the folder {_shown(path)}")


def _shown(value: str) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."
