"""One function a model may call, and how a refusal reaches the model: as text, never a raise."""

from __future__ import annotations

import inspect
import json
import logging
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .errors import ConfigurationError, FactRefused, MemoryInjectionError
from .tool_arguments import Refusal, read_arguments

__all__ = ["Tool", "ToolRefused", "refusal_text", "result_text"]

logger = logging.getLogger(__name__)

# The narrowest rule of the providers served: OpenAI and Anthropic take 64 of these characters.
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")

MAX_RESULT = 20_000
"""Characters of one tool result; what is longer is cut, and the cut is named in the text."""


class ToolRefused(MemoryInjectionError):
    """Raised inside a tool to refuse a call: the model reads ``error: <code>: <message>``.

    Any exception with textual ``code`` and ``message`` (``FactRefused``) is rendered alike.

    Attributes:
        code: short machine-readable word, e.g. ``"unknown_store"``.
        message: one sentence the model can act on.
    """

    def __init__(self, code: str, message: str) -> None:
        """Keep *code* and *message*; ``str()`` reads ``code: message``."""
        self.code = code
        self.message = message
        super().__init__(f"{code}: {message}")


@dataclass(frozen=True, slots=True)
class Tool:
    """One function a model may call, free of any request shape.

    Attributes:
        name: 1-64 of ``[A-Za-z0-9_-]``, not starting with a digit or dash.
        description: what the model reads to decide.
        parameters: JSON schema of the arguments, ``{"type": "object", "properties": ...}``.
            Arguments are checked against it before ``function`` is called.
        function: called with the arguments as keywords; returns a string or any JSON-serialisable
            value; sync or async; raises to refuse.
        afunction: the async twin, used by ``acall``; None when ``function`` serves both.

    Raises:
        ConfigurationError: the name, the schema or the function does not fit those rules.
    """

    name: str
    description: str
    parameters: Mapping[str, Any] = field(hash=False)
    function: Callable[..., Any] = field(repr=False)
    afunction: Callable[..., Awaitable[Any]] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        """Refuse what a provider would answer with a 400."""
        if not isinstance(self.name, str) or not _NAME.fullmatch(self.name):
            raise ConfigurationError(
                f"tool name must be 1-64 letters, digits, _ or -, not {self.name!r}"
            )
        if not isinstance(self.parameters, Mapping) or self.parameters.get("type") != "object":
            raise ConfigurationError(
                f"parameters of tool {self.name!r} must be a JSON schema of type 'object', "
                f"not {self.parameters!r}"
            )
        if not callable(self.function):
            raise ConfigurationError(
                f"function of tool {self.name!r} must be callable, not {self.function!r}"
            )

    def call(self, arguments: object, wait: Callable[[Awaitable[Any]], Any]) -> tuple[str, bool]:
        """Run the tool; return the text for the model and whether it went well. Never raises.

        Args:
            arguments: a mapping or its JSON text, as the model gave it.
            wait: runs an awaitable to its end, for a ``function`` that is async.
        """
        try:
            value = self.function(**read_arguments(self.parameters, arguments))
            if inspect.isawaitable(value):
                value = wait(value)
            return result_text(value), True
        except Exception as error:
            return self._refused(error), False

    async def acall(self, arguments: object) -> tuple[str, bool]:
        """Run the tool, awaiting it; the same results as :meth:`call`."""
        try:
            run = self.afunction or self.function
            value = run(**read_arguments(self.parameters, arguments))
            if inspect.isawaitable(value):
                value = await value
            return result_text(value), True
        except Exception as error:
            return self._refused(error), False

    def _refused(self, error: Exception) -> str:
        if not isinstance(error, (ToolRefused, Refusal, FactRefused)):
            logger.warning("tool %s failed: %s", self.name, type(error).__name__)
        return refusal_text(error)


def refusal_text(error: BaseException) -> str:
    """Return ``error: <code>: <message>`` for *error*, on one line.

    The code is the error's own where it has one, else ``failed``; the class name of a foreign
    error is enough for a model, its text may hold paths or secrets and stays in the log.
    """
    code, message = getattr(error, "code", None), getattr(error, "message", None)
    if isinstance(code, str) and code and isinstance(message, str):
        pass
    elif isinstance(error, MemoryInjectionError):
        code, message = "failed", str(error)
    else:
        code, message = "failed", f"the tool could not answer ({type(error).__name__})"
    return " ".join(f"error: {code}: {message}".split())


def result_text(value: Any) -> str:
    """Return *value* as the text of a tool result, at most :data:`MAX_RESULT` characters."""
    text: str = (
        value
        if isinstance(value, str)
        else json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
    )
    if len(text) <= MAX_RESULT:
        return text
    note = f"\n[cut: {len(text)} characters, {MAX_RESULT} shown]"
    return text[: MAX_RESULT - len(note)] + note
