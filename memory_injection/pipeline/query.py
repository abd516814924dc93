"""Derive what to look for from the conversation, free of blocks and clamped."""

from __future__ import annotations

from dataclasses import dataclass

from ..followups import leans_on_context
from ..records import QueryContext
from ..rendering import find_blocks, strip_blocks
from ..smalltalk import is_bare_answer, is_small_talk, without_small_talk
from .effects import Call, Skip, StageFailed, Step, Trace
from .request import Request

__all__ = ["Query", "derive"]

_CONTEXT_TURN_LIMIT = 600  # characters of each earlier message that a follow-up is searched with
_CONTEXT_REACH = 12  # messages back
_CHATTER = 2  # words of a reply that says nothing


@dataclass(frozen=True, slots=True)
class Query:
    """What to search for.

    Attributes:
        text: the query; None when only pinned entries are wanted (small talk).
        context: earlier turns, to weigh less; "" if the ask stands on its own.
    """

    text: str | None
    context: str = ""


def derive(request: Request, is_user_turn: bool, trace: Trace) -> Step[Query]:
    """Return the query.

    Raises:
        Skip: there is nothing to ask for.
        StageFailed: the query callback failed or gave something other than text or None.
    """
    adaptive = _adaptive(request, is_user_turn)
    asked: object = adaptive
    if request.config.query is not None:
        context = QueryContext(
            messages=_clean_messages(request),
            is_user_turn=is_user_turn,
            text=adaptive,
            model=request.model,
            scope=request.scope,
            dialect=request.dialect.name,
        )
        asked = yield Call("query", request.config.query, (context,))
    if asked is not None and not isinstance(asked, str):
        raise StageFailed(
            "query", TypeError(f"a query is text or None, not {type(asked).__name__}")
        )
    text = _clamp(_without_blocks(asked or ""), request.config.query_limit)
    if not text:
        raise Skip("no_query", "the query is blank")
    trace.query = text
    if request.config.query is not None or not is_user_turn:
        return Query(text)
    before = _context(request)
    if request.config.min_relevance == "auto" and (
        is_small_talk(text) or (not before and is_bare_answer(text))
    ):
        return Query(None)
    trace.query = text = without_small_talk(text)
    if before and request.config.follow_up == "auto" and leans_on_context(text):
        trace.query = f"{text}\n{before}"
        return Query(text, before)
    return Query(text)


def _adaptive(request: Request, is_user_turn: bool) -> str:
    walk = request.walk
    if is_user_turn:
        ask = walk.last_ask()
        return walk.clean_text(ask).strip() if ask is not None else ""
    for at in range(walk.length - 1, -1, -1):
        if walk[at].reading.role == "assistant" and walk[at].reading.text.strip():
            return walk.clean_text(at).strip()
    ask = walk.last_ask()
    return walk.clean_text(ask).strip() if ask is not None else ""


def _context(request: Request) -> str:
    """Return the user ask and the reply before the latest ask, oldest first.

    Small talk in between ("Nice!" - "Indeed.") is passed over: what an ask leans on stands before.
    """
    walk = request.walk
    ask = walk.last_ask() or 0
    said = reply = ""
    for at in range(ask - 1, max(ask - 1 - _CONTEXT_REACH, -1), -1):
        role = walk[at].reading.role
        if role not in ("user", "assistant"):
            continue
        text = _without_blocks(walk.clean_text(at)).strip()[-_CONTEXT_TURN_LIMIT:]
        if role == "assistant":
            reply = reply or text
        elif text and not is_small_talk(text):
            said = text
            break
        elif text and not _is_chatter(reply):
            break
        elif text:
            reply = ""
    return _clamp("\n".join(filter(None, (said, reply))), request.config.query_limit)


def _is_chatter(reply: str) -> bool:
    return len(reply.split()) <= _CHATTER or is_small_talk(reply)


def _clean_messages(request: Request) -> list[object]:
    walk, messages = request.walk, list(request.walk.messages)
    for at in walk.marked():
        messages[at] = request.dialect.remove(messages[at], walk[at].blocks)
    return messages


def _without_blocks(text: str) -> str:
    return strip_blocks(text, find_blocks(text))


def _clamp(text: str, limit: int) -> str:
    """Keep the end of an over-long query, where the ask usually stands, from a word's start."""
    text = text.strip()
    if len(text) <= limit:
        return text
    tail = text[-limit:]
    head, space, rest = tail.partition(" ")
    return (rest if space and len(head) < limit // 4 else tail).strip()
