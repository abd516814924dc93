"""What the soak injects into a call, and what that call's result must therefore be.

Every call carries a plan in a context variable; stores, callbacks, counter and ledger read it and
break as told, in whatever thread or task they run. :func:`judge` compares the result with the plan.
"""

from __future__ import annotations

import asyncio
import random
import re
import threading
from contextvars import ContextVar
from dataclasses import dataclass, field

from memory_injection import InMemoryLedger, MemoryManager
from memory_injection.ledger_records import LedgerRecord, Shown
from memory_injection.rendering import find_blocks

SEAMS = ("trigger", "query", "format", "merge", "hook", "counter", "sync", "async", "get", "put")
KINDS = ("raises", "hangs", "rubbish", "huge")
HUGE = "x" * 5_000_000
PLAN: ContextVar[Plan] = ContextVar("plan")
NEVER = threading.Event()
CUSTOM = re.compile(r"\[memory\]\n(?:- [^\n]+\n)+\[/memory\]")


class Broken(Exception):
    """What a faulty seam raises, now and then as something worse."""


class _Neither:
    def __bool__(self):
        raise ValueError("neither true nor false")


ERRORS = (Broken, Broken, MemoryError, SystemExit, asyncio.CancelledError, GeneratorExit)


@dataclass
class Plan:
    """One call: which seams break how, and what the stores would say."""

    faults: dict[str, str]
    facts: dict[str, list[str]]
    error: type[BaseException] = Broken
    says_no: bool = False
    hang: float = 3.0

    def broken(self, seam):
        return self.faults.get(seam)

    def act(self, seam, rubbish, huge, usual):
        """Do what this plan says at *seam*; hangs are the caller's."""
        kind = self.faults.get(seam)
        if kind == "raises":
            raise self.error("secret words")
        if kind == "rubbish":
            return rubbish
        return huge() if kind == "huge" else usual()


def draw(rng: random.Random, rate: float, facts, hang: float, can_hang) -> Plan:
    """Draw a plan: each seam breaks with probability *rate*."""
    faults = {}
    for seam in SEAMS:
        if rng.random() < rate:
            kinds = KINDS if seam in can_hang else [kind for kind in KINDS if kind != "hangs"]
            faults[seam] = rng.choice(kinds)
    facts = {} if rng.random() < 0.05 else facts
    return Plan(faults, facts, rng.choice(ERRORS), rng.random() < 0.05, hang)


# The seams


class SyncStore:
    name = "notes"

    def search(self, query, options=None):
        plan = PLAN.get()
        if plan.broken("sync") == "hangs":
            NEVER.wait(plan.hang)
        return answer(plan, "sync")


class AsyncStore:
    name = "people"

    async def search(self, query, options=None):
        plan = PLAN.get()
        if plan.broken("async") == "hangs":
            await asyncio.sleep(plan.hang)
        return answer(plan, "async")


def answer(plan, seam):
    facts = [{"content": text, "score": 0.5} for text in plan.facts.get(seam, ())]

    def huge():
        return [*facts, {"content": HUGE}, *({"content": f"more {n}"} for n in range(2000))]

    return plan.act(seam, 42, huge, lambda: facts)


class Ledger(InMemoryLedger):
    """A ledger that behaves like one on a disk and breaks as planned."""

    in_process = False

    def get(self, space, keys):
        plan = PLAN.get()
        if plan.broken("get") == "hangs":
            NEVER.wait(plan.hang)
        usual = lambda: InMemoryLedger.get(self, space, keys)  # noqa: E731
        return plan.act("get", {"a": 5}, lambda: {**STRANGE, **usual()}, usual)

    def put(self, space, record, replaces=None):
        plan = PLAN.get()
        if plan.broken("put") == "hangs":
            NEVER.wait(plan.hang)
            return None
        usual = lambda: InMemoryLedger.put(self, space, record, replaces)  # noqa: E731
        return plan.act("put", object(), usual, usual)


STRANGE = {
    str(n).encode(): [LedgerRecord(b"%d" % n, b"s", "<memory>", (Shown(None, "x"),))]
    for n in range(2000)
}


def trigger(context):
    plan = PLAN.get()
    return plan.act("trigger", _Neither(), lambda: HUGE, lambda: not plan.says_no)


def query(context):
    return PLAN.get().act("query", 42, lambda: HUGE, lambda: context.text)


def merge(results, *, query, limit):
    everything = [entry for entries in results.values() for entry in entries]
    return PLAN.get().act("merge", [1, 2], lambda: everything * 500, lambda: everything)


def hook(entries):
    return PLAN.get().act("hook", object(), lambda: list(entries) * 500, lambda: entries)


def custom_format(context):
    lines = "".join(f"- {entry.content}\n" for entry in context.entries)
    return PLAN.get().act("format", b"bytes", lambda: HUGE, lambda: f"[memory]\n{lines}[/memory]")


def count(text):
    return PLAN.get().act("counter", "many", lambda: 10**30, lambda: len(text) // 4 + 1)


def slowly(seam, function):
    """Return *function* as a coroutine function that hangs when told to."""

    async def soon(*args, **named):
        plan = PLAN.get()
        if plan.broken(seam) == "hangs":
            await asyncio.sleep(plan.hang)
        return function(*args, **named)

    return soon


def managers(timeout, records):
    """Return three managers: plain callbacks, async callbacks, and a custom format."""

    def made(name, *, soon=False, own_format=False):
        seams = {"trigger": trigger, "query": query, "merge": merge, "on_entries": hook}
        if own_format:
            seams["format"] = custom_format
        if soon:
            names = {"on_entries": "hook"}
            seams = {key: slowly(names.get(key, key), call) for key, call in seams.items()}
        config = {"timeout": timeout, "min_relevance": None, "follow_up": "off", "max_entries": 4}
        return MemoryManager(
            [SyncStore(), AsyncStore()],
            injection={**config, **seams},
            name=name,
            counter=count,
            ledger=Ledger(max_records=records),
        )

    return [made("plain"), made("soon", soon=True, own_format=True), made("own", own_format=True)]


def can_hang(manager):
    """Return the seams that may hang: nothing can interrupt a sync callback of the caller's."""
    always = {"sync", "async", "get", "put"}
    return always | {"trigger", "query", "format", "merge", "hook"} if manager == "soon" else always


# The judge


@dataclass
class Talk:
    """One conversation as its application knows it."""

    number: int
    manager: MemoryManager
    keeps: str
    clean: list = field(default_factory=list)
    kept: list = field(default_factory=list)
    blocks: dict[int, str] = field(default_factory=dict)  # position -> block in the ledger
    unsure: set[int] = field(default_factory=set)  # positions whose record nobody is sure of

    def ask(self):
        turn = len(self.clean) // 2
        message = {"role": "user", "content": f"talk {self.number}, question {turn}?"}
        self.clean = [*self.clean, message]
        self.kept = [*self.kept, message]

    def reply(self):
        message = {"role": "assistant", "content": f"answer {len(self.clean)}"}
        self.clean = [*self.clean, message]
        self.kept = [*self.kept, message]

    @property
    def sent(self):
        return self.kept if self.keeps == "result" else self.clean

    def facts(self):
        at = f"talk {self.number}, turn {len(self.clean)}"
        return {"sync": [f"note of {at}"], "async": [f"person of {at}", f"other of {at}"]}


@dataclass
class Verdict:
    """What was wrong with a result, if anything, and what the machine did to it."""

    wrong: list[str] = field(default_factory=list)
    unplanned: list[str] = field(default_factory=list)


def block_in(content, clean):
    """Return the one well-formed block that *content* has more than *clean*; None if not one."""
    if not content.startswith(clean + "\n\n"):
        return None
    rest = content[len(clean) + 2 :]
    return rest if find_blocks(rest) == [rest] or CUSTOM.fullmatch(rest) else None


def judge(plan: Plan, talk: Talk, result) -> Verdict:
    """Compare *result* with what *plan* did to the call, and note what now stands in *talk*."""
    verdict = Verdict()
    report, last = result.report, len(talk.clean) - 1
    if len(result.messages) != len(talk.clean):
        verdict.wrong.append("the number of messages changed")
        return verdict
    found = {}
    for at, (clean, wire) in enumerate(zip(talk.clean, result.messages, strict=True)):
        if wire == clean:
            continue
        block = block_in(wire["content"], clean["content"]) if clean["role"] == "user" else None
        if block is None or {**wire, "content": ""} != {**clean, "content": ""}:
            verdict.wrong.append(f"message {at} was changed otherwise than by one block")
        found[at] = block
    lost = _lost_ledger(plan, report, verdict)
    earlier = _check_earlier(talk, found, last, lost, verdict)
    expected = _expected(plan, talk, report, earlier, lost, verdict)
    told = (report.status, report.stage if report.status == "failed" else report.reason)
    if told not in expected:
        verdict.wrong.append(f"status {told}, expected {expected}")
    _check_last(plan, talk, result, found, last, verdict)
    if report.status == "injected":
        _note_block(plan, talk, report, found.get(last), last)
    if talk.keeps == "result":
        talk.kept = result.messages
    return verdict


def _timed_out(text):
    return "no answer within" in text or "still running" in text or "circuit open" in text


def _lost_ledger(plan, report, verdict):
    """Tell whether the ledger's records were not to be had: "no", "yes" or "maybe"."""
    if plan.broken("get") in ("raises", "hangs", "rubbish"):
        return "yes"
    trouble = [w for w in report.warnings if w.startswith("ledger:") and _timed_out(w)]
    if trouble and plan.broken("put") != "hangs":
        verdict.unplanned.append(trouble[0])
        return "maybe"
    return "no"


def _check_earlier(talk, found, last, lost, verdict):
    """Check the blocks before the last message; return how many earlier blocks may be told of."""
    standing = 0
    for at in range(0, last + 1, 2):
        stands, block = talk.blocks.get(at), found.get(at)
        if at == last:
            standing += stands is not None and lost != "yes"
            continue
        if talk.keeps == "result":
            if block != block_in(talk.kept[at]["content"], talk.clean[at]["content"]):
                verdict.wrong.append(f"a block that was kept in message {at} changed")
        elif block is None:
            if stands is not None and lost == "no" and at not in talk.unsure:
                verdict.wrong.append(f"the block of message {at} went")
        elif lost == "yes" or (block != stands and at not in talk.unsure):
            verdict.wrong.append(f"a wrong block in message {at}")
        standing += block is not None
    return standing


def _expected(plan, talk, report, earlier, lost, verdict):
    """Return every acceptable (status, stage or reason)."""
    nothing = "replayed" if earlier else "skipped"
    unsure = bool(talk.unsure) or lost == "maybe"
    nothings = {nothing, "replayed"} if unsure else {nothing}
    hung = _timed_out(f"{report.error}") or plan.broken("get") == "hangs"
    if (stage := _fails_at(plan, ("trigger",))) is not None:
        return {("failed", stage)}
    if plan.says_no and plan.broken("trigger") is None:
        return {(status, "trigger") for status in nothings}
    last = len(talk.clean) - 1
    if last in talk.blocks and lost != "yes" and last not in talk.unsure and lost != "maybe":
        return {("replayed", "all_duplicates")}
    also = {("replayed", "all_duplicates")} if last in talk.blocks else set()
    waited = any(plan.broken(seam) == "hangs" for seam in ("merge", "hook", "get"))
    if hung and waited and report.status == "failed" and report.stage not in ("retrieve", None):
        # Past the deadline a step gets a moment's grace, which a busy machine may not keep.
        also |= {("failed", report.stage)}
    if (stage := _fails_at(plan, ("query",))) is not None:
        return {("failed", stage)} | also
    if (report.status, report.reason) in also:
        return also
    return _after_search(plan, report, nothings, verdict) | also


def _fails_at(plan, seams):
    broken = ("raises", "hangs", "rubbish")
    return next((seam for seam in seams if plan.broken(seam) in broken), None)


def _after_search(plan, report, nothings, verdict):
    answered = {store.name: store.status for store in report.stores}
    heard = False
    for seam, name in (("sync", "notes"), ("async", "people")):
        planned = {"raises": "error", "rubbish": "error", "hangs": "timeout"}.get(plan.broken(seam))
        usual = "ok" if plan.facts or plan.broken(seam) == "huge" else "empty"
        got = answered.get(name)
        if got in ("timeout", "open") and got != planned:
            verdict.unplanned.append(f"store {name}: {got}")
        elif got != (planned or usual):
            verdict.wrong.append(f"store {name} is told {got}, was {planned or usual}")
        heard |= got == "ok"
    if not heard:
        every = all(status in ("timeout", "open", "error") for status in answered.values())
        reason = {("failed", "retrieve")}
        return reason if every else {(status, "nothing_found") for status in nothings}
    if (stage := _fails_at(plan, ("format",))) is not None:
        return {("failed", stage)}
    if plan.broken("counter") == "huge" or plan.broken("format") == "huge":
        return {(status, "budget") for status in nothings}
    return {("injected", None)}


def _check_last(plan, talk, result, found, last, verdict):
    block = found.get(last)
    if (block or "") != (result.block.text if result.block else ""):
        verdict.wrong.append("result.block is not what stands in the latest message")
    if result.report.status == "injected" and block is None:
        verdict.wrong.append("injected, but there is no block")
    broken = {plan.broken("get"), plan.broken("put")} & {"raises", "hangs", "rubbish"}
    if broken and result.report.status == "injected" and result.report.stage is None:
        verdict.wrong.append("a failed ledger is not told of")


def _note_block(plan, talk, report, block, last):
    """Note that *block* stands in the ledger, or may."""
    if plan.broken("put") in ("raises", "hangs", "rubbish"):
        return  # if one stood there before, it still does
    troubled = any(w.startswith("ledger:") and _timed_out(w) for w in report.warnings)
    if troubled:
        talk.unsure.add(last)
    talk.blocks[last] = block
