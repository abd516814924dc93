"""Which stores learn, and whether each has what it needs: checked when the manager is built."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import ConfigurationError
from .config import ExtractionConfig, MessageFilter
from .foreign import own_trigger

__all__ = ["Binding", "accepts", "bind", "called_with", "implements"]


@dataclass(frozen=True, slots=True)
class Binding:
    """A store that learns, and how.

    Attributes:
        store: the store.
        config: its extraction settings, every field filled in.
    """

    store: Any
    config: ExtractionConfig

    @property
    def name(self) -> str:
        """Return the store's name."""
        return str(self.store.name)


def bind(stores: Iterable[Any], extractor: Any = None) -> tuple[Binding, ...]:
    """Return a binding for each store with ``extraction`` on, in order.

    Args:
        stores: the stores; those without ``extraction`` are passed over.
        extractor: stands in where a store has neither an extractor nor ``add_messages``.

    Raises:
        ConfigurationError: a store that cannot be written to, has no trigger, or has neither an
            extractor nor ``add_messages``, or an extractor without ``add``.
    """
    found = ((store, getattr(store, "extraction", None)) for store in stores)
    return tuple(_bound(s, wanted, extractor) for s, wanted in found if wanted not in (None, False))


def _bound(store: Any, wanted: Any, extractor: Any) -> Binding:
    name = store.name
    if getattr(store, "writable", None) is False:
        raise ConfigurationError(f"store {name!r} has extraction on but is not writable")
    try:
        config = ExtractionConfig.of(_translated(wanted))
    except ConfigurationError as error:
        raise ConfigurationError(f"extraction of store {name!r}: {error}") from None
    if config.extractor is None and not implements(store, "add_messages"):
        if extractor is None:
            raise ConfigurationError(
                f"store {name!r} has extraction on but neither an extractor nor add_messages: "
                "give ExtractionConfig(extractor=...)"
            )
        config = config.model_copy(update={"extractor": extractor})
    if config.extractor is not None and not implements(store, "add"):
        raise ConfigurationError(f"store {name!r} has an extractor but no add() for what it finds")
    return Binding(store, config)


def _translated(wanted: Any) -> Any:
    """Read the mapping Strands stores carry (``trigger``, ``filter.exclude`` of block kinds)."""
    if not isinstance(wanted, Mapping):
        return wanted
    config = dict(wanted)
    if "trigger" in config and "triggers" not in config:
        config["triggers"] = config.pop("trigger")
    triggers = config.get("triggers")
    if triggers is None:
        config.pop("triggers", None)
    elif isinstance(triggers, (list, tuple)):
        config["triggers"] = [own_trigger(one) for one in triggers]
    else:
        config["triggers"] = own_trigger(triggers)
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


def accepts(function: Any, keyword: str) -> bool:
    """Tell whether *function* can be called with *keyword*."""
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False
    kinds = {p.kind for p in parameters.values()}
    return keyword in parameters or inspect.Parameter.VAR_KEYWORD in kinds


def called_with(add_messages: Any, messages: Any, context: Any) -> Any:
    """Call *add_messages*, with the *context* if it takes one, by whatever name."""
    if accepts(add_messages, "context"):
        return add_messages(messages, context=context)
    try:
        inspect.signature(add_messages).bind(messages, context)
    except (TypeError, ValueError):
        return add_messages(messages)
    return add_messages(messages, context)
