"""Letta's archival memory as a store, through its own client, against a local stand-in.

Needs the package: letta-client
"""

from __future__ import annotations

import asyncio

from letta_client import AsyncLetta, Letta

from memory_injection import MemoryManager, Scope
from memory_injection.integrations.letta import LettaStore
from memory_injection.testing.services import FakeLetta

AGENT = "agent-00000000-0000-4000-8000-000000000001"
DENIZ, ADA = Scope(user="deniz"), Scope(user="ada")
ASK = [{"role": "user", "content": "Which umbrella is mine?"}]


def fill_and_ask(service: FakeLetta, client: Letta) -> list[dict[str, str]]:
    """Write for two users and ask for one; return the messages that a model would get."""
    with MemoryManager(stores=[LettaStore(client, AGENT)]) as memory:
        memory.add("The umbrella of Deniz is red.", scope=DENIZ)
        memory.add("The umbrella of Ada is green.", scope=ADA)
        assert len(service.passages[AGENT]) == 2
        print("ok: what is added lands in it")

        result = memory.inject(ASK, scope=DENIZ)
        print(result.messages[-1]["content"], end="\n\n")
        assert "Deniz is red" in result.block.text
        assert result.block.entries[0].score is not None
        print("ok: its memories reach the model")
        assert "green" not in str(memory.search("umbrella", scope=DENIZ))
        assert "red" not in str(memory.search("umbrella", scope=ADA))
        assert memory.search("umbrella") == []
        print("ok: users are kept apart")
        service.down = True
        result_without = memory.inject(ASK, scope=ADA)
        assert result_without.messages == ASK
        assert result_without.report.stores[0].status == "error"
        print("ok: the call goes out when it fails")
        service.down = False
        return result.messages


async def ask_async(service: FakeLetta) -> list[dict[str, str]]:
    """Ask the same with Letta's async client."""
    async with (
        AsyncLetta(api_key="none-needed", base_url=service.url) as client,
        MemoryManager(stores=[LettaStore(client, AGENT)]) as memory,
    ):
        return (await memory.ainject(ASK, scope=DENIZ)).messages


def main() -> None:
    with FakeLetta() as service:
        url = service.url
        with Letta(api_key="none-needed", base_url=url, max_retries=0) as client:
            messages = fill_and_ask(service, client)
        assert asyncio.run(ask_async(service)) == messages
        print("ok: sync and async send the same")


if __name__ == "__main__":
    main()
