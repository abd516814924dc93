"""What one call asks for, and the whole request body that comes of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .pipeline.effects import StageFailed
from .pipeline.flow import Outcome
from .pipeline.weighing import bytes_beside, strings_in
from .protocols import Dialect
from .records import Scope

__all__ = ["Asked", "bytes_in_body", "copied", "kept_before", "new_body"]


@dataclass(frozen=True, slots=True)
class Asked:
    """What one call asks for.

    Attributes:
        conversation: the messages, in the caller's own outer shape.
        body: the whole request body they stand in, if one was given.
    """

    conversation: Any
    dialect: Dialect | None
    model: str | None
    scope: Scope
    body: Mapping[str, Any] | None = None


def new_body(asked: Asked, outcome: Outcome, known: Sequence[str] = ()) -> dict[str, Any]:
    """Return the request body to send.

    Args:
        asked: what was asked for, with a body.
        outcome: how the flow ended.
        known: texts of blocks in a custom format that may stand in the system prompt.

    Raises:
        StageFailed: the system prompt is nothing that a block could be written into.
    """
    body = dict(asked.body or {})
    dialect = asked.dialect
    if dialect is None:
        return body
    body[dialect.field] = outcome.messages
    if dialect.takes_system:
        return body
    try:
        written = dialect.with_system(body, outcome.system, known)
        beside = [value for name, value in written.items() if name != dialect.field]
        if not outcome.system or any(outcome.system in said for said in strings_in(beside)):
            return written
    except Exception as error:
        raise StageFailed("write", error) from error
    raise StageFailed("write", TypeError(f"{dialect.name}: no place in this system prompt"))


def kept_before(asked: Asked) -> tuple[str, bool]:
    """Return the id of what the provider keeps of the conversation, and if it tells one state."""
    continues = getattr(asked.dialect, "continues", None)
    if continues is None or asked.body is None:
        return "", True
    kept: tuple[str, bool] = continues(asked.body)
    return kept


def bytes_in_body(asked: Asked) -> int:
    """Return the bytes of the body beside its conversation."""
    field = asked.dialect.field if asked.dialect else "messages"
    return 0 if asked.body is None else bytes_beside(asked.body, field)


def copied(conversation: Any) -> Any:
    """Return a new list for a list, anything else as it is."""
    return list(conversation) if isinstance(conversation, list) else conversation
