"""Which earlier blocks stand in this request: written again, found in place, or taken out.

A record of the ledger speaks of this conversation if both the message it stands in (*anchor*)
and the point at which it was written (*step*) are on the walk. So a regenerated answer or a
branch carries exactly what that point carried before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..ledger_records import LedgerRecord, Shown
from ..protocols import TokenCounter
from ..rendering import parse_block
from .effects import Call, StageFailed, Step, Trace
from .request import Request
from .retention import Retention, retain
from .walk import Walk
from .weighing import guarded_counter

__all__ = ["Standing", "stand"]


@dataclass(slots=True)
class Standing:
    """The earlier blocks of one request.

    Attributes:
        anchor: position of the message a new block would go to, or None.
        turn: position of the ask from which on every block belongs into the system prompt; None
            where blocks stand in user messages.
        place: position to the block texts to append there.
        strip: position to the block texts to take out there.
        shown: memories in view.
        views: texts of all blocks in view (for custom formats).
        here: the records standing in the anchor message.
        stale: a record at the anchor that is due to be looked up afresh.
        outgrown: a record at the anchor that does not fit into this request, to be replaced.
        blocks: how many earlier blocks the request carries.
        carried: tokens of those that the ledger knows.
        met: tokens of those that are known by their shape alone; part of what the messages say.
        apart: position to the texts of known blocks that stand in the messages as given.
        counter: what the blocks were weighed with; None where there are none.
    """

    anchor: int | None = None
    turn: int | None = None
    place: dict[int, list[str]] = field(default_factory=dict)
    strip: dict[int, list[str]] = field(default_factory=dict)
    shown: set[Shown] = field(default_factory=set)
    views: list[str] = field(default_factory=list)
    here: list[LedgerRecord] = field(default_factory=list)
    stale: LedgerRecord | None = None
    outgrown: LedgerRecord | None = None
    blocks: int = 0
    carried: int = 0
    met: int = 0
    apart: dict[int, list[str]] = field(default_factory=dict)
    counter: TokenCounter | None = None

    def carry(self, at: int, record: LedgerRecord, in_place: bool) -> None:
        """Let *record* stand in the message at *at*."""
        if not in_place:
            self.place.setdefault(at, []).append(record.text)
        if at == self.anchor or (self.turn is not None and at >= self.turn):
            self.here.append(record)
        self.shown.update(record.shown)
        self.views.append(record.text)
        self.blocks += 1
        self.carried += record.tokens


def stand(request: Request, trace: Trace) -> Step[Standing]:
    """Work out the standing blocks; a ledger that fails is survived without its blocks."""
    walk = request.walk
    every = request.config.trigger != "userTurn"
    anchor = walk.last_writable() if every else walk.last_ask()
    if request.placement == "user" and anchor is not None and not walk[anchor].reading.writable:
        anchor = None
    turn = walk.last_ask() if request.placement != "user" else None
    standing = Standing(anchor=anchor, turn=turn)
    records: Mapping[bytes, Sequence[LedgerRecord]] = {}
    try:
        given = yield Call(
            "ledger", request.ledger.get, (request.space, walk.keys),
            blocking=not request.ledger.in_process, share=0.5,
        )  # fmt: skip
        records = _checked(given)
    except StageFailed as failure:
        trace.survive(failure)
    found = _on_walk(walk, records) if records else []
    if found or walk.marked():
        standing.counter = yield from guarded_counter(request, trace)
    if found and standing.counter is not None:
        yield from _carry(request, standing, _weighed(request, found, standing.counter), trace)
    _note_unknown(walk, standing, records)
    return standing


def _weighed(
    request: Request, found: list[tuple[int, LedgerRecord]], counter: TokenCounter
) -> list[tuple[int, LedgerRecord]]:
    """Return *found* as the counter of this request weighs it: the model may have been changed."""
    name = counter.name
    return [
        (at, record)
        if record.counter == name
        else (at, replace(record, tokens=request.weights.tokens(record, counter), counter=name))
        for at, record in found
    ]


def _carry(
    request: Request, standing: Standing, found: list[tuple[int, LedgerRecord]], trace: Trace
) -> Step[None]:
    """Place the records that are carried, and tell the ledger which no longer are."""
    assert standing.counter is not None
    retention = retain(request, found, standing.counter)
    _place(request, standing, found, retention)
    if retention.unfit:
        trace.warnings.append(
            f"standing: {len(retention.unfit)} block(s) of this turn left out: too large for "
            f"{request.model or 'this request'} (counted with {standing.counter.name})"
        )
    if not retention.fresh:
        return
    try:
        yield Call(
            "ledger", request.ledger.drop,
            (request.space, retention.fresh, retention.at),
            blocking=not request.ledger.in_process, share=0.5,
        )  # fmt: skip
    except StageFailed as failure:
        trace.survive(failure)


def _checked(given: object) -> Mapping[bytes, Sequence[LedgerRecord]]:
    """Take a ledger's answer only if it is what a ledger answers."""
    try:
        if isinstance(given, Mapping) and all(
            isinstance(record, LedgerRecord) for group in given.values() for record in group
        ):
            return given
    except Exception as error:
        raise StageFailed("ledger", error) from error
    raise StageFailed("ledger", TypeError(f"get must return records, not {type(given).__name__}"))


def _on_walk(
    walk: Walk, records: Mapping[bytes, Sequence[LedgerRecord]]
) -> list[tuple[int, LedgerRecord]]:
    found = []
    for anchor, group in records.items():
        at = walk.at(anchor)
        if at is not None:
            found += [(at, record) for record in group if walk.at(record.step) is not None]
    found.sort(key=lambda pair: pair[0])
    return found


def _place(
    request: Request,
    standing: Standing,
    found: list[tuple[int, LedgerRecord]],
    retention: Retention,
) -> None:
    walk = request.walk
    for number, (at, record) in enumerate(found):
        in_place = record.text in walk[at].blocks
        if in_place:
            standing.apart.setdefault(at, []).append(record.text)
        if number in retention.gone:
            if in_place:
                standing.strip.setdefault(at, []).append(record.text)
            if number in retention.unfit and _is_at_end(request, standing, at, record):
                standing.outgrown = record
        elif not in_place and _is_stale(request, standing, at, record):
            standing.stale = record
        else:
            standing.carry(at, record, in_place)


def _is_stale(request: Request, standing: Standing, at: int, record: LedgerRecord) -> bool:
    """Tell whether a retry comes so late that memory may have changed and the cache has gone."""
    late = request.now - record.written_at > request.config.reuse_seconds
    return late and _is_at_end(request, standing, at, record)


def _is_at_end(request: Request, standing: Standing, at: int, record: LedgerRecord) -> bool:
    """Tell whether this is a retry of the very call that *record* was written in."""
    walk = request.walk
    return at == standing.anchor == walk.last_spoken() and record.step == walk.last_key


def _note_unknown(
    walk: Walk, standing: Standing, records: Mapping[bytes, Sequence[LedgerRecord]]
) -> None:
    """Take what unknown blocks show as in view: recognised by shape, never touched."""
    for at in walk.marked():
        stop = walk[at]
        if stop.reading.role == "system":
            continue
        known = {record.text for record in records.get(stop.key, ())}
        for block in stop.blocks:
            if block not in known:
                standing.shown.update(parse_block(block))
                standing.views.append(block)
                standing.blocks += 1
                if standing.counter is not None:
                    standing.met += standing.counter.count(block)
