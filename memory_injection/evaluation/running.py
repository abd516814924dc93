"""Fill a store with a corpus, ask every question, and keep what came back.

Everything goes through the manager, as a user would have it: one scope per corpus, so that a
wrong answer from another dialogue would show.
"""

from __future__ import annotations

import functools
import itertools
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..counters import counter_for
from ..errors import StoreError
from ..manager import MemoryManager
from ..records import MemoryEntry, Scope
from .datasets import Corpus, Item, Question
from .metrics import Outcome

__all__ = ["BUDGETS", "DEPTH", "Progress", "Run", "ask", "fill", "measure"]

DEPTH = 20  # entries asked for: the deepest cut that is reported
_MODEL = "gpt-4o"  # whose tokens are counted
_DEEP = 100  # entries that recall by token budget looks at
BUDGETS = (256, 512, 768, 1024, 1536, 2048)
"""Tokens of a block that recall is reported for."""

Progress = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and how much there is."""


@dataclass(slots=True)
class Run:
    """What a measurement gave.

    Attributes:
        outcomes: one per question, in order.
        entries: entries remembered.
        fill_seconds: time it took to write (and embed) them.
        blank: turns, messages or paragraphs left out, having no text.
    """

    outcomes: list[Outcome] = field(default_factory=list)
    entries: int = 0
    fill_seconds: float = 0.0
    blank: int = 0

    def headline(self) -> list[Outcome]:
        """Return the outcomes that count in the main figure."""
        return [outcome for outcome in self.outcomes if outcome.headline]

    def by_kind(self) -> dict[str, list[Outcome]]:
        """Return the outcomes by kind of question, the headline's kinds first."""
        found: dict[str, list[Outcome]] = {}
        for outcome in sorted(self.outcomes, key=lambda each: not each.headline):
            found.setdefault(outcome.kind, []).append(outcome)
        return found


def measure(
    corpora: Sequence[Corpus],
    manager: MemoryManager,
    *,
    limit: int | None = None,
    blocks: bool = True,
    progress: Progress | None = None,
) -> Run:
    """Remember every corpus, then ask its questions.

    Args:
        corpora: what to remember and to ask.
        manager: a manager whose stores are empty.
        limit: most questions of the main figure, spread over the corpora; those kept apart are
            thinned alike. None asks all.
        blocks: also ask for the block that a model gets for each question, under the manager's own
            configuration.
        progress: told how far the work is.

    Raises:
        StoreError: entries could not be embedded, or a question could not be searched.
    """
    run = Run(blank=sum(corpus.blank for corpus in corpora))
    total = sum(len(corpus.items) for corpus in corpora)
    started = time.perf_counter()
    for corpus in corpora:
        for store in manager.stores:
            fill(store, corpus.items, scope_of(corpus))
        run.entries += len(corpus.items)
        _tell(progress, "remembering", run.entries, total)
    run.fill_seconds = time.perf_counter() - started
    asked = chosen(corpora, limit)
    # A question that a set asks twice would get the block that stands there from the first time.
    block_for = functools.cache(functools.partial(_block, manager)) if blocks else None
    for number, (corpus, question) in enumerate(asked, 1):
        outcome = ask(manager, question, scope_of(corpus))
        if block_for is not None:
            block, tokens = block_for(question.text, scope_of(corpus))
            outcome = replace(outcome, block=block, block_tokens=tokens)
        run.outcomes.append(outcome)
        _tell(progress, "asking", number, len(asked))
    return run


def scope_of(corpus: Corpus) -> Scope:
    """Return whose memory a corpus is."""
    return Scope(user=corpus.name)


def fill(store: Any, items: Iterable[Item], scope: Scope) -> None:
    """Write *items* into *store* in one go.

    Raises:
        StoreError: they could not be embedded: what would be measured is not what was asked for.
    """
    store.add_many(
        [
            {
                "id": item.id,
                "content": item.content,
                "metadata": dict(item.metadata),
                "created_at": item.created_at,
            }
            for item in items
        ],
        scope=scope,
    )
    problem = getattr(store, "problem", None)
    if problem:
        raise StoreError(str(problem), store.name)


def ask(manager: MemoryManager, question: Question, scope: Scope, depth: int = DEPTH) -> Outcome:
    """Ask one question and keep ids, sizes, the best score and the time it took."""
    started = time.perf_counter()
    entries = manager.search(question.text, max_search_results=depth, scope=scope)
    seconds = time.perf_counter() - started
    return Outcome(
        gold=question.gold,
        found=tuple(str(entry.id) for entry in entries),
        seconds=seconds,
        kind=question.kind,
        headline=question.headline,
        top_score=entries[0].score if entries else None,
        packed=_packed(manager, question, scope, entries),
    )


def _packed(
    manager: MemoryManager, question: Question, scope: Scope, entries: Sequence[MemoryEntry]
) -> tuple[tuple[str, int], ...]:
    """Measure the entries; where they do not fill the largest budget, look deeper."""
    sizes = [(str(entry.id), _size(entry)) for entry in entries]
    if sum(size for _, size in sizes) >= BUDGETS[-1]:
        return tuple(sizes)
    deeper = manager.search(question.text, max_search_results=_DEEP, scope=scope)
    known = {ident for ident, _ in sizes}  # a deeper search need not begin with the same entries
    further = [entry for entry in deeper if str(entry.id) not in known]
    return (*sizes, *((str(entry.id), _size(entry)) for entry in further))


def _block(manager: MemoryManager, text: str, scope: Scope) -> tuple[tuple[str, ...], int]:
    """Ask *text* as the first message of a conversation; return the block's ids and tokens."""
    asked = [{"role": "user", "content": text}]
    result = manager.inject(asked, model=_MODEL, scope=scope)
    if result.report.status == "failed":
        raise StoreError(f"{text!r} got no block: {result.report.error}")
    if result.block is None:
        return (), 0
    return tuple(str(entry.id) for entry in result.block.entries), result.block.tokens


def chosen(corpora: Sequence[Corpus], limit: int | None) -> list[tuple[Corpus, Question]]:
    """Return the questions to ask: all, or every n-th so that each corpus is heard.

    Args:
        corpora: whose questions.
        limit: most questions of the main figure; those kept apart are thinned alike.
    """
    everything = [(corpus, question) for corpus in corpora for question in corpus.questions]
    main = [at for at, (_, question) in enumerate(everything) if question.headline]
    if limit is None or limit >= len(main or everything):
        return everything
    apart = [at for at, (_, question) in enumerate(everything) if not question.headline]
    kept = {group[at] for group in (main, apart) for at in _thinned(group, limit, main or apart)}
    return [everything[at] for at in sorted(kept)]


def _thinned(places: Sequence[int], limit: int, of: Sequence[int]) -> Iterator[int]:
    """Give every n-th position of *places*, the n that leaves *limit* in *of*."""
    steps = (number * len(of) // limit for number in itertools.count())
    return itertools.takewhile(lambda at: at < len(places), steps)


def _size(entry: MemoryEntry) -> int:
    """Tokens of the entry as it stands in a block, tags included."""
    counter = counter_for(_MODEL, 5.0)
    return counter.count(f'<entry source="{entry.store_name}">{entry.content}</entry>\n')


def _tell(progress: Progress | None, what: str, done: int, total: int) -> None:
    if progress is not None:
        progress(what, done, total)


def summary(run: Run) -> Mapping[str, int | float]:
    """Return how much was remembered and how fast, and how much was left out for being blank."""
    rate = run.entries / run.fill_seconds if run.fill_seconds > 0 else 0.0
    return {
        "entries": run.entries,
        "blank": run.blank,
        "fill_seconds": round(run.fill_seconds, 3),
        "entries_per_second": round(rate, 1),
    }
