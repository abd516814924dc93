"""The ledger in memory: bounded, per scope, shared by the threads of one process."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from .forks import Lock
from .ledger_records import LedgerRecord, Shown, Space, check_bounds, gives_way
from .records import Scope

__all__ = ["InMemoryLedger", "owns"]


def owns(scope: Scope, space: Space) -> bool:
    """Tell whether erasing *scope* erases *space*: every id given is the space's own."""
    ids = space.scope.ids()
    return all(ids.get(name) == value for name, value in scope.ids().items())


class _Shelf(OrderedDict[bytes, "list[LedgerRecord]"]):
    """The records of one space by anchor, least recently used first."""

    count = 0

    def shed(self) -> list[LedgerRecord]:
        """Let the least recently used anchor go; return its records."""
        lost = self.popitem(last=False)[1]
        self.count -= len(lost)
        return lost


def _size(record: LedgerRecord) -> int:
    return len(record.text) + sum(len(shown.content) for shown in record.shown)


class InMemoryLedger:
    """Records per space, least recently used out.

    Losing a record costs one cache miss and makes its entries eligible again; it never repeats or
    misplaces anything.

    Args:
        max_records: most records in all spaces together.
        max_per_scope: most records in one space.
        max_characters: most characters of all records together, the blocks and what they show;
            the record written last is kept however long.
        max_age: seconds after which a record counts as gone.
        clock: seconds since 1970, what the age of a record is measured by; replaced in tests. A
            record carries the system's time of the call that wrote it.

    Raises:
        ConfigurationError: a bound is not positive, or a number of records not whole.
    """

    in_process = True

    def __init__(
        self,
        *,
        max_records: int = 20_000,
        max_per_scope: int = 2_000,
        max_characters: int = 100_000_000,
        max_age: float = 24 * 3600.0,
        clock: Callable[[], float] = time.time,
    ) -> None:
        check_bounds(
            max_records=max_records, max_per_scope=max_per_scope, max_characters=max_characters,
            max_age=max_age,
        )  # fmt: skip
        self._max_records = max_records
        self._max_per_scope = max_per_scope
        self._max_characters = max_characters
        self._max_age = max_age
        self._clock = clock
        self._spaces: OrderedDict[Space, _Shelf] = OrderedDict()
        self._count = self._characters = 0
        self._lock = Lock()

    def __bool__(self) -> bool:
        """Be true even when empty: ``ledger or other`` must not drop it."""
        return True

    def __len__(self) -> int:
        """Return how many records are kept."""
        return self._count

    def get(self, space: Space, keys: Collection[bytes]) -> Mapping[bytes, Sequence[LedgerRecord]]:
        """Return the records at *keys*, oldest first at each, and mark them as used."""
        with self._lock:
            anchors = self._spaces.get(space)
            if anchors is None:
                return {}
            self._spaces.move_to_end(space)
            hits = anchors.keys() & keys
            oldest = self._clock() - self._max_age
            found = {}
            for key in hits:
                anchors.move_to_end(key)
                records = [r for r in anchors[key] if r.written_at >= oldest]
                if records:
                    found[key] = records
            return found

    def put(
        self, space: Space, record: LedgerRecord, replaces: LedgerRecord | None = None
    ) -> LedgerRecord:
        """Write *record* unless one stands at the same anchor and step; return what stands."""
        with self._lock:
            shelf = self._spaces.setdefault(space, _Shelf())
            self._spaces.move_to_end(space)
            standing = shelf.setdefault(record.anchor, [])
            shelf.move_to_end(record.anchor)
            for at, old in enumerate(standing):
                if old.step == record.step:
                    if gives_way(old, replaces, self._clock(), self._max_age):
                        standing[at] = record
                        self._characters += _size(record) - _size(old)
                        self._trim(shelf)
                    return standing[at]
            standing.append(record)
            shelf.count += 1
            self._count += 1
            self._characters += _size(record)
            self._trim(shelf)
            return record

    def drop(self, space: Space, records: Sequence[LedgerRecord], at: bytes) -> None:
        """Mark *records* as no longer carried from step *at* on."""
        with self._lock:
            anchors = self._spaces.get(space, _Shelf())
            for record in records:
                standing = anchors.get(record.anchor, [])
                for place, old in enumerate(standing):
                    if old.step == record.step and at not in old.dropped:
                        standing[place] = replace(old, dropped=(*old.dropped, at))

    def texts(self, space: Space) -> Sequence[str]:
        """Return the texts of the blocks kept for *space*."""
        with self._lock:
            anchors = self._spaces.get(space, _Shelf())
            return list({record.text: None for group in anchors.values() for record in group})

    def forget(self, scope: Scope) -> int:
        """Erase every record of the spaces that *scope*'s ids own; return how many."""
        with self._lock:
            gone = [space for space in self._spaces if owns(scope, space)]
            shelves = [self._spaces.pop(space) for space in gone]
            lost = [record for shelf in shelves for group in shelf.values() for record in group]
            self._lose(lost)
            return len(lost)

    def forget_shown(self, shown: Shown) -> int:
        """Erase every record, of any space, whose block shows this memory; return how many."""
        with self._lock:
            lost = 0
            for shelf in self._spaces.values():
                for anchor in list(shelf):
                    left = [record for record in shelf[anchor] if shown not in record.shown]
                    gone = len(shelf[anchor]) - len(left)
                    if gone:
                        shelf.count -= gone
                        lost += gone
                        # In place: the order of the anchors tells which was used last.
                        shelf[anchor][:] = left
                    if not left:
                        del shelf[anchor]
            self._count -= lost
            return lost

    def close(self) -> None:
        """Forget everything."""
        with self._lock:
            self._spaces.clear()
            self._count = self._characters = 0

    def _is_over(self) -> bool:
        return self._count > self._max_records or self._characters > self._max_characters

    def _lose(self, records: Sequence[LedgerRecord]) -> None:
        self._count -= len(records)
        self._characters -= sum(map(_size, records))

    def _trim(self, shelf: _Shelf) -> None:
        while shelf.count > self._max_per_scope and len(shelf) > 1:
            self._lose(shelf.shed())
        while self._is_over() and len(self._spaces) > 1:
            name, oldest = next(iter(self._spaces.items()))
            self._lose(oldest.shed() if oldest else ())
            if not oldest:
                del self._spaces[name]
        while self._is_over() and len(shelf) > 1:
            self._lose(shelf.shed())
