"""How each provider words a reply: one :class:`WireFormat` per API, as JSON and as a stream.

Replies hold what the SDKs require and no more; ids and times are derived from the request's
number, so that two runs give the same bytes.
"""

from __future__ import annotations

from . import anthropic, bedrock, cohere, google, ollama, openai
from .reply import Reply, ToolCall, WireFormat

__all__ = ["Reply", "ToolCall", "WireFormat", "format_for"]

_FORMATS = (
    openai.CHAT,
    openai.RESPONSES,
    anthropic.MESSAGES,
    anthropic.COUNT_TOKENS,
    google.GENERATE_CONTENT,
    bedrock.CONVERSE,
    ollama.CHAT,
    cohere.CHAT,
)


def format_for(path: str) -> WireFormat | None:
    """Return the API served at *path* (query ignored), or None."""
    bare = path.split("?")[0]
    return next((shape for shape in _FORMATS if shape.paths.search(bare)), None)
