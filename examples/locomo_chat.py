"""Long real dialogues as memory: how often does the evidence reach the request?

    python examples/locomo_chat.py FOLDER [--limit N]

FOLDER holds ``locomo.json`` of the LoCoMo data set (or is that file). Each dialogue goes into a
scope of its own of one SQLiteStore, one entry per turn. Every question of categories 1-4 is then
asked through a wrapped client against a local server that records what it receives.

Needs the package: openai
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from lxml import etree
from openai import OpenAI

from memory_injection import InjectionResult, MemoryManager, Scope, wrap
from memory_injection.stores import SQLiteStore
from memory_injection.testing.server import RecordingServer

MODEL = "gpt-4o"


@dataclass(frozen=True)
class Turn:
    """One thing said: its id in the data set, who said it, when, and what."""

    ident: str
    speaker: str
    session: str
    position: int
    said_at: datetime
    text: str


@dataclass
class Tally:
    """What the questions of one or several dialogues came to."""

    found: list[bool] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        self.found += other.found
        self.tokens += other.tokens
        self.seconds += other.seconds


class Watched:
    """A manager, seen from outside: keeps the last result of each call through the client."""

    def __init__(self, memory: MemoryManager) -> None:
        self.memory = memory
        self.last: InjectionResult | None = None

    def inject_request(self, body: Mapping[str, Any], **arguments: Any) -> InjectionResult:
        self.last = self.memory.inject_request(body, **arguments)
        return self.last


def read(path: Path) -> list[dict[str, Any]]:
    """Read the data set from its file or the folder that holds it."""
    file = path / "locomo.json" if path.is_dir() else path
    try:
        dialogues = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        sys.exit(f"{file}: {error.strerror}")
    except ValueError as error:
        sys.exit(f"{file}: not JSON: {error}")
    if not isinstance(dialogues, list) or not all("conversation" in d for d in dialogues):
        sys.exit(f"{file}: not LoCoMo: expected a list of dialogues with a 'conversation' each")
    return dialogues


def turns(conversation: Mapping[str, Any]) -> Iterator[Turn]:
    """Yield a dialogue's turns in order; a shared photo is its caption."""
    sessions = sorted(
        (name for name in conversation if re.fullmatch(r"session_\d+", name)),
        key=lambda name: int(name.rpartition("_")[2]),
    )
    for session in sessions:
        written = conversation[f"{session}_date_time"]
        said_at = datetime.strptime(written, "%I:%M %p on %d %B, %Y").replace(tzinfo=timezone.utc)
        for position, turn in enumerate(conversation[session]):
            photo = f" [shares a photo: {turn['blip_caption']}]" if turn.get("blip_caption") else ""
            text = f"{turn['speaker']}: {turn['text']}{photo}"
            yield Turn(turn["dia_id"], turn["speaker"], session, position, said_at, text)


def remember(
    memory: MemoryManager, scope: Scope, dialogue: Mapping[str, Any]
) -> dict[str, set[str]]:
    """Store a dialogue's turns; return text -> ids of the turns that say it."""
    ids: dict[str, set[str]] = {}
    for turn in turns(dialogue["conversation"]):
        metadata = {
            "speaker": turn.speaker,
            "session": turn.session,
            "turn": turn.position,
            "date": turn.said_at.date().isoformat(),
            "created_at": turn.said_at.isoformat(),
        }
        memory.add(turn.text, metadata=metadata, scope=scope)
        ids.setdefault(turn.text, set()).add(turn.ident)
    return ids


def block_texts(body: Mapping[str, Any]) -> list[str]:
    """Return the entries' texts of the block in a recorded request."""
    block = re.search(r"<memory>.*</memory>", body["messages"][-1]["content"], re.DOTALL)
    return [entry.text or "" for entry in etree.fromstring(block.group())] if block else []


def ask_all(
    client: OpenAI, watched: Watched, server: RecordingServer, scope: Scope,
    dialogue: Mapping[str, Any], ids: Mapping[str, set[str]], limit: int | None,
) -> Tally:  # fmt: skip
    """Ask a dialogue's questions of categories 1-4, each as a conversation of its own."""
    tally = Tally()
    questions = [qa for qa in dialogue["qa"] if qa["category"] in (1, 2, 3, 4)]
    for qa in questions[:limit]:
        evidence = set(re.findall(r"D\d+:\d+", " ".join(qa.get("evidence") or [])))
        if not evidence:
            continue
        ask: list[Any] = [{"role": "user", "content": qa["question"]}]
        client.chat.completions.create(model=MODEL, messages=ask)
        texts = block_texts(server.bodies[-1])
        # The heart of the matter: nothing of another dialogue, ever.
        assert all(text in ids for text in texts), "a turn of another dialogue came in"
        tally.found.append(any(ids[text] & evidence for text in texts))
        assert watched.last is not None
        entries = watched.last.block.entries if watched.last.block else ()
        # A question asked before gets its block again, known by its text alone.
        owners = {entry.scope for entry in entries} - {None}
        assert owners <= {scope}, "an entry of another scope came in"
        tally.tokens.append(watched.last.report.tokens)
        tally.seconds.append(watched.last.report.seconds)
    return tally


def line(name: str, entries: int, tally: Tally) -> str:
    if not tally.found:
        return f"{name:<12} {entries:>7} {0:>9}"
    cuts = statistics.quantiles([1000 * s for s in tally.seconds], n=20) if len(
        tally.seconds
    ) > 1 else [1000 * tally.seconds[0]] * 19  # fmt: skip
    return (
        f"{name:<12} {entries:>7} {len(tally.found):>9} {statistics.mean(tally.found):>9.1%} "
        f"{statistics.mean(tally.tokens):>12.0f} {cuts[9]:>8.1f} {cuts[18]:>8.1f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="locomo.json or its folder")
    parser.add_argument("--limit", type=int, default=None, help="most questions per dialogue")
    arguments = parser.parse_args()
    dialogues = read(arguments.folder)

    print(f"{'dialogue':<12} {'entries':>7} {'questions':>9} {'evidence':>9} "
          f"{'tokens/block':>12} {'p50 ms':>8} {'p95 ms':>8}")  # fmt: skip
    total, everything = Tally(), 0
    with (
        tempfile.TemporaryDirectory() as folder,
        RecordingServer() as server,
        MemoryManager(stores=[SQLiteStore(Path(folder) / "locomo.db", name="talk")]) as memory,
        OpenAI(base_url=f"{server.url}/v1", api_key="none-needed") as bare,
    ):
        scopes = [Scope(user=f"dialogue-{number}") for number in range(1, len(dialogues) + 1)]
        known = [remember(memory, s, d) for s, d in zip(scopes, dialogues, strict=True)]
        for scope, dialogue, ids in zip(scopes, dialogues, known, strict=True):
            watched = Watched(memory)
            client = wrap(bare, watched, scope=scope)
            tally = ask_all(client, watched, server, scope, dialogue, ids, arguments.limit)
            entries = sum(map(len, ids.values()))
            print(line(str(scope.user), entries, tally))
            total.add(tally)
            everything += entries
    print(line("all", everything, total))
    print(f"\nrequests whose block holds at least one evidence turn: "
          f"{statistics.mean(total.found):.1%}")  # fmt: skip
    print("requests of one dialogue that hold a turn of another: 0")


if __name__ == "__main__":
    main()
