"""Read the messages once: what each says, its key, and the blocks of ours in its text.

The key of a message is a digest of everything said up to it: ``K(i) = H(K(i-1), meaning(i))``.
System messages are left out (they often hold a clock), and so are our own blocks, so a
conversation has the same keys with and without them. What was read before is not read again: a
:class:`Track` keeps copies of the messages seen and their keys, and a later call of the same
conversation compares (a C-level list comparison) instead of hashing.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any

from ..forks import Lock
from ..protocols import Dialect
from ..reading import Reading
from ..rendering import KnownBlocks, block_at, find_blocks, strip_blocks
from .weighing import byte_bound, said_in

__all__ = ["Stop", "TrackCache", "Walk", "walk"]

_ROOT = b""
_PLAIN = (str, int, float, bool, type(None))


@dataclass(frozen=True, slots=True)
class Stop:
    """One message on the walk: what it says, its key and the blocks found in its text."""

    reading: Reading
    key: bytes
    blocks: tuple[str, ...] = ()


class Track:
    """A conversation read so far: append-only, shared by the walks along it."""

    __slots__ = ("copies", "dialect", "index", "lengths", "marked", "sizes", "stops")

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self.copies: list[Any] = []
        self.stops: list[Stop] = []
        self.index: dict[bytes, int] = {}
        self.marked: list[int] = []
        self.sizes: list[int] = []
        self.lengths: list[int] = []

    @property
    def length(self) -> int:
        """The characters and bytes it keeps, of images and files as well."""
        return self.lengths[-1] if self.lengths else 0

    def fork(self, length: int) -> Track:
        """Return a new track that starts with the first *length* messages."""
        track = Track(self.dialect)
        track.copies = self.copies[:length]
        track.stops = self.stops[:length]
        track.sizes = self.sizes[:length]
        track.lengths = self.lengths[:length]
        track.marked = [at for at in self.marked if at < length]
        track.index = dict(self.index)
        for stop in self.stops[length:]:
            if track.index.get(stop.key, -1) >= length:
                del track.index[stop.key]
        return track

    def add(self, message: Any, stop: Stop) -> None:
        """Append one message."""
        at = len(self.stops)
        if type(message) is dict and set(map(type, message.values())) == _TEXTS:
            # Nearly every message; the same as below, at a third of the price.
            copy = message.copy()
            size, length = sum(map(byte_bound, copy.values())), sum(map(len, copy.values()))
        else:
            copy = _copy(message)
            size, length = sum(map(byte_bound, said_in(message, stop.reading))), _length(copy)
        self.copies.append(copy)
        self.stops.append(stop)
        self.index.setdefault(stop.key, at)
        self.sizes.append(size + (self.sizes[-1] if at else 0))
        self.lengths.append(length + self.length)
        if stop.blocks:
            self.marked.append(at)


_TEXTS = {str}


class Walk:
    """A view of the first *length* messages of a track."""

    __slots__ = ("_last_ask", "_track", "length", "messages")

    def __init__(self, messages: list[Any], track: Track) -> None:
        self.messages = messages
        self.length = len(messages)
        self._track = track
        stops = track.stops
        self._last_ask = self.length - 1
        while self._last_ask >= 0 and not stops[self._last_ask].reading.ask:
            self._last_ask -= 1

    def __getitem__(self, at: int) -> Stop:
        return self._track.stops[at]

    @property
    def size(self) -> int:
        """An upper bound of the bytes of everything said."""
        return self._track.sizes[self.length - 1] if self.length else 0

    @property
    def dialect(self) -> Dialect:
        """The dialect the messages were read in."""
        return self._track.dialect

    def at(self, key: bytes) -> int | None:
        """Return the position of the message with this key, or None."""
        found = self._track.index.get(key)
        return found if found is not None and found < self.length else None

    @property
    def keys(self) -> Collection[bytes]:
        """The keys on the walk, oldest first (may run on past the last message)."""
        return self._track.index.keys()

    def marked(self) -> list[int]:
        """Return the positions of messages with blocks of ours in their text."""
        return [at for at in self._track.marked if at < self.length]

    @property
    def last_key(self) -> bytes:
        """The key of the whole conversation."""
        return self._track.stops[self.length - 1].key if self.length else _ROOT

    def last_spoken(self) -> int | None:
        """Return the position of the last message that is not a system message."""
        stops = self._track.stops
        for at in range(self.length - 1, -1, -1):
            if stops[at].reading.role != "system":
                return at
        return None

    def last_ask(self) -> int | None:
        """Return the position of the latest fresh user ask."""
        return self._last_ask if self._last_ask >= 0 else None

    def last_writable(self) -> int | None:
        """Return the position of the latest message a block may be appended to."""
        stops = self._track.stops
        positions = range(self.length - 1, -1, -1)
        return next((at for at in positions if stops[at].reading.writable), None)

    def may_hold(self, known: KnownBlocks) -> bool:
        """Tell whether one of the *known* blocks may stand where blocks stand."""
        readings = (stop.reading for stop in self._track.stops[: self.length])
        places = (one for one in readings if one.writable or one.role == "system")
        return any(known.candidates(text) for one in places for text in one.texts)

    def weight(self, start: int, end: int) -> int:
        """Return about how many characters the messages from *start* up to *end* hold."""
        sizes = self._track.sizes
        return sizes[end - 1] - (sizes[start - 1] if start else 0) if end > start else 0

    def clean_text(self, at: int) -> str:
        """Return what the message at *at* says, without blocks of ours."""
        stop = self._track.stops[at]
        return strip_blocks(stop.reading.text, stop.blocks)


class TrackCache:
    """The tracks of recent conversations, least recently used out."""

    def __init__(self, tracks: int = 256, characters: int = 64_000_000) -> None:
        """Keep at most *tracks* conversations, of *characters* (or bytes) in all."""
        self._limit = tracks
        self._characters = characters
        self._length = 0
        self._tracks: OrderedDict[Any, Track] = OrderedDict()
        self._lock = Lock()

    def find(self, name: Any) -> Track | None:
        """Return the track called *name*, marking it as used."""
        with self._lock:
            track = self._tracks.get(name)
            if track is not None:
                self._tracks.move_to_end(name)
            return track

    def store(self, name: Any, track: Track) -> None:
        """Keep *track* under *name*."""
        with self._lock:
            known = self._tracks.pop(name, None)
            self._tracks[name] = track
            self._length += track.length - (known.length if known is not None else 0)
            while len(self._tracks) > self._limit or (
                self._length > self._characters and len(self._tracks) > 1
            ):
                self._length -= self._tracks.popitem(last=False)[1].length


def walk(
    messages: list[Any],
    dialect: Dialect | None,
    cache: TrackCache,
    known: Sequence[str] = (),
    detect: Callable[[list[Any]], Dialect | None] = lambda messages: None,
    root: bytes = _ROOT,
) -> Walk | None:
    """Read *messages* and return the walk along them, or None for an unknown shape.

    Args:
        messages: the conversation as a list.
        dialect: how to read a message; None to *detect* it.
        cache: where earlier readings are kept.
        known: texts of blocks in a custom format that this conversation may hold; they cannot be
            recognised by shape.
        detect: finds the dialect of a list of messages.
        root: what was said before the first of *messages*, where the provider keeps it.
    """
    name = (dialect.name if dialect is not None else None, root, _name(messages))
    track = cache.find(name)
    shared = _shared(messages, track) if track is not None else 0
    if dialect is None:
        if (
            track is not None and shared
            and all(map(_is_neutral, messages[shared:] + track.copies[shared:]))
        ):  # fmt: skip
            dialect = track.dialect
        else:
            dialect = detect(messages)
        if dialect is None:
            return None
        opened = dialect.open(messages)
        if opened != messages:  # a bare part is a message, and several in a row are one
            return walk(opened, dialect, cache, known, root=root)
    if track is None or track.dialect is not dialect or not shared:
        track = Track(dialect)
        shared = 0
    if shared < len(messages):
        # A track in use is never changed under a reader: what is added goes to a copy.
        track = _extend(track.fork(shared), messages, shared, KnownBlocks(), root)
        cache.store(name, track)
    walked = Walk(messages, track)
    if known and walked.may_hold(blocks := KnownBlocks(known)):
        # What counts as a block depends on the caller, so this reading is not shared.
        return Walk(messages, _extend(Track(dialect), messages, 0, blocks, root))
    return walked


def _is_neutral(message: Any) -> bool:
    """Tell whether a message says nothing about its dialect: a role and a plain text."""
    return type(message) is dict and len(message) == 2 and type(message.get("content")) is str


def _extend(
    track: Track, messages: list[Any], start: int, known: KnownBlocks, root: bytes
) -> Track:
    dialect = track.dialect
    key = track.stops[start - 1].key if start else root
    for message in messages[start:]:
        reading = dialect.read(message)
        blocks: tuple[str, ...] = ()
        if reading.role != "system":
            if reading.writable:
                blocks = tuple(_blocks_in(reading, known))
                reading = _unasked(dialect, message, reading, blocks) if blocks else reading
            key = _next_key(key, reading, blocks)
        elif len(reading.texts) == 1:
            found = _blocks_in(reading, known)
            blocks = tuple(found) if "\n".join(found) == reading.text else ()
        track.add(message, Stop(reading, key, blocks))
    return track


def _unasked(dialect: Dialect, message: Any, reading: Reading, blocks: Sequence[str]) -> Reading:
    """Return *reading*, no ask if nothing but a block of ours stands beside tool results."""
    if not (reading.ask and dialect.merges_tool_results):
        return reading
    return replace(reading, ask=dialect.read(dialect.remove(message, blocks)).ask)


def _name(messages: list[Any]) -> Any:
    """Name a conversation by the first thing the user says in it; a clash costs only time."""
    for message in messages[:8]:
        if type(message) is dict and message.get("role") == "user":
            said = message.get("content") or message.get("parts")
            if type(said) is list:
                parts = [part.get("text") for part in said if type(part) is dict]
                said = next((text for text in parts if type(text) is str), None)
            return said if type(said) is str else None
    return None


def _shared(messages: list[Any], track: Track) -> int:
    """Return how many leading messages are those of *track*; slices compare at C speed."""
    copies = track.copies
    shorter = min(len(messages), len(copies))
    # Gone on with, or with another last message, which is looked at first.
    ended = shorter if shorter and messages[shorter - 1] == copies[shorter - 1] else shorter - 1
    if ended >= 0 and messages[:ended] == copies[:ended]:
        return ended
    at = 0
    while messages[at : at + _CHUNK] == copies[at : at + _CHUNK]:
        at += _CHUNK
    while at < shorter:
        new, old = messages[at], copies[at]
        if not (_reads_same(track, at, new) if old is _NEVER else new == old):
            return at
        at += 1
    return shorter


_CHUNK = 64


def _reads_same(track: Track, at: int, message: Any) -> bool:
    try:
        return track.dialect.read(message) == track.stops[at].reading
    except Exception:
        return False


class _Never:
    """Stands for a message that cannot be copied (an SDK object): equal to nothing."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return False


_NEVER = _Never()


def _copy(message: Any) -> Any:
    try:
        return _plain_copy(message)
    except TypeError:
        return _NEVER


def _plain_copy(value: Any) -> Any:
    kind = type(value)
    if kind is str or kind in _PLAIN or kind is bytes:
        return value
    if kind is dict:
        return {key: _plain_copy(item) for key, item in value.items()}
    if kind is list:
        return [_plain_copy(item) for item in value]
    raise TypeError(kind)


def _length(value: Any) -> int:
    """Return the characters and bytes that a plain copy holds."""
    if isinstance(value, (str, bytes)):
        return len(value)
    if isinstance(value, dict):
        return sum(map(_length, value.values()))
    return sum(map(_length, value)) if isinstance(value, list) else 0


def _next_key(previous: bytes, reading: Reading, blocks: tuple[str, ...]) -> bytes:
    text = strip_blocks(reading.text, blocks).strip()
    if reading.role == "assistant" and not text and not reading.rest:
        return previous  # reasoning alone, which applications send back or drop
    meaning = f"{reading.role}|{len(text)}|{text}{reading.rest}"
    return blake2b(previous + meaning.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _blocks_in(reading: Reading, known: KnownBlocks) -> list[str]:
    """Return the blocks in a reading's texts, in order."""
    return [block for text in reading.texts for block in _in_order(text, known)]


def _in_order(text: str, known: KnownBlocks) -> list[str]:
    candidates = known.candidates(text) if known else ()
    if not candidates:
        return find_blocks(text)
    places, rest = {}, text
    for block in (*candidates, *find_blocks(text)):
        at = block_at(rest, block) if len(block) <= len(rest) else -1
        if at >= 0:
            # What is found is covered, since a longer block may begin like a shorter one.
            places[at] = block
            rest = rest[:at] + "\0" * len(block) + rest[at + len(block) :]
    return [places[at] for at in sorted(places)]
