"""When a store learns, from what, and through whom."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

from pydantic import Field, field_validator, model_validator

from ..config import Config
from ..errors import ConfigurationError
from .foreign import own_trigger
from .records import Message, TriggerContext

__all__ = ["EveryNTurns", "EveryTurn", "ExtractionConfig", "MessageFilter", "Trigger"]

Trigger: TypeAlias = Callable[[TriggerContext], Any]

DEFAULT_TURNS = 5

_PLACE = "ExtractionConfig(triggers=...)"

LONGEST = 1_000_000.0
"""Seconds (some eleven days) that any wait may be: threads cannot wait for ever-greater numbers,
and a lane that tried to would end."""


@dataclass(frozen=True, slots=True)
class EveryTurn:
    """Fires after every turn: nothing waits, and an extractor that asks a model costs most."""

    belongs_to: ClassVar[str] = _PLACE

    def __call__(self, context: TriggerContext) -> bool:
        """Return True."""
        return True


@dataclass(frozen=True, slots=True)
class EveryNTurns:
    """Fires once *turns* turns of one conversation wait.

    Args:
        turns: how many, at least 1.

    Raises:
        ConfigurationError: *turns* is not a whole number of at least 1.
    """

    belongs_to: ClassVar[str] = _PLACE
    turns: int = DEFAULT_TURNS

    def __post_init__(self) -> None:
        """Refuse what would never or always fire by accident."""
        if isinstance(self.turns, bool) or not isinstance(self.turns, int) or self.turns < 1:
            raise ConfigurationError(
                f"EveryNTurns.turns = {self.turns!r}: must be a whole number of at least 1"
            )

    def __call__(self, context: TriggerContext) -> bool:
        """Tell whether enough turns wait."""
        return context.turns >= self.turns


@dataclass(frozen=True, slots=True)
class MessageFilter:
    """Leaves out kinds of messages.

    Args:
        exclude: of ``"tool"`` (tool calls and their results), ``"user"``, ``"assistant"``.

    Raises:
        ConfigurationError: another word.
    """

    exclude: Sequence[str] = ("tool",)

    def __post_init__(self) -> None:
        """Refuse words that would exclude nothing."""
        if isinstance(self.exclude, str) or not isinstance(self.exclude, Iterable):
            raise ConfigurationError(f"exclude is a tuple of words, not {self.exclude!r}")
        for word in self.exclude:
            if word not in ("tool", "user", "assistant"):
                raise ConfigurationError(
                    f"MessageFilter cannot exclude {word!r}: use 'tool', 'user' or 'assistant'"
                )

    def keeps(self, message: Message) -> bool:
        """Tell whether *message* stays."""
        return (message.kind if message.kind == "tool" else message.role) not in self.exclude


class ExtractionConfig(Config):
    """How one store learns from conversations: the value of its ``extraction``.

    Attributes:
        triggers: when to hand over what waits: ``EveryTurn()``, ``EveryNTurns(n)``, a predicate
            over :class:`TriggerContext` (sync or async), or several, any of which may fire.
            ``"every turn"``, ``"every 3 turns"`` and a whole number are short for the first two.
        extractor: messages (mappings with ``role`` and ``content`` texts) in, entries (strings,
            mappings or objects with ``content``) out, sync or async; the entries go to ``add``.
            None hands the messages to the store's ``add_messages``.
        filter: what is left out; or a predicate over a message with ``role`` and ``content``.
            System messages and injected blocks are always left out.
        batch_turns: most turns handed over at once.
        max_pending: most turns kept while the store is down; past it the oldest are dropped and
            counted.
        quiet_seconds: a conversation silent for so long is handed over without its trigger; None
            waits for the trigger or ``flush``.
        timeout: seconds one attempt (an extractor run, one write) may take.
        retry_first: seconds before the first retry; doubles with each failure, with jitter.
        retry_most: most seconds between two retries.
        open_after: failures in a row after which the store counts as down.
    """

    triggers: tuple[Trigger, ...] = (EveryNTurns(),)
    extractor: Any = None
    filter: MessageFilter | Callable[[Mapping[str, str]], Any] = MessageFilter()
    batch_turns: int = Field(default=20, ge=1, strict=True)
    max_pending: int = Field(default=1000, ge=1, strict=True)
    quiet_seconds: float | None = Field(default=300.0, gt=0, le=LONGEST)
    timeout: float = Field(default=120.0, gt=0, le=LONGEST)
    retry_first: float = Field(default=0.1, gt=0, le=LONGEST)
    retry_most: float = Field(default=60.0, gt=0, le=LONGEST)
    open_after: int = Field(default=5, ge=1, strict=True)

    @model_validator(mode="before")
    @classmethod
    def _one_trigger(cls, values: Any) -> Any:
        """Take ``trigger``, as Strands calls the field, for ``triggers``."""
        if isinstance(values, dict) and "trigger" in values and "triggers" not in values:
            values = {**values, "triggers": values["trigger"]}
            del values["trigger"]
        return values

    @field_validator("triggers", mode="before")
    @classmethod
    def _read_triggers(cls, value: Any) -> tuple[Any, ...]:
        if isinstance(value, str) or not isinstance(value, Sequence):
            value = (value,)
        if not value:
            raise ValueError("at least one trigger is needed, or nothing is ever extracted")
        return tuple(_trigger(one) for one in value)

    @field_validator("extractor")
    @classmethod
    def _can_extract(cls, value: Any) -> Any:
        _refuse_class(value)
        if value is None or callable(value) or callable(getattr(value, "extract", None)):
            return value
        raise ValueError("an extractor is a callable over messages")

    @field_validator("filter", mode="before")
    @classmethod
    def _read_filter(cls, value: Any) -> Any:
        _refuse_class(value)
        return MessageFilter() if value is None else value

    @model_validator(mode="after")
    def _retries_grow(self) -> ExtractionConfig:
        if self.retry_most < self.retry_first:
            raise ValueError("retry_most must not be below retry_first")
        return self


_WORDS = re.compile(r"every[ _]?(?:(\d+)[ _]?turns|turn)", re.IGNORECASE)


def _refuse_class(value: object) -> None:
    if isinstance(value, type):
        raise ValueError("is a class: pass a function or an instance")


def _trigger(value: Any) -> Any:
    _refuse_class(value)
    if isinstance(value, str) and (words := _WORDS.fullmatch(value.strip())):
        return EveryNTurns(int(words[1])) if words[1] else EveryTurn()
    if isinstance(value, int):
        return EveryNTurns(value)
    if callable(value) or callable(getattr(value, "attach", None)):
        return own_trigger(value)
    raise ValueError("a trigger is EveryTurn(), EveryNTurns(n) or a predicate")
