"""The whole injection on real request bodies, with a store that always answers."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from memory_injection.dialects import detect_body
from memory_injection.manager import MemoryManager

DATA = Path(
    os.environ.get("MEMORY_INJECTION_DATA") or Path(__file__).parents[3] / "shared" / "data"
)
BODIES = sorted((DATA / "payloads").glob("*/*.json"))

if not BODIES:
    pytest.skip(f"no recorded bodies under {DATA}", allow_module_level=True)


class Always:
    name = "notes"

    def search(self, query: str, options: Any = None) -> list[str]:
        return ["The cat is called Pamuk."]


@pytest.fixture(params=BODIES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def body(request: pytest.FixtureRequest) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(request.param.read_bytes())
    return found


@pytest.fixture
def memory() -> MemoryManager:
    return MemoryManager([Always()], injection={"min_relevance": None}, counter=len)


def test_everything_but_the_block_is_as_recorded(body: dict[str, Any], memory: MemoryManager):
    """Byte for byte, once the block is taken out; the body given is not touched."""
    recorded = json.dumps(body)
    result = memory.inject_request(body)
    assert result.request is not None
    assert json.dumps(body) == recorded
    if result.report.status != "injected":
        assert json.dumps(result.request) == recorded
        return
    dialect = detect_body(body)
    assert dialect is not None
    assert result.block is not None
    restored = [dialect.remove(m, [result.block.text]) for m in dialect.open(result.messages)]
    closed = dialect.close(restored, body[dialect.field])
    assert json.dumps({**result.request, dialect.field: closed}) == recorded
    assert json.dumps(result.request).count(json.dumps(result.block.text)[1:-1]) == 1


def test_what_is_left_alone_says_why(body: dict[str, Any], memory: MemoryManager):
    """A body that goes on with tool results, asks without words, or is no chat request."""
    result = memory.inject_request(body)
    dialect = detect_body(body)
    if dialect is None:
        expected = "unknown_shape"
    else:
        readings = [dialect.read(message) for message in dialect.open(body[dialect.field])]
        spoken = [reading for reading in readings if reading.role != "system"]
        expected = "no_query" if spoken[-1].ask else "trigger"
        if spoken[-1].ask and spoken[-1].text.strip():
            assert result.report.status == "injected"
            return
    assert (result.report.status, result.report.reason) == ("skipped", expected)
    assert result.block is None


async def test_a_second_injection_changes_nothing(body: dict[str, Any], memory: MemoryManager):
    """Sync or async, once is enough."""
    first = memory.inject_request(body)
    again = await memory.ainject_request(first.request or {})
    assert json.dumps(again.request) == json.dumps(first.request)
