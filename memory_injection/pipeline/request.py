"""One call's values, as the steps see them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ..config import InjectionConfig
from ..ledger_records import Space
from ..protocols import Dialect, Ledger, MergePolicy, TokenCounter
from ..records import Scope
from .walk import Walk
from .weighing import Weights

__all__ = ["Request", "StoreTraits"]


@dataclass(frozen=True, slots=True)
class StoreTraits:
    """What the steps need to know of a store.

    Attributes:
        floor: score below which its entries are noise, or None if it does not say.
        unit_scores: its scores are calibrated to 0..1 and comparable with other such stores'.
    """

    floor: float | None = None
    unit_scores: bool = False


@dataclass(frozen=True, slots=True)
class Request:
    """One injection: what was asked for and what the steps work with.

    Attributes:
        conversation: the messages as given, in the caller's own shape.
        walk: the messages as read, with keys.
        now: seconds since 1970.
        merge: the merge policy in force.
        load_counter: returns the token counter for a model; may take a while.
        placement: ``"user"``, ``"system"``, or ``"apart"`` where the API keeps its system prompt
            outside the conversation.
        counter_ready: ``load_counter`` answers at once.
        window: tokens the model takes, or None if unknown.
        weights: what blocks weigh that were written under another counter.
        beside: returns the bytes of the request beside its messages (tools, system).
    """

    conversation: Any
    walk: Walk
    dialect: Dialect
    config: InjectionConfig
    scope: Scope
    space: Space
    model: str | None
    now: float
    stores: Mapping[str, StoreTraits]
    merge: MergePolicy
    ledger: Ledger
    load_counter: Callable[[str | None], TokenCounter]
    placement: Literal["user", "system", "apart"] = "user"
    counter_ready: bool = True
    window: int | None = None
    weights: Weights = field(default_factory=Weights)
    beside: Callable[[], int] = lambda: 0
