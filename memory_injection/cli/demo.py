"""``demo``: the main job, offline, in seconds, with what happened in every model call."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import click

from ..clients import wrap
from ..counters import counter_for
from ..errors import MissingDependencyError
from ..manager import MemoryManager
from ..records import InjectionResult, MemoryEntry, Scope
from ..stores.sqlite import SQLiteStore
from ..testing.server import RecordingServer
from .demo_screen import Screen
from .demo_script import FACTS, FRIDGE, SYSTEM, TOOLS, Conversation, answer, conversations
from .options import StorePath, data_folder, ready_folder
from .output import emit_json

__all__ = ["Call", "Prefix", "demo", "shared_prefix"]

_MODEL = "gpt-4o"
_USER = Scope(user="demo")


@dataclass(frozen=True, slots=True)
class Prefix:
    """How much of the previous request's messages this request starts with, in bytes."""

    kept: int
    of: int

    @property
    def percent(self) -> float:
        """Return the share kept, 0..100."""
        return 100.0 * self.kept / self.of if self.of else 100.0

    def to_dict(self) -> dict[str, float]:
        """Return bytes kept, bytes of the previous request, and the share."""
        return {"kept": self.kept, "of": self.of, "percent": round(self.percent, 1)}


@dataclass(frozen=True, slots=True)
class Call:
    """One model call: what memory did to it and what it kept of the call before.

    Attributes:
        prefix: None for the first call of a conversation.
        in_system: what would have been kept had the memory stood in the system prompt.
        reply: the assistant's words, "" when it asked for tools.
        tools: names of the tools it asked for.
    """

    conversation: str
    number: int
    result: InjectionResult
    prefix: Prefix | None
    in_system: Prefix | None
    reply: str
    tools: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the call as JSON-serialisable values."""
        return {
            "conversation": self.conversation,
            "call": self.number,
            "block": None if self.result.block is None else self.result.block.text,
            "prefix": self.prefix and self.prefix.to_dict(),
            "prefix_if_in_system_prompt": self.in_system and self.in_system.to_dict(),
            "reply": self.reply,
            "tools": list(self.tools),
            "report": self.result.report.to_dict(),
        }


class Watched:
    """A manager, seen from outside: keeps what each injection gave back."""

    def __init__(self, memory: MemoryManager) -> None:
        self._memory = memory
        self.results: list[InjectionResult] = []

    def inject_request(self, body: Mapping[str, Any], **arguments: Any) -> InjectionResult:
        """Inject, and keep the result."""
        result = self._memory.inject_request(body, **arguments)
        self.results.append(result)
        return result


@dataclass(slots=True)
class Stage:
    """Everything the demo plays with."""

    server: RecordingServer
    client: Any
    watched: Watched
    screen: Screen
    started: datetime
    calls: list[Call] = field(default_factory=list)


def default_path() -> Path:
    """Return the demo's own file, beside the user's memory."""
    return data_folder() / "demo.db"


@click.command(
    short_help="See it work, offline, in seconds.",
    epilog="""\b
Examples:
  memory-injection demo            once, and again: the second run remembers
  memory-injection demo --fresh    from the beginning
  memory-injection demo --json
""",
)
@click.option("--store", type=StorePath(), metavar="PATH",
              help="Where to remember  [default: demo.db in the user's data folder].")  # fmt: skip
@click.option("--fresh", is_flag=True, help="Forget the earlier runs first.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for a program.")
def demo(store: Path | None, fresh: bool, as_json: bool) -> None:
    """See it work: a chat with a tool call against a local server, in seconds, offline.

    The real openai client, wrapped, talks to a server on this machine whose scripted model knows
    only what stands in the request. For each model call you see what was injected, why, and how
    much of the previous request's prefix was kept, which is what a provider's prompt cache reuses.
    """
    path = store or default_path()
    ready_folder(path)
    screen = Screen(quiet=as_json)
    remembered, calls = _play(path, screen, fresh)
    if as_json:
        emit_json(
            {
                "store": str(path.absolute()),
                "remembered_from_earlier_runs": remembered,
                "calls": [call.to_dict() for call in calls],
            }
        )
    else:
        screen.close(path, calls, remembered)


def _play(path: Path, screen: Screen, fresh: bool) -> tuple[int, list[Call]]:
    counter_for(_MODEL, wait=10.0)
    with ExitStack() as stack:
        store = stack.enter_context(SQLiteStore(path, name="notes"))
        if fresh:
            store.erase(_USER)  # only the demo's own: --store may name a file that holds more
        memory = stack.enter_context(MemoryManager(stores=[store], injection=True))
        server = stack.enter_context(RecordingServer(answer))
        watched = Watched(memory)
        client = wrap(stack.enter_context(_openai(server.url)), watched, scope=_USER)
        stage = Stage(server, client, watched, screen, datetime.now(timezone.utc))
        remembered = _count(memory)
        screen.open(remembered)
        for conversation in conversations(remembers=remembered > 0):
            screen.conversation(conversation.title)
            _converse(stage, conversation)
            if conversation.tells:
                for fact in FACTS:
                    memory.add(fact, scope=_USER)
                screen.saved(FACTS)
        return remembered, stage.calls


def _openai(url: str) -> Any:
    try:
        from openai import DefaultHttpxClient, OpenAI
    except ImportError:
        raise MissingDependencyError("openai", "openai", "the demo") from None
    # A proxy named in the environment must not come between this process and itself.
    http_client = DefaultHttpxClient(trust_env=False)
    return OpenAI(
        base_url=f"{url}/v1", api_key="none-needed", max_retries=0, http_client=http_client
    )


def _count(memory: MemoryManager) -> int:
    found: Sequence[MemoryEntry] = memory.search(" ".join(FACTS), scope=_USER)
    return len({entry.content for entry in found} & set(FACTS))


def _converse(stage: Stage, conversation: Conversation) -> None:
    """Hold one conversation, with a history of the program's own that never holds a block."""
    history: list[Any] = [{"role": "system", "content": SYSTEM}]
    before: Sent | None = None
    for ask in conversation.asks:
        stage.screen.says("you", ask)
        history.append({"role": "user", "content": ask})
        for asked, message in _turn(stage, history):
            block = stage.watched.results[-1].block
            now = Sent(
                messages_bytes(stage.server.bodies[-1]["messages"]),
                messages_bytes(_in_system(asked, "" if block is None else block.text)),
            )
            _note(stage, conversation, message, before, now)
            before = now


@dataclass(frozen=True, slots=True)
class Sent:
    """One request's messages as bytes: as sent, and with the memory in the system prompt."""

    ours: bytes
    in_system: bytes


def _in_system(history: Sequence[Any], block: str) -> list[Any]:
    system, *rest = history
    return [{**system, "content": f"{system['content']}\n\n{block}"}, *rest]


def _turn(stage: Stage, history: list[Any]) -> Iterator[tuple[list[Any], Any]]:
    """Call the model until it has no more tool calls; yield what was asked and each reply."""
    while True:
        reply = stage.client.chat.completions.create(model=_MODEL, messages=history, tools=TOOLS)
        message = reply.choices[0].message
        asked = list(history)
        history.append(message.model_dump(exclude_none=True))
        yield asked, message
        if not message.tool_calls:
            return
        for call in message.tool_calls:
            history.append({"role": "tool", "tool_call_id": call.id, "content": FRIDGE})
            stage.screen.says("tool", FRIDGE)


def _note(
    stage: Stage, conversation: Conversation, message: Any, before: Sent | None, now: Sent
) -> None:
    call = Call(
        conversation=conversation.session,
        number=len(stage.calls) + 1,
        result=stage.watched.results[-1],
        prefix=None if before is None else shared_prefix(before.ours, now.ours),
        in_system=None if before is None else shared_prefix(before.in_system, now.in_system),
        reply=message.content or "",
        tools=tuple(call.function.name for call in message.tool_calls or ()),
    )
    stage.calls.append(call)
    stage.screen.call(call, stage.started)


def messages_bytes(messages: Sequence[Any]) -> bytes:
    """Return *messages* as the bytes a provider would compare, in order."""
    parts = (json.dumps(m, ensure_ascii=False, separators=(",", ":")) for m in messages)
    return "\n".join(parts).encode()


def shared_prefix(previous: bytes, now: bytes) -> Prefix:
    """Measure how much of *previous* the request *now* starts with."""
    same = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(previous, now, strict=False))
    return Prefix(sum(1 for _ in same), len(previous))
