"""OpenAI Responses: ``input`` as a text or as a list of items."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

from ..reading import Role
from .base import FOREIGN, LIKELY, OWN, PARTS, MessageDialect, combined
from .meaning import field_of, fields_of, meaning_of

__all__ = ["OpenAIResponses"]

TEXTS = frozenset({"input_text", "output_text", "text"})
OWN_PARTS = frozenset(
    {"input_text", "output_text", "input_image", "input_file", "input_audio", "refusal"}
)
UNSPOKEN = frozenset({"reasoning", "mcp_list_tools"})
"""Items that say nothing of the conversation: applications send them back or leave them out."""
UNSAID = frozenset({"id", "output", "status", "created_by", "parsed_arguments"})
"""Fields of an item that a server or the SDK adds; the output is read apart."""
NOT_CHAT = ("encoding_format", "dimensions", "voice")
"""Body fields of the other endpoints that have an ``input``: embeddings and speech."""


class OpenAIResponses(MessageDialect):
    """Items of several types, of which messages are one; results are ``*_output`` items.

    A text is opened as one user message and closed as a text again. With
    ``previous_response_id`` the input holds only what is new: an input of tool results alone has
    no user ask in it and is left as it is.

    Source: the Responses reference, and the openai SDK's ``ResponseInputItemParam``.
    """

    name = "openai.responses"
    field = "input"
    # Below every dialect that a plain list of messages may belong to as well.
    neutral: ClassVar[float] = 0.3

    def detect(self, messages: Sequence[Any]) -> float:
        """Return how sure the dialect is that *messages* (items, or a text) are its own."""
        if isinstance(messages, str):
            return self.neutral if messages else FOREIGN
        return super().detect(messages)

    def detect_body(self, body: Mapping[str, Any]) -> float:
        """Return how sure the dialect is that *body* is a Responses request."""
        conversation = body.get(self.field)
        if not isinstance(conversation, (str, *PARTS)) or any(mark in body for mark in NOT_CHAT):
            return FOREIGN
        if "embedding" in str(body.get("model")) or "moderation" in str(body.get("model")):
            return FOREIGN
        certainty = self.detect(conversation)
        return max(certainty, LIKELY) if certainty > FOREIGN else FOREIGN

    def open(self, conversation: Any) -> list[Any]:
        """Return the items as a new list; a text as one user message."""
        if isinstance(conversation, str):
            return [{"role": "user", "content": conversation}]
        return super().open(conversation)

    def close(self, messages: list[Any], original: Any) -> Any:
        """Return a text if *original* was one and nothing but that message is there."""
        if isinstance(original, str) and len(messages) == 1:
            return messages[0]["content"]
        return messages

    def continues(self, body: Mapping[str, Any]) -> tuple[str, bool]:
        """Return the id of what *body* goes on from, and whether it names one state of it.

        A response is one state; a ``conversation`` keeps its id however much is said in it.
        """
        previous, thread = body.get("previous_response_id"), body.get("conversation")
        if previous or not thread:
            return str(previous or ""), True
        return str(thread if isinstance(thread, str) else field_of(thread, "id")), False

    def certainty(self, message: Any) -> float:
        """Return how sure one item is this dialect's."""
        kind = field_of(message, "type")
        if kind is not None and kind != "message":
            return OWN if _is_item(kind) else FOREIGN
        if self.role_of(message) not in ("user", "assistant", "system"):
            return FOREIGN
        content = self.content_of(message)
        if isinstance(content, PARTS):
            return combined(
                OWN if field_of(part, "type") in OWN_PARTS else FOREIGN for part in content
            )
        if not isinstance(content, str):
            return FOREIGN
        return LIKELY if kind == "message" else self.neutral

    def role_of(self, message: Any) -> Role:
        """Return who speaks; calls, searches and reasoning are the assistant's."""
        if field_of(message, "role") is not None:
            return super().role_of(message)
        kind = field_of(message, "type")
        if not isinstance(kind, str) or not _is_item(kind):
            return "other"
        return "tool" if kind.endswith(("_output", "_response")) else "assistant"

    def text_of(self, part: Any) -> str | None:
        """Return the text of an input or output text part."""
        if isinstance(part, str):
            return part
        text = field_of(part, "text")
        return text if isinstance(text, str) and field_of(part, "type") in TEXTS else None

    def text_part(self, text: str) -> Any:
        """Return a new input text part."""
        return {"type": "input_text", "text": text}

    def beside(self, message: Any) -> Iterable[Any]:
        """Yield all of an item that is not a message, without the id a server gave it."""
        kind = field_of(message, "type")
        if kind in UNSPOKEN or field_of(message, "role") is not None:
            return
        fields = fields_of(message)
        if fields is None:
            return
        kept = {name: value for name, value in fields.items() if name not in UNSAID}
        if kind == "item_reference":
            kept["id"] = fields.get("id")
        # A result may be a text or one text part, which say the same.
        output = fields.get("output")
        listed = output if isinstance(output, PARTS) else (output,)
        kept["output"] = [self.text_of(part) or part for part in listed if part is not None]
        yield meaning_of(kept)


def _is_item(kind: Any) -> bool:
    """Tell the type of an item from the type of a part or of anything else."""
    return isinstance(kind, str) and (
        kind in ("reasoning", "item_reference", "compaction", "mcp_list_tools")
        or kind.endswith(("_call", "_output", "_approval_request", "_approval_response"))
    )
