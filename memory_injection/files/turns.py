"""From a finished turn to drafts: what ``extract_turn`` is given and what it may return."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import partial
from typing import Any

from ..errors import ConfigurationError, InputError
from ..records import MemoryEntry, Scope
from .record import MemoryDraft

__all__ = ["ExtractionError", "Turn", "TurnOutcome", "caller_for", "drafts_in"]


@dataclass(frozen=True, slots=True)
class Turn:
    """One user ask and everything until the next one. Read by attribute or by key.

    Attributes:
        input: what the user said.
        output: the final reply; "" if there was none.
        messages: the turn's messages, tool traffic included, in the caller's own shape.
        scope: whose turn it was.
    """

    input: str
    output: str = ""
    messages: Sequence[Any] = ()
    scope: Scope = field(default_factory=Scope)

    @classmethod
    def of(cls, value: object = None, **given: Any) -> Turn:
        """Read a turn from a turn, a mapping, an object with these attributes or keywords.

        What else a mapping or an object holds is left alone: frameworks hand over events of
        their own.

        Raises:
            InputError: an unknown keyword, or input or output is not a text.
        """
        if isinstance(value, cls) and not given:
            return value
        names = [f.name for f in fields(cls)]
        unknown = sorted(set(given) - set(names))
        if unknown:
            raise InputError(f"a turn has no field {unknown[0]!r}: use {', '.join(names)}")
        read = value.get if isinstance(value, Mapping) else partial(_attribute, value)
        return cls(**_checked({**{name: read(name) for name in names}, **given}))

    def __getitem__(self, name: str) -> Any:
        """Return a field by its name."""
        if name not in self.keys():
            raise KeyError(name)
        return getattr(self, name)

    def keys(self) -> tuple[str, ...]:
        """Return the names of the fields."""
        return tuple(f.name for f in fields(self))

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())


@dataclass(frozen=True, slots=True)
class TurnOutcome:
    """What became of one turn's drafts.

    Attributes:
        written: the records written, in the order of the drafts.
        known: how many drafts said what a record of the same owner says already.
        problems: one line for each draft that was refused, or for an extractor that failed.
        failed: the extractor or the disk failed, so the turn is worth handing over again: what
            was written then counts as known. A draft that breaks a rule is not a failure.
    """

    written: tuple[MemoryEntry, ...] = ()
    known: int = 0
    problems: tuple[str, ...] = ()
    failed: bool = False


class ExtractionError(InputError):
    """Stands for what an extractor raised, in the place of its drafts."""


def _attribute(value: object, name: str) -> Any:
    return getattr(value, name, None)


def _checked(found: dict[str, Any]) -> dict[str, Any]:
    for name in ("input", "output"):
        value = found.get(name)
        if value is None:
            found[name] = ""
        elif not isinstance(value, str):
            raise InputError(f"turn {name} must be a text, not {value!r:.80}")
    try:
        found["scope"] = Scope.of(found.get("scope"))
    except ConfigurationError as error:
        raise InputError(str(error)) from None
    found["messages"] = tuple(found.get("messages") or ())
    return found


def caller_for(extract: Callable[..., Any]) -> Callable[[Turn], Any]:
    """Return a callable that hands *extract* a turn the way its parameters ask for it.

    Parameters named after the turn's fields get those fields; otherwise the one parameter gets
    the turn.
    """
    names = {f.name for f in fields(Turn)}
    try:
        parameters = inspect.signature(extract).parameters.values()
    except (TypeError, ValueError):
        return extract
    named = {p.name for p in parameters if p.name in names and p.kind is not p.POSITIONAL_ONLY}
    if not named:
        return extract
    # ``**rest`` in a signature asks for the remaining fields, as destructuring would.
    everything = any(p.kind is p.VAR_KEYWORD for p in parameters)
    wanted = names if everything else named
    return lambda turn: extract(**{name: getattr(turn, name) for name in wanted})


def drafts_in(found: object) -> Iterator[MemoryDraft | InputError]:
    """Yield the drafts in what an extractor returned; a bad one as the error that refuses it.

    An iterable that fails half-way keeps what it gave; the failure comes last.
    """
    try:
        for value in _several(found):
            yield failure(value) if isinstance(value, Exception) else _draft(value)
    except Exception as error:
        yield failure(error)


def failure(error: Exception) -> ExtractionError:
    """Return the error that stands for an extractor's own."""
    return ExtractionError(f"extract_turn failed: {type(error).__name__}: {error}")


def _draft(value: object) -> MemoryDraft | InputError:
    try:
        return MemoryDraft.of(value)
    except InputError as error:
        return error
    except Exception as error:
        return InputError(f"a draft could not be read: {type(error).__name__}: {error}")


def _several(found: object) -> Iterable[object]:
    if found is None:
        return ()
    # Texts and mappings are iterable too, and are one draft each.
    if isinstance(found, (str, Mapping, MemoryDraft)) or hasattr(found, "content"):
        return (found,)
    if isinstance(found, Iterable):
        return found
    return (found,)
