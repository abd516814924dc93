"""Four processes write and are killed in the middle of it: every answered write stands.

``MEMORY_INJECTION_KILLS`` sets how often (default 20).
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import threading

import pytest

from memory_injection.facts import FactStore

KILLS = int(os.environ.get("MEMORY_INJECTION_KILLS", "20"))
PROCESSES = 4

WRITER = """
import json, sys
from memory_injection.facts import FactStore

path, name, start, shared, own = sys.argv[1:]
mem = FactStore(path, wait=60).open(agent="a", run=name, user=name)
for at in range(int(start), 1_000_000):
    given = {"path": "users/{user}/"}
    if at % 3 == 1 and own:
        given = {"replaces": own}
    elif at % 3 == 2:
        given = {"replaces": shared}
    fact = mem.remember(f"fact {name} {at} words of it", key=f"k{at}", **given)
    if at % 3 != 2:
        own = fact.id
    print(json.dumps([at, fact.id, fact.version, fact.text]), flush=True)
"""


class Killed(threading.Thread):
    """Starts a writer again and again, and kills it after a random number of answers."""

    def __init__(self, path, name, kills, shared):
        super().__init__()
        self.path, self.name, self.kills, self.shared = str(path), name, kills, shared
        self.answered, self.failure = [], None
        self.random = random.Random(name)

    def run(self):
        for _ in range(self.kills):
            own = next((a[1] for a in reversed(self.answered) if a[0] % 3 != 2), "")
            start = self.answered[-1][0] + 1 if self.answered else 0
            command = [sys.executable, "-c", WRITER, self.path, self.name, str(start)]
            with subprocess.Popen(
                [*command, self.shared, own], stdout=subprocess.PIPE, stderr=subprocess.PIPE
            ) as writer:
                for _ in range(self.random.randint(1, 25)):
                    self.note(writer.stdout.readline())
                # Anywhere in the next write, not always at its beginning.
                threading.Event().wait(self.random.random() * 0.006)
                writer.kill()
                for line in writer.stdout:
                    self.note(line)
                self.failure = self.failure or writer.stderr.read().decode()

    def note(self, line):
        if line.endswith(b"\n"):
            self.answered.append(json.loads(line))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
def test_killed_writers_lose_nothing(path, consistent):
    """Versions without gaps, index and table agree, keys answer as they did."""
    with FactStore(path) as store:
        shared = store.open(agent="a", run="start").remember("shared").id
    writers = [Killed(path, f"u{n}", KILLS // PROCESSES, shared) for n in range(PROCESSES)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert [writer.failure for writer in writers] == [""] * PROCESSES

    kept = consistent(path)
    with FactStore(path) as store:
        texts = []
        for writer in writers:
            mem = store.open(agent="a", run=writer.name, user=writer.name)
            histories = {fact.id: mem.history(fact.id) for fact in every(mem)}
            texts += [f.text for id_, h in histories.items() if id_ != shared for f in h]
            for at, ident, version, text in writer.answered:
                assert ident in kept
                stands = histories[ident][version - 1]
                assert (stands.version, stands.text) == (version, text)
                again = mem.remember("another text", key=f"k{at}")
                assert (again.id, again.version, again.text) == (ident, version, text)
            found = mem.search(writer.answered[0][3], k=50, paths=["users/{user}/"])
            assert {f.id for f in found} <= set(histories)
        texts += [f.text for f in store.open(agent="a", run="r").history(shared)]
    assert len(set(texts)) == len(texts)
    answered = sum(len(writer.answered) for writer in writers)
    assert answered >= KILLS
    print(f"{KILLS} kills, {answered} answered writes, {len(kept)} facts, {len(texts)} versions")


def every(mem):
    """Every fact a run sees, page by page."""
    page = mem.list(limit=200)
    while True:
        yield from page
        if page.next_cursor is None:
            return
        page = mem.list(limit=200, cursor=page.next_cursor)
