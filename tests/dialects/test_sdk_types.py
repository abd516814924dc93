"""What comes out is accepted by the providers' own request types, on recorded bodies."""

import importlib
import json
import os
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from memory_injection.dialects import detect_body

DATA = Path(
    os.environ.get("MEMORY_INJECTION_DATA") or Path(__file__).parents[3] / "shared" / "data"
)
BODIES = sorted((DATA / "payloads").glob("*/*.json"))
BLOCK = '<memory>\n<entry source="notes">The cat is called Pamuk.</entry>\n</memory>'

if not BODIES:
    pytest.skip(f"no recorded bodies under {DATA}", allow_module_level=True)


def adapter(module: str, name: str) -> Callable[[Any], Any]:
    """Return a validator for a type of an SDK that looks into every list."""
    made = TypeAdapter(getattr(importlib.import_module(module), name))
    return lambda value: exhaust(made.validate_python(value))


def exhaust(value: Any) -> None:
    """Walk *value* to its ends: pydantic checks the items of an Iterable only when asked."""
    if isinstance(value, dict):
        value = value.values()
    elif isinstance(value, str) or not hasattr(value, "__iter__"):
        return
    for item in value:
        exhaust(item)


def converse(messages: Any) -> Any:
    loaders = importlib.import_module("botocore.loaders")
    model = importlib.import_module("botocore.model")
    validate = importlib.import_module("botocore.validate")
    data = loaders.Loader().load_service_model("bedrock-runtime", "service-2")
    shape = model.ServiceModel(data).operation_model("Converse").input_shape
    report = validate.ParamValidator().validate({"modelId": "m", "messages": messages}, shape)
    if report.has_errors():
        raise ValueError(report.generate_report())


TYPES: dict[str, tuple[str, Callable[[], Callable[[Any], Any]]]] = {
    "openai.chat": (
        "openai",
        lambda: adapter("openai.types.chat.completion_create_params", "CompletionCreateParams"),
    ),
    "openai.responses": (
        "openai",
        lambda: adapter("openai.types.responses.response_create_params", "ResponseCreateParams"),
    ),
    "anthropic.messages": (
        "anthropic",
        lambda: adapter("anthropic.types.beta.message_create_params", "MessageCreateParams"),
    ),
    "gemini": (
        "google.genai",
        lambda: (
            TypeAdapter(
                list[importlib.import_module("google.genai.types").Content]  # type: ignore[misc]
            ).validate_python
        ),
    ),
    "bedrock.converse": ("botocore", lambda: converse),
    "ollama": (
        "ollama",
        lambda: (
            TypeAdapter(
                list[importlib.import_module("ollama").Message]  # type: ignore[misc]
            ).validate_python
        ),
    ),
    "cohere": (
        "cohere",
        lambda: (
            TypeAdapter(
                list[importlib.import_module("cohere").ChatMessageV2]  # type: ignore[misc]
            ).validate_python
        ),
    ),
}
WHOLE_BODY = ("openai.chat", "openai.responses", "anthropic.messages")


@lru_cache
def validator(name: str) -> Callable[[Any], Any]:
    package, make = TYPES[name]
    pytest.importorskip(package)
    return make()


def complaints(validate: Callable[[Any], Any], value: Any) -> set[Any]:
    """Return what the SDK's types find wrong with *value*: servers are ahead of them here."""
    try:
        validate(value)
    except ValidationError as error:
        return {(detail["type"], detail["loc"]) for detail in error.errors()}
    return set()


@pytest.mark.parametrize("path", BODIES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_the_sdk_accepts_what_it_accepted_before(path: Path):
    """With a block in every message that can hold one."""
    body = json.loads(path.read_bytes())
    dialect = detect_body(body)
    if dialect is None:
        pytest.skip("no conversation in it")
    validate = validator(dialect.name)
    messages = dialect.open(body[dialect.field])
    written = [dialect.append(m, BLOCK) if dialect.read(m).writable else m for m in messages]
    injected = {**body, dialect.field: dialect.close(written, body[dialect.field])}
    whole = dialect.name in WHOLE_BODY
    before = complaints(validate, body if whole else body[dialect.field])
    assert complaints(validate, injected if whole else injected[dialect.field]) == before


def test_the_types_are_not_blind():
    """A block written the wrong way is found, so that silence means something."""
    wrong = [{"role": "user", "content": [{"type": "text", "words": BLOCK}]}]
    body = {"model": "m", "messages": wrong, "max_tokens": 1}
    assert complaints(validator("openai.chat"), body)
    assert complaints(validator("anthropic.messages"), body)
