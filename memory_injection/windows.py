"""Context windows of well-known models: the tokens a request may hold, by the start of its name.

Where a service bounds the input below the whole window (``gpt-5``: 272,000 of 400,000), the bound
on the input stands here. A newer version of a family that is not listed gets the figure of its
family, which errs on the small side; one of no family here has no known window. Either way
``context_window`` says it exactly.

Sources, as of 2025: OpenAI's and Anthropic's model pages, Azure's list of models, Google's model
pages (input token limit), AWS's user guides of Bedrock and Nova, Cohere's model page; compared with
``model_prices_and_context_window.json`` of LiteLLM (MIT), version 1.110.
"""

from __future__ import annotations

import re
from functools import lru_cache

__all__ = ["WINDOWS", "window_of"]

WINDOWS = (
    ("gpt-4.1", 1_047_576),
    ("gpt-4o", 128_000),
    ("chatgpt-4o", 128_000),
    ("gpt-4-turbo", 128_000),
    ("gpt-4-1106", 128_000),
    ("gpt-4-0125", 128_000),
    ("gpt-4-vision", 128_000),
    ("gpt-4.5", 128_000),
    ("gpt-4-32k", 32_768),
    ("gpt-4", 8_192),
    ("gpt-3.5-turbo-instruct", 4_096),
    ("gpt-3.5-turbo-0301", 4_096),
    ("gpt-3.5-turbo-0613", 4_096),
    ("gpt-3.5-turbo", 16_385),
    ("gpt-5-chat", 128_000),
    ("gpt-5.1-chat", 128_000),
    ("gpt-5.2-chat", 128_000),
    ("gpt-5.3-chat", 128_000),
    ("gpt-5", 272_000),
    ("gpt-oss", 131_072),
    ("o1-mini", 128_000),
    ("o1-preview", 128_000),
    ("o1", 200_000),
    ("o3", 200_000),
    ("o4-mini", 200_000),
    ("claude-instant", 100_000),
    ("claude-v1", 100_000),
    ("claude-1", 100_000),
    ("claude-2.1", 200_000),
    ("claude-v2:1", 200_000),
    ("claude-v2", 100_000),
    ("claude-2", 100_000),
    ("claude", 200_000),
    ("gemini-pro-latest", 1_048_576),
    ("gemini-pro-vision", 12_288),
    ("gemini-pro", 30_720),
    ("gemini-1.0-pro-vision", 12_288),
    ("gemini-1.0", 30_720),
    ("gemini-1.5-pro", 2_097_152),
    ("gemini-2.5-computer-use", 128_000),
    ("gemini-2.5-flash-image", 32_768),
    ("gemini", 1_048_576),
    ("amazon.nova-micro", 128_000),
    ("amazon.nova-lite", 300_000),
    ("amazon.nova-pro", 300_000),
    ("amazon.nova-premier", 1_000_000),
    ("amazon.nova-2", 1_000_000),
    ("command-a-plus", 128_000),
    ("command-a", 256_000),
    ("command-r", 128_000),
)
"""The start of a name (without fine-tuning, region and vendor) and tokens; the first counts."""

# Bedrock's names: a geography of an inference profile, then the vendor, which other services leave
# out; a variant with a window of its own ends in e.g. ":48k".
_GEOGRAPHY = re.compile(r"(?:us|eu|apac|us-gov|global|au|ca|jp|sa|me|af)\.(?=[a-z]+\.)")
_VENDOR = re.compile(r"(?:anthropic|cohere|openai)\.")
_OWN_WINDOW = re.compile(r":(\d+)k$")


@lru_cache(maxsize=256)
def window_of(model: str | None) -> int | None:
    """Return the context window of *model* in tokens, or None if it is not known.

    Names as OpenAI, Azure, Anthropic, Google, Cohere and Bedrock give them are read (inference
    profiles and their ARNs, fine-tuned models), also with a provider before a slash. A profile or
    a deployment with a name of its own says nothing of its model.
    """
    if not model:
        return None
    name = model.lower().rsplit("/", 1)[-1].removeprefix("ft:").replace("gpt-35-", "gpt-3.5-")
    name = _GEOGRAPHY.sub("", name, count=1)
    bare = _VENDOR.sub("", name, count=1) if _VENDOR.match(name) else name
    window = next((window for start, window in WINDOWS if bare.startswith(start)), None)
    own = _OWN_WINDOW.search(name)
    return window if own is None or window is None else int(own[1]) * 1000
