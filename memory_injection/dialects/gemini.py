"""Gemini's ``contents``, as its REST API and as google-genai take them."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from ..reading import Role
from .base import FOREIGN, LIKELY, OWN, PARTS, MessageDialect, Part, combined, made_by
from .meaning import field_of, fields_of, meaning_of

__all__ = ["Gemini"]

PART_KEYS = frozenset(
    {"text", "inline_data", "file_data", "function_call", "function_response", "thought"}
    | {"executable_code", "code_execution_result", "video_metadata", "thought_signature"}
    | {"media_resolution", "tool_call", "tool_response", "part_metadata"}
)
UNSPOKEN = frozenset({"thought", "thought_signature", "media_resolution", "part_metadata"})
CAMEL = re.compile(r"(?<=[a-z0-9])([A-Z])")


class Run(list[Any]):
    """Bare parts that stand one after the other: google-genai sends them as one user content."""


class Gemini(MessageDialect):
    """``contents`` of ``{"role", "parts"}``; keys in camelCase or snake_case.

    What google-genai takes in a list is taken here: contents, texts, parts, files and lists of
    them. Bare parts that follow each other are one message, and come back as they stood.

    A content that holds function responses alone is to hold nothing else, so no block is written
    there.

    Source: the Gemini API reference, and ``google.genai.types`` (``t_contents`` groups bare
    parts).
    """

    name = "gemini"
    field = "contents"
    slot: ClassVar[str] = "parts"
    takes_system = False
    system_fields: ClassVar[tuple[str, ...]] = ("systemInstruction", "system_instruction")
    neutral: ClassVar[float] = 0.2
    roles: ClassVar[Mapping[str, Role]] = {
        "user": "user",
        "none": "user",
        "model": "assistant",
        "function": "tool",
    }

    def system_given(self, prompt: Any) -> Any:
        """Return a part that stands alone as a content: google-genai takes either."""
        alone = not isinstance(prompt, (str, *PARTS)) and field_of(prompt, "parts") is None
        return {"parts": [prompt]} if alone and self.text_of(prompt) is not None else prompt

    def system_alone(self, text: str) -> Any:
        """Return a content holding *text*."""
        return {"parts": [self.system_part(text)]}

    def detect(self, messages: Sequence[Any]) -> float:
        """Return how sure the dialect is that *messages* (also one text or content) are its."""
        if isinstance(messages, str):
            return self.neutral if messages else FOREIGN
        if not isinstance(messages, PARTS):
            return self.certainty(messages)
        return super().detect(messages)

    def detect_body(self, body: Mapping[str, Any]) -> float:
        """Return how sure the dialect is that *body* is a request to generate content."""
        conversation = body.get(self.field)
        if conversation is None:
            return FOREIGN
        certainty = self.detect(conversation)
        return max(certainty, LIKELY) if certainty > FOREIGN else FOREIGN

    def open(self, conversation: Any) -> list[Any]:
        """Return the contents as a new list, with bare parts that follow each other as one."""
        if isinstance(conversation, str) or _is_content(conversation):
            return [conversation]
        if isinstance(conversation, Mapping) or made_by(conversation, "google"):
            return [Run([conversation])]
        opened: list[Any] = []
        for item in super().open(conversation):
            if _is_content(item) or isinstance(item, PARTS):
                opened.append(item)
            elif opened and isinstance(opened[-1], Run):
                opened[-1].append(item)
            else:
                opened.append(Run([item]))
        return opened

    def close(self, messages: list[Any], original: Any) -> Any:
        """Return a text or one content as such, and bare parts as the caller had them."""
        closed: list[Any] = []
        for message in messages:
            closed.extend(message if isinstance(message, Run) else [message])
        single = isinstance(original, str) or _is_content(original)
        return closed[0] if single and len(closed) == 1 else closed

    def certainty(self, message: Any) -> float:
        """Return how sure one content is this dialect's; bare texts may be anybody's."""
        if isinstance(message, str):
            return self.neutral
        if isinstance(message, PARTS):
            return combined(map(_part_certainty, message))
        if not _is_content(message):
            return _part_certainty(message)
        parts = self.content_of(message)
        return OWN if isinstance(parts, PARTS) or made_by(message, "google") else FOREIGN

    def role_of(self, message: Any) -> Role:
        """Return who speaks; a content without a role, and bare parts, are the user's."""
        return "user" if isinstance(message, (str, *PARTS)) else super().role_of(message)

    def content_of(self, message: Any) -> Any:
        """Return the parts of a content; a text and bare parts are their own."""
        return message if isinstance(message, (str, *PARTS)) else super().content_of(message)

    def with_content(self, message: Any, content: Any) -> Any:
        """Return a copy of *message* that holds *content*."""
        return (
            content
            if isinstance(message, (str, *PARTS))
            else super().with_content(message, content)
        )

    def text_of(self, part: Any) -> str | None:
        """Return the text of a part that is not a thought."""
        if isinstance(part, str):
            return part
        text = field_of(part, "text")
        return text if isinstance(text, str) and not field_of(part, "thought") else None

    def text_part(self, text: str) -> Any:
        """Return a new text part."""
        return {"text": text}

    def part(self, part: Any) -> Part:
        """Leave thoughts and their signatures out; tell function responses from the rest."""
        if made_by(part, "google") and field_of(part, "uri"):
            # An uploaded file goes out as its address; its state and times are not said.
            part = {"file_data": {"file_uri": part.uri, "mime_type": part.mime_type}}
        fields = fields_of(part)
        if fields is None or field_of(part, "thought"):
            return Part(None if fields else meaning_of(part))
        named = {_snake(name): value for name, value in fields.items() if value is not None}
        kept = {name: _plain(value) for name, value in named.items() if name not in UNSPOKEN}
        result = "function_response" in kept or "tool_response" in kept
        return Part(meaning_of(kept) or None, result=result)


def _is_content(value: Any) -> bool:
    """Tell a content from a bare part: it has a role, or parts."""
    if isinstance(value, Mapping):
        return "parts" in value or "role" in value
    return made_by(value, "google") and hasattr(value, "parts")


def _part_certainty(part: Any) -> float:
    if isinstance(part, str):
        return Gemini.neutral
    if made_by(part, "google") or made_by(part, "PIL"):
        return OWN
    if not isinstance(part, Mapping) or not part or "type" in part:
        return FOREIGN
    return LIKELY if any(_snake(str(name)) in PART_KEYS for name in part) else FOREIGN


def _plain(value: Any) -> Any:
    """Return one field of a part with its own names in snake_case, and what it carries as it is.

    The arguments of a call and the response of a function are the caller's data: their names are
    never touched. Bytes are base64, with either alphabet.
    """
    fields = None if isinstance(value, str) else fields_of(value)
    if fields is None:
        return value
    plain = {_snake(str(name)): item for name, item in fields.items() if item is not None}
    data = plain.get("data")
    if isinstance(data, bytes):
        data = base64.b64encode(data).decode("ascii")
    if isinstance(data, str):
        plain["data"] = data.replace("-", "+").replace("_", "/").rstrip("=")
    return plain


def _snake(name: str) -> str:
    return CAMEL.sub(r"_\1", name).lower()
