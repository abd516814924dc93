"""Put the blocks into the messages and remember where they stand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial, reduce
from typing import Any

from ..ledger_records import LedgerRecord
from ..protocols import Dialect
from ..records import InjectedBlock, MemoryEntry
from ..rendering import parse_block
from .deduplicate import shown
from .effects import Call, Skip, StageFailed, Step, Trace
from .request import Request
from .standing import Standing

__all__ = ["as_block", "block_in_place", "record_block", "system_text", "with_blocks"]


def record_block(
    request: Request, standing: Standing, block: InjectedBlock, trace: Trace
) -> Step[InjectedBlock]:
    """Write *block* into the ledger and return what stands there now.

    When another call for the same conversation was faster, its block wins, so that later replays
    agree with what either request carried.

    Raises:
        Skip: the other call's block, written for another model, does not fit into this request.
    """
    walk = request.walk
    if standing.anchor is None:
        return block
    record = LedgerRecord(
        anchor=walk[standing.anchor].key,
        step=walk.last_key,
        text=block.text,
        shown=tuple(shown(entry) for entry in block.entries),
        tokens=block.tokens,
        written_at=request.now,
        counter=trace.counter or "",
    )
    try:
        winner = yield Call(
            "ledger",
            request.ledger.put,
            (request.space, record, standing.stale or standing.outgrown),
            blocking=not request.ledger.in_process,
        )
        if not isinstance(winner, LedgerRecord):
            kind = type(winner).__name__
            raise StageFailed("ledger", TypeError(f"put must return a record, not {kind}"))
    except StageFailed as failure:
        trace.survive(failure)
        return block
    return block if winner.text == block.text else _winning(request, standing, winner, trace)


def _winning(
    request: Request, standing: Standing, winner: LedgerRecord, trace: Trace
) -> InjectedBlock:
    """Return the block of the call that was faster, if it fits into this request as well."""
    if standing.counter is not None:
        weight = request.weights.tokens(winner, standing.counter)
        winner = replace(winner, tokens=weight, counter=standing.counter.name)
    if trace.budget is not None and winner.tokens > trace.budget:
        raise Skip("budget", "another call wrote a block that does not fit into this request")
    return as_block(winner)


def as_block(record: LedgerRecord) -> InjectedBlock:
    """Return the block that *record* speaks of."""
    entries = tuple(MemoryEntry(shown.content, shown.source) for shown in record.shown)
    return InjectedBlock(record.text, entries, record.tokens)


def block_in_place(request: Request, standing: Standing) -> InjectedBlock | None:
    """Return the block that stands in the latest user message without a new one, or None."""
    if standing.here:
        return as_block(standing.here[-1])
    at = standing.anchor
    gone = standing.strip.get(at, ()) if at is not None else ()
    blocks = [b for b in request.walk[at].blocks if b not in gone] if at is not None else []
    if not blocks:
        return None
    # Written by another process: only its shape tells what it shows.
    entries = tuple(MemoryEntry(one.content, one.source) for one in parse_block(blocks[-1]))
    tokens = standing.counter.count(blocks[-1]) if standing.counter is not None else 0
    return InjectedBlock(blocks[-1], entries, tokens)


def with_blocks(
    request: Request, standing: Standing, block: InjectedBlock | None, trace: Trace
) -> Any:
    """Return the conversation with all its blocks, in the caller's outer shape.

    Messages without a block are the caller's own objects. One that an earlier block cannot be
    written into goes out without it.

    Raises:
        StageFailed: the new block cannot be written.
    """
    walk, dialect = request.walk, request.dialect
    messages = list(walk.messages)
    for at, texts in standing.strip.items():
        messages[at] = dialect.remove(messages[at], texts)
    if request.placement == "apart":
        return dialect.close(messages, request.conversation)
    if request.placement == "system":
        return dialect.close(_in_system(request, standing, block, messages), request.conversation)
    for at, texts in standing.place.items():
        try:
            messages[at] = reduce(partial(_appended, dialect), texts, messages[at])
        except StageFailed as failure:
            trace.survive(failure)
    if block is not None and standing.anchor is not None:
        at = standing.anchor
        messages[at] = _appended(dialect, messages[at], block.text)
    return dialect.close(messages, request.conversation)


def system_text(standing: Standing, block: InjectedBlock | None) -> str:
    """Return this turn's blocks as one text for the system prompt; "" if there are none."""
    texts = [record.text for record in standing.here] + ([block.text] if block else [])
    return "\n".join(dict.fromkeys(texts))


def _appended(dialect: Dialect, message: Any, text: str) -> Any:
    """Append a block and look whether it is there: no plug-in may corrupt a request."""
    try:
        written = dialect.append(message, text)
    except Exception as error:
        raise StageFailed("write", error) from error
    # A mapping of any other kind (read-only, ordered) is copied into a dict.
    plain = type(written) is dict and isinstance(message, Mapping)
    if not (plain or type(written) is type(message)) or text not in dialect.read(written).text:
        raise StageFailed("write", TypeError(f"{dialect.name}: append lost the block"))
    return written


def _in_system(
    request: Request, standing: Standing, block: InjectedBlock | None, messages: list[Any]
) -> list[Any]:
    """Write this turn's blocks into one system message after the leading ones."""
    walk = request.walk
    text = system_text(standing, block)
    earlier = {at for at in walk.marked() if walk[at].reading.role == "system"}
    if not text:
        return [message for at, message in enumerate(messages) if at not in earlier]
    leading = _leading(request)
    system = request.dialect.system(text)
    if text not in request.dialect.read(system).text:
        raise StageFailed("write", TypeError(f"{request.dialect.name}: system lost the block"))
    return [
        *(message for at, message in enumerate(messages[:leading]) if at not in earlier),
        system,
        *(m for at, m in enumerate(messages[leading:], leading) if at not in earlier),
    ]


def _leading(request: Request) -> int:
    walk = request.walk
    roles: Sequence[str] = [walk[at].reading.role for at in range(walk.length)]
    return next((at for at, role in enumerate(roles) if role != "system"), len(roles))
