"""What the memory tools are called and how far they reach."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from pydantic import Field, field_validator

from ..config import Config
from ..errors import ConfigurationError, StoreError, StoreErrors

__all__ = ["AddTool", "SearchTool", "described", "failed_stores", "reached", "schema"]


class SearchTool(Config):
    """What ``search_memory`` is called and how far it reaches.

    Attributes:
        name: the name the model sees.
        description: what it is told; the stores and their descriptions are added.
        stores: names of the stores it may search; None for all.
        max_results: most results of one call.
        entry_limit: characters of one result; what is longer is cut, and ends with "…".
    """

    name: str = "search_memory"
    description: str = (
        "Search long-term memory for what was said or decided in earlier conversations. "
        "Use it when the answer may depend on something that is not in this conversation."
    )
    stores: tuple[str, ...] | None = None
    max_results: int = Field(default=10, ge=1, le=100, strict=True)
    entry_limit: int = Field(default=1000, ge=1, strict=True)

    @field_validator("stores", mode="before")
    @classmethod
    def _names(cls, value: Any) -> Any:
        return _store_names(value)


class AddTool(Config):
    """What ``add_memory`` is called and where it may write.

    Attributes:
        name: the name the model sees.
        description: what it is told; the stores and their descriptions are added.
        stores: names of the stores (or the stores) it may write to; None for all writable ones.
        wait: True answers when it is stored; False at once, and a failure is only logged.
        max_length: most characters of one memory.
    """

    name: str = "add_memory"
    description: str = (
        "Remember one fact for later conversations: a full sentence that makes sense alone, "
        "with names instead of pronouns."
    )
    stores: tuple[str, ...] | None = None
    wait: bool = Field(default=True, strict=True)
    max_length: int = Field(default=4000, ge=1, strict=True)

    @field_validator("stores", mode="before")
    @classmethod
    def _names(cls, value: Any) -> Any:
        return _store_names(value)


def _store_names(value: Any) -> Any:
    if isinstance(value, str):
        raise ValueError("stores is a list of names, not one string")
    if not isinstance(value, Iterable):
        return value
    return tuple(one if isinstance(one, str) else getattr(one, "name", one) for one in value)


def reached(stores: Sequence[Any], names: Sequence[str] | None, tool: str) -> list[Any]:
    """Return the stores a tool reaches, checked against those there are.

    Raises:
        ConfigurationError: a name nobody has, or none at all.
    """
    known = {store.name: store for store in stores}
    for name in names or ():
        if name not in known:
            raise ConfigurationError(f"{tool}: no store {name!r}; there is: {', '.join(known)}")
    return list(stores) if names is None else [known[name] for name in names]


def schema(stores: Sequence[str], **properties: dict[str, Any]) -> dict[str, Any]:
    """Return the JSON schema of a tool; the first property is required, stores can be chosen."""
    required = [next(iter(properties))]
    if len(stores) > 1:
        properties["stores"] = {
            "type": "array",
            "items": {"type": "string", "enum": list(stores)},
            "description": "Names of the stores to use; all when left out.",
        }
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


def described(description: str, stores: Sequence[Any]) -> str:
    """Return *description* with what the stores say of themselves."""
    told = [(s.name, getattr(s, "description", None)) for s in stores]
    lines = [f"- {name}: {text}" if text else f"- {name}" for name, text in told]
    if len(lines) == 1 and not told[0][1]:
        return description
    return "\n".join([description, "Stores:", *lines])


def failed_stores(error: StoreErrors) -> list[str]:
    """Return the names of the stores that failed: what a model may know of an error."""
    return [one.store for one in error.exceptions if isinstance(one, StoreError) and one.store]
