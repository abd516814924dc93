"""From the arguments of a call to what is asked for, and what is left alone at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from .bodies import Asked, copied
from .dialects import registry
from .learning import inside_capture
from .records import InjectionResult, Scope
from .report import Reason
from .reporting import skipped_report

__all__ = ["asked_body", "asked_messages", "left_alone"]


def asked_messages(messages: Any, model: str | None, scope: Scope, api: str | None) -> Asked:
    """Return what a call with bare *messages* asks for; an iterable is read once.

    Raises:
        ConfigurationError: an unknown *api*.
    """
    dialect = registry.dialect_named(api) if api is not None else None
    return Asked(
        _readable_twice(messages), dialect, model if isinstance(model, str) else None, scope
    )


def asked_body(body: Any, model: str | None, scope: Scope, api: str | None) -> Asked:
    """Return what a call with a whole request *body*, a mapping, asks for.

    Raises:
        ConfigurationError: an unknown *api*.
    """
    if not isinstance(body, Mapping):
        return Asked(None, None, model, scope, {})
    dialect = registry.dialect_named(api) if api is not None else registry.detect_body(body)
    conversation = None
    if dialect is not None:
        given = body.get(dialect.field)
        conversation = _readable_twice(given)
        if isinstance(given, Iterator):  # read now, so it must not go out with the body
            body = {**body, dialect.field: conversation}
    named = model or body.get("model") or body.get("modelId")
    return Asked(conversation, dialect, named if isinstance(named, str) else None, scope, body)


def _readable_twice(conversation: Any) -> Any:
    """Return any iterable of messages as a list; a text, a mapping or an SDK's object as it is."""
    alone = isinstance(conversation, (str, list, Mapping, bytes))
    # SDK objects are pydantic models, which are iterable too, over their fields.
    if alone or hasattr(conversation, "model_fields_set") or not isinstance(conversation, Iterable):
        return conversation
    return list(conversation)


def left_alone(asked: Asked, why_disabled: str | None) -> InjectionResult | None:
    """Return the result for what is not to be touched, or None."""
    found = _why(asked, why_disabled)
    if found is None:
        return None
    reason, detail = found
    report = skipped_report(reason, detail, seconds=0.0, model=asked.model, scope=asked.scope)
    request = dict(asked.body) if asked.body else None
    return InjectionResult(copied(asked.conversation), None, report, request)


def _why(asked: Asked, why_disabled: str | None) -> tuple[Reason, str] | None:
    if why_disabled is not None:
        return "disabled", why_disabled
    if inside_capture():
        return "disabled", "called by an extractor"
    if asked.body is not None and asked.dialect is None:
        return "unknown_shape", "no dialect knows this request"
    if isinstance(asked.conversation, (str, list)) and not asked.conversation:
        return "no_user_message", "the conversation is empty"
    return None if _is_conversation(asked) else ("unknown_shape", _strange(asked))


def _is_conversation(asked: Asked) -> bool:
    """Tell whether there is a list of messages, or what the dialect takes in the place of one."""
    given, dialect = asked.conversation, asked.dialect
    if isinstance(given, list) or dialect is None:
        return isinstance(given, (list, str))
    try:
        return dialect.detect(given) > 0
    except Exception:  # of what is no sequence at all
        return False


def _strange(asked: Asked) -> str:
    kind = type(asked.conversation).__name__
    if asked.dialect is None:
        return f"a conversation is a list or a string, not {kind}"
    return f"{asked.dialect.name} takes no conversation of type {kind}"
