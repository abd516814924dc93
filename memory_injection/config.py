"""The knobs, as frozen pydantic models that refuse what they do not know."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from .errors import ConfigurationError

__all__ = ["Config", "InjectionConfig"]

C = TypeVar("C", bound="Config")
Finite = Annotated[float, Field(strict=True, allow_inf_nan=False)]


class Config(BaseModel):
    """Base of every configuration: frozen, closed, and one clear line when it is wrong."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    def __init__(self, **values: Any) -> None:
        """Validate *values*.

        Raises:
            ConfigurationError: an unknown field or a value outside its rule; the message names
                the field, the value and the rule.
        """
        try:
            super().__init__(**values)
        except ValidationError as error:
            raise ConfigurationError(_one_line(type(self).__name__, error)) from None

    @classmethod
    def of(cls: type[C], value: object) -> C:
        """Read a config from a config, a mapping, ``True`` or None (the defaults).

        Raises:
            ConfigurationError: anything else, or a mapping that does not validate.
        """
        if value is None or value is True:
            return cls()
        if isinstance(value, cls):
            return value
        if isinstance(value, dict):
            strange = next((name for name in value if not isinstance(name, str)), None)
            if strange is not None:
                raise ConfigurationError(f"{cls.__name__} has no field {strange!r}")
            return cls(**value)
        raise ConfigurationError(f"expected {cls.__name__}(...), a dict or True, not {value!r}")


# Where several kinds of value are allowed, pydantic speaks of one of them only.
_RULES = {
    "trigger": "'userTurn', 'everyTurn' or a callable over InjectionContext",
    "merge": "'fused', 'registration' or a callable merge policy",
    "min_relevance": "'auto', a finite number or None",
    "follow_up": "'auto' or 'off'",
    "query": "a callable over QueryContext, or None",
    "format": "a callable over FormatContext, or None",
    "on_entries": "a callable over the entries, or None",
    "filter": "a MessageFilter or a callable over a message",
}


def _one_line(name: str, error: ValidationError) -> str:
    """Return one line that names each wrong field, its value and the rule."""
    told: dict[str, str] = {}
    for problem in error.errors(include_url=False):
        where = ".".join(str(part) for part in problem["loc"] if isinstance(part, (str, int)))
        field = where.split(".")[0]
        if problem["type"] == "extra_forbidden":
            told.setdefault(field, f"{name} has no field {where!r}")
            continue
        rule = _rule(field, problem)
        subject = f"{name}.{field}" if field else name
        told.setdefault(field, f"{subject} = {problem['input']!r}: {rule}")
    return "; ".join(told.values())


def _rule(field: str, problem: Mapping[str, Any]) -> str:
    """Return what a value must be, in words that do not speak of pydantic."""
    kind, said = problem["type"], str(problem["msg"])
    if kind == "value_error":
        return said.removeprefix("Value error, ")
    if field in _RULES:
        return f"must be {_RULES[field]}"
    if kind in _WORDS:
        return _WORDS[kind].format(**problem.get("ctx", {}))
    return said.replace("Input should be", "must be", 1)


_WORDS = {
    "bool_type": "must be True or False",
    "finite_number": "must be a finite number",
    "float_type": "must be a number",
    "greater_than": "must be above {gt}",
    "greater_than_equal": "must be at least {ge}",
    "int_from_float": "must be a whole number",
    "int_type": "must be a whole number",
    "less_than": "must be below {lt}",
    "less_than_equal": "must be at most {le}",
    "list_type": "must be a list",
    "literal_error": "must be {expected}",
    "string_type": "must be text",
    "tuple_type": "must be a tuple or list",
}


class InjectionConfig(Config):
    """How memory gets into a request. Every field has a default; see ``docs/reference``.

    Attributes:
        trigger: when to look. ``"userTurn"``: only when the latest message is a fresh user ask.
            ``"everyTurn"``: before every model call. Or a predicate over ``InjectionContext``,
            sync or async; one that raises skips the look.
        max_entries: most entries in one block, at least 1.
        query: None for the adaptive query (latest user text on a user turn, else latest assistant
            text), or a callback over ``QueryContext``; None or blank skips.
        format: None for the ``<memory>`` XML block, or a callback over ``FormatContext`` that
            escapes for itself.
        token_budget: hard cap on the rendered block, in tokens of the model asked for.
        merge: ``"fused"``, ``"registration"`` (concatenated in registration order) or a
            ``MergePolicy``.
        timeout: seconds, deadline of the whole recall.
        min_relevance: ``"auto"`` (each store's own floor, and the turns found beside what is above
            it; small talk injects nothing), a number on the stores' scale, or None for no floor.
        follow_up: ``"auto"`` searches a short or pronoun-only ask together with the turns before
            it; ``"off"`` never does.
        attributes: what each ``<entry>`` carries, of ``source``, ``date``, ``id``, ``score``.
        keep: ``"conversation"``, ``"call"`` or ``"auto"``: whether earlier blocks are sent again.
        carry_budget: most tokens of earlier blocks in one request; past it the oldest go, in one
            step down to half.
        placement: ``"user"`` (appended to the latest user message) or ``"system"`` (one system
            message after the leading ones; at the end of the system prompt where an API keeps it
            outside the messages, as Anthropic, Bedrock and Gemini do: that takes a wrapped client
            or ``inject_request``, for ``inject`` sees the messages alone, writes into the user
            message and warns of it in the report).
        query_limit: characters a query is clamped to.
        reuse_seconds: a retry within this time gets the block written moments ago; later it is
            looked up afresh. The default is the five minutes that providers keep a cached prefix.
        context_window: tokens the model can take, or None for "known models only".
        reserve: tokens kept free for the reply when the window is near.
        cached_token_price: price of a cached prompt token against a new one, for ``keep="auto"``.
        cached_replies: share of a reply that the next request finds in the cache, for
            ``keep="auto"``: 1 for engines that keep what they generate (llama.cpp, vLLM), 0 for
            services that cache prompts only; 0.5 is right often enough for either.
        on_entries: a hook over the entries about to be packed; may filter or reorder them. One
            that raises is ignored and reported.
    """

    trigger: Literal["userTurn", "everyTurn"] | Callable[..., Any] = "userTurn"
    max_entries: int = Field(default=5, ge=1, le=1000, strict=True)
    query: Callable[..., Any] | None = None
    format: Callable[..., Any] | None = None
    token_budget: int = Field(default=2000, ge=1, le=10_000_000, strict=True)
    merge: Literal["fused", "registration"] | Callable[..., Any] = "fused"
    timeout: float = Field(default=2.0, gt=0, le=3600, strict=True, allow_inf_nan=False)
    min_relevance: (
        Literal["auto"] | Annotated[float, Field(strict=True, allow_inf_nan=False)] | None
    ) = "auto"
    follow_up: Literal["auto", "off"] = "auto"
    attributes: tuple[Literal["source", "date", "id", "score"], ...] = ("source",)
    keep: Literal["conversation", "call", "auto"] = "conversation"
    carry_budget: int = Field(default=4000, ge=0, strict=True)
    placement: Literal["user", "system"] = "user"
    query_limit: int = Field(default=4000, ge=1, strict=True)
    reuse_seconds: float = Field(default=300.0, ge=0, strict=True, allow_inf_nan=False)
    context_window: int | None = Field(default=None, ge=1, strict=True)
    reserve: int = Field(default=0, ge=0, strict=True)
    cached_token_price: float = Field(default=0.1, ge=0, le=1, strict=True)
    cached_replies: float = Field(default=0.5, ge=0, le=1, strict=True)
    on_entries: Callable[..., Any] | None = None

    @field_validator("attributes", mode="before")
    @classmethod
    def _attributes_are_a_sequence(cls, value: object) -> object:
        if isinstance(value, str):
            raise ValueError("attributes is a tuple of names, not one string")
        return value

    @field_validator("follow_up", mode="before")
    @classmethod
    def _follow_up_may_be_a_bool(cls, value: object) -> object:
        if value is None or isinstance(value, bool):
            return "auto" if value else "off"
        return value

    @field_validator("trigger", "query", "format", "merge", "on_entries", mode="before")
    @classmethod
    def _callables_fit(cls, value: object) -> object:
        if isinstance(value, type):
            raise ValueError("is a class: pass a function or an instance")
        place = getattr(value, "belongs_to", None)
        if isinstance(place, str):
            raise ValueError(f"belongs into {place}, which says when to learn, not when to inject")
        return value

    @model_validator(mode="after")
    def _window_leaves_room(self) -> InjectionConfig:
        if self.context_window is not None and self.reserve >= self.context_window:
            raise ValueError(
                f"reserve ({self.reserve}) must be below context_window ({self.context_window})"
            )
        return self

    @model_validator(mode="after")
    def _names_are_unique(self) -> InjectionConfig:
        if len(set(self.attributes)) != len(self.attributes):
            raise ValueError("attributes must not repeat a name")
        return self
