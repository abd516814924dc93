"""Writes records until it is killed, and tells on stdout what was acknowledged.

Run as ``python crash_writer.py ROOT NUMBER``. One line of JSON per acknowledged write:
``{"id": ..., "content": ...}`` for a new record, ``{"own": ..., "step": n}`` for a rewrite.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from memory_injection.errors import InputError
from memory_injection.files import create_memory_provider

PADDING = "words that make the write long enough to be cut in two. " * 400


def tell(**fact: Any) -> None:
    os.write(1, json.dumps(fact).encode() + b"\n")


def main(root: str, number: str) -> None:
    provider = create_memory_provider(root)
    own = f"own-{number}"
    step = 0
    while True:
        step += 1
        content = f"{number} {os.getpid()} {step} {PADDING}".strip()
        tell(id=provider.add(content, {"title": "Note"}), content=content)
        # All writers fight for the same names; exactly one may win each.
        try:
            tell(id=provider.add(content, {"id": f"shared-{step}"}), content=content)
        except InputError:
            tell(lost=f"shared-{step}")
        try:
            provider.add("start", {"id": own})
        except InputError:
            before = provider.get(own)
            reached = (before.metadata or {}).get("title", "0") if before is not None else "0"
            assert provider.update(own, title=str(int(reached) + 1), content=PADDING)
            tell(own=own, step=int(reached) + 1)


if __name__ == "__main__":
    main(*sys.argv[1:])
