"""Asking an embedder: unit vectors, checked, within a deadline, sync or async.

Also what a model's cosines mean: its own similarity of a few questions with their answers, and with
the others' answers, gives the two ends of its scale.
"""

from __future__ import annotations

import asyncio
import inspect
from collections import Counter, OrderedDict
from collections.abc import Awaitable, Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..embedders.callables import is_async
from ..errors import StoreError
from ..forks import Lock
from ..protocols import Embedder
from .failures import is_general, message_of
from .vectors import Scale
from .workers import FutureTimeout, Workers

__all__ = [
    "Blocking",
    "EmbeddingFailed",
    "Rows",
    "Vectorizer",
    "run",
    "scale_of",
]

T = TypeVar("T")
Vectors = NDArray[np.float32]
Kind = Literal["query", "document"]

_REMEMBERED = 256  # questions whose vectors are kept: the same ask comes back within a turn


_LONGEST = 300  # characters of an embedder's reason that are kept


class EmbeddingFailed(StoreError):
    """The embedder raised, took too long, or gave something that is not one vector per text.

    Attributes:
        reason: what it did, without its name; at most 300 characters.
        general: it would do so with any text: there is no use in asking text by text.
    """

    def __init__(
        self, message: str, store: str | None = None, reason: str = "", general: bool = True
    ) -> None:
        """Keep what was wrong and whether it has to do with the texts."""
        super().__init__(message, store)
        self.reason = reason or message
        self.general = general


class Rows(NamedTuple):
    """One unit vector per text; those at the positions in ``wrong`` are none, it says why."""

    vectors: Vectors
    wrong: Mapping[int, str]


class Vectorizer:
    """Gets vectors out of *embedder*.

    Args:
        embedder: what turns texts into vectors.
        timeout: seconds a question may take; None waits. Documents have no deadline.
        store: name of the store, for errors.

    Attributes:
        is_async: whether the embedder's answers are awaitables. Known beforehand of async
            functions and clients, else from its first answer.
    """

    def __init__(self, embedder: Embedder, timeout: float | None, store: str) -> None:
        self.embedder = embedder
        self.is_async = bool(getattr(embedder, "is_async", is_async(embedder.embed)))
        self._timeout = timeout
        self._store = store
        self._length: int | None = None
        self._seen: OrderedDict[tuple[str, ...], Vectors] = OrderedDict()
        self._lock = Lock()
        self._workers = Workers()
        self._taken: Counter[int] = Counter()  # two calls may embed one entry

    @property
    def dimension(self) -> int | None:
        """How long the vectors are: as the embedder says, else as the last ones were."""
        return self.embedder.dimension or self._length

    def taken(self) -> frozenset[int]:
        """Return the row numbers of the entries that calls are embedding at the moment."""
        with self._lock:
            return frozenset(self._taken)

    @contextmanager
    def taking(self, batch: Sequence[tuple[int, str]]) -> Iterator[None]:
        """Tell other calls that the entries of *batch*, by row number, are being embedded."""
        idents = [ident for ident, _ in batch]
        with self._lock:
            self._taken.update(idents)
        try:
            yield
        finally:
            with self._lock:
                self._taken.subtract(idents)
                self._taken += Counter()  # only what is still taken

    def warm_up(self) -> None:
        """Start loading the model on a worker, if it is one that loads; trouble shows later."""
        load = getattr(self.embedder, "load", None)
        if callable(load):
            self._workers.submit(load)

    def query(self, texts: Sequence[str]) -> Vectors | Awaitable[Vectors]:
        """Return one unit vector per text (or an awaitable of them), within the deadline.

        Raises:
            EmbeddingFailed: see the class; the message names the embedder and the reason.
        """
        key = tuple(texts)
        with self._lock:
            known = self._seen.get(key)
        if known is not None:
            return known
        if self._timeout is None:
            found = self._ask(texts, "query", self._all)
        else:
            found = self._in_time(lambda: self._ask(texts, "query", self._all), self._timeout)
        if isinstance(found, np.ndarray):
            return self._remember(key, found)
        return self._awaited(key, found)

    def documents(self, texts: Sequence[str]) -> Vectors | Awaitable[Vectors]:
        """Return one unit vector per text, or an awaitable of them.

        Raises:
            EmbeddingFailed: see the class.
        """
        return self._ask(texts, "document", self._all)

    def each(self, texts: Sequence[str]) -> Rows | Awaitable[Rows]:
        """Return what the embedder gives for each text, or an awaitable of it.

        Raises:
            EmbeddingFailed: see the class.
        """
        return self._ask(texts, "document", self._rows)

    def _ask(
        self, texts: Sequence[str], kind: Kind, read: Callable[[Any, int], T]
    ) -> T | Awaitable[T]:
        try:
            answer = self.embedder.embed(texts, kind)
        except (Exception, SystemExit) as error:
            raise self._failed(error) from error
        if inspect.isawaitable(answer):
            self.is_async = True
            return self._later(answer, len(texts), read)
        return read(answer, len(texts))

    async def _later(self, answer: Awaitable[Any], count: int, read: Callable[[Any, int], T]) -> T:
        try:
            rows = await answer
        except (Exception, SystemExit) as error:
            raise self._failed(error) from error
        return read(rows, count)

    async def _awaited(self, key: tuple[str, ...], answer: Awaitable[Vectors]) -> Vectors:
        try:
            return self._remember(key, await asyncio.wait_for(answer, self._timeout))
        except asyncio.TimeoutError:
            raise self._late() from None

    def _in_time(self, work: Callable[[], T], seconds: float) -> T:
        try:
            return self._workers.within(seconds, work)
        except FutureTimeout:
            raise self._late() from None
        except EmbeddingFailed:
            raise
        except Exception as error:
            raise self._failed(error) from error

    def _remember(self, key: tuple[str, ...], found: Vectors) -> Vectors:
        with self._lock:
            self._seen[key] = found
            while len(self._seen) > _REMEMBERED:
                self._seen.popitem(last=False)
        return found

    def _all(self, answer: Any, count: int) -> Vectors:
        rows = self._rows(answer, count)
        bad = [reason for reason in rows.wrong.values() if reason != _ZEROS]
        if bad:
            raise self.wrong(bad[0])
        return rows.vectors

    def _rows(self, answer: Any, count: int) -> Rows:
        """Read the embedder's *answer*.

        Raises:
            EmbeddingFailed: it is not one list of numbers per text, all of one length.
        """
        missing: list[int] = []
        if isinstance(answer, (list, tuple)) and len(answer) == count:
            missing = [at for at, row in enumerate(answer) if row is None]
            given = [row for row in answer if row is not None]
            if missing and not given:
                raise self.wrong(_NOTHING, general=False)
        found = _numbers(given if missing else answer)
        if found is None:
            raise self.wrong("did not return numbers")
        if found.ndim != 2 or len(found) != count - len(missing) or not found.shape[1]:
            raise self.wrong(f"returned shape {found.shape} for {count} texts")
        self._of_its_length(found.shape[1])
        if missing:
            whole = np.zeros((count, found.shape[1]), np.float32)
            whole[[at for at in range(count) if at not in {*missing}]] = found
            found = whole
        finite = np.isfinite(found).all(axis=1)
        found[~finite] = 0.0
        norms = np.linalg.norm(found, axis=1, keepdims=True)
        unit: Vectors = np.divide(found, norms, out=np.zeros_like(found), where=norms > 0)
        wrong = {int(at): _ZEROS for at in np.flatnonzero(norms == 0)}
        wrong |= {int(at): _INFINITE for at in np.flatnonzero(~finite)}
        return Rows(unit, wrong | dict.fromkeys(missing, _NOTHING))

    def _of_its_length(self, length: int) -> None:
        said = self.embedder.dimension
        if said is not None and said != length:
            raise self.wrong(f"returned vectors of {length} numbers, its dimension is {said}")
        self._length = length

    def _failed(self, error: BaseException) -> EmbeddingFailed:
        said = f"{type(error).__name__}: {message_of(error)}"
        return self.wrong(f"failed: {said}", general=is_general(error))

    def _late(self) -> EmbeddingFailed:
        return self.wrong(f"did not answer within {self._timeout:g} s")

    def wrong(self, what: str, general: bool = True) -> EmbeddingFailed:
        """Return the error that says *what* the embedder did."""
        message = f"embedder {self.embedder.name!r} {what}"
        return EmbeddingFailed(message, self._store, what[:_LONGEST], general)


_ZEROS = "returned nothing but zeros"
_INFINITE = "returned numbers that are not finite"
_NOTHING = "returned None"


def _numbers(answer: Any) -> Vectors | None:
    """Return *answer* as real numbers, or None if it does not hold any."""
    try:
        found = np.asarray(answer)
        if found.dtype.kind not in "biufO":
            return None  # a cast would drop the imaginary part, or read a text as a number
        with np.errstate(over="ignore"):
            return np.array(found, dtype=np.float32)
    except (TypeError, ValueError):
        return None


class Blocking(NamedTuple):
    """A step that may take long: run where it cannot hold up an event loop."""

    work: Callable[[], Any]


def run(steps: Generator[Any, Any, T], *, later: bool = False) -> T | Awaitable[T]:
    """Drive *steps*, which yields values, awaitables or ``Blocking`` work and is sent the values.

    Returns the result, or an awaitable of it once a step has to be awaited: one logic for sync
    and async embedders. With *later* it is an awaitable even where no step had to be awaited.
    """
    try:
        value = next(steps)
        while not inspect.isawaitable(value):
            value = steps.send(value.work() if isinstance(value, Blocking) else value)
    except StopIteration as end:
        result: T = end.value
        return _given(result) if later else result
    return _run_later(steps, value)


async def _given(result: T) -> T:
    return result


async def _run_later(steps: Generator[Any, Any, T], value: Any) -> T:
    try:
        while True:
            try:
                if isinstance(value, Blocking):
                    value = asyncio.to_thread(value.work)
                value = await value if inspect.isawaitable(value) else value
            except Exception as error:
                value = steps.throw(error)
            else:
                value = steps.send(value)
    except StopIteration as end:
        result: T = end.value
        return result


def scale_of(questions: Vectors, answers: Vectors) -> Scale:
    """Return what cosines of *questions* with others' *answers*, and with their own, look like."""
    cosines = questions @ answers.T
    own = np.eye(len(cosines), dtype=bool)
    others = cosines[~own]
    return Scale(float(others.mean()), float(cosines[own].mean()), float(others.std()))
