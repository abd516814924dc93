"""How much a message holds, for the context window and for ``keep="auto"``.

A reading keeps digests of long tool results, so this looks at the message itself.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from ..counters import BYTES
from ..ledger_records import LedgerRecord
from ..protocols import TokenCounter
from ..reading import Reading
from ..rendering import strip_blocks
from .effects import Call, StageFailed, Step, Trace

if TYPE_CHECKING:
    from .request import Request

__all__ = [
    "JOINT",
    "GuardedCounter",
    "Weights",
    "byte_bound",
    "bytes_beside",
    "guarded_counter",
    "room_left",
    "said_in",
    "strings_in",
    "surely_above",
    "tokens_of",
]

JOINT = 4  # tokens that two texts may save when they are counted as one
_PIECE = 4000  # characters counted at once, few enough for a counter to remember
_LONG = 8  # characters a token, twice what a usual text has: what is longer has to be looked at
_FRAME = 4  # tokens of role and separators around one message (OpenAI's cookbook counts 3 to 4)

_DATA = 2000  # ASCII characters without a space: an image or a file in base64, not a text
# What providers charge for an image: OpenAI's guide gives 765 tokens for 1024 x 1024 in high
# detail and 1,105 for a larger one, Anthropic's about 1,600 at most.
_DATA_TOKENS = 1600


_PICTURE = "x" * (_DATA + 1)  # stands for bytes: an image or a file
_DIGEST = "blake2b:"  # how a reading writes what is too long for it
_DEEP = 12  # levels of an object that are looked into: enough for any message, and never for ever


def said_in(message: Any, reading: Reading) -> Iterator[str]:
    """Yield every text in *message*; of an SDK object what its reading holds, if that is whole."""
    if type(message) is dict:
        yield from strings_in(message)
    elif _DIGEST in reading.rest and (held := list(strings_in(message))):
        yield from held
    else:
        yield from reading.texts
        yield reading.rest


def strings_in(value: Any, depth: int = _DEEP) -> Iterator[str]:
    """Yield every text in *value*, a message or a part of a request; bytes as one long text."""
    kind = type(value)
    if kind is str:
        yield value
    elif kind is bytes:
        yield _PICTURE
    elif kind is list or kind is tuple:
        for held in value:
            yield from strings_in(held, depth)
    elif depth:
        for held in _fields(value).values():
            yield from strings_in(held, depth - 1)


def _fields(value: Any) -> Mapping[str, Any]:
    fields = value if isinstance(value, Mapping) else getattr(value, "__dict__", None)
    return fields if isinstance(fields, Mapping) and not isinstance(value, type) else {}


def bytes_beside(body: Mapping[str, Any], field: str) -> int:
    """Return the bytes of what *body* holds beside its conversation in *field*.

    Bytes never under-count. Of an SDK object only the fields that are set go out; of a function
    that serves as a tool its name, arguments and docstring do.
    """
    rest = {name: value for name, value in body.items() if name != field}
    try:
        return _bytes_of(rest)
    except Exception:  # something in it is no JSON, so it will hardly be sent as it is
        return sum(_bytes_if_json(part) for part in rest.items())


def _bytes_of(value: Any) -> int:
    return len(json.dumps(value, default=_told, ensure_ascii=False).encode("utf-8", "replace"))


def _bytes_if_json(value: Any) -> int:
    try:
        return _bytes_of(value)
    except Exception:
        return 0


def _told(value: Any) -> Any:
    if inspect.isroutine(value):
        return f"{value.__name__} {inspect.getdoc(value)} {getattr(value, '__annotations__', '')}"
    if isinstance(value, Mapping) or hasattr(value, "model_fields_set"):
        return {name: held for name, held in _fields(value).items() if held is not None}
    return str(value)


def _is_data(text: str) -> bool:
    start = text[:_DATA]
    # Chinese and Japanese are written without spaces.
    return len(text) > _DATA and start.isascii() and " " not in start and "\n" not in start


def byte_bound(text: str) -> int:
    """Return an upper bound of the tokens of *text*: its bytes, or an image's price."""
    if _is_data(text):
        return _DATA_TOKENS
    return len(text) * (1 if text.isascii() else 4)


def tokens_of(text: str, counter: TokenCounter) -> int:
    """Return the tokens of *text*, or an image's price.

    A long text is counted piece by piece, which adds a token or so for each: a tokenizer takes more
    than its share of time for thousands of characters without a space.
    """
    if _is_data(text):
        return _DATA_TOKENS
    if len(text) <= _PIECE:
        return counter.count(text)
    return sum(map(counter.count, _pieces(text)))


def surely_above(text: str, budget: int, counter: TokenCounter) -> bool:
    """Tell, after counting not much more than *budget*, whether *text* is above it for certain."""
    if len(text) <= max(_LONG * budget, _PIECE):
        return False
    tokens = 0
    for piece in _pieces(text):
        tokens += counter.count(piece) - JOINT
        if tokens > budget:
            return True
    return False


def _pieces(text: str) -> Iterator[str]:
    return (text[at : at + _PIECE] for at in range(0, len(text), _PIECE))


def room_left(
    request: Request,
    counter: TokenCounter,
    wanted: int,
    apart: Mapping[int, Sequence[str]] | None = None,
) -> int | None:
    """Return the tokens the window leaves for blocks; None if *wanted* fit for certain.

    Blocks that stand *apart* (position to texts) are not taken for part of what is said.
    """
    if request.window is None:
        return None
    walk = request.walk
    room = request.window - request.config.reserve - _FRAME * walk.length - request.beside()
    # Bytes never under-count, so a request far from the window need not be tokenised.
    if room - walk.size >= wanted:
        return None
    for at, message in enumerate(walk.messages):
        blocks = (apart or {}).get(at, ())
        for text in said_in(message, walk[at].reading):
            room -= tokens_of(strip_blocks(text, blocks), counter)
            if room <= 0:
                return 0  # how far beyond the window it is need not be known
    return room


class Weights:
    """What blocks weigh by another counter than the one they were written under.

    Kept by digest, so that no text outlives its erasure.
    """

    def __init__(self, most: int = 4096) -> None:
        """Remember at most *most* weights."""
        self._most = most
        self._known: dict[tuple[str, bytes], int] = {}

    def tokens(self, record: LedgerRecord, counter: TokenCounter) -> int:
        """Return the tokens of *record*'s text by *counter*."""
        if record.counter == counter.name:
            return record.tokens
        data = record.text.encode("utf-8", "surrogatepass")
        key = (counter.name, blake2b(data, digest_size=16).digest())
        known = self._known.get(key)
        if known is None:
            if len(self._known) >= self._most:
                self._known.clear()
            known = self._known[key] = counter.count(record.text)
        return known


def guarded_counter(request: Request, trace: Trace) -> Step[TokenCounter]:
    """Return the counter for the model; one that fails is replaced by the byte counter."""
    if request.counter_ready:
        return GuardedCounter(request.load_counter(request.model), trace)
    try:
        counter = yield Call(
            "counter", request.load_counter, (request.model,), blocking=True, share=0.6
        )
        return GuardedCounter(counter, trace)
    except StageFailed as failure:
        trace.survive(failure)
    return BYTES


class GuardedCounter:
    """A caller's counter that may raise on some text: then bytes are counted."""

    def __init__(self, counter: Any, trace: Trace) -> None:
        self.name: str = str(getattr(counter, "name", type(counter).__name__))
        self._counter = counter
        self._trace = trace

    def count(self, text: str) -> int:
        """Return the count, or the bytes where the counter fails."""
        try:
            tokens = self._counter.count(text)
            if type(tokens) is int and tokens >= 0:
                return tokens
            raise TypeError(f"a count is a whole number, not {type(tokens).__name__}")
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            if self._trace.failed is None:
                self._trace.survive(StageFailed("counter", error))
            return BYTES.count(text)
