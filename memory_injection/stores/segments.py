"""Segments: the files of an owner's approximate index, as registered and as opened.

A file is registered after it has been written, with its size and checksum; one that is not as it
was written is never given to usearch, which trusts what it maps.
"""

from __future__ import annotations

import logging
import os
import sqlite3
import zlib
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..forks import Lock
from .database import Session
from .hybrid import Floats, Ints
from .vectors import Model, Vectors, has_segments

__all__ = ["Opened", "Segment", "Shelf", "checksum", "new_graph", "registered"]

_LOG = logging.getLogger("memory_injection.stores.usearch")
_OPEN = 64  # files mapped at once
_SAMPLE = 2_000  # vectors: their mean and deviation are those of all within 2 %
_SEED = 20_170
_CHUNK = 1 << 20
_MARKS = 500  # SQL parameters in one statement


@dataclass(frozen=True, slots=True)
class Segment:
    """One file, as registered.

    Attributes:
        file: its name in the index's folder; never used twice.
        owner: whose entries it holds.
        upto: the row number it goes up to, from where the segment before it ends.
        entries: how many vectors it holds.
        size: bytes of the file.
        checksum: CRC-32 of the file.
    """

    file: str
    owner: int
    upto: int
    entries: int
    size: int
    checksum: int


def registered(conn: sqlite3.Connection, model: Model) -> dict[int, list[Segment]]:
    """Return the segments of *model*'s vectors by owner, in order of their row numbers."""
    found: dict[int, list[Segment]] = {}
    if has_segments(conn):
        for row in conn.execute(
            "SELECT file, scope, upto, entries, size, checksum FROM memory_segments"
            " WHERE model = ? ORDER BY upto",
            (model.id,),
        ):
            found.setdefault(row[1], []).append(Segment(*row))
    return found


def checksum(file: Path) -> int:
    """Return the CRC-32 of *file*."""
    value = 0
    with file.open("rb") as opened:
        while chunk := opened.read(_CHUNK):
            value = zlib.crc32(chunk, value)
    return value


class Opened:
    """A segment's graph, mapped into memory, and a fixed random sample of its vectors."""

    def __init__(self, graph: Any, sample: Vectors) -> None:
        self.sample = sample
        self._graph = graph
        self._lock = Lock()  # usearch's searches of one graph share their scratch space

    def nearest(self, vector: Vectors, count: int) -> tuple[Ints, Floats]:
        """Return the row numbers of (about) the *count* nearest, and their similarities."""
        with self._lock:
            self._graph.expansion_search = count
            found = self._graph.search(vector, count, threads=1)
            return found.keys.astype(np.int64), 1.0 - found.distances.astype(np.float64)


class Shelf:
    """The segments that are open in this process, and those found not to be usable.

    Args:
        folder: where the files lie.
        store: name of the store, for the log.
    """

    def __init__(self, folder: Path, store: str) -> None:
        self.folder = folder
        self._store = store
        self._broken: set[str] = set()
        self.clear()

    def clear(self) -> None:
        """Let go of everything that is open."""
        self._pid = os.getpid()
        self._lock = Lock()
        self._open: OrderedDict[str, Opened] = OrderedDict()

    def open(self, session: Session, segment: Segment, model: Model) -> Opened | None:
        """Return *segment*'s graph, or None if the file is missing, damaged or foreign."""
        if self._pid != os.getpid():  # the parent's locks may be held for ever
            self.clear()
        with self._lock:
            found = self._open.get(segment.file)
            if found is not None or segment.file in self._broken:
                return found
            try:
                graph = self.graph(segment, model, view=True)
                found = Opened(graph, _sample(session.conn, graph, segment, model))
            except Exception as error:  # anything a foreign file can cause
                if self._is_replaced(session.conn, segment):
                    _LOG.debug("%s: a writer has just replaced an index file", self._store)
                else:
                    self.give_up(segment, error)
                return None
            self._open[segment.file] = found
            while len(self._open) > _OPEN:
                self._open.popitem(last=False)
            return found

    def graph(self, segment: Segment, model: Model, *, view: bool) -> Any:
        """Return *segment*'s graph from its file, mapped (*view*) or in memory.

        Raises:
            ValueError: the file is not what was written, or has another dimension.
            OSError: it cannot be read.
        """
        file = self.folder / segment.file
        if file.stat().st_size != segment.size or checksum(file) != segment.checksum:
            raise ValueError(f"{segment.file} is damaged")
        graph = _usearch().restore(str(file), view=view)
        if graph is None or graph.ndim != model.dimension or len(graph) != segment.entries:
            raise ValueError(f"{segment.file} is of another model or version")
        return graph

    def _is_replaced(self, conn: sqlite3.Connection, segment: Segment) -> bool:
        """Tell whether a writer took the file away after *segment* was read from the table."""
        if (self.folder / segment.file).exists():
            return False
        row = conn.execute("SELECT 1 FROM memory_segments WHERE file = ?", (segment.file,))
        return row.fetchone() is None

    def give_up(self, segment: Segment, error: Exception) -> None:
        """Do without *segment* until somebody writes it anew."""
        self._broken.add(segment.file)
        _LOG.warning("%s: the vector index failed, search is exact: %s", self._store, error)

    def is_sound(self, segment: Segment) -> bool:
        """Tell whether *segment*'s file is there and has not been found unusable."""
        try:
            size = (self.folder / segment.file).stat().st_size
        except OSError:
            return False
        return size == segment.size and segment.file not in self._broken


def new_graph(dimension: int) -> Any:
    """Return an empty graph for vectors of *dimension*, compared by inner product."""
    # bfloat16 takes half the memory; what is found is compared in full precision.
    return _usearch()(ndim=dimension, metric="ip", dtype="bf16", connectivity=16, expansion_add=64)


def _usearch() -> Any:
    from usearch.index import Index

    return Index


def _sample(conn: sqlite3.Connection, graph: Any, segment: Segment, model: Model) -> Vectors:
    """Return the vectors of some of *segment*'s entries, the same ones each time."""
    keys = np.sort(np.asarray(graph.keys).astype(np.int64))
    chosen = np.random.default_rng(_SEED).permutation(keys)[:_SAMPLE].tolist()
    packed = []
    for start in range(0, len(chosen), _MARKS):
        some = chosen[start : start + _MARKS]
        packed += conn.execute(
            "SELECT v.vector FROM memory_vectors v JOIN memory_entries e ON e.id = v.id"
            f" WHERE v.id IN ({','.join('?' * len(some))}) AND v.model = ? AND +e.scope = ?",
            (*some, model.id, segment.owner),
        ).fetchall()
    joined = b"".join([row[0] for row in packed])
    return np.frombuffer(joined, dtype=np.float32).reshape(len(packed), model.dimension)
