"""Follow-ups: short asks that lean on the turn before, searched with it and without it.

The set is part of the package (``sets/followups.jsonl``): dialogues written for this project, each
with what a user has said and two-turn asks about it. All memories of one language belong to one
user, so that each ask has some sixty to choose from.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Literal

from ..config import InjectionConfig
from ..followups import leans_on_context
from ..manager import MemoryManager
from ..records import Scope
from .datasets import Item
from .metrics import Outcome, figures, intervals
from .running import Progress, fill

__all__ = ["FollowUp", "follow_ups", "memories", "run_follow_ups"]

_MOST = 20  # entries a block may hold here; the first five are what a block holds by default


@dataclass(frozen=True, slots=True)
class FollowUp:
    """A two-turn ask.

    Attributes:
        language: ISO 639-1 code.
        first: an ask that stands on its own.
        reply: what the assistant answered.
        ask: the short ask after it.
        gold: ids of the memories that answer ``ask``.
    """

    language: str
    first: str
    reply: str
    ask: str
    gold: frozenset[str]


def _dialogues() -> Iterator[Mapping[str, Any]]:
    text = files(__package__).joinpath("sets", "followups.jsonl").read_text("utf-8")
    return map(json.loads, text.splitlines())


def memories() -> dict[str, list[Item]]:
    """Return what is remembered, per language."""
    found: dict[str, list[Item]] = {}
    for told in _dialogues():
        found.setdefault(told["language"], []).extend(
            Item(
                f"{told['name']} {said['id']}",
                said["content"],
                {
                    "speaker": said["speaker"],
                    "session": f"{told['name']} {said['session']}",
                    "turn": said["turn"],
                },
            )
            for said in told["memories"]
        )
    return found


def follow_ups() -> list[FollowUp]:
    """Return the asks."""
    return [
        FollowUp(
            told["language"],
            asked["first"],
            asked["reply"],
            asked["ask"],
            frozenset(f"{told['name']} {ident}" for ident in asked["gold"]),
        )
        for told in _dialogues()
        for asked in told["asks"]
    ]


def run_follow_ups(
    make: Callable[[str], Any], *, limit: int | None = None, progress: Progress | None = None
) -> dict[str, Any]:
    """Ask everything with the rule and without it, through ``inject``; return the figures.

    Args:
        make: makes an empty store of the name given.
        limit: most asks, spread over the set; None asks all.
        progress: told how far the work is.
    """
    asks = follow_ups()
    if limit is not None and limit < len(asks):
        asks = [asks[at * len(asks) // limit] for at in range(limit)]
    store = make("memory")
    for language, items in memories().items():
        fill(store, items, Scope(user=language))
    outcomes: dict[str, list[Outcome]] = {}
    rules: dict[str, Literal["auto", "off"]] = {"with the rule": "auto", "without it": "off"}
    for name, rule in rules.items():
        config = InjectionConfig(
            follow_up=rule, max_entries=_MOST, timeout=60.0, token_budget=20_000
        )
        # The store outlives the first manager: nothing is closed before both have asked.
        manager = MemoryManager(stores=[store], injection=config)
        for number, asked in enumerate(asks, 1):
            outcomes.setdefault(name, []).append(_ask(manager, asked))
            if progress is not None:
                progress(f"asking {name}", number, len(asks))
    manager.close()
    return _report(asks, outcomes)


def _ask(manager: MemoryManager, asked: FollowUp) -> Outcome:
    messages = [
        {"role": "user", "content": asked.first},
        {"role": "assistant", "content": asked.reply},
        {"role": "user", "content": asked.ask},
    ]
    report = manager.inject(messages, model="gpt-4o", scope=Scope(user=asked.language)).report
    found = tuple(str(entry.id) for entry in report.entries)
    return Outcome(asked.gold, found, report.seconds, asked.language)


def _report(asks: Sequence[FollowUp], outcomes: Mapping[str, list[Outcome]]) -> dict[str, Any]:
    runs: dict[str, Any] = {}
    for name, every in outcomes.items():
        kinds = {
            kind: [o for o in every if o.kind == kind] for kind in {o.kind: None for o in every}
        }
        runs[name] = {
            **figures(every),
            "ci95": intervals(every),
            "by_language": {kind: figures(some) for kind, some in kinds.items()},
        }
    return {
        **{key: value for key, value in runs["with the rule"].items() if key != "by_language"},
        "runs": runs,
        "recognised": _share([asked.ask for asked in asks]),
        "first_asks_taken": _share([asked.first for asked in asks]),
    }


def _share(texts: Sequence[str]) -> float:
    return round(sum(map(leans_on_context, texts)) / max(len(texts), 1), 4)
