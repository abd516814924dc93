"""Writing segments: one at a time, from the tables, under the lock of the index's folder."""

from __future__ import annotations

import sqlite3
import uuid
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from .database import Database
from .index_files import sweep
from .segments import Segment, Shelf, checksum, new_graph, registered
from .vectors import Model, Vectors

__all__ = ["follow"]

_FULL = 131_072  # vectors in one segment: what writing one holds in memory
_BEHIND = 10_000  # rows; to search so many exactly takes a millisecond or two
_LEFT = 0.875  # share of a segment's entries; with fewer of them left it is written anew
_READ = 4_096  # rows read at a time


@dataclass(frozen=True, slots=True)
class _Job:
    """One segment to write.

    Attributes:
        after: the row number it begins after, or goes on after if there is a *base*.
        upto: the row number it may not go beyond; None for no bound.
        base: the segment that it goes on from.
        replaces: the segment in whose place it comes.
    """

    after: int
    upto: int | None = None
    base: Segment | None = None
    replaces: Segment | None = None


def follow(database: Database, shelf: Shelf, model: Model, owner: int) -> bool:
    """Write the next segment that *owner* needs, if any; tell whether there may be more to do.

    The caller holds the lock.

    Raises:
        StoreError: the store's file cannot be used.
        OSError: a file cannot be written.
    """
    with database.read() as session:
        segments = registered(session.conn, model).get(owner, [])
        job = _next(session.conn, shelf, model, owner, segments)
        named = {file for (file,) in session.conn.execute("SELECT file FROM memory_segments")}
    if job is None:
        return False
    with suppress(OSError):  # what was replaced by the segment before, or left by a crash
        sweep(shelf.folder, named)
    try:
        graph = None if job.base is None else shelf.graph(job.base, model, view=False)
    except Exception as error:
        assert job.base is not None
        shelf.give_up(job.base, error)
        return True
    graph, last, whole = _filled(database, model, owner, job, graph)
    fresh = None
    if last > job.after:
        fresh = _saved(shelf, graph, owner, last)
    elif job.upto is None:
        return False
    gone = {job.replaces} if job.replaces is not None else set()
    if job.upto is not None and not whole:  # rows in the middle have no vector yet
        gone |= {one for one in segments if one.upto >= job.upto}
    with database.write() as session:
        conn = session.conn
        # What another model left of this owner is out of use.
        conn.execute("DELETE FROM memory_segments WHERE scope = ? AND model <> ?",
                     (owner, model.id))  # fmt: skip
        conn.executemany("DELETE FROM memory_segments WHERE file = ?", [(s.file,) for s in gone])
        if fresh is not None:
            conn.execute(
                "INSERT INTO memory_segments (file, scope, model, upto, entries, size, checksum)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                (fresh.file, owner, model.id, fresh.upto, fresh.entries, fresh.size,
                 fresh.checksum),
            )  # fmt: skip
    return whole


def _next(
    conn: sqlite3.Connection, shelf: Shelf, model: Model, owner: int, segments: list[Segment]
) -> _Job | None:
    """Return what is to be written: a segment that is lost or full of gaps, or what is newer."""
    after = 0
    for one in segments:
        left = conn.execute(
            "SELECT count(*) FROM memory_entries WHERE scope = ? AND id > ? AND id <= ?",
            (owner, after, one.upto),
        ).fetchone()[0]
        if not shelf.is_sound(one) or left < _LEFT * one.entries:
            return _Job(after, one.upto, replaces=one)
        after = one.upto
    behind = conn.execute(
        "SELECT count(*) FROM (SELECT 1 FROM memory_entries e JOIN memory_vectors v"
        " ON v.id = e.id AND v.model = ? WHERE e.scope = ? AND e.id > ? LIMIT ?)",
        (model.id, owner, after, _BEHIND),
    ).fetchone()[0]
    if not behind or (segments and behind < _BEHIND):
        return None
    if segments and segments[-1].entries < _FULL:
        return _Job(after, base=segments[-1], replaces=segments[-1])
    return _Job(after)


def _filled(
    database: Database, model: Model, owner: int, job: _Job, graph: Any
) -> tuple[Any, int, bool]:
    """Return the graph with the job's rows in it, the last of them, and whether none is waiting.

    It ends before the first entry without a vector: what it holds is everything up to its last.
    """
    if graph is None:
        graph = new_graph(model.dimension)
    last = job.after
    while job.upto is not None or len(graph) < _FULL:
        most = _READ if job.upto is not None else min(_READ, _FULL - len(graph))
        with database.read() as session:
            rows = session.conn.execute(
                "SELECT e.id, v.vector FROM memory_entries e LEFT JOIN memory_vectors v"
                " ON v.id = e.id AND v.model = ? WHERE e.scope = ? AND e.id > ? AND e.id <= ?"
                " ORDER BY e.id LIMIT ?",
                (model.id, owner, last, job.upto or (1 << 62), most),
            ).fetchall()
        ready = [row for row in rows if row[1] is not None]
        waiting = [row[0] for row in rows if row[1] is None]
        if waiting:
            ready = [row for row in ready if row[0] < waiting[0]]
        if ready:
            _add(graph, ready, model)
            last = ready[-1][0]
        if waiting or not rows:
            return graph, last, not waiting
    return graph, last, True


def _add(graph: Any, rows: list[tuple[int, bytes]], model: Model) -> None:
    packed = b"".join([vector for _, vector in rows])
    vectors: Vectors = np.frombuffer(packed, dtype=np.float32).reshape(-1, model.dimension)
    graph.add(np.array([ident for ident, _ in rows], dtype=np.uint64), vectors)


def _saved(shelf: Shelf, graph: Any, owner: int, last: int) -> Segment:
    name = f"{uuid.uuid4().hex}.usearch"
    file = shelf.folder / name
    graph.save(str(file))
    return Segment(name, owner, last, len(graph), file.stat().st_size, checksum(file))
