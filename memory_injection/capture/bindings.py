"""Which stores learn, and whether each has what it needs: checked when the manager is built."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ..errors import ConfigurationError
from ..signatures import accepts
from .config import EveryTurn, ExtractionConfig, MessageFilter

__all__ = ["Binding", "bind", "called_with", "implements"]


@dataclass(frozen=True, slots=True)
class Binding:
    """A store that learns, and how.

    Attributes:
        store: the store.
        config: its extraction settings, every field filled in.
        sink: ``"entries"`` (extractor and ``add``), ``"messages"`` (``add_messages``) or
            ``"turns"`` (``on_turn_end``).
    """

    store: Any
    config: ExtractionConfig
    sink: Literal["entries", "messages", "turns"]

    @property
    def name(self) -> str:
        """Return the store's name."""
        return str(self.store.name)


def bind(stores: Iterable[Any], extractor: Any = None) -> tuple[Binding, ...]:
    """Return a binding for each store that learns, in order.

    A store learns when its ``extraction`` is on; one without that attribute when it has a turn
    hook of its own, ``on_turn_end(turn)``, unless it says ``captures_turns = False``.

    Args:
        stores: the stores.
        extractor: stands in where a store has neither an extractor nor ``add_messages``.

    Raises:
        ConfigurationError: a store that cannot be written to, has no trigger, or has neither an
            extractor nor ``add_messages``, or an extractor without ``add``.
    """
    found = (_bound(store, extractor) for store in stores)
    return tuple(binding for binding in found if binding is not None)


def _bound(store: Any, extractor: Any) -> Binding | None:
    wanted = getattr(store, "extraction", None)
    if wanted is None:
        return _hooked(store)
    if wanted is False:
        return None
    if getattr(store, "writable", None) is False:
        raise ConfigurationError(f"store {store.name!r} has extraction on but is not writable")
    try:
        config = ExtractionConfig.of(_translated(wanted))
    except ConfigurationError as error:
        raise ConfigurationError(f"extraction of store {store.name!r}: {error}") from None
    return _sunk(store, config, extractor)


def _hooked(store: Any) -> Binding | None:
    wanted = getattr(store, "captures_turns", True) is not False
    if not wanted or not implements(store, "on_turn_end"):
        return None
    # The hook is promised the whole turn, tool traffic included.
    config = ExtractionConfig(triggers=(EveryTurn(),), filter=MessageFilter(()))
    return Binding(store, config, "turns")


def _sunk(store: Any, config: ExtractionConfig, extractor: Any) -> Binding:
    if config.extractor is None and implements(store, "add_messages"):
        return Binding(store, config, "messages")
    if config.extractor is None and extractor is None:
        raise ConfigurationError(
            f"store {store.name!r} has extraction on but neither an extractor nor add_messages: "
            "give ExtractionConfig(extractor=...)"
        )
    if not implements(store, "add"):
        raise ConfigurationError(
            f"store {store.name!r} has an extractor but no add() for what it finds"
        )
    if config.extractor is None:
        config = config.model_copy(update={"extractor": extractor})
    return Binding(store, config, "entries")


def _translated(wanted: Any) -> Any:
    """Read the mapping Strands stores carry, whose filter excludes kinds of content blocks."""
    if not isinstance(wanted, Mapping):
        return wanted
    config = {name: value for name, value in wanted.items() if value is not None}
    kinds = getattr(config.get("filter"), "exclude", None)
    if isinstance(kinds, list):
        config["filter"] = MessageFilter(("tool",) if "toolUse" in kinds else ())
    return config


def implements(store: Any, name: str) -> bool:
    """Tell whether *store* has a method *name* of its own, not a Protocol's empty default."""
    if not callable(getattr(store, name, None)):
        return False
    for kind in type(store).__mro__:
        if name in vars(kind):
            return not getattr(kind, "_is_protocol", False)
    return True


def called_with(add_messages: Any, messages: Any, context: Any, **keywords: Any) -> Any:
    """Call *add_messages*, with the *context* if it takes one, by whatever name."""
    if accepts(add_messages, "context"):
        return add_messages(messages, context=context, **keywords)
    try:
        inspect.signature(add_messages).bind(messages, context, **keywords)
    except (TypeError, ValueError):
        return add_messages(messages, **keywords)
    return add_messages(messages, context, **keywords)
