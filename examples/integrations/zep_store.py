"""Zep as a store, through its own client, against a local stand-in for the service.

Needs the package: zep-cloud
"""

from __future__ import annotations

import asyncio

import httpx
from zep_cloud import AsyncZep, Zep

from memory_injection import MemoryManager, Scope
from memory_injection.integrations.zep import ZepStore
from memory_injection.testing.services import FakeZep

# The UUIDs of Zep users: each has a graph of their own.
DENIZ = Scope(user="7b1c3f1e-0000-4000-8000-00000000000a")
ADA = Scope(user="7b1c3f1e-0000-4000-8000-00000000000b")
ASK = [{"role": "user", "content": "Which umbrella is mine?"}]


def fill_and_ask(service: FakeZep, client: Zep) -> list[dict[str, str]]:
    """Write for two users and ask for one; return the messages that a model would get."""
    with MemoryManager(stores=[ZepStore(client)]) as memory:
        memory.add("The umbrella of Deniz is red.", scope=DENIZ)
        memory.add("The umbrella of Ada is green.", scope=ADA)
        assert len(service.edges[DENIZ.user]) == 1
        print("ok: what is added lands in it")

        result = memory.inject(ASK, scope=DENIZ)
        print(result.messages[-1]["content"], end="\n\n")
        assert "Deniz is red" in result.block.text
        assert result.block.entries[0].score is not None
        print("ok: its memories reach the model")
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


async def ask_async(service: FakeZep) -> list[dict[str, str]]:
    """Ask the same with Zep's async client."""
    async with httpx.AsyncClient() as http:
        client = AsyncZep(api_key="none-needed", base_url=service.url, httpx_client=http)
        async with MemoryManager(stores=[ZepStore(client)]) as memory:
            return (await memory.ainject(ASK, scope=DENIZ)).messages


def main() -> None:
    with FakeZep() as service, httpx.Client() as http:
        url = service.url
        client = Zep(api_key="none-needed", base_url=url, httpx_client=http, max_retries=0)
        messages = fill_and_ask(service, client)
        assert asyncio.run(ask_async(service)) == messages
        print("ok: sync and async send the same")


if __name__ == "__main__":
    main()
