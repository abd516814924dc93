"""What one message says, free of any request shape: the pipeline's view of a message."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Reading", "Role"]

Role = Literal["user", "assistant", "system", "tool", "other"]


@dataclass(frozen=True, slots=True)
class Reading:
    """One message as the pipeline sees it.

    Attributes:
        role: who speaks. System and developer messages are ``"system"``.
        texts: the text parts, in order, blocks of ours included.
        rest: canonical form of everything else it *means*: tool calls (id, name, arguments), tool
            results, media by reference or digest. "" if there is nothing. Fields that only some
            representations have (``refusal: None``, ids given by a server) are left out, so that
            a dict, an SDK object and a reload from JSON read the same.
        ask: a user message that holds something the user authored (not only tool results).
        writable: a block may be appended here.
    """

    role: Role
    texts: tuple[str, ...] = ()
    rest: str = ""
    ask: bool = False
    writable: bool = False

    @property
    def text(self) -> str:
        """Return the text parts joined by line breaks."""
        return self.texts[0] if len(self.texts) == 1 else "\n".join(self.texts)
