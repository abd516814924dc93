"""Print what becomes of recorded request bodies: ``python tests/bench/payload_table.py [FOLDER]``.

Every body is given to a manager whose store always answers. FOLDER holds one folder of JSON files
for each API; without it, the recorded bodies beside the repository are taken.
"""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from memory_injection.manager import MemoryManager
from memory_injection.records import InjectionResult

ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("MEMORY_INJECTION_DATA") or ROOT.parent / "shared" / "data")

WORDS = {
    "trigger": "goes on with tool results",
    "no_query": "the ask has no text",
    "unknown_shape": "not a known chat request",
}


class Always:
    """A store that has something to say to whatever is asked."""

    name = "notes"

    def search(self, query: str, options: Any = None) -> list[str]:
        """Return one entry."""
        return ["The cat is called Pamuk."]


def inject(body: dict[str, Any]) -> tuple[InjectionResult, bool]:
    """Return what one injection makes of *body*, and whether a second one changes nothing."""
    injection = {"min_relevance": None}  # small talk, too
    with MemoryManager([Always()], injection=injection, counter=len) as memory:
        first = memory.inject_request(body)
        again = memory.inject_request(first.request or {})
    return first, json.dumps(again.request) == json.dumps(first.request)


def row(bodies: Sequence[Path]) -> list[str]:
    """Return one line of the table: counts, and why bodies were left alone."""
    injected, stable, why = 0, 0, Counter[str]()
    for path in bodies:
        body = json.loads(path.read_bytes())
        result, unchanged = inject(body)
        stable += unchanged
        if result.report.status == "injected":
            injected += 1
        else:
            assert json.dumps(result.request) == json.dumps(body), path
            why[str(result.report.reason or result.report.error)] += 1
    reasons = ", ".join(f"{count} {WORDS.get(reason, reason)}" for reason, count in why.items())
    left = sum(why.values())
    return [
        str(len(bodies)),
        str(injected),
        str(left),
        reasons or "-",
        f"{stable} of {len(bodies)}",
    ]


def table(folder: Path) -> list[list[str]]:
    """Return the table over the APIs in *folder*, its head first."""
    head = ["API", "bodies", "injected", "left alone", "why", "unchanged by a second injection"]
    return [
        head,
        *(
            [api.name, *row(sorted(api.glob("*.json")))]
            for api in sorted(folder.iterdir())
            if api.is_dir()
        ),
    ]


def main() -> int:
    """Print the table as Markdown; 2 when there is nothing to read."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else DATA / "payloads"
    if not folder.is_dir():
        print(f"no recorded bodies under {folder}", file=sys.stderr)
        return 2
    head, *rows = table(folder)
    totals = [sum(int(row[column]) for row in rows) for column in (1, 2, 3)]
    lines = [head, ["---"] * len(head), *rows, ["all", *map(str, totals), "", ""]]
    print("\n".join(f"| {' | '.join(line)} |" for line in lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
