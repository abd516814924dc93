"""What ``create_memory_provider`` may be told about recall and remembering."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pydantic import Field, field_validator

from ..config import Config
from ..errors import ConfigurationError

__all__ = ["RecallOptions", "RememberOptions", "checked_root"]


class RecallOptions(Config):
    """How files are searched.

    Attributes:
        tokenizer: a callable from a text to its words (or an object with ``tokenize``), for
            records and queries alike; None for the built-in one.
        stop_words: words that never count, in the tokenizer's form; None for the built-in list,
            an empty collection for none.
        engine: a ``SearchEngine`` (or a callable with the same arguments) that replaces BM25;
            tokenizer and stop words belong to the built-in engine and are then not used.
        max_results: most entries of one search, unless the call says otherwise.
        token_budget: size of a context in tokens, unless the call says otherwise.
        max_file_bytes: larger files are skipped with a warning.
    """

    tokenizer: Callable[..., Any] | None = None
    stop_words: frozenset[str] | None = None
    engine: Any = None
    max_results: int = Field(default=5, ge=1, le=1000, strict=True)
    token_budget: int = Field(default=2000, ge=1, strict=True)
    max_file_bytes: int = Field(default=1_048_576, ge=1, strict=True)

    @field_validator("tokenizer", mode="before")
    @classmethod
    def _tokenizer_may_be_an_object(cls, value: object) -> object:
        method = getattr(value, "tokenize", None)
        if callable(method):
            return method
        if value is not None and not callable(value):
            raise ValueError("tokenizer is a callable from a text to its words")
        return value

    @field_validator("stop_words", mode="before")
    @classmethod
    def _stop_words_are_words(cls, value: object) -> object:
        if isinstance(value, str):
            raise ValueError("stop_words is a collection of words, not one text")
        return value

    @field_validator("engine")
    @classmethod
    def _engine_searches(cls, value: object) -> object:
        if value is None or callable(getattr(value, "search", None)) or callable(value):
            return value
        raise ValueError("engine needs a search(query, records, limit) method")


class RememberOptions(Config):
    """What is kept of a turn (nothing, unless ``extract_turn`` is given), and what tools may do.

    Attributes:
        extract_turn: a callable, sync or async, that gets the whole turn (a ``Turn``: input,
            output, messages, scope; or those of its fields that its parameters name) and returns
            nothing, one draft or several.
        change_shared: whether the tools of a caller with a user may replace and forget memories
            that are not that user's own, but shared.
    """

    extract_turn: Callable[..., Any] | None = None
    change_shared: bool = Field(default=False, strict=True)


def checked_root(root: str | os.PathLike[str]) -> Path:
    """Return *root* as an absolute path, so that a later ``chdir`` changes nothing.

    Raises:
        ConfigurationError: it is empty, holds NUL or is a file.
    """
    try:
        text = os.fspath(root)
    except TypeError:
        raise ConfigurationError(f"root must be a path, not {root!r:.80}") from None
    if not isinstance(text, str) or not text.strip() or "\x00" in text:
        raise ConfigurationError(f"root must be a path without NUL, not {text!r:.80}")
    path = Path(os.path.abspath(os.path.expanduser(text)))
    if path.exists() and not path.is_dir():
        raise ConfigurationError(f"root must be a folder, and {text!r} is a file")
    return path
