"""Background work and the end of a process, and forks."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import time
from typing import Any

import pytest

from memory_injection.capture import Capture

from .fakes import Log, Switch, quick, user

PRELUDE = """
import sys, threading
from memory_injection.capture import Capture, ExtractionConfig
class Store:
    name = "s"
    writable = True
    extraction = ExtractionConfig(triggers="everyTurn")
    def search(self, query, options=None): return []
    def add_messages(self, messages, context=None): {body}
capture = Capture([Store()])
capture.capture_turn(messages=[{{"role": "user", "content": "hello"}}], reply="hi")
"""


LOST = "capture ended without close() with 1 turns not stored\n"


def run(body: str, rest: str, said: str = "") -> tuple[str, float]:
    """Run a program that logs *said*; return what it printed and how long it took."""
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", PRELUDE.format(body=body) + textwrap.dedent(rest)],
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
    )
    assert done.stderr == said
    return done.stdout, time.monotonic() - began


def test_a_hanging_store_does_not_hold_up_the_end() -> None:
    """A process ends when its program does, whatever hangs, and says what is lost."""
    out, seconds = run(
        "threading.Event().wait()", "import time; time.sleep(0.2); print('end')", LOST
    )
    assert out == "end\n"
    assert seconds < 15


def test_an_async_store_that_hangs_does_not_either() -> None:
    """The same with a coroutine that never ends, on the library's own loop."""
    body = "import asyncio; return asyncio.sleep(1000)"
    out, seconds = run(body, "import time; time.sleep(0.2); print('end')", LOST)
    assert out == "end\n"
    assert seconds < 15


def test_close_is_enough_to_have_it_stored() -> None:
    """A program that closes before it ends has everything stored."""
    out, _ = run("print(messages[0]['content'][0]['text'])", "assert capture.close()")
    assert out == "hello\n"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_forked_child_starts_afresh() -> None:
    """What waited before a fork is stored by the parent alone; the child captures its own."""
    switch = Switch()

    class Remote(Log):
        def add_messages(self, messages: Any, context: Any = None) -> None:
            switch()
            super().add_messages(messages, context)

    remote = Remote(quick())
    capture = Capture([remote])
    capture.capture_turn(messages=[user("from the parent")], reply="")
    assert not capture.flush(0.05)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        switch.on.set()
        capture.capture_turn(messages=[user("from the child")], reply="")
        stored = capture.flush(20)
        os.write(writing, repr((stored, remote.said)).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        told = pipe.read()
    os.waitpid(child, 0)
    assert told == "(True, [('user', 'from the child')])"
    switch.on.set()
    assert capture.close(20)
    assert remote.said == [("user", "from the parent")]
