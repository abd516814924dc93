"""What request shapes have in common: messages with a role and a content of text or parts.

A dialect says what its roles, parts and tool traffic are called; reading, appending and removing
are the same for all of them and live here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

from ..errors import ConfigurationError
from ..reading import Reading, Role
from .meaning import field_of, fields_of, meaning_of, written
from .rewriting import SEPARATOR, replaced, without_block
from .system_prompt import rewritten

__all__ = [
    "FOREIGN",
    "LIKELY",
    "NEUTRAL",
    "OWN",
    "PARTS",
    "STRANGE",
    "MessageDialect",
    "Part",
    "combined",
    "made_by",
    "marked",
]

FOREIGN = 0.0
"""Certainty of a message that cannot be this dialect's."""
NEUTRAL = 0.5
"""Certainty of a message that several dialects could have written."""
LIKELY = 0.7
"""Certainty of a message that is usual here and possible elsewhere."""
OWN = 0.95
"""Certainty of a message that only this dialect writes."""
STRANGE = 0.1
"""Certainty of a message with a part nobody knows: APIs grow new ones all the time."""

LOOKED_AT = 24
"""Messages at the end of a conversation that detection looks at: enough to meet a tool round."""

PARTS = (list, tuple)


def combined(certainties: Iterable[float], default: float = FOREIGN) -> float:
    """Return 0 if one of *certainties* is 0, else the highest; *default* if there are none."""
    surest = -1.0
    for certainty in certainties:
        if certainty <= FOREIGN:
            return FOREIGN
        surest = max(surest, certainty)
    return surest if surest > FOREIGN else default


class Part:
    """What one part of a message's content is, text apart.

    Attributes:
        meaning: its canonical form, or None to leave it out of the reading (cache markers,
            reasoning, which applications drop and move at will).
        result: it is a tool's result, not something its role authored.
    """

    __slots__ = ("meaning", "result")

    def __init__(self, meaning: Any, result: bool = False) -> None:
        """Keep *meaning* and *result*."""
        self.meaning = meaning
        self.result = result


class MessageDialect:
    """Base of the built-in dialects; implements :class:`memory_injection.protocols.Dialect`.

    Subclasses set the class attributes and override the hooks below the line.

    Attributes:
        slot: the field of a message that holds its text or parts.
        roles: each role word this dialect knows, and whose it is.
        takes_system: the API takes system messages in its conversation.
        system_fields: names of the body's own system prompt, for APIs that keep it apart.
        neutral: certainty for messages that carry no mark of any dialect; the built-in dialects
            have different ones, so that a plain conversation is always read the same way.
    """

    name: str
    field: str = "messages"
    merges_tool_results: bool = False

    slot: ClassVar[str] = "content"
    roles: ClassVar[Mapping[str, Role]] = {
        "user": "user",
        "assistant": "assistant",
        "system": "system",
        "developer": "system",
        "tool": "tool",
        "function": "tool",
    }
    takes_system: bool = True
    system_fields: ClassVar[tuple[str, ...]] = ("system",)
    neutral: ClassVar[float] = NEUTRAL

    def detect(self, messages: Sequence[Any]) -> float:
        """Return how sure the dialect is that *messages* are its own: 0 no, 1 certainly.

        One foreign message rules the dialect out; the surest of the others decides.
        """
        if isinstance(messages, (str, bytes)) or not messages:
            return FOREIGN
        return combined(
            self.neutral if self._plain(message) else self.certainty(message)
            for message in messages[-LOOKED_AT:]
        )

    def detect_body(self, body: Mapping[str, Any]) -> float:
        """Return how sure the dialect is that *body* is a request of its own, 0..1."""
        conversation = body.get(self.field)
        if not isinstance(conversation, PARTS):
            return FOREIGN
        return self.detect(conversation)

    def open(self, conversation: Any) -> list[Any]:
        """Return the conversation as a new list of messages.

        Raises:
            TypeError: it stands alone: a text, or one message.
        """
        if isinstance(conversation, (str, bytes, Mapping)):
            kind = type(conversation).__name__
            raise TypeError(f"{self.name} takes a list of messages, not {kind}")
        return list(conversation)

    def close(self, messages: list[Any], original: Any) -> Any:
        """Return *messages* in the outer shape of *original*."""
        return messages

    def read(self, message: Any) -> Reading:
        """Return what one message says."""
        # Nearly every message of a long conversation is this plain, and all of them are read.
        if type(message) is dict and len(message) == 2:
            content = message.get(self.slot)
            if type(content) is str and content:
                role = message.get("role")
                if role == "user":
                    return Reading("user", (content,), "", True, True)
                if role == "assistant":
                    return Reading("assistant", (content,))
        return self._read(message)

    def append(self, message: Any, block: str) -> Any:
        """Return a copy of *message* with *block* after everything it holds.

        In a text after a blank line, in a list as one new text part. A message without a content
        (absent or null) has no place for a block and is returned as it is.
        """
        content = self.content_of(message)
        if isinstance(content, str):
            return self.with_content(message, f"{content}{SEPARATOR}{block}")
        if isinstance(content, PARTS):
            part = self._fitting(self.text_part(block), message)
            return self.with_content(message, type(content)([*content, part]))
        return message

    def remove(self, message: Any, blocks: Sequence[str]) -> Any:
        """Return a copy of *message* without these blocks; itself if it holds none.

        Of each block the last occurrence goes, for that is the one ``append`` wrote: a part that
        equals it, or the block inside a longer text with the blank line before it.
        """
        content = self.content_of(message)
        cleaned = content
        for block in reversed(blocks):
            cleaned = self._without(cleaned, block)
        return message if cleaned is content else self.with_content(message, cleaned)

    def system(self, text: str) -> Any:
        """Return a new system message holding *text*.

        Raises:
            ConfigurationError: this API takes no system messages in its conversation.
        """
        if not self.takes_system:
            raise ConfigurationError(
                f"{self.name} has no system messages: use placement='user', not 'system'"
            )
        return {"role": "system", self.slot: text}

    def with_system(
        self, body: dict[str, Any], text: str, known: Sequence[str] = ()
    ) -> dict[str, Any]:
        """Return *body* with *text* at the end of its system prompt; "" takes ours out."""
        name = next((name for name in self.system_fields if name in body), self.system_fields[0])
        given = self.system_given(body.get(name))
        prompt = rewritten(
            given, text, lambda said: self._prompt_part(said, given), self.system_alone, known
        )
        if prompt == given:
            return body
        return {**body, name: prompt} if prompt else {k: v for k, v in body.items() if k != name}

    # -- hooks -------------------------------------------------------------------------------

    def certainty(self, message: Any) -> float:
        """Return how sure one message is this dialect's: 0 rules it out."""
        return FOREIGN if self.role_of(message) == "other" else self.neutral

    def role_of(self, message: Any) -> Role:
        """Return who speaks."""
        return self.roles.get(_word(field_of(message, "role")), "other")

    def system_given(self, prompt: Any) -> Any:
        """Return a system prompt that is kept apart in one of the shapes the API takes."""
        return prompt

    def system_part(self, text: str) -> Any:
        """Return *text* as one part of a system prompt that is kept apart."""
        return {"text": text}

    def system_alone(self, text: str) -> Any:
        """Return *text* as a whole system prompt that is kept apart."""
        return [self.system_part(text)]

    def text_of(self, part: Any) -> str | None:
        """Return the text of a text part, or None for any other part."""
        if isinstance(part, str):
            return part
        text = field_of(part, "text")
        return text if isinstance(text, str) and field_of(part, "type") == "text" else None

    def content_of(self, message: Any) -> Any:
        """Return the text, or the list of parts, that *message* holds."""
        return field_of(message, self.slot)

    def with_content(self, message: Any, content: Any) -> Any:
        """Return a copy of *message* that holds *content*."""
        return replaced(message, self.slot, content)

    def text_part(self, text: str) -> Any:
        """Return a new text part."""
        return {"type": "text", "text": text}

    def part(self, part: Any) -> Part:
        """Return what a part that is not text is."""
        return Part(meaning_of(part))

    def beside(self, message: Any) -> Iterable[Any]:
        """Yield the meaning of what stands beside the content: tool calls, ids, names."""
        return ()

    # ----------------------------------------------------------------------------------------

    def _plain(self, message: Any) -> bool:
        """Tell whether *message* is a role and a text and nothing else, as in most shapes."""
        return (
            type(message) is dict
            and len(message) == 2
            and type(message.get(self.slot)) is str
            and message.get("role") in ("user", "assistant")
        )

    def _read(self, message: Any) -> Reading:
        role = self.role_of(message)
        content = self.content_of(message)
        texts: list[str] = []
        meanings = list(self.beside(message))
        authored = result = False
        for item in _parts(content):
            text = self.text_of(item)
            if text is not None:
                authored = True
                if text:
                    texts.append(text)
                continue
            part = self.part(item)
            result = result or part.result
            authored = authored or not (part.result or part.meaning is None)
            if part.meaning is not None:
                meanings.append(part.meaning)
        if role == "tool":
            # A result is what a tool said to the model, never a text anybody wrote or searches by.
            meanings.extend(meaning_of(text) for text in texts)
            texts = []
        user = role == "user"
        writable = user and isinstance(content, (str, *PARTS))
        if result and not authored and not self.merges_tool_results:
            writable = False
        return Reading(
            role, tuple(texts), written(meanings), user and (authored or not result), writable
        )

    def _without(self, content: Any, block: str) -> Any:
        if isinstance(content, str):
            cleaned = without_block(content, block)
            return content if cleaned is None else cleaned
        if not isinstance(content, PARTS):
            return content
        for at in range(len(content) - 1, -1, -1):
            text = self.text_of(content[at])
            if text == block:
                return type(content)([*content[:at], *content[at + 1 :]])
            cleaned = None if text is None else without_block(text, block)
            if cleaned is not None:
                part = self._retold(content[at], cleaned)
                return type(content)([*content[:at], part, *content[at + 1 :]])
        return content

    def _prompt_part(self, text: str, prompt: Any) -> Any:
        return self._fitting(self.system_part(text), prompt)

    def _fitting(self, part: Any, message: Any) -> Any:
        """Return *part* as the type that an SDK object keeps in its list, where it has one."""
        if isinstance(message, Mapping):
            return part
        given = {**(fields_of(message) or {}), self.slot: [part]}
        # A subclass may have a constructor of its own (google-genai's UserContent); the class it
        # adds convenience to then says what a part is.
        mro: tuple[Any, ...] = type(message).__mro__
        for kind in (kind for kind in mro if self.slot in getattr(kind, "model_fields", ())):
            try:
                return field_of(kind.model_validate(given), self.slot)[0]
            except (TypeError, ValueError):
                continue
        return part

    def _retold(self, part: Any, text: str) -> Any:
        return text if isinstance(part, str) else replaced(part, "text", text)


def made_by(value: Any, package: str) -> bool:
    """Tell whether *value* is an object of the SDK *package*, without importing it."""
    return type(value).__module__.partition(".")[0] == package


def marked(score: float, body: Mapping[str, Any], marks: Iterable[str], worth: float) -> float:
    """Return *score*, raised to *worth* if *body* has one of *marks*; 0 stays 0."""
    return max(score, worth) if score > FOREIGN and any(mark in body for mark in marks) else score


def _word(role: Any) -> str:
    """Return a role as a word: SDKs give strings, enums of strings, or nothing."""
    return str(getattr(role, "value", role)).lower()


def _parts(content: Any) -> Sequence[Any]:
    if isinstance(content, str):
        return (content,) if content else ()
    return content if isinstance(content, PARTS) else ()
