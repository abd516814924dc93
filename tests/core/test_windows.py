"""Context windows by model name."""

from __future__ import annotations

import pytest

from memory_injection.windows import window_of


@pytest.mark.parametrize(
    ("model", "window"),
    [
        ("gpt-4", 8_192),
        ("gpt-4-0613", 8_192),
        ("gpt-4-1106-preview", 128_000),
        ("gpt-4-0125-preview", 128_000),
        ("gpt-4.5-preview", 128_000),
        ("gpt-4.1-mini", 1_047_576),
        ("o1", 200_000),
        ("o1-mini-2024-09-12", 128_000),
        ("gpt-5-chat-latest", 128_000),
        ("gpt-5-mini", 400_000),
        ("openai/GPT-4o", 128_000),
        ("my-own-model", None),
        (None, None),
    ],
)
def test_a_family_is_known_by_the_longest_start_of_its_name(model, window):
    """A preview with a larger window must not be taken for the model it is named after."""
    assert window_of(model) == window
