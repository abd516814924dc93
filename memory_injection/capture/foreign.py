"""Triggers written for Strands Agents: they attach to an agent and count its turns by a hook."""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from .records import TriggerContext

__all__ = ["AttachedTrigger", "own_trigger"]


class AttachedTrigger:
    """Runs a trigger that has ``attach(context)`` as a predicate over our turns.

    It is given a stand-in agent whose hooks for the end of an invocation run once per turn; it
    fires by calling ``context.fire()``. Its count is per store, as it is in Strands.
    """

    def __init__(self, trigger: Any) -> None:
        """Attach *trigger* to the stand-in."""
        self._hooks: list[Callable[[Any], Any]] = []
        self._fired = threading.local()
        agent = SimpleNamespace(add_hook=self._add_hook)
        trigger.attach(SimpleNamespace(agent=agent, fire=self._fire))

    def __call__(self, context: TriggerContext) -> bool:
        """Run the hooks for one turn; tell whether the trigger fired."""
        self._fired.now = False
        for hook in self._hooks:
            hook(SimpleNamespace(agent=None, context=context))
        return bool(self._fired.now)

    def _add_hook(self, hook: Callable[[Any], Any], event: Any = None, **_: Any) -> None:
        if event is None or getattr(event, "__name__", "") == "AfterInvocationEvent":
            self._hooks.append(hook)

    def _fire(self) -> None:
        self._fired.now = True


def own_trigger(trigger: Any) -> Any:
    """Return *trigger*, wrapped if it is one that attaches to an agent."""
    attaches = callable(getattr(trigger, "attach", None)) and not callable(trigger)
    return AttachedTrigger(trigger) if attaches else trigger
