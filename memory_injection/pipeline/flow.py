"""The whole pipeline on one screen: the steps, folded in order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..records import InjectedBlock
from .deduplicate import fresh_entries
from .effects import Call, Skip, StageFailed, Step, Trace
from .merge import rank
from .pack import fit
from .query import derive
from .request import Request
from .retrieve import gather
from .standing import Standing, stand
from .trigger import decide
from .write import block_in_place, record_block, system_text, with_blocks

__all__ = ["STEPS", "Outcome", "inject"]

STEPS = (
    "walk", "standing", "trigger", "query", "retrieve", "merge", "deduplicate", "pack", "write",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a flow ended: the conversation to send, and what happened on the way.

    *system* is what belongs into a system prompt that is kept outside the conversation.
    """

    messages: Any
    block: InjectedBlock | None
    system: str
    standing: Standing
    trace: Trace
    fresh: bool = False
    skip: Skip | None = None
    failure: StageFailed | None = None


def inject(request: Request) -> Step[Outcome]:
    """Run the steps for one call; the messages were walked when the request was made."""
    trace = Trace()
    standing = yield from stand(request, trace)
    try:
        block = yield from look(request, standing, trace)
        block = yield from record_block(request, standing, block, trace)
        messages = with_blocks(request, standing, block, trace)
    except Skip as skip:
        return _settle(request, standing, trace, skip=skip)
    except StageFailed as failure:
        return _settle(request, standing, trace, failure=failure)
    except Exception as error:  # a slip, perhaps a plug-in's: earlier blocks stand all the same
        return _settle(request, standing, trace, failure=StageFailed("write", error))
    _note_place(request, trace)
    system = system_text(standing, block) if request.placement == "apart" else ""
    return Outcome(messages, block, system, standing, trace, fresh=True)


def look(request: Request, standing: Standing, trace: Trace) -> Step[InjectedBlock]:
    """Look for memories and return the block to add."""
    is_user_turn = yield from decide(request, standing)
    yield from _reuse(request, standing, trace)
    query = yield from derive(request, is_user_turn, trace)
    found = yield from gather(request, query, trace)
    ranked = yield from rank(request, query, found, trace)
    entries = fresh_entries(request, standing, ranked, trace)
    return (yield from fit(request, standing, entries, trace))


def _reuse(request: Request, standing: Standing, trace: Trace) -> Step[None]:
    """A retry of the same call gets the block written moments ago, or keeps the one it holds."""
    walk = request.walk
    if any(record.step == walk.last_key for record in standing.here):
        raise Skip("all_duplicates", "this call has its block already")
    at = standing.anchor
    if at is None or at != walk.last_spoken():
        return
    # What came before it may have been trimmed away: then it has another key than it was written
    # under, and its block is one that the ledger knows from elsewhere.
    strange = set(walk[at].blocks).difference(standing.apart.get(at, ()))
    if strange and not strange.isdisjoint((yield from _kept_texts(request, trace))):
        raise Skip("all_duplicates", "the message holds its block already")


def _kept_texts(request: Request, trace: Trace) -> Step[frozenset[str]]:
    """Return the texts of all blocks that the ledger keeps for this scope, if it tells them."""
    texts = getattr(request.ledger, "texts", None)
    if texts is None:
        return frozenset()
    try:
        kept = yield Call(
            "ledger", texts, (request.space,), blocking=not request.ledger.in_process, share=0.3
        )
        return frozenset(kept)
    except StageFailed as failure:
        trace.survive(failure)
    except TypeError as error:
        trace.survive(StageFailed("ledger", error))
    return frozenset()


def _note_place(request: Request, trace: Trace) -> None:
    """Say so where blocks do not stand where the configuration wants them."""
    if request.placement == "user" and request.config.placement == "system":
        trace.warnings.append(
            f"placement='system': {request.dialect.name} keeps its system prompt outside the "
            "messages, so the block stands in the user message; give the whole request to "
            "inject_request, or wrap the client"
        )


def _settle(
    request: Request,
    standing: Standing,
    trace: Trace,
    skip: Skip | None = None,
    failure: StageFailed | None = None,
) -> Outcome:
    """End without a new block: earlier blocks are still where they stood."""
    if standing.stale is not None and standing.anchor is not None:
        standing.carry(standing.anchor, standing.stale, in_place=False)
    block = block_in_place(request, standing)
    messages = with_blocks(request, standing, None, trace)
    if standing.blocks:
        _note_place(request, trace)
    system = system_text(standing, None) if request.placement == "apart" else ""
    return Outcome(messages, block, system, standing, trace, skip=skip, failure=failure)
