"""Processes that share one SQLite store and one SQLite ledger, and are killed in the middle.

    python tests/bench/soak_processes.py --seconds 60

Each process adds memories and injects into conversations that all of them know; every second one
is killed with SIGKILL and started again. Afterwards both files must be whole, every write that was
acknowledged must be there, and every message of every conversation must have been sent with the
same bytes by every process. The exit code is 0 if that is so.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from pathlib import Path

from memory_injection import MemoryManager
from memory_injection.rendering import find_blocks
from memory_injection.sqlite_ledger import SQLiteLedger
from memory_injection.stores import SQLiteStore

TALKS, TURNS = 40, 5  # conversations that are led at the same time, and turns of each
NEVER = float("inf")
TOPICS = ("garden", "kitchen", "bicycle", "piano", "holiday", "budget", "school", "harbour")


def history(talk, turn):
    """Return the clean history of a conversation up to a turn: the same in every process."""
    messages = []
    for number in range(turn + 1):
        topic = TOPICS[(talk + number) % len(TOPICS)]
        said = f"talk {talk}: what do you know of the {topic}, question {number}?"
        messages.append({"role": "user", "content": said})
        messages.append({"role": "assistant", "content": f"this is answer {number}"})
    return messages[:-1]


# One process


def work(folder, number):
    """Add and inject until killed, noting in a file of its own what was acknowledged and sent."""
    store = SQLiteStore(folder / "memory.db", name="notes", busy_timeout=10)
    ledger = SQLiteLedger(folder / "ledger.db", busy_timeout=10)
    memory = MemoryManager(
        [store],
        ledger=ledger,
        counter=lambda text: len(text) // 4 + 1,
        injection={"timeout": 20, "min_relevance": None, "max_entries": 3},
    )
    log = os.open(folder / f"log-{number}-{os.getpid()}", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    rng = random.Random(os.getpid())
    for count in range(1_000_000):
        text = f"process {os.getpid()} wrote {count} about the {rng.choice(TOPICS)}"
        memory.add(text)
        note(log, {"added": text})
        # All processes see one clock, so they lead the same conversations at the same time.
        talk, turn = int(time.monotonic() * 10) + rng.randrange(TALKS), rng.randrange(TURNS)
        began = time.monotonic()
        result = memory.inject(history(talk, turn), scope={"session": f"talk {talk}"})
        note(log, {
            "talk": talk, "began": began, "ended": time.monotonic(), "sent": result.messages,
            "status": result.report.status, "warnings": result.report.warnings,
        })  # fmt: skip


def note(log, value):
    # One write per line: a kill leaves whole lines behind.
    os.write(log, (json.dumps(value) + "\n").encode())


# All of them


def run(folder, seconds, processes, every):
    """Run the processes, killing one every *every* seconds; return how many were killed."""
    running = [start(folder, number) for number in range(processes)]
    rng, killed, until = random.Random(1), 0, time.monotonic() + seconds
    while time.monotonic() < until:
        time.sleep(every)
        ended = [process.returncode for process in running if process.poll() is not None]
        if ended:
            raise RuntimeError(f"a process ended by itself: {ended[0]}")
        busy = [n for n, process in enumerate(running) if list(folder.glob(f"*-{process.pid}"))]
        if not busy:  # all are still starting
            continue
        # Now and then one is killed while it starts.
        number = rng.choice(busy) if rng.random() < 0.8 else rng.randrange(processes)
        end(running[number])
        killed += 1
        running[number] = start(folder, number)
    for process in running:
        end(process)
    return killed


def start(folder, number):
    return subprocess.Popen([sys.executable, __file__, "--worker", str(number), str(folder)])


def end(process):
    process.send_signal(signal.SIGKILL)
    process.wait()


def judge(folder):
    """Read the files and every process's notes; return what there is to tell."""
    notes = [note for log in sorted(folder.glob("log-*")) for note in lines(log)]
    added = [note["added"] for note in notes if "added" in note]
    calls = sorted((note for note in notes if "talk" in note), key=lambda note: note["began"])
    kept = contents(folder / "memory.db")
    wrong, places = wire_faults(calls)
    told = {
        "writes_acknowledged": len(added),
        "writes_lost": len(set(added) - kept.keys()),
        "writes_doubled": sum(count > 1 for count in kept.values()),
        "injections": len(calls),
        "statuses": dict(Counter(call["status"] for call in calls)),
        "with_warnings": sum(bool(call["warnings"]) for call in calls),
        "messages_sent_by_several_processes": places,
        "wrong_replays": len(wrong),
        "integrity": {name: integrity(folder / name) for name in ("memory.db", "ledger.db")},
        "examples": wrong[:3],
    }
    told["held"] = not (told["writes_lost"] or told["writes_doubled"] or wrong) and (
        set(told["integrity"].values()) == {"ok"} and told["statuses"].get("failed", 0) == 0
    )
    return told


def lines(log):
    for line in log.read_text().splitlines():
        try:
            yield json.loads(line)
        except ValueError:  # cut off by the kill: nothing was acknowledged by it
            continue


def contents(path):
    with sqlite3.connect(path) as conn:
        found = Counter(text for (text,) in conn.execute("SELECT content FROM memory_entries"))
    conn.close()
    return found


def integrity(path):
    conn = sqlite3.connect(path)
    told = conn.execute("PRAGMA integrity_check").fetchone()[0]
    conn.close()
    return told


def wire_faults(calls):
    """Return what was wrong on the wire, and how many messages were compared.

    A message has one block or none; every process sends the same one, and from the moment that a
    call with it has ended, every call whose ledger answered sends it.
    """
    wrong, first_ended, blocks, seen = [], {}, {}, defaultdict(int)
    for call in calls:
        clean = history(call["talk"], len(call["sent"]) // 2)
        for at, (own, sent) in enumerate(zip(clean, call["sent"], strict=True)):
            place = call["talk"], at
            if own["role"] != "user":
                if own != sent:
                    wrong.append(f"{place}: an answer was changed")
                continue
            block = sent["content"].removeprefix(own["content"]).removeprefix("\n\n")
            seen[place] += 1
            if block and find_blocks(block) != [block]:
                wrong.append(f"{place}: {block!r} is not one block")
            elif block and blocks.setdefault(place, block) != block:
                wrong.append(f"{place}: {blocks[place]!r}, then {block!r}")
            elif not (block or call["warnings"]) and first_ended.get(place, NEVER) < call["began"]:
                wrong.append(f"{place}: the block went")
            if block and at == len(clean) - 1:
                first_ended[place] = min(first_ended.get(place, call["ended"]), call["ended"])
    return wrong, sum(count for count in seen.values() if count > 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--processes", type=int, default=4)
    parser.add_argument("--kill-every", type=float, default=1.0, help="seconds")
    parser.add_argument("--worker", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        work(Path(options.worker[1]), options.worker[0])
        return 0
    with tempfile.TemporaryDirectory() as folder:
        killed = run(Path(folder), options.seconds, options.processes, options.kill_every)
        told = {"killed": killed, **judge(Path(folder))}
    print(json.dumps(told, indent=1))
    return 0 if told["held"] else 1


if __name__ == "__main__":
    sys.exit(main())
