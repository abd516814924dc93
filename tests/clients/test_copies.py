"""Pickling and copying a wrapped client: the same in every SDK."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest

from memory_injection.clients import wrap

# The SDK subclasses aiohttp's session.
pytestmark = pytest.mark.filterwarnings("ignore:Inheritance class:DeprecationWarning")

KEYS = {"region_name": "us-east-1", "aws_access_key_id": "a", "aws_secret_access_key": "b"}
MAKE: dict[str, Callable[[Any], Any]] = {
    "openai": lambda sdk: sdk.OpenAI(api_key="k"),
    "anthropic": lambda sdk: sdk.Anthropic(api_key="k"),
    "google.genai": lambda sdk: sdk.Client(api_key="k"),
    "boto3": lambda sdk: sdk.client("bedrock-runtime", **KEYS),
    "cohere": lambda sdk: sdk.ClientV2(api_key="k"),
    "ollama": lambda sdk: sdk.Client(),
}
PARTS: dict[str, Callable[[Any], Any]] = {
    "openai": lambda client: client.chat.completions,
    "anthropic": lambda client: client.messages.create,
    "google.genai": lambda client: client.aio,
}
REFUSED = "wrapped with memory cannot be pickled"


@pytest.fixture(params=sorted(MAKE))
def sdk(request: Any) -> str:
    pytest.importorskip(request.param)
    return str(request.param)


def wrapped(sdk: str, memory: Any) -> Any:
    return wrap(MAKE[sdk](pytest.importorskip(sdk)), memory)


@pytest.mark.parametrize("how", [pickle.dumps, copy.deepcopy])
@pytest.mark.parametrize("again", [False, True])
def test_pickling_says_what_to_do(sdk: str, how: Any, again: bool, fake_memory: Any) -> None:
    """Also where pickle would first complain of the class, and when wrapped a second time."""
    client = wrapped(sdk, fake_memory())
    client = wrap(client, fake_memory()) if again else client
    with pytest.raises(TypeError, match=REFUSED):
        how(client)


@pytest.mark.parametrize("sdk", sorted(PARTS))
@pytest.mark.parametrize("how", [pickle.dumps, copy.deepcopy])
def test_pickling_a_part_says_what_to_do(sdk: str, how: Any, fake_memory: Any) -> None:
    """A resource, a method, the async side."""
    with pytest.raises(TypeError, match=REFUSED):
        how(PARTS[sdk](wrapped(sdk, fake_memory())))


def test_a_shallow_copy_is_one_where_the_bare_client_has_one(sdk: str, fake_memory: Any) -> None:
    """boto3's has none: it looks for its attributes in itself for ever."""
    client = wrapped(sdk, fake_memory())
    if sdk == "boto3":
        with pytest.raises(TypeError, match=REFUSED):
            copy.copy(client)
    else:
        assert type(copy.copy(client)) is type(client)


@pytest.mark.parametrize("sdk", sorted(PARTS))
def test_a_shallow_copy_of_a_part_is_one_too(sdk: str, fake_memory: Any) -> None:
    """It does what the part does."""
    part = PARTS[sdk](wrapped(sdk, fake_memory()))
    assert isinstance(copy.copy(part), type(part))
