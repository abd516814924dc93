"""Raw messages as entries: the user's and the assistant's words, turn by turn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..records import Scope
from .drafts import Draft, draft

__all__ = ["drafts_of_messages"]

_SPOKEN = frozenset({"user", "assistant", "model", "human", "ai"})


def drafts_of_messages(
    messages: Sequence[Any], context: Any = None, scope: Scope | None = None
) -> list[Draft]:
    """Return one draft per message with text, in order.

    Args:
        messages: mappings or objects with ``role`` and ``content`` (a text, or a list of parts).
        context: a mapping that may name ``scope``, ``session`` and ``positions`` (one per
            message, in its conversation).
        scope: whom they are for; wins over *context*.
    """
    given: Mapping[str, Any] = context if isinstance(context, Mapping) else {}
    owner = Scope.of(scope if scope is not None else given.get("scope"))
    session = given.get("session") or owner.session
    thread = {"session": str(session)} if session else {}
    positions = given.get("positions")
    if positions is None or len(positions) != len(messages):
        positions = [None] * len(messages)
    found: list[Draft] = []
    for message, position in zip(messages, positions, strict=True):
        role = _get(message, "role")
        text = "\n".join(_texts(_get(message, "content"))).strip()
        if role not in _SPOKEN or not text:
            continue
        ident = _get(message, "id")
        turn = {"turn": position} if isinstance(position, int) and position >= 0 else {}
        found.append(
            draft(
                text,
                {"speaker": _get(message, "name") or role, **thread, **turn},
                scope=owner,
                id=ident if isinstance(ident, str) and ident.strip() else None,
            )
        )
    return found


def _get(message: Any, name: str) -> Any:
    return message.get(name) if isinstance(message, Mapping) else getattr(message, name, None)


def _texts(content: Any) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    elif isinstance(content, Sequence):
        for part in content:
            text = part if isinstance(part, str) else _get(part, "text")
            if isinstance(text, str):
                yield text
