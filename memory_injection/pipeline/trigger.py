"""Decide whether to look for memories before this call."""

from __future__ import annotations

from ..records import InjectionContext
from .effects import Call, Skip, StageFailed, Step
from .request import Request
from .standing import Standing

__all__ = ["decide"]


def decide(request: Request, standing: Standing) -> Step[bool]:
    """Return whether the latest message is a fresh user ask.

    Raises:
        Skip: there is nobody to show memories to, or the trigger says no.
    """
    walk, trigger = request.walk, request.config.trigger
    ask = walk.last_ask()
    if standing.anchor is None or ask is None:
        raise Skip("no_user_message", "no message holds a user ask that a block can stand in")
    is_user_turn = walk.last_spoken() == ask
    if trigger == "userTurn":
        if not is_user_turn:
            raise Skip("trigger", "userTurn: the latest message is not a fresh user ask")
    elif trigger != "everyTurn":
        context = InjectionContext(
            messages=walk.messages,
            is_user_turn=is_user_turn,
            text=walk.clean_text(ask),
            model=request.model,
            scope=request.scope,
            dialect=request.dialect.name,
        )
        answer = yield Call("trigger", trigger, (context,))
        if not _is_yes(answer):
            raise Skip("trigger", "the trigger predicate said no")
    return is_user_turn


def _is_yes(answer: object) -> bool:
    try:
        return bool(answer)
    except Exception as error:  # an array, say, is neither true nor false
        raise StageFailed("trigger", error) from error
