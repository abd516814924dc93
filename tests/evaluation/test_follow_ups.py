"""A hundred two-turn asks, English and Turkish: what the follow-up rule brings."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from memory_injection.config import InjectionConfig
from memory_injection.evaluation.metrics import Outcome, figures
from memory_injection.manager import MemoryManager
from memory_injection.records import Scope
from memory_injection.stores import SQLiteStore

FILE = Path(__file__).with_name("follow_ups.txt")


@dataclass
class Dialogue:
    """Turns as (speaker, text), and asks as (first, follow-up, ids of the answers)."""

    language: str
    turns: list[tuple[str, str]] = field(default_factory=list)
    asks: list[tuple[str, str, frozenset[str]]] = field(default_factory=list)


def dialogues() -> list[Dialogue]:
    found: list[Dialogue] = []
    for line in FILE.read_text(encoding="utf-8").splitlines():
        if line.startswith("== "):
            found.append(Dialogue(line[3:]))
        elif line.startswith("? "):
            first, then, gold = (part.strip() for part in line[2:].split("|"))
            found[-1].asks.append((first, then, frozenset(gold.split())))
        elif not line.startswith("#"):
            speaker, text = line.split(": ", 1)
            found[-1].turns.append((speaker, text))
    return found


def outcomes(language: str, follow_up: str) -> list[Outcome]:
    """Ask each follow-up in a conversation, and keep which turns the block shows."""
    config = InjectionConfig(follow_up=follow_up, min_relevance=None)
    found: list[Outcome] = []
    with MemoryManager(stores=[SQLiteStore(":memory:")], injection=config) as memory:
        (store,) = memory.stores
        for number, talk in enumerate(d for d in dialogues() if d.language == language):
            scope = Scope(user=f"{language}{number}")
            for turn, (speaker, text) in enumerate(talk.turns):
                about = {"speaker": speaker, "session": "1", "turn": turn}
                store.add(text, about, scope=scope, id=str(turn + 1))
            for first, then, gold in talk.asks:
                said = [("user", first), ("assistant", "Let me see."), ("user", then)]
                messages = [{"role": role, "content": content} for role, content in said]
                block = memory.inject(messages, model="gpt-4o", scope=scope).block
                shown = tuple(str(entry.id) for entry in block.entries) if block else ()
                found.append(Outcome(gold, shown, 0.0))
    return found


def test_there_are_a_hundred_asks_in_two_languages() -> None:
    """Fifty each, every answer a turn of its dialogue."""
    talks = dialogues()
    assert [sum(len(t.asks) for t in talks if t.language == lang) for lang in ("en", "tr")] == [
        50,
        50,
    ]
    for talk in talks:
        numbers = {str(number + 1) for number in range(len(talk.turns))}
        assert all(gold and gold <= numbers for _, _, gold in talk.asks)


@pytest.mark.parametrize("language", ["en", "tr"])
def test_the_rule_finds_what_the_follow_up_alone_does_not(language: str) -> None:
    """Recall of the answer among five entries, with the rule and without."""
    without, ruled = (figures(outcomes(language, how))["R@5"] for how in ("off", "auto"))
    print(f"{language}: R@5 {without:.2f} without the rule, {ruled:.2f} with it")
    assert ruled >= without + 0.2
    assert ruled >= 0.6
