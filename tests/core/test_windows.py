"""Context windows by model name."""

from __future__ import annotations

import pytest

from memory_injection.windows import WINDOWS, window_of


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
        ("gpt-5-mini", 272_000),
        ("gpt-5.1-chat-latest", 128_000),
        ("openai/GPT-4o", 128_000),
        ("ft:gpt-4o-mini:org::id", 128_000),
        ("openai/ft:gpt-3.5-turbo:org::id", 16_385),
        ("azure/gpt-35-turbo", 16_385),
        ("gpt-35-turbo-0613", 4_096),
        ("claude-2.0", 100_000),
        ("claude-2.1", 200_000),
        ("claude-instant-1.2", 100_000),
        ("claude-3-5-sonnet@20240620", 200_000),
        ("publishers/anthropic/models/claude-sonnet-4-5", 200_000),
        ("anthropic.claude-3-haiku-20240307-v1:0", 200_000),
        ("anthropic.claude-3-haiku-20240307-v1:0:48k", 48_000),
        ("anthropic.claude-v2", 100_000),
        ("anthropic.claude-v2:1", 200_000),
        ("anthropic.claude-v2:1:18k", 18_000),
        ("us.anthropic.claude-3-5-sonnet-20241022-v2:0", 200_000),
        ("us-gov.anthropic.claude-3-haiku-20240307-v1:0", 200_000),
        (
            "arn:aws:bedrock:us-east-1:123:inference-profile/"
            "us.anthropic.claude-3-5-sonnet-20241022-v2:0",
            200_000,
        ),
        ("arn:aws:bedrock:eu-west-1::foundation-model/amazon.nova-lite-v1:0", 300_000),
        ("arn:aws:bedrock:us-east-1:123:application-inference-profile/a1b2c3", None),
        ("amazon.nova-micro-v1:0", 128_000),
        ("eu.amazon.nova-pro-v1:0", 300_000),
        ("amazon.nova-pro-v1:0:24k", 24_000),
        ("us.amazon.nova-premier-v1:0", 1_000_000),
        ("openai.gpt-oss-120b-1:0", 131_072),
        ("cohere.command-r-plus-v1:0", 128_000),
        ("command-a-03-2025", 256_000),
        ("gemini-pro", 30_720),
        ("gemini-1.0-pro-001", 30_720),
        ("models/gemini-1.5-pro", 2_097_152),
        ("gemini-2.5-flash", 1_048_576),
        ("gemini-pro-latest", 1_048_576),
        ("us.meta.llama3-70b-instruct-v1:0", None),
        ("us.my-own", None),
        ("llama3.1:8k", None),
        ("my-own-model", None),
        (None, None),
    ],
)
def test_a_family_is_known_by_the_longest_start_of_its_name(model, window):
    """A preview with a larger window must not be taken for the model it is named after."""
    assert window_of(model) == window


def test_no_entry_is_hidden_by_an_earlier_one():
    """The first start that fits counts, so the longer of two must stand before the shorter."""
    starts = [start for start, _ in WINDOWS]
    for at, start in enumerate(starts):
        assert not [earlier for earlier in starts[:at] if start.startswith(earlier)]
