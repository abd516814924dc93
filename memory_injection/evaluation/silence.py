"""Does the best score tell whether anything is worth showing?

Answerable questions are a corpus's own; off-topic ones are the other corpora's, asked of this
memory. At the threshold that lets one off-topic question in ten through, the figure is the share
of answerable questions that still get something.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from ..errors import InputError
from ..manager import MemoryManager
from .datasets import Corpus
from .metrics import interval
from .offtopic import EVERYDAY, foreign_questions
from .running import Progress, Run, measure, scope_of

__all__ = ["FALSE_RATE", "Silence", "kept_at", "listen"]

FALSE_RATE = 0.10
_DEPTH = 5
_MOST = 400  # off-topic questions asked of one memory


@dataclass(slots=True)
class Silence:
    """Best scores (minus infinity for nothing found), by kind of question.

    Attributes:
        run: the answerable questions' ordinary outcomes.
        answerable: scores of questions this memory answers.
        foreign: scores of other memories' questions.
        renamed: the same with this memory's names put in.
        everyday: scores of everyday asks.
    """

    run: Run
    answerable: list[float] = field(default_factory=list)
    foreign: list[float] = field(default_factory=list)
    renamed: list[float] = field(default_factory=list)
    everyday: list[float] = field(default_factory=list)

    def report(self) -> dict[str, object]:
        """Return the figures under their JSON keys."""
        threshold = threshold_for(self.foreign)
        kept = [float(score > threshold) for score in self.answerable]
        return {
            "kept_at_10pct_false": kept_at(self.answerable, self.foreign),
            "kept_at_10pct_false_ci95": interval(kept),
            "kept_at_10pct_false_same_names": kept_at(self.answerable, self.renamed),
            "kept_at_10pct_false_everyday": kept_at(self.answerable, self.everyday),
            "auc": auc(self.answerable, self.foreign),
            "threshold": threshold if math.isfinite(threshold) else None,
            "n_off_topic": len(self.foreign),
        }


def threshold_for(off_topic: Sequence[float], rate: float = FALSE_RATE) -> float:
    """Return the lowest of the scores that at most *rate* of the off-topic ones exceed."""
    if not off_topic:
        return -math.inf
    ordered = sorted(off_topic, reverse=True)
    return ordered[min(int(rate * len(ordered)), len(ordered) - 1)]


def kept_at(
    answerable: Sequence[float], off_topic: Sequence[float], rate: float = FALSE_RATE
) -> float:
    """Return the share of *answerable* scores above the threshold for *off_topic*."""
    threshold = threshold_for(off_topic, rate)
    kept = sum(score > threshold for score in answerable)
    return round(kept / len(answerable), 4) if answerable else 0.0


def auc(answerable: Sequence[float], off_topic: Sequence[float]) -> float:
    """Return how often an answerable question scores above an off-topic one (ties count half)."""
    if not answerable or not off_topic:
        return 0.0
    ordered = sorted([(score, 1) for score in answerable] + [(score, 0) for score in off_topic])
    wins, below, start = 0.0, 0, 0
    while start < len(ordered):
        end = start
        while end < len(ordered) and ordered[end][0] == ordered[start][0]:
            end += 1
        own = sum(kind for _, kind in ordered[start:end])
        others = end - start - own
        wins += own * (below + others / 2)
        below += others
        start = end
    return round(wins / (len(answerable) * len(off_topic)), 4)


def listen(
    corpora: Sequence[Corpus],
    manager: MemoryManager,
    *,
    limit: int | None = None,
    progress: Progress | None = None,
) -> Silence:
    """Ask every memory its own questions, the others' questions, and everyday asks.

    Raises:
        InputError: fewer than two corpora: nobody to borrow off-topic questions from.
    """
    if len(corpora) < 2:
        raise InputError("silence needs at least two dialogues or chats to borrow questions from")
    run = measure(corpora, manager, limit=limit, blocks=False, progress=progress)
    heard = Silence(run, [_score(outcome.top_score) for outcome in run.headline()])
    most = _MOST if limit is None else max(1, limit // len(corpora))
    for number, corpus in enumerate(corpora, 1):
        for kind, questions in (
            (heard.foreign, foreign_questions(corpora, corpus, renamed=False)),
            (heard.renamed, foreign_questions(corpora, corpus, renamed=True)),
            (heard.everyday, list(EVERYDAY)),
        ):
            kind.extend(_best(manager, corpus, text) for text in _thinned(questions, most))
        if progress is not None:
            progress("asking what it cannot know", number, len(corpora))
    return heard


def _thinned(questions: list[str], most: int) -> list[str]:
    step = max(1.0, len(questions) / most)
    return [questions[int(at * step)] for at in range(min(most, len(questions)))]


def _best(manager: MemoryManager, corpus: Corpus, text: str) -> float:
    found = manager.search(text, max_search_results=_DEPTH, scope=scope_of(corpus))
    return _score(found[0].score if found else None)


def _score(score: float | None) -> float:
    return -math.inf if score is None else score
